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
from planner.paths import RESOURCES, data_dir
from planner.storage import write_atomically
from planner.units import parse_count

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


def user_rates_file() -> Path:
    """Where the user's own rates are kept."""
    return data_dir() / "rates.csv"


def load_rates() -> tuple[ExchangeRate, ...]:
    """The user's rates, or the shipped ones. Raises InvalidInputError with every problem of the file."""
    file = user_rates_file()
    return parse_rates(file.read_text(encoding="utf-8-sig"), str(file)) if file.exists() else shipped_rates()


def save_rates(rates: Iterable[ExchangeRate]) -> None:
    """Keep the user's rates. Raises OSError; the old ones are then still there."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("currency", "units_per_usd", "date", "source"))
    writer.writerows((rate.currency, repr(rate.units_per_usd), rate.date, rate.source) for rate in rates)
    write_atomically(user_rates_file(), text.getvalue().encode())


def rates_text(rates: Iterable[ExchangeRate]) -> str:
    """What one US dollar buys, as people write it: "0.86 EUR, 26300 VND"."""
    return ", ".join(f"{rate.units_per_usd:.10g} {rate.currency}" for rate in rates)


def typed_rates(text: str, known: Iterable[ExchangeRate], today: str, source: str) -> tuple[ExchangeRate, ...]:
    """The inverse of ``rates_text``; rates that differ from the ``known`` are of ``today`` and of ``source``.

    Raises ValueError with a sentence.
    """
    before = {rate.currency: rate for rate in known}
    rates = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        number, _, currency = part.rpartition(" ")
        try:
            rate = ExchangeRate(currency.upper(), parse_count(number), today, source)
        except ValueError:
            raise ValueError(f"{part!r} is no rate: write what one US dollar buys, such as 26300 VND") from None
        same = before.get(rate.currency)
        rates.append(same if same and rates_text([same]) == rates_text([rate]) else rate)
    return tuple(rates)


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
