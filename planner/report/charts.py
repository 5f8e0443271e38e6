"""Recommendation → the four charts of the answer, for screen, PDF and HTML alike."""

from __future__ import annotations

from planner.decide.types import Option, Recommendation, Terms
from planner.evidence import Range
from planner.report.memory_chart import memory_chart
from planner.report.scaling_charts import likely_text, speedup_chart
from planner.report.types import Axis, ChartSpec, ReferenceLine, Series, Table
from planner.report.wording import Wording

# What is drawn as a line: an option that is ruled out by nothing else can be had.
DRAWN_LIMITS = {"deadline", "budget"}
# Largest over smallest value above which an axis becomes logarithmic: columns stand further apart than points.
_LOG_BEYOND, _LOG_BEYOND_SCATTER = 20.0, 8.0
_DAY_H = 24.0


def build_charts(
    recommendation: Recommendation, terms: Terms, wording: Wording, larger: tuple[Option, ...] = ()
) -> tuple[ChartSpec, ...]:
    """Time, cost against time, memory and speed-up, in reading order.

    ``larger``: rented hosts with more cards than are weighed, for the speed-up.
    """
    return (
        time_chart(recommendation, terms, wording),
        cost_time_chart(recommendation, terms, wording),
        memory_chart(recommendation, wording),
        speedup_chart(recommendation, wording, larger),
    )


def _hours(value_s: Range | None) -> Range | None:
    return None if value_s is None else value_s.scaled(1 / 3600)


def _in_days(values: list[Range | None], marks: tuple[float | None, ...]) -> bool:
    """Whether the hours to draw read better as days: everything is four days or more."""
    known = [value.likely for value in values if value] + [mark for mark in marks if mark]
    return bool(known) and min(known) >= 4 * _DAY_H


def _needs_log(values: list[Range | None], beyond: float = _LOG_BEYOND) -> bool:
    lows = [value.low for value in values if value and value.low > 0]
    highs = [value.high for value in values if value]
    return bool(lows) and max(highs) / min(lows) > beyond


def category(option: Option, wording: Wording) -> str:
    """An option's name below a column; says so when it is ruled out."""
    name = wording.option(option)
    return wording.messages.say("chart.ruled_out", name=name) if option.rejected else name


def _points(
    options: list[Option], values: list[Range | None], chosen: str | None, labels: list[str], name: str
) -> Series:
    return Series(
        name=name,
        x=tuple(float(index) for index in range(len(options))),
        y=tuple(value.likely if value else None for value in values),
        low=tuple(value.low if value else None for value in values),
        high=tuple(value.high if value else None for value in values),
        labels=tuple(labels),
        keys=tuple(option.key for option in options),
        emphasis=tuple(option.key == chosen for option in options),
    )


def time_chart(recommendation: Recommendation, terms: Terms, wording: Wording) -> ChartSpec:
    """Time to the result for every option with its range, and the deadline."""
    options = list(recommendation.options)
    hours = [_hours(option.time_s) for option in options]
    days = _in_days(hours, (terms.deadline_h,))
    size = _DAY_H if days else 1.0
    values = [value.scaled(1 / size) if value else None for value in hours]
    say = wording.messages.say
    labels = [likely_text(wording, "time_s", option.time_s) for option in options]
    lines = (
        (ReferenceLine(wording.say("chart.deadline", deadline_h=terms.deadline_h), terms.deadline_h / size),)
        if terms.deadline_h is not None
        else ()
    )
    rows = tuple(
        (category(option, wording), wording.value("time_s", option.time_s), on_time_text(option, wording))
        for option in options
    )
    return ChartSpec(
        kind="ranges",
        key="time",
        title=say("chart.time.title"),
        x=Axis(say("chart.option")),
        y=Axis(say("chart.time.axis_days" if days else "chart.time.axis_h"), log=_needs_log(values)),
        series=(_points(options, values, recommendation.chosen, labels, say("chart.time.series")),),
        table=Table(
            (say("chart.option"), say("chart.time.series"), say("chart.on_time")),
            rows,
            (False, True, True),
            keys=tuple(option.key for option in options),
            emphasis=tuple(option.key == recommendation.chosen for option in options),
        ),
        categories=tuple(category(option, wording) for option in options),
        lines=lines,
        description=_time_description(recommendation, wording),
    )


def on_time_text(option: Option, wording: Wording) -> str:
    if option.p_on_time is None:
        return wording.messages.say("format.unknown" if option.time_s is None else "chart.no_deadline")
    return wording.value("p_share", option.p_on_time)


def _time_description(recommendation: Recommendation, wording: Wording) -> str:
    known = [option for option in recommendation.options if option.time_s]
    if not known:
        return wording.say("chart.time.description_none")
    fastest = min(known, key=lambda option: option.time_s.likely if option.time_s else 0.0)
    slowest = max(known, key=lambda option: option.time_s.likely if option.time_s else 0.0)
    return wording.say(
        "chart.time.description",
        fastest=wording.option(fastest),
        fastest_s=fastest.time_s,
        slowest=wording.option(slowest),
        slowest_s=slowest.time_s,
    )


def cost_time_chart(recommendation: Recommendation, terms: Terms, wording: Wording) -> ChartSpec:
    """Cost against time with both ranges, budget and deadline. Options without a price are in the table only."""
    say = wording.messages.say
    drawn = [option for option in recommendation.options if option.time_s and option.cost_usd]
    hours, costs = [_hours(option.time_s) for option in drawn], [option.cost_usd for option in drawn]
    days = _in_days(hours, (terms.deadline_h,))
    size = _DAY_H if days else 1.0
    lines = []
    if terms.budget_usd is not None:
        lines.append(ReferenceLine(wording.say("chart.budget", budget_usd=terms.budget_usd), terms.budget_usd))
    if terms.deadline_h is not None:
        label = wording.say("chart.deadline", deadline_h=terms.deadline_h)
        lines.append(ReferenceLine(label, terms.deadline_h / size, "vertical"))
    groups = (("local", say("chart.group.local")), ("rent", say("chart.group.rent")))
    best = frontier(recommendation.options)
    series = tuple(
        _cloud([option for option in drawn if option.kind == kind], name, size, recommendation, wording, best)
        for kind, name in groups
        if any(option.kind == kind for option in drawn)
    )
    rows = tuple(
        (
            category(option, wording),
            wording.value("time_s", option.time_s),
            wording.value("cost_usd", option.cost_usd),
            say("chart.cost_time.unbeaten" if option in best else "chart.cost_time.beaten"),
        )
        for option in recommendation.options
    )
    return ChartSpec(
        kind="scatter",
        key="cost_time",
        title=say("chart.cost_time.title"),
        x=Axis(
            say("chart.time.axis_days" if days else "chart.time.axis_h"),
            log=_needs_log(hours, _LOG_BEYOND_SCATTER),
        ),
        y=Axis(say("chart.cost_time.axis"), log=_needs_log(costs, _LOG_BEYOND_SCATTER)),
        series=(*series, *_frontier_line(best, size, wording)),
        table=Table(
            (
                say("chart.option"),
                say("chart.time.series"),
                say("chart.cost_time.cost"),
                say("chart.cost_time.frontier"),
            ),
            rows,
            (False, True, True, False),
            keys=tuple(option.key for option in recommendation.options),
            emphasis=tuple(option.key == recommendation.chosen for option in recommendation.options),
        ),
        lines=tuple(lines),
        description=_cost_description(drawn, recommendation, wording),
    )


def frontier(options: tuple[Option, ...]) -> tuple[Option, ...]:
    """Options that can be had and that no other of these beats in both time and cost, the fastest first."""
    able = [
        option
        for option in options
        if option.time_s and option.cost_usd and not {reason.code for reason in option.rejected} - DRAWN_LIMITS
    ]

    def place(option: Option) -> tuple[float, float]:
        assert option.time_s is not None
        assert option.cost_usd is not None
        return option.time_s.likely, option.cost_usd.likely

    found: list[Option] = []
    for option in sorted(able, key=place):
        if not found or place(option)[1] < place(found[-1])[1]:
            found.append(option)
    return tuple(found)


def _frontier_line(best: tuple[Option, ...], hours_per_unit: float, wording: Wording) -> tuple[Series, ...]:
    """Stairs through the best options: what lies above and right of them is beaten. One option makes no line."""
    if len(best) < 2:
        return ()
    times = [option.time_s.likely / 3600 / hours_per_unit for option in best if option.time_s]
    costs = [option.cost_usd.likely for option in best if option.cost_usd]
    stairs = [(times[0], costs[0])]
    for time, cost in zip(times[1:], costs[1:], strict=True):
        stairs += [(time, stairs[-1][1]), (time, cost)]
    name = wording.messages.say("chart.cost_time.frontier")
    return (Series(name, tuple(x for x, _ in stairs), tuple(y for _, y in stairs), joined=True),)


def _cloud(
    options: list[Option],
    name: str,
    hours_per_unit: float,
    recommendation: Recommendation,
    wording: Wording,
    best: tuple[Option, ...],
) -> Series:
    unbeaten = wording.messages.say("chart.cost_time.unbeaten_note")
    times = [option.time_s.scaled(1 / 3600 / hours_per_unit) for option in options if option.time_s]
    costs = [option.cost_usd for option in options if option.cost_usd]
    return Series(
        name=name,
        x=tuple(time.likely for time in times),
        y=tuple(cost.likely for cost in costs),
        low=tuple(cost.low for cost in costs),
        high=tuple(cost.high for cost in costs),
        x_low=tuple(time.low for time in times),
        x_high=tuple(time.high for time in times),
        labels=tuple(wording.option(option) for option in options),
        keys=tuple(option.key for option in options),
        emphasis=tuple(option.key == recommendation.chosen for option in options),
        notes=tuple(unbeaten if option in best else "" for option in options),
    )


def _cost_description(drawn: list[Option], recommendation: Recommendation, wording: Wording) -> str:
    if not drawn:
        return wording.say("chart.cost_time.description_none")
    names = {option.key for option in drawn}
    missing = [wording.option(option) for option in recommendation.options if option.key not in names]
    cheapest = min(drawn, key=lambda option: option.cost_usd.likely if option.cost_usd else 0.0)
    sentence = wording.say(
        "chart.cost_time.description",
        cheapest=wording.option(cheapest),
        cost_usd=cheapest.cost_usd,
        time_s=cheapest.time_s,
    )
    best = ", ".join(wording.option(option) for option in frontier(recommendation.options))
    if best:
        sentence = f"{sentence} {wording.messages.say('chart.cost_time.best', options=best)}"
    if not missing:
        return sentence
    return f"{sentence} {wording.messages.say('chart.cost_time.missing', options=', '.join(missing))}"
