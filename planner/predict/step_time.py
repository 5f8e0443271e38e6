"""Time of one training (or inference) step on one GPU, from the op table.

The times of the kernels (``planner.predict.kernel_time``) and their launches are summed over the step; the host
that issues the ops runs beside it: step = smooth-max₆(device, host).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from planner.door import InvalidInputError, Problem
from planner.evidence import Evidence, Range
from planner.predict.compiled import FUSED, fused_time_factor
from planner.predict.kernel_time import roofline_seconds, shapes_of, smooth_max
from planner.predict.optimizer_step import optimizer_step
from planner.predict.types import FORMATS, DeviceModel, Floats, StepTime
from planner.workload.job import Precision, Recipe
from planner.workload.optable import KIND_CLASS, KINDS, LAID_OUT, OP_CLASSES, PHASES, Ops, OpTable, basis
from planner.workload.presets import TRACED_PRECISION

HOST_POWER = 6
NORMAL_90 = 1.6449  # half-width of a 90 % interval in standard deviations
# One RTX 3090, 711 models, torch 1.13 against 2.4: mean absolute difference 11 % once the median is removed;
# × sqrt(π / 2) as for a normal distribution. (Published timm results.)
SIGMA_SOFTWARE = 0.14
# Efficiencies fitted on training in 16-bit autocast overestimate published inference steps of the same card by a
# fifth (sigma 0.25 instead of 0.16, drift of software included). The same is assumed for other precisions.
SIGMA_OTHER_RECIPE = 0.2

ATTENTION = KINDS.index("attention")
_OPTIMIZER, _OPTIMIZER_KIND = OP_CLASSES.index("optimizer"), KINDS.index("optimizer")
_UPDATING = PHASES.index("optimizer")
# Kinds whose kernels use the matrix units; everything else computes on the ordinary cores in fp32.
MATRIX = np.isin(KINDS, ("conv_stem", "conv", "conv_1x1", "conv_grouped", "linear", "bmm", "attention", "rnn"))
# torch.backends.cudnn.allow_tf32 is on by default, torch.backends.cuda.matmul.allow_tf32 is off: a job in
# "fp32" convolves in TF32 on Ampere and later but multiplies matrices in full fp32.
CUDNN = np.isin(KINDS, ("conv_stem", "conv", "conv_1x1", "conv_grouped", "conv_depthwise", "rnn"))


def input_size(table: OpTable, recipe: Recipe) -> int:
    """Image size or sequence length of the recipe, or the table's default.

    Raises InvalidInputError when the table does not serve the size, the precision or the checkpointing.
    """
    problems = []
    needed = TRACED_PRECISION[recipe.precision]
    if table.precision != needed:
        what = f"{recipe.precision} needs a table traced with {needed}, this one has {table.precision}"
        problems.append(Problem("precision", what))
    if table.checkpointing != recipe.checkpointing:
        what = f"{recipe.checkpointing} needs a table traced with it, this one has {table.checkpointing}"
        problems.append(Problem("checkpointing", what))
    if recipe.software == "torch1.12" and ATTENTION in table.kind:
        what = f"torch 1.12 has no fused attention, with which {table.model} was traced; write torch2"
        problems.append(Problem("software", what))
    if recipe.software == "torch1.12" and recipe.execution == "compile":
        problems.append(Problem("execution", "torch 1.12 has no torch.compile; write torch2 or eager"))
    if table.size_kind in LAID_OUT and table.memory_format != recipe.memory_format:
        what = f"{recipe.memory_format} needs a table traced with it, this one is {table.memory_format}"
        problems.append(Problem("memory_format", what))
    size = recipe.input_size or table.default_size
    if table.size_kind == "none":
        if recipe.input_size is not None:
            problems.append(Problem("input_size", f"{table.model} has no size to choose; leave it empty"))
    elif not table.size_min <= size <= table.size_max:
        word = "sequence length" if table.size_kind == "sequence" else "image size"
        what = f"{word} {size} is outside {table.size_min} to {table.size_max} of {table.model}"
        problems.append(Problem("input_size", what))
    if problems:
        raise InvalidInputError(recipe.model, tuple(problems))
    return size


def matrix_arithmetic(precision: Precision, cudnn: bool) -> str:
    """What matrix units compute in: a key of ``peak_flops_per_s``. ``cudnn``: inside cuDNN (see ``CUDNN``)."""
    if precision == "fp32":
        return "tf32" if cudnn else "fp32"
    return {"tf32": "tf32", "amp": "fp16", "amp_bf16": "bf16", "bf16": "bf16"}[precision]


def _grid(values: Floats) -> Floats:
    """Anything that broadcasts to (F, P, K) as that."""
    grid: Floats = np.broadcast_to(values, (len(FORMATS), len(PHASES), len(KINDS)))
    return grid


def _arithmetics(recipe: Recipe) -> tuple[tuple[str, str], tuple[str, str]]:
    """Arithmetic of matrix kinds with 4-byte operands, then with 2-byte ones, each (outside cuDNN, inside)."""
    # 4-byte operands inside autocast (softmax, losses, norms) follow torch's fp32 defaults.
    full: Precision = "tf32" if recipe.precision == "tf32" else "fp32"
    half = "fp16" if recipe.precision in ("amp", "fp32", "tf32") else "bf16"
    return (matrix_arithmetic(full, cudnn=False), matrix_arithmetic(full, cudnn=True)), (half, half)


def _flop_rates(recipe: Recipe, device: DeviceModel) -> Floats:
    """(2, F, P, K) floating-point operations per second by operand width: 4 bytes, then 2."""

    def rates(arithmetic: str) -> Floats:
        peak = np.where(MATRIX, device.peak_flops_per_s[arithmetic], device.peak_flops_per_s["fp32"])
        product: Floats = _grid(device.flop_efficiency[arithmetic]) * peak
        return product

    by_width = [np.where(CUDNN, rates(inside), rates(outside)) for outside, inside in _arithmetics(recipe)]
    return np.stack(by_width)


def _fitted_on(device: DeviceModel, recipe: Recipe) -> bool:
    """Whether this kind of recipe is one that the efficiencies were fitted on (True if they were on none)."""
    known = device.mode == recipe.mode and recipe.precision in device.fitted_precisions
    return device.mode is None or known


def _drifts(device: DeviceModel, recipe: Recipe) -> tuple[float, float]:
    """Spread that another software level, and another kind of recipe than was fitted on, add.

    Efficiencies that were fitted on nothing add none: their own sigma covers everything.
    """
    return (
        SIGMA_SOFTWARE if device.software not in (None, recipe.software) else 0.0,
        0.0 if _fitted_on(device, recipe) else SIGMA_OTHER_RECIPE,
    )


# One answer asks several devices about the same step.
@lru_cache(maxsize=16)
def _ops(table: OpTable, batch_size: int, size: int, inference: bool) -> Ops:
    return table.ops(basis(batch_size, table.positions(size)), inference=inference)


_shapes = lru_cache(maxsize=16)(shapes_of)


@dataclass(frozen=True)
class _Work:
    """One step by memory format and kind, (F, K) each."""

    roofline_s: Floats
    kernels: Floats
    host_s: Floats  # for the host to issue the ops


def op_seconds(ops: Ops, recipe: Recipe, device: DeviceModel) -> Floats:
    """(R,) seconds of all executions of each row, without launches."""
    cell = ops.channels_last.astype(np.int64), ops.phase, ops.kind
    flop_rate = _flop_rates(recipe, device)[(ops.dtype_bytes < 4).astype(np.int64), *cell]
    once_s = roofline_seconds(
        np,
        ops.flops / flop_rate,
        ops.bytes / device.bandwidth_bytes_per_s,
        0.0,  # the rates are what the cells reach
        np.log(_grid(device.byte_efficiency))[cell],
        _shapes(ops),
        device.shape,
    )
    seconds: Floats = ops.count * once_s
    return seconds


def _work(table: OpTable, recipe: Recipe, device: DeviceModel) -> _Work:
    """The rows that run in this mode, vectorised, and the optimizer."""
    ops = _ops(table, recipe.batch_size, input_size(table, recipe), recipe.mode == "infer")
    forward_s, backward_s, update_s = device.host_op_s
    host_op_s = np.array([forward_s, backward_s, backward_s, update_s, forward_s])  # in the order of PHASES

    cell, shape = ops.channels_last * len(KINDS) + ops.kind, (len(FORMATS), len(KINDS))

    def by_kind(amounts: Floats) -> Floats:
        return np.bincount(cell, amounts, minlength=math.prod(shape)).astype(np.float64).reshape(shape)

    roofline_s = by_kind(op_seconds(ops, recipe, device))
    kernels, host_s = by_kind(ops.count), by_kind(ops.count * host_op_s[ops.phase])
    if recipe.execution == "compile":
        roofline_s, kernels, host_s = (amount * fused_time_factor() for amount in (roofline_s, kernels, host_s))
    update = optimizer_step(table, recipe)
    rate = _grid(device.byte_efficiency)[0, _UPDATING, _OPTIMIZER_KIND] * device.bandwidth_bytes_per_s
    roofline_s[0, _OPTIMIZER_KIND] += update.bytes / rate
    kernels[0, _OPTIMIZER_KIND] += update.kernels
    host_s[0, _OPTIMIZER_KIND] += update.kernels * host_op_s[_UPDATING]
    return _Work(roofline_s, kernels, host_s)


def predict_step_time(table: OpTable, recipe: Recipe, device: DeviceModel) -> StepTime:
    """Seconds of one step on one GPU, without communication, as a 90 % interval.

    Raises InvalidInputError when the table does not serve the recipe.
    """
    device = device.at(recipe.software, recipe.mode)
    work = _work(table, recipe, device)
    device_s = device.step_factor * (work.roofline_s + work.kernels * device.launch_s)
    host_s = device.step_factor * work.host_s
    total_device_s, total_host_s = float(device_s.sum()), float(host_s.sum())
    step_s = float(smooth_max(np, np.array(total_device_s), np.array(total_host_s), HOST_POWER))
    waiting_s = max(step_s - total_device_s, 0.0)
    by_kind_s = device_s + (waiting_s / total_host_s * host_s if total_host_s else 0.0)

    share = by_kind_s / step_s if step_s else by_kind_s
    host_bound = (total_host_s / step_s) ** HOST_POWER if step_s else 0.0  # ∂ ln(step) / ∂ ln(host)
    sigma_model = math.hypot(
        device.sigma_model,
        device.sigma_channels_last if table.memory_format == "channels_last" else 0.0,
        float((share * device.sigma_by_kind).sum()),
        host_bound * device.sigma_host,
        device.sigma_fused * float(share[:, FUSED].sum()) if recipe.execution == "compile" else 0.0,
        *_drifts(device, recipe),
    )
    spread = math.exp(NORMAL_90 * math.hypot(sigma_model, device.sigma_device))
    return StepTime(
        seconds=Range(step_s / spread, step_s, step_s * spread),
        by_class_s=np.bincount(KIND_CLASS, by_kind_s.sum(axis=0), minlength=len(OP_CLASSES)).astype(np.float64),
        launch_share=1.0 - device.step_factor * float(work.roofline_s.sum()) / step_s if step_s else 0.0,
        sigma_model=sigma_model,
        sigma_device=device.sigma_device,
        evidence=device.evidence if _fitted_on(device, recipe) else Evidence.ASSUMED,
    )
