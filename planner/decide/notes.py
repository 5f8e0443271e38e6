"""What a reader has to be told beside the reasons: about buying, sweeps, licences, interruptions and people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from planner.decide.gates import is_geforce
from planner.decide.options import Weighed
from planner.decide.types import Option, Reason, Terms
from planner.evidence import Range
from planner.offers.billing import checkpoint_interval_s
from planner.offers.offer import Offer
from planner.predict.types import Fits
from planner.workload.job import Job

_SHARES_BLOCKED = (0.1, 0.5)


def buying(terms: Terms, break_even: Range | None) -> Iterator[Reason]:
    """Whether so many hours a month are worth a card of one's own."""
    if terms.hours_per_month is None:
        return
    hours = ("used_h_per_month", terms.hours_per_month)
    if break_even is None:
        yield Reason("buy_never", (hours,))
    else:
        code = "buy" if terms.hours_per_month >= break_even.likely else "buy_not"
        yield Reason(code, (hours, ("break_even_h_per_month", break_even), ("card_usd", terms.card_usd)))


def newer_card(newer: Option | None, options: tuple[Option, ...], chosen: Weighed | None) -> Iterator[Reason]:
    """One newer card, where it is better than the rental that is or could be chosen."""
    rented = [o for o in options if o.kind == "rent" and o.sold and o.cost_usd]
    if newer is None or newer.cost_usd is None or newer.time_s is None or newer.price is None or not rented:
        return
    taken = chosen.option if chosen is not None and chosen.option.kind == "rent" else None
    other = taken or min(rented, key=lambda o: o.cost_usd.likely if o.cost_usd else 0.0)
    if other.time_s is None or other.cost_usd is None:
        return
    cheaper = newer.cost_usd.likely < other.cost_usd.likely
    if not cheaper and newer.time_s.likely >= other.time_s.likely:
        return
    values = (
        ("device", newer.device_name), ("provider", newer.price.offer.provider if newer.price.offer else ""),
        ("time_s", newer.time_s), ("cost_usd", newer.cost_usd),
        ("option", other.key), ("other_time_s", other.time_s), ("other_cost_usd", other.cost_usd),
    )  # fmt: skip
    yield Reason("newer_card", values)


def no_rate(offers: tuple[Offer, ...]) -> Iterator[Reason]:
    """Offers whose price cannot be compared because nobody said what their currency is worth."""
    unpriced = Counter(
        offer.currency for offer in offers if offer.price_per_hour is not None and offer.price_usd_per_hour is None
    )
    for currency, count in sorted(unpriced.items()):
        yield Reason("no_rate", (("currency", currency), ("offer_count", count)))


def side_by_side(chosen: Option | None, job: Job) -> Iterator[Reason]:
    """A sweep: as many runs at a time as there are cards."""
    if chosen is not None and chosen.side_by_side:
        values = (("option", chosen.key), ("run_count", job.runs), ("gpu_count", chosen.gpu_count))
        yield Reason("side_by_side", values)


def advice(chosen: Option | None, options: tuple[Option, ...], terms: Terms) -> Iterator[Reason]:
    """What goes with a rental: try it here first, save often, ask about the licence; and what waiting costs."""
    if chosen is not None and chosen.kind == "rent":
        yield from _hybrid(options[0], chosen)
        yield from _interruptions(chosen, terms)
        yield from _points(chosen)
        if is_geforce(chosen.device_name):
            yield Reason("licence_seller", (("device", chosen.device_name),))
    if chosen is not None and chosen.time_s is not None and terms.waiting_cost_usd_per_h == 0:
        hours = chosen.time_s.scaled(terms.person_usd_per_h / 3600)
        tenth, half = (hours.scaled(share) for share in _SHARES_BLOCKED)
        yield Reason("people", (("usd_per_h", terms.person_usd_per_h), ("tenth_usd", tenth), ("half_usd", half)))


def _hybrid(local: Option, chosen: Option) -> Iterator[Reason]:
    """Debug on this machine, train on the other: what does not fit here does with a smaller batch."""
    runs_here = local.memory is not None and bool(local.memory.largest_batch_size)
    if runs_here or (local.memory is not None and local.memory.fits is not Fits.NO):
        yield Reason("hybrid", (("option", chosen.key),))


def _interruptions(chosen: Option, terms: Terms) -> Iterator[Reason]:
    """How often to save on a machine that may be taken away."""
    lost = next((phase for phase in chosen.phases if phase.code == "interrupted"), None)
    if lost is None:
        return
    save_s, every_s = np.array(terms.checkpoint_s.likely), np.array(terms.interrupted_every_h.likely * 3600)
    seconds = float(checkpoint_interval_s(save_s, every_s))
    values = (("option", chosen.key), ("interval_s", seconds), ("lost_s", lost.duration_s))
    yield Reason("interruptions", values)


def _points(chosen: Option) -> Iterator[Reason]:
    offer = chosen.price.offer if chosen.price else None
    if offer is not None and offer.points_share:
        yield Reason("points", (("provider", offer.provider), ("points_share", offer.points_share)))
