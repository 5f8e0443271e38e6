"""The key numbers of two plans beside each other, with what is between them."""

from __future__ import annotations

from dataclasses import dataclass

from planner.decide.types import Option, Recommendation
from planner.evidence import Range
from planner.pipeline import PlanInputs
from planner.report.diff import PlanDiff, chosen_option
from planner.report.types import Table
from planner.report.wording import Wording

_NONE = "–"


@dataclass(frozen=True)
class _Row:
    """One number in both plans; None: not known, or not asked for there."""

    caption: str
    unit: str  # name by which its values are written
    before: Range | float | None
    after: Range | float | None


def compare_table(
    found: PlanDiff, inputs: tuple[PlanInputs, PlanInputs], names: tuple[str, str], wording: Wording
) -> Table:
    """First the choice, then its numbers, the conditions, and time and cost of every option that is sold.

    ``inputs`` and ``names`` of the first plan and of the second.
    """
    say = wording.messages.say
    rows = [
        (say("compare.choice"), *_choices(found, wording), ""),
        *(_cells(row, wording) for row in _of_choice(found, wording)),
        *(_cells(row, wording) for row in _of_terms(inputs, wording)),
        *(_cells(row, wording) for row in _of_options(found, wording)),
    ]
    columns = (say("compare.what"), *names, say("compare.difference"))
    return Table(columns, tuple(rows), (False, True, True, True), emphasis=(True, *(False for _ in rows[1:])))


def _choices(found: PlanDiff, wording: Wording) -> tuple[str, str]:
    chosen = (chosen_option(answer) for answer in (found.before, found.after))
    before, after = (wording.option(one) if one else wording.messages.say("compare.nothing") for one in chosen)
    return before, after


def _of_choice(found: PlanDiff, wording: Wording) -> list[_Row]:
    say = wording.messages.say
    before, after = chosen_option(found.before), chosen_option(found.after)
    return [
        _Row(say("compare.time"), "time_s", before.time_s if before else None, after.time_s if after else None),
        _Row(
            say("compare.cost"), "cost_usd", before.cost_usd if before else None, after.cost_usd if after else None
        ),
        _Row(
            say("compare.on_time"),
            "p_share",
            before.p_on_time if before else None,
            after.p_on_time if after else None,
        ),
        _Row(say("compare.best"), "p_share", *(_confidence(answer) for answer in (found.before, found.after))),
        _Row(
            say("compare.energy"),
            "energy_kwh",
            before.energy_kwh if before else None,
            after.energy_kwh if after else None,
        ),
    ]


def _confidence(answer: Recommendation) -> float | None:
    return answer.confidence if answer.chosen else None


def _of_terms(inputs: tuple[PlanInputs, PlanInputs], wording: Wording) -> list[_Row]:
    say = wording.messages.say
    deadlines, budgets = ([getattr(one.terms, name) for one in inputs] for name in ("deadline_h", "budget_usd"))
    return [
        _Row(say("compare.deadline"), "deadline_h", *deadlines),
        _Row(say("compare.budget"), "budget_usd", *budgets),
    ]


def _of_options(found: PlanDiff, wording: Wording) -> list[_Row]:
    """Options are told apart by their keys; names are those of the second plan."""
    was = {option.key: option for option in found.before.options}
    rows = []
    for option in found.after.options:
        old = was.get(option.key)
        if option.sold or (old is not None and old.sold):
            rows += _of_option(old, option, wording)
    return rows


def _of_option(before: Option | None, after: Option, wording: Wording) -> list[_Row]:
    say, name = wording.messages.say, wording.option(after)
    return [
        _Row(say("compare.option_time", option=name), "time_s", before.time_s if before else None, after.time_s),
        _Row(
            say("compare.option_cost", option=name),
            "cost_usd",
            before.cost_usd if before else None,
            after.cost_usd,
        ),
    ]


def _cells(row: _Row, wording: Wording) -> tuple[str, str, str, str]:
    before, after = (
        _NONE if value is None else wording.value(row.unit, value) for value in (row.before, row.after)
    )
    return row.caption, before, after, _difference(row, wording)


def _difference(row: _Row, wording: Wording) -> str:
    """Second less first, of the likely values, with its share of the first."""
    if row.before is None or row.after is None:
        return _NONE
    before, after = (value.likely if isinstance(value, Range) else value for value in (row.before, row.after))
    between = after - before
    if abs(between) < 1e-9 * max(abs(before), abs(after), 1e-9):
        return wording.messages.say("compare.same")
    sign = "+" if between > 0 else "−"
    size = abs(between)
    if row.unit.endswith("_share"):
        return wording.messages.say("compare.points", sign=sign, points=f"{100 * size:.0f}")
    text = f"{sign}{wording.value(row.unit, float(f'{size:.2g}'))}"
    if not before:
        return text
    share = f"{sign}{wording.value('p_share', size / abs(before))}"
    return wording.messages.say("compare.with_share", difference=text, share=share)
