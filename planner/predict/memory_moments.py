"""The moments of a step, one of which sets the peak: what is alive at each, part by part.

Phases: "load" (weights arrive on the GPU), "step" (forward and backward pass), "optimizer" (the first update, when
the states come into being beside all gradients and the temporaries of the update), "validation" (a forward pass
without gradients beside the states), "gather" (a sharded model is put together to be saved).
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from planner.predict.memory_states import States, inference_states, training_states
from planner.predict.memory_table import MemoryTable
from planner.predict.types import Floats
from planner.workload.job import Recipe
from planner.workload.optable import basis

PHASES = ("load", "step", "optimizer", "validation", "gather")
# What the allocator hands out.
ALLOCATED = ("parameters", "gradients", "optimizer", "buffers", "inputs", "activations", "workspace")
_NOTHING_LIVE = np.zeros((1, 2))


@dataclass(frozen=True)
class Moments:
    """M moments by the parts of ``ALLOCATED``, K = 7: bytes at batch b are constant + slope · b, at least 0."""

    phase: NDArray[np.int64]  # (M,) index into PHASES
    constant: Floats  # (M, K)
    slope: Floats  # (M, K)
    may_add: Floats  # (M,) bytes that come on top where a sharded model is held whole

    def bytes_at(self, batch_size: int) -> Floats:
        """(M, K) at one batch size."""
        return np.maximum(self.constant + self.slope * batch_size, 0.0)

    def lines(self) -> tuple[Floats, Floats]:
        """(2 M,) constants and slopes: the sums of all moments, with and without activations. The need at a batch
        is the highest of them."""
        kept = np.array([code != "activations" for code in ALLOCATED])
        constants, slopes = (
            np.concatenate([column.sum(axis=1), column[:, kept].sum(axis=1)])
            for column in (self.constant, self.slope)
        )
        return constants, slopes


class _Blocks:
    """Collects moments, one block of them at a time, that share what does not change during a step."""

    def __init__(self, table: MemoryTable, inputs: Floats, workspace_bytes: float) -> None:
        self._table, self._inputs, self._workspace_bytes = table, inputs, workspace_bytes
        self._blocks: list[Moments] = []

    def add(
        self,
        phase: str,
        parameters: float,
        gradients: Floats | float = 0.0,
        optimizer: float = 0.0,
        live: Floats = _NOTHING_LIVE,
        may_add: float = 0.0,
        computes: bool = True,
    ) -> None:
        """As many moments as ``live`` (N, 2) has rows: constant and slope of the activations, bytes."""
        count = len(live)
        constant, slope = np.zeros((count, len(ALLOCATED))), np.zeros((count, len(ALLOCATED)))
        for part, value in (("parameters", parameters), ("gradients", gradients), ("optimizer", optimizer)):
            constant[:, ALLOCATED.index(part)] = value
        constant[:, ALLOCATED.index("buffers")] = self._table.buffer_bytes
        activations = ALLOCATED.index("activations")
        constant[:, activations], slope[:, activations] = live.T
        if computes:
            inputs = ALLOCATED.index("inputs")
            constant[:, inputs], slope[:, inputs] = self._inputs
            constant[:, ALLOCATED.index("workspace")] = self._workspace_bytes
        phases = np.full(count, PHASES.index(phase))
        self._blocks.append(Moments(phases, constant, slope, np.full(count, may_add)))

    def moments(self) -> Moments:
        names = [field.name for field in fields(Moments)]
        return Moments(*(np.concatenate([getattr(block, name) for block in self._blocks]) for name in names))


def moments(table: MemoryTable, recipe: Recipe, gpus: int, size: int, workspace_bytes: float) -> Moments:
    """All moments of a recipe on one of ``gpus`` GPUs at one image size or sequence length."""
    constant = basis(0.0, table.positions(size))
    per_sample = np.stack([constant, basis(1.0, table.positions(size)) - constant], axis=1)
    blocks = _Blocks(table, table.input_bytes @ per_sample, workspace_bytes)
    infer = table.live_bytes_infer @ per_sample
    if recipe.mode == "infer":
        states = inference_states(table)
        blocks.add("load", states.parameters, computes=False)
        blocks.add("step", states.parameters, live=infer)
        return blocks.moments()
    states = training_states(table, recipe, gpus)
    _add_training(blocks, table, recipe, states, table.live_bytes @ per_sample)
    weights, kept = states.parameters + states.gathered, states.optimizer.likely
    blocks.add("validation", weights, 0.0, kept, _without_casts(infer, states))
    return blocks.moments()


def _add_training(blocks: _Blocks, table: MemoryTable, recipe: Recipe, states: States, live: Floats) -> None:
    weights, kept = states.parameters + states.gathered, states.optimizer.likely
    all_gradients = states.gradient_share * table.trained_parameter_bytes + states.gradient_copies
    # Zeroed instead of freed, or summed over several micro-batches: all gradients are there from the start.
    stay = recipe.software == "torch1.12" or recipe.accumulation_steps > 1
    traced = states.gradient_share * table.live_gradient_bytes + states.gradient_copies
    blocks.add("step", weights, all_gradients if stay else traced, kept, _without_casts(live, states))
    blocks.add("optimizer", states.parameters, all_gradients, kept + states.step_temporaries)
    blocks.add("load", weights, may_add=max(states.whole_weights - weights, 0.0), computes=False)
    if states.whole_weights:
        blocks.add("gather", weights, 0.0, kept, may_add=max(states.whole_weights - weights, 0.0), computes=False)


def _without_casts(live: Floats, states: States) -> Floats:
    """(N, 2) activations when fewer weights are cast than the tracing cast."""
    less: Floats = live - np.array([states.absent_casts, 0.0])
    return less
