"""The entry of the window: ``gpu-planner [--demo] [--language CODE] [PLAN]``."""

from __future__ import annotations

import argparse
import logging
import multiprocessing
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from planner.messages import languages

log = logging.getLogger("gpu-planner")


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="gpu-planner", description="Stay local, or rent RTX 3090s?")
    parser.add_argument("plan", nargs="?", type=Path, help="a plan file to open")
    parser.add_argument("--demo", action="store_true", help="show a make-believe machine with two GPUs")
    parser.add_argument(
        "--language", choices=("system", *languages()), help="of this start; kept is what the menu chooses"
    )
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the window until it is closed; the exit status."""
    multiprocessing.freeze_support()
    options = _options(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    from PySide6.QtCore import QTimer
    from PySide6.QtGui import QGuiApplication
    from PySide6.QtWidgets import QApplication

    QGuiApplication.setDesktopFileName("gpu-planner")
    application = QApplication(sys.argv[:1])
    application.setApplicationName("gpu-planner")
    application.setApplicationDisplayName("GPU Planner")
    application.setStyle("Fusion")

    from ui.i18n import speak, wanted_language
    from ui.icons import app_icon
    from ui.parts import build_parts
    from ui.settings import LANGUAGE, THEME, Settings
    from ui.shell import Shell
    from ui.window import TOUR_SEEN

    application.setWindowIcon(app_icon())
    settings = Settings()
    speak(application, wanted_language(options.language or settings.get(LANGUAGE)))
    parts = build_parts(application, settings, demo=options.demo)
    parts.theme.choose(settings.get(THEME))
    parts.theme.apply()
    _catch_faults(parts.notices)
    shell = Shell(application, parts)
    shell.window.show()
    if not settings.get(TOUR_SEEN):
        shell.window.tour.start()

    def begin() -> None:  # after the first paint: nothing heavy is imported before
        if options.plan is None:
            parts.detect.refresh()
        else:  # a plan may bring its own machine
            parts.plan.open_ended.connect(look_if_nothing_is_known)
        parts.plan.start(options.plan, parts.recovery.bring_back)

    def look_if_nothing_is_known() -> None:
        if parts.store.snapshot is None:
            parts.detect.refresh()

    QTimer.singleShot(0, begin)
    return application.exec()


def _catch_faults(notices: object) -> None:
    """A fault in a slot is logged and told inline; the window stays."""
    from ui.i18n import tr
    from ui.notices import Notices, Severity

    assert isinstance(notices, Notices)

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        text = "".join(traceback.format_exception(kind, error, trace))
        log.error("unexpected fault\n%s", text)
        told = tr("Fault", "Something went wrong in the program. What you typed is kept; you can go on working.")
        notices.show("fault", Severity.ERROR, told, text)

    sys.excepthook = hook


if __name__ == "__main__":
    sys.exit(main())
