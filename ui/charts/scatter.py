"""Points with both ranges, and lines through points: cost against time, rooflines, curves over one input."""

from __future__ import annotations

from dataclasses import dataclass

from planner.report.types import ChartSpec, Series
from ui.charts.axes import ValueAxis, value_axis
from ui.charts.canvas import Area, Dot, Mark, Path, Rule, Text
from ui.charts.drawing import (
    JOINED,
    LINE_MARKS,
    SYMBOLS,
    Drawing,
    Spot,
    is_strong,
    joined_colour,
    key_of,
    known_values,
    label_of,
    note_of,
    spread_text,
    value_at,
)
from ui.i18n import written
from ui.theme import Tokens


@dataclass(frozen=True, slots=True)
class _Frame:
    """What every mark of one chart needs."""

    drawing: Drawing
    spec: ChartSpec
    x: ValueAxis
    y: ValueAxis
    tokens: Tokens
    selected: str | None


def scatter(spec: ChartSpec, tokens: Tokens, selected: str | None) -> Drawing:
    """The shape says which group, as does the legend; joined series are lines below the points."""
    frame = _frame(spec, tokens, selected)
    joined = [series for series in spec.series if series.joined]
    for series in joined:
        _band(frame, series)
    for number, series in sorted(enumerate(joined), key=lambda one: any(one[1].emphasis)):  # strong ones on top
        _edges(frame, series, number)
        _curve(frame, series, number)
    for number, line in enumerate(spec.lines):
        stands = line.orientation == "vertical"
        at = (frame.x if stands else frame.y).at(line.value)
        style = LINE_MARKS[number % len(LINE_MARKS)]
        frame.drawing.marks.append(Rule(at, stands, tokens.bad, style, 1.5))
    for number, series in enumerate(one for one in spec.series if not one.joined):
        for index, likely in enumerate(series.y):
            if likely is not None:
                _point(frame, series, index, likely, SYMBOLS[number % len(SYMBOLS)])
    return frame.drawing


def _frame(spec: ChartSpec, tokens: Tokens, selected: str | None) -> _Frame:
    upright = [line.value for line in spec.lines if line.orientation == "vertical"]
    level = [line.value for line in spec.lines if line.orientation == "horizontal"]
    xs = [value for one in spec.series for value in (*known_values((*one.x_low, *one.x_high)), *one.x)]
    ys = [value for one in spec.series for value in known_values((*one.low, *one.high, *one.y))]
    x = value_axis([*xs, *upright], spec.x.log, 1.04 if _ends_in_curves(spec) else 1.18)
    y = value_axis([*ys, *level], spec.y.log, 1.12)
    x_ticks, y_ticks = x.ticks(), y.ticks()
    marks: list[Mark] = [Rule(position, True, tokens.border) for position, _ in x_ticks]
    marks += [Rule(position, False, tokens.border) for position, _ in y_ticks]
    labels = {"x_label": spec.x.label, "y_label": spec.y.label}
    return _Frame(Drawing(marks, [], x.span, y.span, x_ticks, y_ticks, **labels), spec, x, y, tokens, selected)


def _ends_in_curves(spec: ChartSpec) -> bool:
    """No point needs room for its name beyond the end of the lines."""
    curves = max((max(one.x) for one in spec.series if one.joined and one.x), default=0.0)
    points = [value for one in spec.series if not one.joined for value in (*one.x, *known_values(one.x_high))]
    return curves > 0 and all(value <= curves for value in points)


def _band(frame: _Frame, series: Series) -> None:
    known = [
        (frame.x.at(x), frame.y.at(low), frame.y.at(high))
        for x, low, high in zip(series.x, series.low, series.high, strict=False)
        if low is not None and high is not None
    ]
    edge = [(x, low) for x, low, _ in known] + [(x, high) for x, _, high in reversed(known)]
    if len(known) > 1:
        frame.drawing.marks.append(Area(tuple(edge), frame.tokens.chart_band))


def _edges(frame: _Frame, series: Series, number: int) -> None:
    """Thin lines around the band in the style of its line: bands that cover each other stay apart."""
    for side in (series.low, series.high):
        known = [(frame.x.at(x), frame.y.at(y)) for x, y in zip(series.x, side, strict=False) if y is not None]
        if len(known) > 1:
            colour = joined_colour(series, number, frame.tokens)
            frame.drawing.marks.append(Path(tuple(known), colour, 0.7, JOINED[number % len(JOINED)]))


def _curve(frame: _Frame, series: Series, number: int) -> None:
    """A line with a gap where a value is not known; every point of it answers to the mouse."""
    colour, strong = joined_colour(series, number, frame.tokens), any(series.emphasis)
    run: list[tuple[float, float]] = []
    for index, (x_value, y_value) in enumerate((*zip(series.x, series.y, strict=True), (0.0, None))):
        if y_value is None:
            if len(run) > 1:
                width = 2.5 if strong else 1.6
                frame.drawing.marks.append(Path(tuple(run), colour, width, JOINED[number % len(JOINED)]))
            run = []
            continue
        x, y = frame.x.at(x_value), frame.y.at(y_value)
        run.append((x, y))
        _answer(frame, series, index, (x, y), y_value)
        name = label_of(series, index)
        if name:
            ink = frame.tokens.ink if strong else frame.tokens.quiet
            frame.drawing.marks.append(Text(x, y, name, ink, "free", strong, frame.tokens.surface))


def _answer(frame: _Frame, series: Series, index: int, at: tuple[float, float], likely: float) -> None:
    spread = spread_text(value_at(series.low, index), likely, value_at(series.high, index))
    lines = [
        series.name,
        f"{frame.spec.x.label}: {written(series.x[index])}",
        f"{frame.spec.y.label}: {spread}",
        note_of(series, index),
    ]
    text = "\n".join(filter(None, lines))
    frame.drawing.spots.append(Spot(*at, text, key_of(series, index)))


def _point(frame: _Frame, series: Series, index: int, likely: float, symbol: str) -> None:
    drawing, tokens = frame.drawing, frame.tokens
    x, y = frame.x.at(series.x[index]), frame.y.at(likely)
    strong, key = is_strong(series, index), key_of(series, index)
    is_selected = key is not None and key == frame.selected
    colour = tokens.chart_strong if strong else tokens.chart_plain
    width = 2.0 if strong else 1.0
    low, high = value_at(series.low, index), value_at(series.high, index)
    x_low, x_high = value_at(series.x_low, index), value_at(series.x_high, index)
    if low is not None and high is not None:
        drawing.marks.append(Path(((x, frame.y.at(low)), (x, frame.y.at(high))), colour, width))
    if x_low is not None and x_high is not None:
        drawing.marks.append(Path(((frame.x.at(x_low), y), (frame.x.at(x_high), y)), colour, width))
    name, important = label_of(series, index), strong or is_selected
    drawing.marks.append(Dot(x, y, symbol, 13 if strong else 9, colour, tokens.ink if is_selected else colour))
    if name:
        ink = tokens.ink if important else tokens.quiet
        drawing.marks.append(Text(x, y, name, ink, "free", important, tokens.surface))
    lines = [
        name or series.name,
        f"{frame.spec.x.label}: {spread_text(x_low, series.x[index], x_high)}",
        f"{frame.spec.y.label}: {spread_text(low, likely, high)}",
        note_of(series, index),
    ]
    drawing.spots.append(Spot(x, y, "\n".join(filter(None, lines)), key))
