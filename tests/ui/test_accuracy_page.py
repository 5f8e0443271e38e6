"""How good is this?: there when asked for, whole, and to be read without a mouse in little room."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from planner.report.accuracy_section import accuracy_page
from ui.i18n import wording
from ui.widgets.basic import DataTable, Page
from ui.window import MainWindow


def shown(window: MainWindow) -> Page:
    window.show_page("accuracy")
    page = window.pages["accuracy"]
    assert isinstance(page, Page)
    return page


def test_that_the_page_is_not_built_before_it_is_shown(window: MainWindow) -> None:
    assert "accuracy" not in window.pages
    assert shown(window) is window.stack.currentWidget()


def test_that_every_sentence_and_every_cell_stands_on_the_page(window: MainWindow) -> None:
    page, sections = shown(window), accuracy_page(wording())
    texts = {label.text() for label in page.findChildren(QLabel)}
    assert {text for section in sections for text in section.paragraphs} <= texts
    tables = page.findChildren(DataTable)
    cells = [
        [
            tuple(table.model().index(row, column).data() for column in range(table.model().columnCount()))
            for row in range(table.model().rowCount())
        ]
        for table in tables
    ]
    assert cells == [list(table.rows) for section in sections for table in section.tables]


def test_that_no_table_is_cut_in_the_smallest_window(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(window.minimumSize())
    page = shown(window)
    qtbot.wait(10)
    tables = page.findChildren(DataTable)
    assert tables
    for table in tables:
        assert table.horizontalScrollBar().maximum() == 0, table.accessibleName()
        assert table.columnWidth(0) >= table.sizeHintForColumn(0), table.accessibleName()
        assert table.verticalScrollBar().maximum() == 0, table.accessibleName()


def test_that_tab_brings_every_table_into_view(window: MainWindow, qtbot: QtBot, qapp: QApplication) -> None:
    page = shown(window)
    window.activateWindow()
    tables = page.findChildren(DataTable)
    tables[0].setFocus(Qt.FocusReason.TabFocusReason)
    for table in tables[1:]:
        qtbot.keyClick(qapp.focusWidget(), Qt.Key.Key_Tab)
        assert qapp.focusWidget() is table
        top = table.mapTo(page.viewport(), table.rect().topLeft()).y()
        assert 0 <= top < page.viewport().height()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_that_the_page_follows_the_theme(window: MainWindow, theme: str) -> None:
    page = shown(window)
    window._parts.theme.choose(theme)
    corner = page.grab().toImage().pixelColor(4, page.viewport().height() - 4)
    assert (corner.lightness() > 128) == (theme == "light")
