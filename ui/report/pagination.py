"""Where pages end: no heading alone at the foot, no table row in two pieces. Qt's layout promises neither."""

from __future__ import annotations

from PySide6.QtGui import QTextBlock, QTextBlockFormat, QTextCursor, QTextDocument, QTextFormat

from ui.report.tables import PlacedTable, TableWriter

_ROUNDS = 20  # each round only moves things down; real reports settle in two or three


def paginate(document: QTextDocument, tables: list[PlacedTable], writer: TableWriter) -> None:
    """Insert page breaks until every heading stands with its text and every row on one page."""
    for _ in range(_ROUNDS):
        moved = _keep_headings(document)
        cut = _keep_rows(document, tables, writer)
        if not (moved or cut):
            return


def pages_of(document: QTextDocument, block: QTextBlock) -> set[int]:
    """Pages (from 0) on which the lines of ``block`` stand."""
    top = document.documentLayout().blockBoundingRect(block).top()
    height = document.pageSize().height()
    lines = [block.layout().lineAt(index) for index in range(block.layout().lineCount())]
    # The middle: what was moved to a new page may begin a hair before it.
    return {int((top + line.y() + line.height() / 2) / height) for line in lines}


def _keep_headings(document: QTextDocument) -> bool:
    """Move headings to the page of what follows them; whether there were any to move."""
    moved = False
    block = document.begin()
    while block.isValid():
        following = block.next()
        if block.blockFormat().headingLevel() and following.isValid():
            apart = max(pages_of(document, block)) < min(pages_of(document, following))
            if apart and not _starts_page(block):
                _start_page(block)
                moved = True
        block = following
    return moved


def _starts_page(block: QTextBlock) -> bool:
    return block.blockFormat().pageBreakPolicy() == QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore


def _start_page(block: QTextBlock) -> None:
    shape = QTextBlockFormat(block.blockFormat())
    shape.setPageBreakPolicy(QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore)
    QTextCursor(block).setBlockFormat(shape)


def _keep_rows(document: QTextDocument, tables: list[PlacedTable], writer: TableWriter) -> bool:
    """Continue tables on the next page before a row that a page end would cut; whether there were any."""
    cut = False
    index = 0
    while index < len(tables):  # grows: the rest of a cut table is looked at next
        row = _first_cut_row(document, tables[index])
        if row is not None and row > 1:
            tables.insert(index + 1, writer.split(tables[index], row))
            cut = True
        elif row == 1:
            cut |= _move_whole(tables[index])
        index += 1
    return cut


def _first_cut_row(document: QTextDocument, placed: PlacedTable) -> int | None:
    """First row in pieces; also the first below a head that was left alone on the page before."""
    head_pages = _row_pages(document, placed, 0)
    for row in range(1, placed.grid.rows()):
        pages = _row_pages(document, placed, row)
        if len(pages) > 1 or (row == 1 and min(pages) > min(head_pages)):
            return row
    return None


def _row_pages(document: QTextDocument, placed: PlacedTable, row: int) -> set[int]:
    pages: set[int] = set()
    for column in range(placed.grid.columns()):
        block = placed.grid.cellAt(row, column).firstCursorPosition().block()
        pages |= pages_of(document, block)
    return pages


def _move_whole(placed: PlacedTable) -> bool:
    """Start a table, with the heading above it, on a new page; False where it does already (a very high row)."""
    before = placed.grid.firstCursorPosition().block().previous()
    if before.isValid() and before.blockFormat().headingLevel():
        if _starts_page(before):
            return False
        _start_page(before)
        return True
    shape = placed.grid.format()
    if shape.pageBreakPolicy() == QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore:
        return False
    shape.setPageBreakPolicy(QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore)
    placed.grid.setFormat(shape)
    return True
