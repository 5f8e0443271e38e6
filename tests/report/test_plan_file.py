"""Plan files: the same numbers again, or a clear word why not."""

from __future__ import annotations

import contextlib
import errno
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from planner.decide.types import Terms
from planner.door import InvalidInputError
from planner.evidence import Range
from planner.offers.offer import Offer
from planner.pipeline import PlanInputs
from planner.report import plan_file
from planner.report.plan_file import compare_with_saved, load_plan, plan_hash, read_plan, save_plan
from planner.report.presentation import Presentation
from planner.workload.job import Job, Recipe
from tests.report.fixtures import recommendations as made

amounts = st.floats(1e-3, 1e9)
ranges = st.lists(amounts, min_size=3, max_size=3).map(lambda numbers: Range(*sorted(numbers)))
texts = st.text(max_size=30).filter(lambda text: text.isprintable() or not text)
offers = st.builds(
    Offer,
    provider=st.text("abcü💥<&", min_size=1),
    gpu=texts,
    gpu_count=st.integers(1, 8),
    price_usd_per_hour=st.none() | amounts,
    notes=texts,
)
plans = st.builds(
    PlanInputs,
    job=st.builds(
        Job,
        recipe=st.builds(Recipe, model=texts, batch_size=st.integers(1, 10**6)),
        samples_per_epoch=amounts.filter(lambda value: value >= 1) | st.integers(1, 10**9),
        epochs=ranges,
        dataset_bytes=amounts,
    ),
    terms=st.builds(
        Terms, deadline_h=st.none() | amounts, budget_usd=st.none() | amounts, upload_mbit_per_s=ranges
    ),
    offers=st.lists(offers, max_size=4).map(tuple),
    seed=st.integers(0, 2**32),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "plan.json"


@given(plans)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_that_any_plan_opens_as_it_was_saved(tmp_path, plan):
    path = tmp_path / "plan.json"
    save_plan(path, plan)
    assert load_plan(path) == plan
    assert plan_hash(load_plan(path)) == plan_hash(plan) == read_plan(path).inputs_sha256


def test_that_machine_benchmark_and_headline_are_kept(path):
    save_plan(path, made.inputs(), made.recommendation(), name="Đặng <b>")
    saved = read_plan(path)
    assert saved.inputs == made.inputs()
    assert saved.name == "Đặng <b>"
    assert not saved.edited_since_saved
    assert compare_with_saved(saved, made.recommendation()) == ()


def test_that_a_replay_names_the_numbers_that_differ(path):
    save_plan(path, made.inputs(), made.recommendation())
    first, *rest = made.recommendation().options
    slower = replace(made.recommendation(), options=(replace(first, time_s=Range(1, 2, 3), cost_usd=None), *rest))
    differences = compare_with_saved(read_plan(path), slower)
    assert {item.where for item in differences} == {
        f"local.{field}.{bound}" for field in ("time_s", "cost_usd") for bound in ("low", "likely", "high")
    }
    assert next(item.now for item in differences if item.where == "local.cost_usd.low") is None


def test_that_the_hash_depends_on_every_input():
    plan = made.inputs()
    assert plan_hash(plan) != plan_hash(replace(plan, seed=plan.seed + 1))
    assert plan_hash(plan) != plan_hash(replace(plan, offers=plan.offers[1:]))


def test_that_a_hand_edited_plan_is_noticed(path):
    save_plan(path, made.inputs())
    data = json.loads(path.read_text())
    data["inputs"]["terms"]["deadline_h"] = 99.0
    path.write_text(json.dumps(data))
    assert read_plan(path).edited_since_saved


@pytest.mark.parametrize("tenths", range(10))
def test_that_a_file_cut_anywhere_is_an_input_error_with_its_place(path, tenths):
    save_plan(path, made.inputs(), made.recommendation())
    content = path.read_bytes()
    path.write_bytes(content[: len(content) * tenths // 10])
    with pytest.raises(InvalidInputError, match=r"plan.json: line \d+, column \d+") as caught:
        load_plan(path)
    assert caught.value.source == "plan.json"


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(place=st.floats(0, 1, exclude_max=True), byte=st.integers(0, 255))
def test_that_a_garbled_byte_is_read_or_refused_and_nothing_else(tmp_path, place, byte):
    path = tmp_path / "plan.json"
    save_plan(path, made.inputs())
    content = bytearray(path.read_bytes())
    content[int(place * len(content))] = byte
    path.write_bytes(content)
    with contextlib.suppress(InvalidInputError):
        load_plan(path)


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        ('"deadline_h": 24.0', '"deadline_h": NaN', "inputs.terms.deadline_h"),
        ('"deadline_h": 24.0', '"deadline_h": 1e999', "inputs.terms.deadline_h"),
        ('"deadline_h": 24.0', '"deadline_h": -1', "inputs.terms"),
        ('"deadline_h": 24.0', '"deadline_h": "soon"', "inputs.terms.deadline_h"),
        ('"deadline_h": 24.0', '"deadline": 24.0', "inputs.terms.deadline"),
        ('"temperature_c": null', '"temperature_c": Infinity', "inputs.snapshot.gpus.0.temperature_c"),
    ],
)
def test_that_a_wrong_value_is_named_by_its_field(path, old, new, where):
    save_plan(path, made.inputs())
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(InvalidInputError) as caught:
        load_plan(path)
    assert where in {problem.where for problem in caught.value.problems}


def test_that_a_key_written_twice_is_refused(path):
    save_plan(path, made.inputs())
    path.write_text(path.read_text().replace('"seed"', '"seed": 1, "seed"', 1))
    with pytest.raises(InvalidInputError, match="twice"):
        load_plan(path)


@pytest.mark.parametrize(
    "content", ["[]", "3", "null", "{}", '{"schema_version": "1"}', '{"schema_version": true}']
)
def test_that_other_json_is_not_taken_for_a_plan(path, content):
    path.write_text(content)
    with pytest.raises(InvalidInputError, match="schema_version"):
        load_plan(path)


def test_that_a_plan_of_a_newer_program_is_refused_clearly(path):
    save_plan(path, made.inputs())
    path.write_text(path.read_text().replace('"schema_version": 2\n}', '"schema_version": 3\n}'))
    with pytest.raises(InvalidInputError, match="newer GPU Planner"):
        load_plan(path)


def test_that_a_plan_of_the_first_version_opens_unedited_with_its_numbers(path):
    save_plan(path, made.inputs(), made.recommendation())
    data = json.loads(path.read_text())
    del data["presentation"]
    path.write_text(json.dumps({**data, "schema_version": 1}))
    saved = read_plan(path)
    assert (saved.schema_version, saved.presentation, saved.edited_since_saved) == (2, Presentation(), False)
    assert saved.inputs == made.inputs()
    assert compare_with_saved(saved, made.recommendation()) == ()


def test_that_inputs_which_a_later_version_adds_do_not_make_a_plan_look_edited(path):
    save_plan(path, made.inputs())
    data = json.loads(path.read_text())
    del data["inputs"]["rates"]  # as if this version had brought them
    data["inputs_sha256"] = plan_file._hash_of(data["inputs"])
    path.write_text(json.dumps(data))
    assert not read_plan(path).edited_since_saved
    data["inputs"]["seed"] += 1
    path.write_text(json.dumps(data))
    assert read_plan(path).edited_since_saved


def test_that_a_huge_file_is_refused_before_it_is_parsed(path, monkeypatch):
    monkeypatch.setattr(plan_file, "SIZE_LIMIT_BYTES", 100)
    save_plan(path, made.inputs())
    with pytest.raises(InvalidInputError, match="larger than"):
        load_plan(path)


@pytest.mark.parametrize(
    ("number", "reason"), [(errno.ENOSPC, "disk is full"), (errno.EACCES, "read-only"), (errno.EBUSY, "open in")]
)
def test_that_a_failed_save_says_why_and_leaves_the_old_file(path, monkeypatch, number, reason):
    save_plan(path, made.inputs())
    before = path.read_bytes()

    def fail(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match=reason) as caught:
        save_plan(path, replace(made.inputs(), seed=1))
    assert caught.value.errno == number
    assert path.name in str(caught.value)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_that_a_folder_that_is_not_there_is_said_and_not_made(tmp_path):
    with pytest.raises(OSError, match="misspelt"):
        save_plan(tmp_path / "misspelt" / "plan.json", PlanInputs())
    assert list(tmp_path.iterdir()) == []
