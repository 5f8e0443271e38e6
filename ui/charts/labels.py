"""Names beside points without overlap: important ones first; what finds no place is told on hover."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFontMetricsF

from ui.charts.plot import Plot, ValueAxis, text_item
from ui.theme import Tokens

_AXES_PX = (70.0, 60.0)  # room that axis labels take, roughly
_GAP_PX = 8.0
# Sides tried in order: right above, right below, left above, left below, as (anchor x, anchor y).
_SIDES = ((0.0, 1.0), (0.0, 0.0), (1.0, 1.0), (1.0, 0.0))


@dataclass(frozen=True, slots=True)
class Label:
    """A name at a point in plot coordinates."""

    x: float
    y: float
    text: str
    strong: bool


def place_labels(plot: Plot, labels: list[Label], x_axis: ValueAxis, y_axis: ValueAxis, tokens: Tokens) -> None:
    """Add the names that fit, the strong ones first."""
    (left, right), (bottom, top) = x_axis.span, y_axis.span
    width = max(plot.width() - _AXES_PX[0], 100.0)
    height = max(plot.height() - _AXES_PX[1], 100.0)
    metrics = QFontMetricsF(plot.font())
    area = QRectF(0, 0, width, height)
    taken: list[QRectF] = []
    for label in sorted(labels, key=lambda one: not one.strong):
        at = QPointF((label.x - left) / (right - left) * width, (top - label.y) / (top - bottom) * height)
        size = (metrics.horizontalAdvance(label.text), metrics.height())
        for side in _SIDES:
            box = _box(at, size, side)
            if area.contains(box) and not any(box.intersects(other) for other in taken):
                taken.append(box)
                _add(plot, label, side, size, tokens)
                break


def _box(at: QPointF, size: tuple[float, float], side: tuple[float, float]) -> QRectF:
    x = at.x() + _GAP_PX if side[0] == 0 else at.x() - _GAP_PX - size[0]
    y = at.y() + _GAP_PX / 2 if side[1] == 0 else at.y() - _GAP_PX / 2 - size[1]
    return QRectF(x, y, *size)


def _add(plot: Plot, label: Label, side: tuple[float, float], size: tuple[float, float], tokens: Tokens) -> None:
    gap = _GAP_PX / size[0]  # an anchor outside 0 … 1 keeps the distance to the point
    anchor = (-gap if side[0] == 0 else 1 + gap, side[1] + (0.25 if side[1] else -0.25))
    colour = tokens.ink if label.strong else tokens.quiet
    item = text_item(label.text, colour, anchor, plot.font(), label.strong)
    item.setPos(label.x, label.y)
    plot.addItem(item)
