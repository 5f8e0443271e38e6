"""The one store: the latest value of every node of the data flow.

    snapshot ─▶ gpu_uuid ─▶ benchmark ─┐
    draft ─▶ job, terms ───────────────┼─▶ answer ─▶ selection
    offers ────────────────────────────┘

Setting a node tells its own signal and works out everything to its right, nothing to its left. Several
settings of one turn of the event loop lead to one computation (a timer of 0 ms). ``evaluate`` takes less than
10 ms, so it runs here, on the GUI thread: the answer is drawn in the frame after the keystroke.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from planner.door import InvalidInputError
from ui.draft import CHOICES, FIELD_OF_DOMAIN, QUANTITIES, Draft, Reading, read

if TYPE_CHECKING:
    from planner.benchmark.result import BenchmarkResult
    from planner.decide.types import Recommendation
    from planner.hardware.snapshot import Gpu, Snapshot
    from planner.offers.currency import ExchangeRate
    from planner.offers.offer import Offer
    from planner.pipeline import PlanInputs

    Evaluate = Callable[[PlanInputs], Recommendation]


@dataclass(frozen=True)
class Answer:
    """The last recommendation with the inputs it belongs to. ``stale``: the inputs have changed since.

    ``problems``: field of the form (or "" for what no field shows) → why there is no newer one.
    """

    recommendation: Recommendation | None = None
    inputs: PlanInputs | None = None
    stale: bool = False
    problems: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class PlanState:
    """All nodes that make a plan, as they are at one moment. Nothing in it changes later."""

    draft: Draft | None
    offers: tuple[Offer, ...]
    rates: tuple[ExchangeRate, ...]
    gpu_uuid: str | None
    snapshot: Snapshot | None
    machine_is_from_plan: bool
    benchmark: BenchmarkResult | None
    plan_path: Path | None
    base: PlanInputs | None
    today: str | None


_TOLD_BY = {
    "draft": "draft_changed",
    "offers": "offers_changed",
    "rates": "offers_changed",
    "gpu_uuid": "gpu_changed",
    "snapshot": "snapshot_changed",
    "machine_is_from_plan": "snapshot_changed",
    "benchmark": "benchmark_changed",
    "plan_path": "plan_changed",
    "base": "plan_changed",
    "today": "plan_changed",
}


class Store(QObject):
    """See the module. Values are frozen; who wants another one sets it."""

    snapshot_changed = Signal()
    gpu_changed = Signal()
    benchmark_changed = Signal()
    draft_changed = Signal()
    offers_changed = Signal()
    answer_changed = Signal()
    selection_changed = Signal()
    plan_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.snapshot: Snapshot | None = None
        self.machine_is_from_plan = False  # the snapshot was recorded in the opened plan, perhaps elsewhere
        self.gpu_uuid: str | None = None
        self.benchmark: BenchmarkResult | None = None
        self.draft: Draft | None = None
        self.reading = Reading(None, None, {})
        self.offers: tuple[Offer, ...] = ()
        self.rates: tuple[ExchangeRate, ...] = ()  # of the offers in other currencies
        self.answer = Answer()
        self.plan_path: Path | None = None
        self.today: str | None = None  # of an opened plan; None: the present day
        self._selected: str | None = None
        self.base: PlanInputs | None = None  # provider, seed and samples of an opened plan
        self._evaluate: Evaluate | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self.recompute)

    @property
    def gpu(self) -> Gpu | None:
        """The local GPU that would train: the chosen one, else the first that answers."""
        gpus = self.snapshot.gpus if self.snapshot else ()
        chosen = next((gpu for gpu in gpus if gpu.uuid == self.gpu_uuid), None) if self.gpu_uuid else None
        return chosen or next((gpu for gpu in gpus if not gpu.lost), None)

    @property
    def selection(self) -> str | None:
        """Key of the option looked at: the user's, else the recommended one."""
        recommendation = self.answer.recommendation
        if recommendation is None:
            return None
        keys = [option.key for option in recommendation.options]
        return self._selected if self._selected in keys else recommendation.chosen

    def set_engine(self, evaluate: Evaluate) -> None:
        """Hand over the computation once it is imported (numpy is not needed before the first paint)."""
        self._evaluate = evaluate
        self._schedule()

    def set_snapshot(self, snapshot: Snapshot, from_plan: bool = False) -> None:
        self.snapshot = snapshot
        self.machine_is_from_plan = from_plan
        self.snapshot_changed.emit()
        self._schedule()

    def set_gpu(self, uuid: str | None) -> None:
        if uuid != self.gpu_uuid:
            self.gpu_uuid = uuid
            self.gpu_changed.emit()
            self._schedule()

    def set_benchmark(self, result: BenchmarkResult | None) -> None:
        if result != self.benchmark:
            self.benchmark = result
            self.benchmark_changed.emit()
            self._schedule()

    def set_draft(self, draft: Draft) -> None:
        if draft != self.draft:
            self.draft = draft
            self.reading = read(draft)
            self.draft_changed.emit()
            self._schedule()

    def set_offers(self, offers: tuple[Offer, ...]) -> None:
        if offers != self.offers:
            self.offers = offers
            self.offers_changed.emit()
            self._schedule()

    def set_rates(self, rates: tuple[ExchangeRate, ...]) -> None:
        if rates != self.rates:
            self.rates = rates
            self.offers_changed.emit()
            self._schedule()

    def select(self, key: str | None) -> None:
        if key != self._selected:
            self._selected = key
            self.selection_changed.emit()

    def set_plan(self, path: Path | None, base: PlanInputs | None = None) -> None:
        """The plan file this came from or went to; ``base`` brings what no other node holds."""
        self.plan_path = path
        if base is not None:
            self.base = base
            self.today = base.today or None
            self._schedule()
        self.plan_changed.emit()

    def plan_state(self) -> PlanState:
        """The plan as it is now, to come back to."""
        return PlanState(**{name: getattr(self, name) for name in _TOLD_BY})

    def restore(self, nodes: Mapping[str, Any]) -> None:
        """Put back the named nodes of a ``PlanState``; the others stay as they are now."""
        for name, value in nodes.items():
            setattr(self, name, value)
        if self.draft is not None:
            self.reading = read(self.draft)
        for signal in dict.fromkeys(_TOLD_BY[name] for name in nodes):
            getattr(self, signal).emit()
        self._schedule()

    def inputs(self) -> PlanInputs | None:
        """All that an answer depends on; None while the form cannot be understood."""
        from planner.pipeline import PlanInputs

        if self.reading.job is None or self.reading.terms is None:
            return None
        return replace(
            self.base or PlanInputs(),
            job=self.reading.job,
            terms=self.reading.terms,
            offers=self.offers,
            rates=self.rates,
            snapshot=self.snapshot,
            gpu_uuid=self.gpu_uuid,
            benchmark=self.benchmark,
            today=self.today or datetime.datetime.now(datetime.UTC).date().isoformat(),
        )

    def recompute(self) -> None:
        """Work out the answer now."""
        self._timer.stop()
        if self._evaluate is None or self.draft is None:
            return
        inputs = self.inputs()
        if inputs is None:
            self._keep_stale(self.reading.problems)
            return
        try:
            recommendation = self._evaluate(inputs)
        except InvalidInputError as error:
            self._keep_stale(_by_field(error))
            return
        self.answer = Answer(recommendation, inputs)
        self.answer_changed.emit()

    def _schedule(self) -> None:
        if not self.answer.stale and self.answer.recommendation is not None:
            self.answer = replace(self.answer, stale=True)
        self._timer.start()

    def _keep_stale(self, problems: Mapping[str, str]) -> None:
        """The last answer stays visible, marked as not belonging to what is typed now."""
        self.answer = replace(self.answer, stale=True, problems=problems)
        self.answer_changed.emit()


def _by_field(error: InvalidInputError) -> dict[str, str]:
    """Problems of the domain at the fields that show them; the others together under ""."""
    result: dict[str, str] = {}
    for problem in error.problems:
        name = problem.where.rsplit(".", 1)[-1]
        key = FIELD_OF_DOMAIN.get(name, name)
        known = key in QUANTITIES or key in CHOICES
        place = key if known else ""
        text = problem.what[:1].upper() + problem.what[1:]
        result[place] = f"{result[place]} {text}" if place in result else text
    return result
