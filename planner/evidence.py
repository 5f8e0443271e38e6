"""Ranges and how well they are known."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class Evidence(StrEnum):
    """Where a number comes from, best first."""

    MEASURED_JOB = "A"  # measured with the user's own code
    MEASURED_BENCHMARK = "B"  # measured by our benchmark on this machine
    PUBLISHED = "C"  # a published measurement
    ASSUMED = "D"  # data sheet, default or guess


def weakest(*grades: Evidence) -> Evidence:
    """The grade of a number made from several: that of its weakest part."""
    return max(grades, key=lambda grade: grade.value)


def check_number(
    name: str, value: float, *, at_least: float = 0.0, more_than: float | None = None, at_most: float = 1e12
) -> None:
    """Raise ValueError, naming the field, unless ``value`` is finite and inside its bounds.

    Everything that is typed or read has an upper bound, far above any real case: what is computed from it then
    stays finite.
    """
    if not -1e300 < value < 1e300:  # also true for NaN, and for whole numbers that no float can hold
        raise ValueError(f"{name} must be a number of ordinary size")
    if more_than is not None and value <= more_than:
        raise ValueError(f"{name} must be more than {more_than:.10g}, got {value:.10g}")
    if value < at_least:
        raise ValueError(f"{name} must be at least {at_least:.10g}, got {value:.10g}")
    if value > at_most:
        raise ValueError(f"{name} must be at most {at_most:.10g}, got {value:.10g}")


@dataclass(frozen=True, slots=True)
class Range:
    """A value and its 90 % interval: ``low`` ≤ ``likely`` ≤ ``high``, in the unit the field's name says.

    Raises ValueError when the order is wrong or a bound is not finite.
    """

    low: float
    likely: float
    high: float

    __pydantic_config__ = {"extra": "forbid", "allow_inf_nan": False}

    def __post_init__(self) -> None:
        if not all(map(math.isfinite, (self.low, self.likely, self.high))):
            raise ValueError(f"a range needs finite numbers, got {self.low}, {self.likely}, {self.high}")
        if not self.low <= self.likely <= self.high:
            raise ValueError(f"low ≤ likely ≤ high does not hold: {self.low}, {self.likely}, {self.high}")

    @classmethod
    def exactly(cls, value: float) -> Range:
        return cls(value, value, value)

    def map(self, increasing: Callable[[float], float]) -> Range:
        """Apply an increasing function to all three numbers."""
        return Range(increasing(self.low), increasing(self.likely), increasing(self.high))

    def scaled(self, factor: float) -> Range:
        """Multiply by ``factor`` ≥ 0."""
        return self.map(lambda value: value * factor)

    def plus(self, other: Range) -> Range:
        """Sum of two ranges whose bounds are reached together (the careful case)."""
        return Range(self.low + other.low, self.likely + other.likely, self.high + other.high)


def check_range(
    name: str, value: Range, *, at_least: float = 0.0, more_than: float | None = None, at_most: float = 1e12
) -> None:
    """``check_number`` for both ends of a range."""
    check_number(name, value.low, at_least=at_least, more_than=more_than, at_most=at_most)
    check_number(name, value.high, at_least=at_least, more_than=more_than, at_most=at_most)
