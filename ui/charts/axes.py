"""Numeric axes: which values they span, and how values become plot coordinates. Ticks as in the print."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from planner.report.ticks import linear_ticks, log_ticks, tick_text

Ticks = tuple[tuple[float, str], ...]  # position, text


@dataclass(frozen=True, slots=True)
class ValueAxis:
    """From ``low`` to ``high``; a logarithmic one is laid out by log10."""

    low: float
    high: float
    log: bool

    def at(self, value: float) -> float:
        return math.log10(max(value, self.low)) if self.log else value

    @property
    def span(self) -> tuple[float, float]:
        return self.at(self.low), self.at(self.high)

    def ticks(self) -> Ticks:
        values = log_ticks(self.low, self.high) if self.log else linear_ticks(self.high)
        return tuple((self.at(value), tick_text(value)) for value in values)


def value_axis(values: Sequence[float], log: bool, room: float) -> ValueAxis:
    """Spans ``values`` with ``room`` times the largest; linear axes begin at 0."""
    positive = [value for value in values if value > 0] or [1.0]
    if not log:
        return ValueAxis(0.0, max(positive) * room, False)
    reach = math.log10(max(positive) / min(positive)) or 1.0
    return ValueAxis(min(positive) / 10 ** (0.06 * reach), max(positive) * 10 ** ((room - 1) * reach), True)
