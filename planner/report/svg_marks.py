"""What is drawn inside the plot area, one function per kind of chart."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from planner.report.svg_elements import (
    INK,
    PAPER,
    QUIET,
    Box,
    Hatch,
    hatch,
    line,
    marker,
    polygon,
    polyline,
    rect,
    text,
    whisker,
)
from planner.report.text_width import shortened, text_width, wrapped
from planner.report.ticks import Scale
from planner.report.types import ChartKind, ChartSpec, Series

_SMALL = 10.0
_LINE = 13.0
_SIDE_LINES = 4
STRONG, PLAIN = "#0b3c7a", "#5b84b1"  # dark for the recommended option, mid-grey when printed without colour
_BAND = "#d6e2ef"
# Fills of stacked parts: lightness alternates so that neighbours differ without colour, hatches do the rest.
_FILLS: tuple[tuple[str, Hatch], ...] = (
    ("#3b6ea5", "none"),
    ("#f3d9b1", "rising"),
    ("#7fa37f", "none"),
    ("#ffffff", "flat"),
    ("#c9c9c9", "none"),
    ("#d6e2ef", "falling"),
    ("#8a6d9e", "none"),
    ("#f7f0d4", "crossed"),
    ("#b0c4b1", "upright"),
)
_DASHES = ("", "6 4", "2 3", "8 3 2 3", "12 5", "8 3 2 3 2 3")


@dataclass(frozen=True, slots=True)
class Frame:
    """The plot area and its two axes."""

    area: Box
    x: Scale
    y: Scale


def _at(values: tuple[float | None, ...], index: int) -> float | None:
    return values[index] if index < len(values) else None


def _strong(series: Series, index: int) -> bool:
    return index < len(series.emphasis) and series.emphasis[index]


def _label(series: Series, index: int) -> str:
    return series.labels[index] if index < len(series.labels) else ""


def _ranges(spec: ChartSpec, frame: Frame) -> list[str]:
    """A marker with a whisker for each category and its value above; what is not known has words, no mark."""
    parts: list[str] = []
    for shape, series in enumerate(spec.series):
        for index, (x_value, y_value) in enumerate(zip(series.x, series.y, strict=True)):
            x, label = frame.x.at(x_value), _label(series, index)
            room = (frame.area.right - frame.area.left) / max(len(spec.categories), 1) - 4
            if y_value is None:
                words = shortened(label, _SMALL, room)
                parts.append(text(x, frame.area.bottom - 6, words, "middle", _SMALL, QUIET))
                continue
            strong = _strong(series, index)
            colour = STRONG if strong else PLAIN
            low, high, y = _at(series.low, index), _at(series.high, index), frame.y.at(y_value)
            top = y
            if low is not None and high is not None:
                top = frame.y.at(high)
                parts += whisker(x, frame.y.at(low), top, colour, 3.0 if strong else 1.6)
            parts.append(marker(x, y, shape, colour, strong))
            words = shortened(label, _SMALL, room, bold=strong)
            parts += _on_paper(x, top - 7, words, strong)
    return parts


def _on_paper(x: float, y: float, words: str, strong: bool) -> list[str]:
    """Centred words on a white ground, so that no line runs through them."""
    half = text_width(words, _SMALL, strong) / 2 + 1
    return [
        rect(Box(x - half, y - 9, x + half, y + 2.5), PAPER),
        text(x, y, words, "middle", _SMALL, INK, bold=strong),
    ]


def _scatter(spec: ChartSpec, frame: Frame) -> list[str]:
    """Crosses of two ranges; each point is named beside it, where nothing else stands."""
    parts: list[str] = []
    points: list[tuple[float, float, str, bool]] = []
    for series in _joined(spec):
        parts += _joined_band(series, frame)
    for number, series in sorted(enumerate(_joined(spec)), key=lambda one: any(one[1].emphasis)):  # strong on top
        parts += _joined_edges(series, number, frame)
        parts += _joined_line(series, number, frame)
        points += _joined_names(series, frame)
    for shape, series in enumerate(spec.series):
        for index, (x_value, y_value) in enumerate(zip(series.x, series.y, strict=True)):
            if y_value is None or series.joined:
                continue
            x, y, strong = frame.x.at(x_value), frame.y.at(y_value), _strong(series, index)
            colour, width = (STRONG, 2.4) if strong else (PLAIN, 1.2)
            low, high = _at(series.low, index), _at(series.high, index)
            left, right = _at(series.x_low, index), _at(series.x_high, index)
            if low is not None and high is not None:
                parts.append(line(x, frame.y.at(low), x, frame.y.at(high), colour, width))
            if left is not None and right is not None:
                parts.append(line(frame.x.at(left), y, frame.x.at(right), y, colour, width))
            parts.append(marker(x, y, shape, colour, strong))
            if _label(series, index):
                points.append((x, y, _label(series, index), strong))
    return parts + _names(points, frame.area)


def _joined(spec: ChartSpec) -> list[Series]:
    return [series for series in spec.series if series.joined]


def _joined_band(series: Series, frame: Frame) -> list[str]:
    known = [
        (frame.x.at(x), frame.y.at(low), frame.y.at(high))
        for x, low, high in zip(series.x, series.low, series.high, strict=False)
        if low is not None and high is not None
    ]
    outline = [(x, high) for x, _, high in known] + [(x, low) for x, low, _ in reversed(known)]
    return [polygon(outline, _BAND)] if len(known) > 1 else []


def _joined_edges(series: Series, number: int, frame: Frame) -> list[str]:
    """Thin lines around the band in the dashes of its line: bands that cover each other stay apart."""
    colour, _, dashes = _joined_style(series, number)
    sides = (
        [(frame.x.at(x), frame.y.at(y)) for x, y in zip(series.x, side, strict=False) if y is not None]
        for side in (series.low, series.high)
    )
    return [polyline(points, colour, 0.7, dashes) for points in sides if len(points) > 1]


def _joined_style(series: Series, number: int) -> tuple[str, float, str]:
    """Colour, width and dashes: the first line and an emphasised one stand out."""
    strong = any(series.emphasis)
    return STRONG if strong or number == 0 else QUIET, 2.4 if strong else 1.6, _DASHES[number % len(_DASHES)]


def _joined_line(series: Series, number: int, frame: Frame) -> list[str]:
    return [polyline(run, *_joined_style(series, number)) for run in _runs(series, frame)]


def _joined_names(series: Series, frame: Frame) -> list[tuple[float, float, str, bool]]:
    return [
        (frame.x.at(x), frame.y.at(y), _label(series, index), any(series.emphasis))
        for index, (x, y) in enumerate(zip(series.x, series.y, strict=True))
        if y is not None and _label(series, index)
    ]


def _names(points: list[tuple[float, float, str, bool]], area: Box) -> list[str]:
    """Names beside their points without overlap; one that had to move away gets a thin line to its point."""
    taken = [Box(x - 6, y - 6, x + 6, y + 6) for x, y, _, _ in points]
    parts: list[str] = []
    for x, y, name, strong in sorted(points, key=lambda point: not point[3]):  # the recommended one first
        width = text_width(name, _SMALL, strong)
        boxes = [
            Box(left, y + dy - 9, left + width, y + dy + 3)
            for distance in (10, 22, 36, 52, 70)
            for dx, dy in _directions(distance)
            for left in [x + dx if dx > 0 else x - width + dx if dx < 0 else x - width / 2]
        ]
        inside = [box for box in boxes if _within(box, area)] or boxes
        box = next((box for box in inside if not any(box.overlaps(other) for other in taken)), inside[-1])
        taken.append(box)
        if box.left > x + 16 or box.right < x - 16 or box.top > y + 16 or box.bottom < y - 16:
            nearest = min(max(x, box.left), box.right)
            parts.append(line(x, y, nearest, box.bottom if box.bottom < y else box.top, QUIET, 0.6))
        parts.append(rect(Box(box.left - 1, box.top, box.right + 1, box.bottom), PAPER))
        parts.append(text(box.left, box.bottom - 3, name, "start", _SMALL, INK, bold=strong))
    return parts


def _directions(distance: float) -> tuple[tuple[float, float], ...]:
    """Offsets of a name from its point, the best-readable side first."""
    d = float(distance)
    return ((d, -d), (-d, -d), (d, d + 2), (-d, d + 2), (0.0, -d - 2), (0.0, d + 8), (d, 3.0), (-d, 3.0))


def _within(box: Box, area: Box) -> bool:
    return box.left >= area.left and box.right <= area.right and box.top >= area.top and box.bottom <= area.bottom


def _stacked(spec: ChartSpec, frame: Frame) -> list[str]:
    """Parts on each other with fills and hatches; the total is a whisker with its value above."""
    parts: list[str] = []
    half = min(34.0, (frame.area.right - frame.area.left) / max(len(spec.categories), 1) * 0.3)
    heights = [0.0] * len(spec.categories)
    for number, series in enumerate(spec.series):
        if series.high:
            continue
        fill, lines = _FILLS[number % len(_FILLS)]
        for index, value in enumerate(series.y):
            if not value:
                continue
            x = frame.x.at(index)
            box = Box(x - half, frame.y.at(heights[index] + value), x + half, frame.y.at(heights[index]))
            parts += [rect(box, fill), *hatch(box, lines), rect(box, "none", INK)]
            heights[index] += value
    for series in (series for series in spec.series if series.high):
        parts += _totals(series, frame)
    return parts


def _totals(series: Series, frame: Frame) -> list[str]:
    parts: list[str] = []
    for index, y_value in enumerate(series.y):
        x, label = frame.x.at(series.x[index]), _label(series, index)
        if y_value is None:
            parts.append(text(x, frame.area.bottom - 6, label, "middle", _SMALL, QUIET))
            continue
        low, high = _at(series.low, index), _at(series.high, index)
        top = frame.y.at(y_value)
        if low is not None and high is not None:
            top = frame.y.at(high)
            parts += whisker(x, frame.y.at(low), top, INK, 1.4)
        parts += _on_paper(x, top - 5, label, strong=True)
    return parts


def _lines(spec: ChartSpec, frame: Frame) -> list[str]:
    """Bands first, then lines with markers; a gap breaks the line."""
    parts: list[str] = []
    for series in spec.series:
        known = [
            (frame.x.at(x), frame.y.at(low), frame.y.at(high))
            for x, low, high in zip(series.x, series.low, series.high, strict=False)
            if low is not None and high is not None
        ]
        if len(known) > 1:
            outline = [(x, high) for x, _, high in known] + [(x, low) for x, low, _ in reversed(known)]
            parts.append(polygon(outline, _BAND))
    for number, series in enumerate(spec.series):
        colour = STRONG if series.high else QUIET
        for run in _runs(series, frame):
            parts.append(polyline(run, colour, 1.8, _DASHES[number % len(_DASHES)]))
        if not series.labels:
            continue
        for index, (x_value, y_value) in enumerate(zip(series.x, series.y, strict=True)):
            if y_value is None:
                continue
            x, y, strong = frame.x.at(x_value), frame.y.at(y_value), _strong(series, index)
            parts.append(marker(x, y, number, colour, strong))
            parts.append(text(x, y + 18, _label(series, index), "middle", _SMALL, INK, bold=strong))
    return parts


def _runs(series: Series, frame: Frame) -> list[list[tuple[float, float]]]:
    runs: list[list[tuple[float, float]]] = [[]]
    for x, y in zip(series.x, series.y, strict=True):
        if y is None:
            runs.append([])
        else:
            runs[-1].append((frame.x.at(x), frame.y.at(y)))
    return [run for run in runs if len(run) > 1]


def legend_sample(spec: ChartSpec, number: int, box: Box) -> list[str]:
    """The little picture beside a series' name."""
    series = spec.series[number]
    middle_x, middle_y = (box.left + box.right) / 2, (box.top + box.bottom) / 2
    if spec.kind == "stacked" and not series.high:
        fill, lines = _FILLS[number % len(_FILLS)]
        return [rect(box, fill), *hatch(box, lines, gap=4.0), rect(box, "none", INK)]
    if spec.kind == "stacked":
        return whisker(middle_x, box.bottom, box.top, INK, 1.4, cap=4.0)
    if series.joined:
        style = _joined_style(series, _joined(spec).index(series))
        return [polyline([(box.left - 2, middle_y), (box.right + 3, middle_y)], *style)]
    return [marker(middle_x, middle_y, number, PLAIN, filled=False)]


def side_labels(spec: ChartSpec, frame: Frame, width: float) -> list[str]:
    """Names of horizontal reference lines and of drawn lines, right of the plot, pushed apart."""
    wanted = [(frame.y.at(mark.value), mark.label) for mark in spec.lines if mark.orientation == "horizontal"]
    if spec.kind == "lines":
        for series in spec.series:
            last = next((y for y in reversed(series.y) if y is not None), None)
            if last is not None:
                wanted.append((frame.y.at(last), series.name))
    parts: list[str] = []
    free_from = frame.area.top - 9
    for y, name in sorted(wanted):
        rows = wrapped(name, _SMALL, width - frame.area.right - 10, _SIDE_LINES)
        first = max(y + 3.5 - (len(rows) - 1) * _LINE / 2, free_from + 9)
        for row, words in enumerate(rows):
            parts.append(text(frame.area.right + 7, first + row * (_LINE - 1), words, "start", _SMALL))
        free_from = first + (len(rows) - 1) * (_LINE - 1) + 5
    return parts


MARKS: Mapping[ChartKind, Callable[[ChartSpec, Frame], list[str]]] = {
    "ranges": _ranges,
    "scatter": _scatter,
    "stacked": _stacked,
    "lines": _lines,
}
