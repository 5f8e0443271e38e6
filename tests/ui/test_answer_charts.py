"""The answer's charts: a tab for each question, two charts that fit beside each other, drawn when seen."""

from __future__ import annotations

import pytest

from ui.pages.answer import AnswerPage
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
