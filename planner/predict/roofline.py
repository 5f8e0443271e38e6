"""A job on the roofline of a device: how close each class of its operators comes to arithmetic and memory.

rate = flops / seconds, intensity = flops / bytes; no kernel is above min(peak, intensity · bandwidth)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.benchmark.result import ProbeResult
from planner.predict.step_time import input_size, matrix_arithmetic, op_seconds
from planner.predict.types import DeviceModel, Floats
from planner.workload.job import Recipe
from planner.workload.optable import KIND_CLASS, KINDS, OP_CLASSES, OpTable, basis

_DTYPE = {"fp32": "fp32", "tf32": "fp32", "fp16": "fp16", "bf16": "bf16"}


@dataclass(frozen=True, slots=True)
class Work:
    """What one class of operators does in a step, or a probe in a call. ``flops`` 0: it only moves data."""

    code: str  # class of OP_CLASSES, or name of the probe
    flops: float
    bytes: float
    seconds: float  # on the device, launches included

    @property
    def intensity(self) -> float | None:
        return self.flops / self.bytes if self.flops and self.bytes else None


@dataclass(frozen=True, slots=True)
class Roofline:
    """A device's limits, the classes of one job's operators, and what was measured."""

    device_name: str
    arithmetic: str  # of the matrix units in this job: "fp32", "tf32", "fp16", "bf16"
    matrix_flops_per_s: float
    core_flops_per_s: float  # of the ordinary cores, fp32
    bandwidth_bytes_per_s: float
    limits_measured: bool  # by the benchmark, where no data sheet is known
    classes: tuple[Work, ...]  # the longest first
    probes: tuple[Work, ...] = ()  # that were measured here, in the job's arithmetic
    measured_flops_per_s: float | None = None  # the best of them
    measured_bytes_per_s: float | None = None

    @property
    def seconds(self) -> float:
        return sum(work.seconds for work in self.classes)


def roofline_of(
    table: OpTable,
    recipe: Recipe,
    device: DeviceModel,
    probes: tuple[ProbeResult, ...] = (),
    *,
    limits_measured: bool = False,
) -> Roofline:
    """Raises InvalidInputError when the table does not serve the recipe. ``probes``: of this very device."""
    device = device.at(recipe.software, recipe.mode)
    arithmetic = matrix_arithmetic(recipe.precision, cudnn=_convolves(table))
    measured = _measured(probes, _DTYPE[arithmetic])
    flop_rates = [work.flops / work.seconds for work in measured if work.flops]
    byte_rates = [work.bytes / work.seconds for work in measured if not work.flops]
    return Roofline(
        device_name=device.name,
        arithmetic=arithmetic,
        matrix_flops_per_s=device.peak_flops_per_s[arithmetic],
        core_flops_per_s=device.peak_flops_per_s["fp32"],
        bandwidth_bytes_per_s=device.bandwidth_bytes_per_s,
        limits_measured=limits_measured,
        classes=_classes(table, recipe, device),
        probes=measured,
        measured_flops_per_s=max(flop_rates, default=None),
        measured_bytes_per_s=max(byte_rates, default=None),
    )


def _convolves(table: OpTable) -> bool:
    """Whether most of the arithmetic is in convolutions, which follow cuDNN's defaults."""
    flops = table.flops.sum(axis=1) * table.count
    inside = np.array([name.startswith("conv") for name in KINDS])[table.kind]
    return bool(flops[inside].sum() > flops[~inside].sum())


def _classes(table: OpTable, recipe: Recipe, device: DeviceModel) -> tuple[Work, ...]:
    size = table.positions(input_size(table, recipe))
    ops = table.ops(basis(recipe.batch_size, size), inference=recipe.mode == "infer")
    seconds = device.step_factor * (op_seconds(ops, recipe, device) + ops.count * device.launch_s)

    def by_class(amounts: Floats) -> Floats:
        return np.bincount(KIND_CLASS[ops.kind], amounts, minlength=len(OP_CLASSES)).astype(np.float64)

    sums = zip(
        OP_CLASSES,
        by_class(ops.count * ops.flops),
        by_class(ops.count * ops.bytes),
        by_class(seconds),
        strict=True,
    )
    found = [Work(name, float(flops), float(moved), float(spent)) for name, flops, moved, spent in sums if spent]
    return tuple(sorted(found, key=lambda work: -work.seconds))


def _measured(probes: tuple[ProbeResult, ...], dtype: str) -> tuple[Work, ...]:
    """Probes of operator classes in the job's arithmetic, and those that only move data."""
    known = {*OP_CLASSES, *KINDS}
    return tuple(
        Work(probe.name, probe.flops, probe.bytes, probe.time_s)
        for probe in probes
        if probe.op_class in known
        and probe.bytes
        and probe.time_s > 0
        and (not probe.flops or probe.dtype == dtype)
    )
