"""What is typed: kept as typed, understood with units, every problem at its field."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given

from planner.decide.types import Terms
from planner.evidence import Range
from planner.units import parse_bytes
from planner.workload.job import Job, Recipe
from planner.workload.presets import PRESETS, preset_info
from ui.draft import bytes_text, draft_of, number_text, read

DRAFT = draft_of(Job(), Terms())


def test_that_an_untouched_form_means_the_defaults() -> None:
    reading = read(DRAFT)
    assert (reading.job, reading.terms, reading.problems) == (Job(), Terms(), {})


def test_that_units_are_understood_as_typed() -> None:
    draft = DRAFT
    for key, text in (
        ("samples", "1.2M"), ("dataset", "45 GB"), ("deadline", "2h30"), ("budget", "$40"), ("bus_low", "1"),
        ("bus_likely", "4"), ("bus_high", "12"),
    ):  # fmt: skip
        draft = draft.typed(key, text)
    reading = read(draft)
    assert reading.job is not None
    assert reading.terms is not None
    assert (reading.job.samples_per_epoch, reading.job.dataset_bytes) == (1.2e6, 45e9)
    assert (reading.terms.deadline_h, reading.terms.budget_usd) == (2.5, 40.0)
    assert reading.terms.bus_bandwidth_gbs == Range(1, 4, 12)


@pytest.mark.parametrize(
    ("key", "text", "where"),
    [
        ("batch_size", "", "batch_size"),
        ("batch_size", "0", "batch_size"),
        ("batch_size", "1.5", "batch_size"),
        ("samples", "many", "samples"),
        ("dataset", "3 parsecs", "dataset"),
        ("deadline", "soon", "deadline"),
        ("epochs_low", "1000", "epochs_likely"),
        ("bus_low", "3", "bus_likely"),
        ("budget", "-1", "budget"),
    ],
)
def test_that_a_problem_stands_at_its_field_and_the_text_stays(key: str, text: str, where: str) -> None:
    draft = DRAFT.typed(key, text)
    reading = read(draft)
    assert draft.texts[key] == text
    assert reading.problems[where].endswith(".")
    assert reading.job is None


def test_that_circumstances_of_the_decision_are_understood() -> None:
    draft = DRAFT
    for key, text in (
        ("late", "$100"), ("tax", "10 %"), ("hours_per_month", "200"), ("runs", "20"), ("objective", "fastest"),
        ("platform", "windows"), ("privacy", "personal"), ("data_country", "de"),
    ):  # fmt: skip
        draft = draft.typed(key, text)
    reading = read(draft)
    assert reading.job is not None
    assert reading.terms is not None
    terms = reading.terms
    assert reading.job.runs == 20
    assert (terms.late_usd, terms.tax_share, terms.hours_per_month) == (100.0, 0.1, 200.0)
    assert (terms.objective, terms.platform, terms.privacy) == ("fastest", "windows", "personal")
    assert terms.data_country == "DE"
    assert "data_country" in read(draft.typed("data_country", "Germany")).problems


def test_that_all_problems_are_told_at_once() -> None:
    draft = DRAFT.typed("batch_size", "x").typed("dataset", "y").typed("deadline", "z")
    assert set(read(draft).problems) == {"batch_size", "dataset", "deadline"}


def test_that_a_preset_fills_what_was_not_typed_and_leaves_what_was() -> None:
    info = preset_info("bert_base")
    draft = DRAFT.typed("batch_size", "7").with_preset(info)
    reading = read(draft)
    assert reading.job is not None
    assert reading.job.recipe.model == "preset:bert_base"
    assert reading.job.recipe.batch_size == 7
    assert reading.job.recipe.input_size == info.default_size
    assert reading.job.samples_per_epoch == info.dataset.samples


@pytest.mark.parametrize("name", PRESETS)
def test_that_every_preset_gives_a_form_without_problems(name: str) -> None:
    assert read(DRAFT.with_preset(preset_info(name))).problems == {}


def test_that_what_the_form_does_not_show_survives_it() -> None:
    job = Job(recipe=Recipe(strategy="fsdp", software="torch1.12"), result_bytes=5e9)
    terms = Terms(privacy="regulated", setup_h=Range(1, 2, 3))
    reading = read(draft_of(job, terms))
    assert (reading.job, reading.terms) == (job, terms)


@given(st.floats(1e-3, 3e8), st.floats(1.0, 1e12))
def test_that_any_plan_comes_back_as_the_same_numbers(hours: float, size_bytes: float) -> None:
    job = Job(samples_per_epoch=size_bytes, epochs=Range(hours, hours * 2, hours * 3), dataset_bytes=size_bytes)
    terms = Terms(budget_usd=size_bytes, upload_mbit_per_s=Range(hours, hours, hours), tax_share=0.07)
    reading = read(draft_of(job, terms))
    assert (reading.job, reading.terms) == (job, terms)


@given(st.floats(1.0, 1e18))
def test_that_sizes_are_written_as_exactly_what_they_are(size_bytes: float) -> None:
    assert parse_bytes(bytes_text(size_bytes)) == size_bytes


@given(st.floats(0, 1e300))
def test_that_numbers_are_written_as_exactly_what_they_are(value: float) -> None:
    assert float(number_text(value)) == value
