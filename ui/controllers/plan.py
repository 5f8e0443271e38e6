"""The plan: loads the engine and the data behind the form, opens and saves plan files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from planner.door import InvalidInputError
from planner.workload.job import Job
from ui.controllers.presentation import PresentationController
from ui.draft import CHOICES, QUANTITIES, Draft, draft_of
from ui.jobs.thread import Tasks
from ui.notices import Notices, Severity
from ui.state import Store

if TYPE_CHECKING:
    from planner.decide.types import Recommendation, Terms
    from planner.offers.currency import ExchangeRate
    from planner.offers.offer import Offer
    from planner.pipeline import PlanInputs
    from planner.report.plan_file import SavedPlan
    from planner.workload.presets import PresetInfo

FIRST_PRESET = "resnet50"
SAMPLE_PRESET = "vit_b16"
SAMPLE_TEXTS = (
    ("batch_size", "128"),
    ("samples", "1.28M"),
    ("epochs_low", "25"),
    ("epochs_likely", "30"),
    ("epochs_high", "40"),
    ("deadline", "2d"),
    ("budget", "150"),
    ("waiting_cost", "2"),
    ("hours_per_month", "60"),
)


@dataclass(frozen=True)
class Engine:
    """What is loaded in the background before the first answer."""

    evaluate: Callable[[PlanInputs], Recommendation]
    presets: tuple[PresetInfo, ...]
    offers: tuple[Offer, ...]
    terms: Terms
    offers_problem: InvalidInputError | None = None  # of the user's own table: the shipped one is used
    rates: tuple[ExchangeRate, ...] = ()  # of offers in other currencies


def load_engine() -> Engine:
    """Import the domain and read its data (numpy, pydantic, op tables: about a second)."""
    from planner.decide.types import Terms
    from planner.pipeline import evaluate
    from planner.workload.presets import PRESETS, preset_info
    from ui.i18n import wording

    wording()  # reads the messages here rather than on the GUI thread
    offers, problem = _load_offers()
    rates, rates_problem = _load_rates()
    presets = tuple(map(preset_info, PRESETS))
    return Engine(evaluate, presets, offers, Terms(), problem or rates_problem, rates)


def _load_offers() -> tuple[tuple[Offer, ...], InvalidInputError | None]:
    """The user's table of prices; the shipped one, and what is wrong, when that cannot be read."""
    from planner.offers import catalogue

    try:
        return catalogue.load_offers(), None
    except InvalidInputError as error:
        shipped = catalogue.SHIPPED.read_text(encoding="utf-8-sig")
        return catalogue.parse_offers(shipped, str(catalogue.SHIPPED)), error


def _load_rates() -> tuple[tuple[ExchangeRate, ...], InvalidInputError | None]:
    """The user's exchange rates; the shipped ones, and what is wrong, when those cannot be read."""
    from planner.offers import currency

    try:
        return currency.load_rates(), None
    except InvalidInputError as error:
        return currency.shipped_rates(), error


def _set_aside(file: Path) -> Path:
    """Keep a file that cannot be read under another name, so that saving does not destroy it."""
    aside = file.with_name(f"{file.stem}-unreadable{file.suffix}")
    file.replace(aside)
    return aside


class PlanController(QObject):
    """``presets_changed``: the list of presets is there. ``open_ended``: a plan is open, or was refused."""

    presets_changed = Signal()
    open_ended = Signal()

    def __init__(
        self,
        store: Store,
        tasks: Tasks,
        notices: Notices,
        look: PresentationController,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._store, self._tasks, self._notices, self._look = store, tasks, notices, look
        self.presets: tuple[PresetInfo, ...] = ()
        self._terms: Terms | None = None
        self._offers_unreadable = False

    def start(self, plan: Path | None = None, bring_back: Callable[[], bool] = lambda: False) -> None:
        """Load the engine, then open ``plan``, go on with what ``bring_back`` finds, or begin with assumptions."""

        def done(engine: Engine | None, error: Exception | None) -> None:
            if engine is None:
                text = self.tr("Planning could not be started: a part of the program is missing or damaged.")
                self._notices.show("engine", Severity.ERROR, text, repr(error))
                return
            self.use(engine)
            bring_back()  # also before a plan is opened, so that undoing the opening leads there
            if plan is not None:
                self.open_plan(plan)

        self._tasks.run(lambda _cancelled: load_engine(), done)

    def use(self, engine: Engine) -> None:
        """Begin with this engine."""
        self.presets = engine.presets
        self._terms = engine.terms
        self._store.set_draft(self._first_draft())
        self._store.set_offers(engine.offers)
        self._store.set_rates(engine.rates)
        self._offers_unreadable = engine.offers_problem is not None
        if engine.offers_problem is not None:
            text = self.tr(
                "Your table of prices could not be read, so the shipped one is used. "
                "It is set aside, not lost, when you type a price."
            )
            details = "\n".join(map(str, engine.offers_problem.problems))
            self._notices.show("offers", Severity.WARNING, text, f"{engine.offers_problem.source}\n{details}")
        self._store.set_engine(engine.evaluate)
        self.presets_changed.emit()

    def _first_draft(self) -> Draft:
        assert self._terms is not None  # they come with the presets
        first = next(info for info in self.presets if info.name == FIRST_PRESET)
        draft = draft_of(Job(), self._terms).with_preset(first)
        return replace(draft, edited=frozenset())  # a start, not the user's choice

    def new_plan(self) -> None:
        """Begin afresh with assumptions; machine, benchmark and prices stay. Undo brings the old plan back."""
        if self.presets:
            self._store.set_draft(self._first_draft())
            self._store.restore({"plan_path": None, "base": None, "today": None})
            self._look.forget_comments()
            self._notices.clear("plan")

    def sample_plan(self) -> None:
        """A plan with everything said, to look around in."""
        info = self.preset(SAMPLE_PRESET)
        if info is None:
            return
        draft = self._first_draft().with_preset(info)
        for key, text in SAMPLE_TEXTS:
            draft = draft.typed(key, text)
        self._store.set_draft(draft)
        self._store.restore({"plan_path": None, "base": None, "today": None})
        text = self.tr(
            "A sample: a vision model to be trained within two days. Edit ▸ Undo brings your plan back."
        )
        self._notices.show("plan", Severity.INFORMATION, text)

    def duplicate_plan(self) -> None:
        """Go on with a copy that has no file yet, so that the next save asks for a name."""
        self._store.restore({"plan_path": None})
        text = self.tr("You now work on a copy without a file. The plan it came from stays as it was saved.")
        self._notices.show("plan", Severity.INFORMATION, text)

    def type_text(self, key: str, text: str) -> None:
        """A keystroke in the form, or a choice."""
        if self._store.draft is not None:
            self._store.set_draft(self._store.draft.typed(key, text))

    def choose_preset(self, name: str) -> None:
        info = self.preset(name)
        if info is not None and self._store.draft is not None:
            self._store.set_draft(self._store.draft.with_preset(info))

    def preset(self, name: str) -> PresetInfo | None:
        return next((info for info in self.presets if info.name == name), None)

    def set_offers(self, offers: tuple[Offer, ...]) -> None:
        """Take an edited table and keep it for the next start."""
        self._store.set_offers(offers)
        set_aside, self._offers_unreadable = self._offers_unreadable, False

        def work(_cancelled: object) -> None:
            from planner.offers.catalogue import save_offers, user_file

            if set_aside:
                _set_aside(user_file())
            save_offers(offers)

        def done(_result: None, error: Exception | None) -> None:
            if error is not None:
                text = self.tr("The prices count in this plan but could not be kept for the next start.")
                self._notices.show("offers", Severity.WARNING, text, str(error))

        self._tasks.run(work, done)

    def set_rates(self, rates: tuple[ExchangeRate, ...]) -> None:
        """Take edited exchange rates and keep them for the next start."""
        self._store.set_rates(rates)

        def work(_cancelled: object) -> None:
            from planner.offers.currency import save_rates

            save_rates(rates)

        def done(_result: None, error: Exception | None) -> None:
            if error is not None:
                text = self.tr("The exchange rates count in this plan but could not be kept for the next start.")
                self._notices.show("rates", Severity.WARNING, text, str(error))

        self._tasks.run(work, done)

    def open_plan(self, path: Path) -> None:
        """Bring back everything a plan file holds; the answer is worked out again."""

        def work(_cancelled: object) -> SavedPlan:
            from planner.report.plan_file import read_plan

            return read_plan(path)

        def done(saved: SavedPlan | None, error: Exception | None) -> None:
            if saved is None:
                self._tell_not_opened(path, error)
            else:
                self._take(saved, path)
            self.open_ended.emit()

        self._tasks.run(work, done)

    def _take(self, saved: SavedPlan, path: Path) -> None:
        inputs = saved.inputs
        store = self._store
        if inputs.snapshot is not None:
            store.set_snapshot(inputs.snapshot, from_plan=True)
        store.set_gpu(inputs.gpu_uuid)
        store.set_benchmark(inputs.benchmark)
        store.set_offers(inputs.offers)
        store.set_rates(inputs.rates)
        store.set_draft(draft_of(inputs.job, inputs.terms, frozenset({*QUANTITIES, *CHOICES})))
        store.set_plan(path, inputs)
        self._look.take(saved.presentation)
        store.recompute()
        text = self.tr(
            "Opened {0}. Machine, benchmark and prices are those of the plan; Refresh looks at this one."
        )
        self._notices.show("plan", Severity.INFORMATION, text.format(path.name))
        self._compare(saved)

    def _compare(self, saved: SavedPlan) -> None:
        from planner.report.plan_file import compare_with_saved

        if saved.edited_since_saved:
            text = self.tr("The plan file was edited outside GPU Planner after it was saved.")
            self._notices.show("plan.edited", Severity.WARNING, text)
        else:
            self._notices.clear("plan.edited")
        recommendation = self._store.answer.recommendation
        differences = compare_with_saved(saved, recommendation) if recommendation else ()
        if differences:
            text = self.tr(
                "The numbers differ from those saved: this version of the program predicts differently."
            )
            lines = (f"{one.where}: {one.saved} → {one.now}" for one in differences)
            self._notices.show("plan.differs", Severity.WARNING, text, "\n".join(lines))
        else:
            self._notices.clear("plan.differs")

    def _tell_not_opened(self, path: Path, error: Exception | None) -> None:
        text = self.tr("{0} could not be opened. Your plan here is unchanged.").format(path.name)
        details = str(error)
        if isinstance(error, InvalidInputError):
            details = "\n".join(map(str, error.problems))
        self._notices.show("plan", Severity.ERROR, text, details)

    def save_plan(self, path: Path) -> None:
        """Write a plan file; whole or not at all."""
        inputs = self._store.inputs()
        if inputs is None:
            text = self.tr("The form has problems: correct the marked fields on the page Workload, then save.")
            self._notices.show("plan", Severity.WARNING, text)
            return
        answer = self._store.answer
        recommendation = None if answer.stale else answer.recommendation
        look = self._look.value

        def work(_cancelled: object) -> None:
            from planner.report.plan_file import save_plan

            save_plan(path, inputs, recommendation, presentation=look)

        def done(_result: None, error: Exception | None) -> None:
            if error is not None:
                self._notices.show("plan", Severity.ERROR, str(error))
                return
            self._store.set_plan(path)
            self._notices.show("plan", Severity.INFORMATION, self.tr("Saved {0}.").format(path))

        self._tasks.run(work, done)
