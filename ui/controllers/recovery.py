"""Nothing typed is lost: the plan is kept a moment after every change and is back at the next start."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from planner.door import InvalidInputError
from planner.paths import data_dir
from ui.draft import draft_of
from ui.jobs.thread import Tasks
from ui.notices import Notices, Severity
from ui.state import Store

if TYPE_CHECKING:
    from planner.pipeline import PlanInputs

SCHEMA_VERSION = 1
_DELAY_MS = 700  # after the last change: what a killed process may lose


def recovery_file() -> Path:
    return data_dir() / "last-plan.json"


@dataclass(frozen=True)
class Kept:
    """The plan in the works. ``inputs``: as last understood; ``texts``: as typed, understood or not."""

    texts: dict[str, str]
    edited: tuple[str, ...]
    inputs: dict[str, object]  # a PlanInputs as plain data, checked when it is used
    machine_is_from_plan: bool
    plan_path: str | None = None
    schema_version: int = SCHEMA_VERSION

    __pydantic_config__ = {"extra": "forbid"}


class RecoveryController(QObject):
    """Writes after every change of the plan; ``bring_back`` reads."""

    def __init__(self, store: Store, tasks: Tasks, notices: Notices, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store, self._tasks, self._notices = store, tasks, notices
        self._begun_with: object = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_DELAY_MS)
        self._timer.timeout.connect(self.keep)
        for signal in (store.draft_changed, store.gpu_changed, store.plan_changed):
            signal.connect(self._plan_changed)

    def _plan_changed(self) -> None:
        if self._begun_with is None:
            self._begun_with = self._store.draft  # what the program itself puts there is not worth keeping
        elif self._store.draft is not self._begun_with:
            self._timer.start()

    def keep(self) -> None:
        """Write the plan now, in the background."""
        self._timer.stop()
        content = self._content()
        if content is not None:
            self._tasks.run(lambda _cancelled: _write(*content), self._kept)

    def keep_and_wait(self) -> None:
        """Write what is still due, before the window closes."""
        content = self._content() if self._timer.isActive() else None
        self._timer.stop()
        if content is not None:
            _write(*content)

    def _kept(self, _result: None, error: Exception | None) -> None:
        if error is not None:
            text = self.tr("What you type can not be kept for a restart. Save the plan to a place with room.")
            self._notices.show("recovery", Severity.WARNING, text, str(error))

    def _content(self) -> tuple[Kept, PlanInputs] | None:
        store = self._store
        if store.draft is None:
            return None
        from planner.pipeline import PlanInputs

        inputs = store.inputs() or replace(
            store.base or PlanInputs(), job=store.draft.job, terms=store.draft.terms, gpu_uuid=store.gpu_uuid
        )
        if not store.machine_is_from_plan:  # machine, runs and prices are kept elsewhere and may be newer there
            inputs = replace(inputs, snapshot=None, benchmark=None, offers=())
        path = None if store.plan_path is None else str(store.plan_path)
        kept = Kept(
            dict(store.draft.texts), tuple(sorted(store.draft.edited)), {}, store.machine_is_from_plan, path
        )
        return kept, inputs

    def bring_back(self) -> bool:
        """Continue where the last session ended, however it did; False: there is nothing to bring back."""
        file = recovery_file()
        if not file.is_file():
            return False
        from planner.door import parse_json, validated
        from planner.pipeline import PlanInputs

        try:
            kept = validated(Kept, parse_json(file.read_bytes(), file.name), file.name)
            inputs = validated(PlanInputs, kept.inputs, file.name)
        except (InvalidInputError, OSError) as error:
            text = self.tr("The plan of last time could not be read; it is set aside, not deleted.")
            self._notices.show("recovery", Severity.WARNING, text, str(error))
            file.replace(file.with_name("last-plan-unreadable.json"))
            return False
        self._take(kept, inputs)
        return True

    def _take(self, kept: Kept, inputs: PlanInputs) -> None:
        store = self._store
        if kept.machine_is_from_plan and inputs.snapshot is not None:
            store.set_snapshot(inputs.snapshot, from_plan=True)
            store.set_benchmark(inputs.benchmark)
            store.set_offers(inputs.offers)
            store.set_rates(inputs.rates)
            store.set_plan(Path(kept.plan_path) if kept.plan_path else None, inputs)
        store.set_gpu(inputs.gpu_uuid)
        draft = draft_of(inputs.job, inputs.terms, frozenset(kept.edited))
        store.set_draft(replace(draft, texts={**draft.texts, **kept.texts}))
        text = self.tr("Your plan of last time is back. File ▸ New plan begins afresh.")
        self._notices.show("recovery", Severity.INFORMATION, text)


def _write(kept: Kept, inputs: PlanInputs) -> None:
    from planner.door import plain
    from planner.storage import write_atomically

    whole = {**plain(kept), "inputs": plain(inputs)}
    write_atomically(recovery_file(), json.dumps(whole, ensure_ascii=True).encode("ascii"))
