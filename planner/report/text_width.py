"""How wide a text is, without a font engine: the advances of the bundled font, DejaVu Sans Condensed.

Read from resources/fonts/DejaVuSansCondensed.ttf (a test compares them with what Qt measures).
"""

from __future__ import annotations

import unicodedata

_FIRST = " "
# Thousandths of an em for the characters from " " to "~".
_ADVANCES = (
    286, 360, 414, 754, 572, 855, 702, 247, 351, 351, 450, 754, 286, 325, 286, 303, 572, 572, 572, 572, 572, 572,
    572, 572, 572, 572, 303, 303, 754, 754, 754, 478, 900, 615, 617, 628, 693, 568, 518, 697, 677, 265, 265, 590,
    501, 776, 673, 708, 542, 708, 625, 571, 549, 659, 615, 890, 616, 549, 616, 351, 303, 351, 754, 450, 450, 551,
    571, 495, 571, 554, 316, 571, 570, 250, 250, 521, 250, 876, 570, 550, 571, 571, 370, 469, 353, 570, 532, 736,
    532, 532, 472, 572, 303, 572, 754,
)  # fmt: skip
_OTHER = 754  # ×, ≤, → and the like
_SPECIAL = {"–": 450, "—": 900, "·": 286, "°": 450, "đ": 571, "Đ": 697, "₫": 572, "µ": 572, "…": 900}
_WIDE = 1000  # East Asian characters and emoji come from another font, a full em at most
_BOLD = 1.13  # bold letters are at most this much wider, on average over a word


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Width of one line in the unit of ``size``."""
    total = 0
    for character in unicodedata.normalize("NFD", text):
        index = ord(character) - ord(_FIRST)
        if 0 <= index < len(_ADVANCES):
            total += _ADVANCES[index]
        elif character in _SPECIAL:
            total += _SPECIAL[character]
        elif unicodedata.category(character) not in ("Mn", "Cf", "Cc"):
            total += _WIDE if unicodedata.east_asian_width(character) in "WF" else _OTHER
    return total / 1000 * size * (_BOLD if bold else 1.0)


def shortened(text: str, size: float, width: float, bold: bool = False) -> str:
    """``text``, or as much of it as fits into ``width`` with an ellipsis."""
    if text_width(text, size, bold) <= width:
        return text
    kept = text
    while kept and text_width(kept + "…", size, bold) > width:
        kept = kept[:-1]
    return kept.rstrip() + "…"


def wrapped(text: str, size: float, width: float, most_lines: int, bold: bool = False) -> tuple[str, ...]:
    """``text`` broken at spaces into at most ``most_lines`` lines of ``width``; what does not fit is shortened."""
    lines: list[str] = []
    for word in text.split():
        if lines and text_width(f"{lines[-1]} {word}", size, bold) <= width:
            lines[-1] = f"{lines[-1]} {word}"
        else:
            lines.append(word)
    if len(lines) > most_lines:
        lines = [*lines[: most_lines - 1], " ".join(lines[most_lines - 1 :])]
    return tuple(shortened(line, size, width, bold) for line in lines) or ("",)
