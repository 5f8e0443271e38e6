"""How a probe is measured: its size, its visits, and what they say together. Knows no torch.

Warm up by time, not by count: 25 ms of warm-up once reported 11.2 ms for a true 8.8 ms (triton issue 2306). Then
blocks of about 20 ms, because longer queued work makes the desktop stutter; their median, because one foreign
burst must not count; two visits seconds apart, because what they differ by is the uncertainty that matters. Visits
during which another program used the device (sentinel.py) count only when there are no others.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass, replace
from typing import Any, Callable

from .sentinel import Sentinel

BLOCK_S = 0.020
CALL_LIMIT_S = 0.020  # of the size that is measured
SLOWEST_CALL_S = 0.5  # a device on which even the smallest size takes longer is not measured
MEMORY_SHARE = 0.25  # of what is free
VISIT_LIMIT_S = 1.0
CURVE_POINT_S = 0.25
_CALLS_LIMIT = 50_000
_FEW_BLOCKS = 4
_PATIENCE_S = 0.12

# Two visits that differ by less agree (grade A): convolutions pick among several algorithms.
AGREEMENT, AGREEMENT_CONV = 0.02, 0.03
AGREEMENT_B = 0.05
_NORMAL_90 = 1.645  # half width of a normal 90 % interval in standard deviations
_MAD_TO_SIGMA = 1.4826
_MEDIAN_TO_MEAN = 1.2533  # standard error of a median over that of a mean, √(π/2)


@dataclass(frozen=True)
class Work:
    """One size of a probe, ready to run. ``bytes``: least traffic to and from memory per call."""

    call: Callable[[], Any]
    flops: float
    bytes: float


@dataclass(frozen=True)
class Probe:
    """What is measured. ``sizes`` ascend; the largest whose call is short enough and fits is used."""

    name: str
    kind: str  # of planner.benchmark.result.ProbeKind
    op_class: str
    dtype: str
    sizes: tuple[int, ...]
    build: Callable[[int], Work]
    describe: Callable[[int], str]
    footprint: Callable[[int], float]  # bytes that ``build`` and a call take at most
    cost: Callable[[int], float]  # grows as the time of a call of a size does, or faster
    compute_bound: bool  # clocks take longer to settle under arithmetic
    agreement: float = AGREEMENT
    family: str = ""  # probes of one family differ by size only: the same size is not measured twice
    op_kind: str = ""  # of planner.workload.optable.KINDS, where it is finer than the class


@dataclass(frozen=True)
class Settings:
    """How much time is spent. ``floor``: relative standard uncertainty that no statistics can see."""

    blocks: int
    warm_up_compute_s: float
    warm_up_memory_s: float
    budget_s: float
    floor: float
    soak_s: float = 0.0  # of the largest product before the first visit: clocks and fans settle
    sustain_s: float = 0.0  # of a training step after the last visit: what is left of the speed when it is hot

    def warm_up_s(self, probe: Probe) -> float:
        return self.warm_up_compute_s if probe.compute_bound else self.warm_up_memory_s

    def expected_visit_s(self, probe: Probe) -> float:
        """For the time left, until real visits are known; 0.05 s to make the data."""
        return self.warm_up_s(probe) + self.blocks * BLOCK_S + 0.05


@dataclass(frozen=True)
class Visit:
    """Seconds per call of each block, and whether another program was noticed."""

    means: tuple[float, ...]
    disturbed: bool = False


@dataclass(frozen=True)
class Estimate:
    """Seconds per call with a 90 % interval. ``grade``: A steady, B within 5 %, C unstable or hardly measured."""

    time_s: float
    low_s: float
    high_s: float
    blocks: int
    grade: str


class NoSizeError(Exception):
    """No size of a probe can be measured. ``code``: out_of_memory or too_slow."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail


@dataclass(frozen=True)
class Sizing:
    """The size to measure, seconds of a call of it, and the size that memory was too small for, if any."""

    size: int
    call_s: float
    out_of_memory: str = ""


def _undisturbed_call_s(device: Any, call: Callable[[], Any]) -> float:
    """Seconds of a call: the shortest of a few, tried while they are too long.

    The first call may carry one-off costs (kernels compiled, handles made), any may be disturbed.
    """
    times_s: list[float] = []
    while len(times_s) < 2 or (min(times_s) > CALL_LIMIT_S and sum(times_s) < _PATIENCE_S):
        times_s.append(device.time_calls(call, 1))
    return min(times_s)


def _call_s(device: Any, probe: Probe, size: int) -> float | None:
    """Seconds of a call of this size, or None when memory is too small for it."""
    free_bytes = device.free_bytes()
    if free_bytes is not None and probe.footprint(size) > MEMORY_SHARE * free_bytes:
        return None
    try:
        return _undisturbed_call_s(device, probe.build(size).call)
    except Exception as error:
        if not device.is_out_of_memory(error):
            raise
        return None
    finally:
        device.release()


def _next_size(probe: Probe, known: Sizing | None, left: list[int]) -> int:
    """The largest size that cannot take too long; a larger one never computes less efficiently."""
    if known is None:
        return left[0]
    limit = probe.cost(known.size) * CALL_LIMIT_S / known.call_s
    return max((size for size in left if probe.cost(size) <= limit), default=left[0])


def choose_size(device: Any, probe: Probe, check: Callable[[], None]) -> Sizing:
    """The largest size whose call takes at most 20 ms and that fits into a quarter of the free memory.

    Begins with the smallest and climbs, so that no call takes much longer than a block. Raises NoSizeError.
    """
    chosen: Sizing | None = None
    too_large = ""
    left = list(probe.sizes)
    while left:
        check()
        size = _next_size(probe, chosen, left)
        call_s = _call_s(device, probe, size)
        if call_s is None:
            too_large = probe.describe(size)
            left = [other for other in left if other < size]
        elif call_s <= CALL_LIMIT_S:
            chosen = Sizing(size, call_s)
            left = [other for other in left if other > size]
        elif chosen is not None:
            left = [other for other in left if other < size]
        elif call_s <= SLOWEST_CALL_S:
            return Sizing(size, call_s)
        else:
            raise NoSizeError("too_slow", f"{probe.describe(size)}: {call_s:.2f} s")
    if chosen is None:
        raise NoSizeError("out_of_memory", too_large)
    return Sizing(chosen.size, chosen.call_s, too_large)


def _calls_per_block(call_s: float) -> int:
    return max(1, min(_CALLS_LIMIT, round(BLOCK_S / max(call_s, 1e-9))))


def visit(
    device: Any,
    call: Callable[[], Any],
    call_s: float,
    warm_up_s: float,
    blocks: int,
    check: Callable[[], None],
    sentinel: Sentinel | None = None,
) -> Visit:
    """Warm up, then time blocks of calls. ``check`` may raise between blocks.

    Gives fewer blocks, at least one, when the device has become so slow that the visit takes over 1 s.
    """
    began_s = device.now()
    calls = _calls_per_block(call_s)
    while True:
        check()
        calls = _calls_per_block(device.time_calls(call, calls) / calls)
        if device.now() - began_s >= warm_up_s:
            break
    before = sentinel.read() if sentinel else 0.0
    means: list[float] = []
    while len(means) < blocks and (not means or device.now() - began_s < VISIT_LIMIT_S):
        check()
        means.append(device.time_calls(call, calls) / calls)
    return Visit(tuple(means), sentinel is not None and sentinel.is_disturbed(before, sentinel.read()))


def keep_busy(
    device: Any, call: Callable[[], Any], call_s: float, duration_s: float, check: Callable[[], None]
) -> tuple[list[float], list[float]]:
    """Call for ``duration_s``: the end of each quarter of a second, and the seconds per call within it."""
    began_s = device.now()
    calls = _calls_per_block(call_s)
    ends_s, times_s = [], []
    while device.now() - began_s < duration_s:
        took_s, count, point_s = 0.0, 0, device.now()
        while device.now() - point_s < CURVE_POINT_S:
            check()
            took_s += device.time_calls(call, calls)
            count += calls
        calls = _calls_per_block(took_s / count)
        ends_s.append(device.now() - began_s)
        times_s.append(took_s / count)
    return ends_s, times_s


def _block_uncertainty(visits: list[tuple[float, ...]], value_s: float) -> float:
    """Relative standard uncertainty of the visits' mean median from the scatter of blocks within each visit."""
    variances = []
    for means in visits:
        middle = statistics.median(means)
        sigma = _MAD_TO_SIGMA * statistics.median([abs(mean - middle) for mean in means])
        variances.append((_MEDIAN_TO_MEAN * sigma) ** 2 / len(means))
    return math.sqrt(sum(variances)) / len(visits) / value_s


def needs_another(visits: list[Visit], agreement: float) -> bool:
    """Whether two undisturbed visits that agree are still missing."""
    medians = sorted(statistics.median(one.means) for one in visits if not one.disturbed)
    return len(medians) < 2 or medians[1] - medians[0] > agreement * statistics.fmean(medians[:2])


def estimate_of(visits: list[Visit], floor: float, agreement: float) -> Estimate:
    """``estimate`` from the undisturbed visits if there are two; else from all, graded C if one was disturbed."""
    clean = [one.means for one in visits if not one.disturbed]
    if len(clean) >= 2:
        return estimate(clean, floor, agreement)
    known = estimate([one.means for one in visits], floor, agreement)
    return known if len(clean) == len(visits) else replace(known, grade="C")


def estimate(visits: list[tuple[float, ...]], floor: float, agreement: float) -> Estimate:
    """What visits (seconds per call of each block) say together.

    The value is the mean of the two lowest medians. With relative standard uncertainties

        u² = u_block² + (half the difference of these two)² + floor²

    the 90 % interval is value · exp(±1.645 u). A single visit counts as if a second had differed by 5 %.
    """
    lowest = sorted(visits, key=statistics.median)[:2]
    medians = [statistics.median(means) for means in lowest]
    value_s = statistics.fmean(medians)
    difference = (medians[-1] - medians[0]) / value_s if len(lowest) > 1 else AGREEMENT_B
    u = math.sqrt(_block_uncertainty(lowest, value_s) ** 2 + (difference / 2) ** 2 + floor**2)
    spread = math.exp(_NORMAL_90 * u)
    blocks = sum(map(len, lowest))
    grade = "A" if difference <= agreement else "B" if difference <= AGREEMENT_B else "C"
    if len(lowest) == 1 or blocks < _FEW_BLOCKS:
        grade = "C"
    return Estimate(value_s, value_s / spread, value_s * spread, blocks, grade)
