"""What removes an option before money is compared, and why."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from planner.decide.options import Weighed, samples_per_step
from planner.decide.types import Option, Reason, Terms
from planner.workload.job import Job

# Hosts of private people: whoever owns the machine can read what runs on it.
_COMMUNITY = "community"
_PRIVATE = ("personal", "regulated")


def is_private(terms: Terms) -> bool:
    """Whether the data may not lie on the machines of private people."""
    return terms.privacy in _PRIVATE


def _of_rental(option: Option, job: Job, terms: Terms, provider: str) -> tuple[Reason, ...]:
    """What speaks against a rented package as such."""
    count, batch = option.gpu_count, samples_per_step(job, option.gpu_count)
    reasons = []
    if not option.sold:
        reasons.append(Reason("not_sold", (("provider", provider), ("gpu_count", count))))
    if count > batch:
        reasons.append(Reason("batch", (("batch_count", batch), ("gpu_count", count))))
    if count > 1 and terms.platform == "windows":
        reasons.append(Reason("windows", (("gpu_count", count),)))
    offer = option.price.offer if option.price else None
    if is_private(terms) and offer is not None and offer.pricing == _COMMUNITY:
        reasons.append(Reason("privacy_community", (("provider", offer.provider),)))
    if option.cost_usd is None:
        reasons.append(Reason("no_price", (("option", option.key), ("provider", provider))))
    return tuple(reasons)


def p_on_time(weighed: Weighed, terms: Terms) -> float | None:
    """Share of the samples that meet the deadline, taken that the job fits; None without a deadline or a time."""
    if terms.deadline_h is None or weighed.time_s is None:
        return None
    return float(np.mean(weighed.time_s <= terms.deadline_h * 3600))


def _limits(option: Option, terms: Terms, on_time: float | None) -> tuple[Reason, ...]:
    """Deadline and budget."""
    reasons = []
    if on_time is not None and on_time < terms.confidence and option.time_s is not None:
        values = (
            ("option", option.key),
            ("time_s", option.time_s),
            ("deadline_h", terms.deadline_h or 0.0),
            ("on_time_share", on_time),
        )
        reasons.append(Reason("deadline", values))
    if terms.budget_usd is not None and option.cost_usd is not None and option.cost_usd.likely > terms.budget_usd:
        money = (("option", option.key), ("cost_usd", option.cost_usd), ("budget_usd", terms.budget_usd))
        reasons.append(Reason("budget", money))
    return tuple(reasons)


def gated(weighed: Weighed, job: Job, terms: Terms, provider: str) -> Weighed:
    """The option with its chance to be on time and every reason against it."""
    option, on_time = weighed.option, p_on_time(weighed, terms)
    of_kind = _of_rental(option, job, terms, provider) if option.kind == "rent" else ()
    rejected = (*option.rejected, *of_kind, *_limits(option, terms, on_time))
    return replace(weighed, option=replace(option, p_on_time=on_time, rejected=rejected))
