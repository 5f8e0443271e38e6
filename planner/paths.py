"""Where the product's own data and the user's data lie."""

from __future__ import annotations

import os
from pathlib import Path

RESOURCES = Path(__file__).resolve().parent.parent / "resources"


def data_dir() -> Path:
    """Folder for results, settings and recovery files of this user (not created here).

    ``GPU_PLANNER_DATA`` overrides it: tests and portable installations.
    """
    override = os.environ.get("GPU_PLANNER_DATA")
    if override:
        return Path(override)
    import platformdirs

    return Path(platformdirs.user_data_dir("gpu-planner", appauthor=False))
