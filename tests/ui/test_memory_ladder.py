"""The memory line offers what takes less memory, and does it."""

from __future__ import annotations

from dataclasses import replace

from planner.pipeline import PlanInputs, evaluate
from planner.workload.job import Job, Recipe
from ui.controllers.ladder import LadderController
from ui.parts import Parts
from ui.window import MainWindow

LARGE = Job(Recipe(model="preset:gpt2", batch_size=64))


def answer_for(parts: Parts, job: Job = LARGE):
    """The real answer for a job that is too large, with the form beside it."""
    parts.store.set_engine(evaluate)
    draft = parts.store.draft
    assert draft is not None
    draft = draft.typed("model", job.recipe.model).typed("batch_size", str(job.recipe.batch_size))
    parts.store.set_draft(replace(draft, texts={**draft.texts, "input_size": "1024"}))
    parts.store.recompute()
    recommendation = parts.store.answer.recommendation
    assert recommendation is not None
    return next(option for option in recommendation.options if option.key == parts.store.selection)


def test_that_the_ladder_is_that_of_the_option_looked_at(window: MainWindow, parts: Parts) -> None:
    option = answer_for(parts)
    rungs = LadderController(parts.store).rungs(option)
    assert rungs
    assert isinstance(parts.store.answer.inputs, PlanInputs)
    assert all(rung.gain_bytes > 0 for rung in rungs)


def test_that_a_change_is_made_in_the_form_with_one_click(window: MainWindow, parts: Parts) -> None:
    answer_for(parts)
    window.show_page("workload")
    line = window.pages["workload"].memory  # type: ignore[attr-defined]
    assert line.smaller.isVisibleTo(line)
    line.menu.aboutToShow.emit()
    action = next(one for one in line.menu.actions() if "checkpointing" in one.text() and one.isEnabled())
    action.trigger()
    assert parts.store.draft is not None
    assert parts.store.draft.texts["checkpointing"] == "full"
    assert "checkpointing" in parts.store.draft.edited


def test_that_what_the_form_does_not_show_is_changed_too(window: MainWindow, parts: Parts) -> None:
    option = answer_for(parts)
    controller = LadderController(parts.store)
    rung = next(one for one in controller.rungs(option) if one.codes == ("accumulate",))
    controller.apply(rung, option)
    assert parts.store.reading.job is not None
    recipe = parts.store.reading.job.recipe
    assert recipe.accumulation_steps == rung.recipe.accumulation_steps
    assert recipe.batch_size < 64


def test_that_a_form_with_a_mistake_is_left_alone(window: MainWindow, parts: Parts) -> None:
    option = answer_for(parts)
    controller = LadderController(parts.store)
    rung = controller.rungs(option)[0]
    assert parts.store.draft is not None
    parts.store.set_draft(parts.store.draft.typed("epochs_low", "many"))
    controller.apply(rung, option)
    assert parts.store.draft.texts["epochs_low"] == "many"
    assert parts.store.draft.texts["batch_size"] == "64"


def test_that_the_need_of_every_phase_is_told_in_the_tool_tip(window: MainWindow, parts: Parts) -> None:
    answer_for(parts)
    window.show_page("workload")
    tip = window.pages["workload"].memory.text.toolTip()  # type: ignore[attr-defined]
    assert "first optimizer step: " in tip
    assert "forward and backward pass: " in tip
