"""What if one input were another: the answer at values across its range, and where the choice changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

from planner.decide.types import Recommendation
from planner.evidence import Range
from planner.offers.offer import Offer
from planner.pipeline import RENTED_GPU, PlanInputs, evaluate

# Inputs that can be moved; their captions are below "chart.what_if.input.".
INPUTS = ("price", "epochs", "bus", "deadline", "waiting", "upload", "electricity")
_LINEAR = ("waiting",)  # begins at 0
_POINTS = 25
_HALVINGS = 7  # of the gap between two values around a change
_MOST_CHANGES = 8  # that are looked at closely; more are the noise of two options that are alike

_FACTOR = 4.0  # around the present value, down and up
_UPLOAD_FACTOR = 10.0
_PRICES_USD_PER_H = (0.1, 2.0)  # of one card, where no price is known
_BUS_GBS = (0.5, 50.0)
_WAITING_USD_PER_H = 50.0
_DEADLINE_H = (2.0, 200.0)  # where no time is known


@dataclass(frozen=True)
class Change:
    """From ``value`` on the choice is another: ``before`` is the answer just below it, ``after`` the one at it."""

    value: float
    before: Recommendation
    after: Recommendation


@dataclass(frozen=True)
class WhatIf:
    """``points``: (value, answer) from small to large, denser where the choice changes. ``grid``: the even ones.

    ``now``: the plan's own value; None: not given there.
    """

    code: str
    points: tuple[tuple[float, Recommendation], ...]
    grid: tuple[float, ...]
    now: float | None
    log: bool

    @property
    def changes(self) -> tuple[Change, ...]:
        return tuple(
            Change(value, before, after)
            for (_, before), (value, after) in pairwise(self.points)
            if before.chosen != after.chosen
        )

    def answer_at(self, value: float) -> Recommendation:
        return next(answer for known, answer in self.points if known == value)


def what_if(inputs: PlanInputs, code: str, cancelled: Callable[[], bool] = lambda: False) -> WhatIf | None:
    """About half a second of work: not for the GUI thread. None: it was cancelled.

    Raises InvalidInputError where the plan cannot be made.
    """
    present = evaluate(inputs)
    now = _now(inputs, present, code)
    grid = _values(*_ends(present, code, now), log=code not in _LINEAR)
    points = {}
    for value in grid:
        if cancelled():
            return None
        points[value] = evaluate(_with(inputs, code, value))
    gaps = [(low, high) for low, high in pairwise(grid) if points[low].chosen != points[high].chosen]
    for low, high in gaps[:_MOST_CHANGES]:
        if cancelled():
            return None
        _look_closely(inputs, code, (low, high), points)
    return WhatIf(code, tuple(sorted(points.items())), grid, now, code not in _LINEAR)


def _look_closely(
    inputs: PlanInputs, code: str, ends: tuple[float, float], points: dict[float, Recommendation]
) -> None:
    """Halve the gap in which the choice changes until it is a hundredth of itself."""
    low, high = ends
    for _ in range(_HALVINGS):
        middle = (low + high) / 2 if code in _LINEAR else (low * high) ** 0.5
        points[middle] = evaluate(_with(inputs, code, middle))
        if points[middle].chosen == points[low].chosen:
            low = middle
        else:
            high = middle


def _values(low: float, high: float, *, log: bool) -> tuple[float, ...]:
    """Values a person would write: three digits."""
    shares = [index / (_POINTS - 1) for index in range(_POINTS)]
    exact = [low * (high / low) ** share if log else low + (high - low) * share for share in shares]
    return tuple(sorted({float(f"{value:.3g}") for value in exact}))


def _now(inputs: PlanInputs, answer: Recommendation, code: str) -> float | None:
    terms = inputs.terms
    given: dict[str, float | None] = {
        "price": _price_usd_per_gpu_h(answer),
        "epochs": inputs.job.epochs.likely,
        "bus": _bus_gbs(answer),
        "deadline": terms.deadline_h,
        "waiting": terms.waiting_cost_usd_per_h,
        "upload": terms.upload_mbit_per_s.likely,
        "electricity": terms.electricity_usd_per_kwh.likely or None,
    }
    return given[code]


def _price_usd_per_gpu_h(answer: Recommendation) -> float | None:
    prices = [option.price for option in answer.options if option.price and option.price.usd_per_hour]
    first = prices[0] if prices else None
    return first.usd_per_hour.likely / first.gpu_count or None if first and first.usd_per_hour else None


def _bus_gbs(answer: Recommendation) -> float | None:
    found = [option.communication for option in answer.options if option.communication]
    return found[0].bus_bandwidth_bytes_per_s.likely / 1e9 if found else None


def _ends(answer: Recommendation, code: str, now: float | None) -> tuple[float, float]:
    if code == "waiting":
        return 0.0, max(_WAITING_USD_PER_H, 2 * (now or 0.0))
    if code == "bus":
        return min(_BUS_GBS[0], now or _BUS_GBS[0]), max(_BUS_GBS[1], now or 0.0)
    if code == "deadline":
        hours = [option.time_s.likely / 3600 for option in answer.options if option.time_s]
        low, high = (min(hours) / 2, max(hours) * 2) if hours else _DEADLINE_H
        return min(low, now or low), max(high, now or high)
    if now is None:
        return _PRICES_USD_PER_H
    factor = _UPLOAD_FACTOR if code == "upload" else _FACTOR
    return now / factor, now * factor


def _scaled_to(value: Range, likely: float) -> Range:
    return value.scaled(likely / value.likely) if value.likely else Range.exactly(likely)


def _with(inputs: PlanInputs, code: str, value: float) -> PlanInputs:
    """The inputs with one of them changed. Ranges keep their relative width, except where the value is a fact."""
    job, terms = inputs.job, inputs.terms
    if code == "price":
        return replace(inputs, offers=tuple(_priced(offer, inputs, value) for offer in inputs.offers))
    if code == "epochs":
        return replace(inputs, job=replace(job, epochs=_scaled_to(job.epochs, value)))
    field: dict[str, tuple[str, float | Range]] = {
        "bus": ("bus_bandwidth_gbs", Range.exactly(value)),
        "deadline": ("deadline_h", value),
        "waiting": ("waiting_cost_usd_per_h", value),
        "upload": ("upload_mbit_per_s", _scaled_to(terms.upload_mbit_per_s, value)),
        "electricity": ("electricity_usd_per_kwh", _scaled_to(terms.electricity_usd_per_kwh, value)),
    }
    name, changed = field[code]
    return replace(inputs, terms=replace(terms, **{name: changed}))  # type: ignore[arg-type]


def _priced(offer: Offer, inputs: PlanInputs, usd_per_gpu_h: float) -> Offer:
    """The weighed packages at one price for each card, as if the seller had said so today."""
    if (offer.provider, offer.gpu) != (inputs.provider, RENTED_GPU):
        return offer
    return replace(
        offer,
        price_usd_per_hour=usd_per_gpu_h * offer.gpu_count,
        price_date=inputs.today or None,
        currency="USD",
        price_per_hour=None,
    )
