"""GPUs as the roofline sees them: from the data sheet, or from what the benchmark measured."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace

import numpy as np

from planner.benchmark.result import BenchmarkResult, ProbeResult
from planner.door import InvalidInputError, Problem
from planner.evidence import Evidence, Range
from planner.hardware.catalogue import GpuSpec
from planner.predict.efficiencies import Efficiencies, efficiencies_for, textbook
from planner.predict.kernel_time import smooth_max
from planner.predict.step_time import CUDNN, MATRIX, matrix_arithmetic
from planner.predict.types import ARITHMETICS, DeviceModel, Floats
from planner.units import GIB
from planner.workload.job import Precision
from planner.workload.optable import KIND_CLASS, KINDS, OP_CLASSES, PHASES

# Drivers keep a little of the memory sold: 23.70 of 24 GiB on an RTX 3090.
REPORTED_SHARE = 0.9875
# What a job cannot have out of that: beside a context (0.7) it leaves the 22.5 GiB that torch has reserved (22.2
# allocated) when jobs report to be out of memory on RTX 3090s, and 0.5–1.0 GiB less where a display hangs on it.
DRIVER_RESERVE_BYTES = 0.45 * GIB
DISPLAY_RESERVE_BYTES = 0.75 * GIB
# Memory shared with the operating system and all else: macOS recommends three quarters as working set.
_SHARED_MEMORY_RESERVE = 0.25
# Rented cards of one model differ between hosts by up to a third: a uniform spread of that width.
SIGMA_RENTED = (1 / 3) / math.sqrt(12)
SIGMA_SAME_MODEL = 0.02
# Method with measured class efficiencies: between efficiencies fitted per class (0.17 on models not fitted to) and
# textbook values (0.30). An assumption until measured steps are compared.
SIGMA_MEASURED_CLASSES = 0.22
# Ratios between two chips of one architecture, and between a GPU with measured classes and another: assumptions.
_SIGMA_ANCHORED_RELATIVE, _SIGMA_ANCHORED_MEASURED = 0.04, 0.08
# What a class that was not probed adds, by its share of the step: an assumption.
_SIGMA_NOT_PROBED = 0.15
# Probes of these classes run the forward pass; all others the backward pass, too.
_FORWARD_ONLY = ("matmul", "copy", "optimizer")
# A large matrix product reaches about this share of the data-sheet peak, a large copy this share of the
# bandwidth: turns measured rates of a device without a data sheet into the scale the defaults are given in.
_GEMM_SHARE, _COPY_SHARE = 0.8, 0.85
# All-reduce bus bandwidth over one direction of NVLink where a switch joins all GPUs (NCCL tests, 8 GPUs).
_NVSWITCH_SHARE = Range(0.4, 0.7, 0.85)
# The host's speed differs by processor and Python by about half; measured by its launches, by less. Assumptions.
_SIGMA_HOST, _SIGMA_HOST_MEASURED = 0.4, 0.25
# Issuing an op through autograd and a module costs a multiple of the bare launch that the probe measures; the
# ratios are those of the default costs 12, 10 and 6 µs.
_HOST_PER_LAUNCH = (2.0, 10 / 6, 1.0)
_LARGEST_SIGMA = 0.5


def _peaks(spec: GpuSpec) -> dict[str, float]:
    """Peak by arithmetic. A GPU without matrix units for a type computes it at the fp32 rate."""
    fp32 = spec.fp32_flops_per_s
    return {
        "fp32": fp32,
        "tf32": spec.tf32_flops_per_s or fp32,
        "fp16": max(spec.fp16_tensor_flops_per_s or 0.0, fp32),
        "bf16": max(spec.bf16_tensor_flops_per_s or 0.0, fp32),
    }


def _reserve_bytes(spec: GpuSpec, display: bool) -> float:
    if spec.p2p == "unified" or spec.vendor == "Apple":
        return _SHARED_MEMORY_RESERVE * spec.memory_bytes
    return DRIVER_RESERVE_BYTES + (DISPLAY_RESERVE_BYTES if display else 0.0)


def _link(spec: GpuSpec) -> Range | None:
    if "sxm" not in spec.id or spec.nvlink_bytes_per_s is None:
        return None
    return _NVSWITCH_SHARE.scaled(spec.nvlink_bytes_per_s / 2)


def _by_arithmetic(known: Efficiencies) -> dict[str, Floats]:
    """FLOP efficiencies for each arithmetic: matrix units were fitted in 16 bit only, the rest is textbook."""
    wide = np.where(MATRIX, textbook().flop, known.flop) if known.precisions else known.flop
    return {"fp32": wide, "tf32": wide, "fp16": known.flop, "bf16": known.flop}


def device_from_catalogue(
    spec: GpuSpec,
    *,
    rented: bool = False,
    display: bool = False,
    power_w: float | None = None,
    known: tuple[Efficiencies, ...] | None = None,
) -> DeviceModel:
    """A GPU known from its data sheet, with the efficiencies published for it, its architecture, or any GPU.

    ``rented``: one unknown card in an unknown host instead of the published one: a wider interval.
    ``display``: a screen hangs on the card. ``power_w``: its power limit; None: the data sheet's.
    ``known``: other efficiencies than the best that are shipped, one per level of software.
    Raises InvalidInputError when the data sheet gives no bandwidth.
    """
    if spec.bandwidth_bytes_per_s is None:
        raise InvalidInputError(spec.name, (Problem("bandwidth", "is not in the catalogue: run the benchmark"),))
    usual, *others = [
        _at_level(spec, level, rented=rented, display=display, power_w=power_w)
        for level in known or efficiencies_for(spec.id, spec.architecture)
    ]
    levels = {
        (device.software, device.mode): device for device in (usual, *others) if device.software and device.mode
    }
    return replace(usual, levels=levels)


def _at_level(
    spec: GpuSpec, known: Efficiencies, *, rented: bool, display: bool, power_w: float | None
) -> DeviceModel:
    same = spec.id in known.devices
    sigma_device = SIGMA_SAME_MODEL if same else known.sigma_other_device
    return DeviceModel(
        name=spec.name,
        peak_flops_per_s=_peaks(spec),
        bandwidth_bytes_per_s=spec.bandwidth_bytes_per_s or 0.0,
        flop_efficiency=_by_arithmetic(known),
        byte_efficiency=known.byte,
        launch_s=known.launch_s,
        memory_bytes=REPORTED_SHARE * spec.memory_bytes,
        memory_reserved_bytes=_reserve_bytes(spec, display),
        sigma_model=known.sigma_model["contiguous"],
        sigma_device=math.hypot(sigma_device, SIGMA_RENTED if rented else 0.0),
        power_w=power_w or spec.tdp_w,
        evidence=Evidence.PUBLISHED if same else Evidence.ASSUMED,
        host_op_s=known.host_op_s,
        sigma_host=_SIGMA_HOST,
        sigma_channels_last=known.sigma_added_by_channels_last,
        shape=known.shape,
        software=known.software,
        mode=known.mode,
        fitted_precisions=known.precisions,
        sigma_by_kind=known.sigma_by_kind,
        sigma_anchored=math.hypot(known.sigma_anchored, 0.0 if same else _SIGMA_ANCHORED_RELATIVE),
        link_bytes_per_s=_link(spec),
    )


def _kind(probe: ProbeResult) -> int:
    """The kind that a probe runs: as it says, or the one of its class's name, or the first of its class."""
    for name in (probe.op_kind, probe.op_class):
        if name in KINDS:
            return KINDS.index(name)
    return int(np.flatnonzero(np.equal(KIND_CLASS, OP_CLASSES.index(probe.op_class)))[0])


def _arithmetic(probe: ProbeResult) -> str:
    """What a probe's kernels compute in: torch convolves fp32 in TF32, where there is any."""
    precision: dict[str, Precision] = {"fp32": "fp32", "fp16": "amp", "bf16": "amp_bf16"}
    return matrix_arithmetic(precision.get(probe.dtype, "fp32"), bool(CUDNN[_kind(probe)]))


def _class_probes(result: BenchmarkResult) -> list[ProbeResult]:
    known = {*OP_CLASSES, *KINDS}
    return [probe for probe in result.probes if probe.op_class in known and (probe.flops or probe.bytes)]


def _best_rate(probes: list[ProbeResult], op_class: str, dtype: str | None, what: str) -> float | None:
    rates = [
        getattr(probe, what) or 0.0
        for probe in probes
        if probe.op_class == op_class and (dtype is None or probe.dtype == dtype)
    ]
    return max(rates, default=0.0) or None


def _measured_limits(result: BenchmarkResult, probes: list[ProbeResult]) -> tuple[dict[str, float], float]:
    """Peaks and bandwidth of a device without a data sheet. Raises InvalidInputError when a probe is missing."""
    fp32 = _best_rate(probes, "matmul", "fp32", "flops_per_s")
    bandwidth = _best_rate(probes, "copy", None, "bytes_per_s")
    missing = [name for name, rate in (("matmul fp32", fp32), ("copy", bandwidth)) if rate is None]
    if fp32 is None or bandwidth is None:
        raise InvalidInputError(
            f"benchmark of {result.device_name}",
            tuple(Problem(name, "has no result, and the catalogue does not know this device") for name in missing),
        )
    peaks = {"fp32": fp32, "tf32": fp32}
    for dtype in ("fp16", "bf16"):
        peaks[dtype] = _best_rate(probes, "matmul", dtype, "flops_per_s") or fp32
    return {name: rate / _GEMM_SHARE for name, rate in peaks.items()}, bandwidth / _COPY_SHARE


class _Measured:
    """Default efficiencies, corrected kind by kind with measured ÷ predicted time of the probes.

    A kind that was not probed follows the probed kinds of its class.
    """

    def __init__(self, base: DeviceModel, known: Efficiencies, probes: list[ProbeResult]) -> None:
        self.flop = {arithmetic: known.flop.copy() for arithmetic in ARITHMETICS}
        self.byte = known.byte.copy()
        self.probed: set[int] = set()  # classes
        by_kind: dict[tuple[str, str, int], list[tuple[float, float]]] = defaultdict(list)
        for probe in probes:
            limit, arithmetic, predicted_s = _binding(base, probe)
            by_kind[limit, arithmetic, _kind(probe)].append((predicted_s, probe.time_s - base.launch_s))
            self.probed.add(int(KIND_CLASS[_kind(probe)]))
        by_class: dict[tuple[str, str, int], list[tuple[float, float]]] = defaultdict(list)
        for (limit, arithmetic, kind), times in by_kind.items():
            by_class[limit, arithmetic, int(KIND_CLASS[kind])] += times
        for (limit, arithmetic, op_class), times in by_class.items():
            alone = [k for (lim, arith, k) in by_kind if (lim, arith) == (limit, arithmetic)]
            others = np.equal(KIND_CLASS, op_class) & ~np.isin(np.arange(len(KINDS)), alone)
            self._grid(limit, arithmetic)[..., others] *= _speed(times)
        for (limit, arithmetic, kind), times in by_kind.items():
            self._grid(limit, arithmetic)[..., kind] *= _speed(times)
        self._lend({(arithmetic, op_class) for limit, arithmetic, op_class in by_class if limit == "flop"})

    def _grid(self, limit: str, arithmetic: str) -> Floats:
        return self.flop[arithmetic] if limit == "flop" else self.byte

    def _lend(self, known: set[tuple[str, int]]) -> None:
        """A type that was not probed behaves like its sibling of the same width."""
        siblings = {"fp16": "bf16", "bf16": "fp16", "fp32": "tf32", "tf32": "fp32"}
        for op_class in self.probed:
            columns = np.equal(KIND_CLASS, op_class)
            for arithmetic, sibling in siblings.items():
                if (arithmetic, op_class) not in known and (sibling, op_class) in known:
                    self.flop[arithmetic][..., columns] = self.flop[sibling][..., columns]


def _speed(times: list[tuple[float, float]]) -> float:
    """Predicted ÷ measured seconds. Long probes weigh most: the sum is what a step is made of."""
    predicted, measured = (sum(column) for column in zip(*times, strict=True))
    return float(predicted / max(measured, 1e-9))


def _phases(kind: int) -> list[int]:
    """What a probe of this kind runs: convolutions all their gradients, products and copies the forward pass."""
    name = KINDS[kind]
    if OP_CLASSES[KIND_CLASS[kind]] in _FORWARD_ONLY:
        phases: tuple[str, ...] = ("forward",)
    else:
        phases = ("forward", "backward", "weight_gradient") if name.startswith("conv") else ("forward", "backward")
    return [PHASES.index(phase) for phase in phases]


def _binding(device: DeviceModel, probe: ProbeResult) -> tuple[str, str, float]:
    """Which limit binds a probe ("flop" or "byte"), its arithmetic, and its predicted time without launch."""
    kind, arithmetic = _kind(probe), _arithmetic(probe)

    def share(grid: Floats) -> float:
        """Of phases that do the same work each: the harmonic mean."""
        return float(1 / np.mean(1 / grid[0, _phases(kind), kind]))

    flop_s = probe.flops / (
        device.peak_flops_per_s[arithmetic if MATRIX[kind] else "fp32"] * share(device.flop_efficiency[arithmetic])
    )
    byte_s = probe.bytes / (device.bandwidth_bytes_per_s * share(device.byte_efficiency))
    predicted = float(smooth_max(np, np.array(flop_s), np.array(byte_s)))
    return ("flop" if flop_s >= byte_s else "byte"), arithmetic, predicted


def _sigma_by_kind(known: Efficiencies, probed: set[int]) -> Floats:
    """Extra sigma of classes the benchmark does not cover."""
    covered = np.isin(KIND_CLASS, list(probed))
    extra: Floats = np.where(covered, 0.0, known.sigma_by_kind + _SIGMA_NOT_PROBED)
    return extra


def _sigma_of_probes(probes: list[ProbeResult]) -> float:
    """How unsteady the device was: root mean square of the probes' own 90 % intervals."""
    logs = [math.log(probe.time_high_s / probe.time_low_s) / 2 / 1.645 for probe in probes if probe.time_low_s > 0]
    return min(math.sqrt(sum(x * x for x in logs) / len(logs)), _LARGEST_SIGMA) if logs else _LARGEST_SIGMA


def _launch_costs(result: BenchmarkResult, known: Efficiencies) -> tuple[float, tuple[float, float, float], float]:
    """Cost of a kernel on the device, of an op on the host by phase, and the latter's sigma."""
    launch = next((probe.time_s for probe in result.probes if probe.op_class == "launch"), None)
    if result.device_kind == "cpu":  # the host that issues ops is the processor that runs them
        return (known.launch_s if launch is None else launch), (0.0, 0.0, 0.0), 0.0
    if launch is None:
        return known.launch_s, known.host_op_s, _SIGMA_HOST
    forward, backward, update = (launch * factor for factor in _HOST_PER_LAUNCH)
    return min(launch, known.launch_s), (forward, backward, update), _SIGMA_HOST_MEASURED


def _memory(result: BenchmarkResult, spec: GpuSpec | None, display: bool) -> tuple[float | None, float]:
    """Memory as the driver reports it (None: not known), and what a job cannot have of it."""
    memory = float(result.device_memory_bytes) if result.device_memory_bytes is not None else None
    if result.device_kind == "cpu":
        return memory, _SHARED_MEMORY_RESERVE * (memory or 0.0)
    if spec is None:
        return memory, DRIVER_RESERVE_BYTES + (DISPLAY_RESERVE_BYTES if display else 0.0)
    return memory or REPORTED_SHARE * spec.memory_bytes, _reserve_bytes(spec, display)


def device_from_benchmark(
    result: BenchmarkResult, spec: GpuSpec | None = None, *, display: bool = False
) -> DeviceModel:
    """This machine's GPU or CPU, with efficiencies measured by the benchmark.

    ``spec`` gives peaks and bandwidth; None (a CPU, a GPU missing from the catalogue): the best measured ones.
    Classes that were not probed keep the defaults and widen the interval. Raises InvalidInputError when there is
    neither a data sheet nor the probes that replace it.
    """
    is_cpu = result.device_kind == "cpu"
    probes, known = _class_probes(result), textbook()
    if spec is not None and spec.bandwidth_bytes_per_s is not None and not is_cpu:
        peaks, bandwidth = _peaks(spec), spec.bandwidth_bytes_per_s
    else:
        peaks, bandwidth = _measured_limits(result, probes)
    launch_s, host_op_s, sigma_host = _launch_costs(result, known)
    memory, reserve = _memory(result, spec, display)
    base = DeviceModel(
        name=result.device_name,
        peak_flops_per_s=peaks,
        bandwidth_bytes_per_s=bandwidth,
        flop_efficiency=dict.fromkeys(ARITHMETICS, known.flop),
        byte_efficiency=known.byte,
        launch_s=launch_s,
        memory_bytes=memory,
        memory_reserved_bytes=reserve,
        sigma_model=SIGMA_MEASURED_CLASSES,
        sigma_device=math.hypot(SIGMA_SAME_MODEL, _sigma_of_probes(probes)),
        power_w=result.power_limit_w or (spec.tdp_w if spec is not None and not is_cpu else None),
        evidence=Evidence.MEASURED_BENCHMARK,
        host_op_s=host_op_s,
        sigma_host=sigma_host,
        sigma_channels_last=known.sigma_added_by_channels_last,
        shape=known.shape,
        sigma_anchored=_SIGMA_ANCHORED_MEASURED,
        link_bytes_per_s=_link(spec) if spec is not None else None,
        is_cpu=is_cpu,
    )
    measured = _Measured(base, known, probes)
    return replace(
        base,
        flop_efficiency=measured.flop,
        byte_efficiency=measured.byte,
        sigma_by_kind=_sigma_by_kind(known, measured.probed),
    )
