"""Work of this process off the GUI thread: ``tasks.run(work, on_done)``."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QRunnable, QThreadPool, Signal, Slot

_MOST_THREADS = 8

Cancelled = Callable[[], bool]
Work = Callable[[Cancelled], Any]
OnDone = Callable[[Any, Exception | None], None]


class Task(QObject):
    """One piece of work on its way. After ``cancel`` its result never arrives."""

    _done = Signal(object, object)

    def __init__(self, on_done: OnDone, forget: Callable[[Task], None]) -> None:
        super().__init__()
        self._on_done = on_done
        self._forget = forget
        self._cancelled = threading.Event()
        self._done.connect(self._deliver)  # queued: emitted on the worker's thread, received on ours

    def cancel(self) -> None:
        """Ask the work to stop (it may look at its ``cancelled``); drop its result in any case."""
        self._cancelled.set()

    def is_cancelled(self) -> bool:
        return self._cancelled.is_set()

    def perform(self, work: Work) -> None:
        """Runs on the worker's thread."""
        try:
            result, error = work(self.is_cancelled), None
        except Exception as caught:  # noqa: BLE001 - whatever it is, the one who asked gets it
            result, error = None, caught
        self._done.emit(result, error)

    @Slot(object, object)
    def _deliver(self, result: Any, error: Exception | None) -> None:
        self._forget(self)
        if not self.is_cancelled():
            self._on_done(result, error)


class _Runnable(QRunnable):
    def __init__(self, task: Task, work: Work) -> None:
        super().__init__()
        self._task = task
        self._work = work

    def run(self) -> None:
        self._task.perform(self._work)


class Tasks(QObject):
    """The pool. ``close`` cancels all and waits, so that no thread outlives the window."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = QThreadPool(self)
        # Tasks mostly wait for children and disks: one that hangs must not hold up saving a plan.
        self._pool.setMaxThreadCount(_MOST_THREADS)
        self._running: set[Task] = set()

    def run(self, work: Work, on_done: OnDone) -> Task:
        """Run ``work(cancelled)`` on a thread, then ``on_done(result, error)`` on this one."""
        task = Task(on_done, self._running.discard)
        self._running.add(task)
        self._pool.start(_Runnable(task, work))
        return task

    def close(self, wait_ms: int = 3000) -> bool:
        """False: some work did not end in time."""
        for task in self._running:
            task.cancel()
        return self._pool.waitForDone(wait_ms)
