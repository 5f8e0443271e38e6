"""Report tables as QTextTables: repeated head, columns by content, numbers that stay with their units."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QBrush,
    QTextBlockFormat,
    QTextCursor,
    QTextFormat,
    QTextFrameFormat,
    QTextLength,
    QTextTable,
    QTextTableCellFormat,
    QTextTableFormat,
)

from planner.report.markup import printable
from planner.report.text_width import text_width
from planner.report.types import Table
from ui.report.style import INK, RULE, SHADE, SMALL_PT, characters, font

_PADDING_PT, _SIDE_PADDING_PT, _HANDWRITING_PT, _GAP_PT = 2.0, 4.0, 7.0, 3.0
_CELL_ROOM_PT = 2 * _SIDE_PADDING_PT + 1.5  # padding and border of a cell, both sides
_RULE_PT = 0.5
_PAPER_PT = 498.0  # between the margins of A4
_LONGEST_WORD_PT, _LONGEST_TEXT_PT = 130.0, 260.0  # longer ones are broken
_NO_BREAK = chr(0xA0)


@dataclass(frozen=True, slots=True)
class PlacedTable:
    """A table in the document, or the rest of one from row ``first`` on."""

    grid: QTextTable
    table: Table
    first: int


@dataclass(frozen=True, slots=True)
class TableWriter:
    """Writes tables into a document."""

    point: float  # a point in the unit of margins and paddings
    device_point: float  # a point in the unit of borders

    def write(self, cursor: QTextCursor, table: Table, first: int = 0, on_new_page: bool = False) -> PlacedTable:
        """Insert the rows of ``table`` from ``first`` on, under its head, and leave the cursor behind it."""
        rows = table.rows[first:]
        grid = cursor.insertTable(len(rows) + 1, len(table.columns), self._shape(table, on_new_page))
        strong = dict(enumerate(table.emphasis, start=1 - first))
        self._row(grid, 0, table.columns, table.numeric, bold=True)
        for row, cells in enumerate(rows, start=1):
            self._row(grid, row, cells, table.numeric, bold=strong.get(row, False))
        behind = grid.lastCursorPosition()
        behind.movePosition(QTextCursor.MoveOperation.NextBlock)
        behind.setBlockFormat(QTextBlockFormat())  # or it would be the heading that stood there
        behind.setBlockCharFormat(characters(_GAP_PT, False, INK))  # the line Qt keeps below every table
        cursor.setPosition(behind.position())
        return PlacedTable(grid, table, first)

    def split(self, placed: PlacedTable, row: int) -> PlacedTable:
        """Move ``row`` (of the grid; 0 is the head) and what follows to a table of its own on the next page."""
        cursor = placed.grid.lastCursorPosition()
        cursor.beginEditBlock()  # one layout at the end instead of one for each cell
        placed.grid.removeRows(row, placed.grid.rows() - row)
        cursor.setPosition(placed.grid.lastCursorPosition().position())
        cursor.movePosition(QTextCursor.MoveOperation.NextBlock)
        cursor.insertBlock(cursor.blockFormat())  # what follows keeps its own block, heading or not
        cursor.movePosition(QTextCursor.MoveOperation.PreviousBlock)
        cursor.setBlockFormat(QTextBlockFormat())
        cursor.setBlockCharFormat(characters(_GAP_PT, False, INK))
        rest = self.write(cursor, placed.table, placed.first + row - 1, on_new_page=True)
        cursor.endEditBlock()
        return rest

    def _shape(self, table: Table, on_new_page: bool) -> QTextTableFormat:
        shape = QTextTableFormat()
        shape.setHeaderRowCount(1)
        shape.setCellSpacing(0)
        shape.setCellPadding(0)
        shape.setBorder(_RULE_PT * self.device_point)
        shape.setBorderBrush(QBrush(RULE))
        shape.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        shape.setBorderCollapse(True)
        shape.setTopMargin(6 * self.point)
        shape.setBottomMargin(8 * self.point)
        shape.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
        shape.setColumnWidthConstraints(
            [QTextLength(QTextLength.Type.PercentageLength, share) for share in column_shares(table)]
        )
        if on_new_page:
            shape.setPageBreakPolicy(QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore)
        return shape

    def _row(
        self, grid: QTextTable, row: int, cells: tuple[str, ...], numeric: tuple[bool, ...], bold: bool
    ) -> None:
        to_fill_in = len(cells) > 2 and not any(cells[1:])
        for column, text in enumerate(cells):
            cell = grid.cellAt(row, column)
            cell.setFormat(self._cell_format(row == 0, to_fill_in))
            words = printable(text) if row == 0 else _cell_text(text, numeric[column])
            inside = cell.firstCursorPosition()
            block = QTextBlockFormat()
            block.setAlignment(Qt.AlignmentFlag.AlignRight if numeric[column] else Qt.AlignmentFlag.AlignLeft)
            inside.setBlockFormat(block)
            inside.insertText(words, characters(SMALL_PT, bold, INK))

    def _cell_format(self, head: bool, to_fill_in: bool) -> QTextTableCellFormat:
        """Padding in points, more in rows that wait for handwriting; the font gives empty cells their height."""
        room = QTextTableCellFormat()
        room.setFont(font(SMALL_PT))
        above = _HANDWRITING_PT if to_fill_in else _PADDING_PT
        room.setTopPadding(above * self.point)
        room.setBottomPadding(above * self.point)
        room.setLeftPadding(_SIDE_PADDING_PT * self.point)
        room.setRightPadding(_SIDE_PADDING_PT * self.point)
        if head:
            room.setBackground(QBrush(SHADE))
        return room


def _cell_text(text: str, number: bool) -> str:
    """A number and its unit stay on one line; only its range may move to the next."""
    clean = printable(text)
    return clean.replace(" ", _NO_BREAK).replace(f"{_NO_BREAK}(", " (") if number else clean


def column_shares(table: Table) -> list[float]:
    """Percentages of the width for each column: wide enough for its longest word, more for longer texts."""
    least, wish = [], []
    for column, head in enumerate(table.columns):
        cells = [head, *(_cell_text(row[column], table.numeric[column]) for row in table.rows)]
        words = [word for cell in cells for word in cell.split(" ")]
        word = min(max(text_width(word, SMALL_PT, bold=True) for word in words), _LONGEST_WORD_PT) + _CELL_ROOM_PT
        text = min(max(text_width(cell, SMALL_PT, bold=True) for cell in cells), _LONGEST_TEXT_PT) + _CELL_ROOM_PT
        least.append(word)
        wish.append(max(text - word, 1.0))
    spare = max(_PAPER_PT - sum(least), 0.0)
    widths = [low + spare * extra / sum(wish) for low, extra in zip(least, wish, strict=True)]
    return [100 * width / sum(widths) for width in widths]
