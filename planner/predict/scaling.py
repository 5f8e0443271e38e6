"""What a step on N GPUs of one host takes beyond a step on one: the exchange, and waiting for the slowest.

    t_N = t_1 · (1 + w_N) + 2 (N − 1) / N · gradient bytes / bus bandwidth

The exchange is a ring all-reduce with no overlap credited: the convention in which the default ranges were worked
out from published training logs of RTX 3090 hosts. Cards and their input workers are never equally fast in one
step, and all wait for the last one: w_N is the expected largest of N normal deviations. How well this holds on
those logs: ``planner.predict.calibration.check_scaling``.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Literal

from planner.door import InvalidInputError, Problem
from planner.evidence import Evidence, Range
from planner.paths import RESOURCES
from planner.predict.types import Communication
from planner.workload.job import Recipe
from planner.workload.optable import OpTable

MAX_GPUS = 8
# How the cards of a host are connected, as far as its owner can tell: see ``bus_bandwidth.json``.
HostClass = Literal["unknown", "direct", "shared", "nvlink"]
# Spread of one step from card to card, as a share of it. Likely: what the published 2 and 3-card runs lose where
# next to nothing is exchanged (ResNet-50, SSD: 2 to 3 %); low and high: their extremes.
_CARD_SPREAD = Range(0.0, 0.025, 0.08)
# Expected largest of N standard normal deviations, N = 1 to 8 (tables of order statistics).
_LARGEST_OF = (0.0, 0.5642, 0.8463, 1.0294, 1.1630, 1.2672, 1.3522, 1.4236)
# Two runs of the same step differ by this share (90 %), and from model to model a host's effective bandwidth by
# this factor (90 %): published RTX 3090 runs against one BERT-large run of the same host.
RUN_TO_RUN = 0.03
MODEL_TO_MODEL = 1.4


def gradient_bytes(table: OpTable) -> float:
    """Bytes of all gradients: one per trained parameter, in the parameter's dtype."""
    return float(table.trained_parameter_bytes)


def exchanged_bytes(table: OpTable, recipe: Recipe) -> float:
    """Bytes that the all-reduce formula has to be fed with.

    DDP, ZeRO-1 and ZeRO-2 move the gradients once round the ring and back (reduce-scatter and all-gather). ZeRO-3
    and FSDP gather all parameters twice and scatter the gradients: (2 · parameters + gradients) / 2, which is
    1.5 × DDP when everything is trained.
    """
    if recipe.mode == "infer":
        return 0.0
    if recipe.strategy in ("zero3", "fsdp"):
        return (2 * table.parameter_bytes + gradient_bytes(table)) / 2
    return gradient_bytes(table)


def traffic_bytes(exchanged: float, gpu_count: int) -> float:
    """Bytes each GPU of a ring moves to reduce ``exchanged`` bytes."""
    return 2 * (gpu_count - 1) / gpu_count * exchanged


def waiting_share(gpu_count: int) -> Range:
    """w_N: what N GPUs wait for the slowest of them, as a share of the step of one."""
    return _CARD_SPREAD.scaled(_LARGEST_OF[gpu_count - 1])


@cache
def _published_ranges(host_class: HostClass) -> dict[int, Range]:
    """GPU count → bytes per second, as the calibration file has them."""
    data = json.loads((RESOURCES / "calibration" / "bus_bandwidth.json").read_text(encoding="utf-8"))
    ranges = data["ranges_gbs"]
    if host_class != "unknown":
        ranges = data["host_classes"]["ranges_gbs"][host_class]
    return {int(count): Range(*numbers).scaled(1e9) for count, numbers in ranges.items()}


def _between(low: float, high: float, share: float) -> float:
    """On a logarithmic scale."""
    return float(low * (high / low) ** share)


@cache
def default_bandwidth(gpu_count: int, host_class: HostClass = "unknown") -> Range:
    """Bus bandwidth of a host nobody has measured, bytes per second.

    Counts that the calibration file leaves out (5 and 7 GPUs) are interpolated between their neighbours; more
    cards than a bridge joins are connected in a way that is not known. Raises InvalidInputError outside 2 to 8.
    """
    known = _published_ranges(host_class)
    if host_class == "nvlink" and gpu_count > max(known):
        known = _published_ranges("unknown")
    if not 2 <= gpu_count <= MAX_GPUS:
        raise InvalidInputError(
            "gpus", (Problem("gpus", f"must be 2 to {MAX_GPUS} to exchange, got {gpu_count}"),)
        )
    below = max(count for count in known if count <= gpu_count)
    above = min(count for count in known if count >= gpu_count)
    share = (gpu_count - below) / (above - below) if above > below else 0.0
    start, end = known[below], known[above]
    return Range(
        _between(start.low, end.low, share),
        _between(start.likely, end.likely, share),
        _between(start.high, end.high, share),
    )


def measured_bandwidth(step_1_s: float, step_n_s: float, exchanged: float, gpu_count: int) -> Range:
    """Effective bus bandwidth of a host, bytes per second, from one job timed there on 1 and on N GPUs.

    ``exchanged``: the job's bytes as ``exchanged_bytes`` counts them. The range holds for other jobs on that host.
    A difference within the noise of two runs says only that the bus is at least so fast: it counts as that noise.
    """
    noise_s = RUN_TO_RUN / 3 * step_1_s
    exchange_s = max(step_n_s - step_1_s * (1 + waiting_share(gpu_count).likely), noise_s)
    likely = traffic_bytes(exchanged, gpu_count) / exchange_s
    # Where the exchange drowns in the noise, nothing bounds the bandwidth from above but the noise itself.
    unsure = MODEL_TO_MODEL * (1 + noise_s / exchange_s)
    return Range(likely / unsure, likely, likely * unsure)


def communication(
    table: OpTable,
    recipe: Recipe,
    gpu_count: int,
    step_s: float,
    bandwidth: Range | None = None,
    evidence: Evidence = Evidence.ASSUMED,
) -> Communication:
    """What one step (a micro-batch) on ``gpu_count`` GPUs takes beyond ``step_s``, the likely step of one.

    ``bandwidth`` in bytes per second; None: the default range of the count. ``evidence`` is the grade of a
    bandwidth that is given; the default range is an assumption (D).
    """
    if bandwidth is None:
        bandwidth, evidence = default_bandwidth(gpu_count), Evidence.ASSUMED
    exchanged = exchanged_bytes(table, recipe)
    # Gradients of several micro-batches are exchanged once: each bears its share.
    traffic = traffic_bytes(exchanged, gpu_count) / recipe.accumulation_steps
    return Communication(
        gpu_count=gpu_count,
        gradient_bytes=exchanged,
        bus_bandwidth_bytes_per_s=bandwidth,
        seconds=Range(traffic / bandwidth.high, traffic / bandwidth.likely, traffic / bandwidth.low),
        waiting_s=waiting_share(gpu_count).scaled(step_s),
        evidence=evidence,
    )
