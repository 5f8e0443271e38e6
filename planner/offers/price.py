"""What an hour of N GPUs costs: the provider's own price, or what comparable offers say until it is asked."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from planner.evidence import Range
from planner.offers.offer import STALE_AFTER_DAYS, Offer, PackagePrice, parse_date

# Among published prices, those this much older than the newest are history, not the market.
_COMPARABLE_WITHIN_DAYS = 180
_SPOT, _QUOTE, _COMMUNITY = "spot", "quote", "community"
# A card costs less in a larger package: down to 48 % of its price alone in the published list of a seller of
# 1, 2, 4 and 8 cards (8.20 and 15.80 USD for 1 and 4). Used where one package of a seller has to tell another's.
_PACKAGE_DISCOUNT = 0.48


def is_stale(offer: Offer, today: date) -> bool:
    """A price older than 14 days, or without a date, has to be looked up again before money is spent."""
    day = parse_date(offer.price_date)
    return offer.price_usd_per_hour is not None and (day is None or (today - day).days > STALE_AFTER_DAYS)


@dataclass(frozen=True, slots=True)
class _PerGpu:
    """The price of one of ``count`` cards, with its day where it is known."""

    usd_per_hour: float
    count: int
    day: date | None


def newest(offers: Iterable[Offer]) -> tuple[Offer, ...]:
    """One row of each offer: the newest price; of equally new ones the lower; one without a price only alone."""

    def age(offer: Offer) -> tuple[bool, date, float]:
        price = offer.price_usd_per_hour
        return price is not None, parse_date(offer.price_date) or date.min, -(price or 0.0)

    kept: dict[tuple[str, str, int, str], Offer] = {}
    for offer in offers:
        known = kept.get(offer.key)
        if known is None or age(offer) > age(known):
            kept[offer.key] = offer
    return tuple(kept.values())


def package_prices(
    offers: Iterable[Offer], provider: str, gpu: str, counts: Iterable[int], *, avoid_community: bool = False
) -> dict[int, PackagePrice]:
    """GPU count → price of that many cards of ``gpu`` from ``provider``: its own, else a range.

    A count that it does not sell gets a range too, and no offer. Without any price the hourly price is None; a
    price of 0 is a price. ``avoid_community``: machines of private people count only where there is nothing else.
    """
    current = newest(offers)
    own = [offer for offer in current if (offer.provider, offer.gpu) == (provider, gpu)]
    prices = {}
    for count in counts:
        packages = [offer for offer in own if offer.gpu_count == count]
        best = min(packages, key=lambda offer: _preference(offer, avoid_community), default=None)
        prices[count] = (
            _own_price(best)
            if best is not None and best.price_usd_per_hour is not None
            else _unasked_price(current, own, provider, gpu, count, best, avoid_community)
        )
    return prices


def _preference(offer: Offer, avoid_community: bool) -> tuple[bool, bool, bool, bool, float, str]:
    """Smallest first: allowed, priced, what the user was quoted, not interruptible, cheap."""
    price = offer.price_usd_per_hour
    return (
        avoid_community and offer.pricing == _COMMUNITY,
        price is None,
        offer.pricing != _QUOTE,
        offer.pricing == _SPOT,
        (price or 0.0) * (1 - offer.discount_share),
        offer.pricing,
    )


def _own_price(offer: Offer) -> PackagePrice:
    price = Range.exactly(offer.price_usd_per_hour or 0.0)
    return PackagePrice(offer.gpu_count, price, offer, True, 0, parse_date(offer.price_date))


def _unasked_price(
    offers: tuple[Offer, ...],
    own: list[Offer],
    provider: str,
    gpu: str,
    count: int,
    offer: Offer | None,
    avoid_community: bool,
) -> PackagePrice:
    """The range of a package whose price is not known: from the seller's other packages of this card, else from
    the market and the seller's packages of other cards."""
    per_gpu: Range | None
    siblings = [_per_gpu(one) for one in own if one.price_usd_per_hour is not None and one.pricing != _SPOT]
    if siblings:
        per_gpu, used = _from_siblings(siblings, count), siblings
    else:
        market = _market(offers, provider, gpu, count, avoid_community)
        level = _own_level(offers, provider, gpu, count)
        per_gpu, used = _from_levels(market, level), [*market, *level]
    oldest = min((price.day for price in used if price.day), default=None)
    usd_per_hour = per_gpu.scaled(count) if per_gpu else None
    return PackagePrice(count, usd_per_hour, offer, False, len(used), oldest)


def _per_gpu(offer: Offer) -> _PerGpu:
    return _PerGpu(
        (offer.price_usd_per_hour or 0.0) / offer.gpu_count, offer.gpu_count, parse_date(offer.price_date)
    )


def _from_siblings(siblings: list[_PerGpu], count: int) -> Range:
    """Price per card as in the seller's nearest package; perhaps less in a larger one, more in a smaller."""
    known = min(siblings, key=lambda price: (abs(price.count - count), price.count, price.usd_per_hour))
    low = _PACKAGE_DISCOUNT if count > known.count else 1.0
    high = 1 / _PACKAGE_DISCOUNT if count < known.count else 1.0
    return Range(low, 1.0, high).scaled(known.usd_per_hour)


def _from_levels(market: list[_PerGpu], level: list[_PerGpu]) -> Range | None:
    """Price per card between what the market pays and the level on which this seller sells.

    The two can differ by an order of magnitude, and nothing says which holds: likely lies half way in ratio.
    """
    rates = [[price.usd_per_hour for price in group] for group in (market, level) if group]
    if not rates:
        return None
    medians = [statistics.median(group) for group in rates]
    likely = medians[0] if len(medians) == 1 else math.sqrt(medians[0] * medians[1])
    return Range(min(map(min, rates)), likely, max(map(max, rates)))


def _nearest_packages(offers: Iterable[Offer], count: int) -> list[_PerGpu]:
    """Of each seller, card and kind of pricing the package nearest to ``count``."""
    groups: dict[tuple[str, str, str], list[Offer]] = {}
    for offer in offers:
        groups.setdefault((offer.provider, offer.gpu, offer.pricing), []).append(offer)
    nearest = (
        min(group, key=lambda one: (abs(one.gpu_count - count), one.gpu_count)) for group in groups.values()
    )
    return [_per_gpu(offer) for offer in nearest]


def _market(
    offers: tuple[Offer, ...], provider: str, gpu: str, count: int, avoid_community: bool
) -> list[_PerGpu]:
    """What others take for a card of this kind: published, dated, not interruptible, not from another year."""
    barred = {_SPOT, _QUOTE, *([_COMMUNITY] if avoid_community else [])}
    published = (
        offer
        for offer in offers
        if offer.provider != provider
        and offer.gpu == gpu
        and offer.pricing not in barred
        and offer.price_usd_per_hour is not None
        and offer.price_date
    )
    prices = _nearest_packages(published, count)
    last = max((price.day for price in prices if price.day), default=None)
    return [p for p in prices if last and p.day and (last - p.day).days <= _COMPARABLE_WITHIN_DAYS]


def _own_level(offers: tuple[Offer, ...], provider: str, gpu: str, count: int) -> list[_PerGpu]:
    """What this seller takes for other cards, however old: it is the only sign of its level."""
    others = (
        offer
        for offer in offers
        if offer.provider == provider
        and offer.gpu != gpu
        and offer.pricing != _SPOT
        and offer.price_usd_per_hour is not None
    )
    return _nearest_packages(others, count)
