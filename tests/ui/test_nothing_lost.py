"""Undo and redo of the whole plan, the plan of last time, recent files, copies, the sample, models from files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from planner.pipeline import evaluate
from tests.ui.conftest import hand_made_engine
from ui.controllers import recovery
from ui.controllers.models import is_model_config
from ui.parts import Parts, build_parts
from ui.recent import forget_files, recent_files
from ui.settings import Settings
from ui.window import MainWindow


def text(parts: Parts, key: str) -> str:
    assert parts.store.draft is not None
    return parts.store.draft.texts[key]


def type_text(parts: Parts, key: str, typed: str) -> None:
    parts.plan.type_text(key, typed)
    parts.undo.note()


def test_that_undo_goes_back_through_fields_and_prices_and_redo_forward(window: MainWindow, parts: Parts) -> None:
    parts.undo.note()
    first = text(parts, "budget")
    offers = parts.store.offers
    type_text(parts, "budget", "40")
    parts.store.set_offers(offers[:-1])
    parts.undo.note()
    type_text(parts, "tax", "10 %")
    parts.undo.undo()
    parts.undo.undo()
    assert parts.store.offers == offers
    assert text(parts, "budget") == "40"
    parts.undo.undo()
    assert text(parts, "budget") == first
    assert not parts.undo.can_undo
    for _ in range(3):
        parts.undo.redo()
    assert (text(parts, "tax"), parts.store.offers) == ("10 %", offers[:-1])
    assert not parts.undo.can_redo


def test_that_keystrokes_in_one_field_are_one_step(window: MainWindow, parts: Parts) -> None:
    parts.undo.note()
    before = text(parts, "budget")
    for typed in ("1", "12", "120"):
        type_text(parts, "budget", typed)
    parts.undo.undo()
    assert text(parts, "budget") == before


def test_that_undo_in_a_field_undoes_the_plan(window: MainWindow, parts: Parts, qtbot: QtBot) -> None:
    window.show_page("workload")
    window.activateWindow()
    parts.undo.note()
    form = window.pages["workload"].form  # type: ignore[attr-defined]
    edit = next(field for field in form.fields if "budget" in field.keys).edits["budget"]
    edit.setFocus()
    qtbot.keyClicks(edit, "75")
    assert text(parts, "budget") == "75"
    qtbot.keyClick(edit, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert text(parts, "budget") == ""
    assert edit.text() == ""


def test_that_looking_at_the_machine_is_no_step(window: MainWindow, parts: Parts) -> None:
    from tests.report.fixtures import recommendations

    parts.undo.note()
    parts.store.set_snapshot(recommendations.snapshot())
    parts.undo.note()
    assert not parts.undo.can_undo
    type_text(parts, "budget", "1")
    parts.undo.undo()
    assert parts.store.snapshot == recommendations.snapshot()


def test_that_a_killed_program_brings_the_plan_back_even_what_was_not_understood(
    window: MainWindow, parts: Parts, qtbot: QtBot, tmp_path: Path
) -> None:
    parts.plan.type_text("budget", "77")
    parts.plan.type_text("batch_size", "many")
    qtbot.waitUntil(recovery.recovery_file().is_file, timeout=5000)  # no close: as after kill -9
    again = build_parts(window, Settings(tmp_path / "other.ini"))
    try:
        again.plan.use(hand_made_engine())
        assert again.recovery.bring_back()
        assert (text(again, "budget"), text(again, "batch_size")) == ("77", "many")
        assert again.store.draft.edited == {"budget", "batch_size"}
        assert set(again.store.reading.problems) == {"batch_size"}
    finally:
        again.close()


def test_that_a_damaged_recovery_file_is_set_aside_and_told(window: MainWindow, parts: Parts) -> None:
    file = recovery.recovery_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("{half", encoding="ascii")
    assert not parts.recovery.bring_back()
    assert [notice.name for notice in parts.notices.shown] == ["recovery"]
    assert file.with_name("last-plan-unreadable.json").read_text(encoding="ascii") == "{half"


def test_that_an_untouched_start_keeps_nothing(window: MainWindow, parts: Parts, qtbot: QtBot) -> None:
    qtbot.wait(recovery._DELAY_MS + 200)
    parts.tasks.close()
    assert not recovery.recovery_file().exists()


def test_that_saved_and_opened_plans_are_remembered_newest_first(
    window: MainWindow, parts: Parts, tmp_path: Path
) -> None:
    for name in ("a.json", "b.json", "a.json"):
        (tmp_path / name).touch()
        parts.store.set_plan(tmp_path / name)
    assert [path.name for path in recent_files(parts.settings)] == ["a.json", "b.json"]
    (tmp_path / "b.json").unlink()
    assert [path.name for path in recent_files(parts.settings)] == ["a.json"]
    forget_files(parts.settings)
    assert recent_files(parts.settings) == ()


def test_that_a_copy_has_no_file_and_a_new_plan_can_be_undone(
    window: MainWindow, parts: Parts, tmp_path: Path
) -> None:
    parts.undo.note()
    type_text(parts, "budget", "40")
    parts.store.set_plan(tmp_path / "plan.json")
    parts.plan.duplicate_plan()
    assert parts.store.plan_path is None
    assert text(parts, "budget") == "40"
    parts.undo.note()
    parts.plan.new_plan()
    parts.undo.note()
    assert text(parts, "budget") == ""
    parts.undo.undo()
    assert text(parts, "budget") == "40"


def test_that_the_sample_is_a_whole_plan_that_can_be_answered(window: MainWindow, parts: Parts) -> None:
    parts.store.set_engine(evaluate)
    parts.plan.sample_plan()
    assert parts.store.reading.problems == {}
    inputs = parts.store.inputs()
    assert inputs is not None
    assert evaluate(inputs).chosen is not None


@pytest.mark.parametrize(
    ("content", "is_one"),
    [
        ('{"model_type": "bert"}', True),
        ('{"architectures": ["LlamaForCausalLM"]}', True),
        ('{"inputs": {}}', False),
        ("[1]", False),
        ("{", False),
    ],
)
def test_that_a_models_configuration_is_told_from_a_plan(tmp_path: Path, content: str, is_one: bool) -> None:
    file = tmp_path / "config.json"
    file.write_text(content, encoding="utf-8")
    assert is_model_config(file) is is_one
    assert is_model_config(tmp_path) is is_one


@pytest.mark.torch
def test_that_a_dropped_configuration_is_traced_and_planned_with(
    window: MainWindow, parts: Parts, qtbot: QtBot, tmp_path: Path
) -> None:
    pytest.importorskip("torch", reason="tracing builds the model with torch")
    config = {
        "model_type": "gpt2", "n_layer": 2, "n_embd": 64, "n_head": 2, "n_positions": 128, "vocab_size": 500,
        "architectures": ["GPT2LMHeadModel"],
    }  # fmt: skip
    file = tmp_path / "config.json"
    file.write_text(json.dumps(config), encoding="utf-8")
    parts.store.set_engine(evaluate)
    window.take_file(file)
    qtbot.waitUntil(lambda: parts.models.is_busy, timeout=5000)
    qtbot.waitUntil(lambda: not parts.models.is_busy, timeout=120_000)
    assert not [notice for notice in parts.notices.shown if notice.name == "model"]
    assert not parts.store.answer.stale
    assert parts.store.answer.inputs.job.recipe.model == f"hf:{file}"
