"""A pyqtgraph plot as this program uses it: themed, with our own ticks, hover and click; no menu of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QToolTip

from planner.report.ticks import linear_ticks, log_ticks, tick_text
from ui.theme import Tokens

_NEAR_PX = 28  # how close the mouse must be to a point to mean it


@dataclass(frozen=True, slots=True)
class Spot:
    """A point that hover and click react to, in plot coordinates.

    ``x_low``, ``x_high``: ends of the bar that stands for it."""

    x: float
    y: float
    text: str
    key: str | None = None
    x_low: float | None = None
    x_high: float | None = None


class Plot(pg.PlotWidget):
    """Base of every chart. ``clicked`` brings the key of the point's option."""

    clicked = Signal(str)
    menu_wanted = Signal(object)  # global position

    def __init__(self) -> None:
        super().__init__()
        self.spots: list[Spot] = []
        item = self.getPlotItem()
        item.setMenuEnabled(False)  # its "Export…" crashes on Qt 6.11 (pyqtgraph #3485); we have our own
        item.hideButtons()
        item.setMouseEnabled(x=False, y=False)
        item.getViewBox().setDefaultPadding(0.0)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the table beside it is the keyboard's way

    def paint_theme(self, tokens: Tokens) -> None:
        """pyqtgraph ignores the palette: background, axes and grid by hand."""
        self.setBackground(QColor(tokens.surface))
        small = QFont(self.font())
        small.setPointSizeF(max(self.font().pointSizeF() - 1, 7))
        for side in ("left", "bottom"):
            axis = self.getAxis(side)
            axis.setPen(pg.mkPen(tokens.border))
            axis.setTextPen(pg.mkPen(tokens.quiet))
            axis.setTickFont(small)
            axis.setStyle(tickLength=0, tickTextOffset=6, hideOverlappingLabels=False)
            axis.label.setDefaultTextColor(QColor(tokens.quiet))
            axis.label.setFont(small)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # scrolling belongs to the page

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        spot = self._spot_at(event.position())
        if spot is None:
            QToolTip.hideText()
            self.setCursor(Qt.CursorShape.ArrowCursor)
        else:
            QToolTip.showText(event.globalPosition().toPoint(), spot.text, self)
            self.setCursor(Qt.CursorShape.PointingHandCursor if spot.key else Qt.CursorShape.ArrowCursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.RightButton:
            self.menu_wanted.emit(event.globalPosition().toPoint())
            return
        spot = self._spot_at(event.position())
        if spot is not None and spot.key is not None:
            self.clicked.emit(spot.key)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def _spot_at(self, position: QPointF) -> Spot | None:
        best, best_distance = None, float(_NEAR_PX)
        for spot in self.spots:
            distance = self._distance(spot, position)
            if distance < best_distance:
                best, best_distance = spot, distance
        return best

    def _distance(self, spot: Spot, position: QPointF) -> float:
        """Pixels from the mouse to the point, or to the bar between its ends."""
        box = self.getPlotItem().getViewBox()
        at = self.mapFromScene(box.mapViewToScene(QPointF(spot.x, spot.y)))
        across = abs(at.x() - position.x())
        if spot.x_low is not None and spot.x_high is not None:
            left = self.mapFromScene(box.mapViewToScene(QPointF(spot.x_low, spot.y))).x()
            right = self.mapFromScene(box.mapViewToScene(QPointF(spot.x_high, spot.y))).x()
            across = max(left - position.x(), position.x() - right, 0.0)
        return math.hypot(across, at.y() - position.y())


@dataclass(frozen=True, slots=True)
class ValueAxis:
    """A numeric axis: which values it spans, and how they become plot coordinates."""

    low: float
    high: float
    log: bool

    def at(self, value: float) -> float:
        return math.log10(max(value, self.low)) if self.log else value

    @property
    def span(self) -> tuple[float, float]:
        return self.at(self.low), self.at(self.high)

    def ticks(self, most: int = 6) -> list[tuple[float, str]]:
        values = log_ticks(self.low, self.high) if self.log else linear_ticks(self.high, most)
        return [(self.at(value), tick_text(value)) for value in values]


def value_axis(values: Sequence[float], log: bool, room: float) -> ValueAxis:
    """Spans ``values`` with ``room`` times the largest; linear axes begin at 0."""
    positive = [value for value in values if value > 0] or [1.0]
    if log:
        reach = math.log10(max(positive) / min(positive)) or 1.0
        return ValueAxis(min(positive) / 10 ** (0.06 * reach), max(positive) * 10 ** ((room - 1) * reach), True)
    return ValueAxis(0.0, max(positive) * room, False)


def grid_lines(plot: Plot, positions: Sequence[float], angle: int, colour: str) -> None:
    """Thin lines at the ticks, below everything else."""
    for position in positions:
        line = pg.InfiniteLine(position, angle=angle, pen=pg.mkPen(colour, width=1))
        line.setZValue(-20)
        plot.addItem(line)


def text_item(
    text: str, colour: str, anchor: tuple[float, float], size_of: QFont, bold: bool = False
) -> pg.TextItem:
    item = pg.TextItem(text, color=colour, anchor=anchor)
    font = QFont(size_of)
    font.setPointSizeF(max(size_of.pointSizeF() - 1, 7))
    font.setBold(bold)
    item.setFont(font)
    return item
