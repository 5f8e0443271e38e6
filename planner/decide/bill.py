"""What it costs: the parts of each option's bill. (S,) USD each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.decide.draws import Draws, summary
from planner.decide.types import CostPart, Terms
from planner.offers.billing import electricity_usd, rent_usd, storage_usd
from planner.offers.offer import PackagePrice
from planner.workload.job import Job

Floats = NDArray[np.float64]

DEFAULT_BILLING_STEP_S = 3600.0  # of a package nobody sells


@dataclass(frozen=True)
class Bill:
    """(S,) USD of each part, in order, and of their sum; ``usd`` None: a price is missing."""

    parts_usd: dict[str, Floats]
    usd: Floats | None

    def parts(self) -> tuple[CostPart, ...]:
        return tuple(CostPart(code, summary(usd)) for code, usd in self.parts_usd.items())


def local_bill(run_s: Floats, gpu_power_w: float, terms: Terms, draws: Draws) -> Bill:
    """Electricity, a machine nobody else can use, people waiting, and being late. The card is paid for already."""
    price = draws.value("electricity", terms.electricity_usd_per_kwh)
    parts = {"electricity": electricity_usd(run_s, gpu_power_w, terms.host_power_w, price)}
    if terms.blocked_usd_per_h:
        parts["blocked"] = run_s / 3600 * terms.blocked_usd_per_h
    return _bill({**parts, **_of_time(run_s, terms)})


def rental_bill(
    time_s: Floats, billed_s: Floats, price: PackagePrice, job: Job, terms: Terms, draws: Draws
) -> Bill:
    """Rent in whole billing steps, storage and egress, tax on them, people waiting, and being late."""
    waiting = _of_time(time_s, terms)
    if price.usd_per_hour is None:
        return Bill(waiting, None)
    parts = {"rent": _rent(billed_s, price, draws)}
    stored = _storage(billed_s, price, job)
    if stored is not None:
        parts["storage"] = stored
    if terms.tax_share:
        parts["tax"] = np.sum(list(parts.values()), axis=0) * terms.tax_share
    return _bill({**parts, **waiting})


def _rent(billed_s: Floats, price: PackagePrice, draws: Draws) -> Floats:
    offer = price.offer
    usd_per_hour = draws.value("price", price.usd_per_hour) if price.usd_per_hour else np.zeros_like(billed_s)
    if offer is None:
        return rent_usd(billed_s, usd_per_hour, DEFAULT_BILLING_STEP_S)
    return rent_usd(billed_s, usd_per_hour, offer.billing_step_s, offer.minimum_s, offer.discount_share)


def _storage(billed_s: Floats, price: PackagePrice, job: Job) -> Floats | None:
    """Data and results on the seller's disk, and the results leaving it; None: the offer bills neither."""
    offer = price.offer
    if offer is None or not (offer.storage_usd_per_gb_month or offer.egress_usd_per_gb):
        return None
    stored = storage_usd(job.dataset_bytes + job.result_bytes, billed_s, offer.storage_usd_per_gb_month or 0.0)
    return stored + job.result_bytes / 1e9 * (offer.egress_usd_per_gb or 0.0)


def _of_time(time_s: Floats, terms: Terms) -> dict[str, Floats]:
    """What the time to the result costs, wherever it is spent."""
    parts = {"waiting": time_s / 3600 * terms.waiting_cost_usd_per_h}
    if terms.late_usd is not None and terms.deadline_h is not None:
        parts["late"] = np.where(time_s > terms.deadline_h * 3600, terms.late_usd, 0.0)
    return parts


def _bill(parts: dict[str, Floats]) -> Bill:
    return Bill(parts, np.sum(list(parts.values()), axis=0))
