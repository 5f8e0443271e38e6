"""Peak memory of one GPU, part by part, and whether it fits.

The peak of a training step lies somewhere in the forward and backward pass (activations, and the gradients that
exist by then) or in the optimizer step (all gradients and the optimizer's temporaries, no activations). The parts
given are those of the highest moment, so they add up to the total.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from planner.door import InvalidInputError, Problem
from planner.evidence import Evidence, Range
from planner.predict.optimizer_step import state_bytes, step_temporaries_bytes
from planner.predict.scaling import gradient_bytes
from planner.predict.step_time import input_size
from planner.predict.types import DeviceModel, Fits, Floats, MemoryEstimate, MemoryPart
from planner.units import GIB, MIB
from planner.workload.job import Recipe, Software
from planner.workload.optable import OP_CLASSES, OpTable, basis

# CUDA context with kernels loaded: 0.5–0.9 GiB on torch 2, 1.3–1.8 on old ones (public out-of-memory reports; the
# batch ladder of timm's RTX 3090 table speaks for the lower end).
_CONTEXT: dict[Software, Range] = {
    "torch2": Range(0.5, 0.7, 0.9).scaled(GIB),
    "torch1.12": Range(1.1, 1.3, 1.7).scaled(GIB),
}
# Buffers of a NCCL process group: public reports name 1–2 GiB, measured DDP runs less.
_PROCESS_GROUP = Range(0.3, 1.0, 2.0).scaled(GIB)
# cuBLAS keeps 8 MiB a handle; cuDNN's autotuner tries algorithms with workspaces as long as memory allows.
_WORKSPACE_MATRIX = Range(8, 32, 72).scaled(MIB)
_WORKSPACE_CONVOLUTION = Range(32, 96, 256).scaled(MIB)
# Reserved over allocated. 5 % is typical while memory is plentiful; near the limit the allocator frees its cache
# and retries: the batch ladder of timm's RTX 3090 table is met best with about 1 % (FSDP: up to 27 %).
_FRAGMENTATION = Range(0.0, 0.01, 0.03)
_FRAGMENTATION_FSDP = Range(0.02, 0.10, 0.27)
# Tensors alive as traced on the meta device or counted from the formulas, against the real ones: in-place and
# fused operations differ by library version.
_LIVE_SPREAD = Range(0.97, 1.0, 1.03)
# FSDP gathers two units and the embedding or head unit; as a share of all parameters.
_GATHERED_SHARE = Range(0.06, 0.2, 0.5)

_CONVOLUTIONS = np.isin(OP_CLASSES, ("conv", "conv_1x1", "conv_depthwise", "conv_grouped"))
_LARGEST_SEARCHED_BATCH = 2**24
_NOTHING = Range.exactly(0.0)


@dataclass(frozen=True)
class _Fixed:
    """What stays all through the step and does not depend on the batch, bytes on one GPU."""

    parameters: Range
    optimizer: Range
    buffers: Range
    workspace: Range
    context: Range
    fragmentation: Range  # share of everything the allocator hands out


def _fixed(table: OpTable, recipe: Recipe, device: DeviceModel, gpus: int) -> _Fixed:
    trains, sharded = recipe.mode == "train", recipe.strategy != "ddp" and gpus > 1
    parameters = Range.exactly(float(table.parameter_bytes))
    optimizer = state_bytes(table, recipe) if trains else _NOTHING
    context = _NOTHING if device.is_cpu else _CONTEXT[recipe.software]
    fragmentation = _FRAGMENTATION
    if trains and gpus > 1:
        context = context.plus(_PROCESS_GROUP)
    if trains and sharded:
        optimizer = optimizer.scaled(1 / gpus)
        if recipe.strategy == "fsdp":
            parameters = parameters.scaled(1 / gpus).plus(_GATHERED_SHARE.scaled(float(table.parameter_bytes)))
            fragmentation = _FRAGMENTATION_FSDP
    convolves = bool(_CONVOLUTIONS[table.op_class].any())
    return _Fixed(
        parameters=parameters,
        optimizer=optimizer,
        buffers=Range.exactly(float(table.buffer_bytes)),
        workspace=_NOTHING if device.is_cpu else (_WORKSPACE_CONVOLUTION if convolves else _WORKSPACE_MATRIX),
        context=context,
        fragmentation=fragmentation,
    )


@dataclass(frozen=True)
class _Moments:
    """M candidate moments, one of which sets the peak: what is alive besides the fixed parts, bytes."""

    live: Floats  # (M, 2) activations and temporaries of the ops: constant, per sample
    gradients: Floats  # (M,)
    temporaries: Floats  # (M,) of the optimizer


def _moments(table: OpTable, recipe: Recipe, gpus: int, per_sample: Floats) -> _Moments:
    """The traced moments and, in training, the optimizer step: all gradients, no activations."""
    if recipe.mode == "infer":
        live = np.vstack([table.live_bytes_infer @ per_sample, np.zeros(2)])
        return _Moments(live, np.zeros(len(live)), np.zeros(len(live)))
    live = np.vstack([table.live_bytes @ per_sample, np.zeros(2)])
    gradients = np.append(table.live_gradient_bytes, gradient_bytes(table))
    if recipe.software == "torch1.12":  # zero_grad() fills with zeros there, so that all of them stay
        gradients = np.full(len(live), gradient_bytes(table))
    temporaries = np.zeros(len(live))
    temporaries[-1] = step_temporaries_bytes(table, recipe)
    if gpus > 1 and recipe.strategy in ("ddp", "zero1"):
        gradients = gradients + gradient_bytes(table)  # the buckets that are exchanged are copies
    if gpus > 1 and recipe.strategy in ("zero2", "fsdp"):
        gradients = gradients / gpus
    if gpus > 1 and recipe.strategy != "ddp":
        temporaries = temporaries / gpus
    return _Moments(live, gradients, temporaries)


class _Peak:
    """Memory of one recipe as a function of the batch size alone."""

    def __init__(self, table: OpTable, recipe: Recipe, device: DeviceModel, gpus: int) -> None:
        positions = table.positions(input_size(table, recipe))
        constant = basis(0.0, positions)
        per_sample = np.stack([constant, basis(1.0, positions) - constant], axis=1)
        self._fixed = _fixed(table, recipe, device, gpus)
        self._moments = _moments(table, recipe, gpus, per_sample)
        self._input = table.input_bytes @ per_sample

    def parts(self, batch_size: int) -> tuple[MemoryPart, ...]:
        """All parts at the moment of the peak: the same moment at the low, likely and high end."""
        fixed, moments = self._fixed, self._moments
        live = np.maximum(moments.live[:, 0] + moments.live[:, 1] * batch_size, 0.0)
        peak = int((live + moments.gradients + moments.temporaries).argmax())
        allocated = {
            "parameters": fixed.parameters,
            "gradients": _LIVE_SPREAD.scaled(float(moments.gradients[peak])),
            "optimizer": fixed.optimizer.plus(_LIVE_SPREAD.scaled(float(moments.temporaries[peak]))),
            "buffers": fixed.buffers,
            "inputs": Range.exactly(float(self._input[0] + self._input[1] * batch_size)),
            "activations": _LIVE_SPREAD.scaled(float(live[peak])),
            "workspace": fixed.workspace,
        }
        total = _total(allocated.values())
        allocated["context"] = fixed.context
        allocated["fragmentation"] = Range(
            fixed.fragmentation.low * total.low,
            fixed.fragmentation.likely * total.likely,
            fixed.fragmentation.high * total.high,
        )
        return tuple(MemoryPart(code, size) for code, size in allocated.items())

    def careful_bytes(self, batch_size: int) -> float:
        """The high end of the total: what has to fit."""
        return _total(part.bytes for part in self.parts(batch_size)).high

    def careful_lines(self) -> Floats:
        """(M, 2): the high end at every moment as constant + slope · batch size."""
        fixed, moments = self._fixed, self._moments
        lines: Floats = _LIVE_SPREAD.high * moments.live + self._input
        lines[:, 0] += _LIVE_SPREAD.high * (moments.gradients + moments.temporaries)
        lines[:, 0] += sum(
            part.high for part in (fixed.parameters, fixed.optimizer, fixed.buffers, fixed.workspace)
        )
        lines *= 1.0 + fixed.fragmentation.high
        lines[:, 0] += fixed.context.high
        return lines


def _total(parts: Iterable[Range]) -> Range:
    sizes = tuple(parts)
    return Range(
        sum(size.low for size in sizes), sum(size.likely for size in sizes), sum(size.high for size in sizes)
    )


def estimate_memory(table: OpTable, recipe: Recipe, device: DeviceModel, gpus: int = 1) -> MemoryEstimate:
    """Peak memory on each of ``gpus`` GPUs against what is available there.

    Verdict: yes when even the high end fits, no when not even the low end does, unsure between. The largest batch
    is the largest one with the verdict yes. Raises InvalidInputError when the table does not serve the recipe.
    """
    if gpus < 1:
        raise InvalidInputError(recipe.model, (Problem("gpus", f"must be at least 1, got {gpus}"),))
    peak = _Peak(table, recipe, device, gpus)
    parts = peak.parts(recipe.batch_size)
    total = _total(part.bytes for part in parts)
    grade = Evidence.ASSUMED if recipe.strategy == "fsdp" else Evidence.PUBLISHED
    if device.memory_bytes is None:
        return MemoryEstimate(parts, total, None, Fits.UNSURE, None, grade)
    available = max(device.memory_bytes - device.memory_reserved_bytes, 0.0)
    return MemoryEstimate(
        parts=parts,
        total_bytes=total,
        available_bytes=available,
        fits=_verdict(total, available),
        largest_batch_size=_largest_batch(peak, available),
        evidence=grade,
    )


def _verdict(total: Range, available: float) -> Fits:
    if total.high <= available:
        return Fits.YES
    return Fits.NO if total.low > available else Fits.UNSURE


def _largest_batch(peak: _Peak, available: float) -> int:
    """Largest batch whose careful total fits, 0 for none: where the steepest line crosses, then by the parts."""

    def fits(batch: int) -> bool:
        return batch == 0 or peak.careful_bytes(batch) <= available

    constants, slopes = peak.careful_lines().T
    growing = slopes > 0
    crossings = (available - constants[growing]) / slopes[growing]
    batch = int(min(max(crossings.min(initial=_LARGEST_SEARCHED_BATCH), 0.0), _LARGEST_SEARCHED_BATCH))
    # The crossing is right or off by rounding: steps that double reach any other answer just as surely.
    step = 1
    while not fits(batch):
        batch, step = max(batch - step, 0), step * 2
    too_large, step = batch + 1, 1
    while too_large <= _LARGEST_SEARCHED_BATCH and fits(too_large):
        batch, too_large, step = too_large, too_large + step, step * 2
    too_large = min(too_large, _LARGEST_SEARCHED_BATCH + 1)
    while too_large - batch > 1:
        middle = (batch + too_large) // 2
        batch, too_large = (middle, too_large) if fits(middle) else (batch, middle)
    return batch
