"""Errors on families of models that a fit has not seen, beside those of simpler methods."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.predict.calibration.fit import fit, log_errors, shares_by_kind
from planner.predict.calibration.parameters import Start
from planner.predict.calibration.steps import Steps
from planner.predict.step_time import NORMAL_90
from planner.predict.types import Floats

FOLDS, SEED = 9, 3090
# Drawn once, before the method was developed, and looked at only when it was final.
LOCKED = (
    "cait", "convmixer", "hrnet", "inception_resnet_v2", "metaformer", "nest", "sknet", "tnt",
    "vision_transformer_hybrid",
)  # fmt: skip


@dataclass(frozen=True)
class HeldOut:
    """Predictions of steps whose families were held out; (S,) in the order of the steps."""

    errors: Floats  # ln(predicted / measured)
    shares: Floats  # (S, F · K)


def folds(steps: Steps) -> list[NDArray[np.bool_]]:
    """(S,) masks of the steps to hold out, family by family dealt at random."""
    dealt = np.random.default_rng(SEED).permutation(np.unique(steps.family))
    return [np.isin(steps.family, dealt[fold::FOLDS]) for fold in range(FOLDS)]


def held_out(steps: Steps, start: dict[str, Start]) -> HeldOut:
    """Each step predicted by the fit that has not seen its family."""
    errors, shares = np.empty(len(steps.step_s)), None
    for held in folds(steps):
        test, values = steps.choose(held), fit(steps.choose(~held), start)
        found = shares_by_kind(test, values)
        if shares is None:
            shares = np.empty((len(errors), found.shape[1]))
        errors[held], shares[held] = log_errors(test, values), found
    assert shares is not None
    return HeldOut(errors, shares)


def figures(errors: Floats, sigma: Floats | None = None) -> dict[str, float]:
    """Error figures from (S,) ln(predicted / measured); coverage and width of the interval from its sigma."""
    relative = np.abs(np.expm1(errors))
    found = {
        "steps": len(errors),
        "median": float(np.median(relative)),
        "mean": float(relative.mean()),
        "p90": float(np.quantile(relative, 0.9)),
        "within_20": float(np.mean(relative < 0.2)),
        "bias": float(np.expm1(np.median(errors))),
    }
    if sigma is not None:
        reach = NORMAL_90 * sigma
        found["coverage"] = float(np.mean(np.abs(errors) <= reach))
        found["half_width"] = float(np.median(np.sinh(reach)))
    return {name: round(value, 4) for name, value in found.items()}


def by_family(steps: Steps, errors: Floats) -> list[dict[str, Any]]:
    """Figures of each family and memory format, worst first."""
    rows = []
    for family in np.unique(steps.family):
        for last in (False, True):
            chosen = (steps.family == family) & (steps.channels_last == last)
            if chosen.any():
                memory_format = "channels_last" if last else "contiguous"
                rows.append({"family": str(family), "memory_format": memory_format, **figures(errors[chosen])})
    return sorted(rows, key=lambda row: -float(row["mean"]))


def worst(steps: Steps, errors: Floats, count: int = 10) -> list[dict[str, Any]]:
    """The steps that are most wrong, one per architecture and memory format."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for index in np.argsort(-np.abs(errors)):
        measurement = steps.measurements[index]
        case = measurement.case
        row = {
            "model": f"timm:{case.architecture}",
            "memory_format": case.memory_format,
            "batch_size": case.batch_size,
            "measured_s": measurement.step_s,
            "predicted_s": round(float(measurement.step_s * np.exp(errors[index])), 5),
        }
        rows.setdefault((case.architecture, case.memory_format), row)
        if len(rows) == count:
            break
    return list(rows.values())


# What others do with the same numbers. Each gives (S,) seconds up to one factor, which is fitted like ours.
_RIVALS: dict[str, Callable[[Steps], Floats]] = {
    "flops": lambda steps: steps.sums(steps.count * steps.flop_s),
    "bytes": lambda steps: steps.sums(steps.count * steps.byte_s),
    "roofline": lambda steps: steps.sums(
        steps.count * (np.maximum(steps.flop_s / 0.5, steps.byte_s / 0.7) + 4e-6)
    ),
}


def rivals(steps: Steps) -> dict[str, Floats]:
    """ln(predicted / measured) of simpler methods, their one constant fitted on the other families."""
    found = {}
    for name, seconds in _RIVALS.items():
        raw = np.log(seconds(steps) / steps.step_s)
        errors = np.empty(len(raw))
        for held in folds(steps):
            errors[held] = raw[held] - np.median(raw[~held])
        found[name] = errors
    return found
