"""The link between GPUs: what gradients cost to exchange, measured by worker/collective.py in another Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from planner.benchmark.supervise import BenchmarkError, Request, worker_environment
from planner.evidence import Range
from planner.processes import Ending, Outcome, run_json_lines

PROGRAM = Path(__file__).with_name("worker") / "collective.py"
DEADLINE_S = 300.0
FIRST_MESSAGE_S = 120.0  # several torches load at once
SILENCE_S = 25.0  # more than a collective's own time-out
_NO_PEERS = {"NCCL_P2P_DISABLE": "1"}
_LARGE_BYTES = 4 << 20  # from here on the bandwidth counts, not the latency
_STRICT = {"extra": "forbid", "allow_inf_nan": False}


@dataclass(frozen=True, slots=True)
class LinkPoint:
    """One all-reduce: seconds on the slowest rank, median of blocks and their extremes."""

    bytes: int
    time_s: float
    time_low_s: float
    time_high_s: float

    __pydantic_config__ = _STRICT


@dataclass(frozen=True, slots=True)
class LinkResult:
    """``peers``: whether all GPUs may reach each other directly; None where that is no question."""

    backend: str  # "nccl" or "gloo"
    ranks: int
    nodes: int
    device: str
    peers: bool | None
    points: tuple[LinkPoint, ...]
    without_peers: bool = False  # direct access hung or failed, and was switched off

    __pydantic_config__ = _STRICT

    @property
    def latency_s(self) -> float:
        """Of the smallest all-reduce."""
        return min(self.points, key=lambda point: point.bytes).time_s

    @property
    def bus_bandwidth_bytes_per_s(self) -> Range:
        """Effective all-reduce bus bandwidth of large messages, 2 (n − 1) / n · bytes / time (NCCL tests)."""
        large = [point for point in self.points if point.bytes >= _LARGE_BYTES]
        return Range(
            min(self._bus_bandwidth(point.bytes, point.time_high_s) for point in large),
            max(self._bus_bandwidth(point.bytes, point.time_s) for point in large),
            max(self._bus_bandwidth(point.bytes, point.time_low_s) for point in large),
        )

    def _bus_bandwidth(self, size_bytes: int, time_s: float) -> float:
        return 2 * (self.ranks - 1) / self.ranks * size_bytes / time_s


def _collected(messages: list[dict[str, Any]], outcome: Outcome) -> LinkResult:
    """Raises BenchmarkError when a rank failed, hung or said nothing of use."""
    by_event: dict[str, list[dict[str, Any]]] = {}
    for message in messages:
        fields = {key: value for key, value in message.items() if key != "event"}
        by_event.setdefault(str(message.get("event")), []).append(fields)
    if outcome.ending is Ending.CANCELLED:
        raise BenchmarkError("cancelled")
    if outcome.ending is Ending.NOT_STARTED:
        raise BenchmarkError("not_started", {"detail": outcome.detail})
    if "failed" in by_event:
        raise BenchmarkError("link_failed", {"detail": by_event["failed"][0]["detail"]}, outcome.stderr_tail)
    points = tuple(LinkPoint(**fields) for fields in by_event.get("link", ()))
    if "done" not in by_event or "ready" not in by_event or not any(one.bytes >= _LARGE_BYTES for one in points):
        raise BenchmarkError("link_failed", {"detail": outcome.status}, outcome.stderr_tail)
    return LinkResult(**by_event["ready"][0], points=points)


def measure_link(request: Request, ranks: int, *, cancelled: Callable[[], bool] = lambda: False) -> LinkResult:
    """All-reduce between the first ``ranks`` GPUs (processes on the processor without any). Blocks.

    Where it fails or hangs (peer access that is reported and broken), it is tried once more without peer access.
    Raises BenchmarkError.
    """
    environment = worker_environment(replace(request, gpu_uuid=None))
    attempts = (environment, environment | _NO_PEERS) if request.device_kind == "cuda" else (environment,)
    for number, env in enumerate(attempts):
        messages: list[dict[str, Any]] = []
        outcome = run_json_lines(
            [request.python_path, "-E", "-B", str(PROGRAM), "--ranks", str(ranks)],
            on_message=messages.append,
            deadline_s=DEADLINE_S,
            first_message_s=FIRST_MESSAGE_S,
            idle_s=SILENCE_S,
            cancelled=cancelled,
            env=env,
        )
        try:
            return replace(_collected(messages, outcome), without_peers=number > 0)
        except BenchmarkError as error:
            if number == len(attempts) - 1 or not error.code.endswith("link_failed"):
                raise
    raise AssertionError("the last attempt returns or raises")
