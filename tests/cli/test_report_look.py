"""`gpu-plan report`: the team's look on the command line, on top of the plan's own."""

from __future__ import annotations

import pytest
from pypdf import PdfReader

from planner.report.plan_file import read_plan, save_plan
from planner.report.presentation import SHORT_FORM, Presentation
from tests.report.test_diff import URGENT


@pytest.fixture
def plan_file(tmp_path):
    path = tmp_path / "plan.json"
    save_plan(path, URGENT, name="Autumn", presentation=Presentation(team="Old", comments=(("options", "Kept."),)))
    return path


def test_that_the_look_is_given_as_options(answer_of, plan_file):
    look = (
        "--form",
        "short",
        "--paper",
        "letter",
        "--team",
        "AI",
        "--leave-out",
        "against",
        "--comment",
        "verdict=So be it.",
    )
    made = answer_of("report", plan_file, *look)
    assert (made["team"], made["paper"]) == ("AI", "letter")
    assert {section["key"] for section in made["sections"]} == set(SHORT_FORM) - {"against"}
    comments = {section["key"]: section["comment"] for section in made["sections"] if section["comment"]}
    assert comments == {"verdict": "So be it.", "options": "Kept."}
    assert read_plan(plan_file).presentation.team == "Old"  # the plan itself stays as it was


def test_that_the_plan_in_the_pdf_has_the_look_and_the_same_hash(gpu_plan, plan_file, tmp_path):
    pdf = tmp_path / "out.pdf"
    result = gpu_plan("report", plan_file, "--pdf", pdf, "--form", "short", "--team", "AI")
    assert result.exit_code == 0, result.output
    inside, before = read_plan(pdf), read_plan(plan_file)
    assert inside.inputs_sha256 == before.inputs_sha256
    assert (inside.name, inside.presentation.team, inside.presentation.form) == ("Autumn", "AI", "short")
    text = " ".join(PdfReader(pdf).pages[-1].extract_text().split())
    assert "gpu-plan replay plan.json" in text
    assert gpu_plan("replay", pdf).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("--leave-out", "nonsense"), "verdict"),
        (("--comment", "no equals sign"), "KEY=TEXT"),
        (("--comment", "nowhere=words"), "no section 'nowhere'"),
        (("--comment", "verdict=" + "x" * 2001), "2,000"),
        (("--paper", "papyrus"), "letter"),
    ],
)
def test_that_a_look_that_cannot_be_is_named(gpu_plan, plan_file, arguments, word):
    result = gpu_plan("report", plan_file, "--json", *arguments)
    assert result.exit_code == 2
    assert word in result.stderr


def test_that_what_is_no_picture_is_no_logo(gpu_plan, plan_file):
    result = gpu_plan("report", plan_file, "--json", "--logo", plan_file)
    assert result.exit_code == 2
    assert "PNG or JPEG" in result.stderr
