"""The procedure: weigh every option, remove what cannot be, rank the rest, say why."""

from __future__ import annotations

from datetime import date

from planner.decide.assumptions import register
from planner.decide.clock import around_the_run
from planner.decide.draws import draw
from planner.decide.fixes import Variant, fixes
from planner.decide.gates import gated, gates, is_private
from planner.decide.insight import insight
from planner.decide.newer import best_newer
from planner.decide.notes import newer_card
from planner.decide.options import (
    RENTED_COUNTS,
    Asked,
    Weighed,
    local_candidate,
    no_local_option,
    rented_candidate,
    weigh,
    with_speedup,
)
from planner.decide.ranking import rank, with_p_best
from planner.decide.reasons import reasons
from planner.decide.switch_points import switch_points
from planner.decide.types import Option, Recommendation, Terms
from planner.hardware.snapshot import Host
from planner.offers.currency import ExchangeRate
from planner.offers.offer import Offer
from planner.offers.price import package_prices
from planner.predict.estimate import estimate
from planner.predict.types import DeviceModel
from planner.workload.job import Job
from planner.workload.optable import OpTable


def decide(
    *,
    job: Job,
    table: OpTable,
    terms: Terms,
    local: DeviceModel | None,
    unknown_gpu: str | None,
    machine_known: bool,
    rented: DeviceModel,
    rented_gpu: str,
    offers: tuple[Offer, ...],
    provider: str,
    today: date | None,
    seed: int,
    sample_count: int,
    host: Host | None = None,
    variants: tuple[Variant, ...] = (),
    rates: tuple[ExchangeRate, ...] = (),
) -> Recommendation:
    """The recommendation for a job on this machine (``local``, None: nothing to train on, or only a
    GPU called ``unknown_gpu``) or on 1 to 6 rented GPUs of ``provider``. ``host``: this machine's
    processor and memory, None: not known. ``variants``: the job with settings that may be faster here.
    ``rates``: what ``offers`` were converted to USD with.

    Pure; raises InvalidInputError for a recipe that the table or a device cannot serve.
    """
    asked, draws = Asked(job, table, terms), draw(seed, sample_count)
    prices = package_prices(offers, provider, rented_gpu, RENTED_COUNTS, avoid_community=is_private(terms))
    alone = estimate(job.recipe, rented, table)
    candidates = [
        local_candidate(asked, local, host, estimate(job.recipe, local, table))
        if local
        else no_local_option(job, unknown_gpu, machine_known),
        *(rented_candidate(asked, rented, prices[count], alone) for count in RENTED_COUNTS),
    ]
    around = around_the_run(job, terms, draws)
    weighed = [weigh(candidate, asked, draws, around) for candidate in candidates]
    weighed = with_p_best([gated(w, job, terms, provider) for w in with_speedup(weighed)], terms)
    ranking = rank(weighed, terms, draws)
    more = insight(candidates, weighed, ranking, asked, draws)
    options = tuple(w.option for w in weighed)
    newer = best_newer(asked, offers, rented_gpu, alone.step.seconds.likely, draws, around)
    beside = (
        *fixes(options[0], local, variants, weighed[0].input_binds),
        *newer_card(newer, options, ranking.chosen),
    )
    return Recommendation(
        verdict=ranking.verdict,
        chosen=ranking.chosen.option.key if ranking.chosen else None,
        runner_up=ranking.runner_up.option.key if ranking.runner_up else None,
        confidence=ranking.chosen.option.p_best if ranking.chosen else 0.0,
        options=options,
        reasons=reasons(weighed, ranking, asked, offers, today, more, beside),
        assumptions=register(job, terms, local, options, rates),
        seed=seed,
        sample_count=sample_count,
        gates=gates(_asked_about(options, ranking.chosen), terms, provider),
        sensitivities=more.sensitivities,
        regret_usd=more.regret_usd,
        break_even_h_per_month=more.break_even,
        newer=newer,
        switch_points=switch_points(weighed, terms.waiting_cost_usd_per_h),
    )


def _asked_about(options: tuple[Option, ...], chosen: Weighed | None) -> Option | None:
    """The rental whose gates are shown: the chosen one, else the first that is sold."""
    if chosen is not None and chosen.option.kind == "rent":
        return chosen.option
    return next((option for option in options if option.kind == "rent" and option.sold), None)
