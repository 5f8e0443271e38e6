"""Fits the parameters to published steps.

Adam on the logarithm of the step time with a Huber loss; steps weigh 1 / √(size of their family), so that no
family decides alone. Deterministic. Needs torch, which differentiates ``planner.predict.kernel_time``.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import fields
from typing import Any

import numpy as np
import torch

from planner.predict.calibration.parameters import Start, log_efficiency, shape_terms
from planner.predict.calibration.steps import Steps, at_most_of_a_family
from planner.predict.kernel_time import Shapes, roofline_seconds
from planner.predict.types import FORMATS, Floats
from planner.workload.optable import KINDS

HUBER = 0.15
RIDGE = 6e-5  # times the stiffness of a parameter; a third and three times of it do no better on held-out families
ITERATIONS, RATE = 150, 0.04
MOST_OF_A_FAMILY = 40  # steps that a fit looks at: the largest family alone is a quarter of all

Values = dict[str, Floats]


def family_weights(steps: Steps) -> torch.Tensor:
    size = Counter(steps.family)
    weights = np.array([1 / np.sqrt(size[family]) for family in steps.family])
    return torch.as_tensor(weights / weights.sum(), dtype=torch.float32)


def _tensor(array: Any) -> torch.Tensor:
    return torch.as_tensor(array, dtype=torch.float32 if array.dtype == np.float64 else None)


class Model:
    """Step times as a function of the parameters, ready to be differentiated."""

    def __init__(self, steps: Steps) -> None:
        self.count_of_steps = len(steps.step_s)
        self.step, self.kind, self.phase = (_tensor(x) for x in (steps.step, steps.kind, steps.phase))
        self.count, self.flop_s, self.byte_s = (_tensor(x) for x in (steps.count, steps.flop_s, steps.byte_s))
        self.shapes = Shapes(**{f.name: _tensor(getattr(steps.shapes, f.name)) for f in fields(Shapes)})
        self.log_step_s = _tensor(np.log(steps.step_s))

    def row_seconds(self, values: dict[str, torch.Tensor]) -> torch.Tensor:
        """(R,) seconds of all executions of each row, launches included."""
        cell = self.shapes.layout, self.phase, self.kind
        # Microseconds keep the fourth powers within float32; no kernel is faster than a nanosecond.
        once = roofline_seconds(
            torch,
            self.flop_s * 1e6,
            self.byte_s * 1e6 + 1e-3,
            log_efficiency(values, "flop")[cell],
            log_efficiency(values, "byte")[cell],
            self.shapes,
            shape_terms(torch, values),
        )
        return self.count * (once * 1e-6 + torch.exp(values["launch"]))

    def step_seconds(self, values: dict[str, torch.Tensor]) -> torch.Tensor:
        """(S,) seconds of each step."""
        return torch.zeros(self.count_of_steps).index_add_(0, self.step, self.row_seconds(values))


def as_tensors(values: Values) -> dict[str, torch.Tensor]:
    """Parameters for ``Model``."""
    return {name: _tensor(value) for name, value in values.items()}


def predicted_s(steps: Steps, values: Values) -> Floats:
    """(S,) step times with these parameters."""
    with torch.no_grad():
        seconds: Floats = Model(steps).step_seconds(as_tensors(values)).numpy().astype(np.float64)
    return seconds


def log_errors(steps: Steps, values: Values) -> Floats:
    """(S,) ln(predicted / measured)."""
    errors: Floats = np.log(predicted_s(steps, values) / steps.step_s)
    return errors


def shares_by_kind(steps: Steps, values: Values) -> Floats:
    """(S, F · K) part of each predicted step that each kind takes in each memory format."""
    cells = len(FORMATS) * len(KINDS)
    cell = steps.shapes.layout * len(KINDS) + steps.kind
    with torch.no_grad():
        rows = Model(steps).row_seconds(as_tensors(values)).numpy().astype(np.float64)
    flat = np.bincount(steps.step * cells + cell, rows, minlength=len(steps.step_s) * cells).astype(np.float64)
    by_kind: Floats = flat.reshape(len(steps.step_s), cells)
    return by_kind / by_kind.sum(axis=1, keepdims=True)


def huber(residual: torch.Tensor) -> torch.Tensor:
    """Squares near zero, straight beyond ``HUBER``: a few steps are as wrong as their publication."""
    size = residual.abs()
    return torch.where(size < HUBER, 0.5 * residual**2, HUBER * (size - 0.5 * HUBER))


def minimise(loss: Any, start: dict[str, Start], iterations: int = ITERATIONS) -> Values:
    """The parameters that make ``loss(parameters)`` and the pull to the start least."""
    values = {name: _tensor(entry.value).clone().requires_grad_() for name, entry in start.items()}
    origin = {name: _tensor(entry.value) for name, entry in start.items()}
    optimizer = torch.optim.Adam(values.values(), lr=RATE)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, iterations)
    for _ in range(iterations):
        optimizer.zero_grad()
        pull = sum(start[name].stiffness * ((values[name] - origin[name]) ** 2).sum() for name in start)
        (loss(values) + RIDGE * pull).backward()
        optimizer.step()
        schedule.step()
    return {name: value.detach().numpy().astype(np.float64) for name, value in values.items()}


def fit(steps: Steps, start: dict[str, Start]) -> Values:
    """Fit all parameters to the steps."""
    chosen = at_most_of_a_family(steps, MOST_OF_A_FAMILY, seed=0)
    model, weights = Model(chosen), family_weights(chosen)

    def loss(values: dict[str, torch.Tensor]) -> torch.Tensor:
        return (weights * huber(model.step_seconds(values).log() - model.log_step_s)).sum()

    return minimise(loss, start)
