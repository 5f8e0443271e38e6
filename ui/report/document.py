"""Report → QTextDocument: the same document is painted on paper and in a preview. Always light."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QByteArray, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QGuiApplication,
    QPagedPaintDevice,
    QPainter,
    QPyTextObject,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextLength,
    QTextOption,
    QTextTableCellFormat,
    QTextTableFormat,
)
from PySide6.QtSvg import QSvgRenderer

from planner.report.markup import printable
from planner.report.svg import HEIGHT, WIDTH, svg_chart
from planner.report.text_width import text_width
from planner.report.types import ChartSpec, Report, Section, Table
from ui.report.fonts import report_font_family

_CHART = QTextFormat.ObjectTypes.UserObject.value + 1
_SVG_PROPERTY = QTextFormat.Property.UserProperty.value + 1
_HEADING = QTextFormat.Property.UserProperty.value + 2
_OBJECT = chr(0xFFFC)
BODY_PT, SMALL_PT, HEADING_PT, TITLE_PT, VERDICT_PT = 9.5, 8.0, 13.0, 20.0, 12.0
_INK, _QUIET, _RULE, _SHADE = QColor("#1a1a1a"), QColor("#595959"), QColor("#bfbfbf"), QColor("#eef2f7")
_PADDING_PT, _SIDE_PADDING_PT, _HANDWRITING_PT, _GAP_PT = 2.0, 4.0, 7.0, 3.0
_CELL_ROOM_PT = 2 * _SIDE_PADDING_PT + 1.5  # padding and border of a cell, both sides
_RULE_PT = 0.5
_PAPER_PT = 498.0  # between the margins of A4
_LONGEST_WORD_PT, _LONGEST_TEXT_PT = 130.0, 260.0  # longer ones are broken
_NO_BREAK = chr(0xA0)


class _ChartPainter(QPyTextObject):
    """Paints a chart's SVG as vectors where the document holds it."""

    def intrinsicSize(self, document: QTextDocument, _position: int, _format: QTextFormat) -> QSizeF:
        width = document.pageSize().width() - 2 * document.documentMargin()
        return QSizeF(width, width * HEIGHT / WIDTH)

    def drawObject(
        self, painter: QPainter, area: QRectF, _document: QTextDocument, _position: int, text_format: QTextFormat
    ) -> None:
        renderer = QSvgRenderer(QByteArray(str(text_format.property(_SVG_PROPERTY)).encode("utf-8")))
        renderer.render(painter, area)


class ReportDocument:
    """A laid-out report. Keep it alive while its ``document`` is painted: the chart painter belongs to it."""

    def __init__(self, report: Report, page: QSizeF, device: QPagedPaintDevice | None = None) -> None:
        """``page``: size of the area for text in units of ``device`` (points where there is no device)."""
        self.document = QTextDocument()
        self._painter = _ChartPainter(self.document)
        layout = self.document.documentLayout()
        layout.registerHandler(_CHART, self._painter)
        if device is not None:
            layout.setPaintDevice(device)
        # Qt scales margins and paddings from the screen's resolution to the device's: a point in screen pixels.
        self._point = QGuiApplication.primaryScreen().logicalDotsPerInchY() / 72
        self._device_point = (device.logicalDpiX() if device is not None else 72) / 72  # borders are not scaled
        self.document.setDocumentMargin(0)
        self.document.setDefaultFont(_font(BODY_PT))
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.document.setDefaultTextOption(option)
        self.document.setPageSize(page)
        self.document.setMetaInformation(QTextDocument.MetaInformation.DocumentTitle, printable(report.title))
        self._write(report)
        self._keep_headings_with_text()

    @property
    def page_count(self) -> int:
        return self.document.pageCount()

    def _write(self, report: Report) -> None:
        cursor = QTextCursor(self.document)
        cursor.beginEditBlock()  # one layout at the end instead of one for each cell
        self._paragraph(cursor, report.title, TITLE_PT, bold=True, below=2)
        self._paragraph(cursor, report.subtitle, BODY_PT, colour=_QUIET, below=8)
        self._paragraph(cursor, report.verdict, VERDICT_PT, bold=True, below=8, shade=True)
        for section in report.sections:
            self._section(cursor, section)
        cursor.endEditBlock()

    def _section(self, cursor: QTextCursor, section: Section) -> None:
        self._paragraph(cursor, section.title, HEADING_PT, bold=True, above=12, below=4, heading=True)
        lists_first = section.key == "verdict"
        if lists_first:
            self._tables(cursor, section.tables)
        for paragraph in section.paragraphs:
            self._paragraph(cursor, paragraph, BODY_PT, below=3)
        for chart in section.charts:
            self._chart(cursor, chart)
        if not lists_first:
            self._tables(cursor, section.tables)

    def _tables(self, cursor: QTextCursor, tables: Sequence[Table]) -> None:
        for table in tables:
            self._table(cursor, table)

    def _paragraph(
        self,
        cursor: QTextCursor,
        text: str,
        size_pt: float,
        *,
        bold: bool = False,
        colour: QColor = _INK,
        above: float = 0.0,
        below: float = 0.0,
        heading: bool = False,
        shade: bool = False,
    ) -> None:
        block = QTextBlockFormat()
        block.setTopMargin(above * self._point)
        block.setBottomMargin(below * self._point)
        block.setProperty(_HEADING, heading)
        if heading:
            block.setHeadingLevel(2)
        if shade:
            block.setBackground(QBrush(_SHADE))
        self._new_block(cursor, block)
        cursor.insertText(printable(text), _characters(size_pt, bold, colour))

    @staticmethod
    def _new_block(cursor: QTextCursor, block: QTextBlockFormat) -> None:
        """Start a block; the empty one that a document or a table leaves behind is used first."""
        if cursor.block().length() > 1:
            cursor.insertBlock(block)
        else:
            cursor.setBlockFormat(block)

    def _chart(self, cursor: QTextCursor, chart: ChartSpec) -> None:
        block = QTextBlockFormat()
        block.setTopMargin(6 * self._point)
        self._new_block(cursor, block)
        picture = QTextCharFormat()
        picture.setObjectType(_CHART)
        picture.setProperty(_SVG_PROPERTY, svg_chart(chart))
        cursor.insertText(_OBJECT, picture)
        self._paragraph(cursor, chart.description, SMALL_PT, colour=_QUIET, below=6)

    def _table(self, cursor: QTextCursor, table: Table) -> None:
        if not table.rows:
            return
        shape = QTextTableFormat()
        shape.setHeaderRowCount(1)
        shape.setCellSpacing(0)
        shape.setCellPadding(0)
        shape.setBorder(_RULE_PT * self._device_point)
        shape.setBorderBrush(QBrush(_RULE))
        shape.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        shape.setBorderCollapse(True)
        shape.setTopMargin(6 * self._point)
        shape.setBottomMargin(8 * self._point)
        shape.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
        shape.setColumnWidthConstraints(
            [QTextLength(QTextLength.Type.PercentageLength, share) for share in column_shares(table)]
        )
        grid = cursor.insertTable(len(table.rows) + 1, len(table.columns), shape)
        for row, cells in enumerate((table.columns, *table.rows)):
            head = row == 0
            bold = head or (row <= len(table.emphasis) and table.emphasis[row - 1])
            to_fill_in = len(cells) > 2 and not any(cells[1:])
            for column, text in enumerate(cells):
                cell = grid.cellAt(row, column)
                cell.setFormat(self._cell_format(head, to_fill_in))
                numeric = table.numeric[column]
                words = printable(text) if head else _cell_text(text, numeric)
                self._fill(cell.firstCursorPosition(), words, numeric, bold)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.setBlockCharFormat(_characters(_GAP_PT, False, _INK))  # the line Qt keeps below every table

    def _cell_format(self, head: bool, to_fill_in: bool) -> QTextTableCellFormat:
        """Padding in points, more in rows that wait for handwriting; the font gives empty cells their height."""
        room = QTextTableCellFormat()
        room.setFont(_font(SMALL_PT))
        above = _HANDWRITING_PT if to_fill_in else _PADDING_PT
        room.setTopPadding(above * self._point)
        room.setBottomPadding(above * self._point)
        room.setLeftPadding(_SIDE_PADDING_PT * self._point)
        room.setRightPadding(_SIDE_PADDING_PT * self._point)
        if head:
            room.setBackground(QBrush(_SHADE))
        return room

    @staticmethod
    def _fill(cursor: QTextCursor, text: str, numeric: bool, bold: bool) -> None:
        block = QTextBlockFormat()
        block.setAlignment(Qt.AlignmentFlag.AlignRight if numeric else Qt.AlignmentFlag.AlignLeft)
        characters = _characters(SMALL_PT, bold, _INK)
        cursor.setBlockFormat(block)
        cursor.insertText(text, characters)

    def _keep_headings_with_text(self) -> None:
        """Move a heading to the next page when what follows it starts there."""
        layout = self.document.documentLayout()
        height = self.document.pageSize().height()
        block = self.document.begin()
        while block.isValid():
            following = block.next()
            if following.isValid() and block.blockFormat().boolProperty(_HEADING):
                here = layout.blockBoundingRect(block).top()
                line = following.layout().lineAt(0)
                # Its bottom: the top of what was moved to a new page lies a hair before that page.
                there = layout.blockBoundingRect(following).top() + line.y() + line.height()
                if int(here / height) != int(there / height):
                    moved = block.blockFormat()
                    moved.setPageBreakPolicy(QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore)
                    QTextCursor(block).setBlockFormat(moved)
            block = following


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


def _font(size_pt: float, bold: bool = False) -> QFont:
    font = QFont(report_font_family())
    font.setPointSizeF(size_pt)
    font.setBold(bold)
    return font


def _characters(size_pt: float, bold: bool, colour: QColor) -> QTextCharFormat:
    characters = QTextCharFormat()
    characters.setFont(_font(size_pt, bold))
    characters.setForeground(QBrush(colour))
    return characters
