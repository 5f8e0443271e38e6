"""What removes an option before money is compared, and why."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from planner.decide.options import Weighed
from planner.decide.types import Reason, Terms

# Hosts of private people: whoever owns the machine can read what runs on it.
_COMMUNITY = "community"


def _hard(weighed: Weighed, terms: Terms) -> tuple[Reason, ...]:
    option = weighed.option
    if option.kind == "local":
        return ()
    reasons = []
    if not option.sold:
        reasons.append(Reason("not_sold", (("gpu_count", option.gpu_count),)))
    if option.gpu_count > 1 and terms.platform == "windows":
        reasons.append(Reason("windows", (("gpu_count", option.gpu_count),)))
    offer = option.price.offer if option.price else None
    if terms.privacy in ("personal", "regulated") and offer is not None and offer.pricing == _COMMUNITY:
        reasons.append(Reason("privacy_community", (("provider", offer.provider),)))
    if weighed.cost_usd is None:
        reasons.append(Reason("no_price", (("gpu_count", option.gpu_count),)))
    return tuple(reasons)


def p_on_time(weighed: Weighed, terms: Terms) -> float | None:
    """Share of the samples that meet the deadline; None without a deadline or a time."""
    if terms.deadline_h is None or weighed.time_s is None:
        return None
    return float(np.mean(weighed.time_s <= terms.deadline_h * 3600))


def _limits(weighed: Weighed, terms: Terms, on_time: float | None) -> tuple[Reason, ...]:
    option = weighed.option
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


def gated(weighed: Weighed, terms: Terms) -> Weighed:
    """The option with its chance to be on time and every reason against it."""
    on_time = p_on_time(weighed, terms)
    rejected = (*weighed.option.rejected, *_hard(weighed, terms), *_limits(weighed, terms, on_time))
    return replace(weighed, option=replace(weighed.option, p_on_time=on_time, rejected=rejected))
