"""The start: light, and on a Qt that does not wear CPython out."""

from __future__ import annotations

import subprocess
import sys

from PySide6.QtCore import QObject

FIRST_PAINT = """
import sys
from pathlib import Path
from PySide6.QtWidgets import QApplication
application = QApplication([])
from ui.parts import build_parts
from ui.settings import Settings
from ui.window import MainWindow
parts = build_parts(application, Settings(Path(sys.argv[1])))
parts.theme.apply()
window = MainWindow(parts)
window.show()
assert not window.grab().isNull()
heavy = [name for name in ("torch", "pyqtgraph", "pynvml", "numpy", "pydantic") if name in sys.modules]
print("heavy:", heavy)
window.close()
"""


def test_that_nothing_heavy_is_loaded_at_the_first_paint(tmp_path: object) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FIRST_PAINT, f"{tmp_path}/settings.ini"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "heavy: []"


def test_that_qt_calls_keep_their_references_to_none() -> None:
    """PySide6 6.12.0 dropped one per call on CPython 3.11 and ended in an abort (PYSIDE-3474)."""
    thing = QObject()
    before = sys.getrefcount(None)
    for _ in range(200):
        thing.setObjectName("a")
    assert sys.getrefcount(None) - before > -50


def test_that_the_entry_explains_itself() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ui.app", "--help"], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0
    assert "--demo" in done.stdout
