"""The cells of an offer: how they are shown, and what typing into them means. Free of Qt."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from planner.offers.offer import Offer
from planner.units import format_money, parse_count
from ui.i18n import say

_SYMBOLS = {"$": "USD", "€": "EUR", "₫": "VND", "đ": "VND"}
_PRICE = re.compile(r"([$€₫đ])?\s*([^$€₫đA-Za-z]*[kKmM]?)\s*([A-Za-z]{3}|[$€₫đ])?")


@dataclass(frozen=True, slots=True)
class OfferColumn:
    """One field of ``Offer``. ``parse`` raises ValueError; an empty cell sets ``empty``."""

    field: str
    show: Callable[[Any], str]
    parse: Callable[[str], Any]
    empty: Any = None
    numeric: bool = True

    def text(self, offer: Offer) -> str:
        value = getattr(offer, self.field)
        return "" if value in (None, "") else self.show(value)

    def changed(self, offer: Offer, text: str) -> Offer:
        """``offer`` with what was typed. Raises ValueError with a sentence."""
        stripped = text.strip()
        try:
            value = self.parse(stripped) if stripped else self.empty
            return replace(offer, **{self.field: value})  # type: ignore[arg-type]
        except ValueError as error:
            raise ValueError(say("form.offer.not_taken", text=stripped, why=str(error))) from None


def _plain(value: float) -> str:
    return f"{value:g}"


def _whole(text: str) -> int:
    value = parse_count(text)
    if value != int(value):
        raise ValueError("write a whole number")
    return int(value)


def _share(text: str) -> float:
    return parse_count(text.removesuffix("%").strip()) / 100


def _minutes(text: str) -> float:
    return parse_count(text) * 60


def _yes_no(text: str) -> bool:
    if text.lower() not in (say("format.yes"), say("format.no")):
        raise ValueError(f"write {say('format.yes')} or {say('format.no')}")
    return text.lower() == say("format.yes")


def _show_minutes(value: float) -> str:
    return f"{value / 60:g}"


def _show_share(value: float) -> str:
    return f"{value * 100:g} %"


def _show_yes_no(value: bool) -> str:
    return say("format.yes" if value else "format.no")


COLUMNS = (
    OfferColumn("vcpus", _plain, _whole),
    OfferColumn("ram_gb", _plain, parse_count),
    OfferColumn("disk_gb", _plain, parse_count),
    OfferColumn("region", str, str, "", numeric=False),
    OfferColumn("interconnect", str, str, "", numeric=False),
    OfferColumn("os", str, str, "", numeric=False),
    OfferColumn("boot_s", _show_minutes, _minutes),
    OfferColumn("billing_step_s", _show_minutes, _minutes, 3600.0),
    OfferColumn("minimum_s", _show_minutes, _minutes, 0.0),
    OfferColumn("upload_billed", _show_yes_no, _yes_no, True, numeric=False),
    OfferColumn("discount_share", _show_share, _share, 0.0),
    OfferColumn("points_share", _show_share, _share, 0.0),
    OfferColumn("storage_usd_per_gb_month", _plain, parse_count),
    OfferColumn("egress_usd_per_gb", _plain, parse_count),
)


def parse_price(text: str) -> tuple[float | None, str]:
    """An hour's price as typed and its currency: "2.40", "$2.40", "60000 VND"; empty: no price.

    Raises ValueError with a sentence.
    """
    stripped = text.strip()
    if not stripped:
        return None, "USD"
    found = _PRICE.fullmatch(stripped)
    try:
        if found is None:
            raise ValueError(stripped)
        value, written = parse_count(found[2]), found[1] or found[3] or "$"
    except ValueError:
        raise ValueError(say("form.price.not_a_price", text=stripped)) from None
    return value, _SYMBOLS.get(written, written.upper())


def price_text(offer: Offer, share: float = 1.0) -> str:
    """The price in the currency it was quoted in, or ``share`` of it; empty where there is none."""
    if offer.price_per_hour is not None:
        return format_money(offer.price_per_hour * share, offer.currency)
    return "" if offer.price_usd_per_hour is None else format_money(offer.price_usd_per_hour * share)


def with_price(offer: Offer, text: str) -> Offer:
    """``offer`` with a typed price. Raises ValueError with a sentence."""
    price, currency = parse_price(text)
    quoted = (
        {"price_usd_per_hour": price} if currency == "USD" else {"price_per_hour": price, "currency": currency}
    )
    try:
        return replace(
            offer,
            **{"currency": "USD", "price_usd_per_hour": None, "price_per_hour": None, **quoted},  # type: ignore[arg-type]
        )
    except ValueError:
        raise ValueError(say("form.price.not_a_price", text=text.strip())) from None
