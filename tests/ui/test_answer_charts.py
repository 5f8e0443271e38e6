"""The answer's charts: a tab for each question, two charts that fit beside each other, drawn when seen."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from planner.messages import load_messages
from planner.pipeline import evaluate
from ui.i18n import wording
from ui.pages.answer import AnswerPage
from ui.pages.what_if_card import WhatIfCard
from ui.parts import Parts
from ui.window import MainWindow


@pytest.fixture
def page(window: MainWindow) -> AnswerPage:
    window.show_page("answer")
    found = window.pages["answer"]
    assert isinstance(found, AnswerPage)
    return found


def tabs_of(page: AnswerPage) -> list[str]:
    tabs = page._charts.tabs
    return [str(tabs.tabData(index)) for index in range(tabs.count())]


def test_that_every_tab_fits_the_smallest_window_without_scrolling_sideways(
    window: MainWindow, page: AnswerPage
) -> None:
    for tab in tabs_of(page):
        page.show_charts(tab)
        window.grab()
        assert page._charts.height() <= page.viewport().height()
        assert page._charts.width() <= page.viewport().width()
    assert not page._charts.tabs.usesScrollButtons() or page._charts.tabs.sizeHint().width() < page.width()


def test_that_a_tab_is_drawn_when_it_is_seen(page: AnswerPage, parts: Parts) -> None:
    cards = page.charts
    assert cards["time"].plot.spots
    assert not cards["speedup"].plot.spots
    page.show_charts("scaling")
    assert cards["speedup"].isVisible()
    assert {spot.key for spot in cards["speedup"].plot.spots} >= {"rent-1", "rent-6", None}
    parts.store.select("rent-2")
    assert cards["speedup"]._selection == "rent-2"


def test_that_a_chart_with_nothing_to_show_gives_its_room_away(page: AnswerPage) -> None:
    page.show_charts("money")  # the hand-made answer knows no sensitivities
    assert not page.charts["sensitivity"].isVisible()


@pytest.fixture
def what_if(page: AnswerPage, parts: Parts, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> WhatIfCard:
    """The tab with a real range: the hand-made words of the other tests do not know all its reasons."""
    parts.store.set_engine(evaluate)
    monkeypatch.setattr("planner.messages.load_messages", load_messages)
    wording.cache_clear()
    parts.store.recompute()
    page.show_charts("what_if")
    card = page._charts.what_if
    qtbot.waitUntil(lambda: card.found is not None, timeout=10_000)
    return card


def test_that_the_range_is_worked_out_on_a_thread_and_drawn(what_if: WhatIfCard) -> None:
    assert what_if.slider.isEnabled()
    assert what_if.card.plot.spots
    assert what_if.found is not None
    assert what_if.slider.maximum() == len(what_if.found.grid) - 1
    assert what_if.sentence.text().startswith("At ")


def test_that_the_slider_moves_along_the_range(what_if: WhatIfCard, qtbot: QtBot) -> None:
    before = what_if.sentence.text()
    what_if.slider.setFocus()
    qtbot.keyClick(what_if.slider, Qt.Key.Key_Home)
    assert what_if.sentence.text() != before
    assert any("looked at" in name for name, _, _ in what_if.card.legend._entries)


def test_that_another_input_is_worked_out(what_if: WhatIfCard, qtbot: QtBot) -> None:
    what_if.choice.setCurrentIndex(what_if.choice.findData("deadline"))
    qtbot.waitUntil(lambda: what_if.found is not None and what_if.found.code == "deadline", timeout=10_000)
    assert what_if.card.title.full_text.endswith("Deadline")


def test_that_a_plan_typed_anew_is_worked_out_once_it_rests(
    what_if: WhatIfCard, parts: Parts, qtbot: QtBot
) -> None:
    first = what_if.found
    for batch in ("32", "48", "64"):
        parts.plan.type_text("batch_size", batch)
        parts.store.recompute()
    qtbot.waitUntil(lambda: what_if.found is not first, timeout=10_000)
    assert what_if.sentence.text().startswith("At ")
