"""What an hour of N GPUs costs: the provider's own price, or what comparable offers say until it is asked."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from planner.evidence import Range
from planner.offers.offer import STALE_AFTER_DAYS, Offer, PackagePrice

# Among published prices, those this much older than the newest are history, not the market.
_COMPARABLE_WITHIN_DAYS = 180
_NOT_COMPARABLE = ("spot", "quote")  # interruptible, or somebody else's private price


def parse_date(text: str | None) -> date | None:
    """ISO date, or year and month (its first day: the careful end). None for no or another text."""
    try:
        return date.fromisoformat(text if text and len(text) > len("2026-04") else f"{text}-01")
    except ValueError:
        return None


def is_stale(offer: Offer, today: date) -> bool:
    """A price older than 14 days, or without a date, has to be looked up again before money is spent."""
    day = parse_date(offer.price_date)
    return offer.price_usd_per_hour is not None and (day is None or (today - day).days > STALE_AFTER_DAYS)


@dataclass(frozen=True, slots=True)
class _PerGpu:
    usd_per_hour: float
    day: date


def _nearest_count(offers: Iterable[Offer], gpu_count: int) -> Offer:
    return min(offers, key=lambda offer: (abs(offer.gpu_count - gpu_count), offer.gpu_count))


def _comparable(offers: tuple[Offer, ...], provider: str, gpu: str, gpu_count: int) -> list[_PerGpu]:
    """Price per GPU of each comparable source, at its package nearest to ``gpu_count``.

    Others' packages of the same card say what the market pays; the provider's own packages of *other* cards say
    on which level this provider sells. Both belong into the range: they can differ by an order of magnitude.
    """
    groups: dict[tuple[str, str, str], list[Offer]] = {}
    for offer in offers:
        own = offer.provider == provider
        if offer.price_usd_per_hour is None or parse_date(offer.price_date) is None:
            continue
        if own == (offer.gpu == gpu) or offer.pricing in _NOT_COMPARABLE:
            continue
        groups.setdefault((offer.provider, offer.gpu, offer.pricing), []).append(offer)
    prices = []
    for group in groups.values():
        offer = _nearest_count(group, gpu_count)
        day = parse_date(offer.price_date)
        if offer.price_usd_per_hour is not None and day is not None:
            prices.append(_PerGpu(offer.price_usd_per_hour / offer.gpu_count, day))
    newest = max((price.day for price in prices), default=None)
    return [price for price in prices if newest and (newest - price.day).days <= _COMPARABLE_WITHIN_DAYS]


def package_price(offers: tuple[Offer, ...], provider: str, gpu: str, gpu_count: int) -> PackagePrice:
    """Price of ``gpu_count`` cards from ``provider``: its own cheapest, else the range of comparable offers.

    A package nobody sells in this count gets a comparable price too, and no offer. Without any price the hourly
    price is None; a price of 0 is a price.
    """
    own = [o for o in offers if (o.provider, o.gpu, o.gpu_count) == (provider, gpu, gpu_count)]
    priced = [offer for offer in own if offer.price_usd_per_hour is not None]
    if priced:
        best = min(priced, key=lambda offer: offer.price_usd_per_hour or 0.0)
        quote = Range.exactly(best.price_usd_per_hour or 0.0)
        return PackagePrice(gpu_count, quote, best, True, 0, parse_date(best.price_date))
    offer = own[0] if own else None
    prices = _comparable(offers, provider, gpu, gpu_count)
    if not prices:
        return PackagePrice(gpu_count, None, offer, False, 0, None)
    rates = [price.usd_per_hour * gpu_count for price in prices]
    usd_per_hour = Range(min(rates), statistics.median(rates), max(rates))
    oldest = min(price.day for price in prices)
    return PackagePrice(gpu_count, usd_per_hour, offer, False, len(prices), oldest)
