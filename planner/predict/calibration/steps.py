"""Published steps and all that they execute, as flat arrays to fit to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.hardware.catalogue import GpuSpec, lookup
from planner.predict.calibration.traced import Measurement, TracedStep, load
from planner.predict.kernel_time import Shapes, shapes_of
from planner.predict.optimizer_step import optimizer_step
from planner.predict.step_time import MATRIX
from planner.predict.types import Floats
from planner.workload.job import Recipe
from planner.workload.optable import KINDS, PHASES, Ops

Indices = NDArray[np.int64]

# The published training: SGD with momentum, autocast to fp16 without a gradient scaler, gradients zero-filled.
PUBLISHED = Recipe(optimizer="momentum", precision="amp", software="torch1.12")


@dataclass(frozen=True)
class Steps:
    """S steps and all their ops, R rows in total. Ideal times are seconds at full peak and full bandwidth."""

    measurements: tuple[Measurement, ...]  # (S,)
    family: NDArray[np.str_]  # (S,)
    channels_last: NDArray[np.bool_]  # (S,)
    step_s: Floats  # (S,) as published
    step: Indices  # (R,) which step a row belongs to
    kind: Indices  # (R,)
    phase: Indices  # (R,)
    count: Floats  # (R,)
    flop_s: Floats  # (R,) of one execution
    byte_s: Floats  # (R,)
    shapes: Shapes

    def choose(self, keep: NDArray[np.bool_]) -> Steps:
        """The steps where ``keep`` (S,) is true."""
        rows, place = keep[self.step], np.cumsum(keep) - 1
        by_row = {name: getattr(self, name)[rows] for name in ("kind", "phase", "count", "flop_s", "byte_s")}
        return Steps(
            measurements=tuple(m for m, kept in zip(self.measurements, keep, strict=True) if kept),
            **{name: getattr(self, name)[keep] for name in ("family", "channels_last", "step_s")},
            step=place[self.step[rows]],
            **by_row,
            shapes=Shapes(**{f.name: getattr(self.shapes, f.name)[rows] for f in fields(Shapes)}),
        )

    def sums(self, values: Floats) -> Floats:
        """(S,) sums over each step's rows of ``values`` (R,)."""
        total: Floats = np.bincount(self.step, values, minlength=len(self.step_s)).astype(np.float64)
        return total


def spec_of(gpu: str) -> GpuSpec:
    """The catalogue's entry of a published GPU. Raises ValueError if it is not there with its peaks."""
    spec = lookup(gpu)
    if spec is None or spec.bandwidth_bytes_per_s is None or spec.fp16_tensor_flops_per_s is None:
        raise ValueError(f"{gpu} is not in the catalogue with its peaks")
    return spec


def _with_optimizer(traced: TracedStep) -> Ops:
    """The ops of a training step and its update as one more row."""
    update = optimizer_step(traced, PUBLISHED)
    row: dict[str, Any] = dict.fromkeys((field.name for field in fields(Ops)), 0.0)
    row |= {"kind": KINDS.index("optimizer"), "phase": PHASES.index("optimizer"), "dtype_bytes": 4}
    row |= {"count": update.kernels, "bytes": update.bytes / update.kernels, "channels_last": False}
    row |= {"kernel": 1.0, "stride": 1.0, "groups": 1.0}
    return Ops(**{name: np.append(getattr(traced.ops, name), value) for name, value in row.items()})


def _as_inference(ops: Ops) -> Ops:
    return replace(ops, phase=np.full_like(ops.phase, PHASES.index("inference")))


def collect(measurements: Iterable[Measurement], folder: Path) -> Steps:
    """Published steps whose architecture has been traced into ``folder``, with their ops."""
    known: list[Measurement] = []
    columns: list[SimpleNamespace] = []
    for measurement in measurements:
        file = measurement.case.file(folder)
        if not file.exists():
            continue
        traced, spec = load(file), spec_of(measurement.gpu)
        ops = _with_optimizer(traced) if measurement.case.mode == "train" else _as_inference(traced.ops)
        half = MATRIX[ops.kind] & (ops.dtype_bytes < 4)
        peak = np.where(half, spec.fp16_tensor_flops_per_s or np.nan, spec.fp32_flops_per_s)
        columns.append(
            SimpleNamespace(
                step=np.full(len(ops.kind), len(known)),
                kind=ops.kind,
                phase=ops.phase,
                count=ops.count,
                flop_s=ops.flops / peak,
                byte_s=ops.bytes / (spec.bandwidth_bytes_per_s or np.nan),
                shapes=shapes_of(ops),
            )
        )
        known.append(measurement)
    if not known:
        raise ValueError(f"{folder} holds none of the steps: run trace_timm first")
    shapes = {f.name: np.concatenate([getattr(c.shapes, f.name) for c in columns]) for f in fields(Shapes)}
    names = ("step", "kind", "phase", "count", "flop_s", "byte_s")
    return Steps(
        measurements=tuple(known),
        family=np.array([m.case.family for m in known]),
        channels_last=np.array([m.case.memory_format == "channels_last" for m in known]),
        step_s=np.array([m.step_s for m in known]),
        **{name: np.concatenate([getattr(column, name) for column in columns]) for name in names},
        shapes=Shapes(**shapes),
    )


def at_most_of_a_family(steps: Steps, most: int, seed: int) -> Steps:
    """At most so many steps of each family, drawn at random."""
    random = np.random.default_rng(seed)
    keep = np.zeros(len(steps.step_s), dtype=np.bool_)
    for family in np.unique(steps.family):
        keep[random.permutation(np.flatnonzero(steps.family == family))[:most]] = True
    return steps.choose(keep)
