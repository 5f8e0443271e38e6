"""Two runs of one device against each other: what became slower, and what else changed."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass

from planner.benchmark.findings import note
from planner.benchmark.result import BenchmarkResult, Note, ProbeKind, ProbeResult

WORTH_TELLING = 0.05  # of time; two runs of a steady card differ by less
_NORMAL_90 = 1.645
_SAME_POWER_W = 1.0
_OF_THE_DEVICE = (ProbeKind.FLOPS, ProbeKind.BANDWIDTH, ProbeKind.STEP)  # launches are the host's


@dataclass(frozen=True, slots=True)
class Change:
    """One probe. ``ratio``: time now over time then; ``is_certain``: more than the intervals of both explain."""

    probe: str
    ratio: float
    is_certain: bool


def _sigma(probe: ProbeResult) -> float:
    return math.log(probe.time_high_s / probe.time_low_s) / 2 / _NORMAL_90


def changes(now: BenchmarkResult, then: BenchmarkResult) -> tuple[Change, ...]:
    """Probes that both runs measured at the same size. Those graded C in either are not compared."""
    found = []
    for probe in now.probes:
        other = then.probe(probe.name)
        if (
            other is None
            or (other.size, other.dtype) != (probe.size, probe.dtype)
            or "C" in probe.grade + other.grade
        ):
            continue
        ratio = probe.time_s / other.time_s
        limit = _NORMAL_90 * math.hypot(_sigma(probe), _sigma(other))
        found.append(Change(probe.name, ratio, abs(math.log(ratio)) > limit))
    return tuple(found)


def _w(value: float | None) -> str:
    return "?" if value is None else f"{value:.0f}"


def _differences(now: BenchmarkResult, then: BenchmarkResult) -> list[Note]:
    """What else is not as it was, in the order of how much it explains."""
    found = []
    if bool(now.on_battery) != bool(then.on_battery):
        found.append(note("changed_battery"))
    limits = (now.power_limit_w, then.power_limit_w)
    if None not in limits and abs((limits[0] or 0) - (limits[1] or 0)) > _SAME_POWER_W:
        found.append(note("changed_limit", now=_w(limits[0]), then=_w(limits[1])))
    for what in ("driver_version", "torch_version", "python_path"):
        pair = (getattr(now, what), getattr(then, what))
        if pair[0] != pair[1]:
            found.append(note(f"changed_{what}", now=pair[0] or "?", then=pair[1] or "?"))
    return found


def regression(now: BenchmarkResult, then: BenchmarkResult) -> tuple[Note, ...]:
    """How much slower or faster the device is than in an earlier run of it, and what changed; () for no change.

    The median over the device's own probes: one that moved alone is in ``changes``.
    """
    device = {probe.name for probe in now.probes if probe.kind in _OF_THE_DEVICE}
    certain = [change for change in changes(now, then) if change.probe in device]
    if not certain:
        return ()
    ratio = statistics.median(change.ratio for change in certain)
    if abs(ratio - 1) < WORTH_TELLING or not any(change.is_certain for change in certain):
        return ()
    percent = 100 * (ratio - 1) if ratio > 1 else 100 * (1 / ratio - 1)
    what = "slower" if ratio > 1 else "faster"
    difference = _differences(now, then)
    return (note(what, percent=f"{percent:.0f}", date=then.started_at[:10], probes=len(certain)), *difference)
