"""What the window has to tell without getting in the way: named messages, shown inline until resolved."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QObject, Signal


class Severity(StrEnum):
    INFORMATION = "information"
    WARNING = "warning"
    ERROR = "error"


_log = logging.getLogger("gpu-planner.notices")
_LEVELS = {Severity.INFORMATION: logging.INFO, Severity.WARNING: logging.WARNING, Severity.ERROR: logging.ERROR}


@dataclass(frozen=True, slots=True)
class Notice:
    """One message. ``name`` says what it is about: a new one of that name replaces the old."""

    name: str
    severity: Severity
    text: str
    details: str = ""


class Notices(QObject):
    """All messages that are on now, by name."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._notices: dict[str, Notice] = {}

    @property
    def shown(self) -> tuple[Notice, ...]:
        return tuple(self._notices.values())

    def show(self, name: str, severity: Severity, text: str, details: str = "") -> None:
        _log.log(_LEVELS[severity], "%s", f"{text}\n{details}".strip())
        self._notices[name] = Notice(name, severity, text, details)
        self.changed.emit()

    def clear(self, name: str) -> None:
        if self._notices.pop(name, None) is not None:
            self.changed.emit()
