"""Prices in other currencies than USD, turned into USD with a rate that is dated, shown and editable."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from planner.door import InvalidInputError, Problem, validated
from planner.evidence import check_number
from planner.offers.offer import Offer, parse_date
from planner.paths import RESOURCES

SHIPPED_RATES = RESOURCES / "offers" / "rates.csv"
_CODE = re.compile("[A-Z]{3}")


@dataclass(frozen=True, slots=True)
class ExchangeRate:
    """What one US dollar buys of a currency."""

    currency: str  # ISO 4217, e.g. "VND"
    units_per_usd: float
    date: str  # ISO date, or year and month
    source: str = ""

    __pydantic_config__ = {"extra": "forbid", "allow_inf_nan": False}

    def __post_init__(self) -> None:
        if not _CODE.fullmatch(self.currency) or self.currency == "USD":
            raise ValueError(f"currency must be three letters such as VND or EUR, got {self.currency!r}")
        check_number("units_per_usd", self.units_per_usd, more_than=0)
        if parse_date(self.date) is None:
            raise ValueError(f"date must be a date such as 2026-08-22 or 2026-08, got {self.date!r}")


def parse_rates(text: str, source: str) -> tuple[ExchangeRate, ...]:
    """CSV with the columns of ``ExchangeRate``. Raises InvalidInputError naming every line that is wrong."""
    rates: list[ExchangeRate] = []
    problems: list[Problem] = []
    for number, row in enumerate(csv.DictReader(io.StringIO(text, newline="")), start=2):
        try:
            rates.append(validated(ExchangeRate, row, source))
        except InvalidInputError as error:
            problems += [Problem(f"line {number}, {problem.where}", problem.what) for problem in error.problems]
    if problems:
        raise InvalidInputError(source, tuple(problems))
    return tuple(rates)


@cache
def shipped_rates(file: Path = SHIPPED_RATES) -> tuple[ExchangeRate, ...]:
    return parse_rates(file.read_text(encoding="utf-8"), str(file))


def in_usd(offers: Iterable[Offer], rates: Iterable[ExchangeRate]) -> tuple[Offer, ...]:
    """Offers quoted in another currency with their price in USD; without one where no rate is known.

    Of several rates of a currency the last counts. Raises InvalidInputError for a price that is absurd in USD.
    """
    units = {rate.currency: rate.units_per_usd for rate in rates}
    return tuple(offer if offer.price_per_hour is None else _converted(offer, units) for offer in offers)


def _converted(offer: Offer, units_per_usd: dict[str, float]) -> Offer:
    rate = 1.0 if offer.currency == "USD" else units_per_usd.get(offer.currency)
    price = None if rate is None or offer.price_per_hour is None else offer.price_per_hour / rate
    try:
        return replace(offer, price_usd_per_hour=price)
    except ValueError as error:
        what = f"{offer.provider}: {offer.price_per_hour:g} {offer.currency} at {rate:g} per USD: {error}"
        raise InvalidInputError("offers", (Problem("price_per_hour", what),)) from None


def missing_currencies(offers: Iterable[Offer], rates: Iterable[ExchangeRate]) -> tuple[str, ...]:
    """Currencies of priced offers for which there is no rate, in order of the alphabet."""
    known = {"USD", *(rate.currency for rate in rates)}
    return tuple(sorted({offer.currency for offer in offers if offer.price_per_hour is not None} - known))
