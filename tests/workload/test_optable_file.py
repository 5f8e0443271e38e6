"""Op tables in files: there and back, and what is refused."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

from planner.door import InvalidInputError
from planner.workload.presets import load_preset
from planner.workload.table_file import load_table, save_table


@pytest.fixture
def table():
    return load_preset("lstm", "amp")


@pytest.fixture
def content(tmp_path, table):
    save_table(tmp_path / "table.json", table)
    return json.loads((tmp_path / "table.json").read_text())


def refusal(tmp_path, content):
    path = tmp_path / "changed.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    with pytest.raises(InvalidInputError) as caught:
        load_table(path)
    return str(caught.value)


def test_that_a_saved_table_comes_back_unchanged(tmp_path, table):
    save_table(tmp_path / "table.json", table)
    again = load_table(tmp_path / "table.json")
    for field in dataclasses.fields(table):
        np.testing.assert_array_equal(getattr(again, field.name), getattr(table, field.name))
        assert type(getattr(again, field.name)) is type(getattr(table, field.name))


def test_that_every_kernel_has_its_own_line(tmp_path, table):
    save_table(tmp_path / "table.json", table)
    lines = (tmp_path / "table.json").read_text().splitlines()
    assert sum(line.strip().startswith('["') for line in lines) == len(table.count)


def test_that_a_missing_file_is_named(tmp_path):
    with pytest.raises(InvalidInputError, match=r"nowhere\.json.*cannot be read"):
        load_table(tmp_path / "nowhere.json")


def test_that_a_file_cut_in_half_is_refused_with_its_line(tmp_path, content):
    text = json.dumps(content, indent=1)
    assert "line" in refusal(tmp_path, text[: len(text) // 2])


def test_that_all_problems_are_reported_at_once(tmp_path, content):
    del content["table"]["parameters"]
    content["table"]["batch"] = 3
    message = refusal(tmp_path, content)
    assert "table.parameters" in message
    assert "table.batch" in message


@pytest.mark.parametrize(
    ("field", "value", "named"),
    [
        ("schema_version", 1, "schema_version"),
        ("table.ops", [], "ops is empty"),
        ("table.live_gradient_bytes", [1.0], "differ in length"),
        ("table.size_unit", 0, "size_unit"),
        ("table.size_min", 4096, "size_min"),
        ("table.input_bytes", [1, 2, 3], "input_bytes"),
        ("table.trained_parameters", 0, "trained_parameters"),
    ],
)
def test_that_values_that_make_no_sense_are_refused(tmp_path, content, field, value, named):
    *parents, last = field.split(".")
    target = content
    for parent in parents:
        target = target[parent]
    target[last] = value
    assert named in refusal(tmp_path, content)


@pytest.mark.parametrize(
    ("column", "value", "named"),
    [(0, "teleport", "unknown kind of op 'teleport'"), (1, "sideways", "unknown phase"), (4, 0, "more than 0")],
)
def test_that_an_impossible_kernel_is_refused_with_its_number(tmp_path, content, column, value, named):
    content["table"]["ops"][4][column] = value
    message = refusal(tmp_path, content)
    assert "ops.4" in message
    assert named in message


def test_that_not_a_number_is_refused(tmp_path, content):
    content["table"]["input_bytes"][0] = float("nan")
    assert "input_bytes" in refusal(tmp_path, content)
