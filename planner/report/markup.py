"""Texts of unknown origin made harmless for XML and HTML."""

from __future__ import annotations

from xml.sax.saxutils import escape

_QUOTES = {'"': "&quot;", "'": "&#39;"}


def _allowed(character: str) -> bool:
    """What XML 1.0 lets into a document, less the bidirectional overrides that make text read as other text."""
    code = ord(character)
    if character in "\t\n\r":
        return True
    if 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069:
        return False
    return (0x20 <= code <= 0xD7FF and not 0x7F <= code <= 0x9F) or 0xE000 <= code <= 0xFFFD or code >= 0x10000


def printable(text: str) -> str:
    """``text`` without control characters, lone surrogates and bidirectional overrides."""
    return "".join(filter(_allowed, text))


def one_line(text: str, most: int = 300) -> str:
    """``text`` as one line of at most ``most`` characters, for titles and file metadata."""
    line = " ".join(printable(text).split())
    return line if len(line) <= most else line[: most - 1] + "…"


def markup_safe(text: str) -> str:
    """``text`` for the inside of an element or a quoted attribute."""
    return escape(printable(text), _QUOTES)
