"""What screen, PDF and HTML all draw: charts and tables as data, text as codes already turned into sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ChartKind = Literal["ranges", "scatter", "stacked", "lines"]


@dataclass(frozen=True, slots=True)
class Axis:
    label: str  # with unit, e.g. "Time to result (hours)"
    log: bool = False


@dataclass(frozen=True, slots=True)
class Series:
    """One set of points. ``low``/``high`` are empty or as long as ``y`` (for "scatter" also ``x_low``/``x_high``).

    A None in ``y`` is a gap: a value that is not known is not drawn as 0.
    In a "stacked" chart the series are stacked in order, except one with ``low``/``high``: that is the total,
    drawn as a whisker at its own ``y``. In a "lines" chart ``low``/``high`` are a band. In a "scatter" chart a
    ``joined`` series is a line through its points with such a band, named where its ``labels`` are not empty.
    """

    name: str
    x: tuple[float, ...]
    y: tuple[float | None, ...]
    low: tuple[float | None, ...] = ()
    high: tuple[float | None, ...] = ()
    x_low: tuple[float | None, ...] = ()
    x_high: tuple[float | None, ...] = ()
    labels: tuple[str, ...] = ()  # one per point, for hover and direct labelling
    keys: tuple[str, ...] = ()  # option keys, so that a click selects the option everywhere
    emphasis: tuple[bool, ...] = ()  # points to draw strongly (the recommended option)
    notes: tuple[str, ...] = ()  # one per point, told on hover only
    joined: bool = False


@dataclass(frozen=True, slots=True)
class ReferenceLine:
    """A horizontal or vertical mark: deadline, budget, capacity."""

    label: str
    value: float
    orientation: Literal["horizontal", "vertical"] = "horizontal"


@dataclass(frozen=True, slots=True)
class Table:
    """Cells are formatted text; numbers are right-aligned where ``numeric`` is true for the column."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]
    keys: tuple[str, ...] = ()  # one per row: option keys
    emphasis: tuple[bool, ...] = ()  # rows to print in bold


@dataclass(frozen=True, slots=True)
class ChartSpec:
    """One chart, free of any drawing library. Categories label x = 0, 1, 2 … where they are given."""

    kind: ChartKind
    key: str  # stable: "time", "cost_time", "memory", "speedup"
    title: str
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    table: Table  # the twin: the same numbers as text
    categories: tuple[str, ...] = ()
    lines: tuple[ReferenceLine, ...] = ()
    description: str = ""  # one sentence for screen readers: what the chart shows and its message


@dataclass(frozen=True, slots=True)
class Section:
    """One section of a report: heading, paragraphs, then tables and charts in order."""

    key: str
    title: str
    paragraphs: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    charts: tuple[ChartSpec, ...] = ()
    comment: str = ""  # the team's own words


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report in one language, ready to be painted."""

    title: str
    subtitle: str
    plan_hash: str
    created_at: str
    verdict: str  # the one sentence
    sections: tuple[Section, ...]
    language: str = "en"
    team: str = ""
    logo: bytes = b""  # PNG or JPEG
    paper: Literal["a4", "letter"] = "a4"
