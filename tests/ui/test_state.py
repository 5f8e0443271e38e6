"""The store: one direction, one computation per turn of the event loop, and never silently wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from planner.decide.types import Recommendation, Terms
from planner.door import InvalidInputError, Problem
from planner.pipeline import PlanInputs, evaluate
from planner.workload.job import Job
from tests.report.fixtures import recommendations
from ui.draft import QUANTITIES, draft_of
from ui.state import Store


class Asked:
    """Counts how often, and for what, an answer was worked out."""

    def __init__(self) -> None:
        self.inputs: list[PlanInputs] = []
        self.problem: InvalidInputError | None = None

    def __call__(self, inputs: PlanInputs) -> Recommendation:
        self.inputs.append(inputs)
        if self.problem is not None:
            raise self.problem
        return recommendations.recommendation()


@pytest.fixture
def asked() -> Asked:
    return Asked()


@pytest.fixture
def store(qtbot: QtBot, asked: Asked) -> Store:
    made = Store()
    made.set_engine(asked)
    made.set_draft(draft_of(Job(), Terms()))
    made.recompute()
    asked.inputs.clear()
    return made


def heard(store: Store) -> list[str]:
    """Names of the signals, as they come from now on."""
    names: list[str] = []
    for name in ("snapshot", "gpu", "benchmark", "draft", "offers", "answer", "selection"):
        getattr(store, f"{name}_changed").connect(lambda name=name: names.append(name))
    return names


@pytest.mark.parametrize(
    ("node", "change"),
    [
        ("snapshot", lambda store: store.set_snapshot(recommendations.snapshot())),
        ("gpu", lambda store: store.set_gpu("GPU-1")),
        ("benchmark", lambda store: store.set_benchmark(recommendations.benchmark())),
        ("draft", lambda store: store.set_draft(store.draft.typed("batch_size", "32"))),
        ("offers", lambda store: store.set_offers(recommendations.inputs().offers)),
    ],
)
def test_that_a_change_reaches_the_answer_and_nothing_to_its_left(
    qtbot: QtBot, store: Store, asked: Asked, node: str, change: object
) -> None:
    names = heard(store)
    change(store)  # type: ignore[operator]
    assert store.answer.stale
    qtbot.waitUntil(lambda: not store.answer.stale, timeout=2000)
    assert names == [node, "answer"]
    assert len(asked.inputs) == 1


def test_that_selecting_an_option_computes_nothing(qtbot: QtBot, store: Store, asked: Asked) -> None:
    names = heard(store)
    store.select("rent-2")
    qtbot.wait(20)
    assert names == ["selection"]
    assert store.selection == "rent-2"
    assert asked.inputs == []


def test_that_several_changes_of_one_turn_are_computed_once(qtbot: QtBot, store: Store, asked: Asked) -> None:
    for number in "1234":
        assert store.draft is not None
        store.set_draft(store.draft.typed("batch_size", number))
    store.set_gpu("GPU-1")
    qtbot.waitUntil(lambda: not store.answer.stale, timeout=2000)
    assert [inputs.job.recipe.batch_size for inputs in asked.inputs] == [4]


def test_that_setting_the_same_value_changes_nothing(qtbot: QtBot, store: Store, asked: Asked) -> None:
    names = heard(store)
    assert store.draft is not None
    store.set_draft(store.draft)
    store.set_gpu(None)
    store.set_benchmark(None)
    qtbot.wait(20)
    assert names == []
    assert not store.answer.stale


def test_that_what_cannot_be_understood_keeps_the_last_answer_as_stale(
    qtbot: QtBot, store: Store, asked: Asked
) -> None:
    assert store.draft is not None
    before = store.answer.recommendation
    with qtbot.waitSignal(store.answer_changed, timeout=2000):
        store.set_draft(store.draft.typed("batch_size", "many"))
    assert store.answer.stale
    assert store.answer.recommendation is before
    assert set(store.answer.problems) == {"batch_size"}
    assert asked.inputs == []
    store.set_draft(store.draft.typed("batch_size", "8"))
    qtbot.waitUntil(lambda: not store.answer.stale, timeout=2000)
    assert store.answer.problems == {}


def test_that_a_problem_of_planning_stands_at_the_field_that_shows_it(store: Store, asked: Asked) -> None:
    asked.problem = InvalidInputError(
        "recipe", (Problem("recipe.image_size", "must be 64 to 1024"), Problem("elsewhere", "is odd"))
    )
    store.recompute()
    assert store.answer.stale
    assert store.answer.problems == {"input_size": "Must be 64 to 1024", "": "Is odd"}


def test_that_an_opened_plan_gives_exactly_its_inputs(store: Store) -> None:
    inputs = replace(recommendations.inputs(), seed=7, sample_count=600, provider="runpod")
    assert inputs.snapshot is not None
    store.set_snapshot(inputs.snapshot, from_plan=True)
    store.set_gpu(inputs.gpu_uuid)
    store.set_benchmark(inputs.benchmark)
    store.set_offers(inputs.offers)
    store.set_rates(inputs.rates)
    store.set_draft(draft_of(inputs.job, inputs.terms))
    store.set_plan(Path("plan.json"), inputs)
    assert store.inputs() == inputs


def test_that_a_lost_gpu_is_not_the_one_that_trains(store: Store) -> None:
    snapshot = recommendations.snapshot()
    lost = replace(snapshot.gpus[0], uuid="GPU-0", lost=True)
    store.set_snapshot(replace(snapshot, gpus=(lost, *snapshot.gpus)))
    assert store.gpu == snapshot.gpus[0]


@pytest.mark.parametrize("key", sorted(QUANTITIES))
@pytest.mark.parametrize("text", ["1e299", "99999999999999999999999", "1e-300"])
def test_that_a_number_of_absurd_size_is_answered_or_stands_at_its_field(
    store: Store, key: str, text: str
) -> None:
    assert store.draft is not None
    store.set_engine(evaluate)
    store.set_draft(store.draft.typed(key, text))
    store.recompute()
    family = key.split("_", maxsplit=1)[0]  # of a range, another of its three fields may be the one that is wrong
    told = [place for place in store.answer.problems if place.split("_")[0] == family]
    assert told or not store.answer.stale
