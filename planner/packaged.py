"""The packaged app: there is no Python to run our own modules with, so its console program runs them itself."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Sequence
from pathlib import Path

RUN_MODULE = "--run-module"  # first argument of a child: not for users
CONSOLE_PROGRAM = "gpu-plan"
# Only these: the switch is no way to run anything else.
CHILD_MODULES = frozenset({"planner.hardware.nvml", "ui.report"})


def is_packaged() -> bool:
    return bool(getattr(sys, "frozen", False))


def console_program() -> Path:
    """The console program beside the running one: on Windows the windowed one has no standard output."""
    here = Path(sys.executable)
    return here.with_name(CONSOLE_PROGRAM + here.suffix)


def run_module_if_asked(argv: Sequence[str]) -> bool:
    """Be the child that ``planner.processes.python_child_argv`` asks for; False when this is an ordinary start.

    Raises ValueError for a module that is not a child of ours.
    """
    if argv[1:2] != [RUN_MODULE]:
        return False
    module, *arguments = argv[2:]
    if module not in CHILD_MODULES:
        raise ValueError(f"{module!r} is no child process of GPU Planner")
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
    return True
