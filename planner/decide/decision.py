"""The procedure: weigh every option, remove what cannot be, rank the rest, say why."""

from __future__ import annotations

from datetime import date

from planner.decide.assumptions import register
from planner.decide.draws import draw
from planner.decide.gates import gated, is_private
from planner.decide.options import (
    RENTED_COUNTS,
    around_the_run,
    no_local_option,
    weigh_local,
    weigh_rented,
    with_speedup,
)
from planner.decide.ranking import rank, with_p_best
from planner.decide.reasons import reasons
from planner.decide.types import Recommendation, Terms
from planner.offers.offer import Offer
from planner.offers.price import package_prices
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
) -> Recommendation:
    """The recommendation for a job on this machine (``local``, None: nothing to train on, or only a
    GPU called ``unknown_gpu``) or on 1 to 6 rented GPUs of ``provider``.

    Pure; raises InvalidInputError for a recipe that the table or a device cannot serve.
    """
    draws = draw(seed, sample_count)
    prices = package_prices(offers, provider, rented_gpu, RENTED_COUNTS, avoid_community=is_private(terms))
    around = around_the_run(job, terms, draws)
    here = (
        weigh_local(job, table, local, terms, draws) if local else no_local_option(job, unknown_gpu, machine_known)
    )
    weighed = [here]
    for count in RENTED_COUNTS:
        weighed.append(weigh_rented(job, table, rented, prices[count], terms, draws, around))
    weighed = with_p_best([gated(w, job, terms, provider) for w in with_speedup(weighed, job)], terms)
    ranking = rank(weighed, terms, draws)
    options = tuple(w.option for w in weighed)
    return Recommendation(
        verdict=ranking.verdict,
        chosen=ranking.chosen.option.key if ranking.chosen else None,
        runner_up=ranking.runner_up.option.key if ranking.runner_up else None,
        confidence=ranking.chosen.option.p_best if ranking.chosen else 0.0,
        options=options,
        reasons=reasons(weighed, ranking, job, terms, today),
        assumptions=register(job, terms, local, options),
        seed=seed,
        sample_count=sample_count,
    )
