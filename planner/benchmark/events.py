"""What the worker says, one event per line (planner/benchmark/worker/__init__.py lists them)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from planner.benchmark.result import Curve, ProbeResult, SkippedProbe
from planner.door import InvalidInputError, validated

FailureCode = Literal[
    "torch_missing", "torch_broken", "torch_too_old", "device_missing", "device_fails", "device_lost", "internal"
]
WarningCode = Literal["out_of_memory", "visited_once", "disturbed"]
SKIP_CODES = ("not_applicable", "unsupported", "out_of_memory", "too_slow", "same_size", "no_time")
_STRICT = {"extra": "forbid", "allow_inf_nan": False}


@dataclass(frozen=True, slots=True)
class Hello:
    """The device that is measured, and the Python and torch that measure it."""

    device_kind: str  # "cuda", "mps", "xpu", "cpu"
    device_name: str
    uuid: str | None  # as torch writes it, without "GPU-"; None where it does not tell
    torch: str
    cuda: str | None
    python: str
    memory_bytes: int | None
    sm_count: int | None
    threads: int | None

    __pydantic_config__ = _STRICT


@dataclass(frozen=True, slots=True)
class Stage:
    """What begins now: "load_torch", "open_device", "soak", a visit of the probe ``name``, or "sustained".

    ``index`` counts visits from 1 to ``total``; before the first, both are 0 and ``eta_s`` may not be known.
    """

    name: str
    index: int
    total: int
    elapsed_s: float  # since the measuring began; before, since the worker began
    eta_s: float | None

    __pydantic_config__ = _STRICT


@dataclass(frozen=True, slots=True)
class Heartbeat:
    elapsed_s: float

    __pydantic_config__ = _STRICT


@dataclass(frozen=True, slots=True)
class ProbeMeasured:
    """A probe's result so far: it replaces an earlier one of the same name."""

    result: ProbeResult


@dataclass(frozen=True, slots=True)
class ProbeSkipped:
    probe: SkippedProbe


@dataclass(frozen=True, slots=True)
class CurveMeasured:
    curve: Curve


@dataclass(frozen=True, slots=True)
class Warned:
    """Something about the probe ``name`` ("": about those in ``detail``) that its number does not tell.

    For out_of_memory ``detail`` is the size that was too large; a smaller one was measured.
    """

    name: str
    code: WarningCode
    detail: str

    __pydantic_config__ = _STRICT


@dataclass(frozen=True, slots=True)
class Failed:
    """The run could not go on."""

    code: FailureCode
    detail: str

    __pydantic_config__ = _STRICT


@dataclass(frozen=True, slots=True)
class Cancelled:
    __pydantic_config__ = _STRICT


@dataclass(frozen=True, slots=True)
class Done:
    duration_s: float

    __pydantic_config__ = _STRICT


@dataclass(frozen=True, slots=True)
class Malformed:
    """A line that is no event of this protocol."""

    detail: str


Event = (
    Hello
    | Stage
    | Heartbeat
    | ProbeMeasured
    | ProbeSkipped
    | CurveMeasured
    | Warned
    | Failed
    | Cancelled
    | Done
    | Malformed
)

_KINDS: dict[str, type[Any]] = {
    "hello": Hello,
    "stage": Stage,
    "heartbeat": Heartbeat,
    "probe": ProbeResult,
    "skipped": SkippedProbe,
    "curve": Curve,
    "warning": Warned,
    "failed": Failed,
    "cancelled": Cancelled,
    "done": Done,
}


def decode(line: dict[str, Any]) -> Event:  # noqa: PLR0911 - one return per kind of answer
    """The event in one line's object; Malformed for anything else. Never raises."""
    name = line.get("event")
    kind = _KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        return Malformed(f"no event {name!r:.60}")
    try:
        value = validated(kind, {key: item for key, item in line.items() if key != "event"}, f"event {name!r}")
    except InvalidInputError as error:
        return Malformed(str(error)[:300])
    if isinstance(value, ProbeResult):
        if not 0 < value.time_low_s <= value.time_s <= value.time_high_s:
            return Malformed(f"probe {value.name!r}: its times are not positive and in order")
        return ProbeMeasured(value)
    if isinstance(value, Curve):
        even = len(value.elapsed_s) == len(value.time_s) and all(time_s > 0 for time_s in value.time_s)
        return CurveMeasured(value) if even else Malformed(f"curve {value.name!r:.60}: times that cannot be")
    if isinstance(value, SkippedProbe):
        known = value.code in SKIP_CODES
        return ProbeSkipped(value) if known else Malformed(f"probe {value.name!r}: no reason {value.code!r:.60}")
    event: Event = value
    return event
