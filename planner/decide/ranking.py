"""Which candidate is best in how many of the samples, and whether that is enough to say so."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from planner.decide.draws import INPUTS, Draws
from planner.decide.options import Weighed
from planner.decide.types import Terms, VerdictCode
from planner.predict.types import Fits

Floats = NDArray[np.float64]

FIRM_FROM = 0.70  # P(best) that carries a recommendation (assumed)
# Two options that differ by less are the same to a person: "take the simpler".
EITHER_SHARE = 0.10
EITHER_USD = 1.0


@dataclass(frozen=True)
class Ranking:
    """The best candidate, the next, and the input that decides between them ("" when nothing does)."""

    verdict: VerdictCode
    chosen: Weighed | None
    runner_up: Weighed | None
    deciding_input: str


def _burden(candidates: list[Weighed], terms: Terms) -> Floats:
    """(K, S) what each candidate costs in each sample: USD, and beyond all money when it comes too late."""
    cost = np.stack([w.cost_usd for w in candidates if w.cost_usd is not None])
    if terms.deadline_h is None:
        return cost
    time_s = np.stack([w.time_s for w in candidates if w.time_s is not None])
    late_s = np.maximum(time_s - terms.deadline_h * 3600, 0.0)
    # Where everything is late, the least late wins: one second outweighs any bill.
    return np.where(late_s > 0, 1e12 * (1 + late_s), cost)


def with_p_best(weighed: list[Weighed], terms: Terms) -> list[Weighed]:
    """Fill in P(best) of the candidates; ties go to the earlier one: local first, then fewer GPUs."""
    candidates = [w for w in weighed if not w.option.rejected]
    if not candidates:
        return weighed
    winners = _burden(candidates, terms).argmin(axis=0)
    shares = {w.option.key: float(np.mean(winners == k)) for k, w in enumerate(candidates)}
    return [replace(w, option=replace(w.option, p_best=shares.get(w.option.key, 0.0))) for w in weighed]


def _deciding_input(first: Weighed, second: Weighed, terms: Terms, draws: Draws) -> str:
    """The input whose lower and upper half give the most different winners; "" if none matters."""
    burden = _burden([first, second], terms)
    wins = burden[0] <= burden[1]

    def effect(name: str) -> float:
        upper = draws.uniform[name] > 0.5
        return abs(float(wins[upper].mean()) - float(wins[~upper].mean()))

    effects = {name: effect(name) for name in INPUTS}
    name = max(effects, key=lambda key: effects[key])
    return name if effects[name] > 0.05 else ""


def _same_to_a_person(first: Weighed, second: Weighed) -> bool:
    if first.option.cost_usd is None or second.option.cost_usd is None:
        return False
    a, b = first.option.cost_usd.likely, second.option.cost_usd.likely
    return abs(a - b) < max(EITHER_USD, EITHER_SHARE * min(a, b))


def rank(weighed: list[Weighed], terms: Terms, draws: Draws) -> Ranking:
    """Options with P(best) filled in → the verdict."""
    candidates = [w for w in weighed if not w.option.rejected]
    if not candidates:
        return Ranking("none_fits", None, None, "")
    first, *others = sorted(candidates, key=lambda w: -w.option.p_best)  # stable: ties stay in order
    second = others[0] if others else None
    deciding = _deciding_input(first, second, terms, draws) if second else ""
    if second and first.option.p_best < FIRM_FROM:
        if _same_to_a_person(first, second):
            simpler, other = sorted((first, second), key=lambda w: (w.option.kind != "local", w.option.gpu_count))
            return Ranking("either", simpler, other, deciding)
        return Ranking("measure_first", first, second, deciding)
    if first.option.memory is not None and first.option.memory.fits is Fits.UNSURE:
        return Ranking("measure_first", first, second, "memory")
    verdict: VerdictCode = "local" if first.option.kind == "local" else "rent"
    return Ranking(verdict, first, second, deciding)
