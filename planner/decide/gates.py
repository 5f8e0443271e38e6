"""What removes an option before money is compared, and why."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from planner.decide.clock import samples_per_step
from planner.decide.options import Weighed, on_windows
from planner.decide.types import Gate, GateAnswer, Option, Reason, Terms
from planner.offers.regions import country_of, is_transfer
from planner.workload.job import Job

# Hosts of private people: whoever owns the machine can read what runs on it.
COMMUNITY = "community"
_PRIVATE = ("personal", "regulated")


def is_private(terms: Terms) -> bool:
    """Whether the data may not lie on the machines of private people."""
    return terms.privacy in _PRIVATE


def _of_rental(option: Option, job: Job, terms: Terms, provider: str) -> tuple[Reason, ...]:
    """What speaks against a rented package as such."""
    count, batch = option.gpu_count, samples_per_step(job, option.gpu_count)
    together = count > 1 and not option.side_by_side
    reasons = []
    if not option.sold:
        reasons.append(Reason("not_sold", (("provider", provider), ("gpu_count", count))))
    if together and count > batch:
        reasons.append(Reason("batch", (("batch_count", batch), ("gpu_count", count))))
    if together and on_windows(terms, option.price.offer if option.price else None):
        reasons.append(Reason("windows", (("gpu_count", count),)))
    offer = option.price.offer if option.price else None
    if is_private(terms) and offer is not None and offer.pricing == COMMUNITY:
        reasons.append(Reason("privacy_community", (("provider", offer.provider),)))
    if country_gate(terms, offer.region if offer else "") == "failed":
        values = (("provider", provider), ("region", offer.region if offer else ""))
        reasons.append(Reason("country", (*values, ("data_country", terms.data_country))))
    if option.cost_usd is None:
        reasons.append(Reason("no_price", (("option", option.key), ("provider", provider))))
    return tuple(reasons)


def country_gate(terms: Terms, region: str) -> GateAnswer:
    """Personal data stored in another country than it was collected in needs its transfer filed and allowed."""
    if not is_private(terms) or terms.transfer_assessed:
        return "passed"
    host = country_of(region)
    if host is None or not terms.data_country:
        return "ask"
    return "failed" if is_transfer(terms.data_country, host) else "passed"


def is_geforce(name: str) -> bool:
    """Whether the GPU's driver licence says "not licensed for datacenter deployment"."""
    return bool(re.search(r"geforce|titan|\b[rg]tx \d{4}\b", name.lower()))


def _of_local(option: Option, terms: Terms) -> tuple[Reason, ...]:
    """The clause binds whoever racks the cards: a provider, or a team with its own hall."""
    if terms.own_datacentre and is_geforce(option.device_name):
        return (Reason("licence", (("device", option.device_name),)),)
    return ()


def gates(option: Option | None, terms: Terms, provider: str) -> tuple[Gate, ...]:
    """The questions before money, answered for a rental (None: there is none to ask about)."""
    if option is None or option.kind == "local" or option.price is None:
        return ()
    offer = option.price.offer
    community = offer is not None and offer.pricing == COMMUNITY
    region = offer.region if offer else ""
    windows = on_windows(terms, offer)
    apart = option.gpu_count > 1 and windows and not option.side_by_side
    licence: GateAnswer = "ask" if is_geforce(option.device_name) else "passed"
    privacy: GateAnswer = "passed" if not is_private(terms) else "failed" if community else "ask"
    names = (("provider", provider), ("region", region), ("gpu_count", option.gpu_count))
    return (
        Gate("licence", licence, (("provider", provider), ("device", option.device_name))),
        Gate("privacy", privacy, (("privacy", terms.privacy), ("provider", provider))),
        Gate("country", country_gate(terms, region), (("region", region), ("data_country", terms.data_country))),
        Gate(
            "platform",
            "failed" if apart else "passed",
            (("platform", "windows" if windows else "linux"), ("gpu_count", option.gpu_count)),
        ),
        Gate("availability", "ask" if offer else "failed", names),
        Gate("support", "ask", (("provider", provider),)),
    )


def p_on_time(weighed: Weighed, terms: Terms) -> float | None:
    """Share of the samples that meet the deadline, taken that the job fits; None without a deadline or a time."""
    if terms.deadline_h is None or weighed.time_s is None:
        return None
    return float(np.mean(weighed.time_s <= terms.deadline_h * 3600))


def _limits(option: Option, terms: Terms, on_time: float | None) -> tuple[Reason, ...]:
    """Deadline and budget."""
    reasons = []
    too_late = on_time is not None and on_time < terms.confidence and terms.late_usd is None
    if too_late and option.time_s is not None:
        values = (
            ("option", option.key),
            ("time_s", option.time_s),
            ("deadline_h", terms.deadline_h or 0.0),
            ("on_time_share", on_time or 0.0),
        )
        reasons.append(Reason("deadline", values))
    if terms.budget_usd is not None and option.cost_usd is not None and option.cost_usd.likely > terms.budget_usd:
        money = (("option", option.key), ("cost_usd", option.cost_usd), ("budget_usd", terms.budget_usd))
        reasons.append(Reason("budget", money))
    return tuple(reasons)


def gated(weighed: Weighed, job: Job, terms: Terms, provider: str) -> Weighed:
    """The option with its chance to be on time and every reason against it."""
    option, on_time = weighed.option, p_on_time(weighed, terms)
    of_kind = _of_rental(option, job, terms, provider) if option.kind == "rent" else _of_local(option, terms)
    rejected = (*option.rejected, *of_kind, *_limits(option, terms, on_time))
    return replace(weighed, option=replace(option, p_on_time=on_time, rejected=rejected))
