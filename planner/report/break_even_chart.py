"""Buy or rent: what a month costs either way, over the hours a month that are trained."""

from __future__ import annotations

from dataclasses import dataclass

from planner.decide.types import Option, Recommendation, Terms
from planner.evidence import Range
from planner.offers.billing import HOURS_PER_MONTH
from planner.offers.purchase import owning_usd_per_month
from planner.report.ticks import linear_ticks
from planner.report.types import Axis, ChartSpec, ReferenceLine, Series, Table
from planner.report.wording import Wording

_POINTS = 40  # of a line: what the mouse finds
_BEYOND = 2.5  # how far past the crossing the axis goes
_LEAST_H = 24.0
# A price whose high end is further above the likely one presses linear lines to the floor: axes by powers then,
# from this share of the last hour on.
_WIDE, _FIRST_SHARE = 2.5, 0.02


@dataclass(frozen=True)
class _Month:
    """Costs of one card for a month. ``kilowatts`` at the plug, computer included."""

    rent_usd_per_h: Range
    terms: Terms
    kilowatts: float

    def renting(self, hours: float) -> Range:
        return self.rent_usd_per_h.scaled(hours)

    def owning(self, hours: float) -> Range:
        terms = self.terms
        admin = terms.admin_h_per_month * terms.person_usd_per_h

        def usd(card_usd: float, usd_per_kwh: float) -> float:
            return owning_usd_per_month(card_usd, hours, self.kilowatts, usd_per_kwh, admin_usd_per_month=admin)

        card, kwh = terms.card_usd, terms.electricity_usd_per_kwh
        return Range(usd(card.low, kwh.low), usd(card.likely, kwh.likely), usd(card.high, kwh.high))


def break_even_chart(recommendation: Recommendation, terms: Terms, wording: Wording) -> ChartSpec | None:
    """None where no price, no power or no time of one rented card is known."""
    one = next((option for option in recommendation.options if option.key == "rent-1"), None)
    month = _month(one, terms) if one is not None else None
    if one is None or month is None:
        return None
    say, crossing = wording.messages.say, recommendation.break_even_h_per_month
    last = _last_h(crossing, terms)
    log = month.rent_usd_per_h.high > _WIDE * month.rent_usd_per_h.likely
    last = min(last * 4, HOURS_PER_MONTH) if log else last
    hours = [_hour(index / _POINTS, last, log) for index in range(_POINTS + 1)]
    rent, own = say("chart.break_even.rent", option=wording.option(one)), say("chart.break_even.own")
    lines = (
        ()
        if terms.hours_per_month is None
        else (
            ReferenceLine(
                wording.say("chart.break_even.used", used_h_per_month=terms.hours_per_month),
                terms.hours_per_month,
                "vertical",
            ),
        )
    )
    return ChartSpec(
        kind="scatter",
        key="break_even",
        title=say("chart.break_even.title"),
        x=Axis(say("chart.break_even.hours"), log=log),
        y=Axis(say("chart.break_even.axis"), log=log),
        series=(
            _line(rent, hours, [month.renting(hour) for hour in hours]),
            _line(own, hours, [month.owning(hour) for hour in hours]),
            *(() if crossing is None else (_crossing(crossing, month, wording),)),
        ),
        table=_table(month, last, (rent, own), wording),
        lines=lines,
        description=_description(crossing, terms, wording),
    )


def _month(one: Option, terms: Terms) -> _Month | None:
    run = next((phase.duration_s for phase in one.phases if phase.code == "run"), None)
    if one.price is None or one.price.usd_per_hour is None or one.energy_kwh is None or not (run and run.likely):
        return None
    return _Month(one.price.usd_per_hour, terms, one.energy_kwh.likely / (run.likely / 3600))


def _last_h(crossing: Range | None, terms: Terms) -> float:
    """Where the axis ends: past the crossing and past the hours that are used, within a month."""
    wanted = [_LEAST_H, _BEYOND * crossing.likely if crossing else HOURS_PER_MONTH]
    wanted.append(1.25 * (terms.hours_per_month or 0.0))
    return max(min(max(wanted), HOURS_PER_MONTH), terms.hours_per_month or 0.0)


def _hour(share: float, last: float, log: bool) -> float:
    return float(last * _FIRST_SHARE ** (1 - share)) if log else last * share


def _line(name: str, hours: list[float], costs: list[Range]) -> Series:
    return Series(
        name=name,
        x=tuple(hours),
        y=tuple(cost.likely for cost in costs),
        low=tuple(cost.low for cost in costs),
        high=tuple(cost.high for cost in costs),
        joined=True,
    )


def _crossing(crossing: Range, month: _Month, wording: Wording) -> Series:
    name = wording.say("chart.break_even.crossing", from_h_per_month=float(f"{crossing.likely:.2g}"))
    return Series(
        name=wording.messages.say("chart.break_even.point"),
        x=(crossing.likely,),
        y=(month.renting(crossing.likely).likely,),
        labels=(name,),
        emphasis=(True,),
        notes=(wording.say("chart.break_even.range", from_h_per_month=crossing),),
    )


def _table(month: _Month, last: float, names: tuple[str, str], wording: Wording) -> Table:
    say = wording.messages.say
    rows = []
    for hours in linear_ticks(last, most=10):
        rent, own = month.renting(hours), month.owning(hours)
        cheaper = names[0] if rent.likely < own.likely else names[1]
        usd = [wording.value("usd_per_month", cost) for cost in (rent, own)]
        rows.append((wording.value("used_h_per_month", hours), *usd, cheaper))
    columns = (say("chart.break_even.hours"), *names, say("chart.break_even.cheaper"))
    return Table(columns, tuple(rows), (True, True, True, False))


def _description(crossing: Range | None, terms: Terms, wording: Wording) -> str:
    if crossing is None:
        return wording.say("chart.break_even.description_never")
    return wording.say("chart.break_even.description", from_h_per_month=crossing, card_usd=terms.card_usd)
