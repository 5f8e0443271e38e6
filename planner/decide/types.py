"""What a decision takes and gives."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from planner.evidence import Evidence, Range, check_number, check_range
from planner.offers.offer import PackagePrice
from planner.predict.scaling import HostClass
from planner.predict.types import Communication, MemoryEstimate, StepTime

_STRICT = {"extra": "forbid", "allow_inf_nan": False}

OptionKind = Literal["local", "rent", "newer"]  # "newer": one rented card that is newer than those weighed
Objective = Literal["least_cost", "fastest"]
GateAnswer = Literal["passed", "failed", "ask"]
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
    host_class: HostClass = "unknown"  # how the cards of the rented host are connected, where nothing was measured
    platform: Literal["linux", "windows"] = "linux"  # of the rented machine
    privacy: Literal["public", "internal", "personal", "regulated"] = "internal"
    confidence: float = 0.9  # demanded probability to be on time
    # Least total cost among what meets the deadline, or the fastest within the budget.
    objective: Objective = "least_cost"
    late_usd: float | None = None  # what being late costs; None: a late option is ruled out instead
    blocked_usd_per_h: float = 0.0  # of not being able to work on this machine while it trains
    tax_share: float = 0.0  # on everything the seller bills
    failed_start_share: float = 0.1  # of first starts that come to nothing: start and set-up are paid twice
    # Of an interruptible machine (a "spot" price).
    interrupted_every_h: Range = Range(4, 24, 168)
    checkpoint_s: Range = Range(10, 30, 120)  # to save one
    restart_h: Range = Range(0.1, 0.25, 1.0)  # with the data's reload
    rented_vcpus_per_gpu: Range = Range(4, 5, 6)  # where the offer does not say
    disk_mb_per_s: Range = Range(200, 500, 3000)  # that the input is read from, here and there
    co2_per_kwh_g: Range = Range(56, 375, 475)  # CO₂ of the electricity
    hours_per_month: float | None = None  # of training like this one, for buying instead of renting
    card_usd: Range = Range(500, 700, 800)  # of a used RTX 3090
    admin_h_per_month: float = 0.0  # that somebody spends on keeping an own card running
    # What an hour of one person costs: a data scientist in a rich country (assumed).
    person_usd_per_h: float = 77.0
    data_country: str = ""  # where personal data was collected: "VN", "DE", …; "": not said
    transfer_assessed: bool = False  # its transfer abroad is filed and allowed
    own_datacentre: bool = False  # this machine stands in a data centre or a colocation hall

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
        check_number("blocked_usd_per_h", self.blocked_usd_per_h, at_most=1e9)
        check_number("late_usd", self.late_usd or 0.0, at_most=1e12)
        check_number("admin_h_per_month", self.admin_h_per_month, at_most=1e6)
        check_number("person_usd_per_h", self.person_usd_per_h, at_most=1e6)
        check_number("hours_per_month", self.hours_per_month or 0.0, at_most=1e6)
        check_number("host_power_w", self.host_power_w, at_most=1e6)
        check_number("tax_share", self.tax_share, at_most=10)
        check_number("failed_start_share", self.failed_start_share, at_most=1)
        check_range("electricity_usd_per_kwh", self.electricity_usd_per_kwh, at_most=1e6)
        for name in ("setup_h", "boot_h", "idle_h", "checkpoint_s", "restart_h", "co2_per_kwh_g", "card_usd"):
            check_range(name, getattr(self, name), at_most=1e6)
        check_range("interrupted_every_h", self.interrupted_every_h, at_least=1e-2, at_most=1e6)
        for name in ("rented_vcpus_per_gpu", "disk_mb_per_s"):
            check_range(name, getattr(self, name), at_least=1e-3, at_most=1e9)
        if self.data_country and not re.fullmatch("[A-Z]{2}", self.data_country):
            raise ValueError(
                f"data_country must be two capital letters such as VN or DE, got {self.data_country!r}"
            )


@dataclass(frozen=True, slots=True)
class Reason:
    """One sentence as a code with numbers; ``values`` fill its placeholders (unit by suffix of the name)."""

    code: str  # below "reason."
    values: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True, slots=True)
class Phase:
    """One stretch of the way to the result: "boot", "upload", "setup", "failed_start", "run", "interrupted",
    "download", "idle". Phases that a plan rules out are left away."""

    code: str
    duration_s: Range
    billed: bool


@dataclass(frozen=True, slots=True)
class CostPart:
    """One line of the bill: "rent", "storage" (with egress), "tax", "electricity", "blocked", "waiting", "late".

    Lines that nothing can come of are left away.
    """

    code: str
    usd: Range


@dataclass(frozen=True)
class Option:
    """One way to do the job: this machine, N rented GPUs, a newer card. What stays at its default is unknown."""

    kind: OptionKind
    gpu_count: int
    device_name: str
    sold: bool  # somebody sells exactly this count (always true for local)
    step: StepTime | None = None  # None: no device to predict for (no local GPU)
    step_total_s: Range | None = None  # with communication
    speedup: Range | None = None  # against one rented GPU
    communication: Communication | None = None
    memory: MemoryEstimate | None = None
    batch_per_gpu: int = 1
    price: PackagePrice | None = None  # None for local
    phases: tuple[Phase, ...] = ()
    time_s: Range | None = None  # from now to the result in hand
    cost: tuple[CostPart, ...] = ()
    cost_usd: Range | None = None  # None: a price is missing
    p_on_time: float | None = None  # None: no deadline
    p_best: float = 0.0  # share of the samples in which this option is the best choice
    rejected: tuple[Reason, ...] = ()  # empty: a candidate
    evidence: Evidence = Evidence.ASSUMED
    side_by_side: bool = False  # several runs of the job at a time, one on each GPU, instead of one on all
    input_samples_per_s: Range | None = None  # that the machine can read and prepare; None: no limit known
    energy_kwh: Range | None = None
    co2_kg: Range | None = None

    @property
    def key(self) -> str:
        """Stable name: "local", "rent-4", "newer-1"."""
        return "local" if self.kind == "local" else f"{self.kind}-{self.gpu_count}"


@dataclass(frozen=True, slots=True)
class Gate:
    """One question that comes before money. ``code`` is below "gate."."""

    code: str  # "licence", "privacy", "country", "platform", "availability", "support"
    answer: GateAnswer
    values: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """What one uncertain input does while all others stay at their likely values."""

    code: str  # one of ``draws.INPUTS``, below "input."
    cost_likely_usd: float  # of the chosen option with everything at its likely value
    cost_low_usd: float  # of the chosen option with the input at its 10th percentile
    cost_high_usd: float  # at its 90th
    lead_low_usd: float | None  # by how much it is cheaper than the runner-up, at the 10th percentile
    lead_high_usd: float | None  # at the 90th
    switch_at: float | None  # share of the input's futures below which, or above which, the runner-up is better

    @property
    def swing_usd(self) -> float:
        return abs(self.cost_high_usd - self.cost_low_usd)


@dataclass(frozen=True, slots=True)
class SwitchPoint:
    """Where ``option`` and ``other_option`` (keys) change places at the likely values. None: nowhere."""

    option: str  # the one with more GPUs
    other_option: str
    faster_above_gbs: float | None  # bus bandwidth, 10⁹ byte/s
    cheaper_above_gbs: float | None
    cheaper_below_usd_per_h: float | None  # price of an hour of ``option``


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
    gates: tuple[Gate, ...] = ()  # for the chosen option, else for the rentals
    sensitivities: tuple[Sensitivity, ...] = ()  # of the chosen option's cost, the strongest first
    regret_usd: float | None = None  # expected loss of taking the chosen option not knowing the future
    newer: Option | None = None  # the best single newer card, beside the options; never chosen
    switch_points: tuple[SwitchPoint, ...] = ()  # of every pair of options that can do the job
    break_even_h_per_month: Range | None = None  # from which buying a used card is cheaper than renting one

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
