"""Prices from outside: read a file, or ask the internet when the user wants it; then show what would change."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from planner.door import InvalidInputError, Problem
from ui.jobs.thread import Cancelled, Task, Tasks
from ui.notices import Notices, Severity
from ui.state import Store

if TYPE_CHECKING:
    from planner.offers.offer import Offer

Found = tuple["tuple[Offer, ...]", "tuple[Problem, ...]"]  # offers, and what was left out with why


class OffersController(QObject):
    """``found`` brings the changes (a tuple of ``OfferChange``) to look at; nothing is replaced here."""

    found = Signal(object)
    busy_changed = Signal()
    progress = Signal(int, int, str)  # providers asked, of how many, the present one

    def __init__(self, store: Store, tasks: Tasks, notices: Notices, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store, self._tasks, self._notices = store, tasks, notices
        self._task: Task | None = None

    @property
    def is_busy(self) -> bool:
        return self._task is not None

    def import_file(self, path: Path) -> None:
        """Take prices from gpuhunt's or SkyPilot's catalogue, or from a table of ours."""

        def work(_cancelled: Cancelled) -> Found:
            from planner.offers.importers import import_file

            imported = import_file(path, "", _today())
            return imported.offers, imported.skipped

        self._run(work, self.tr("{0} could not be used. Your prices are unchanged.").format(path.name))

    def refresh(self) -> None:
        """Fetch gpuhunt's prices of the day."""

        def work(cancelled: Cancelled) -> Found:
            from planner.offers.refresh import refresh

            fetched = refresh(_today(), self.progress.emit, cancelled)
            return fetched.offers, fetched.failed

        self._run(work, self.tr("No prices could be fetched. Your prices are unchanged."))

    def cancel(self) -> None:
        """Stop waiting; what still arrives is dropped."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
            self.busy_changed.emit()

    def _run(self, work: Callable[[Cancelled], Found], failure: str) -> None:
        def done(found: Found | None, error: Exception | None) -> None:
            self._task = None
            self.busy_changed.emit()
            if found is None:
                problems = error.problems if isinstance(error, InvalidInputError) else (error,)
                self._notices.show("import", Severity.WARNING, failure, "\n".join(map(str, problems)))
            else:
                self._show(*found)

        if self._task is None:
            self._notices.clear("import")
            self._task = self._tasks.run(work, done)
            self.busy_changed.emit()

    def _show(self, offers: tuple[Offer, ...], skipped: tuple[Problem, ...]) -> None:
        from planner.offers.difference import changes

        if skipped:
            text = self.tr("Some prices could not be used and were left out.")
            self._notices.show("import", Severity.INFORMATION, text, "\n".join(map(str, skipped)))
        found = changes(self._store.offers, offers)
        if found:
            self.found.emit(found)
        else:
            self._notices.show("import", Severity.INFORMATION, self.tr("These prices are in the table already."))


def _today() -> str:
    return datetime.datetime.now(datetime.UTC).date().isoformat()
