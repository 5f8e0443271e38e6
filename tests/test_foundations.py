"""Ranges, the door, atomic files and messages: what everything else stands on."""

from __future__ import annotations

import errno
import math
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.door import InvalidInputError, parse_json, plain, validated
from planner.evidence import Evidence, Range, weakest
from planner.messages import load_messages
from planner.storage import write_atomically
from planner.workload.job import Job, Recipe

finite = st.floats(-1e12, 1e12)


@given(st.lists(finite, min_size=3, max_size=3))
def test_that_a_range_is_ordered_or_refused(numbers):
    low, likely, high = numbers
    if low <= likely <= high:
        assert Range(low, likely, high).low <= Range(low, likely, high).high
    else:
        with pytest.raises(ValueError, match="low ≤ likely ≤ high"):
            Range(low, likely, high)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_that_a_range_is_finite(bad):
    with pytest.raises(ValueError, match="finite"):
        Range(0, 1, bad)


def test_that_a_number_is_as_well_known_as_its_weakest_part():
    assert weakest(Evidence.MEASURED_BENCHMARK, Evidence.ASSUMED, Evidence.PUBLISHED) is Evidence.ASSUMED


def test_that_the_door_names_every_problem_with_its_field():
    data = {"recipe": {"batch_size": "many", "colour": "red"}, "epochs": {"low": 3, "likely": 2, "high": 1}}
    with pytest.raises(InvalidInputError) as caught:
        validated(Job, data, "plan.json")
    places = {problem.where for problem in caught.value.problems}
    assert places == {"recipe.batch_size", "recipe.colour", "epochs"}


def test_that_a_job_survives_the_door_both_ways():
    job = Job(recipe=Recipe(model="preset:gpt2", input_size=1024))
    assert validated(Job, plain(job), "memory") == job


@pytest.mark.parametrize("text", ['{"a": 1', '{"a": 1, "a": 2}', "[" * 100_000, b"\xff\xfe{", ""])
def test_that_broken_json_is_an_input_error_and_nothing_else(text):
    with pytest.raises(InvalidInputError):
        parse_json(text, "plan.json")


def test_that_a_syntax_error_is_located():
    with pytest.raises(InvalidInputError, match="line 2, column"):
        parse_json('{"a": 1,\n "b": }', "plan.json")


def test_that_a_full_disk_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    path = tmp_path / "plan.json"
    path.write_bytes(b"old")

    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_that_a_written_file_replaces_the_old_one(tmp_path):
    path = tmp_path / "deep" / "plan.json"
    write_atomically(path, b"one")
    write_atomically(path, b"two")
    assert path.read_bytes() == b"two"


def test_that_a_code_without_a_sentence_is_a_fault():
    with pytest.raises(KeyError):
        load_messages("en").say("nothing.like.this")


def test_that_an_unknown_language_is_refused():
    with pytest.raises(FileNotFoundError):
        load_messages("tlh")


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX")
def test_that_a_written_file_is_as_readable_as_any_other(tmp_path):
    write_atomically(tmp_path / "plan.json", b"x")
    (tmp_path / "other").write_bytes(b"x")
    assert (tmp_path / "plan.json").stat().st_mode == (tmp_path / "other").stat().st_mode
