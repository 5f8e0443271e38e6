"""Report → QTextDocument: the same document is painted on paper and in a preview. Always light."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QByteArray, QRectF, QSizeF, QUrl
from PySide6.QtGui import (
    QBrush,
    QColor,
    QGuiApplication,
    QImage,
    QPagedPaintDevice,
    QPainter,
    QPyTextObject,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextImageFormat,
    QTextOption,
)
from PySide6.QtSvg import QSvgRenderer

from planner.report.markup import printable
from planner.report.svg import HEIGHT, WIDTH, svg_chart
from planner.report.types import ChartSpec, Report, Section, Table
from ui.report.pagination import OBJECT, pages_of, paginate
from ui.report.style import (
    BODY_PT,
    HEADING_PT,
    INK,
    QUIET,
    SHADE,
    SMALL_PT,
    TITLE_PT,
    VERDICT_PT,
    characters,
    font,
)
from ui.report.tables import PlacedTable, TableWriter

_CHART = QTextFormat.ObjectTypes.UserObject.value + 1
_SVG_PROPERTY = QTextFormat.Property.UserProperty.value + 1
_NO_BREAK = chr(0xA0)
_LOGO_PT = (140.0, 40.0)  # widest and highest


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
        device_point = (device.logicalDpiX() if device is not None else 72) / 72  # borders are not scaled
        self._table_writer = TableWriter(self._point, device_point)
        self.document.setDocumentMargin(0)
        self.document.setDefaultFont(font(BODY_PT))
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.document.setDefaultTextOption(option)
        self.document.setPageSize(page)
        self.document.setMetaInformation(QTextDocument.MetaInformation.DocumentTitle, printable(report.title))
        self._tables: list[PlacedTable] = []
        self._write(report)
        paginate(self.document, self._tables, self._table_writer)

    @property
    def page_count(self) -> int:
        return self.document.pageCount()

    def headings(self) -> list[tuple[str, int]]:
        """Title and page (from 0) of every section."""
        found = []
        block = self.document.begin()
        while block.isValid():
            if block.blockFormat().headingLevel():
                found.append((block.text(), min(pages_of(self.document, block))))
            block = block.next()
        return found

    def _write(self, report: Report) -> None:
        cursor = QTextCursor(self.document)
        cursor.beginEditBlock()  # one layout at the end instead of one for each cell
        self._logo(cursor, report.logo)
        self._paragraph(cursor, report.title, TITLE_PT, bold=True, below=2)
        self._paragraph(cursor, report.subtitle, BODY_PT, colour=QUIET, below=8)
        self._paragraph(cursor, report.verdict, VERDICT_PT, bold=True, below=8, shade=True)
        for number, section in enumerate(report.sections):
            self._section(cursor, section, on_new_page=number == 1)  # page 1 stands alone
        cursor.endEditBlock()

    def _logo(self, cursor: QTextCursor, logo: bytes) -> None:
        """The team's picture, never larger than a letterhead; one that cannot be read is left away."""
        picture = QImage.fromData(logo) if logo else QImage()
        if picture.isNull():
            return
        name = "logo"
        self.document.addResource(QTextDocument.ResourceType.ImageResource.value, QUrl(name), picture)
        shape = QTextImageFormat()
        shape.setName(name)
        scale = min(_LOGO_PT[0] / picture.width(), _LOGO_PT[1] / picture.height())
        shape.setWidth(picture.width() * scale * self._point)
        shape.setHeight(picture.height() * scale * self._point)
        cursor.insertImage(shape)

    def _section(self, cursor: QTextCursor, section: Section, on_new_page: bool) -> None:
        self._paragraph(
            cursor,
            section.title,
            HEADING_PT,
            bold=True,
            above=12,
            below=4,
            heading=True,
            on_new_page=on_new_page,
        )
        if section.comment.strip():
            self._paragraph(cursor, section.comment.strip(), BODY_PT, below=5, shade=True)
        lists_first = section.key == "verdict"
        if lists_first:
            self._write_tables(cursor, section.tables)
        for paragraph in section.paragraphs:
            self._paragraph(cursor, paragraph, BODY_PT, below=3)
        for chart in section.charts:
            self._chart(cursor, chart)
        if not lists_first:
            self._write_tables(cursor, section.tables)

    def _write_tables(self, cursor: QTextCursor, tables: Sequence[Table]) -> None:
        self._tables += [self._table_writer.write(cursor, table) for table in tables if table.rows]

    def _paragraph(
        self,
        cursor: QTextCursor,
        text: str,
        size_pt: float,
        *,
        bold: bool = False,
        colour: QColor = INK,
        above: float = 0.0,
        below: float = 0.0,
        heading: bool = False,
        shade: bool = False,
        on_new_page: bool = False,
    ) -> None:
        block = QTextBlockFormat()
        block.setTopMargin(above * self._point)
        block.setBottomMargin(below * self._point)
        if heading:
            block.setHeadingLevel(2)
        if shade:
            block.setBackground(QBrush(SHADE))
        if on_new_page:
            block.setPageBreakPolicy(QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore)
        self._new_block(cursor, block)
        whole = printable(text).replace(" %", _NO_BREAK + "%")  # a number keeps its sign
        cursor.insertText(whole, characters(size_pt, bold, colour))

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
        cursor.insertText(OBJECT, picture)
        self._paragraph(cursor, chart.description, SMALL_PT, colour=QUIET, below=6)
