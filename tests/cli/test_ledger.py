"""`gpu-plan ledger`: what came of a plan is written down, listed, and printed in the next report."""

from __future__ import annotations

import json

import pytest

from planner.ledger import read_ledger
from planner.report.plan_file import save_plan
from tests.report.test_diff import URGENT


@pytest.fixture
def plan_file(gpu_plan, tmp_path):
    first, path = tmp_path / "first.json", tmp_path / "plan.json"
    save_plan(first, URGENT)
    assert gpu_plan("plan", first, "--save", path).exit_code == 0
    return path


def test_that_what_came_is_written_beside_what_was_said(gpu_plan, plan_file):
    result = gpu_plan("ledger", "add", plan_file, "--option", "rent-4", "--hours", 12.3, "--cost", 31.5)
    assert result.exit_code == 0, result.output
    (entry,) = read_ledger().entries
    said = next(o for o in json.loads(plan_file.read_text())["headline"]["options"] if o["key"] == "rent-4")
    assert entry.predicted_time_s is not None
    assert entry.predicted_time_s.likely == said["time_s"]["likely"]
    assert (entry.option, entry.measured_time_s, entry.measured_cost_usd) == ("rent-4", 12.3 * 3600, 31.5)
    assert "4 × RTX 3090" in result.output


def test_that_the_recommended_option_is_meant_where_none_is_named(gpu_plan, plan_file):
    assert gpu_plan("ledger", "add", plan_file, "--hours", 30).exit_code == 0
    chosen = json.loads(plan_file.read_text())["headline"]["chosen"]
    assert read_ledger().entries[0].option == chosen


def test_that_a_plan_saved_without_numbers_is_worked_out(gpu_plan, tmp_path):
    path = tmp_path / "bare.json"
    save_plan(path, URGENT)
    assert gpu_plan("ledger", "add", path, "--cost", 5).exit_code == 0
    assert read_ledger().entries[0].predicted_cost_usd is not None


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ((), "--hours"),
        (("--hours", "0"), "measured_time_s"),
        (("--hours", "-1"), "measured_time_s"),
        (("--hours", "nan"), "number"),
        (("--hours", "1", "--option", "rent-9"), "rent-6"),
    ],
)
def test_that_wrong_input_is_named(gpu_plan, plan_file, arguments, word):
    result = gpu_plan("ledger", "add", plan_file, *arguments)
    assert result.exit_code == 2
    assert word in result.stderr
    assert read_ledger().entries == ()


def test_that_an_edited_plan_does_not_count(gpu_plan, plan_file):
    data = json.loads(plan_file.read_text())
    data["inputs"]["job"]["runs"] = 2
    plan_file.write_text(json.dumps(data))
    result = gpu_plan("ledger", "add", plan_file, "--hours", 3)
    assert result.exit_code == 2
    assert "edited" in result.stderr


def test_that_the_list_counts(gpu_plan, answer_of, plan_file):
    assert "No earlier plan" in gpu_plan("ledger", "list").output
    gpu_plan("ledger", "add", plan_file, "--hours", 1e5, "--cost", 1)
    result = gpu_plan("ledger", "list")
    assert "Times: 0 of 1 came inside" in result.output
    assert "(above)" in result.output
    data = answer_of("ledger", "list")
    assert (data["time"]["count"], data["time"]["held"], data["cost"]["share"]) == (1, 0, 0.0)
    assert data["entries"][0]["measured_cost_usd"] == 1.0


def test_that_the_report_prints_the_record(gpu_plan, answer_of, plan_file):
    gpu_plan("ledger", "add", plan_file, "--hours", 30)
    sections = {section["key"]: section for section in answer_of("report", plan_file)["sections"]}
    assert any("of 1 came inside" in text for text in sections["track_record"]["paragraphs"])
