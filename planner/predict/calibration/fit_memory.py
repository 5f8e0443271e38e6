"""Makes ``resources/calibration/memory.json`` from published peaks and timm's batch ladder. Seconds, no torch.

    python -m planner.predict.calibration.fit_memory

Five kinds of training are told apart (``memory_spread.kind_of``). A measured peak gives a ratio: what was alive by
its meter over what is predicted to be. A rung of the ladder gives two bounds of it: the batch that ran and the one
that did not. Factors are quantiles of the ratios; those of a kind with rungs are the quantiles of the mixture of
two normal distributions that explains its rungs and ratios best. ``errors`` are those of models (of the ladder:
families) held out of the fit, in turn.
"""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.door import plain
from planner.predict.calibration.memory_cases import (
    RESERVED_OVER_ALLOCATED,
    MemoryCase,
    ladder_cases,
    memory_cases,
)
from planner.predict.calibration.memory_errors import room_bytes, rtx3090
from planner.predict.memory_moments import moments
from planner.predict.memory_spread import (
    KINDS,
    MEMORY_FILE,
    WORKSPACE_CONVOLUTION_BYTES,
    WORKSPACE_MATRIX_BYTES,
    Factors,
    Kind,
    MemoryCalibration,
    calibration,
    kind_of,
)
from planner.predict.memory_table import MemoryTable
from planner.predict.types import Floats
from planner.storage import write_atomically
from planner.units import GIB
from planner.workload.job import Recipe

FOLDS = 5
# Where timm's ladder decides nothing, a verdict is sure when four in five runs of its kind agree.
SURE = (0.2, 0.8)
ENDS = (0.05, 0.95)  # of the 90 % interval
_SPREADS = (0.01, 0.015, 0.02, 0.03, 0.04, 0.06, 0.1, 0.15, 0.2)
_SHARES = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4)  # of the wide one of the two normal distributions
_WIDE = 0.2
# Tried where peaks were read from the driver; the ladder cannot tell a constant from a factor.
_TRIED = tuple(0.3 * step for step in range(5))
_BESIDE_GIB: dict[Kind, tuple[float, ...]] = {
    "vision": (0.0,), "channels_last": (0.0,), "language": _TRIED, "quantised": _TRIED, "sharded": _TRIED,
}  # fmt: skip
_SCALES = tuple(np.round(np.arange(0.96, 1.121, 0.005), 3))


@dataclass(frozen=True)
class Ratios:
    """Logarithms of published over predicted memory: R known ones, and L pairs of bounds on others."""

    group: tuple[str, ...]  # (R,) model
    known: Floats  # (R,)
    ladder_group: tuple[str, ...]  # (L,) family
    below: Floats  # (L,) the ratio is at most this: the batch ran
    above: Floats  # (L,) and more than this: the next did not

    def choose(self, groups: set[str], *, inside: bool) -> Ratios:
        """Only the groups named, or all others."""
        keep = np.array([(name in groups) == inside for name in self.group], dtype=bool)
        rungs = np.array([(name in groups) == inside for name in self.ladder_group], dtype=bool)
        return Ratios(
            tuple(np.array(self.group)[keep]) if len(keep) else (),
            self.known[keep] if len(keep) else self.known,
            tuple(np.array(self.ladder_group)[rungs]) if len(rungs) else (),
            self.below[rungs] if len(rungs) else self.below,
            self.above[rungs] if len(rungs) else self.above,
        )


def need_bytes(table: MemoryTable, recipe: Recipe, gpus: int, size: int, batch_size: int) -> float:
    """What is predicted to be alive at the peak, without context."""
    workspace = WORKSPACE_CONVOLUTION_BYTES if table.convolves else WORKSPACE_MATRIX_BYTES
    found = moments(table, recipe, gpus, size, workspace)
    return float(found.bytes_at(batch_size).sum(axis=1).max())


def _reserved(case: MemoryCase, beside_gib: float) -> float:
    """What torch had reserved, whatever the meter: the driver also counts the context, and what lies beside it."""
    assert case.peak_bytes is not None
    if case.meter == "allocated":
        return RESERVED_OVER_ALLOCATED * case.peak_bytes
    known = calibration()
    context = known.context_gib[case.recipe.software][1] + beside_gib
    context += known.process_group_gib[1] if case.gpus > 1 else 0.0
    return case.peak_bytes - (context * GIB if case.meter == "device" else 0.0)


def ratios(kind: Kind, beside_gib: float = 0.0) -> Ratios:
    """All published figures of one kind, if so much lies beside the context."""
    # Reports do not say in which format images lay: their peaks count for both.
    kinds = ("vision", kind) if kind == "channels_last" else (kind,)
    peaks = [
        case
        for case in memory_cases()
        if case.kind == "peak" and kind_of(case.table, case.recipe, case.gpus) in kinds
    ]
    known = [
        math.log(
            _reserved(one, beside_gib)
            / need_bytes(one.table, one.recipe, one.gpus, one.size, one.recipe.batch_size)
        )
        for one in peaks
    ]
    rungs = [case for case in ladder_cases() if kind_of(case.table, case.recipe, 1) == kind]
    below = [need_bytes(one.table, one.recipe, 1, one.size, one.recipe.batch_size) for one in rungs]
    above = [need_bytes(one.table, one.recipe, 1, one.size, one.next_batch_size) for one in rungs]
    return Ratios(
        tuple(one.model for one in peaks),
        np.array(known),
        tuple(one.family for one in rungs),
        math.log(_ladder_room()) - np.log(np.array(below)),
        math.log(_ladder_room()) - np.log(np.array(above)),
    )


def _ladder_room() -> float:
    """What an RTX 3090 has for tensors."""
    return room_bytes(rtx3090()) - calibration().context_gib["torch1.12"][1] * GIB


def fit(data: Ratios, beside_gib: float) -> Factors:
    """Factors of one kind."""
    cases = len(data.known) + len(data.below)
    if not len(data.below):
        middle = _middle(data)
        unseen, weights = _unseen(data)
        low, high, below, above = (math.exp(end) for end in _quantiles(unseen, weights, (*ENDS, *SURE)))
        return Factors(
            math.exp(middle), min(low, 1.0), max(high, 1.0), min(below, 1.0), max(above, 1.0), beside_gib, cases
        )
    scale, narrow, share = max(
        product(_SCALES, _SPREADS, _SHARES), key=lambda guess: _log_likelihood(data, *map(float, guess))
    )
    low, high = (math.exp(_mixture_quantile(end, narrow, share)) for end in ENDS)
    if len(data.known):  # meters also read what the allocator and cuDNN keep while there is room
        read = _quantiles(data.known - math.log(scale), _weights(data.group), ENDS)
        low, high = min(low, math.exp(read[0])), max(high, math.exp(read[1]))
    below, above = _sure(data, float(scale))
    return Factors(float(scale), low, high, below, above, beside_gib, cases)


def _middle(data: Ratios) -> float:
    return _quantiles(data.known, _weights(data.group), (0.5,))[0]


def _unseen(data: Ratios) -> tuple[Floats, Floats]:
    """How far the models lie from what the others say of them, every model with the same weight."""
    off, weights = [np.zeros(0)], [np.zeros(0)]
    for name in sorted(set(data.group)):
        here, others = (data.choose({name}, inside=inside) for inside in (True, False))
        middle = _middle(others) if len(others.known) else _middle(data)
        off.append(here.known - middle)
        weights.append(np.full(len(here.known), 1 / len(here.known)))
    return np.concatenate(off), np.concatenate(weights)


def _spread_of_models(data: Ratios) -> float:
    """Median distance of a model from what the others say of it."""
    off, weights = _unseen(data)
    return _quantiles(np.abs(off), weights, (0.5,))[0] if len(off) else 0.0


def _beside_gib(kind: Kind) -> float:
    """The constant with which models say most about each other."""
    return min(_BESIDE_GIB[kind], key=lambda gib: _spread_of_models(ratios(kind, gib)))


def _weights(groups: Sequence[str]) -> Floats:
    """Of each figure, so that one model that was measured often does not decide alone."""
    return np.array([groups.count(name) ** -0.5 for name in groups])


def _quantiles(values: Floats, weights: Floats, at: Sequence[float]) -> list[float]:
    order = np.argsort(values)
    shares = np.cumsum(weights[order])
    return [float(np.interp(share * shares[-1], shares, values[order])) for share in at]


def _cumulative(x: Floats, narrow: float, share: float) -> Floats:
    """Of the mixture: ``share`` of it has the wide spread."""
    erf = np.vectorize(math.erf)
    parts = [0.5 * (1 + erf(x / (spread * math.sqrt(2)))) for spread in (narrow, _WIDE)]
    result: Floats = (1 - share) * parts[0] + share * parts[1]
    return result


def _mixture_quantile(end: float, narrow: float, share: float) -> float:
    grid = np.linspace(-4 * _WIDE, 4 * _WIDE, 2001)
    return float(np.interp(end, _cumulative(grid, narrow, share), grid))


def _log_likelihood(data: Ratios, scale: float, narrow: float, share: float) -> float:
    """Of the rungs, and of the known ratios to within a hundredth."""
    shift = math.log(scale)
    rungs = _cumulative(data.below - shift, narrow, share) - _cumulative(data.above - shift, narrow, share)
    total = float(np.log(np.maximum(rungs, 1e-9)).sum())
    if len(data.known):
        near = _cumulative(data.known - shift + 0.005, narrow, share)
        near = near - _cumulative(data.known - shift - 0.005, narrow, share)
        total += float((_weights(data.group) * np.log(np.maximum(near, 1e-9))).sum())
    return total


def _sure(data: Ratios, scale: float) -> tuple[float, float]:
    """Factors of the sure verdicts: most rungs right, each sure verdict that did not hold counted double."""
    below, above = data.below - math.log(scale), data.above - math.log(scale)

    def worth(ends: tuple[float, float]) -> float:
        no, yes = ends
        here = np.where(below >= yes, 1.0, np.where(below >= no, 0.5, 0.0))
        next_one = np.where(above < no, 1.0, np.where(above < yes, 0.5, 0.0))
        return float(np.minimum(here, next_one).mean() - (above >= yes).mean() - (below < no).mean())

    steps = np.round(np.arange(-0.08, 0.121, 0.004), 4)
    no, yes = max(((no, yes) for no in steps for yes in steps if no <= yes), key=worth)
    return math.exp(no), math.exp(yes)


def held_out(data: Ratios, beside_gib: float) -> dict[str, float]:
    """Errors of groups of models left out in turn."""
    names = sorted({*data.group, *data.ladder_group})
    errors: list[Floats] = []
    inside: list[NDArray[np.bool_]] = []
    rungs: list[tuple[float, float]] = []
    for fold in range(min(FOLDS, len(names))):
        out = set(names[fold::FOLDS])
        factors = fit(data.choose(out, inside=False), beside_gib)
        rest = data.choose(out, inside=True)
        off = rest.known - math.log(factors.scale)
        errors.append(np.abs(np.exp(-off) - 1))
        inside.append((off >= math.log(factors.low)) & (off <= math.log(factors.high)))
        rungs += _rung_scores(rest, factors)
    found = {"cases": float(len(data.known))}
    if len(data.known):
        error, hits = np.concatenate(errors), np.concatenate(inside)
        found |= {
            "median_error": float(np.median(error)),
            "p90_error": float(np.quantile(error, 0.9)),
            "coverage_90": float(hits.mean()),
        }
    if rungs:
        right, wrong_yes = (float(np.mean(column)) for column in zip(*rungs, strict=True))
        found |= {"rungs": float(len(rungs)), "rungs_right": right, "rungs_wrong_yes": wrong_yes}
    return found


def _rung_scores(data: Ratios, factors: Factors) -> list[tuple[float, float]]:
    """Right (unsure counts half), and yes for the batch that did not fit, of every rung."""
    shift = math.log(factors.scale)
    no, yes = math.log(factors.sure_below), math.log(factors.sure_above)
    scores = []
    for below, above in zip(data.below - shift, data.above - shift, strict=True):
        here = 1.0 if below >= yes else 0.5 if below >= no else 0.0
        next_one = 1.0 if above < no else 0.5 if above < yes else 0.0
        scores.append((min(here, next_one), float(above >= yes)))
    return scores


def fitted() -> MemoryCalibration:
    """The file's contents; context and process group are entered by hand and kept."""
    known = calibration()
    factors: dict[Kind, Factors] = {}
    errors: dict[str, dict[str, float]] = {}
    for kind in KINDS:
        beside_gib = _beside_gib(kind)
        data = ratios(kind, beside_gib)
        factors[kind], errors[kind] = fit(data, beside_gib), held_out(data, beside_gib)
    return MemoryCalibration(
        schema_version=1,
        what="From what is alive to a peak: CUDA context, process group, and factors with their intervals",
        source=(
            "measurements/memory_peaks.csv (public reports, each with its source) and the batch ladder of "
            "measurements/timm_rtx3090_train.csv. Context and process group: public out-of-memory reports."
        ),
        licence="figures cited; timm's table Apache-2.0",
        date=datetime.date.today().isoformat(),
        evidence="C",
        command="python -m planner.predict.calibration.fit_memory",
        context_gib=known.context_gib,
        process_group_gib=known.process_group_gib,
        factors=factors,
        errors=errors,
    )


def _rounded(value: Any) -> Any:
    """Four digits behind the point: more would change with every version of numpy."""
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_rounded(one) for one in value]
    return round(value, 4) if isinstance(value, float) else value


def main() -> None:
    found = fitted()
    write_atomically(MEMORY_FILE, (json.dumps(_rounded(plain(found)), indent=2) + "\n").encode())
    for kind in KINDS:
        print(kind, found.factors[kind], found.errors[kind])


if __name__ == "__main__":
    main()
