"""The pages: what they show, that nothing typed is lost, and that everything can be reached and is named."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMainWindow,
    QPlainTextEdit,
    QScrollArea,
    QTabBar,
    QTextBrowser,
    QWidget,
)
from pytestqt.qtbot import QtBot

from planner.hardware.snapshot import Check, CheckStatus, Interpreter, TorchDevice
from tests.report.fixtures import recommendations
from ui.i18n import wording
from ui.notices import Severity
from ui.parts import Parts
from ui.progress import PAGES, State, page_states
from ui.theme import DARK, LIGHT, Tokens, contrast
from ui.widgets.fields import QuantityField
from ui.window import MainWindow

INTERACTIVE = (QAbstractButton, QAbstractItemView, QComboBox, QLineEdit, QPlainTextEdit, QTextBrowser)


def filled(parts: Parts) -> None:
    """Something on every page: a GPU, checks, a Python, a result."""
    python = Interpreter("/opt/python", "app", "3.11.2", "2.13.0", devices=(TorchDevice("cpu", 0, "cpu"),))
    check = Check("driver", CheckStatus.FAILED, "check.driver.not_loaded")
    snapshot = replace(recommendations.snapshot(), checks=(check,), interpreters=(python,))
    parts.store.set_snapshot(snapshot)
    parts.store.set_benchmark(recommendations.benchmark())
    parts.notices.show("test", Severity.ERROR, "Something happened.", "the details")


def edit_of(window: MainWindow, key: str) -> QLineEdit:
    fields = window.pages["workload"].form.fields  # type: ignore[attr-defined]
    return next(field.edits[key] for field in fields if isinstance(field, QuantityField) and key in field.edits)


def problem_at(window: MainWindow, key: str) -> str:
    fields = window.pages["workload"].form.fields  # type: ignore[attr-defined]
    row = next(field for field in fields if key in field.keys)
    return row.problem.text() if row.problem.isVisibleTo(window) else ""


def type_over(qtbot: QtBot, edit: QLineEdit, text: str) -> None:
    edit.selectAll()
    qtbot.keyClicks(edit, text)


@pytest.mark.parametrize("page", PAGES)
def test_that_every_control_has_an_accessible_name(window: MainWindow, parts: Parts, page: str) -> None:
    filled(parts)
    window.show_page(page)
    nameless = [
        f"{type(widget).__name__} in {type(widget.parent()).__name__}: {getattr(widget, 'text', lambda: '')()}"
        for widget in window.findChildren(QWidget)
        if isinstance(widget, INTERACTIVE)
        and not isinstance(widget, QHeaderView)
        and not isinstance(widget.parent(), (QAbstractItemView, QComboBox, QLineEdit, QTabBar))
        and widget.focusPolicy() != Qt.FocusPolicy.NoFocus
        and not widget.accessibleName()
        and not widget.objectName().startswith("qt_")
        and not (isinstance(widget, QAbstractButton) and widget.text())
        and widget.window() is window
    ]
    assert nameless == []


@pytest.mark.parametrize("page", PAGES)
def test_that_every_page_fits_a_small_laptop_without_sideways_scrolling(
    window: MainWindow, parts: Parts, qtbot: QtBot, page: str
) -> None:
    filled(parts)
    window.resize(window.minimumSize())
    window.show_page(page)
    qtbot.wait(10)
    area = window.pages[page]
    assert isinstance(area, QScrollArea)
    assert window.width() <= 1280
    assert area.widget().minimumSizeHint().width() <= area.viewport().width()


@pytest.mark.parametrize("page", PAGES)
def test_that_tab_reaches_every_page_control(window: MainWindow, parts: Parts, qtbot: QtBot, page: str) -> None:
    filled(parts)
    window.show_page(page)
    qtbot.wait(10)
    first = reached = window.side_bar.buttons["machine"]
    seen: set[QWidget] = set()
    while (reached := reached.nextInFocusChain()) is not first:
        seen.add(reached)
    wanted = [
        widget
        for widget in window.pages[page].findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisibleTo(window)
    ]
    assert wanted
    assert [widget for widget in wanted if widget not in seen] == []


def test_that_the_number_keys_change_the_page(window: MainWindow, qtbot: QtBot) -> None:
    window.activateWindow()
    for number, page in enumerate(PAGES, start=1):
        qtbot.keyClick(window, getattr(Qt.Key, f"Key_{number}"), Qt.KeyboardModifier.ControlModifier)
        qtbot.waitUntil(lambda page=page: window.stack.currentWidget() is window.pages.get(page), timeout=2000)


def test_that_typing_reaches_the_answer(window: MainWindow, parts: Parts, qtbot: QtBot) -> None:
    window.show_page("workload")
    type_over(qtbot, edit_of(window, "samples"), "1.2M")
    qtbot.waitUntil(lambda: not parts.store.answer.stale, timeout=2000)
    assert parts.store.answer.inputs is not None
    assert parts.store.answer.inputs.job.samples_per_epoch == 1.2e6


def test_that_a_wrong_text_stays_and_its_problem_stands_at_the_field(
    window: MainWindow, parts: Parts, qtbot: QtBot
) -> None:
    window.show_page("workload")
    edit = edit_of(window, "dataset")
    type_over(qtbot, edit, "3 parsecs")
    qtbot.wait(20)
    assert edit.text() == "3 parsecs"
    assert "parsecs" in problem_at(window, "dataset")
    assert "parsecs" in edit.accessibleDescription()
    assert window.verdict.chip.isVisible()
    window.show_page("answer")
    window.show_page("workload")
    assert edit.text() == "3 parsecs"
    type_over(qtbot, edit, "45 GB")
    qtbot.waitUntil(lambda: not window.verdict.chip.isVisible(), timeout=2000)
    assert problem_at(window, "dataset") == ""


def test_that_defaults_are_marked_until_typed(window: MainWindow, qtbot: QtBot) -> None:
    window.show_page("workload")
    fields = window.pages["workload"].form.fields  # type: ignore[attr-defined]
    row = next(field for field in fields if "batch_size" in field.keys)
    assert row.mark.text() == "assumed"
    type_over(qtbot, edit_of(window, "batch_size"), "64")
    assert row.mark.text() == ""


def test_that_a_preset_is_found_by_a_few_letters_and_chosen(
    window: MainWindow, parts: Parts, qtbot: QtBot
) -> None:
    window.show_page("workload")
    presets = window.pages["workload"].presets  # type: ignore[attr-defined]
    qtbot.keyClicks(presets.search, "bert large")
    visible = [
        presets.list.item(row) for row in range(presets.list.count()) if not presets.list.item(row).isHidden()
    ]
    assert [item.data(Qt.ItemDataRole.UserRole) for item in visible] == ["bert_large"]
    presets.list.setCurrentItem(visible[0])
    assert parts.store.draft is not None
    assert parts.store.draft.texts["model"] == "preset:bert_large"
    assert "Sequence" in window.pages["workload"].form.size.caption.text()  # type: ignore[attr-defined]


def test_that_an_option_is_selected_everywhere(window: MainWindow, parts: Parts, qtbot: QtBot) -> None:
    window.show_page("answer")
    page = window.pages["answer"]
    page.charts["time"].selected.emit("rent-2")  # type: ignore[attr-defined]
    assert parts.store.selection == "rent-2"
    row = page.table.selectionModel().selectedRows()[0].row()  # type: ignore[attr-defined]
    assert page.model.key(row) == "rent-2"  # type: ignore[attr-defined]
    parts.store.select("rent-3")
    assert "ruled out" in page.why_not.text()  # type: ignore[attr-defined]


def test_that_the_verdict_names_option_time_cost_and_confidence(window: MainWindow) -> None:
    strip = window.verdict
    assert strip.headline.text() == "Rent 4 × RTX 3090"
    assert "h" in strip.time.value.text()
    assert strip.cost.value.text().startswith("$")
    assert strip.confidence.value.text() == "71 %"
    assert "deadline" in strip.hinge.full_text


def test_that_a_message_is_shown_inline_with_its_details_and_goes_away(window: MainWindow, parts: Parts) -> None:
    parts.notices.show("test", Severity.WARNING, "The disk is full.", "errno 28")
    bars = [edit for edit in window.findChildren(QPlainTextEdit) if not window.log_view.isAncestorOf(edit)]
    assert [bar.toPlainText() for bar in bars] == ["errno 28"]
    assert window.isActiveWindow() or not window.isModal()
    parts.notices.clear("test")
    assert parts.notices.shown == ()


def test_that_the_side_bar_says_what_is_done_stale_and_needs_the_user(window: MainWindow, parts: Parts) -> None:
    assert page_states(parts.store)["benchmark"].state is State.NEEDS_YOU
    filled(parts)
    assert page_states(parts.store)["machine"].state is State.DONE
    assert page_states(parts.store)["answer"].state is State.STALE
    parts.store.recompute()
    assert page_states(parts.store)["answer"].state is State.DONE
    assert page_states(parts.store, frozenset({"benchmark"}))["benchmark"].state is State.WORKING
    assert window.side_bar.buttons["machine"].accessibleDescription() == "1 GPU"


def test_that_a_failed_check_says_what_to_do(window: MainWindow, parts: Parts) -> None:
    filled(parts)
    names = [widget.accessibleName() for widget in window.pages["machine"].findChildren(QWidget)]
    assert any(name.startswith("failed: The NVIDIA driver") and "Restart" in name for name in names)


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_that_text_can_be_read_in_both_themes(tokens: Tokens) -> None:
    texts = (tokens.ink, tokens.quiet, tokens.accent, tokens.good, tokens.warning, tokens.bad)
    grounds = (tokens.surface, tokens.window, tokens.side)
    pairs = [(text, ground) for text in texts for ground in grounds]
    pairs += [(tokens.ink, tokens.tint), (tokens.on_accent, tokens.accent), (tokens.warning, tokens.warning_tint)]
    pairs += [(tokens.bad, tokens.bad_tint), (tokens.ink, tokens.bad_tint), (tokens.quiet, tokens.tint)]
    pairs += [(tokens.accent, tokens.tint), (tokens.accent, tokens.warning_tint), (tokens.accent, tokens.bad_tint)]
    assert [(pair, round(contrast(*pair), 2)) for pair in pairs if contrast(*pair) < 4.5] == []
    assert contrast(tokens.strong_border, tokens.surface) >= 3


def test_that_the_window_follows_a_change_of_the_theme(window: MainWindow, parts: Parts) -> None:
    window.show_page("workload")
    before = window.grab().toImage().pixelColor(window.width() - 40, window.height() - 60)
    parts.theme.choose("dark")
    after = window.grab().toImage().pixelColor(window.width() - 40, window.height() - 60)
    assert before.lightness() > 200
    assert after.lightness() < 60


def test_that_the_window_comes_back_where_it_was_but_not_on_a_screen_that_is_gone(
    parts: Parts, qtbot: QtBot
) -> None:
    windows = [QMainWindow() for _ in range(3)]
    for made in windows:
        qtbot.addWidget(made)
    before, again, third = windows
    before.setGeometry(40, 60, 400, 300)
    before.show()
    parts.settings.save_geometry(before)
    assert parts.settings.restore_geometry(again)
    assert again.geometry() == before.geometry()
    before.setGeometry(90_000, 90_000, 400, 300)
    parts.settings.save_geometry(before)
    parts.settings.restore_geometry(third)
    assert third.screen().availableGeometry().intersects(third.geometry())


def test_that_all_shortcuts_are_listed_and_none_is_given_twice(window: MainWindow, parts: Parts) -> None:
    window.show_shortcuts()
    lines = next(one.details for one in parts.notices.shown if one.name == "shortcuts").splitlines()
    keys = [line.split("\t")[0] for line in lines]
    assert {"Ctrl+1", "Ctrl+5", "Ctrl+O", "Ctrl+S", "Ctrl+E", "Ctrl+B", "F1", "F5"} <= set(keys)
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("page", PAGES)
def test_that_no_underlined_letter_means_two_things(window: MainWindow, parts: Parts, page: str) -> None:
    filled(parts)
    window.show_page(page)
    texts = [action.text() for action in window.menuBar().actions()]
    for widget in window.findChildren(QWidget):
        if isinstance(widget, QTabBar) and widget.isVisible():
            texts += [widget.tabText(index) for index in range(widget.count())]
        elif isinstance(widget, QAbstractButton | QLabel) and widget.isVisible():
            texts.append(widget.text())
    letters = [match[1].lower() for text in texts if (match := re.search(r"&(\w)", text))]
    assert sorted(letter for letter in set(letters) if letters.count(letter) > 1) == []


def test_that_the_answer_page_always_shows_the_answer_that_holds(window: MainWindow, parts: Parts) -> None:
    """Answers replace each other quickly, and a new one may lie where the last one lay in memory."""
    window.show_page("answer")
    page = window.pages["answer"]
    parts.store.set_engine(
        lambda i: replace(recommendations.recommendation(), confidence=i.job.recipe.batch_size / 100)
    )
    assert parts.store.draft is not None
    for batch in range(8, 48):
        parts.store.set_draft(parts.store.draft.typed("batch_size", str(batch)))
        parts.store.recompute()
        recommendation = parts.store.answer.recommendation
        assert recommendation is not None
        assert page.sentence.text() == wording().verdict(recommendation)  # type: ignore[attr-defined]
