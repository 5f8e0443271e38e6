"""A chart ready to be painted, and what every kind of chart needs to become one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from planner.report.types import Series
from ui.charts.axes import Ticks
from ui.charts.canvas import Mark
from ui.i18n import written
from ui.theme import Tokens

# Of deadline, budget, capacities in their order; the legend names them.
LINE_MARKS = ("dash", "dot", "dash_dot", "long_dash", "dash_dot_dot")
SYMBOLS = ("s", "o", "d", "t")  # of the groups in a scatter
JOINED = ("line", "dash", "dot", "dash_dot", "long_dash", "dash_dot_dot")  # of lines through points, in order


@dataclass(frozen=True, slots=True)
class Spot:
    """A point that hover and click react to. ``x_low``, ``x_high``: ends of the bar that stands for it."""

    x: float
    y: float
    text: str
    key: str | None = None
    x_low: float | None = None
    x_high: float | None = None


@dataclass
class Drawing:
    """A chart ready to be painted."""

    marks: list[Mark] = field(default_factory=list)
    spots: list[Spot] = field(default_factory=list)
    x_span: tuple[float, float] = (0.0, 1.0)
    y_span: tuple[float, float] = (0.0, 1.0)
    x_ticks: Ticks = ()
    y_ticks: Ticks = ()
    x_label: str = ""
    y_label: str = ""


def known_values(values: Sequence[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def value_at(values: Sequence[float | None], index: int) -> float | None:
    return values[index] if index < len(values) else None


def key_of(series: Series, index: int) -> str | None:
    """The option a point stands for; None where it stands for none that can be chosen."""
    return (series.keys[index] or None) if index < len(series.keys) else None


def label_of(series: Series, index: int) -> str:
    return series.labels[index] if index < len(series.labels) else ""


def note_of(series: Series, index: int) -> str:
    return series.notes[index] if index < len(series.notes) else ""


def joined_colour(series: Series, number: int, tokens: Tokens) -> str:
    """The first line and an emphasised one stand out; dashes tell the others apart."""
    return tokens.chart_strong if number == 0 or any(series.emphasis) else tokens.quiet


def is_strong(series: Series, index: int) -> bool:
    return index < len(series.emphasis) and series.emphasis[index]


def spread_text(low: float | None, likely: float, high: float | None) -> str:
    if low is None or high is None or low == high:
        return written(likely)
    return f"{written(likely)} ({written(low)}–{written(high)})"
