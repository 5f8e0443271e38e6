"""What this machine does: one finished benchmark run."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

SCHEMA_VERSION = 1
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
    op_class: str  # class of planner.workload.optable.OP_CLASSES, "launch", "h2d" or "step"
    dtype: str  # "fp32", "fp16", "bf16", or "" where it does not apply
    time_s: float
    time_low_s: float
    time_high_s: float
    flops: float  # per call; 0 when not counted
    bytes: float  # per call: least traffic to and from memory
    size: str  # human-readable shape, e.g. "4096×4096×4096"
    blocks: int  # how many timed blocks stand behind time_s
    grade: str  # "A" steady, "B" within 5 %, "C" unstable

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
    schema_version: int = SCHEMA_VERSION

    __pydantic_config__ = _STRICT

    def probe(self, name: str) -> ProbeResult | None:
        return next((probe for probe in self.probes if probe.name == name), None)
