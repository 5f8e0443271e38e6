"""Where pages end: no heading alone at the foot, no table row in two pieces. Qt's layout promises neither."""

from __future__ import annotations

from PySide6.QtGui import QTextBlock, QTextBlockFormat, QTextCursor, QTextDocument, QTextFormat

from ui.report.tables import PlacedTable, TableWriter

OBJECT = chr(0xFFFC)  # the character that stands for a chart
_FEW = 8  # rows of a table that is kept in one piece
_LEAST = 2  # rows on either side of a cut
_NEAR = 0.2  # of a page, between a heading and a table that stay together


def paginate(document: QTextDocument, tables: list[PlacedTable], writer: TableWriter) -> None:
    """Break pages, from the first on, so that every heading stands with its text and every row on one page."""
    waiting = list(tables)
    block = document.begin()
    while block.isValid():
        if waiting and QTextCursor(block).currentTable() is not None:
            placed, *waiting = waiting
            rest = _settle_table(document, placed, writer)
            waiting[:0] = [rest] if rest else []
            block = placed.grid.lastCursorPosition().block().next()
            continue
        following = block.next()
        if block.text() == OBJECT:
            _bring_heading(document, block)
        if block.blockFormat().headingLevel() and following.isValid() and _stand_apart(document, block, following):
            _start_page(block)
        block = following


def pages_of(document: QTextDocument, block: QTextBlock) -> set[int]:
    """Pages (from 0) on which the lines of ``block`` stand."""
    top = document.documentLayout().blockBoundingRect(block).top()
    height = document.pageSize().height()
    lines = [block.layout().lineAt(index) for index in range(block.layout().lineCount())]
    # The middle: what was moved to a new page may begin a hair before it.
    return {int((top + line.y() + line.height() / 2) / height) for line in lines}


def _stand_apart(document: QTextDocument, heading: QTextBlock, text: QTextBlock) -> bool:
    return max(pages_of(document, heading)) < min(pages_of(document, text)) and not _starts_page(heading)


def _starts_page(block: QTextBlock) -> bool:
    return block.blockFormat().pageBreakPolicy() == QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore


def _start_page(block: QTextBlock) -> None:
    shape = QTextBlockFormat(block.blockFormat())
    shape.setPageBreakPolicy(QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore)
    QTextCursor(block).setBlockFormat(shape)


def _settle_table(document: QTextDocument, placed: PlacedTable, writer: TableWriter) -> PlacedTable | None:
    """Move a table that a page end would cut, or cut it between two rows; what comes on the next page, if any."""
    _bring_heading(document, placed.grid.firstCursorPosition().block())
    row = _row_to_move(document, placed)
    if row is not None and (row <= _LEAST or placed.grid.rows() <= _FEW + 1) and _move_whole(document, placed):
        row = _row_to_move(document, placed)
    if row is None or row < 2:  # a single row higher than a page stays in pieces
        return None
    # No single row alone at the head of the next page.
    return writer.split(placed, max(min(row, placed.grid.rows() - _LEAST), 2))


def _row_to_move(document: QTextDocument, placed: PlacedTable) -> int | None:
    """First row (0 is the head) that may not stay where it is; the frame's foot counts as the last row's."""
    last = placed.grid.rows() - 1
    before = _row_pages(document, placed, 0)
    for row in range(1, last + 1):
        pages = _row_pages(document, placed, row)
        if row == last:
            pages |= {_page_of_foot(document, placed)}
        next_page = min(pages) > max(before)
        if len(pages) > 1 or (next_page and (row <= _LEAST or row == last or last <= _FEW)):
            return row
        before = pages
    return None


def _page_of_foot(document: QTextDocument, placed: PlacedTable) -> int:
    """Page of the lower border: where that alone is pushed to the next one, Qt draws an empty head there."""
    area = document.documentLayout().frameBoundingRect(placed.grid)
    return int((area.bottom() - 1) / document.pageSize().height())


def _row_pages(document: QTextDocument, placed: PlacedTable, row: int) -> set[int]:
    pages: set[int] = set()
    for column in range(placed.grid.columns()):
        block = placed.grid.cellAt(row, column).firstCursorPosition().block()
        pages |= pages_of(document, block)
    return pages


def _move_whole(document: QTextDocument, placed: PlacedTable) -> bool:
    """Start a table on a new page, with the heading of its section where that is near.

    False where it does already (a very high row).
    """
    shape = placed.grid.format()
    if shape.pageBreakPolicy() == QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore:
        return False
    heading = _heading_near(document, placed.grid.firstCursorPosition().block())
    if heading is not None:
        if _starts_page(heading):
            return False
        _start_page(heading)
        return True
    shape.setPageBreakPolicy(QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore)
    placed.grid.setFormat(shape)
    return True


def _bring_heading(document: QTextDocument, shown: QTextBlock) -> None:
    """Move the heading right above a table or chart to the page on which that begins."""
    heading = _heading_near(document, shown)
    if heading is not None and _stand_apart(document, heading, shown):
        _start_page(heading)


def _heading_near(document: QTextDocument, shown: QTextBlock) -> QTextBlock | None:
    """The heading right above a table or chart, with nothing but a few paragraphs in between."""
    block = shown.previous()
    bottom = document.documentLayout().blockBoundingRect(shown).top()
    room = document.pageSize().height() * _NEAR
    while block.isValid() and QTextCursor(block).currentTable() is None:
        if bottom - document.documentLayout().blockBoundingRect(block).top() > room:
            return None
        if block.blockFormat().headingLevel():
            return block
        block = block.previous()
    return None
