"""The forward pass on other software and other GPUs: torch 2 on the RTX 3090, then each GPU relative to it.

Inference steps fix only how fast forward kernels run in evaluation mode. What was fitted to training is the
start; of another GPU only one shift per kind and limit is fitted, to the *ratio* of its times to those of the
RTX 3090, because ratios are what moves a measured step from one GPU to the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from planner.predict.calibration.fit import (
    MOST_OF_A_FAMILY,
    Model,
    Values,
    as_tensors,
    family_weights,
    huber,
    log_errors,
    minimise,
    shares_by_kind,
)
from planner.predict.calibration.parameters import Start
from planner.predict.calibration.steps import Steps, at_most_of_a_family
from planner.predict.calibration.traced import BASE, Table
from planner.predict.calibration.validate import HeldOut, folds
from planner.predict.kernel_time import DEPTHWISE_WAYS
from planner.predict.types import FORMATS, Floats
from planner.workload.optable import KINDS, PHASES

_INFERENCE, _FORWARD = PHASES.index("inference"), PHASES.index("forward")
# Parameters that inference may change, and how stiffly they hold to what training taught.
_STIFFNESS = {"flop_phase": 0.3, "byte_phase": 0.3, "window": 0.5, "stride": 0.5}
_SHIFT_STIFFNESS = 1.0


def from_training(values: Values) -> Values:
    """Parameters in which evaluation mode is as fast as the forward pass of training."""
    changed = {name: value.copy() for name, value in values.items()}
    for name in ("flop_phase", "byte_phase", "flop_phase_format", "byte_phase_format"):
        changed[name][:, _INFERENCE] = changed[name][:, _FORWARD]
    for name in ("window", "stride"):
        by_phase = changed[name].reshape(len(DEPTHWISE_WAYS), len(PHASES), -1)
        by_phase[:, _INFERENCE] = by_phase[:, _FORWARD]
    return changed


def fit_forward(steps: Steps, values: Values) -> Values:
    """Evaluation mode fitted to published inference steps of one GPU; the rest stays as ``values``."""
    chosen = at_most_of_a_family(steps, MOST_OF_A_FAMILY, seed=0)
    model, weights, fixed = Model(chosen), family_weights(chosen), as_tensors(values)

    def loss(free: dict[str, torch.Tensor]) -> torch.Tensor:
        return (weights * huber(model.step_seconds({**fixed, **free}).log() - model.log_step_s)).sum()

    start = {name: Start(values[name], stiffness) for name, stiffness in _STIFFNESS.items()}
    return {**values, **minimise(loss, start)}


def _places(steps: Steps) -> dict[Any, int]:
    return {(m.case.architecture, m.case.image_size): place for place, m in enumerate(steps.measurements)}


def pairs(steps: Steps, base: Steps) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Places of the steps of the same architecture and image size in both."""
    in_base = _places(base)
    found = [(place, in_base[key]) for key, place in _places(steps).items() if key in in_base]
    here, there = zip(*found, strict=True)
    return np.array(here), np.array(there)


def fit_shift(steps: Steps, base: Steps, values: Values) -> Values:
    """Shifts per kind that turn the errors of ``base`` (the RTX 3090) into those of another GPU."""
    here, there = pairs(steps, base)
    keep = np.zeros(len(steps.step_s), dtype=np.bool_)
    keep[here] = True
    paired = steps.choose(keep)
    target = np.empty(len(steps.step_s))
    target[here] = log_errors(base, values)[there]
    step_s = paired.step_s * np.exp(target[keep])
    chosen = at_most_of_a_family(replace(paired, step_s=step_s), MOST_OF_A_FAMILY, seed=0)
    model, weights, fixed = Model(chosen), family_weights(chosen), as_tensors(values)

    def loss(free: dict[str, torch.Tensor]) -> torch.Tensor:
        return (weights * huber(model.step_seconds({**fixed, **free}).log() - model.log_step_s)).sum()

    start = {name: Start(values[name], _SHIFT_STIFFNESS) for name in ("flop_kind", "byte_kind")}
    return {**values, **minimise(loss, start)}


def anchored_errors(steps: Steps, values: Values, base: Steps, base_values: Values) -> Floats:
    """ln(predicted / measured) of the steps of ``base`` whose counterparts in ``steps`` are measured."""
    here, there = pairs(steps, base)
    errors: Floats = log_errors(base, base_values)[there] - log_errors(steps, values)[here]
    return errors


def held_out_inference(
    tables: Mapping[Table, Steps], training: Values
) -> tuple[dict[Table, HeldOut], dict[Table, Floats]]:
    """Steps of families that were held out, predicted without a run; and the RTX 3090's from the other GPU's."""
    base = tables[BASE]
    errors = {name: np.full(len(steps.step_s), np.nan) for name, steps in tables.items()}
    shares = {name: np.zeros((len(steps.step_s), len(FORMATS) * len(KINDS))) for name, steps in tables.items()}
    anchored: dict[Table, list[Floats]] = {name: [] for name in tables if name != BASE}
    for mask in folds(base):
        families, test = np.unique(base.family[mask]), base.choose(mask)
        forward = fit_forward(base.choose(~mask), training)
        errors[BASE][mask], shares[BASE][mask] = log_errors(test, forward), shares_by_kind(test, forward)
        for name, found in anchored.items():
            held = np.isin(tables[name].family, families)
            if not held.any():
                continue
            there = tables[name].choose(held)
            shifted = fit_shift(tables[name].choose(~held), base.choose(~mask), forward)
            errors[name][held], shares[name][held] = log_errors(there, shifted), shares_by_kind(there, shifted)
            found.append(anchored_errors(there, shifted, test, forward))
    seen = {name: ~np.isnan(found) for name, found in errors.items()}
    held_outs = {name: HeldOut(errors[name][seen[name]], shares[name][seen[name]]) for name in tables}
    return held_outs, {name: np.concatenate(parts) for name, parts in anchored.items()}
