"""Axes: nice ticks and the way from values to positions."""

from __future__ import annotations

import math
from dataclasses import dataclass

from planner.messages import load_messages
from planner.units import significant

_NICE_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps values ``first`` … ``last`` linearly (or by their logarithm) to positions ``start`` … ``end``."""

    first: float
    last: float
    start: float
    end: float
    log: bool
    ticks: tuple[float, ...]

    def at(self, value: float) -> float:
        """Position of ``value``, held within the axis."""
        if self.log:
            share = math.log(max(value, self.first) / self.first) / math.log(self.last / self.first)
        else:
            share = (value - self.first) / (self.last - self.first)
        return self.start + min(max(share, 0.0), 1.0) * (self.end - self.start)


def linear_ticks(last: float, most: int = 6) -> tuple[float, ...]:
    """Nice steps from 0 up to ``last`` > 0: linear_ticks(17) → (0, 5, 10, 15)."""
    rough = last / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(nice * power for nice in _NICE_STEPS if nice * power >= rough * (1 - 1e-9))
    count = math.floor(last / step + 1e-9)
    return tuple(step * index for index in range(count + 1))


def log_ticks(low: float, high: float) -> tuple[float, ...]:
    """1, 2, 5 times powers of ten within ``low`` … ``high``; only powers of ten over more than three decades."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    multiples = (1.0, 2.0, 5.0) if last - first <= 3 else (1.0,)
    ticks = [multiple * 10.0**power for power in range(first, last + 1) for multiple in multiples]
    return tuple(tick for tick in ticks if low * (1 - 1e-9) <= tick <= high * (1 + 1e-9))


def scale(values: list[float], start: float, end: float, log: bool, room: float = 1.1) -> Scale:
    """The axis that holds ``values`` up to ``room`` times the largest; linear ones begin at 0."""
    positive = [value for value in values if value > 0] or [1.0]
    last = max(positive) * room
    if not log:
        return Scale(0.0, last, start, end, False, linear_ticks(last))
    first = min(positive) / room
    return Scale(first, last, start, end, True, log_ticks(first, last))


def tick_text(value: float) -> str:
    return load_messages().marked(significant(value, 4))
