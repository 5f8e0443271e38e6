"""The bundled icons, drawn in a colour of the theme."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QGuiApplication, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from planner.paths import RESOURCES

APP_ICON = RESOURCES / "icons" / "gpu-planner.svg"


@cache
def pixmap(name: str, colour: str, size: int = 20) -> QPixmap:
    """Icon ``name`` of ``size`` logical pixels, sharp at the screen's scale."""
    svg = (RESOURCES / "icons" / f"{name}.svg").read_text(encoding="utf-8").replace("currentColor", colour)
    ratio = QGuiApplication.primaryScreen().devicePixelRatio()
    result = QPixmap(QSize(size, size) * ratio)
    result.fill(Qt.GlobalColor.transparent)
    painter = QPainter(result)
    QSvgRenderer(QByteArray(svg.encode())).render(painter, QRectF(0, 0, size * ratio, size * ratio))
    painter.end()
    result.setDevicePixelRatio(ratio)
    return result


def app_icon() -> QIcon:
    """The program's icon in the usual sizes."""
    icon = QIcon()
    for size in (16, 32, 48, 64, 128, 256):
        icon.addPixmap(pixmap("gpu-planner", "#000000", size))
    return icon
