"""Report → PDF: vector charts, embedded font, running header and footer, bookmarks, the plan inside.

The file is whole or not there.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QFont,
    QPageLayout,
    QPageSize,
    QPainter,
    QPalette,
    QPdfWriter,
)

from planner import __version__
from planner.messages import Messages, load_messages
from planner.report.files import write_file
from planner.report.markup import one_line
from planner.report.pdf_plan import ATTACHMENT, About, Bookmark, completed
from planner.report.types import Report
from ui.report.document import ReportDocument
from ui.report.fonts import report_font_family

_MARGIN_MM = 17.0
_RUNNING_PT = 7.5
_RUNNING_MM = 7.0  # height kept at top and bottom of the text area for header and footer
_DPI = 300

PAPERS = {"a4": QPageSize.PageSizeId.A4, "letter": QPageSize.PageSizeId.Letter}

Progress = Callable[[int, int], None]


class ExportCancelledError(Exception):
    """The user cancelled; nothing was written."""


def write_pdf(
    report: Report,
    path: Path,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
    messages: Messages | None = None,
    plan: bytes | None = None,
) -> int:
    """Write the report as a PDF and return its number of pages. Needs a QGuiApplication.

    ``plan``: the plan file to attach. ``progress(page, pages)`` is called after each page, ``cancelled()`` asked
    before each. Raises ExportCancelledError, or OSError with a clear reason; a file that was at ``path`` is then
    untouched.
    """
    messages = messages or load_messages(report.language)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(_DPI)
    writer.setPageSize(QPageSize(PAPERS[report.paper]))
    writer.setPageMargins(QMarginsF(*(_MARGIN_MM,) * 4), QPageLayout.Unit.Millimeter)
    writer.setTitle(one_line(report.title))
    writer.setCreator(f"GPU Planner {__version__}")
    if plan is not None:
        writer.addFileAttachment(ATTACHMENT, QByteArray(plan), "application/json")
    running = _RUNNING_MM / 25.4 * _DPI
    page = QSizeF(writer.width(), writer.height() - 2 * running)
    laid_out = ReportDocument(report, page, writer)
    painter = QPainter(writer)
    try:
        for number in range(laid_out.page_count):
            if cancelled is not None and cancelled():
                raise ExportCancelledError(messages.say("report.error.cancelled"))
            if number:
                writer.newPage()
            paint_page(painter, laid_out, report, number, running, messages)
            if progress is not None:
                progress(number + 1, laid_out.page_count)
    finally:
        painter.end()
    buffer.close()
    bookmarks = [Bookmark(title, page) for title, page in laid_out.headings()]
    if cancelled is not None and cancelled():
        raise ExportCancelledError(messages.say("report.error.cancelled"))
    write_file(path, completed(buffer.data().data(), _about(report), bookmarks), messages)
    return laid_out.page_count


def _about(report: Report) -> About:
    return About(
        title=one_line(report.title),
        author=one_line(report.team),
        subject=one_line(report.verdict, 500),
        keywords=f"GPU Planner {__version__}, plan {report.plan_hash}",
        language=report.language,
    )


def paint_page(
    painter: QPainter, laid_out: ReportDocument, report: Report, number: int, running: float, messages: Messages
) -> None:
    """Paint page ``number`` (from 0) with header and footer of height ``running``: on paper or in a preview."""
    size = laid_out.document.pageSize()
    painter.save()
    painter.translate(0, running - number * size.height())
    clip = QRectF(0, number * size.height(), size.width(), size.height())
    painter.setClipRect(clip)
    context = QAbstractTextDocumentLayout.PaintContext()
    context.clip = clip.adjusted(0, 1, 0, -1)  # a line that only touches the page's edge belongs to the next page
    context.palette = QPalette(Qt.GlobalColor.white)
    context.palette.setColor(QPalette.ColorRole.Text, QColor("#1a1a1a"))
    laid_out.document.documentLayout().draw(painter, context)
    painter.restore()
    _paint_running(painter, laid_out, report, number, running, messages)


def _paint_running(
    painter: QPainter, laid_out: ReportDocument, report: Report, number: int, running: float, messages: Messages
) -> None:
    size = laid_out.document.pageSize()
    font = QFont(report_font_family())
    font.setPointSizeF(_RUNNING_PT)
    painter.save()
    painter.setFont(font)
    painter.setPen(QColor("#595959"))
    header = QRectF(0, 0, size.width(), running * 0.6)
    footer = QRectF(0, running * 1.4 + size.height(), size.width(), running * 0.6)
    name = painter.fontMetrics().elidedText(
        one_line(report.title), Qt.TextElideMode.ElideRight, int(size.width() * 0.6)
    )
    team = painter.fontMetrics().elidedText(
        one_line(report.team), Qt.TextElideMode.ElideRight, int(size.width() * 0.6)
    )
    page = messages.say("report.pdf.page", page=number + 1, pages=laid_out.page_count)
    digest = messages.say("report.pdf.hash", hash=report.plan_hash[:16])
    left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    painter.drawText(header, left, name)
    painter.drawText(header, right, f"{digest} · {page}")
    painter.drawText(footer, left, team)
    painter.drawText(footer, right, report.created_at)
    painter.restore()
