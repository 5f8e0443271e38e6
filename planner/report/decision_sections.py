"""Sections that say what a decision hangs on: the questions before money, what moves the cost, where it flips."""

from __future__ import annotations

from planner.decide.types import Option, Recommendation, Sensitivity
from planner.report.types import Axis, ChartSpec, Section, Series, Table
from planner.report.wording import Wording

_DRAWN = 8  # inputs in the chart; the table has them all


def gates_section(recommendation: Recommendation, wording: Wording) -> tuple[Section, ...]:
    """Licence, privacy, country, platform, availability, support; nothing where no rental is asked about."""
    if not recommendation.gates:
        return ()
    say = wording.messages.say
    rows = tuple(
        (
            say(f"gate.{gate.code}.name"),
            say(f"report.gate.{gate.answer}"),
            wording.say(f"gate.{gate.code}.{gate.answer}", **dict(gate.values)),
        )
        for gate in recommendation.gates
    )
    columns = tuple(say(f"report.gate.{column}") for column in ("question", "answer", "what"))
    table = Table(
        columns,
        rows,
        (False, False, False),
        emphasis=tuple(gate.answer == "failed" for gate in recommendation.gates),
    )
    return (Section("gates", say("report.section.gates"), (say("report.gate.note"),), (table,)),)


def key_numbers(recommendation: Recommendation, chosen: Option | None, wording: Wording) -> list[tuple[str, str]]:
    """Energy, CO₂, what not knowing costs, and from when buying pays: rows for the table of key numbers."""
    rows: list[tuple[str, str, object]] = []
    if chosen is not None and chosen.energy_kwh is not None:
        rows += [("energy", "energy_kwh", chosen.energy_kwh), ("co2", "co2_kg", chosen.co2_kg)]
    if recommendation.regret_usd is not None:
        rows.append(("regret", "regret_usd", recommendation.regret_usd))
    if recommendation.break_even_h_per_month is not None:
        rows.append(("break_even", "break_even_h_per_month", recommendation.break_even_h_per_month))
    return [(wording.messages.say(f"report.key.{key}"), wording.value(name, value)) for key, name, value in rows]


def sensitivity_section(recommendation: Recommendation, wording: Wording) -> tuple[Section, ...]:
    """The chart and table of what moves the cost, and the switch points of every pair of options."""
    say, chart = wording.messages.say, sensitivity_chart(recommendation, wording)
    tables = (*((chart.table,) if chart else ()), *_switch_table(recommendation, wording))
    if not tables:
        return ()
    return (
        Section(
            "sensitivity",
            say("report.section.sensitivity"),
            (say("report.sensitivity.note"),),
            tables,
            (chart,) if chart else (),
        ),
    )


def sensitivity_chart(recommendation: Recommendation, wording: Wording) -> ChartSpec | None:
    """The tornado: the chosen option's cost with one input after the other at its 10th and 90th percentile."""
    found = recommendation.sensitivities
    if not found or recommendation.chosen is None:
        return None
    say, drawn = wording.messages.say, found[:_DRAWN]
    option = wording.option(recommendation.option(recommendation.chosen))
    points = Series(
        name=say("chart.sensitivity.series"),
        x=tuple(float(index) for index in range(len(drawn))),
        y=tuple(one.cost_likely_usd for one in drawn),
        low=tuple(min(_ends(one)) for one in drawn),
        high=tuple(max(_ends(one)) for one in drawn),
        labels=tuple(wording.value("swing_usd", one.swing_usd) for one in drawn),
        emphasis=tuple(one.switch_at is not None for one in drawn),
    )
    return ChartSpec(
        kind="ranges",
        key="sensitivity",
        title=say("chart.sensitivity.title"),
        x=Axis(say("chart.sensitivity.input")),
        y=Axis(say("chart.sensitivity.axis", option=option)),
        series=(points,),
        table=_sensitivity_table(found, wording),
        categories=tuple(say(f"input.{one.code}") for one in drawn),
        description=wording.say(
            "chart.sensitivity.description",
            option=option,
            input=say(f"input.{drawn[0].code}"),
            low_usd=min(_ends(drawn[0])),
            high_usd=max(_ends(drawn[0])),
        ),
    )


def _ends(one: Sensitivity) -> tuple[float, float, float]:
    return one.cost_low_usd, one.cost_likely_usd, one.cost_high_usd


def _sensitivity_table(found: tuple[Sensitivity, ...], wording: Wording) -> Table:
    say = wording.messages.say
    rows = tuple(
        (
            say(f"input.{one.code}"),
            wording.value("usd", one.cost_low_usd),
            wording.value("usd", one.cost_high_usd),
            wording.value("flips", one.switch_at is not None),
        )
        for one in found
    )
    columns = tuple(say(f"report.sensitivity.{column}") for column in ("input", "low", "high", "flips"))
    return Table(
        columns, rows, (False, True, True, False), emphasis=tuple(one.switch_at is not None for one in found)
    )


def _switch_table(recommendation: Recommendation, wording: Wording) -> tuple[Table, ...]:
    say = wording.messages.say
    never = say("report.switch.never")
    rows = tuple(
        (
            wording.option(recommendation.option(one.option)),
            wording.option(recommendation.option(one.other_option)),
            never if one.faster_above_gbs is None else wording.value("gbs", one.faster_above_gbs),
            never if one.cheaper_above_gbs is None else wording.value("gbs", one.cheaper_above_gbs),
            never
            if one.cheaper_below_usd_per_h is None
            else wording.value("usd_per_h", one.cheaper_below_usd_per_h),
        )
        for one in recommendation.switch_points
    )
    columns = ("option", "other", "faster", "cheaper", "price")
    names = tuple(say(f"report.switch.{column}") for column in columns)
    return (Table(names, rows, (False, False, True, True, True)),) if rows else ()
