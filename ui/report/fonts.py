"""The report's own font, so that a PDF looks the same on every system and Vietnamese never falls back."""

from __future__ import annotations

from functools import cache

from PySide6.QtGui import QFontDatabase

from planner.paths import RESOURCES
from planner.report.svg_elements import FONT_FAMILY

_FILES = ("DejaVuSansCondensed.ttf", "DejaVuSansCondensed-Bold.ttf")


@cache
def report_font_family() -> str:
    """Load the bundled font once and return its family. Raises RuntimeError when a file is missing or broken."""
    for name in _FILES:
        path = RESOURCES / "fonts" / name
        number = QFontDatabase.addApplicationFont(str(path))
        if number < 0 or FONT_FAMILY not in QFontDatabase.applicationFontFamilies(number):
            raise RuntimeError(f"the font {path} cannot be loaded: the installation is incomplete")
    return FONT_FAMILY
