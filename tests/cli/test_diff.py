"""`gpu-plan diff`: two plan files, or reports that carry one, told apart in words or in JSON."""

from __future__ import annotations

import json

import pytest

from planner.report.plan_file import save_plan
from tests.report.test_diff import CALM, URGENT


@pytest.fixture
def plans(tmp_path):
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    save_plan(first, URGENT)
    save_plan(second, CALM)
    return first, second


def test_that_the_difference_is_told_in_words(gpu_plan, plans):
    result = gpu_plan("diff", *plans)
    assert result.exit_code == 0
    for words in (
        "What changed in the inputs:",
        "Deadline: 40 h → none",
        "is now 1 × RTX 3090",
        "Why:",
        "First plan",
    ):
        assert words in result.output


def test_that_the_difference_is_json_for_programs(answer_of, plans):
    data = answer_of("diff", *plans)
    assert data["choice_changed"] is True
    assert (data["first"]["chosen"], data["second"]["chosen"]) == ("rent-2", "rent-1")
    assert [one["group"] for one in data["groups"] if one["makes_the_choice"]] == ["terms"]
    assert {change["what"] for change in data["changes"]} == {"deadline_h", "waiting_cost_usd_per_h"}
    assert data["first"]["time_s"]["likely"] > 0


def test_that_an_edited_file_is_named(gpu_plan, plans):
    data = json.loads(plans[1].read_text())
    data["inputs"]["job"]["runs"] = 2
    plans[1].write_text(json.dumps(data))
    assert "second.json was edited" in gpu_plan("diff", *plans).output


def test_that_a_report_stands_for_its_plan(gpu_plan, plans, tmp_path):
    pdf = tmp_path / "first.pdf"
    assert gpu_plan("report", plans[0], "--pdf", pdf).exit_code == 0
    result = gpu_plan("diff", pdf, plans[0])
    assert "the inputs are the same" in result.output


def test_that_what_is_no_plan_is_wrong_input(gpu_plan, plans, tmp_path):
    other = tmp_path / "other.json"
    other.write_text("[]")
    result = gpu_plan("diff", plans[0], other)
    assert result.exit_code == 2
    assert "other.json" in result.stderr
    assert gpu_plan("diff", plans[0], tmp_path / "missing.json").exit_code == 2
