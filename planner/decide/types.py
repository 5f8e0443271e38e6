"""What a decision takes and gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from planner.evidence import Evidence, Range, check_number, check_range
from planner.offers.offer import PackagePrice
from planner.predict.types import Communication, MemoryEstimate, StepTime

_STRICT = {"extra": "forbid", "allow_inf_nan": False}

OptionKind = Literal["local", "rent"]
VerdictCode = Literal["local", "rent", "either", "measure_first", "none_fits"]
# Value of a message placeholder. The name's suffix says the unit: _s, _usd, _usd_per_h, _bytes, _gbs (10⁹ byte/s),
# _share (0 to 1), _kwh; no suffix: a plain number or text.
Value = float | int | str | Range


@dataclass(frozen=True, slots=True)
class Terms:
    """Circumstances of the decision: what time and money mean to this user. Defaults are assumptions (grade D)."""

    deadline_h: float | None = None  # hours from now until the result must be there
    budget_usd: float | None = None
    upload_mbit_per_s: Range = Range(20, 50, 100)
    waiting_cost_usd_per_h: float = 0.0  # of all people waiting, per hour between start and result
    electricity_usd_per_kwh: Range = Range(0.10, 0.17, 0.35)
    host_power_w: float = 120.0  # the desktop around the GPU while training
    setup_h: Range = Range(0.25, 0.5, 1.5)  # environment on the rented machine, billed
    boot_h: Range = Range(0.03, 0.1, 0.25)  # rented machine until usable, billed
    idle_h: Range = Range(0.0, 0.25, 2.0)  # until somebody notices the end and shuts down, billed
    # Effective all-reduce bus bandwidth of the rented host, GB/s; None: the default range of each GPU count.
    bus_bandwidth_gbs: Range | None = None
    platform: Literal["linux", "windows"] = "linux"  # of the rented machine
    privacy: Literal["public", "internal", "personal", "regulated"] = "internal"
    confidence: float = 0.9  # demanded probability to be on time

    __pydantic_config__ = _STRICT

    def __post_init__(self) -> None:
        for name in ("deadline_h", "budget_usd"):
            value = getattr(self, name)
            if value is not None:
                check_number(name, value, more_than=0)
        check_range("upload_mbit_per_s", self.upload_mbit_per_s, at_least=1e-3, at_most=1e9)
        if self.bus_bandwidth_gbs is not None:
            check_range("bus_bandwidth_gbs", self.bus_bandwidth_gbs, at_least=1e-3)
        if not 0.5 <= self.confidence < 1:
            raise ValueError(f"confidence must lie between 0.5 and 1, got {self.confidence}")
        check_number("waiting_cost_usd_per_h", self.waiting_cost_usd_per_h, at_most=1e9)
        check_number("host_power_w", self.host_power_w, at_most=1e6)
        check_range("electricity_usd_per_kwh", self.electricity_usd_per_kwh, at_most=1e6)
        for name in ("setup_h", "boot_h", "idle_h"):
            check_range(name, getattr(self, name), at_most=1e6)


@dataclass(frozen=True, slots=True)
class Reason:
    """One sentence as a code with numbers; ``values`` fill its placeholders (unit by suffix of the name)."""

    code: str  # below "reason."
    values: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True, slots=True)
class Phase:
    """One stretch of the way to the result: "boot", "upload", "setup", "run", "download", "idle"."""

    code: str
    duration_s: Range
    billed: bool


@dataclass(frozen=True, slots=True)
class CostPart:
    """One line of the bill: "rent", "electricity", "waiting"."""

    code: str
    usd: Range


@dataclass(frozen=True)
class Option:
    """One way to do the job: this machine, or N rented GPUs."""

    kind: OptionKind
    gpu_count: int
    device_name: str
    sold: bool  # somebody sells exactly this count (always true for local)
    step: StepTime | None  # None: no device to predict for (no local GPU)
    step_total_s: Range | None  # with communication
    speedup: Range | None  # against one rented GPU
    communication: Communication | None
    memory: MemoryEstimate | None
    batch_per_gpu: int
    price: PackagePrice | None  # None for local
    phases: tuple[Phase, ...]
    time_s: Range | None  # from now to the result in hand
    cost: tuple[CostPart, ...]
    cost_usd: Range | None  # None: a price is missing
    p_on_time: float | None  # None: no deadline
    p_best: float  # share of the samples in which this option is the best choice
    rejected: tuple[Reason, ...]  # empty: a candidate
    evidence: Evidence

    @property
    def key(self) -> str:
        """Stable name: "local", "rent-4"."""
        return "local" if self.kind == "local" else f"rent-{self.gpu_count}"


@dataclass(frozen=True)
class Recommendation:
    """The answer. ``chosen`` is the key of an option, None when nothing can be recommended.

    Verdicts: "local" and "rent" are firm; "either": two options differ too little, the simpler one is chosen;
    "measure_first": the uncertainty named in ``reasons[0]`` decides, ``chosen`` is only the present favourite;
    "none_fits": no option is possible.
    """

    verdict: VerdictCode
    chosen: str | None
    runner_up: str | None
    confidence: float  # p_best of the chosen option
    options: tuple[Option, ...]  # local first, then 1 to 6 rented GPUs
    reasons: tuple[Reason, ...]  # by weight; the binding limit first
    assumptions: tuple[Assumption, ...]
    seed: int
    sample_count: int

    def option(self, key: str) -> Option:
        return next(option for option in self.options if option.key == key)


@dataclass(frozen=True, slots=True)
class Assumption:
    """One line of the assumptions register. ``code`` is below "assumption."; the unit is its name's suffix."""

    code: str
    value: Value
    evidence: Evidence
    source: str  # message code below "source." or a citation
    edited: bool  # differs from the default
