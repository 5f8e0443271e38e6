"""Where an answer flips: the bus bandwidth or the price at which two options are equal.

Worked out at the likely values. An option's time is a fixed part plus steps · exchange, and the exchange is
traffic / bandwidth; its bill is hours · price. Both are solved for the unknown.
"""

from __future__ import annotations

from itertools import combinations

from planner.decide.options import Weighed
from planner.decide.types import Option, SwitchPoint


def run_s(option: Option) -> float:
    """Likely seconds of training; 0 where there is no time."""
    return next((phase.duration_s.likely for phase in option.phases if phase.code == "run"), 0.0)


def billed_s(option: Option) -> float:
    """Likely seconds for which the meter runs."""
    return sum(phase.duration_s.likely for phase in option.phases if phase.billed)


def _exchange(weighed: Weighed) -> tuple[float, float]:
    """Bytes over the bus in all, times the factor of the all-reduce; seconds they take at the likely bandwidth."""
    found = weighed.option.communication
    if found is None:
        return 0.0, 0.0
    seconds = weighed.steps * found.seconds.likely
    return seconds * found.bus_bandwidth_bytes_per_s.likely, seconds


def faster_above_gbs(many: Weighed, few: Weighed) -> float | None:
    """Bus bandwidth (10⁹ byte/s) from which ``many`` trains as fast as ``few``; None: with none, or with any.

    B* = 2 (N − 1) / N · G / (t · (n / s − 1)) for N cards against one, where t is the step of one of n = s cards;
    here with the steps of both as predicted, and the exchange of ``few`` at its likely bandwidth.
    """
    traffic, exchange_s = _exchange(many)
    spare_s = run_s(few.option) - (run_s(many.option) - exchange_s)
    return traffic / spare_s / 1e9 if traffic > 0 and spare_s > 0 else None


def cheaper_above_gbs(many: Weighed, few: Weighed, waiting_usd_per_h: float) -> float | None:
    """Bus bandwidth (10⁹ byte/s) from which ``many`` costs no more than ``few``, billing steps left aside."""
    price = many.option.price
    if price is None or price.usd_per_hour is None or many.option.cost_usd is None or few.option.cost_usd is None:
        return None
    traffic, exchange_s = _exchange(many)
    usd_per_s = (price.usd_per_hour.likely + waiting_usd_per_h) / 3600
    spare_usd = few.option.cost_usd.likely - (many.option.cost_usd.likely - usd_per_s * exchange_s)
    return traffic * usd_per_s / spare_usd / 1e9 if traffic > 0 and spare_usd > 0 else None


def equal_price_usd_per_h(rented: Weighed, other: Weighed) -> float | None:
    """Price of an hour of ``rented`` at which it costs as much as ``other``; None: not even at 0."""
    price, hours = rented.option.price, billed_s(rented.option) / 3600
    if price is None or price.usd_per_hour is None or hours <= 0:
        return None
    if rented.option.cost_usd is None or other.option.cost_usd is None:
        return None
    equal = price.usd_per_hour.likely + (other.option.cost_usd.likely - rented.option.cost_usd.likely) / hours
    return equal if equal > 0 else None


# Without these an option cannot do the job at any bandwidth or price.
_STOPPED_BY = {"memory", "batch", "windows", "no_local_gpu", "unknown_gpu", "machine_unknown"}


def switch_points(weighed: list[Weighed], waiting_usd_per_h: float) -> tuple[SwitchPoint, ...]:
    """Every pair of this machine and the rentals that are sold and could do the job; those that never switch are
    left out."""
    able = [
        one
        for one in weighed
        if one.time_s is not None
        and one.option.sold
        and not _STOPPED_BY & {reason.code for reason in one.option.rejected}
    ]
    found = (_switch_point(many, few, waiting_usd_per_h) for few, many in combinations(able, 2))
    return tuple(
        one for one in found if any((one.faster_above_gbs, one.cheaper_above_gbs, one.cheaper_below_usd_per_h))
    )


def _switch_point(many: Weighed, few: Weighed, waiting_usd_per_h: float) -> SwitchPoint:
    return SwitchPoint(
        many.option.key,
        few.option.key,
        faster_above_gbs(many, few),
        cheaper_above_gbs(many, few, waiting_usd_per_h),
        equal_price_usd_per_h(many, few),
    )
