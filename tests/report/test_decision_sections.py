"""What a decision hangs on, in words: every code that can come has its sentence, in every circumstance."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from planner.decide.types import Terms
from planner.evidence import Range
from planner.hardware.snapshot import Snapshot
from planner.messages import load_messages
from planner.offers.offer import Offer
from planner.pipeline import PlanInputs, evaluate
from planner.report.as_json import as_json
from planner.report.decision_sections import gates_section, sensitivity_chart, sensitivity_section
from planner.report.sections import build_report
from planner.report.svg import svg_chart
from planner.report.wording import Wording
from planner.workload.job import Job, Recipe
from tests.decide.conftest import CARD, HOST, packages

WORDING = Wording(load_messages())
HERE = Snapshot("2026-09-01T00:00:00Z", HOST, (CARD,))
NEWER = Offer("other", "rtx-4090", 1, 0.3, price_date="2026-08-22")
PLAIN = PlanInputs(
    job=Job(Recipe("preset:resnet50", batch_size=256)),
    offers=(*packages(0.5, 1.0, 2.0, 3.0), NEWER),
    snapshot=HERE,
    today="2026-09-01",
)
EVERYTHING = replace(
    PLAIN,
    job=Job(
        Recipe("preset:resnet50", batch_size=256, precision="fp32"), runs=7, core_samples_per_s=Range(5, 6, 8)
    ),
    terms=Terms(
        deadline_h=900, budget_usd=5000, objective="fastest", late_usd=100, blocked_usd_per_h=2, tax_share=0.1,
        hours_per_month=200, privacy="personal", data_country="DE", transfer_assessed=True, platform="windows",
    ),
    offers=(
        *(
            replace(
                offer, pricing="spot", points_share=0.1, storage_usd_per_gb_month=0.1, egress_usd_per_gb=0.05,
                discount_share=0.1, minimum_s=7200.0, region="Vietnam", price_date="2026-01-01",
            )
            for offer in packages(0.5, 1.0, 2.0, 3.0)
        ),
        Offer("x", "rtx-3090", 1, None, currency="VND", price_per_hour=5000.0),
        NEWER,
    ),
    rates=(),
)  # fmt: skip
RENTED = replace(PLAIN, snapshot=Snapshot("2026-09-01T00:00:00Z", HOST, ()))
UNPRICED = replace(RENTED, offers=packages(None, None, None, None))
BARRED = replace(PLAIN, terms=Terms(privacy="personal", data_country="DE", own_datacentre=True))
LATE = replace(RENTED, terms=Terms(deadline_h=0.1))
CASES = {
    "plain": PLAIN, "everything": EVERYTHING, "rented": RENTED, "unpriced": UNPRICED, "barred": BARRED,
    "late": LATE, "everything rented": replace(EVERYTHING, snapshot=RENTED.snapshot),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_that_every_circumstance_has_its_sentences(case):
    found = evaluate(CASES[case])
    report = build_report(CASES[case], found, WORDING)
    texts = [report.verdict, *(text for each in report.sections for text in each.paragraphs)]
    cells = [cell for each in report.sections for t in each.tables for row in t.rows for cell in row]
    assert all(text.strip() for text in texts)
    assert not any("{" in text for text in (*texts, *cells))
    assert "None" not in cells
    assert as_json(found)["gates"] is not None


def test_that_all_questions_before_money_are_in_the_report():
    (section,) = gates_section(evaluate(RENTED), WORDING)
    questions = [row[0] for row in section.tables[0].rows]
    assert len(questions) == len(set(questions)) == 6
    assert "legal advice" in section.paragraphs[0]


def test_that_what_moves_the_cost_is_drawn_and_told():
    found = evaluate(RENTED)
    chart = sensitivity_chart(found, WORDING)
    assert chart is not None
    assert ET.fromstring(svg_chart(chart)) is not None
    assert len(chart.categories) == len(chart.series[0].y) <= 8
    (section,) = sensitivity_section(found, WORDING)
    strongest = found.sensitivities[0]
    assert section.tables[0].rows[0][0] == WORDING.messages.say(f"input.{strongest.code}")
    assert chart.series[0].low[0] <= chart.series[0].y[0] <= chart.series[0].high[0]


def test_that_pairs_of_options_say_where_they_change_places():
    found = evaluate(RENTED)
    pairs = {(one.option, one.other_option) for one in found.switch_points}
    assert ("rent-4", "rent-1") in pairs
    (section,) = sensitivity_section(found, WORDING)
    assert len(section.tables[-1].rows) == len(found.switch_points)


def test_that_nothing_is_drawn_where_nothing_can_be_recommended():
    found = evaluate(LATE)
    assert found.chosen is None
    assert sensitivity_chart(found, WORDING) is None


def test_that_the_newer_card_stands_beside_the_options():
    report = build_report(RENTED, evaluate(RENTED), WORDING)
    table = next(each for each in report.sections if each.key == "options").tables[0]
    assert table.keys[-1] == "newer-1"
    assert "4090" in table.rows[-1][0]


def test_that_energy_and_buying_are_among_the_key_numbers():
    report = build_report(EVERYTHING, evaluate(replace(EVERYTHING, snapshot=RENTED.snapshot)), WORDING)
    names = [row[0] for row in report.sections[0].tables[0].rows]
    for key in ("energy", "co2", "regret", "break_even"):
        assert WORDING.messages.say(f"report.key.{key}") in names
