"""The language of the window. Widget captions are Qt translations; the domain's codes are planner.messages."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QLocale, QTranslator

from planner.messages import FALLBACK_LANGUAGE, language_in_use, languages, use_language
from planner.paths import RESOURCES
from planner.units import significant

if TYPE_CHECKING:
    from planner.report.wording import Wording

CAPTIONS = RESOURCES / "i18n"
NAMES = {"en": "English", "vi": "Tiếng Việt"}  # each in its own language, so that its readers find it
_TRANSLATOR = "gpu-planner"


def tr(context: str, text: str) -> str:
    """``text`` in the user's language. Widgets call their own ``self.tr``; this is for functions."""
    return QCoreApplication.translate(context, text)


def language() -> str:
    """Code of the language that the window speaks."""
    return language_in_use()


def wanted_language(choice: str) -> str:
    """Code of the language for a choice: itself, or for "system" the first of its languages that is shipped."""
    shipped = languages()
    if choice in shipped:
        return choice
    of_system = (name.partition("-")[0] for name in QLocale.system().uiLanguages())
    return next((code for code in of_system if code in shipped), FALLBACK_LANGUAGE)


def captions_file(code: str) -> Path:
    """The compiled captions of a language; English has none, it is in the sources."""
    return CAPTIONS / f"gpu-planner_{code}.qm"


def speak(application: QCoreApplication, code: str) -> None:
    """Captions and sentences from now on in a language that is shipped. Widgets keep what they already show."""
    for translator in application.findChildren(QTranslator, _TRANSLATOR):
        application.removeTranslator(translator)
        translator.deleteLater()
    use_language(code)
    wording.cache_clear()
    if code == FALLBACK_LANGUAGE:
        return
    translator = QTranslator(application)
    translator.setObjectName(_TRANSLATOR)
    if translator.load(str(captions_file(code))):
        application.installTranslator(translator)


@cache
def wording() -> Wording:
    """Codes and numbers of the domain → sentences in the user's language (loads numpy: not before first paint)."""
    from planner.messages import load_messages
    from planner.report.wording import Wording

    return Wording(load_messages(language()))


def marked(number: str) -> str:
    """A number as the language writes it: "1,234.5" → "1.234,5"."""
    from planner.messages import load_messages

    return load_messages(language()).marked(number)


def written(value: float, digits: int = 3) -> str:
    """``value`` with at most ``digits`` significant digits, as the language writes it."""
    return marked(significant(value, digits))


def say(code: str, **values: object) -> str:
    """One sentence of the domain whose values are already text."""
    from planner.messages import load_messages

    return load_messages(language()).say(code, **values)
