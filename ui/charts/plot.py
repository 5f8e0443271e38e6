"""A pyqtgraph plot as this program uses it: themed, with our own marks, hover and click; no menu of its own."""

from __future__ import annotations

import math

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QToolTip

from ui.charts.canvas import Canvas
from ui.charts.drawing import Drawing, Spot
from ui.theme import Tokens

_HINT = (400, 260)
_TOP_PX = 6  # for the half of the topmost label beside the axis
_LABEL_ROOM_PX = 60  # past the end of an axis: a label that reaches further is dropped
_NEAR_PX = 28  # how close the mouse must be to a point to mean it


class Plot(pg.PlotWidget):
    """Base of every chart. ``clicked`` brings the key of the point's option."""

    clicked = Signal(str)
    menu_wanted = Signal(object)  # global position

    def __init__(self) -> None:
        super().__init__()
        self.spots: list[Spot] = []
        self._tokens: Tokens | None = None
        self._right_px = 0
        item = self.getPlotItem()
        item.setMenuEnabled(False)  # its "Export…" crashes on Qt 6.11 (pyqtgraph #3485); we have our own
        item.hideButtons()
        item.setMouseEnabled(x=False, y=False)
        item.getViewBox().setDefaultPadding(0.0)
        for side in ("left", "bottom"):
            self.getAxis(side).enableAutoSIPrefix(False)  # it would write "(x0.001)" behind the unit
        self.canvas = Canvas()
        self.addItem(self.canvas, ignoreBounds=True)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the table beside it is the keyboard's way

    def sizeHint(self) -> QSize:
        """A graphics view's own hint follows its scene, which follows the view: it would only ever grow."""
        return QSize(*_HINT)

    @property
    def small_font(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(max(self.font().pointSizeF() - 1, 7))
        return font

    def paint_theme(self, tokens: Tokens) -> None:
        """pyqtgraph ignores the palette: background and axes by hand, when the theme has changed."""
        if tokens is self._tokens:
            return
        self._tokens = tokens
        self.setBackground(QColor(tokens.surface))
        for side in ("left", "bottom"):
            axis = self.getAxis(side)
            axis.setPen(pg.mkPen(tokens.strong_border))
            axis.setTextPen(pg.mkPen(tokens.quiet))
            axis.setTickFont(self.small_font)
            axis.setStyle(tickLength=0, tickTextOffset=6, hideOverlappingLabels=_LABEL_ROOM_PX)
            axis.label.setDefaultTextColor(QColor(tokens.quiet))
            axis.label.setFont(self.small_font)

    def show_drawing(self, drawing: Drawing, tokens: Tokens) -> None:
        """Replace what is shown."""
        self.paint_theme(tokens)
        self.spots = drawing.spots
        box = self.getPlotItem().getViewBox()
        box.setRange(xRange=drawing.x_span, yRange=drawing.y_span, padding=0)
        for side, ticks, text in (
            ("bottom", drawing.x_ticks, drawing.x_label),
            ("left", drawing.y_ticks, drawing.y_label),
        ):
            axis = self.getAxis(side)
            axis.setTicks([list(ticks)])
            if axis.labelText != text:
                axis.setLabel(text)
                axis.showLabel(bool(text))
                axis.label.setDefaultTextColor(QColor(tokens.quiet))
        self._make_room(drawing)
        self.canvas.set_marks(drawing.marks, self.small_font)

    def _make_room(self, drawing: Drawing) -> None:
        """On the right: for the half of the last label below the axis that runs past its end."""
        metrics = QFontMetricsF(self.small_font)
        over = max((metrics.horizontalAdvance(text) / 2 for _, text in drawing.x_ticks[-1:]), default=0.0)
        right = math.ceil(over) + 2
        if right != self._right_px:  # a new margin lays the whole plot out again
            self._right_px = right
            self.getPlotItem().layout.setContentsMargins(0, _TOP_PX, right, 0)

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
