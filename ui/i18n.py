"""The language of the window. Widget captions are Qt translations; the domain's codes are planner.messages."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

if TYPE_CHECKING:
    from planner.report.wording import Wording


def tr(context: str, text: str) -> str:
    """``text`` in the user's language. Widgets call their own ``self.tr``; this is for functions."""
    return QCoreApplication.translate(context, text)


def language() -> str:
    """Language of the messages that are shipped: English."""
    return "en"


@cache
def wording() -> Wording:
    """Codes and numbers of the domain → sentences in the user's language (loads numpy: not before first paint)."""
    from planner.messages import load_messages
    from planner.report.wording import Wording

    return Wording(load_messages(language()))


def say(code: str, **values: object) -> str:
    """One sentence of the domain whose values are already text."""
    from planner.messages import load_messages

    return load_messages(language()).say(code, **values)
