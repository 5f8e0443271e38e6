"""The optimizer, worked out from the parameters: it is the same few passes over memory for every model.

Passes are counted from the update formulas as torch.optim executes them: every elementwise operation reads its
inputs and writes its output once. "foreach" runs them over many tensors in one kernel (default of torch 2 on
CUDA), "per tensor" one kernel each (torch 1.12), "fused" is one kernel that touches everything once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from planner.evidence import Range
from planner.workload.job import Optimizer, Recipe

# Tensors one multi-tensor kernel of torch takes (depth-1 to depth-4 lists hold 110 to 36; fused Adam 48).
TENSORS_PER_FOREACH_KERNEL = 50


class Trained(Protocol):
    """All that the states depend on: any table that counts what is trained."""

    @property
    def trained_parameters(self) -> int: ...

    @property
    def trained_parameter_bytes(self) -> int: ...


@dataclass(frozen=True)
class _Update:
    """One optimizer. A pass is one read or write of all trained parameters (or of a state of that size)."""

    passes: float
    kernels: int  # elementwise kernels of one update, per tensor or per group of tensors
    state_copies: float  # states kept, in copies of the parameters and their dtype
    step_copies: float  # temporaries alive during a foreach step, in copies of the parameters
    foreach: bool = True  # torch.optim has a multi-tensor form


_UPDATES: dict[Optimizer, _Update] = {
    "sgd": _Update(passes=3, kernels=1, state_copies=0, step_copies=0),  # p += −lr·g
    "momentum": _Update(passes=8, kernels=3, state_copies=1, step_copies=0),  # m·=μ; m+=g; p += −lr·m
    # m lerp, v mul, v addcmul, sqrt, ÷ correction, + ε, p addcdiv
    "adam": _Update(passes=18, kernels=7, state_copies=2, step_copies=1),
    "adamw": _Update(passes=20, kernels=8, state_copies=2, step_copies=1),  # + decay of p
    # m·β, u = m + g, sign, p += −lr·u, m = m·β₂ + g, decay
    "lion": _Update(passes=16, kernels=6, state_copies=1, step_copies=1, foreach=False),
    # Row and column means of g², outer product, clipping, relative step: about six temporaries of full size.
    "adafactor": _Update(passes=14, kernels=16, state_copies=0, step_copies=1, foreach=False),
}
EIGHT_BIT: tuple[Optimizer, ...] = ("adamw8bit", "paged_adamw8bit")
_BLOCKWISE_8BIT_STATE_BYTES = 2 * (1 + 4 / 256)  # two states, one fp32 scale per block of 256 (bitsandbytes)


@dataclass(frozen=True)
class OptimizerStep:
    """Traffic and launches of one update of all trained parameters."""

    bytes: float
    kernels: float
    flops: float


class Updated(Trained, Protocol):
    """All that the cost of an update depends on."""

    @property
    def parameter_tensors(self) -> int: ...


def _width(table: Updated) -> float:
    """Bytes per trained parameter as stored."""
    return table.trained_parameter_bytes / table.trained_parameters if table.trained_parameters else 0.0


def _unscales_gradients(recipe: Recipe) -> bool:
    """fp16 autocast needs a gradient scaler; the published torch 1.12 table was measured without one."""
    return recipe.precision == "amp" and recipe.software != "torch1.12"


def optimizer_step(table: Updated, recipe: Recipe) -> OptimizerStep:
    """What one update costs; nothing when nothing is trained or in inference."""
    if recipe.mode == "infer" or table.trained_parameters == 0:
        return OptimizerStep(0.0, 0.0, 0.0)
    size, tensors = float(table.trained_parameter_bytes), table.parameter_tensors
    groups = math.ceil(tensors / TENSORS_PER_FOREACH_KERNEL)
    if recipe.optimizer in EIGHT_BIT:  # one fused kernel per tensor: p and g, states at a byte each
        traffic = 3 * size + 2 * _BLOCKWISE_8BIT_STATE_BYTES * table.trained_parameters
        kernels: float = tensors
    else:
        update = _UPDATES[recipe.optimizer]
        traffic = update.passes * size
        kernels = update.kernels * (groups if update.foreach and recipe.software != "torch1.12" else tensors)
    if recipe.software == "torch1.12":  # zero_grad() fills with zeros there, torch 2 drops the tensors
        traffic, kernels = traffic + size, kernels + tensors
    if _unscales_gradients(recipe):
        traffic, kernels = traffic + 2 * size, kernels + groups
    return OptimizerStep(traffic, kernels, traffic / max(_width(table), 1.0))


def state_bytes(table: Trained, recipe: Recipe) -> Range:
    """Optimizer states that stay between steps, bytes. torch keeps them in the dtype of the parameters."""
    size, count = float(table.trained_parameter_bytes), table.trained_parameters
    if recipe.optimizer in EIGHT_BIT:
        # Tensors below 4,096 elements and, by custom, embeddings keep 32-bit states; paged ones may leave the GPU.
        paged = recipe.optimizer == "paged_adamw8bit"
        low = 0.0 if paged else 2.0 * count
        return Range(low, _BLOCKWISE_8BIT_STATE_BYTES * count, 0.75 * size + 2 * count)
    if recipe.optimizer == "adafactor":  # a row and a column per matrix; vectors keep a full state
        return Range(0.001 * size, 0.01 * size, 0.05 * size)
    return Range.exactly(_UPDATES[recipe.optimizer].state_copies * size)


def step_temporaries_bytes(table: Trained, recipe: Recipe) -> float:
    """Extra bytes alive only while the optimizer runs: the copies that the foreach form makes."""
    if recipe.optimizer in EIGHT_BIT:
        return 0.0
    update = _UPDATES[recipe.optimizer]
    one_by_one = not update.foreach or recipe.software == "torch1.12"
    return 0.0 if one_by_one else update.step_copies * float(table.trained_parameter_bytes)
