"""Cells that spreadsheets open: text from outside must not become a formula there."""

from __future__ import annotations

import re
from typing import TypeVar

T = TypeVar("T")

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
_NUMBER = re.compile(r"[+-]?(\d[\d ,.]*)?\d(e[+-]?\d+)?( ?%)?", re.IGNORECASE)


def safe_cell(value: T) -> T | str:
    """``value``, with an apostrophe before text that a spreadsheet would compute. Numbers stay numbers."""
    if isinstance(value, str) and value.lstrip(" ").startswith(_FORMULA_STARTS) and not _NUMBER.fullmatch(value):
        return f"'{value}"
    return value
