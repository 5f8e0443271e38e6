"""What each uncertain input does to the answer, and what it would be worth to know it before paying."""

from __future__ import annotations

from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from planner.decide.clock import Around, around_the_run
from planner.decide.draws import INPUTS, Draws
from planner.decide.options import Asked, Candidate, Weighed, cost_samples_usd
from planner.decide.types import Sensitivity

Floats = NDArray[np.float64]

_STEPS = 41  # quantiles at which each input is looked at
_BINS = 20  # slices of an input's futures among which its value is told apart
_SMALLEST_SWING = 0.005  # of the cost: less is not worth a bar in a chart
# The prediction of memory decides whether an option is possible, not what it costs.
_OF_COST = tuple(name for name in INPUTS if name != "memory")


@lru_cache(maxsize=1)
def _one_at_a_time() -> Draws:
    """Futures in which one input runs through its quantiles and all others are likely: (inputs · steps,) each."""
    quantiles = (np.arange(_STEPS) + 0.5) / _STEPS
    uniform = {}
    for place, name in enumerate(_OF_COST):
        column = np.full((len(_OF_COST), _STEPS), 0.5)
        column[place] = quantiles
        uniform[name] = column.ravel()
    uniform["memory"] = np.full(len(_OF_COST) * _STEPS, 0.5)
    inverse = np.vectorize(NormalDist().inv_cdf, otypes=[float])
    return Draws(uniform, {name: inverse(column) for name, column in uniform.items()})


def _costs(candidate: Candidate, asked: Asked, around: Around) -> Floats | None:
    """(inputs, steps) USD."""
    cost_usd = cost_samples_usd(candidate, asked, _one_at_a_time(), around)
    return None if cost_usd is None else cost_usd.reshape(len(_OF_COST), _STEPS)


def sensitivities(chosen: Candidate, runner_up: Candidate | None, asked: Asked) -> tuple[Sensitivity, ...]:
    """The inputs that move the chosen option's cost or its lead, the strongest first."""
    around = around_the_run(asked.job, asked.terms, _one_at_a_time())
    cost = _costs(chosen, asked, around)
    if cost is None:
        return ()
    other = _costs(runner_up, asked, around) if runner_up else None
    lead = None if other is None else other - cost
    found = [_sensitivity(name, cost[i], None if lead is None else lead[i]) for i, name in enumerate(_OF_COST)]
    smallest = _SMALLEST_SWING * float(np.median(cost))
    kept = [one for one in found if one.swing_usd > smallest or one.switch_at is not None]
    return tuple(sorted(kept, key=lambda one: -one.swing_usd))


def _sensitivity(name: str, cost: Floats, lead: Floats | None) -> Sensitivity:
    low, high = round(0.1 * _STEPS), round(0.9 * _STEPS) - 1
    return Sensitivity(
        code=name,
        cost_likely_usd=float(cost[_STEPS // 2]),
        cost_low_usd=float(cost[low]),
        cost_high_usd=float(cost[high]),
        lead_low_usd=None if lead is None else float(lead[low]),
        lead_high_usd=None if lead is None else float(lead[high]),
        switch_at=None if lead is None else _switch(lead),
    )


def _switch(lead: Floats) -> float | None:
    """Quantile nearest to the middle at which the lead changes sign; None: it never does."""
    turns = np.flatnonzero(np.diff(np.sign(lead)))
    if not len(turns):
        return None
    before, after = lead[turns], lead[turns + 1]
    places = (turns + 0.5 + before / (before - after)) / _STEPS
    return float(places[np.abs(places - 0.5).argmin()])


def regret_usd(chosen: Weighed, candidates: list[Weighed]) -> float | None:
    """Expected loss of taking ``chosen`` against the cheapest candidate of each future."""
    costs = [w.cost_usd for w in candidates if w.cost_usd is not None]
    if chosen.cost_usd is None or not costs:
        return None
    return float(np.mean(chosen.cost_usd - np.min(costs, axis=0)))


def value_of_knowing_usd(name: str, candidates: list[Weighed], draws: Draws) -> float:
    """How much less the job costs on average when the input ``name`` is known before an option is taken."""
    costs = np.stack([w.cost_usd for w in candidates if w.cost_usd is not None])
    order = np.argsort(draws.uniform[name], kind="stable")
    slices = np.array_split(costs[:, order], _BINS, axis=1)
    with_it = sum(part.mean(axis=1).min() * part.shape[1] for part in slices) / costs.shape[1]
    return max(float(costs.mean(axis=1).min() - with_it), 0.0)
