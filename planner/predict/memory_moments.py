"""The moments of a step, one of which sets the peak: what is alive at each, part by part.

Phases: "load" (weights arrive on the GPU), "step" (forward and backward pass), "optimizer" (the first update, when
the states come into being beside all gradients and the temporaries of the update), "validation" (a forward pass
without gradients beside the states), "gather" (a sharded model is put together to be saved).
"""

from __future__ import annotations

from dataclasses import dataclass

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


class _Rows:
    """Collects moments that share what does not change during a step."""

    def __init__(self, table: MemoryTable, inputs: Floats, workspace_bytes: float) -> None:
        self._table, self._inputs, self._workspace_bytes = table, inputs, workspace_bytes
        self._phases: list[int] = []
        self._rows: list[tuple[list[float], list[float], float]] = []

    def add(
        self,
        phase: str,
        parameters: float,
        gradients: float = 0.0,
        optimizer: float = 0.0,
        live: tuple[float, float] = (0.0, 0.0),
        may_add: float = 0.0,
        computes: bool = True,
    ) -> None:
        inputs = self._inputs if computes else np.zeros(2)
        workspace = self._workspace_bytes if computes else 0.0
        buffers = float(self._table.buffer_bytes)
        constant = [parameters, gradients, optimizer, buffers, float(inputs[0]), live[0], workspace]
        slope = [0.0, 0.0, 0.0, 0.0, float(inputs[1]), live[1], 0.0]
        self._phases.append(PHASES.index(phase))
        self._rows.append((constant, slope, may_add))

    def moments(self) -> Moments:
        constants, slopes, extras = (np.array(column) for column in zip(*self._rows, strict=True))
        return Moments(np.array(self._phases), constants, slopes, extras)


def moments(table: MemoryTable, recipe: Recipe, gpus: int, size: int, workspace_bytes: float) -> Moments:
    """All moments of a recipe on one of ``gpus`` GPUs at one image size or sequence length."""
    constant = basis(0.0, table.positions(size))
    per_sample = np.stack([constant, basis(1.0, table.positions(size)) - constant], axis=1)
    rows = _Rows(table, table.input_bytes @ per_sample, workspace_bytes)
    infer = table.live_bytes_infer @ per_sample
    if recipe.mode == "infer":
        states = inference_states(table)
        rows.add("load", states.parameters, computes=False)
        for live in infer:
            rows.add("step", states.parameters, live=_pair(live))
        return rows.moments()
    states = training_states(table, recipe, gpus)
    _add_training(rows, table, recipe, states, table.live_bytes @ per_sample)
    for live in infer:
        rows.add(
            "validation",
            states.parameters + states.gathered,
            0.0,
            states.optimizer.likely,
            _without_casts(live, states),
        )
    return rows.moments()


def _add_training(rows: _Rows, table: MemoryTable, recipe: Recipe, states: States, live: Floats) -> None:
    weights, kept = states.parameters + states.gathered, states.optimizer.likely
    all_gradients = states.gradient_share * table.trained_parameter_bytes + states.gradient_copies
    # Zeroed instead of freed, or summed over several micro-batches: all gradients are there from the start.
    stay = recipe.software == "torch1.12" or recipe.accumulation_steps > 1
    for moment, traced in zip(live, table.live_gradient_bytes, strict=True):
        gradients = all_gradients if stay else states.gradient_share * float(traced) + states.gradient_copies
        rows.add("step", weights, gradients, kept, _without_casts(moment, states))
    rows.add("optimizer", states.parameters, all_gradients, kept + states.step_temporaries)
    rows.add("load", weights, may_add=max(states.whole_weights - weights, 0.0), computes=False)
    if states.whole_weights:
        rows.add("gather", weights, 0.0, kept, may_add=max(states.whole_weights - weights, 0.0), computes=False)


def _without_casts(live: Floats, states: States) -> tuple[float, float]:
    return float(live[0]) - states.absent_casts, float(live[1])


def _pair(live: Floats) -> tuple[float, float]:
    return float(live[0]), float(live[1])
