"""What exactly is running: for bug reports and for the page About."""

from __future__ import annotations

import importlib.metadata
import platform

from planner import __version__


def _version(distribution: str) -> str:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def versions() -> dict[str, str]:
    """Names and versions of the app, what it stands on, and the platform. Imports none of them."""
    return {
        "gpu-plan": __version__,
        "Qt": _version("PySide6-Essentials"),  # PySide6 carries the Qt of its own version
        "pyqtgraph": _version("pyqtgraph"),
        "numpy": _version("numpy"),
        "Python": platform.python_version(),
        "platform": platform.platform(),
    }
