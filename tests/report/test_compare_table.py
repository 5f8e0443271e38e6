"""Two plans beside each other: the numbers of both, and what is between them."""

from __future__ import annotations

from dataclasses import replace

from planner.decide.types import Terms
from planner.pipeline import PlanInputs
from planner.report.compare_table import compare_table
from planner.report.diff import PlanDiff
from planner.report.types import Table
from tests.report.fixtures import recommendations as made

NAMES = ("old.json", "This plan")


def table(wording, before=None, after=None, terms: tuple[Terms, Terms] | None = None) -> Table:
    found = PlanDiff((), before or made.recommendation(), after or made.recommendation(), (), ())
    first, second = terms or (Terms(), Terms())
    return compare_table(found, (PlanInputs(terms=first), PlanInputs(terms=second)), NAMES, wording)


def row(found: Table, caption: str) -> tuple[str, ...]:
    return next(cells for cells in found.rows if cells[0] == caption)


def test_that_equal_plans_differ_in_nothing(wording):
    found = table(wording)
    assert found.columns[1:3] == NAMES
    assert row(found, "Choice")[1:3] == ("4 × RTX 3090", "4 × RTX 3090")
    assert {cells[3] for cells in found.rows[1:]} <= {"none", "–"}
    assert all(len(cells) == len(found.columns) == len(found.numeric) for cells in found.rows)


def test_that_a_difference_has_sign_unit_and_share(wording):
    full = made.recommendation()
    halved = tuple(
        replace(option, cost_usd=option.cost_usd.scaled(0.5), time_s=option.time_s.scaled(2))
        for option in full.options
    )
    found = table(wording, after=replace(full, options=halved, confidence=0.61))
    cost, time = row(found, "Cost of the choice")[3], row(found, "Time to the result of the choice")[3]
    assert cost.startswith("−$")
    assert "−50 %" in cost
    assert time.startswith("+")
    assert "h" in time
    assert "+100 %" in time
    assert row(found, "Best choice in the simulated cases")[3] == "−10 points"


def test_that_what_is_not_known_or_not_asked_is_a_dash(wording):
    found = table(wording, after=made.without_local_gpu(), terms=(Terms(), Terms(deadline_h=24.0)))
    assert row(found, "Deadline") == ("Deadline", "–", "24 h", "–")
    assert row(found, "This machine: cost")[2:] == ("–", "–")


def test_that_a_plan_without_a_choice_says_so(wording):
    found = table(wording, after=made.nothing_fits())
    assert row(found, "Choice")[2] == "nothing"
    assert row(found, "Cost of the choice")[2:] == ("–", "–")


def test_that_only_what_is_sold_in_one_of_them_is_listed(wording):
    captions = [cells[0] for cells in table(wording).rows]
    assert "4 × RTX 3090: cost" in captions
    assert "3 × RTX 3090: cost" not in captions
