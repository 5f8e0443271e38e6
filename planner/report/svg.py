"""ChartSpec → SVG text: light, readable in grey print, the same text for the same numbers on every machine."""

from __future__ import annotations

from planner.report.markup import markup_safe
from planner.report.svg_elements import GRID, INK, PAPER, QUIET, TEXT_SIZE, Box, line, number, rect, text
from planner.report.svg_marks import MARKS, Frame, legend_sample, side_labels
from planner.report.text_width import shortened, text_width, wrapped
from planner.report.ticks import Scale, scale, tick_text
from planner.report.types import ChartSpec

WIDTH, HEIGHT = 700.0, 340.0
_TITLE_SIZE = 13.0
_SMALL = 10.0
_LINE = 13.0  # line height of small text
_CATEGORY_LINES = 3
_VALUE_LABEL = 18.0  # above the highest mark: its value
_SIDE_ROOM = 150.0  # most that labels beside the plot may take


def svg_chart(spec: ChartSpec, width: float = WIDTH, height: float = HEIGHT) -> str:
    """The chart as one SVG document of ``width`` × ``height`` drawing units."""
    legend, legend_height = _legend(spec, width)
    frame = _frame(spec, width, height, 26.0 + legend_height)
    side = side_labels(spec, frame, width)
    parts = [
        text(4, 17, shortened(spec.title, _TITLE_SIZE, width - 8, bold=True), size=_TITLE_SIZE, bold=True),
        *legend,
        *_grid(spec, frame),
        *_reference_lines(spec, frame),
        *MARKS[spec.kind](spec, frame),
        *side,
    ]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" version="1.2" baseProfile="tiny" width="{number(width)}" '
        f'height="{number(height)}" viewBox="0 0 {number(width)} {number(height)}" role="img" '
        f'aria-label="{markup_safe(spec.title)}">'
    )
    about = f"<title>{markup_safe(spec.title)}</title>\n<desc>{markup_safe(spec.description)}</desc>"
    return "\n".join([head, about, *parts, "</svg>"]) + "\n"


def _frame(spec: ChartSpec, width: float, height: float, top: float) -> Frame:
    """The plot area: what titles, tick labels, category names and side labels leave free."""
    top += (_LINE + 2) * sum(reference.orientation == "vertical" for reference in spec.lines)
    values = _values(spec)
    bottom = height - (18.0 + _LINE * (_CATEGORY_LINES if spec.categories else 1) + 8.0)
    head = _VALUE_LABEL if spec.kind in ("ranges", "stacked") else 0.0
    y = scale(values, bottom, top + head, spec.y.log, room=1.25 if spec.y.log else 1.1)
    tick_room = max(text_width(tick_text(tick), _SMALL) for tick in y.ticks)
    left = 24.0 + tick_room + 6.0
    names = [reference.label for reference in spec.lines if reference.orientation == "horizontal"]
    if spec.kind == "lines":
        names += [series.name for series in spec.series]
    side = max((text_width(name, _SMALL) for name in names), default=0.0)
    right = width - (min(side, _SIDE_ROOM) + 14.0 if names else 12.0)
    if spec.categories:
        x = Scale(-0.5, len(spec.categories) - 0.5, left, right, False, ())
    elif spec.kind == "lines":  # counts: only whole ones mean something
        counts = tuple(sorted({value for series in spec.series for value in series.x})) or (1.0,)
        x = Scale(counts[0] - 0.3, counts[-1] + 0.1, left, right, False, counts)
    else:
        marks = [reference.value for reference in spec.lines if reference.orientation == "vertical"]
        columns = [column for series in spec.series for column in (series.x, series.x_low, series.x_high)]
        reach = [*marks, *_reach(*columns)]
        x = scale(reach, left, right, spec.x.log, room=1.1 if spec.x.log else 1.04)
    return Frame(Box(left, top, right, bottom), x, y)


def _reach(*columns: tuple[float | None, ...]) -> list[float]:
    return [value for column in columns for value in column if value is not None]


def _values(spec: ChartSpec) -> list[float]:
    """Everything the y axis must hold."""
    values = [reference.value for reference in spec.lines if reference.orientation == "horizontal"]
    for series in spec.series:
        values += _reach(series.y, series.low, series.high)
    if spec.kind == "stacked":
        parts = [series for series in spec.series if not series.high]
        values += [sum(series.y[i] or 0.0 for series in parts) for i in range(len(spec.categories))]
    return values


def _grid(spec: ChartSpec, frame: Frame) -> list[str]:
    area = frame.area
    parts = []
    for tick in frame.y.ticks:
        y = frame.y.at(tick)
        parts.append(line(area.left, y, area.right, y, GRID, 0.8))
        parts.append(text(area.left - 6, y + 3.5, tick_text(tick), "end", _SMALL, QUIET))
    parts.append(line(area.left, area.bottom, area.right, area.bottom, INK, 1.0))
    middle = (area.top + area.bottom) / 2
    label = shortened(spec.y.label, TEXT_SIZE, area.bottom - area.top + 40)
    parts.append(text(14, middle, label, "middle", TEXT_SIZE, INK, upright=True))
    parts += _categories(spec, frame) if spec.categories else _x_ticks(frame)
    depth = _LINE * _CATEGORY_LINES - 8 if spec.categories else _LINE
    parts.append(
        text(
            (area.left + area.right) / 2,
            area.bottom + 18 + depth,
            shortened(spec.x.label, TEXT_SIZE, area.right - area.left),
            "middle",
        )
    )
    return parts


def _categories(spec: ChartSpec, frame: Frame) -> list[str]:
    room = (frame.area.right - frame.area.left) / len(spec.categories) - 6
    chosen = {i for series in spec.series for i, strong in enumerate(series.emphasis) if strong}
    parts = []
    for index, name in enumerate(spec.categories):
        for row, words in enumerate(wrapped(name, _SMALL, room, _CATEGORY_LINES, bold=index in chosen)):
            y = frame.area.bottom + 13 + row * (_LINE - 1)
            parts.append(text(frame.x.at(index), y, words, "middle", _SMALL, INK, bold=index in chosen))
    return parts


def _x_ticks(frame: Frame) -> list[str]:
    parts = []
    for tick in frame.x.ticks:
        x = frame.x.at(tick)
        parts.append(line(x, frame.area.bottom, x, frame.area.bottom + 4, INK, 1.0))
        parts.append(text(x, frame.area.bottom + 15, tick_text(tick), "middle", _SMALL, QUIET))
    return parts


def _reference_lines(spec: ChartSpec, frame: Frame) -> list[str]:
    """Dashed marks; the names of horizontal ones stand beside the plot, of vertical ones above it, each in a row
    of its own."""
    area, row = frame.area, 0
    parts: list[str] = []
    names: list[str] = []  # on paper of their own, so that no other mark runs through them
    for reference in spec.lines:
        if reference.orientation == "horizontal":
            y = frame.y.at(reference.value)
            parts.append(line(area.left, y, area.right, y, INK, 1.4, "7 4"))
            continue
        x = frame.x.at(reference.value)
        base = area.top - 7 - row * (_LINE + 2)
        row += 1
        parts.append(line(x, base + 3, x, area.bottom, INK, 1.4, "7 4"))
        half = text_width(reference.label, _SMALL) / 2
        middle = min(max(x, area.left + half), max(area.right - half, area.left + half))
        if row > 1:
            names.append(rect(Box(middle - half - 1, base - 9, middle + half + 1, base + 2.5), PAPER))
        names.append(text(middle, base, reference.label, "middle", _SMALL))
    return parts + names


def _legend(spec: ChartSpec, width: float) -> tuple[list[str], float]:
    """Samples with names in rows under the title, and their height; charts with one series need none."""
    if spec.kind == "lines" or len(spec.series) < 2:
        return [], 0.0
    parts: list[str] = []
    x, y = 6.0, 36.0
    for index, series in enumerate(spec.series):
        name = shortened(series.name, _SMALL, width - 40)
        needed = 18 + text_width(name, _SMALL) + 16
        if x + needed > width and x > 6.0:
            x, y = 6.0, y + _LINE + 3
        parts += legend_sample(spec, index, Box(x, y - 9, x + 12, y + 1))
        parts.append(text(x + 18, y, name, size=_SMALL))
        x += needed
    return parts, y - 36.0 + _LINE + 6
