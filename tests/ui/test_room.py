"""Little room: what is read stays readable, and nothing is cut at an edge without a sign."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from planner.report.types import Table
from tests.report.fixtures import recommendations
from ui.models.table_model import TableModel
from ui.parts import Parts
from ui.widgets.basic import DataTable
from ui.window import MainWindow

WIDE = Table(
    ("Option", "Cost", "State"),
    (("This machine", "$2 and some more words", "recommended by everyone"),) * 3,
    (False, True, False),
)


def shown(qtbot: QtBot, table: DataTable, width_px: int) -> DataTable:
    qtbot.addWidget(table)
    table.resize(width_px, 200)
    table.show()
    return table


@pytest.mark.parametrize("elastic", [0, 2])
def test_that_an_elastic_column_stays_readable_and_the_table_scrolls_instead(qtbot: QtBot, elastic: int) -> None:
    table = shown(qtbot, DataTable(TableModel(WIDE), "options", fit_height=True, elastic=elastic), 250)
    assert table.columnWidth(elastic) >= min(table.sizeHintForColumn(elastic), 160)
    assert table.horizontalScrollBar().maximum() > 0
    height_px = table.height()
    table.resize(900, height_px)
    assert table.horizontalHeader().length() == table.viewport().width()
    assert not table.horizontalScrollBar().isVisible()
    assert table.height() < height_px  # the scroll bar's room is given back


def test_that_even_columns_end_at_the_edge(qtbot: QtBot) -> None:
    table = shown(qtbot, DataTable(TableModel(WIDE), "readings", fit_height=True, even_columns=True), 200)
    assert table.horizontalHeader().length() <= table.viewport().width()


def test_that_the_preview_is_painted_again_for_less_room(qtbot: QtBot, window: MainWindow, parts: Parts) -> None:
    parts.store.set_snapshot(replace(recommendations.snapshot(), checks=()))
    parts.plan.choose_preset(parts.plan.presets[0].name)
    window.resize(1400, 800)
    window.show_page("report")
    page = window.pages["report"]

    def fits() -> bool:
        labels = page._page_labels  # type: ignore[attr-defined]
        room_px = page.pages.viewport().width()  # type: ignore[attr-defined]
        return bool(labels) and all(
            one.pixmap().deviceIndependentSize().width() <= room_px for one in labels if one.isVisible()
        )

    qtbot.waitUntil(fits, timeout=10_000)
    wide_px = page._page_labels[0].pixmap().width()  # type: ignore[attr-defined]
    window.resize(1160, 600)
    qtbot.waitUntil(lambda: fits() and page._page_labels[0].pixmap().width() < wide_px, timeout=10_000)  # type: ignore[attr-defined]
