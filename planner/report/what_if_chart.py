"""The curves of "what if": what every option costs over one input, and where the choice changes."""

from __future__ import annotations

from itertools import groupby

from planner.decide.types import Option, Recommendation
from planner.report.charts import DRAWN_LIMITS
from planner.report.types import Axis, ChartSpec, ReferenceLine, Series, Table
from planner.report.what_if import WhatIf
from planner.report.wording import Wording

_LINES = 3  # changes that are drawn; the table tells of all
_LOG_BEYOND = 8.0
# Names of the values, by which they are written with their units.
_UNITS = {
    "price": "usd_per_gpu_h",
    "epochs": "epochs",
    "bus": "bus_gbs",
    "deadline": "deadline_h",
    "waiting": "usd_per_h",
    "upload": "upload_mbit_per_s",
    "electricity": "usd_per_kwh",
}


def what_if_chart(
    found: WhatIf, wording: Wording, here: float | None = None, budget_usd: float | None = None
) -> ChartSpec:
    """Options are drawn where they can be had, also late or above the budget. ``here``: the value looked at."""
    say = wording.messages.say
    keys = _possible(found)
    costs = [cost for key in keys for _, answer in found.points if (cost := _cost(answer, key))]
    caption = say(f"chart.what_if.input.{found.code}")
    return ChartSpec(
        kind="scatter",
        key="what_if",
        title=say("chart.what_if.title", input=caption),
        x=Axis(say(f"chart.what_if.axis.{found.code}"), log=found.log),
        y=Axis(say("chart.cost_time.axis"), log=bool(costs) and max(costs) > _LOG_BEYOND * min(costs)),
        series=(_recommended(found, wording), *(_curve(found, key, wording) for key in keys)),
        table=_table(found, keys, wording),
        lines=(*_budget(budget_usd, wording), *_lines(found, here, wording)),
        description=_description(found, wording),
    )


def _possible(found: WhatIf) -> list[str]:
    """Keys of the options that can be had, with a cost, at one of the values at least."""
    keys = [option.key for option in found.points[0][1].options]
    return [key for key in keys if any(_cost(answer, key) is not None for _, answer in found.points)]


def _cost(answer: Recommendation, key: str | None) -> float | None:
    """None: the option cannot be had. One that is only late or too dear can."""
    if key is None:
        return None
    option = answer.option(key)
    stopped = {reason.code for reason in option.rejected} - DRAWN_LIMITS
    return None if stopped or option.cost_usd is None else option.cost_usd.likely


def _why_not(answer: Recommendation, key: str, wording: Wording) -> str:
    return " ".join(wording.reason(reason) for reason in answer.option(key).rejected)


def _name(answer: Recommendation, wording: Wording) -> str:
    return _option_name(answer.option(answer.chosen) if answer.chosen else None, wording)


def _option_name(option: Option | None, wording: Wording) -> str:
    return wording.messages.say("chart.what_if.none") if option is None else wording.option(option)


def _value(found: WhatIf, value: float, wording: Wording) -> str:
    return wording.value(_UNITS[found.code], float(f"{value:.3g}"))


def _recommended(found: WhatIf, wording: Wording) -> Series:
    """The cost of what is recommended, one stretch after the other, each named in its middle."""
    xs: list[float] = []
    ys: list[float | None] = []
    labels: list[str] = []
    keys: list[str] = []
    for key, stretch in groupby(found.points, lambda point: point[1].chosen):
        points = list(stretch)
        for index, (value, answer) in enumerate(points):
            xs.append(value)
            ys.append(_cost(answer, key))
            labels.append(_name(answer, wording) if key is not None and index == len(points) // 2 else "")
            keys.append(key or "")
        xs.append(points[-1][0])
        ys.append(None)  # the next stretch is another line
        labels.append("")
        keys.append("")
    return Series(
        name=wording.messages.say("chart.what_if.recommended"),
        x=tuple(xs),
        y=tuple(ys),
        labels=tuple(labels),
        keys=tuple(keys),
        emphasis=(True,) * len(xs),
        joined=True,
    )


def _curve(found: WhatIf, key: str, wording: Wording) -> Series:
    """Named at its end, except where it is what is recommended there."""
    name = wording.option(found.points[0][1].option(key))
    costs = [_cost(answer, key) for _, answer in found.points]
    end = max(index for index, cost in enumerate(costs) if cost is not None)
    named = found.points[end][1].chosen != key
    return Series(
        name=name,
        x=tuple(value for value, _ in found.points),
        y=tuple(costs),
        labels=tuple(name if named and index == end else "" for index in range(len(costs))),
        keys=(key,) * len(found.points),
        notes=tuple(_why_not(answer, key, wording) for _, answer in found.points),
        joined=True,
    )


def _budget(budget_usd: float | None, wording: Wording) -> tuple[ReferenceLine, ...]:
    if budget_usd is None:
        return ()
    return (ReferenceLine(wording.say("chart.budget", budget_usd=budget_usd), budget_usd),)


def _lines(found: WhatIf, here: float | None, wording: Wording) -> tuple[ReferenceLine, ...]:
    say = wording.messages.say
    marks = [("chart.what_if.now", found.now, ""), ("chart.what_if.here", here, "")]
    marks += [("chart.what_if.change", one.value, _name(one.after, wording)) for one in found.changes[:_LINES]]
    return tuple(
        ReferenceLine(say(code, value=_value(found, value, wording), option=option), value, "vertical")
        for code, value, option in marks
        if value is not None and (value > 0 or not found.log)
    )


def _table(found: WhatIf, keys: list[str], wording: Wording) -> Table:
    """The even values, and every value from which on the choice is another."""
    say = wording.messages.say
    wanted = {*found.grid, *(one.value for one in found.changes)}
    rows = tuple(
        (
            _value(found, value, wording),
            _name(answer, wording),
            *(_cell(answer, key, wording) for key in keys),
        )
        for value, answer in found.points
        if value in wanted
    )
    changed = {one.value for one in found.changes}
    options = [wording.option(found.points[0][1].option(key)) for key in keys]
    return Table(
        (say(f"chart.what_if.input.{found.code}"), say("chart.what_if.recommended"), *options),
        rows,
        (True, False, *(True for _ in keys)),
        emphasis=tuple(value in changed for value, _ in found.points if value in wanted),
    )


def _cell(answer: Recommendation, key: str, wording: Wording) -> str:
    cost = _cost(answer, key)
    if cost is None:
        return "–"
    told = wording.value("usd", cost)
    return wording.messages.say("chart.ruled_out", name=told) if answer.option(key).rejected else told


def _description(found: WhatIf, wording: Wording) -> str:
    say = wording.messages.say
    first = found.points[0][1]
    sentence = say(
        "chart.what_if.description",
        input=say(f"chart.what_if.input.{found.code}"),
        first=_value(found, found.grid[0], wording),
        last=_value(found, found.grid[-1], wording),
        option=_name(first, wording),
    )
    changes = [
        say("chart.what_if.change", value=_value(found, one.value, wording), option=_name(one.after, wording))
        for one in found.changes
    ]
    if not changes:
        return f"{sentence} {say('chart.what_if.stays')}"
    return f"{sentence} {say('chart.what_if.changes', changes='; '.join(changes))}"


def what_if_sentence(found: WhatIf, value: float, wording: Wording) -> str:
    """What is recommended at one of the even values."""
    answer, say = found.answer_at(value), wording.messages.say
    told = _value(found, value, wording)
    if answer.chosen is None:
        return say("chart.what_if.at_none", value=told)
    option = answer.option(answer.chosen)
    return say(
        "chart.what_if.at",
        value=told,
        option=wording.option(option),
        time=wording.value("time_s", option.time_s),
        cost=wording.value("cost_usd", option.cost_usd),
    )
