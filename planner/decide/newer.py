"""The best single newer card, beside the rented ones that are weighed: perhaps one of those does it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from math import inf

from planner.decide.clock import Around, steps_per_epoch
from planner.decide.draws import Draws
from planner.decide.gates import COMMUNITY, country_gate, is_private, p_on_time
from planner.decide.options import Asked, rented_candidate, rented_input_samples_per_s, weigh
from planner.decide.types import Option
from planner.evidence import Range
from planner.hardware.catalogue import by_id
from planner.offers.offer import Offer, PackagePrice, parse_date
from planner.predict.device import device_from_catalogue
from planner.predict.estimate import estimate
from planner.predict.step_time import predict_step_time
from planner.predict.types import DeviceModel, Estimate, Fits

_PREDICTED = 4  # cards that look best by their data sheets
_NOT_COMPARED = {"spot", "quote", "serverless"}


@cache
def _device(gpu: str) -> DeviceModel | None:
    """None: its data sheet tells too little."""
    spec = by_id(gpu)
    if spec is None or spec.bandwidth_bytes_per_s is None:
        return None
    return device_from_catalogue(spec, rented=True)


@cache
def _is_newer(gpu: str, than: str) -> bool:
    spec, old = by_id(gpu), by_id(than)
    # CUDA programs run on NVIDIA's cards only, as they are.
    return (
        spec is not None and old is not None and spec.vendor == old.vendor and spec.release_date > old.release_date
    )


def _lowest_prices(offers: Iterable[Offer], weighed_gpu: str, asked: Asked) -> dict[str, Offer]:
    """GPU → its cheapest offer of one card that may be taken."""
    barred = _NOT_COMPARED | ({COMMUNITY} if is_private(asked.terms) else set())
    lowest: dict[str, Offer] = {}
    for offer in offers:
        if offer.gpu_count != 1 or offer.price_usd_per_hour is None or offer.pricing in barred:
            continue
        known = lowest.get(offer.gpu)
        if known is not None and _usd(known) <= _usd(offer):
            continue
        if _is_newer(offer.gpu, weighed_gpu) and country_gate(asked.terms, offer.region) != "failed":
            lowest[offer.gpu] = offer
    return lowest


def _usd(offer: Offer) -> float:
    return (offer.price_usd_per_hour or 0.0) * (1 - offer.discount_share)


def best_newer(
    asked: Asked, offers: tuple[Offer, ...], weighed_gpu: str, weighed_step_s: float, draws: Draws, around: Around
) -> Option | None:
    """The newer card that does the job for the least, or fastest when that is asked for; None: there is none.

    Only cards that need no longer for a step than one of the weighed ones (``weighed_step_s``) are newer in more
    than name. The data sheets choose a few, the predicted step the best of those, and only that one is simulated.
    """

    def burden(offer: Offer, step_s: float) -> tuple[float, float, str]:
        """Cost then time, or the other way round; a budget that is exceeded counts first."""
        rate = rented_input_samples_per_s(asked, 1, offer)
        step_s = max(step_s, asked.job.recipe.batch_size / rate.likely) if rate else step_s
        run_h = step_s * steps_per_epoch(asked.job, 1) * asked.job.epochs.likely * asked.job.runs / 3600
        usd = _usd(offer) * (run_h + around_h)
        if asked.terms.objective == "least_cost":
            return usd, run_h, offer.gpu
        over_usd = max(usd - asked.terms.budget_usd, 0.0) if asked.terms.budget_usd is not None else 0.0
        return (inf, usd, offer.gpu) if over_usd else (run_h, usd, offer.gpu)

    around_h = sum(phase.duration_s.likely for phase in around.phases.values()) / 3600
    promising = sorted(
        _lowest_prices(offers, weighed_gpu, asked).values(),
        key=lambda offer: burden(offer, weighed_step_s / _on_paper(offer.gpu, weighed_gpu)),
    )
    ranked = []
    for offer in promising[:_PREDICTED]:
        device = _device(offer.gpu)
        if device is None:
            continue
        step_s = predict_step_time(asked.table, asked.job.recipe, device).seconds.likely
        if step_s <= weighed_step_s:
            ranked.append((burden(offer, step_s), offer, device))
    for _, offer, device in sorted(ranked, key=lambda entry: entry[0]):
        alone = estimate(asked.job.recipe, device, asked.table)
        if alone.memory.fits is not Fits.NO:
            return _weighed(asked, offer, device, alone, draws, around)
    return None


def _weighed(
    asked: Asked, offer: Offer, device: DeviceModel, alone: Estimate, draws: Draws, around: Around
) -> Option:
    usd_per_hour = Range.exactly(offer.price_usd_per_hour or 0.0)
    price = PackagePrice(1, usd_per_hour, offer, True, 0, parse_date(offer.price_date))
    candidate = rented_candidate(asked, device, price, alone)
    named = replace(candidate, option=replace(candidate.option, kind="newer"))
    found = weigh(named, asked, draws, around)
    return replace(found.option, p_on_time=p_on_time(found, asked.terms))


@cache
def _on_paper(gpu: str, than: str) -> float:
    """How much faster ``gpu`` is by its data sheet: memory and tensor cores, each for half of a step."""
    spec, old = by_id(gpu), by_id(than)
    if spec is None or old is None or not spec.bandwidth_bytes_per_s or not old.bandwidth_bytes_per_s:
        return 1.0
    arithmetic = (spec.fp16_tensor_flops_per_s or 0.0) / (old.fp16_tensor_flops_per_s or inf) or 1.0
    return 2 / (old.bandwidth_bytes_per_s / spec.bandwidth_bytes_per_s + 1 / arithmetic)
