"""Where the product's own data and the user's data lie."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from planner.packaged import is_packaged

_ROOT = Path(__file__).resolve().parent.parent
RESOURCES = _ROOT / "resources"
# The folder that holds ``planner`` as source text, for another Python. A packaged app has it beside its own
# compiled modules, away from its numpy, which belongs to its Python alone.
SOURCES = _ROOT / "sources" if is_packaged() else _ROOT


def data_dir() -> Path:
    """Folder for results, settings and recovery files of this user (not created here).

    ``GPU_PLANNER_DATA`` overrides it: tests and portable installations.
    """
    override = os.environ.get("GPU_PLANNER_DATA")
    if override:
        return Path(override)
    import platformdirs

    return Path(platformdirs.user_data_dir("gpu-planner", appauthor=False))


def without_home(value: Any, home: Path | None = None) -> Any:
    """``value`` (text, or lists and dicts of it) with the home folder, which tells the user's name, as ``~``."""
    home = home or Path.home()
    if home == Path(home.anchor):  # some containers: every path would begin with it
        return value
    if isinstance(value, str):
        return re.sub(rf"(?<![\w.~-]){re.escape(str(home))}(?![\w-]|\.\w)", "~", value)
    if isinstance(value, dict):
        return {key: without_home(one, home) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [without_home(one, home) for one in value]
    return value
