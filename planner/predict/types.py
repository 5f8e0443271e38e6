"""What prediction takes and gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from planner.evidence import Evidence, Range
from planner.predict.compiled import SIGMA_FUSED
from planner.predict.kernel_time import NO_SHAPE, ShapeTerms
from planner.workload.job import MemoryFormat, Mode, Precision, Software
from planner.workload.optable import KINDS

Floats = NDArray[np.float64]

FORMATS: tuple[MemoryFormat, ...] = get_args(MemoryFormat)
ARITHMETICS = ("fp32", "tf32", "fp16", "bf16")


@dataclass(frozen=True)
class DeviceModel:
    """A GPU (or CPU) as the roofline sees it.

    An op takes smooth-max(flops / (flop_efficiency · peak), bytes / (byte_efficiency · bandwidth)) + launch_s, the
    efficiencies corrected by its shape (``planner.predict.kernel_time``). They broadcast to (F, P, K): memory
    formats of ``FORMATS``, phases of ``optable.PHASES``, kinds of ``optable.KINDS``, and predict sums over a whole
    step, not the time of one op.
    """

    name: str
    peak_flops_per_s: dict[str, float]  # by arithmetic: "fp32", "tf32", "fp16", "bf16"
    bandwidth_bytes_per_s: float
    flop_efficiency: dict[str, Floats]  # by arithmetic, share of peak reached
    byte_efficiency: Floats  # share of bandwidth reached
    launch_s: float  # cost of one kernel on the device
    memory_bytes: float | None  # usable by a job, as reported by the driver; None: not known
    memory_reserved_bytes: float  # kept by the driver or the display out of memory_bytes
    sigma_model: float  # standard deviation of ln(step time) from the method: common to all devices
    sigma_device: float  # the same from this device's numbers and from card to card: its own
    power_w: float | None  # board power while training
    evidence: Evidence
    # Time the host's Python needs to issue one op, by phase; zeros where host and device are the same processor.
    host_op_s: tuple[float, float, float] = (0.0, 0.0, 0.0)
    sigma_host: float = 0.0  # standard deviation of ln(host_op_s)
    shape: ShapeTerms = NO_SHAPE
    software: Software | None = None  # level the efficiencies were fitted on; None: not fitted on any
    mode: Mode | None = None  # of the steps they were fitted on
    fitted_precisions: tuple[Precision, ...] = ()
    # Extra standard deviation of a kind, broadcasts to (F, K); a kind errs as a whole: by its share of the step.
    sigma_by_kind: Floats = field(default_factory=lambda: np.zeros(len(KINDS)))
    # Standard deviation of ln(ratio) to the RTX 3090 where a step was measured on one of them.
    sigma_anchored: float = 0.12
    step_factor: float = 1.0  # on predicted step times: what a measured step says of this model (see ``anchor``)
    # The same GPU as it is known at levels of software and in modes; empty: this is all that is known.
    levels: Mapping[tuple[Software, Mode], DeviceModel] = field(default_factory=dict)
    # Bus bandwidth between this GPU's neighbours in one host where the board decides it (NVSwitch);
    # None: the host decides, as with PCIe cards.
    link_bytes_per_s: Range | None = None
    sigma_channels_last: float = 0.0  # added to sigma_model (in squares) for that memory format
    sigma_fused: float = SIGMA_FUSED  # of the kinds that torch.compile joins, for a compiled step
    is_cpu: bool = False

    def at(self, software: Software, mode: Mode) -> DeviceModel:
        """This GPU at a level of software in a mode; else in that mode at another level; else as it is."""
        same_mode = (device for (_, known), device in self.levels.items() if known == mode)
        return self.levels.get((software, mode)) or next(same_mode, self)


@dataclass(frozen=True)
class StepTime:
    """Time of one training step on one GPU, without communication."""

    seconds: Range
    by_class_s: Floats  # (C,) likely seconds by op class, launches included
    launch_share: float  # share of launches in the likely time, 0 to 1
    sigma_model: float
    sigma_device: float
    evidence: Evidence


class Fits(StrEnum):
    YES = "yes"
    NO = "no"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class MemoryPart:
    """One term of the peak. ``code``: "parameters", "gradients", "optimizer", "buffers", "inputs",
    "activations", "workspace", "context", "fragmentation"."""

    code: str
    bytes: Range


@dataclass(frozen=True, slots=True)
class MemoryPhase:
    """What a phase of training needs on one GPU. ``code``: "load", "step" (forward and backward), "optimizer" (the
    first update), "validation", "gather" (putting a sharded model together to save it). The high end of loading
    and gathering a sharded model is that of doing it without sharding."""

    code: str
    bytes: Range


@dataclass(frozen=True, slots=True)
class MemoryEstimate:
    """Peak memory on one GPU against what is free there.

    ``phase``: the code of the one that sets the peak. ``host_bytes``: RAM that offloading needs in the whole host;
    None: nothing is offloaded.
    """

    parts: tuple[MemoryPart, ...]
    total_bytes: Range
    available_bytes: float | None  # None: the device's memory is not known
    fits: Fits
    largest_batch_size: int | None  # per GPU; 0: not even one sample; None: available is not known
    evidence: Evidence
    phase: str = "step"
    phases: tuple[MemoryPhase, ...] = ()
    host_bytes: Range | None = None

    @property
    def largest_part(self) -> MemoryPart:
        return max(self.parts, key=lambda part: part.bytes.likely)


@dataclass(frozen=True, slots=True)
class Communication:
    """What a step on N GPUs adds: an all-reduce of 2 (N − 1) / N · gradient_bytes / bus bandwidth, and waiting."""

    gpu_count: int
    gradient_bytes: float
    bus_bandwidth_bytes_per_s: Range
    seconds: Range  # of the all-reduce
    evidence: Evidence
    waiting_s: Range = Range.exactly(0.0)  # for the slowest of the GPUs

    @property
    def total_s(self) -> Range:
        return self.seconds.plus(self.waiting_s)


@dataclass(frozen=True)
class Estimate:
    """Everything predicted for one recipe on N GPUs of one kind."""

    gpu_count: int
    step: StepTime  # one GPU, without communication
    communication: Communication | None  # None: one GPU, or nothing to exchange
    step_time_s: Range  # with communication
    samples_per_s: Range  # of all GPUs together
    memory: MemoryEstimate
    evidence: Evidence
