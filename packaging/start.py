"""The frozen programs start here: the windowed one, the console one, and their children."""

import multiprocessing
import os
import sys
import threading
from pathlib import Path

from planner.packaged import CONSOLE_PROGRAM, run_module_if_asked


def _quit_later(after_s: float) -> None:
    """Close the window as a person would: the smoke test looks at how the program ends."""

    def close() -> None:
        from PySide6.QtCore import QCoreApplication, QMetaObject, Qt

        QMetaObject.invokeMethod(QCoreApplication.instance(), "quit", Qt.ConnectionType.QueuedConnection)

    timer = threading.Timer(after_s, close)
    timer.daemon = True
    timer.start()


def start() -> None:
    multiprocessing.freeze_support()
    if run_module_if_asked(sys.argv):
        return
    if Path(sys.executable).stem == CONSOLE_PROGRAM:
        from planner.cli.main import main as console

        console()
    else:
        from ui.app import main as window

        if after_s := os.environ.get("GPU_PLANNER_QUIT_AFTER_S"):
            _quit_later(float(after_s))
        sys.exit(window())


if __name__ == "__main__":
    start()
