"""Compare with plan: two plans side by side, worked out on a thread; the plan in the window stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QAction, QGuiApplication
from pytestqt.qtbot import QtBot

from planner.messages import load_messages
from planner.pipeline import evaluate
from planner.report.plan_file import save_plan
from ui.i18n import wording
from ui.notices import Severity
from ui.pages.compare_plans import CompareDialog, compare_with
from ui.parts import Parts
from ui.window import MainWindow


@pytest.fixture
def real(window: MainWindow, parts: Parts, monkeypatch: pytest.MonkeyPatch) -> Parts:
    """Answers of the real engine in the shipped words."""
    parts.store.set_engine(evaluate)
    monkeypatch.setattr("planner.messages.load_messages", load_messages)
    wording.cache_clear()
    parts.store.recompute()
    return parts


def saved(parts: Parts, path: Path) -> Path:
    inputs = parts.store.inputs()
    assert inputs is not None
    save_plan(path, inputs, None)
    return path


def test_that_both_plans_stand_beside_each_other(
    window: MainWindow, real: Parts, qtbot: QtBot, tmp_path: Path
) -> None:
    path = saved(real, tmp_path / "old.json")
    real.plan.type_text("epochs_likely", "95")
    real.store.recompute()
    before = real.store.inputs()
    compare_with(path, window, real)
    qtbot.waitUntil(lambda: bool(window.findChildren(CompareDialog)), timeout=10_000)
    dialog = window.findChildren(CompareDialog)[0]
    assert dialog.isVisible()
    assert not dialog.isModal()
    assert "old.json" in dialog.windowTitle()
    assert dialog.table.model().columnCount() == 4
    assert "95" in dialog.inputs.text()
    dialog.copy.click()
    assert QGuiApplication.clipboard().text().splitlines()[0].split("\t")[1:3] == ["old.json", "This plan"]
    assert real.store.inputs() == before
    dialog.close()


def test_that_a_file_that_is_no_plan_is_told(
    window: MainWindow, real: Parts, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "no-plan.json"
    path.write_text("{", encoding="utf-8")
    compare_with(path, window, real)
    qtbot.waitUntil(lambda: any(one.name == "compare" for one in real.notices.shown), timeout=10_000)
    told = next(one for one in real.notices.shown if one.name == "compare")
    assert told.severity is Severity.ERROR
    assert "no-plan.json" in told.text


def test_that_a_form_with_problems_is_not_compared(window: MainWindow, real: Parts, tmp_path: Path) -> None:
    real.plan.type_text("batch_size", "many")
    compare_with(tmp_path / "any.json", window, real)
    assert any(one.name == "compare" and "Workload" in one.text for one in real.notices.shown)


def test_that_the_menu_has_it(window: MainWindow) -> None:
    assert any(action.text() == "&Compare with plan…" for action in window.findChildren(QAction))
