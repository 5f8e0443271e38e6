"""Buying a card instead of renting one: from how many hours a month on it is cheaper."""

from __future__ import annotations

KEPT_MONTHS = 24.0  # for which a bought card is used (assumed)
RESALE_SHARE = 0.4  # of its price that it brings afterwards (assumed)


def owning_usd_per_month(
    capital_usd: float,
    hours: float,
    power_kw: float,
    usd_per_kwh: float,
    *,
    months: float = KEPT_MONTHS,
    resale_share: float = RESALE_SHARE,
    admin_usd_per_month: float = 0.0,
) -> float:
    """A month of an own card that trains ``hours``: what it loses in value, administration, electricity."""
    return capital_usd * (1 - resale_share) / months + admin_usd_per_month + hours * power_kw * usd_per_kwh


def break_even_h_per_month(
    capital_usd: float,
    rent_usd_per_h: float,
    power_kw: float,
    usd_per_kwh: float,
    *,
    months: float = KEPT_MONTHS,
    resale_share: float = RESALE_SHARE,
    admin_usd_per_month: float = 0.0,
) -> float | None:
    """(capital · (1 − resale) / months + administration) / (rent − kW · price of electricity).

    ``power_kw`` is taken at the plug. None: an hour's electricity costs as much as renting, so buying never pays.
    """
    spared_usd_per_h = rent_usd_per_h - power_kw * usd_per_kwh
    if spared_usd_per_h <= 0:
        return None
    return (capital_usd * (1 - resale_share) / months + admin_usd_per_month) / spared_usd_per_h
