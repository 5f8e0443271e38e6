"""Undo and redo of everything the user does to a plan: fields, choices, prices, opening and starting anew."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from ui.state import PlanState, Store

_PAUSE_S = 1.5  # keystrokes in one field that follow each other faster are one step
_MOST_STEPS = 500
_BY_THE_USER = ("draft", "offers", "rates", "gpu_uuid")  # the others also change by themselves


@dataclass(frozen=True)
class _Step:
    """Nodes that changed, before and after. ``field``: the one field of the form that was typed in."""

    before: Mapping[str, Any]
    after: Mapping[str, Any]
    field: str | None
    at_s: float


class UndoController(QObject):
    """Watches the store; changes of one turn of the event loop are one step."""

    changed = Signal()

    def __init__(self, store: Store, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._state = store.plan_state()
        self._done: list[_Step] = []
        self._undone: list[_Step] = []
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self.note)
        for signal in (
            store.draft_changed, store.offers_changed, store.gpu_changed, store.snapshot_changed,
            store.benchmark_changed, store.plan_changed,
        ):  # fmt: skip
            signal.connect(self._timer.start)

    @property
    def can_undo(self) -> bool:
        return bool(self._done)

    @property
    def can_redo(self) -> bool:
        return bool(self._undone)

    def note(self) -> None:
        """Take down what has changed since the last look."""
        self._timer.stop()
        before, now = self._state, self._store.plan_state()
        self._state = now
        names = [one.name for one in fields(PlanState) if getattr(before, one.name) != getattr(now, one.name)]
        if before.draft is None or not any(name in _BY_THE_USER for name in names):
            return  # the first draft is where a plan begins; looking at the machine is not an edit
        step = _Step(
            {name: getattr(before, name) for name in names},
            {name: getattr(now, name) for name in names},
            _typed_field(before, now) if names == ["draft"] else None,
            time.monotonic(),
        )
        last = self._done[-1] if self._done else None
        if last and step.field is not None and step.field == last.field and step.at_s - last.at_s < _PAUSE_S:
            step = _Step(last.before, step.after, step.field, step.at_s)
            self._done.pop()
        self._done = [*self._done[-_MOST_STEPS + 1 :], step]
        self._undone.clear()
        self.changed.emit()

    def undo(self) -> None:
        self.note()
        if self._done:
            step = self._done.pop()
            self._undone.append(step)
            self._go_to(step.before)

    def redo(self) -> None:
        self.note()
        if self._undone:
            step = self._undone.pop()
            self._done.append(step)
            self._go_to(step.after)

    def _go_to(self, nodes: Mapping[str, Any]) -> None:
        self._store.restore(nodes)
        self._state = self._store.plan_state()
        self._timer.stop()
        self.changed.emit()


def _typed_field(before: PlanState, now: PlanState) -> str | None:
    """The one field that was typed in; None: another kind of change, as that to a new plan."""
    if before.draft is None or now.draft is None or not before.draft.edited <= now.draft.edited:
        return None
    old, new = before.draft.texts, now.draft.texts
    differing = [key for key in new if old.get(key) != new[key]]
    return differing[0] if len(differing) == 1 and differing[0] in now.draft.edited else None
