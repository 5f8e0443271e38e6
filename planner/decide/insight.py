"""What is worked out about a ranking once it stands: what moves it, and what knowing more would be worth."""

from __future__ import annotations

from dataclasses import dataclass

from planner.decide.draws import INPUTS, Draws
from planner.decide.options import Asked, Candidate, Weighed
from planner.decide.ranking import Ranking
from planner.decide.sensitivity import regret_usd, sensitivities, value_of_knowing_usd
from planner.decide.types import Sensitivity, Terms
from planner.evidence import Range
from planner.offers.billing import HOURS_PER_MONTH, POWER_SUPPLY_EFFICIENCY
from planner.offers.purchase import break_even_h_per_month

# Inputs that only an hour on the rented machine tells.
_PROBED_BY_RENTING = ("bus_bandwidth", "step_rented", "input_rate")


@dataclass(frozen=True)
class Insight:
    """Numbers beside the ranking; None: not known, or not asked."""

    sensitivities: tuple[Sensitivity, ...]
    regret_usd: float | None
    value_usd: float | None  # of knowing the deciding input first
    probe_usd: float  # what finding it out costs
    break_even: Range | None  # hours a month from which buying a card is cheaper


def insight(
    candidates: list[Candidate], weighed: list[Weighed], ranking: Ranking, asked: Asked, draws: Draws
) -> Insight:
    """``candidates`` and ``weighed`` in the same order."""
    by_key = {candidate.option.key: candidate for candidate in candidates}
    possible = [w for w in weighed if not w.option.rejected]
    chosen, other = ranking.chosen, ranking.runner_up
    second = by_key[other.option.key] if other else None
    known = ranking.verdict == "measure_first" and ranking.deciding_input in INPUTS and len(possible) > 1
    tells = known and ranking.deciding_input != "memory"
    return Insight(
        sensitivities=sensitivities(by_key[chosen.option.key], second, asked) if chosen else (),
        regret_usd=regret_usd(chosen, possible) if chosen else None,
        value_usd=value_of_knowing_usd(ranking.deciding_input, possible, draws) if tells else None,
        probe_usd=_probe_usd(ranking),
        break_even=_break_even(candidates, asked.terms),
    )


def _probe_usd(ranking: Ranking) -> float:
    """An hour of the dearer of the two rentals that are compared; all else is asked for or looked up."""
    if ranking.deciding_input not in _PROBED_BY_RENTING:
        return 0.0
    compared = [w.option.price for w in (ranking.chosen, ranking.runner_up) if w is not None]
    return max((p.usd_per_hour.likely for p in compared if p and p.usd_per_hour), default=0.0)


def _break_even(candidates: list[Candidate], terms: Terms) -> Range | None:
    """Hours a month for one card; a month's hours where it never pays at that end. None: no price, or never."""
    one = next(c for c in candidates if c.option.key == "rent-1")
    if one.option.price is None or one.option.price.usd_per_hour is None:
        return None
    rent, card, kwh = one.option.price.usd_per_hour, terms.card_usd, terms.electricity_usd_per_kwh
    kilowatts = (one.power_w + terms.host_power_w) / POWER_SUPPLY_EFFICIENCY / 1000
    admin_usd_per_month = terms.admin_h_per_month * terms.person_usd_per_h

    def hours(card_usd: float, usd_per_h: float, usd_per_kwh: float) -> float:
        found = break_even_h_per_month(
            card_usd, usd_per_h, kilowatts, usd_per_kwh, admin_usd_per_month=admin_usd_per_month
        )
        return HOURS_PER_MONTH if found is None else min(found, HOURS_PER_MONTH)

    likely = hours(card.likely, rent.likely, kwh.likely)
    if likely >= HOURS_PER_MONTH:
        return None
    return Range(hours(card.low, rent.high, kwh.low), likely, hours(card.high, rent.low, kwh.high))
