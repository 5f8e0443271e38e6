"""ChartSpec → marks, one function per kind. Categories run down the left side: their names stay readable."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping

from planner.report.types import ChartKind, ChartSpec, Series
from ui.charts.axes import ValueAxis, value_axis
from ui.charts.canvas import Area, Bar, Dot, Mark, Path, Row, Rule, Text
from ui.charts.drawing import (
    LINE_MARKS,
    Drawing,
    Spot,
    is_strong,
    key_of,
    known_values,
    label_of,
    note_of,
    spread_text,
    value_at,
)
from ui.charts.scatter import scatter
from ui.i18n import written
from ui.theme import Tokens

_NAME_WIDTH = 22  # characters of a category's name in one line
_BAR = 0.44  # share of a category's height


def draw(spec: ChartSpec, tokens: Tokens, selected: str | None) -> Drawing:
    """``selected``: key of the option to mark."""
    return _KINDS[spec.kind](spec, tokens, selected)


def _name_lines(name: str) -> str:
    """A category's name in short lines; what stands in brackets begins one of its own."""
    parts = name.replace(" (", "\n(").split("\n")
    return "\n".join(line for part in parts for line in textwrap.wrap(part, _NAME_WIDTH))


def _with_categories(spec: ChartSpec, axis: ValueAxis, tokens: Tokens) -> Drawing:
    """The frame of a chart whose categories run from top to bottom and whose values run to the right."""
    last = len(spec.categories) - 1
    ticks = axis.ticks()
    return Drawing(
        marks=[Rule(position, True, tokens.border) for position, _ in ticks],
        x_span=axis.span,
        y_span=(-0.6, last + 0.6),
        x_ticks=ticks,
        y_ticks=tuple((float(last - index), _name_lines(name)) for index, name in enumerate(spec.categories)),
        x_label=spec.y.label,
    )


def _reference_rules(spec: ChartSpec, axis: ValueAxis, tokens: Tokens) -> list[Mark]:
    return [
        Rule(axis.at(line.value), True, tokens.bad, LINE_MARKS[number % len(LINE_MARKS)], 1.5)
        for number, line in enumerate(spec.lines)
    ]


def _ranges(spec: ChartSpec, tokens: Tokens, selected: str | None) -> Drawing:
    """One bar per category from low to high, a mark at the likely value, its text at the end."""
    series = spec.series[0]
    values = [*known_values(series.low), *known_values(series.high), *(line.value for line in spec.lines)]
    axis = value_axis(values, spec.y.log, 1.28)
    drawing = _with_categories(spec, axis, tokens)
    last = len(spec.categories) - 1
    for index, likely in enumerate(series.y):
        y, key, strong = float(last - index), key_of(series, index), is_strong(series, index)
        if key is not None and key == selected:
            drawing.marks.insert(0, Row(y, tokens.tint))
        if likely is None:
            drawing.marks.append(Text(axis.span[0], y, label_of(series, index), tokens.quiet))
            continue
        low, high = value_at(series.low, index), value_at(series.high, index)
        left, middle, right = axis.at(low or likely), axis.at(likely), axis.at(high or likely)
        colour = tokens.chart_strong if strong else tokens.chart_plain
        ends = ((middle, y - _BAR / 2 - 0.06), (middle, y + _BAR / 2 + 0.06))
        drawing.marks += [
            Bar(left, right, y, _BAR, colour),
            Path(ends, tokens.ink, 3),
            Text(right, y, label_of(series, index), tokens.ink, strong=strong),
        ]
        text = f"{spec.categories[index]}\n{spec.y.label}: {spread_text(low, likely, high)}"
        drawing.spots.append(Spot(middle, y, text, key, left, right))
    drawing.marks += _reference_rules(spec, axis, tokens)
    return drawing


def _stacked(spec: ChartSpec, tokens: Tokens, selected: str | None) -> Drawing:
    """Parts side by side in one bar per category; the total is a whisker; capacities are lines."""
    parts = [series for series in spec.series if not series.low]
    totals = next((series for series in spec.series if series.low), None)
    reach = [line.value for line in spec.lines] + (known_values(totals.high) if totals else [])
    axis = value_axis(reach, False, 1.16)
    drawing = _with_categories(spec, axis, tokens)
    last = len(spec.categories) - 1
    keys = totals.keys if totals else ()
    for index, key in enumerate(keys):
        if key == selected:
            drawing.marks.insert(0, Row(float(last - index), tokens.tint))
    starts = [0.0] * len(spec.categories)
    for number, series in enumerate(parts):
        colour = tokens.parts[number % len(tokens.parts)]
        for index, value in enumerate(series.y):
            if not value:
                continue
            start, end, y = starts[index], starts[index] + value, float(last - index)
            starts[index] = end
            drawing.marks.append(Bar(start, end, y, 0.5, colour))
            text = f"{spec.categories[index]}\n{series.name}: {written(value)} – {spec.y.label}"
            key = keys[index] if index < len(keys) else None
            drawing.spots.append(Spot((start + end) / 2, y, text, key, start, end))
    if totals is not None:
        for index, likely in enumerate(totals.y):
            _total(drawing, totals, index, likely, float(last - index), tokens)
    drawing.marks += _reference_rules(spec, axis, tokens)
    return drawing


def _total(drawing: Drawing, totals: Series, index: int, likely: float | None, y: float, tokens: Tokens) -> None:
    low, high = value_at(totals.low, index), value_at(totals.high, index)
    label, strong = label_of(totals, index), is_strong(totals, index)
    if likely is None or low is None or high is None:
        drawing.marks.append(Text(0.0, y, label, tokens.quiet))
        return
    drawing.marks += [
        Path(((low, y), (high, y)), tokens.ink),
        Path(((low, y - 0.12), (low, y + 0.12)), tokens.ink),
        Path(((high, y - 0.12), (high, y + 0.12)), tokens.ink),
        Text(high, y, label, tokens.ink, strong=strong),
    ]


def _lines(spec: ChartSpec, tokens: Tokens, selected: str | None) -> Drawing:
    """Curves with bands; the first is solid with its points, the others dashed."""
    ys = [value for series in spec.series for value in (*known_values(series.y), *known_values(series.high))]
    ys += [line.value for line in spec.lines]
    counts = sorted({value for series in spec.series for value in series.x}) or [1.0]
    axis = value_axis(ys, spec.y.log, 1.12)
    ticks = axis.ticks()
    drawing = Drawing(
        marks=[Rule(position, False, tokens.border) for position, _ in ticks],
        x_span=(counts[0] - 0.3, counts[-1] + 0.3),
        y_span=axis.span,
        x_ticks=tuple((value, written(value)) for value in counts),
        y_ticks=ticks,
        x_label=spec.x.label,
        y_label=spec.y.label,
    )
    for number, series in enumerate(spec.series):
        _band(drawing, series, axis, tokens)
        points = tuple((x, axis.at(y)) for x, y in zip(series.x, series.y, strict=True) if y is not None)
        if number == 0:
            drawing.marks.append(Path(points, tokens.chart_strong, 2))
            _curve_points(drawing, spec, series, axis, tokens, selected)
        else:
            drawing.marks.append(Path(points, tokens.quiet, 1, "dash"))
    for number, line in enumerate(spec.lines):
        drawing.marks.append(
            Rule(axis.at(line.value), False, tokens.bad, LINE_MARKS[number % len(LINE_MARKS)], 1.5)
        )
    return drawing


def _band(drawing: Drawing, series: Series, axis: ValueAxis, tokens: Tokens) -> None:
    known = [
        (x, axis.at(low), axis.at(high))
        for x, low, high in zip(series.x, series.low, series.high, strict=False)
        if low is not None and high is not None
    ]
    edge = [(x, low) for x, low, _ in known] + [(x, high) for x, _, high in reversed(known)]
    drawing.marks.append(Area(tuple(edge), tokens.chart_band))


def _curve_points(
    drawing: Drawing, spec: ChartSpec, series: Series, axis: ValueAxis, tokens: Tokens, selected: str | None
) -> None:
    for index, (x, value) in enumerate(zip(series.x, series.y, strict=True)):
        if value is None:
            continue
        y, key, strong = axis.at(value), key_of(series, index), is_strong(series, index)
        ring = tokens.ink if key is not None and key == selected else tokens.chart_strong
        fill = tokens.chart_strong if strong else tokens.surface
        ink = tokens.ink if strong else tokens.quiet
        drawing.marks += [
            Dot(x, y, "o", 11 if strong else 8, fill, ring),
            Text(x, y, label_of(series, index), ink, "below", strong),
        ]
        spread = spread_text(value_at(series.low, index), value, value_at(series.high, index))
        lines = [
            f"{spec.x.label}: {written(x)}",
            f"{spec.y.label}: {spread}",
            label_of(series, index),
            note_of(series, index),
        ]
        drawing.spots.append(Spot(x, y, "\n".join(filter(None, lines)), key))


_KINDS: Mapping[ChartKind, Callable[[ChartSpec, Tokens, str | None], Drawing]] = {
    "ranges": _ranges,
    "scatter": scatter,
    "stacked": _stacked,
    "lines": _lines,
}
