"""What if: answers along one input are those of the plan with that input; the choice changes where it is told."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest

from planner.decide.types import Terms
from planner.evidence import Range
from planner.messages import load_messages
from planner.pipeline import PlanInputs, evaluate
from planner.report.svg import HEIGHT, WIDTH, svg_chart
from planner.report.what_if import INPUTS, WhatIf, what_if
from planner.report.what_if_chart import what_if_chart, what_if_sentence
from planner.report.wording import Wording
from planner.workload.job import Job, Recipe
from tests.report.fixtures import recommendations as made
from tests.report.test_svg import text_boxes

WORDS = Wording(load_messages())


def inputs() -> PlanInputs:
    """A job that waits for a deadline: slow here, quicker on two or four rented cards."""
    job = Job(recipe=Recipe(model="preset:vit_b16", batch_size=128), epochs=Range(25, 30, 40))
    terms = Terms(deadline_h=48.0, budget_usd=150.0, waiting_cost_usd_per_h=2.0)
    return replace(made.inputs(), job=job, terms=terms, sample_count=400)


@pytest.fixture(scope="module")
def by_code() -> dict[str, WhatIf]:
    found = {code: what_if(inputs(), code) for code in INPUTS}
    return {code: one for code, one in found.items() if one is not None}


@pytest.mark.parametrize("code", INPUTS)
def test_that_the_points_rise_and_the_grid_is_among_them(by_code, code):
    found = by_code[code]
    values = [value for value, _ in found.points]
    assert values == sorted(set(values))
    assert set(found.grid) <= set(values)
    assert len(found.grid) >= 20
    if found.now is not None:
        assert found.grid[0] * 0.99 <= found.now <= found.grid[-1] * 1.01


def test_that_an_answer_is_that_of_the_plan_with_the_other_value(by_code):
    found = by_code["deadline"]
    value = found.grid[10]
    typed = evaluate(replace(inputs(), terms=replace(inputs().terms, deadline_h=value)))
    assert found.answer_at(value).chosen == typed.chosen
    assert found.answer_at(value).option("rent-2").cost_usd == typed.option("rent-2").cost_usd


def test_that_a_change_is_found_to_a_hundredth(by_code):
    found = by_code["deadline"]
    assert found.changes
    change = found.changes[-1]
    for factor, expected in ((0.98, change.before), (1.02, change.after)):
        terms = replace(inputs().terms, deadline_h=change.value * factor)
        assert evaluate(replace(inputs(), terms=terms)).chosen == expected.chosen


def test_that_a_higher_price_makes_renting_dearer_and_nothing_else(by_code):
    found = by_code["price"]
    rented = [answer.option("rent-2").cost_usd.likely for _, answer in found.points]
    assert rented == sorted(rented)
    assert len({answer.option("local").cost_usd for _, answer in found.points}) == 1


@pytest.mark.parametrize("code", INPUTS)
def test_that_every_input_has_its_chart_and_table(by_code, code):
    found = by_code[code]
    chart = what_if_chart(found, WORDS, found.grid[3], budget_usd=150.0)
    assert chart.kind == "scatter"
    assert all(series.joined for series in chart.series)
    for series in chart.series:
        assert len(series.x) == len(series.y)
        for column in (series.labels, series.keys, series.notes, series.emphasis):
            assert len(column) in (0, len(series.y))
    assert all(len(row) == len(chart.table.columns) == len(chart.table.numeric) for row in chart.table.rows)
    assert sum(chart.table.emphasis) == len(found.changes)
    assert chart.description.endswith(".")
    assert svg_chart(chart).startswith("<svg")
    assert [line.orientation for line in chart.lines].count("horizontal") == 1


def test_that_the_recommended_line_has_a_gap_where_nothing_can_be_recommended(by_code):
    found = by_code["deadline"]
    assert found.points[0][1].chosen is None
    line = what_if_chart(found, WORDS).series[0]
    assert line.y[0] is None
    assert any(line.labels)
    assert "nothing can be recommended" in what_if_sentence(found, found.grid[0], WORDS)


def test_that_an_option_ruled_out_says_why_on_hover(by_code):
    chart = what_if_chart(by_code["deadline"], WORDS)
    local = next(series for series in chart.series if series.name == "This machine")
    assert "deadline" in local.notes[0]
    assert not local.notes[-1]


def test_that_a_cancelled_range_ends_at_once():
    assert what_if(inputs(), "price", lambda: True) is None


@pytest.mark.parametrize("code", INPUTS)
def test_that_no_name_in_the_print_is_cut_or_covered(by_code, code):
    found = by_code[code]
    boxes = text_boxes(svg_chart(what_if_chart(found, WORDS, found.grid[3], budget_usd=150.0)))
    for words, box in boxes:
        assert -1 <= box.left <= box.right <= WIDTH + 1, words
        assert -1 <= box.top <= box.bottom <= HEIGHT + 1, words
    for (one, first), (other, second) in combinations(boxes, 2):
        assert not first.overlaps(second), f"{one!r} covers {other!r}"
