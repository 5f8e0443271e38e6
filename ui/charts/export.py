"""Charts as files and on the clipboard, from the same ChartSpec as the print: PNG, SVG, CSV."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from planner.report.files import write_file
from planner.report.svg import HEIGHT, WIDTH, svg_chart
from planner.report.types import ChartSpec, Table
from planner.spreadsheet import safe_cell
from ui.report.fonts import report_font_family

_PNG_SCALE = 3.0  # drawing units → pixels: sharp on paper at half a page's width


def table_text(table: Table, delimiter: str = ",") -> str:
    """The table as delimited text with its header."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator="\n")
    writer.writerows([safe_cell(cell) for cell in row] for row in (table.columns, *table.rows))
    return buffer.getvalue()


def copy_table(table: Table) -> None:
    """Onto the clipboard, with tabs: spreadsheets and chats understand it."""
    QGuiApplication.clipboard().setText(table_text(table, "\t"))


def png_bytes(spec: ChartSpec) -> bytes:
    """The print's chart as a picture on white."""
    report_font_family()
    image = QImage(round(WIDTH * _PNG_SCALE), round(HEIGHT * _PNG_SCALE), QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    QSvgRenderer(QByteArray(svg_chart(spec).encode("utf-8"))).render(painter)
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return bytes(buffer.data().data())


def save(spec: ChartSpec, path: Path) -> None:
    """Write what the file's suffix asks for. Raises OSError with a clear reason."""
    match path.suffix.lower():
        case ".csv":
            data = table_text(spec.table).encode("utf-8-sig")  # with the mark by which spreadsheets know UTF-8
        case ".png":
            data = png_bytes(spec)
        case _:
            data = svg_chart(spec).encode("utf-8")
    write_file(path, data)
