"""Numbers as text with no more digits than is known about them."""

from __future__ import annotations

import math

from planner.evidence import Range
from planner.units import significant

# (smallest value shown in the unit, its size, message code of the unit), from large to small
Ladder = tuple[tuple[float, float, str], ...]

_NEGLIGIBLE = 0.002  # a low end this small a part of the spread reads "0": "20 min (0–120 min)"
_MOST_DIGITS = 4  # of the likely value, however narrow the range


def first_digit_place(value: float) -> int:
    """Power of ten of the first significant digit: 345 → 2, 0.02 → −2; 0 counts as 1."""
    return math.floor(math.log10(abs(value))) if value else 0


def decimals_supported(value: Range) -> int:
    """Decimals worth printing: two digits of the spread; negative: whole tens, hundreds … only."""
    most = _MOST_DIGITS - 1 - first_digit_place(value.likely or value.high)
    spread = value.high - value.low
    return min(1 - first_digit_place(spread), most) if spread else most


def round_to(value: float, decimals: int, money: bool = False) -> str:
    """``value`` rounded to ``decimals``, but never to 0 when it is not 0. Money shows no or two decimals."""
    decimals = max(decimals, -first_digit_place(value))
    shown = max(decimals, 0)
    return f"{round(value, decimals) + 0.0:,.{max(shown, 2) if money and shown else shown}f}"


def range_texts(value: Range, money: bool = False) -> tuple[str, str, str]:
    """Low, likely and high as text: Range(12.13, 18.34, 30.2) → ("12", "18", "30")."""
    decimals = decimals_supported(value)
    likely, high = round_to(value.likely, decimals, money), round_to(value.high, decimals, money)
    negligible = 0 <= value.low < _NEGLIGIBLE * (value.high - value.low)
    return "0" if negligible else round_to(value.low, decimals, money), likely, high


def exact_text(value: float | int | str, money: bool = False) -> str:
    """A number without a range: whole numbers in full, others with three digits; money with cents below 100."""
    number = float(value)
    if money:
        decimals = 2 if abs(number) < 100 and number != int(number) else 0
        if 0 < abs(number) < 0.1:  # electricity and spot prices: cents are too coarse
            decimals = 2 - first_digit_place(number) - 1
        return f"{number:,.{decimals}f}"
    if number == int(number) and abs(number) < 1e15:
        return f"{int(number):,}"
    return significant(number)
