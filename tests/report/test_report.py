"""The report: every section from the plan and the recommendation, harmless whatever the plan is called."""

from __future__ import annotations

import json
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from planner.evidence import Evidence
from planner.offers.offer import Offer
from planner.pipeline import PlanInputs
from planner.report.as_json import as_json, report_json
from planner.report.html import html_page
from planner.report.plan_file import plan_hash
from planner.report.sections import build_report
from planner.report.types import Report, Section
from tests.report.fixtures import recommendations as made

HOSTILE = [
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "\u202egnp.exe\u2066",
    "💥👩‍👩‍👧 <b>&amp;",
    "x" * 5000,
    "../../etc/passwd\x00\n\n<h1>",
    "خطة التدريب",
    "\ud800 lone",
]
CASES = [made.recommendation, made.without_local_gpu, made.without_prices, made.nothing_fits, made.measure_first]
SECTIONS = [
    "verdict", "options", "charts", "bill", "memory", "assumptions", "machine", "method", "accuracy", "limits",
    "against", "signoff",
]  # fmt: skip


def report_of(case, wording, inputs: PlanInputs | None = None, name: str = "Team plan") -> Report:
    return build_report(inputs or made.inputs(), case(), wording, name)


def section(report: Report, key: str) -> Section:
    return next(section for section in report.sections if section.key == key)


def all_text(report: Report) -> str:
    parts = [report.title, report.subtitle, report.verdict]
    for each in report.sections:
        parts += [each.title, *each.paragraphs]
        parts += [cell for table in each.tables for row in (table.columns, *table.rows) for cell in row]
    return "\n".join(parts)


class Reader(HTMLParser):
    """Tags, attributes and text of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    return reader


@pytest.mark.parametrize("case", CASES)
def test_that_every_section_is_there_whatever_is_missing(wording, case):
    report = report_of(case, wording)
    recommendation = case()
    needs = {
        "bill": recommendation.chosen is not None,
        "against": recommendation.chosen is not None,
        "method": any(option.step is not None for option in recommendation.options),
    }
    expected = [key for key in SECTIONS if needs.get(key, True)]
    assert [each.key for each in report.sections] == expected
    assert "{" not in all_text(report)
    assert "nan" not in all_text(report).lower().split()


def test_that_page_one_has_the_numbers_of_the_recommendation(wording):
    rows = dict(section(report_of(made.recommendation, wording), "verdict").tables[0].rows)
    chosen = made.recommendation().option("rent-4")
    assert rows["Time to the result"] == wording.value("time_s", chosen.time_s)
    assert rows["Cost"] == wording.value("cost_usd", chosen.cost_usd)
    assert rows["Chance to be on time"] == "97 %"
    assert rows["Best choice in the simulated cases"] == "71 %"
    assert rows["Deadline"] == "24 h"


def test_that_an_hour_saved_has_the_price_between_choice_and_runner_up(wording):
    rows = dict(section(report_of(made.recommendation, wording), "verdict").tables[0].rows)
    four, two = (made.recommendation().option(key) for key in ("rent-4", "rent-2"))
    hours = (two.time_s.likely - four.time_s.likely) / 3600
    price = (four.cost_usd.likely - two.cost_usd.likely) / hours
    assert rows["Price of an hour saved against the runner-up"] == f"${price:.2f} per hour"


def test_that_options_that_are_not_sold_or_ruled_out_say_so(wording):
    short, rejected = section(report_of(made.recommendation, wording), "options").tables
    assert short.rows[3][1] == "computed, not sold"
    assert [row[0] for row in rejected.rows] == ["3 × RTX 3090", "5 × RTX 3090"]
    assert "Nobody sells 3 GPUs" in rejected.rows[0][1]


def test_that_a_missing_price_is_words_and_never_zero(wording):
    report = report_of(made.without_prices, wording)
    assert all(row[5] == "not known" for row in section(report, "options").tables[0].rows[1:])
    bill = section(report, "bill")
    assert bill.tables[1].rows[-1][1] == "The bill cannot be totalled: a price is missing."
    assert "$0 " not in all_text(report) + " "


def test_that_edited_assumptions_are_marked_with_their_grade(wording):
    table = section(report_of(made.recommendation, wording), "assumptions").tables[0]
    edited = [row for row, strong in zip(table.rows, table.emphasis, strict=True) if strong]
    assert edited == [("Upload speed", "50 Mbit/s (20–100 Mbit/s)", "D", "typed by the user", "edited")]
    assert {row[2] for row in table.rows} <= {grade.value for grade in Evidence}


def test_that_a_plan_without_machine_and_benchmark_says_so(wording):
    bare = replace(made.inputs(), snapshot=None, benchmark=None, offers=(), today="")
    report = report_of(made.recommendation, wording, bare)
    assert len(section(report, "machine").paragraphs) == 2
    assert not section(report, "machine").tables
    assert "No offers are part of this plan." in section(report, "limits").paragraphs
    assert "measuring it narrows" in all_text(report)


def test_that_prices_carry_source_and_licence_and_the_driver_licence_is_named(wording):
    limits = section(report_of(made.recommendation, wording), "limits")
    rows = [" ".join(row) for row in limits.tables[0].rows]
    assert any("gpurentalprices.com" in row and "CC BY 4.0" in row and "2026-02-20" in row for row in rows)
    assert any("irender" in row and "ask for a quote" in row for row in rows)
    assert any("not legal advice" in paragraph for paragraph in limits.paragraphs)


def test_that_ten_thousand_offers_do_not_flood_the_report(wording):
    many = tuple(Offer(f"provider {n}", "rtx-3090", 1, 0.2 + n, "2026-02-20") for n in range(10_000))
    limits = section(report_of(made.recommendation, wording, replace(made.inputs(), offers=many)), "limits")
    assert len(limits.tables[0].rows) == 15
    assert any("9,985 further offers" in paragraph for paragraph in limits.paragraphs)


def test_that_the_report_can_be_checked_and_ends_its_validity(wording):
    signoff = section(report_of(made.recommendation, wording), "signoff")
    text = "\n".join(signoff.paragraphs)
    assert plan_hash(made.inputs()) in text
    assert "gpu-plan replay plan.json" in text
    assert "Valid until 2026-03-06" in text


@pytest.mark.parametrize("name", HOSTILE)
def test_that_a_hostile_name_is_only_text_in_html(wording, name):
    page = html_page(report_of(made.recommendation, wording, name=name))
    reader = read(page)
    assert not {"script", "img", "iframe", "object", "link"} & set(reader.tags)
    assert not [key for key, _ in reader.attributes if key.startswith("on") or key in ("src",)]
    assert reader.tags.count("h1") == 1
    assert "\u202e" not in page
    page.encode("utf-8")


def test_that_html_needs_nothing_from_elsewhere_and_can_be_heard(wording):
    page = html_page(report_of(made.recommendation, wording))
    reader = read(page)
    assert ("lang", "en") in reader.attributes
    assert all(value.startswith("#") for key, value in reader.attributes if key == "href")
    assert reader.tags.count("svg") == 4 == reader.tags.count("desc")
    assert reader.tags.count("figure") == 4
    assert all(scope in ("col", "row") for key, scope in reader.attributes if key == "scope")
    assert page.count("Peak GPU memory by part") >= 2
    for row in section(report_of(made.recommendation, wording), "options").tables[0].rows:
        assert all(cell in reader.words for cell in row if cell)


def test_that_json_has_everything_and_is_json(wording):
    text = json.dumps(as_json(made.recommendation()), allow_nan=False)
    data = json.loads(text)
    assert [option["key"] for option in data["options"]] == ["local", *(f"rent-{n}" for n in range(1, 7))]
    assert data["options"][4]["time_s"]["likely"] == made.recommendation().option("rent-4").time_s.likely
    assert isinstance(data["options"][0]["step"]["by_class_s"], list)
    assert json.dumps(report_json(report_of(made.recommendation, wording)), allow_nan=False)


def test_that_what_is_not_finite_is_null_in_json():
    broken = replace(made.recommendation(), confidence=float("nan"))
    assert as_json(broken)["confidence"] is None
