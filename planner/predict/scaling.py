"""What N GPUs of one host have to tell each other in every step, and how long that takes.

Ring all-reduce: t = 2 (N − 1) / N · gradient bytes / bus bandwidth, with no overlap credited: the convention in
which the default ranges were worked out from published training logs of RTX 3090 hosts.
"""

from __future__ import annotations

import json
import math
from functools import cache

from planner.door import InvalidInputError, Problem
from planner.evidence import Evidence, Range
from planner.paths import RESOURCES
from planner.predict.types import Communication
from planner.workload.job import Recipe
from planner.workload.optable import OpTable

MAX_GPUS = 8


def gradient_bytes(table: OpTable) -> float:
    """Bytes of all gradients: one per trained parameter, in the parameter's dtype."""
    return float(table.trained_parameter_bytes)


def exchanged_bytes(table: OpTable, recipe: Recipe) -> float:
    """Bytes that the all-reduce formula has to be fed with.

    DDP, ZeRO-1 and ZeRO-2 move the gradients once round the ring and back (reduce-scatter and all-gather). FSDP
    gathers all parameters twice and scatters the gradients: (2 · parameters + gradients) / 2, which is 1.5 × DDP
    when everything is trained.
    """
    if recipe.mode == "infer":
        return 0.0
    if recipe.strategy == "fsdp":
        return (2 * table.parameter_bytes + gradient_bytes(table)) / 2
    return gradient_bytes(table)


@cache
def _published_ranges() -> dict[int, tuple[float, float]]:
    """GPU count → (low, high) bytes per second, as the calibration file has them."""
    data = json.loads((RESOURCES / "calibration" / "bus_bandwidth.json").read_text(encoding="utf-8"))
    return {int(count): (low * 1e9, high * 1e9) for count, (low, high) in data["ranges_gbs"].items()}


def _between(low: float, high: float, share: float) -> float:
    """On a logarithmic scale."""
    return float(low * (high / low) ** share)


@cache
def default_bandwidth(gpu_count: int) -> Range:
    """Bus bandwidth of a host nobody has measured, bytes per second: low, geometric mean, high.

    3, 5 and 7 GPUs are interpolated between their neighbours. Raises InvalidInputError outside 2 to 8.
    """
    known = _published_ranges()
    if not 2 <= gpu_count <= MAX_GPUS:
        raise InvalidInputError(
            "gpus", (Problem("gpus", f"must be 2 to {MAX_GPUS} to exchange, got {gpu_count}"),)
        )
    below = max(count for count in known if count <= gpu_count)
    above = min(count for count in known if count >= gpu_count)
    share = (gpu_count - below) / (above - below) if above > below else 0.0
    low, high = (_between(known[below][end], known[above][end], share) for end in (0, 1))
    return Range(low, math.sqrt(low * high), high)


def communication(
    table: OpTable,
    recipe: Recipe,
    gpu_count: int,
    bandwidth: Range | None = None,
    evidence: Evidence = Evidence.ASSUMED,
) -> Communication:
    """All-reduce time of one step. ``bandwidth`` in bytes per second; None: the default range of ``gpu_count``.

    ``evidence`` is the grade of a bandwidth that is given; the default range is an assumption (D).
    """
    if bandwidth is None:
        bandwidth, evidence = default_bandwidth(gpu_count), Evidence.ASSUMED
    exchanged = exchanged_bytes(table, recipe)
    traffic = 2 * (gpu_count - 1) / gpu_count * exchanged
    return Communication(
        gpu_count=gpu_count,
        gradient_bytes=exchanged,
        bus_bandwidth_bytes_per_s=bandwidth,
        seconds=Range(traffic / bandwidth.high, traffic / bandwidth.likely, traffic / bandwidth.low),
        evidence=evidence,
    )
