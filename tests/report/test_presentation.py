"""A team's own report: sections, comments, name and logo; no number changes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.report.plan_file import plan_hash, read_plan, save_plan
from planner.report.presentation import SHORT_FORM, Presentation, as_logo, presented
from planner.report.sections import build_report
from tests.report.fixtures import recommendations as made


def logo(size: int = 100) -> str:
    return as_logo(b"\x89PNG\r\n\x1a\n" + bytes(size))


@pytest.fixture
def report(wording):
    return build_report(made.inputs(), made.recommendation(), wording, "Team plan")


def test_that_the_short_form_has_its_sections_and_the_same_words(report):
    short = presented(report, Presentation(form="short"))
    assert [section.key for section in short.sections] == [
        section.key for section in report.sections if section.key in SHORT_FORM
    ]
    assert all(section in report.sections for section in short.sections)


def test_that_sections_can_be_left_out_but_not_the_verdict_and_the_sign_off(report):
    without = presented(report, Presentation(left_out=("memory", "verdict", "signoff", "no such section")))
    assert {section.key for section in report.sections} - {section.key for section in without.sections} == {
        "memory"
    }


def test_that_comments_and_team_reach_the_report(report):
    wish = Presentation(team="Đội AI", comments=(("options", "Ask Lan first."),), paper="letter", logo=logo())
    found = presented(report, wish)
    assert (found.team, found.paper, found.logo[:4]) == ("Đội AI", "letter", b"\x89PNG")
    assert [section.comment for section in found.sections if section.comment] == ["Ask Lan first."]


def test_that_the_plan_file_keeps_the_presentation_outside_its_hash(tmp_path):
    path = tmp_path / "plan.json"
    wish = Presentation("short", "letter", "Team", logo(), ("memory",), (("verdict", "yes"),))
    save_plan(path, made.inputs(), made.recommendation(), "name", wish)
    assert read_plan(path).presentation == wish
    assert read_plan(path).inputs_sha256 == plan_hash(made.inputs())


@pytest.mark.parametrize("data", [b"", b"GIF89a", b"<svg/>"])
def test_that_only_png_and_jpeg_are_taken_for_a_logo(data):
    with pytest.raises(ValueError, match="PNG or JPEG"):
        as_logo(data)


def test_that_a_logo_which_would_swell_the_report_is_refused():
    with pytest.raises(ValueError, match="at most 200 kB"):
        logo(300_000)


def test_that_an_essay_is_refused_as_a_comment():
    with pytest.raises(ValueError, match="2,000 characters"):
        replace(Presentation(), comments=(("verdict", "x" * 2001),))
