"""The report's section on earlier plans: counts, the jobs themselves, or that there are none yet."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.door import Problem
from planner.ledger import Ledger
from planner.messages import load_messages
from planner.pipeline import evaluate
from planner.report.sections import build_report
from planner.report.track_record import entries_table, track_record_section
from planner.report.wording import Wording
from tests.report.test_decision_sections import RENTED
from tests.test_ledger import DONE

ENGLISH, VIETNAMESE = Wording(load_messages("en")), Wording(load_messages("vi"))
LATE = replace(DONE, measured_time_s=60 * 3600.0, measured_cost_usd=20.0)


def test_that_a_report_without_a_ledger_has_no_section_and_the_same_hash():
    found = evaluate(RENTED)
    without, with_it = (build_report(RENTED, found, ENGLISH, ledger=ledger) for ledger in (None, Ledger((DONE,))))
    assert "track_record" not in {section.key for section in without.sections}
    assert without.plan_hash == with_it.plan_hash
    others = tuple(section for section in with_it.sections if section.key != "track_record")
    assert others == without.sections


def test_that_an_empty_ledger_says_so():
    (section,) = track_record_section(Ledger(), ENGLISH)
    assert section.title == "Track record of earlier plans"
    assert "No earlier plan was checked" in section.paragraphs[0]
    assert section.tables == ()


def test_that_the_section_counts_and_names_what_was_missed():
    (section,) = track_record_section(Ledger((DONE, LATE), (Problem("line 3", "cut"),)), ENGLISH)
    text = " ".join(section.paragraphs)
    assert "Times: 1 of 2 came inside their range (50 %); the median came to 1.41 times the likely value." in text
    assert "Costs: 1 of 2 came inside their range (50 %)" in text
    assert "do not count: 1." in text
    latest = section.tables[0].rows[0]
    assert latest[4] == "60 h (above)"
    assert latest[6] == "$20 (below)"


def test_that_the_latest_jobs_stand_first_and_are_not_too_many():
    entries = tuple(replace(DONE, plan_name=f"plan {n}") for n in range(30))
    (section,) = track_record_section(Ledger(entries), ENGLISH)
    assert [row[1] for row in section.tables[0].rows] == [f"plan {n}" for n in range(29, 17, -1)]
    assert "30 of 30" in " ".join(section.paragraphs)
    assert "times as wide" in " ".join(section.paragraphs)


@pytest.mark.parametrize("wording", [ENGLISH, VIETNAMESE], ids=["en", "vi"])
def test_that_what_is_not_known_is_a_dash(wording):
    half = replace(DONE, predicted_time_s=None, measured_cost_usd=None, option="local", plan_name="")
    row = entries_table((half,), wording).rows[0]
    assert (row[1], row[3], row[6]) == ("preset:resnet50", "–", "–")
    assert not any("None" in cell or "{" in cell for cell in row)
