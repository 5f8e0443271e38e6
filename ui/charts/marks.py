"""ChartSpec → marks on a plot, one function per kind. Categories run down the left side: names stay readable."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from planner.report.types import ChartKind, ChartSpec, Series
from planner.units import significant
from ui.charts.labels import Label, place_labels
from ui.charts.plot import Plot, Spot, ValueAxis, grid_lines, text_item, value_axis
from ui.theme import Tokens

_NAME_WIDTH = 22  # characters of a category's name in one line
_SYMBOLS = ("s", "o", "t", "d")
PEN_STYLES = {
    "line": Qt.PenStyle.SolidLine,
    "dash": Qt.PenStyle.DashLine,
    "dot": Qt.PenStyle.DotLine,
    "dash_dot": Qt.PenStyle.DashDotLine,
}
LINE_MARKS = ("dash", "dot", "dash_dot")  # of deadline, budget, capacities in their order
_BAR = 0.44  # share of a category's height


def draw(plot: Plot, spec: ChartSpec, tokens: Tokens, selected: str | None) -> None:
    """Replace what the plot shows. ``selected``: key of the option to mark."""
    plot.clear()
    plot.spots = []
    plot.paint_theme(tokens)
    _KINDS[spec.kind](plot, spec, tokens, selected)


def _known(values: Sequence[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _at(values: tuple[float | None, ...], index: int) -> float | None:
    return values[index] if index < len(values) else None


def _flag(flags: tuple[bool, ...], index: int) -> bool:
    return index < len(flags) and flags[index]


def _spread(low: float | None, likely: float, high: float | None) -> str:
    if low is None or high is None or low == high:
        return significant(likely)
    return f"{significant(likely)} ({significant(low)}–{significant(high)})"


def _name_lines(name: str) -> list[str]:
    """A category's name in short lines; what stands in brackets begins one of its own."""
    return [line for part in name.replace(" (", "\n(").split("\n") for line in textwrap.wrap(part, _NAME_WIDTH)]


def _set_axis(plot: Plot, side: str, axis: ValueAxis, label: str, tokens: Tokens) -> None:
    item = plot.getAxis(side)
    ticks = axis.ticks()
    item.setTicks([ticks])
    item.setLabel(label)
    item.label.setDefaultTextColor(QColor(tokens.quiet))
    vertical = side == "bottom"
    grid_lines(plot, [position for position, _ in ticks], 90 if vertical else 0, tokens.border)


def _categories(plot: Plot, spec: ChartSpec) -> None:
    """Names from top to bottom on the left."""
    last = len(spec.categories) - 1
    names = ["\n".join(_name_lines(name)) for name in spec.categories]
    plot.getAxis("left").setTicks([[(float(last - index), name) for index, name in enumerate(names)]])
    plot.getAxis("left").setLabel(None)
    plot.setYRange(-0.6, last + 0.6, padding=0)


def _reference(plot: Plot, number: int, position: float, angle: int, tokens: Tokens) -> None:
    """A line for the deadline, the budget or a capacity; the legend names it by its dashes, so no text is cut."""
    style = PEN_STYLES[LINE_MARKS[number % len(LINE_MARKS)]]
    mark = pg.InfiniteLine(position, angle=angle, pen=pg.mkPen(tokens.bad, width=1.5, style=style))
    mark.setZValue(10)
    plot.addItem(mark)


def _select_row(plot: Plot, y: float, tokens: Tokens) -> None:
    band = pg.LinearRegionItem(
        (y - 0.5, y + 0.5), "horizontal", brush=QColor(tokens.tint), pen=pg.mkPen(None), movable=False
    )
    band.setZValue(-30)
    plot.addItem(band)


def _ranges(plot: Plot, spec: ChartSpec, tokens: Tokens, selected: str | None) -> None:
    """One bar per category from low to high, a mark at the likely value, its text at the end."""
    series = spec.series[0]
    marks = [line.value for line in spec.lines]
    axis = value_axis([*_known(series.low), *_known(series.high), *marks], spec.y.log, 1.28)
    plot.setXRange(*axis.span, padding=0)
    _set_axis(plot, "bottom", axis, spec.y.label, tokens)
    _categories(plot, spec)
    last = len(spec.categories) - 1
    for index, likely in enumerate(series.y):
        y = float(last - index)
        key = series.keys[index] if index < len(series.keys) else None
        if key is not None and key == selected:
            _select_row(plot, y, tokens)
        label = series.labels[index] if index < len(series.labels) else ""
        if likely is None:
            _text(plot, label, axis.span[0], y, tokens.quiet)
            continue
        low, high = _at(series.low, index), _at(series.high, index)
        _bar(plot, axis, y, (low or likely, likely, high or likely), _flag(series.emphasis, index), tokens)
        _text(plot, label, axis.at(high or likely), y, tokens.ink, bold=_flag(series.emphasis, index))
        text = f"{spec.categories[index]}\n{spec.y.label}: {_spread(low, likely, high)}"
        plot.spots.append(Spot(axis.at(likely), y, text, key, axis.at(low or likely), axis.at(high or likely)))
    for number, line in enumerate(spec.lines):
        _reference(plot, number, axis.at(line.value), 90, tokens)


def _bar(
    plot: Plot, axis: ValueAxis, y: float, value: tuple[float, float, float], strong: bool, tokens: Tokens
) -> None:
    low, likely, high = value
    colour = QColor(tokens.chart_strong if strong else tokens.chart_plain)
    plot.addItem(
        pg.BarGraphItem(
            x0=[axis.at(low)], x1=[axis.at(high)], y=[y], height=_BAR, brush=colour, pen=pg.mkPen(None)
        )
    )
    mark = pg.PlotCurveItem(
        [axis.at(likely)] * 2, [y - _BAR / 2 - 0.06, y + _BAR / 2 + 0.06], pen=pg.mkPen(tokens.ink, width=3)
    )
    plot.addItem(mark)


def _text(plot: Plot, text: str, x: float, y: float, colour: str, bold: bool = False) -> None:
    item = text_item(text, colour, (0, 0.5), plot.font(), bold)
    item.setPos(x, y)
    plot.addItem(item)


def _scatter(plot: Plot, spec: ChartSpec, tokens: Tokens, selected: str | None) -> None:
    """Points with both ranges; the shape says which group, as does the legend."""
    verticals = [line.value for line in spec.lines if line.orientation == "vertical"]
    horizontals = [line.value for line in spec.lines if line.orientation == "horizontal"]
    xs = [value for series in spec.series for value in (*_known(series.x_low), *_known(series.x_high), *series.x)]
    ys = [
        value for series in spec.series for value in (*_known(series.low), *_known(series.high), *_known(series.y))
    ]
    x_axis = value_axis([*xs, *verticals], spec.x.log, 1.18)
    y_axis = value_axis([*ys, *horizontals], spec.y.log, 1.12)
    plot.setXRange(*x_axis.span, padding=0)
    plot.setYRange(*y_axis.span, padding=0)
    _set_axis(plot, "bottom", x_axis, spec.x.label, tokens)
    _set_axis(plot, "left", y_axis, spec.y.label, tokens)
    labels: list[Label] = []
    for number, series in enumerate(spec.series):
        symbol = _SYMBOLS[number % len(_SYMBOLS)]
        _cloud(plot, spec, series, (x_axis, y_axis), symbol, labels, tokens, selected)
    place_labels(plot, labels, x_axis, y_axis, tokens)
    for number, line in enumerate(spec.lines):
        upright = line.orientation == "vertical"
        axis = x_axis if upright else y_axis
        _reference(plot, number, axis.at(line.value), 90 if upright else 0, tokens)


def _cloud(
    plot: Plot,
    spec: ChartSpec,
    series: Series,
    axes: tuple[ValueAxis, ValueAxis],
    symbol: str,
    labels: list[Label],
    tokens: Tokens,
    selected: str | None,
) -> None:
    x_axis, y_axis = axes
    for index, likely in enumerate(series.y):
        if likely is None:
            continue
        x, y = x_axis.at(series.x[index]), y_axis.at(likely)
        strong = _flag(series.emphasis, index)
        colour = tokens.chart_strong if strong else tokens.chart_plain
        low, high = _at(series.low, index), _at(series.high, index)
        x_low, x_high = _at(series.x_low, index), _at(series.x_high, index)
        key = series.keys[index] if index < len(series.keys) else None
        pen = pg.mkPen(colour, width=2 if strong else 1)
        if low is not None and high is not None:
            plot.addItem(pg.PlotCurveItem([x, x], [y_axis.at(low), y_axis.at(high)], pen=pen))
        if x_low is not None and x_high is not None:
            plot.addItem(pg.PlotCurveItem([x_axis.at(x_low), x_axis.at(x_high)], [y, y], pen=pen))
        ring = pg.mkPen(tokens.ink if key is not None and key == selected else colour, width=2)
        plot.addItem(
            pg.ScatterPlotItem([x], [y], symbol=symbol, size=14 if strong else 10, brush=QColor(colour), pen=ring)
        )
        name = series.labels[index] if index < len(series.labels) else series.name
        labels.append(Label(x, y, name, strong or (key is not None and key == selected)))
        text = (
            f"{name}\n{spec.x.label}: {_spread(x_low, series.x[index], x_high)}\n"
            f"{spec.y.label}: {_spread(low, likely, high)}"
        )
        plot.spots.append(Spot(x, y, text, key))


def _stacked(plot: Plot, spec: ChartSpec, tokens: Tokens, selected: str | None) -> None:
    """Parts side by side in one bar per category; the total is a whisker; capacities are lines."""
    parts = [series for series in spec.series if not series.low]
    totals = next((series for series in spec.series if series.low), None)
    reach = [line.value for line in spec.lines] + (_known(totals.high) if totals else [])
    axis = value_axis(reach, False, 1.16)
    plot.setXRange(*axis.span, padding=0)
    _set_axis(plot, "bottom", axis, spec.y.label, tokens)
    _categories(plot, spec)
    last = len(spec.categories) - 1
    if totals is not None:
        for index, key in enumerate(totals.keys):
            if key == selected:
                _select_row(plot, float(last - index), tokens)
    _stack_parts(plot, spec, parts, totals, tokens)
    if totals is not None:
        _whiskers(plot, totals, axis, last, tokens)
    for number, line in enumerate(spec.lines):
        _reference(plot, number, axis.at(line.value), 90, tokens)


def _stack_parts(
    plot: Plot, spec: ChartSpec, parts: Sequence[Series], totals: Series | None, tokens: Tokens
) -> None:
    last = len(spec.categories) - 1
    starts = [0.0] * len(spec.categories)
    for number, series in enumerate(parts):
        colour = QColor(tokens.parts[number % len(tokens.parts)])
        for index, value in enumerate(series.y):
            if value is None:
                continue
            y, start = float(last - index), starts[index]
            starts[index] += value
            plot.addItem(
                pg.BarGraphItem(
                    x0=[start], x1=[start + value], y=[y], height=0.5, brush=colour, pen=tokens.surface
                )
            )
            text = f"{spec.categories[index]}\n{series.name}: {significant(value)} – {spec.y.label}"
            key = totals.keys[index] if totals and index < len(totals.keys) else None
            plot.spots.append(Spot(start + value / 2, y, text, key, start, start + value))


def _whiskers(plot: Plot, totals: Series, axis: ValueAxis, last: int, tokens: Tokens) -> None:
    for index, likely in enumerate(totals.y):
        y = float(last - index)
        label = totals.labels[index] if index < len(totals.labels) else ""
        low, high = _at(totals.low, index), _at(totals.high, index)
        if likely is None or low is None or high is None:
            _text(plot, label, axis.span[0], y, tokens.quiet)
            continue
        pen = pg.mkPen(tokens.ink, width=1)
        plot.addItem(pg.PlotCurveItem([low, high], [y, y], pen=pen))
        plot.addItem(
            pg.PlotCurveItem(
                [low, low, high, high], [y - 0.12, y + 0.12, y - 0.12, y + 0.12], pen=pen, connect="pairs"
            )
        )
        _text(plot, label, high, y, tokens.ink, bold=_flag(totals.emphasis, index))


def _lines(plot: Plot, spec: ChartSpec, tokens: Tokens, selected: str | None) -> None:
    """Curves with bands; each is named at its end, the first is solid, the others dashed."""
    xs = [value for series in spec.series for value in series.x]
    ys = [value for series in spec.series for value in (*_known(series.y), *_known(series.high))]
    axis = value_axis(ys, spec.y.log, 1.12)
    counts = sorted(set(xs)) or [1.0]
    plot.setXRange(counts[0] - 0.3, counts[-1] + 0.3, padding=0)
    plot.setYRange(*axis.span, padding=0)
    plot.getAxis("bottom").setTicks([[(value, significant(value)) for value in counts]])
    plot.getAxis("bottom").setLabel(spec.x.label)
    _set_axis(plot, "left", axis, spec.y.label, tokens)
    for number, series in enumerate(spec.series):
        _curve(plot, spec, series, axis, number == 0, tokens, selected)


def _curve(
    plot: Plot,
    spec: ChartSpec,
    series: Series,
    axis: ValueAxis,
    first: bool,
    tokens: Tokens,
    selected: str | None,
) -> None:
    points = [(x, y, index) for index, (x, y) in enumerate(zip(series.x, series.y, strict=True)) if y is not None]
    if not points:
        return
    xs = [x for x, _, _ in points]
    _band(plot, series, axis, tokens)
    style = Qt.PenStyle.SolidLine if first else Qt.PenStyle.DashLine
    pen = pg.mkPen(tokens.chart_strong if first else tokens.quiet, width=2 if first else 1, style=style)
    plot.addItem(pg.PlotCurveItem(xs, [axis.at(y) for _, y, _ in points], pen=pen))
    if not first:
        return
    for x, y, index in points:
        key = series.keys[index] if index < len(series.keys) else None
        strong = _flag(series.emphasis, index)
        ring = pg.mkPen(tokens.ink if key is not None and key == selected else tokens.chart_strong, width=2)
        brush = QColor(tokens.chart_strong if strong else tokens.surface)
        plot.addItem(pg.ScatterPlotItem([x], [axis.at(y)], size=12 if strong else 9, brush=brush, pen=ring))
        label = series.labels[index] if index < len(series.labels) else ""
        item = text_item(label, tokens.ink if strong else tokens.quiet, (0.5, -0.25), plot.font(), strong)
        item.setPos(x, axis.at(y))
        plot.addItem(item)
        spread = _spread(_at(series.low, index), y, _at(series.high, index))
        text = f"{spec.x.label}: {significant(x)}\n{spec.y.label}: {spread}\n{label}"
        plot.spots.append(Spot(x, axis.at(y), text, key))


def _band(plot: Plot, series: Series, axis: ValueAxis, tokens: Tokens) -> None:
    known = [
        (x, axis.at(low), axis.at(high))
        for x, low, high in zip(series.x, series.low, series.high, strict=False)
        if low is not None and high is not None
    ]
    if len(known) > 1:
        xs = [x for x, _, _ in known]
        lower = pg.PlotCurveItem(xs, [low for _, low, _ in known], pen=pg.mkPen(None))
        upper = pg.PlotCurveItem(xs, [high for _, _, high in known], pen=pg.mkPen(None))
        band = pg.FillBetweenItem(lower, upper, brush=QColor(tokens.chart_band))
        band.setZValue(-10)
        plot.addItem(band)


_KINDS: Mapping[ChartKind, Callable[[Plot, ChartSpec, Tokens, str | None], None]] = {
    "ranges": _ranges,
    "scatter": _scatter,
    "stacked": _stacked,
    "lines": _lines,
}
