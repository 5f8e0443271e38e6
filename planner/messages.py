"""Turns message codes into sentences.

The domain speaks in codes with numbers ("check.driver.not_loaded", {"name": "RTX 3090"}). Their sentences
live in ``resources/i18n/<language>/<topic>.toml``; the code's first part is the topic, the rest the path of
tables inside the file. Widget captions are not here: they are Qt translations.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from planner.paths import RESOURCES

FALLBACK_LANGUAGE = "en"


def _flatten(prefix: str, table: Mapping[str, Any]) -> dict[str, str]:
    flat: dict[str, str] = {}
    for key, value in table.items():
        code = f"{prefix}.{key}"
        flat.update(_flatten(code, value) if isinstance(value, dict) else {code: str(value)})
    return flat


@dataclass(frozen=True)
class Messages:
    """All sentences of one language, with English behind those not yet translated."""

    language: str
    templates: Mapping[str, str]

    def say(self, code: str, **values: object) -> str:
        """The sentence of ``code`` with its placeholders filled.

        Raises KeyError for a code or a placeholder that does not exist: that is a fault in the program.
        """
        return self.templates[code].format_map(values)

    def marked(self, number: str) -> str:
        """A number with the language's marks for groups and decimals: "-1,234.5" → "−1.234,5"."""
        marks = {",": self.say("format.group"), ".": self.say("format.point"), "-": "−"}
        return "".join(marks.get(character, character) for character in number)

    def knows(self, code: str) -> bool:
        return code in self.templates


def languages() -> tuple[str, ...]:
    """Codes of the languages that are shipped, English first: ("en", "vi")."""
    found = {folder.name for folder in (RESOURCES / "i18n").iterdir() if any(folder.glob("*.toml"))}
    return (FALLBACK_LANGUAGE, *sorted(found - {FALLBACK_LANGUAGE}))


def read_topics(language: str) -> dict[str, str]:
    """Code → sentence of one language alone; raises FileNotFoundError for a language that is not shipped."""
    folder = RESOURCES / "i18n" / language
    if not folder.is_dir():
        raise FileNotFoundError(f"no messages for language {language!r} in {folder}")
    templates: dict[str, str] = {}
    for file in sorted(folder.glob("*.toml")):
        templates.update(_flatten(file.stem, tomllib.loads(file.read_text(encoding="utf-8"))))
    return templates


@dataclass
class _Choice:
    language: str = FALLBACK_LANGUAGE


_choice = _Choice()


def use_language(code: str) -> None:
    """Speak this language from now on, in the whole process: what ``load_messages()`` gives.

    Raises FileNotFoundError for a language that is not shipped.
    """
    _read_messages(code)
    _choice.language = code


def language_in_use() -> str:
    return _choice.language


def load_messages(language: str | None = None) -> Messages:
    """All topics of a language, of the one in use unless another is named.

    Raises FileNotFoundError for a language that is not shipped.
    """
    return _read_messages(language or _choice.language)


@cache
def _read_messages(language: str) -> Messages:
    behind = {} if language == FALLBACK_LANGUAGE else _read_messages(FALLBACK_LANGUAGE).templates
    return Messages(language, {**behind, **read_topics(language)})
