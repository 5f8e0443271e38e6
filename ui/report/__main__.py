"""`python -m ui.report PLAN.json OUT.pdf`: a plan file as PDF without a window or a display.

Exit status: 0 written, 1 it could not be written, 2 the plan is wrong. `gpu-plan report --pdf` runs this as a
child process, because the core knows no Qt.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from planner.door import InvalidInputError
from planner.ledger import ledger_at_hand
from planner.messages import load_messages
from planner.pipeline import evaluate
from planner.report.plan_file import plan_text, read_plan
from planner.report.presentation import presented
from planner.report.sections import build_report
from planner.report.types import Report
from planner.report.wording import Wording


def _needs_no_display() -> None:
    """Painting a PDF needs Qt's fonts, not a screen."""
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m ui.report", description="Print a plan file as PDF.")
    parser.add_argument("plan", type=Path, metavar="PLAN", help="a plan file, or a report's PDF")
    parser.add_argument("pdf", type=Path, metavar="OUT.pdf")
    parser.add_argument("--language", default="en", help="language of the report (default: en)")
    chosen = parser.parse_args(arguments)
    try:
        wording = Wording(load_messages(chosen.language))
        saved = read_plan(chosen.plan)
        recommendation = evaluate(saved.inputs)
        ledger = ledger_at_hand()
        report = build_report(saved.inputs, recommendation, wording, saved.name, chosen.plan.name, ledger)
        report = presented(report, saved.presentation)
        plan = plan_text(saved.inputs, recommendation, saved.name, saved.presentation)
    except InvalidInputError as error:
        for problem in error.problems:
            print(f"{error.source}: {problem}", file=sys.stderr)
        return 2
    except OSError as error:  # no such plan, not readable, no such language
        print(error, file=sys.stderr)
        return 2
    return _write(report, chosen.pdf, wording, plan)


def _write(report: Report, path: Path, wording: Wording, plan: bytes) -> int:
    _needs_no_display()
    from PySide6.QtGui import QGuiApplication

    from ui.report.pdf import write_pdf

    application = QGuiApplication.instance() or QGuiApplication(sys.argv[:1])  # must live while Qt paints
    try:
        write_pdf(report, path, messages=wording.messages, plan=plan)
    except OSError as error:
        print(error, file=sys.stderr)
        return 1
    del application
    return 0


if __name__ == "__main__":
    sys.exit(main())
