"""Seeded random numbers, shared by all options so that their differences are fair.

Each uncertain input has one column of S uniform numbers. All options read the same column: when the line is slow
it is slow for all of them, when the method is too optimistic it is so for all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from planner.evidence import Range

Floats = NDArray[np.float64]

# What is uncertain; each is a column of the draws and a candidate for "measure this first".
INPUTS = (
    "step_model",  # the prediction method's error, common to all devices
    "step_local",  # this machine's own
    "step_rented",  # the rented host's own: cards of one model differ by up to a third
    "bus_bandwidth",
    "price",
    "epochs",
    "upload",
    "electricity",
    "overheads",  # boot, set-up and idle hours
    "memory",  # the prediction of the peak: whether a job near the limit fits
    "input_rate",  # samples a second that cores and disk can read and prepare
    "start",  # whether the first start comes to nothing
    "interruptions",  # how often an interruptible machine is taken away
)
_PROBABILITIES = np.array([0.05, 0.5, 0.95])


@dataclass(frozen=True)
class Draws:
    """(S,) uniform and standard normal numbers by input."""

    uniform: dict[str, Floats]
    normal: dict[str, Floats]

    def value(self, name: str, value: Range) -> Floats:
        """(S,) samples of a range: its ends are the 5th and 95th percentile, likely is the median.

        Between them the logarithm is linear in the probability where the range allows it (rates and prices vary
        by factors), else the value itself. The outer 5 % on each side sit on the ends.
        """
        return quantiles(value, self.uniform[name])


def quantiles(value: Range, uniform: Floats) -> Floats:
    """Inverse cumulative distribution of a range at ``uniform``; see ``Draws.value``."""
    if value.low == value.high:
        return np.full_like(uniform, value.likely)
    ends = np.array([value.low, value.likely, value.high])
    if value.low > 0:
        return np.asarray(np.exp(np.interp(uniform, _PROBABILITIES, np.log(ends))))
    return np.asarray(np.interp(uniform, _PROBABILITIES, ends))


@lru_cache(maxsize=4)
def draw(seed: int, sample_count: int) -> Draws:
    """The same seed and count give the same numbers. Stratified: each column covers its range evenly."""
    generator = np.random.Generator(np.random.PCG64(seed))
    strata = (np.arange(sample_count) + 0.5) / sample_count
    uniform = {name: generator.permutation(strata) for name in INPUTS}
    normal_strata = np.array([NormalDist().inv_cdf(p) for p in strata])
    normal = {name: normal_strata[(column * sample_count).astype(int)] for name, column in uniform.items()}
    return Draws(uniform, normal)


@lru_cache(maxsize=4)
def _percentile_places(sample_count: int) -> tuple[NDArray[np.int64], Floats]:
    """Ranks below each percentile, then those above, and how far it lies between them."""
    places = _PROBABILITIES * (sample_count - 1)
    below = np.floor(places).astype(np.int64)
    return np.concatenate([below, np.minimum(below + 1, sample_count - 1)]), places - below


def summary(samples: Floats) -> Range:
    """5th, 50th and 95th percentile of samples, interpolated as np.percentile does, in a twentieth of its time."""
    ranks, share = _percentile_places(len(samples))
    lower, upper = np.partition(samples, ranks)[ranks].reshape(2, -1)
    low, likely, high = np.minimum(lower + (upper - lower) * share, upper).tolist()  # rounding keeps the order
    return Range(low, likely, high)
