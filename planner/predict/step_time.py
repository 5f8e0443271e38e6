"""Time of one training (or inference) step on one GPU, from the op table.

Per op: smooth-max₄(flops / (efficiency · peak), bytes / (efficiency · bandwidth)) + launch, summed over the step;
the host that issues the ops runs beside it: step = smooth-max₆(device, host). A smooth maximum
(aᵖ + bᵖ)^(1/p) is the roofline with a rounded corner: near the ridge an op is slowed by both limits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.door import InvalidInputError, Problem
from planner.evidence import Evidence, Range
from planner.predict.optimizer_step import optimizer_step
from planner.predict.types import FORMATS, DeviceModel, Floats, StepTime
from planner.workload.job import Precision, Recipe
from planner.workload.optable import OP_CLASSES, PHASES, OpTable, basis
from planner.workload.presets import TRACED_PRECISION

ROOFLINE_POWER = 4
HOST_POWER = 6
NORMAL_90 = 1.6449  # half-width of a 90 % interval in standard deviations
# One RTX 3090, 711 models, torch 1.13 against 2.4: mean absolute difference 11 % once the median is removed;
# × sqrt(π / 2) as for a normal distribution. (Published timm results.)
SIGMA_SOFTWARE = 0.14
# Efficiencies fitted on training in 16-bit autocast overestimate published inference steps of the same card by a
# fifth (sigma 0.25 instead of 0.16, drift of software included). The same is assumed for other precisions.
SIGMA_OTHER_RECIPE = 0.2

ATTENTION, OPTIMIZER = OP_CLASSES.index("attention"), OP_CLASSES.index("optimizer")
_FORWARD, _UPDATING = PHASES.index("forward"), PHASES.index("optimizer")
# Classes whose kernels use the matrix units; everything else computes on the ordinary cores in fp32.
MATRIX = np.isin(OP_CLASSES, ("conv", "conv_1x1", "conv_grouped", "matmul", "bmm", "attention", "rnn"))
# torch.backends.cudnn.allow_tf32 is on by default, torch.backends.cuda.matmul.allow_tf32 is off: a job in
# "fp32" convolves in TF32 on Ampere and later but multiplies matrices in full fp32.
CUDNN = np.isin(OP_CLASSES, ("conv", "conv_1x1", "conv_grouped", "conv_depthwise", "rnn"))


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
    if recipe.software == "torch1.12" and ATTENTION in table.op_class:
        what = f"torch 1.12 has no fused attention, with which {table.model} was traced; write torch2"
        problems.append(Problem("software", what))
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


def recipe_basis(table: OpTable, recipe: Recipe) -> Floats:
    """(6,) powers of batch and positions that turn the table's coefficients into numbers."""
    return basis(recipe.batch_size, table.positions(input_size(table, recipe)))


def matrix_arithmetic(precision: Precision, cudnn: bool) -> str:
    """What matrix units compute in: a key of ``peak_flops_per_s``. ``cudnn``: inside cuDNN (see ``CUDNN``)."""
    if precision == "fp32":
        return "tf32" if cudnn else "fp32"
    return {"tf32": "tf32", "amp": "fp16", "amp_bf16": "bf16", "bf16": "bf16"}[precision]


def _flop_rates(device: DeviceModel, recipe: Recipe, memory_format: int) -> Floats:
    """(2, P, C) floating-point operations per second by operand width (4 bytes, then 2), phase, class."""
    shape = (len(FORMATS), len(PHASES), len(OP_CLASSES))

    def rates(arithmetic: str) -> Floats:
        efficiency = np.broadcast_to(device.flop_efficiency[arithmetic], shape)[memory_format]
        peak = np.where(MATRIX, device.peak_flops_per_s[arithmetic], device.peak_flops_per_s["fp32"])
        product: Floats = efficiency * peak
        return product

    # 4-byte operands inside autocast (softmax, losses, norms) follow torch's fp32 defaults.
    full: Precision = "tf32" if recipe.precision == "tf32" else "fp32"
    wide = np.where(CUDNN, rates(matrix_arithmetic(full, cudnn=True)), rates(matrix_arithmetic(full, cudnn=False)))
    narrow = rates("fp16" if recipe.precision in ("amp", "fp32", "tf32") else "bf16")
    return np.stack([wide, narrow])


def _byte_rates(device: DeviceModel, memory_format: int) -> Floats:
    """(P, C) bytes per second by phase and class."""
    shape = (len(FORMATS), len(PHASES), len(OP_CLASSES))
    rates: Floats = np.broadcast_to(device.byte_efficiency, shape)[memory_format] * device.bandwidth_bytes_per_s
    return rates


def smooth_max(a: Floats, b: Floats, power: int = ROOFLINE_POWER) -> Floats:
    """(aᵖ + bᵖ)^(1/p), safe where both are 0."""
    top = np.maximum(a, b)
    scale = np.where(top > 0, top, 1.0)
    result: Floats = scale * ((a / scale) ** power + (b / scale) ** power) ** (1 / power)
    return result


def _fitted_on(device: DeviceModel, recipe: Recipe) -> bool:
    """Whether this kind of recipe is one that the efficiencies were fitted on (True if they were on none)."""
    return device.software is None or (recipe.mode == "train" and recipe.precision in device.fitted_precisions)


def _drifts(device: DeviceModel, recipe: Recipe) -> tuple[float, float]:
    """Spread that another software level, and another kind of recipe than was fitted on, add.

    Efficiencies that were fitted on nothing add none: their own sigma covers everything.
    """
    return (
        SIGMA_SOFTWARE if device.software not in (None, recipe.software) else 0.0,
        0.0 if _fitted_on(device, recipe) else SIGMA_OTHER_RECIPE,
    )


@dataclass(frozen=True)
class _Work:
    """One step by op class, (C,) each."""

    roofline_s: Floats
    kernels: Floats
    host_s: Floats  # for the host to issue the ops


def _work(table: OpTable, recipe: Recipe, device: DeviceModel, memory_format: int) -> _Work:
    """The rows that run in this mode, vectorised, and the optimizer."""
    values = recipe_basis(table, recipe)
    rows: NDArray[np.bool_] | slice = slice(None) if recipe.mode == "train" else table.phase == _FORWARD
    op_class, phase, count = table.op_class[rows], table.phase[rows], table.count[rows]
    narrow = (table.dtype_bytes[rows] < 4).astype(np.int64)
    flop_rates, byte_rates = _flop_rates(device, recipe, memory_format), _byte_rates(device, memory_format)
    op_s = count * smooth_max(
        (table.flops[rows] @ values) / flop_rates[narrow, phase, op_class],
        (table.bytes[rows] @ values) / byte_rates[phase, op_class],
    )
    host_op_s = np.array(device.host_op_s)

    def by_class(amounts: Floats) -> Floats:
        return np.bincount(op_class, amounts, minlength=len(OP_CLASSES)).astype(np.float64)

    roofline_s, kernels, host_s = by_class(op_s), by_class(count), by_class(count * host_op_s[phase])
    update = optimizer_step(table, recipe)
    roofline_s[OPTIMIZER] += update.bytes / byte_rates[_UPDATING, OPTIMIZER]
    kernels[OPTIMIZER] += update.kernels
    host_s[OPTIMIZER] += update.kernels * host_op_s[_UPDATING]
    return _Work(roofline_s, kernels, host_s)


def predict_step_time(table: OpTable, recipe: Recipe, device: DeviceModel) -> StepTime:
    """Seconds of one step on one GPU, without communication, as a 90 % interval.

    Raises InvalidInputError when the table does not serve the recipe.
    """
    # Sequences and plain vectors have no channels to lay out.
    laid_out = table.size_kind in ("image", "volume") and recipe.memory_format == "channels_last"
    work = _work(table, recipe, device, FORMATS.index("channels_last" if laid_out else "contiguous"))
    device_s = work.roofline_s + work.kernels * device.launch_s
    total_device_s, total_host_s = float(device_s.sum()), float(work.host_s.sum())
    step_s = float(smooth_max(np.array(total_device_s), np.array(total_host_s), HOST_POWER))
    waiting_s = max(step_s - total_device_s, 0.0)
    by_class_s = device_s + (waiting_s / total_host_s * work.host_s if total_host_s else 0.0)

    share = by_class_s / step_s if step_s else by_class_s
    host_bound = (total_host_s / step_s) ** HOST_POWER if step_s else 0.0  # ∂ ln(step) / ∂ ln(host)
    sigma_model = math.hypot(
        device.sigma_model,
        device.sigma_channels_last if laid_out else 0.0,
        # A class that was never calibrated errs as a whole, so shares add linearly.
        float(share @ device.uncalibrated),
        host_bound * device.sigma_host,
        *_drifts(device, recipe),
    )
    spread = math.exp(NORMAL_90 * math.hypot(sigma_model, device.sigma_device))
    return StepTime(
        seconds=Range(step_s / spread, step_s, step_s * spread),
        by_class_s=by_class_s,
        launch_share=1.0 - float(work.roofline_s.sum()) / step_s if step_s else 0.0,
        sigma_model=sigma_model,
        sigma_device=device.sigma_device,
        evidence=device.evidence if _fitted_on(device, recipe) else Evidence.ASSUMED,
    )
