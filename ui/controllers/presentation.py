"""How this team wants its reports. The look is remembered for the next start; comments belong to the plan."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from planner.report.presentation import MOST_LOGO_BYTES, Presentation, as_logo
from ui.jobs.thread import Tasks
from ui.notices import Notices, Severity
from ui.settings import Option, Settings

PRESENTATION = Option("report/presentation", "")
_NOTICE = "presentation"


def read_logo(path: Path) -> str:
    """A picture's file as it is kept. Raises OSError, or ValueError for what is no PNG or JPEG or is too large."""
    with path.open("rb") as file:
        return as_logo(file.read(MOST_LOGO_BYTES + 1000))


class PresentationController(QObject):
    """``changed``: the report looks different now."""

    changed = Signal()

    def __init__(self, settings: Settings, tasks: Tasks, notices: Notices, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings, self._tasks, self._notices = settings, tasks, notices
        self._value: Presentation | None = None  # read when it is first needed: checking takes 0.15 s

    @property
    def value(self) -> Presentation:
        if self._value is None:
            self._value = self._remembered()
        return self._value

    def _remembered(self) -> Presentation:
        from planner.door import InvalidInputError, parse_json, validated

        text = self._settings.get(PRESENTATION)
        try:
            return validated(Presentation, parse_json(text, "settings"), "settings") if text else Presentation()
        except InvalidInputError:  # of another version, or edited by hand: begin with the usual look
            return Presentation()

    def change(self, **fields: Any) -> None:
        """Set fields of the presentation. Raises ValueError, in words, for a text that is too long."""
        self._keep(replace(self.value, **fields))

    def comment(self, key: str, text: str) -> None:
        """Set a section's comment; an empty one is none. Raises ValueError for a text that is too long."""
        others = tuple(pair for pair in self.value.comments if pair[0] != key)
        self.change(comments=(*others, (key, text)) if text.strip() else others)

    def show_section(self, key: str, shown: bool) -> None:
        others = tuple(other for other in self.value.left_out if other != key)
        self.change(left_out=others if shown else (*others, key))

    def take_logo(self, path: Path) -> None:
        """Use this picture, if it is one."""

        def done(logo: str | None, error: Exception | None) -> None:
            if logo is None:
                text = self.tr("{0} was not taken as a logo.").format(path.name)
                self._notices.show(_NOTICE, Severity.WARNING, text, str(error))
            else:
                self._notices.clear(_NOTICE)
                self.change(logo=logo)

        self._tasks.run(lambda _cancelled: read_logo(path), done)

    def take(self, saved: Presentation) -> None:
        """Of a plan that was opened: its comments, and its look unless it was saved without one."""
        if replace(saved, comments=()) == Presentation():
            saved = replace(self.value, comments=saved.comments)
        self._keep(saved)

    def forget_comments(self) -> None:
        """A new plan begins without the words about another one."""
        if self.value.comments:
            self.change(comments=())

    def _keep(self, value: Presentation) -> None:
        from planner.door import plain

        if value != self._value:
            self._value = value
            self._settings.set(PRESENTATION, json.dumps(plain(value)))
            self.changed.emit()
