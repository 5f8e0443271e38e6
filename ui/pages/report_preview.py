"""The report's pages as pictures, painted by the very code that paints the PDF."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSizeF, Qt
from PySide6.QtGui import QImage, QPainter

from planner.messages import load_messages
from planner.report.types import Report
from ui.i18n import language
from ui.report.document import ReportDocument
from ui.report.pdf import paint_page

_INCHES = {"a4": (8.27, 11.69), "letter": (8.5, 11.0)}
_MARGIN_INCH = 17.0 / 25.4  # as in the PDF
_RUNNING_INCH = 7.0 / 25.4  # header and footer


def page_images(report: Report, width_px: int, cancelled: Callable[[], bool] = lambda: False) -> list[QImage]:
    """Every page, ``width_px`` wide. Takes tenths of a second: run it on a thread."""
    width_inch, height_inch = _INCHES[report.paper]
    dpi = width_px / width_inch
    probe = _blank(1, 1, dpi)
    margin, running = _MARGIN_INCH * dpi, _RUNNING_INCH * dpi
    area = QSizeF(width_px - 2 * margin, height_inch * dpi - 2 * margin - 2 * running)
    laid_out = ReportDocument(report, area, probe)
    pages: list[QImage] = []
    for number in range(laid_out.page_count):
        if cancelled():
            break
        page = _blank(width_px, round(height_inch * dpi), dpi)
        painter = QPainter(page)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        painter.translate(margin, margin)
        paint_page(painter, laid_out, report, number, running, load_messages(language()))
        painter.end()
        pages.append(page)
    return pages


def _blank(width: int, height: int, dpi: float) -> QImage:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.setDotsPerMeterX(round(dpi / 0.0254))
    image.setDotsPerMeterY(round(dpi / 0.0254))
    image.fill(Qt.GlobalColor.white)
    return image
