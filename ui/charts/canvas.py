"""What charts are made of, and the one item per plot that paints it.

One item that paints a list is about ten times faster than an item per mark: a keystroke redraws every chart.
Positions are in plot coordinates, sizes in pixels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pyqtgraph as pg
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF, QTransform

PEN_STYLES = {
    "line": Qt.PenStyle.SolidLine,
    "dash": Qt.PenStyle.DashLine,
    "dot": Qt.PenStyle.DotLine,
    "dash_dot": Qt.PenStyle.DashDotLine,
    "dash_dot_dot": Qt.PenStyle.DashDotDotLine,
    "long_dash": Qt.PenStyle.CustomDashLine,
}
_LONG_DASH = [9.0, 4.0]  # in widths of the pen
_GAP_PX = 6.0
# Where a name may stand, in the order tried: right above its point, right below, left above, left below; then
# further and further up and down, with a thin line back to the point.
_SIDES = ((1, -1), (1, 1), (-1, -1), (-1, 1))
_AWAY_PX = (2.0, 18.0, 34.0, 50.0)


@dataclass(frozen=True, slots=True)
class Bar:
    """A rectangle from ``x0`` to ``x1``, ``height`` high (plot units) around ``y``."""

    x0: float
    x1: float
    y: float
    height: float
    colour: str


@dataclass(frozen=True, slots=True)
class Path:
    """Straight lines through points."""

    points: tuple[tuple[float, float], ...]
    colour: str
    width: float = 1.0
    style: str = "line"


@dataclass(frozen=True, slots=True)
class Rule:
    """A line across the whole plot at ``at``."""

    at: float
    upright: bool
    colour: str
    style: str = "line"
    width: float = 1.0


@dataclass(frozen=True, slots=True)
class Area:
    """A filled polygon."""

    points: tuple[tuple[float, float], ...]
    colour: str


@dataclass(frozen=True, slots=True)
class Row:
    """A band across the whole plot, half a unit above and below ``y``: the selected option."""

    y: float
    colour: str


@dataclass(frozen=True, slots=True)
class Dot:
    """A mark of ``size`` pixels: "o" round, "s" square, "d" diamond, "t" triangle."""

    x: float
    y: float
    symbol: str
    size: float
    fill: str
    ring: str


@dataclass(frozen=True, slots=True)
class Text:
    """A text beside a point. ``place``: "right", "below", or "free": where it covers no mark and no other text.

    ``ground``: colour behind it, so that no line runs through it; empty: none.
    """

    x: float
    y: float
    text: str
    colour: str
    place: str = "right"
    strong: bool = False
    ground: str = ""


Mark = Bar | Path | Rule | Area | Row | Dot | Text


def draw_symbol(painter: QPainter, symbol: str, box: QRectF) -> None:
    """A mark as ``Dot`` names it, with the painter's pen and brush."""
    if symbol == "s":
        painter.drawRect(box)
    elif symbol == "o":
        painter.drawEllipse(box)
    else:
        middle = box.center()
        top, left, right = QPointF(middle.x(), box.top()), box.bottomLeft(), box.bottomRight()
        if symbol == "d":
            left, right = QPointF(box.left(), middle.y()), QPointF(box.right(), middle.y())
            painter.drawPolygon(QPolygonF([top, right, QPointF(middle.x(), box.bottom()), left]))
        else:
            painter.drawPolygon(QPolygonF([top, right, left]))


class Canvas(pg.GraphicsObject):
    """Paints marks in their order."""

    def __init__(self) -> None:
        super().__init__()
        self._marks: tuple[Mark, ...] = ()
        self._font = QFont()

    def set_marks(self, marks: Sequence[Mark], font: QFont) -> None:
        self.prepareGeometryChange()
        # Important texts come first, so that they find a place; painting order among texts does not matter.
        texts = sorted((mark for mark in marks if isinstance(mark, Text)), key=lambda text: not text.strong)
        self._marks = (*(mark for mark in marks if not isinstance(mark, Text)), *texts)
        self._font = font
        self.update()

    @property
    def marks(self) -> tuple[Mark, ...]:
        return self._marks

    def viewRangeChanged(self) -> None:
        self.prepareGeometryChange()
        self.update()

    def boundingRect(self) -> QRectF:
        return QRectF(self.viewRect()) if self.getViewBox() is not None else QRectF()

    def paint(self, painter: QPainter, *_: object) -> None:
        to_pixels = painter.worldTransform()
        painter.save()
        area = to_pixels.mapRect(self.boundingRect())
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        brush = _Painting(painter, to_pixels, area, self._font)
        for mark in self._marks:
            brush.paint(mark)
        painter.restore()


def pen_of(colour: str, width: float, style: str) -> QPen:
    """The pen of a line, as plot and legend draw it."""
    pen = QPen(QColor(colour), width, PEN_STYLES[style])
    if style == "long_dash":
        pen.setDashPattern(_LONG_DASH)
    return pen


class _Painting:
    """One painting: from plot coordinates to pixels, and where texts already stand."""

    def __init__(self, painter: QPainter, to_pixels: QTransform, area: QRectF, font: QFont) -> None:
        self._painter, self._to_pixels, self._area = painter, to_pixels, area
        self._fonts = {strong: QFont(font) for strong in (False, True)}
        self._fonts[True].setBold(True)
        self._taken: list[QRectF] = []
        self._ways: Mapping[type, Callable[..., None]] = {
            Bar: self._bar,
            Path: self._path,
            Rule: self._rule,
            Area: self._polygon,
            Row: self._row,
            Dot: self._dot,
            Text: self._text,
        }

    def paint(self, mark: Mark) -> None:
        self._ways[type(mark)](mark)

    def _at(self, x: float, y: float) -> QPointF:
        return self._to_pixels.map(QPointF(x, y))

    def _pen(self, colour: str, width: float, style: str = "line") -> QPen:
        return pen_of(colour, width, style)

    def _bar(self, bar: Bar) -> None:
        corner = self._at(bar.x0, bar.y + bar.height / 2)
        other = self._at(bar.x1, bar.y - bar.height / 2)
        self._painter.fillRect(QRectF(corner, other).normalized(), QColor(bar.colour))

    def _path(self, path: Path) -> None:
        self._painter.setPen(self._pen(path.colour, path.width, path.style))
        self._painter.drawPolyline(QPolygonF([self._at(x, y) for x, y in path.points]))

    def _rule(self, rule: Rule) -> None:
        at = self._at(rule.at, rule.at)
        area = self._area
        x, y = round(at.x()) + 0.5, round(at.y()) + 0.5  # on a pixel: thin lines stay sharp
        line = QLineF(x, area.top(), x, area.bottom()) if rule.upright else QLineF(area.left(), y, area.right(), y)
        self._painter.setPen(self._pen(rule.colour, rule.width, rule.style))
        self._painter.drawLine(line)

    def _polygon(self, area: Area) -> None:
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(QBrush(QColor(area.colour)))
        self._painter.drawPolygon(QPolygonF([self._at(x, y) for x, y in area.points]))

    def _row(self, row: Row) -> None:
        top, bottom = self._at(0, row.y + 0.5).y(), self._at(0, row.y - 0.5).y()
        self._painter.fillRect(
            QRectF(self._area.left(), top, self._area.width(), bottom - top), QColor(row.colour)
        )

    def _dot(self, dot: Dot) -> None:
        at, half = self._at(dot.x, dot.y), dot.size / 2
        self._painter.setPen(QPen(QColor(dot.ring), 2))
        self._painter.setBrush(QBrush(QColor(dot.fill)))
        box = QRectF(at.x() - half, at.y() - half, dot.size, dot.size)
        self._taken.append(box.adjusted(-1, -1, 1, 1))
        draw_symbol(self._painter, dot.symbol, box)

    def _text(self, text: Text) -> None:
        font = self._fonts[text.strong]
        metrics = QFontMetricsF(font)
        width, height = metrics.horizontalAdvance(text.text), metrics.height()
        at = self._at(text.x, text.y)
        if text.place == "right":
            box: QRectF | None = QRectF(at.x() + _GAP_PX, at.y() - height / 2, width, height)
        elif text.place == "below":
            box = QRectF(at.x() - width / 2, at.y() + _GAP_PX + 2, width, height)
        else:
            box = self._free_place(at, width, height)
        if box is None:
            return  # told on hover and in the table
        if text.place == "free":
            self._lead(at, box, text.colour)
        if text.ground:
            self._painter.fillRect(box, QColor(text.ground))
        self._painter.setFont(font)
        self._painter.setPen(QColor(text.colour))
        self._painter.drawText(box, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip, text.text)

    def _free_place(self, at: QPointF, width: float, height: float) -> QRectF | None:
        for away in _AWAY_PX:
            for right, down in _SIDES:
                x = at.x() + _GAP_PX + 2 if right > 0 else at.x() - _GAP_PX - 2 - width
                y = at.y() + away if down > 0 else at.y() - away - height
                box = QRectF(x, y, width, height)
                if self._area.contains(box) and not any(box.intersects(other) for other in self._taken):
                    self._taken.append(box)
                    return box
        return None

    def _lead(self, at: QPointF, box: QRectF, colour: str) -> None:
        """A thin line from a name that stands away from its point."""
        near = QPointF(
            min(max(at.x(), box.left()), box.right()), box.bottom() if box.bottom() < at.y() else box.top()
        )
        if abs(near.y() - at.y()) > _AWAY_PX[0] + 1:
            self._painter.setPen(self._pen(colour, 0.7))
            self._painter.drawLine(QLineF(at, near))
