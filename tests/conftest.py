"""What every test gets: no display, a data folder of its own, and a mock of the GPU driver's library."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

os.environ["QT_QPA_PLATFORM"] = "offscreen"  # before anything imports Qt


@pytest.fixture(autouse=True)
def own_data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Results, settings and caches of a test stay in its temporary folder."""
    folder = tmp_path / "data"
    monkeypatch.setenv("GPU_PLANNER_DATA", str(folder))
    return folder
