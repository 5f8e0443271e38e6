"""The frozen programs start here: the windowed one, the console one, and their children."""

import multiprocessing
import sys
from pathlib import Path

from planner.packaged import CONSOLE_PROGRAM, run_module_if_asked


def start() -> None:
    multiprocessing.freeze_support()
    if run_module_if_asked(sys.argv):
        return
    if Path(sys.executable).stem == CONSOLE_PROGRAM:
        from planner.cli.main import main as console

        console()
    else:
        from ui.app import main as window

        sys.exit(window())


if __name__ == "__main__":
    start()
