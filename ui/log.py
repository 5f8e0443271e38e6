"""The log since the start: the last lines, for the log view and for bug reports."""

from __future__ import annotations

import logging
from collections import deque

from PySide6.QtCore import QObject, Signal

_LINES = 2000
_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class SessionLog(QObject):
    """Keeps the lines of Python's logging. ``added`` is emitted on whatever thread logs."""

    added = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.lines: deque[str] = deque(maxlen=_LINES)
        self._handler = _Handler(self)
        self._handler.setFormatter(logging.Formatter(_FORMAT))
        logging.getLogger().addHandler(self._handler)

    def take(self, line: str) -> None:
        self.lines.append(line)
        self.added.emit(line)

    def close(self) -> None:
        logging.getLogger().removeHandler(self._handler)


class _Handler(logging.Handler):
    def __init__(self, log: SessionLog) -> None:
        super().__init__()
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        self._log.take(self.format(record))
