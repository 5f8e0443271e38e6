"""What this machine does: one finished benchmark run."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from planner.hardware.snapshot import PcieLink

SCHEMA_VERSION = 2  # 1 had no op_kind, curves, conditions, notes and ending
_STRICT = {"extra": "forbid", "allow_inf_nan": False}


class ProbeKind(StrEnum):
    """What a probe's ``rate`` counts per second."""

    FLOPS = "flops"  # floating-point operations per second
    BANDWIDTH = "bandwidth"  # bytes per second
    LATENCY = "latency"  # seconds per call (rate is the reciprocal)
    STEP = "step"  # training steps per second


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """One probe. Times are seconds per call: median of blocks, 90 % interval around it."""

    name: str  # e.g. "gemm_fp16_4096", "conv3x3_fp32", "step_cnn"
    kind: ProbeKind
    # Class of planner.workload.optable.OP_CLASSES; a kind of KINDS that does not stand for its class ("conv_stem",
    # "transpose"); "launch", "launch_graph", "sync", "h2d", "h2d_pageable", "d2h", "input" or "step".
    op_class: str
    dtype: str  # "fp32", "fp16", "bf16", or "" where it does not apply
    time_s: float
    time_low_s: float
    time_high_s: float
    flops: float  # per call; 0 when not counted
    bytes: float  # per call: least traffic to and from memory
    size: str  # human-readable shape, e.g. "4096×4096×4096"
    blocks: int  # how many timed blocks stand behind time_s
    grade: str  # "A" steady, "B" within 5 %, "C" unstable, disturbed or visited once
    op_kind: str = ""  # of planner.workload.optable.KINDS

    __pydantic_config__ = _STRICT

    @property
    def flops_per_s(self) -> float | None:
        return self.flops / self.time_s if self.flops else None

    @property
    def bytes_per_s(self) -> float | None:
        return self.bytes / self.time_s if self.bytes else None


@dataclass(frozen=True, slots=True)
class SkippedProbe:
    """A probe that gave no number, with the reason as a message code ("out_of_memory", "unsupported", …)."""

    name: str
    code: str
    detail: str = ""

    __pydantic_config__ = _STRICT


@dataclass(frozen=True, slots=True)
class Curve:
    """Seconds per call of a probe while the device is kept busy with it, over seconds since that began.

    ``name``: "soak" (from cold, before the first visit) or "sustained" (a training step after the last).
    """

    name: str
    probe: str
    elapsed_s: tuple[float, ...]
    time_s: tuple[float, ...]

    __pydantic_config__ = _STRICT

    def mean_time_s(self, begin: float, end: float) -> float | None:
        """Mean over the part of the curve between two shares of it, 0 to 1; None for an empty part."""
        count = len(self.time_s)
        part = self.time_s[round(begin * count) : round(end * count)]
        return sum(part) / len(part) if part else None

    @property
    def slowdown(self) -> float | None:
        """Time per call in the last third over that in the first; None for a curve too short to tell."""
        first, last = self.mean_time_s(0, 1 / 3), self.mean_time_s(2 / 3, 1)
        return last / first if first and last else None

    @property
    def is_still_slowing(self) -> bool:
        """Whether the last third is slower than the one before by more than two visits may differ."""
        middle, last = self.mean_time_s(1 / 3, 2 / 3), self.mean_time_s(2 / 3, 1)
        return bool(middle and last and last > 1.02 * middle)


@dataclass(frozen=True, slots=True)
class Conditions:
    """What the driver reported while a probe was measured. None: it does not tell."""

    name: str  # of the probe, or of a curve
    samples: int
    sm_clock_mhz: float | None = None  # median
    memory_clock_mhz: float | None = None  # median
    power_w: float | None = None  # mean
    temperature_c: float | None = None  # highest
    performance_state: int | None = None  # the slowest
    throttle_reasons: int = (
        0  # NVML's bits (planner.hardware.throttle) that stood in a fifth of the samples or more
    )

    __pydantic_config__ = _STRICT


@dataclass(frozen=True, slots=True)
class Note:
    """Something about the run that its numbers do not tell. ``code``: message key, ``values`` fill it."""

    code: str
    values: tuple[tuple[str, str], ...] = ()

    __pydantic_config__ = _STRICT


@dataclass(frozen=True, slots=True)
class BenchmarkResult:
    """A run and everything that could make it stale."""

    started_at: str  # ISO 8601, UTC
    duration_s: float
    device_kind: str  # "cuda", "mps", "xpu", "cpu"
    device_name: str
    gpu_uuid: str | None  # as NVML writes it, with the "GPU-" prefix; None on a CPU
    driver_version: str | None
    python_path: str
    python_version: str
    torch_version: str
    cuda_version: str | None
    power_limit_w: float | None
    device_memory_bytes: int | None
    sm_count: int | None
    cpu_threads: int | None
    probes: tuple[ProbeResult, ...]
    skipped: tuple[SkippedProbe, ...] = ()
    on_battery: bool | None = None
    curves: tuple[Curve, ...] = ()
    conditions: tuple[Conditions, ...] = ()
    notes: tuple[Note, ...] = ()
    power_limit_under_load_w: float | None = None  # laptops move it
    pcie_under_load: PcieLink | None = None  # links rest at their slowest
    ending: str = "done"  # else what ended it early: "device_lost", "crashed", "hung"
    schema_version: int = SCHEMA_VERSION

    __pydantic_config__ = _STRICT

    @property
    def is_complete(self) -> bool:
        """A run that ended early is kept to be looked at, and never stands for the device."""
        return self.ending == "done"

    def probe(self, name: str) -> ProbeResult | None:
        return next((probe for probe in self.probes if probe.name == name), None)

    def curve(self, name: str) -> Curve | None:
        return next((curve for curve in self.curves if curve.name == name), None)
