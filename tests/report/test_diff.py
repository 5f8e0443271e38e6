"""Two plans beside each other: every changed input is told, and the ones that make the difference are found."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from planner.decide.types import Terms
from planner.door import InvalidInputError
from planner.evidence import Range
from planner.messages import load_messages
from planner.offers.currency import ExchangeRate
from planner.offers.offer import Offer
from planner.pipeline import PlanInputs
from planner.report.diff import GROUPS, compare_plans
from planner.report.diff_words import (
    field_name,
    input_sentences,
    outcome_sentences,
    reason_sentences,
    trial_table,
)
from planner.report.wording import Wording
from planner.workload.job import Job, Recipe
from tests.report.test_decision_sections import EVERYTHING, LATE, PLAIN, RENTED

ENGLISH, VIETNAMESE = Wording(load_messages("en")), Wording(load_messages("vi"))
URGENT = replace(
    RENTED,
    job=replace(RENTED.job, dataset_bytes=10e9),
    terms=Terms(deadline_h=40, waiting_cost_usd_per_h=0.5),
)
CALM = replace(URGENT, terms=Terms())


def told(before: PlanInputs, after: PlanInputs, wording: Wording = ENGLISH) -> str:
    found = compare_plans(before, after)
    sentences = (
        *input_sentences(found, wording),
        *outcome_sentences(found, wording),
        *reason_sentences(found, wording),
    )
    return "\n".join(sentences)


def test_that_the_same_plan_has_nothing_to_tell():
    found = compare_plans(PLAIN, PLAIN)
    assert found.changes == found.groups == found.singles == ()
    assert input_sentences(found, ENGLISH) == ("Nothing: the inputs are the same.",)
    assert outcome_sentences(found, ENGLISH) == ("The choice is the same: this machine.",)
    assert reason_sentences(found, ENGLISH) == ()


def test_that_every_field_of_the_inputs_belongs_to_a_group():
    assert {name for names in GROUPS.values() for name in names} == {one.name for one in fields(PlanInputs)}


@pytest.mark.parametrize("wording", [ENGLISH, VIETNAMESE], ids=["en", "vi"])
def test_that_every_field_has_a_name(wording):
    names = {one.name for kind in (Recipe, Job, Terms) for one in fields(kind)} - {"recipe"}
    for name in (*names, "provider", "today", "seed", "sample_count", "gpu", "cpu", "os", "driver"):
        assert field_name(name, wording) != name, f"diff.field.{name} is missing"


def test_that_the_input_which_flips_the_choice_is_named():
    found = compare_plans(URGENT, CALM)
    assert found.choice_changed
    assert [found.makes_the_choice(trial) for trial in found.groups] == [True]
    text = told(URGENT, CALM)
    assert "Deadline: 40 h → none" in text
    assert "The choice was 2 × RTX 3090 and is now 1 × RTX 3090." in text
    assert "Changing the terms alone leads to 1 × RTX 3090." in text


def test_that_what_matters_is_told_from_what_does_not():
    dearer = replace(
        CALM, offers=tuple(replace(o, price_usd_per_hour=0.9 * o.price_usd_per_hour) for o in CALM.offers)
    )
    found = compare_plans(URGENT, dearer)
    assert {trial.group: found.makes_the_choice(trial) for trial in found.groups} == {
        "terms": True,
        "offers": False,
    }
    table = trial_table(found, ENGLISH)
    assert [row[0] for row in table.rows] == [
        "First plan",
        "First plan with the second's terms",
        "First plan with the second's offers and prices",
        "Second plan",
    ]
    assert len({row[1] for row in table.rows}) == 2


def test_that_single_fields_are_tried_where_several_changed():
    after = replace(CALM, terms=replace(CALM.terms, tax_share=0.01))
    before = replace(URGENT, terms=replace(URGENT.terms, waiting_cost_usd_per_h=0.0))
    found = compare_plans(before, after)
    assert {trial.what: found.makes_the_choice(trial) for trial in found.singles} == {
        "deadline_h": True,
        "tax_share": False,
    }
    assert "Each of these alone does it: Deadline." in told(before, after)


def test_that_several_inputs_can_be_needed_together():
    after = replace(CALM, terms=replace(CALM.terms, waiting_cost_usd_per_h=0.0))
    before = replace(URGENT, terms=replace(URGENT.terms, waiting_cost_usd_per_h=5.0))
    found = compare_plans(before, after)
    assert found.choice_changed
    assert not any(map(found.makes_the_choice, found.singles))
    assert "No single input of the terms does it alone, only several together." in told(before, after)


def test_that_prices_are_told_one_by_one():
    quoted = Offer("x", "rtx-3090", 1, None, currency="VND", price_per_hour=9000.0)
    before = replace(RENTED, offers=(Offer("irender", "rtx-3090", 1, 0.5), Offer("irender", "rtx-3090", 2, 1.0)))
    after = replace(RENTED, offers=(Offer("irender", "rtx-3090", 1, 0.7, notes="new"), quoted))
    text = told(before, after)
    assert "Price of irender 1 × rtx-3090, on-demand: $0.50 per hour → $0.70 per hour" in text
    assert "Offer gone: irender 2 × rtx-3090, on-demand, $1 per hour" in text
    assert "New offer: x 1 × rtx-3090, on-demand, 9,000 VND" in text
    details = replace(before, offers=(replace(before.offers[0], region="Hanoi"), before.offers[1]))
    assert "other details changed (region)" in told(before, details)


def test_that_two_rows_of_the_same_package_are_not_taken_for_one():
    one = Offer("irender", "rtx-3090", 1, 0.5)
    found = compare_plans(replace(RENTED, offers=(one, one)), replace(RENTED, offers=(one,)))
    assert [change.kind for change in found.changes] == ["offer_gone"]


def test_that_a_rate_a_date_and_the_seed_are_told():
    after = replace(RENTED, rates=(ExchangeRate("VND", 26000.0, "2026-09"),), today="2026-10-01", seed=7)
    text = told(replace(RENTED, rates=()), after)
    assert "What one US dollar buys in VND: none → 26,000" in text
    assert "Date of the plan: 2026-09-01 → 2026-10-01" in text
    assert "Seed of the simulation: 20260301 → 7" in text


def test_that_another_machine_is_told_by_its_names():
    assert "GPU: none → NVIDIA GeForce RTX 3090" in told(RENTED, PLAIN)
    again = replace(PLAIN, snapshot=replace(PLAIN.snapshot, taken_at="2026-09-02T00:00:00Z"))
    assert "This machine was looked at, again: 2026-09-01T00:00:00Z → 2026-09-02T00:00:00Z" in told(PLAIN, again)


def test_that_a_combination_that_cannot_be_planned_is_told_not_raised():
    """A step timed on a GPU does not go with a machine that has none."""
    timed = replace(PLAIN, job=replace(PLAIN.job, timed_step_s=0.5))
    found = compare_plans(RENTED, timed)
    assert next(trial for trial in found.groups if trial.group == "job").answer is None
    assert "The second plan's job does not go with the rest of the first plan" in told(RENTED, timed)
    assert "not possible together" in {row[1] for row in trial_table(found, ENGLISH).rows}


def test_that_a_plan_that_cannot_be_worked_out_is_wrong_input():
    broken = replace(RENTED, job=replace(RENTED.job, recipe=Recipe("preset:no such model")))
    with pytest.raises(InvalidInputError):
        compare_plans(RENTED, broken)


@pytest.mark.parametrize("wording", [ENGLISH, VIETNAMESE], ids=["en", "vi"])
@pytest.mark.parametrize(("before", "after"), [(PLAIN, EVERYTHING), (EVERYTHING, LATE), (LATE, URGENT)])
def test_that_every_difference_has_its_words(before, after, wording):
    text = told(before, after, wording)
    cells = [cell for row in trial_table(compare_plans(before, after), wording).rows for cell in row]
    assert all(line.strip() for line in (*text.split("\n"), *cells))
    assert not any(mark in text for mark in ("{", "None", "diff.", "Range("))


def test_that_a_range_is_told_with_its_ends():
    after = replace(RENTED, job=replace(RENTED.job, epochs=Range(10, 20, 40)))
    assert "Epochs: 90 (80–100) → 20 (10–40)" in told(RENTED, after)
