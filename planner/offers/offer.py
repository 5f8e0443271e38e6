"""What can be rented, from whom, at what price and since when."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from planner.evidence import Range, check_number

MOST_USD_PER_HOUR = 1e9  # a bound that keeps bills finite, not an opinion
STALE_AFTER_DAYS = 14  # rental prices move weekly; older ones are shown as stale

_AMOUNTS = (
    "price_per_hour", "vcpus", "ram_gb", "disk_gb", "boot_s", "storage_usd_per_gb_month", "egress_usd_per_gb",
)  # fmt: skip


@lru_cache(maxsize=1024)
def parse_date(text: str | None) -> date | None:
    """ISO date, or year and month (its first day: the careful end). None for no or another text."""
    try:
        return date.fromisoformat(text if text and len(text) > len("2026-04") else f"{text}-01")
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class Offer:
    """One package of one provider. ``price_usd_per_hour`` None: the provider wants to be asked."""

    provider: str
    gpu: str  # id in the GPU catalogue, e.g. "rtx-3090"
    gpu_count: int
    price_usd_per_hour: float | None  # of the whole package
    price_date: str | None = None  # ISO date, or year and month; None when there is no price
    pricing: str = "on-demand"  # "on-demand", "community", "spot", "quote" (typed by the user)
    source: str = ""
    source_url: str = ""
    licence: str = ""
    vcpus: int | None = None
    ram_gb: float | None = None
    disk_gb: float | None = None
    region: str = ""
    billing: str = ""
    billing_step_s: float = 3600.0
    notes: str = ""
    # As the seller quotes it; ``price_usd_per_hour`` is then worked out with a dated rate (``currency.py``).
    currency: str = "USD"
    price_per_hour: float | None = None  # in ``currency``; None: the price was quoted in USD
    minimum_s: float = 0.0  # billed at least
    boot_s: float | None = None  # from Connect until usable; None: not told
    upload_billed: bool = True  # whether the meter runs while data is uploaded
    storage_usd_per_gb_month: float | None = None  # None: not told
    egress_usd_per_gb: float | None = None  # for what is downloaded; None: not told
    discount_share: float = 0.0  # cash discount, off the price
    points_share: float = 0.0  # bonus points for a later order: shown, not subtracted
    interconnect: str = ""  # "nvlink", "pcie", …; "": not told
    os: str = ""  # "linux", "windows"; "": not told

    __pydantic_config__ = {"extra": "forbid", "allow_inf_nan": False}

    def __post_init__(self) -> None:
        if not self.provider.strip():
            raise ValueError("provider is empty")
        check_number("gpu_count", self.gpu_count, at_least=1, at_most=1024)
        if self.price_usd_per_hour is not None:
            check_number("price_usd_per_hour", self.price_usd_per_hour, at_most=MOST_USD_PER_HOUR)
        check_number("billing_step_s", self.billing_step_s, at_least=1, at_most=1e9)
        check_number("minimum_s", self.minimum_s, at_most=1e9)
        if not re.fullmatch("[A-Z]{3}", self.currency):
            raise ValueError(f"currency must be three letters such as USD, VND or EUR, got {self.currency!r}")
        for name in _AMOUNTS:
            if getattr(self, name) is not None:
                check_number(name, getattr(self, name), at_most=1e15)
        for name in ("discount_share", "points_share"):
            check_number(name, getattr(self, name), at_most=1)
        if self.price_date is not None and parse_date(self.price_date) is None:
            raise ValueError(f"price_date must be a date such as 2026-08-22 or 2026-08, got {self.price_date!r}")

    @property
    def key(self) -> tuple[str, str, int, str]:
        """What makes two rows the same offer at different dates."""
        return (self.provider, self.gpu, self.gpu_count, self.pricing)


@dataclass(frozen=True, slots=True)
class PackagePrice:
    """Price of renting N GPUs of one kind for an hour, with where it comes from.

    ``offer``: the package it is for, None when nobody sells this count ("computed, not sold").
    ``is_quote``: a price of that very package; otherwise the range spans comparable offers per GPU.
    """

    gpu_count: int
    usd_per_hour: Range | None  # None: no price and nothing comparable
    offer: Offer | None
    is_quote: bool
    comparable_count: int
    oldest_price_date: date | None
