"""Which candidate is best in how many of the samples, and whether that is enough to say so."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from planner.decide.draws import INPUTS, Draws
from planner.decide.options import Weighed
from planner.decide.types import Terms, VerdictCode

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

FIRM_FROM = 0.70  # P(best) that carries a recommendation (assumed)
# Two options that differ by less are the same to a person: "take the simpler".
EITHER_SHARE = 0.10
EITHER_USD = 1.0
_NOTICEABLE = 0.05  # change of P(first is best) between the halves of an input from which it is worth naming


@dataclass(frozen=True)
class Ranking:
    """The best candidate, the next, and for "measure_first" the input that decides between them.

    ``deciding_input`` is one of ``draws.INPUTS``, "" when no single one decides, or "no_price" when nothing is
    missing but the price of ``chosen``.
    """

    verdict: VerdictCode
    chosen: Weighed | None
    runner_up: Weighed | None
    deciding_input: str


def _burden(candidates: list[Weighed], terms: Terms) -> Floats:
    """(K, S) what is to be kept small in each sample: USD, or seconds when the fastest is asked for.

    Beyond all measure when it comes too late, infinite when it does not fit.
    """
    burden = np.stack([_measure(w, terms) for w in candidates])
    if terms.deadline_h is not None and terms.late_usd is None:
        time_s = np.stack([w.time_s for w in candidates if w.time_s is not None])
        late_s = np.maximum(time_s - terms.deadline_h * 3600, 0.0)
        # Where everything is late, the least late wins: one second outweighs any bill.
        burden = np.where(late_s > 0, 1e12 * (1 + late_s), burden)
    return np.where(np.stack([w.fits for w in candidates if w.fits is not None]), burden, np.inf)


def _measure(weighed: Weighed, terms: Terms) -> Floats:
    found = weighed.time_s if terms.objective == "fastest" else weighed.cost_usd
    assert found is not None, "a candidate without a time or a price is rejected"
    return found


def with_p_best(weighed: list[Weighed], terms: Terms) -> list[Weighed]:
    """Fill in P(best) of the candidates; ties go to the earlier one: local first, then fewer GPUs.

    The shares add up to less than one where in some samples the job fits nowhere.
    """
    candidates = [w for w in weighed if not w.option.rejected]
    if not candidates:
        return weighed
    burden = _burden(candidates, terms)
    possible = np.isfinite(burden.min(axis=0))
    winners = burden.argmin(axis=0)
    shares = {w.option.key: float(np.mean(possible & (winners == k))) for k, w in enumerate(candidates)}
    return [replace(w, option=replace(w.option, p_best=shares.get(w.option.key, 0.0))) for w in weighed]


def _deciding_input(first: Weighed, second: Weighed | None, terms: Terms, draws: Draws) -> str:
    """The input whose lower and upper half give the most different winners; "" if none matters."""
    burden = _burden([first, second] if second else [first], terms)
    wins: Bools = np.isfinite(burden[0]) & (burden[0] <= burden[-1])

    def effect(name: str) -> float:
        upper = draws.uniform[name] > 0.5
        return abs(float(wins[upper].mean()) - float(wins[~upper].mean()))

    effects = {name: effect(name) for name in INPUTS}
    name = max(effects, key=lambda key: effects[key])
    return name if effects[name] > _NOTICEABLE else ""


def _same_to_a_person(first: Weighed, second: Weighed, terms: Terms) -> bool:
    """Whether they cost about the same in most samples. Equal medians are not enough: where one is far cheaper
    in one half of the futures and far dearer in the other, finding out which half pays."""
    one, other = _measure(first, terms), _measure(second, terms)
    least = EITHER_USD if terms.objective == "least_cost" else 0.0
    little = np.maximum(least, EITHER_SHARE * np.minimum(one, other))
    return float(np.mean(np.abs(one - other) < little)) >= FIRM_FROM


def _surely_fits(weighed: Weighed) -> bool:
    return weighed.fits is not None and bool(weighed.fits.all())


def _only_unpriced(weighed: list[Weighed]) -> Weighed | None:
    """The simplest option against which nothing speaks but that its price is not known."""
    return next((w for w in weighed if {reason.code for reason in w.option.rejected} == {"no_price"}), None)


def rank(weighed: list[Weighed], terms: Terms, draws: Draws) -> Ranking:
    """Options with P(best) filled in → the verdict."""
    candidates = [w for w in weighed if not w.option.rejected]
    if not candidates:
        unpriced = _only_unpriced(weighed)
        verdict: VerdictCode = "measure_first" if unpriced else "none_fits"
        return Ranking(verdict, unpriced, None, "no_price" if unpriced else "")
    first, *others = sorted(candidates, key=lambda w: -w.option.p_best)  # stable: ties stay in order
    second = others[0] if others else None
    if first.option.p_best >= FIRM_FROM:
        return Ranking("local" if first.option.kind == "local" else "rent", first, second, "")
    both_fit = second is not None and _surely_fits(first) and _surely_fits(second)
    if second is not None and both_fit and _same_to_a_person(first, second, terms):
        simpler, other = sorted((first, second), key=lambda w: (w.option.kind != "local", w.option.gpu_count))
        return Ranking("either", simpler, other, "")
    return Ranking("measure_first", first, second, _deciding_input(first, second, terms, draws))
