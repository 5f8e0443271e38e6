"""Values in words: units by name, no more digits than are known, one sentence for a verdict."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from planner.decide.types import Reason
from planner.evidence import Evidence, Range
from planner.messages import Messages
from planner.report.numbers import range_texts
from planner.report.wording import Wording
from tests.report.conftest import hand_made_messages
from tests.report.fixtures import recommendations as made


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("time_s", Range(3e4, 6e4, 1e5), "17 h (8–28 h)"),
        ("time_s", 0.0123, "12.3 ms"),
        ("time_s", 0.0, "0 s"),
        ("deadline_h", 36.0, "36 h"),
        ("deadline_h", 96.0, "4 days"),
        ("setup_h", Range(0.25, 0.5, 1.5), "30 min (15–90 min)"),
        ("cost_usd", Range(3.1, 4.4, 8.7), "$4.40 ($3.10–8.70)"),
        ("cost_usd", 1234.5, "$1,234"),
        ("price_usd_per_h", 0.22, "$0.22 per hour"),
        ("electricity_usd_per_kwh", Range(0.1, 0.17, 0.35), "$0.17 per kWh ($0.10–0.35 per kWh)"),
        ("memory_bytes", 24 * 2**30, "24 GiB"),
        ("dataset_bytes", 150e9, "150 GB"),
        ("bus_bandwidth_gbs", Range(1.3, 4, 12), "4 GB/s (1–12 GB/s)"),
        ("best_share", 0.714, "71 %"),
        ("best_share", 0.997, "over 99 %"),
        ("best_share", 0.002, "under 1 %"),
        ("best_share", 0.0, "0 %"),
        ("confidence", 0.9, "90 %"),
        ("saved_h", Range(-7, 8, 19), "8 h (−7 to 19 h)"),
        ("idle_h", Range(0.0003, 0.25, 2), "20 min (0–120 min)"),
        ("gpu_count", 4, "4"),
        ("samples", 1_281_167, "1,281,167"),
        ("anything_s", None, "not known"),
        ("edited", True, "yes"),
        ("option", "rent-4", "4 × RTX 3090"),
        ("option", "local", "this machine"),
    ],
)
def test_that_a_value_is_worded_by_the_suffix_of_its_name(wording, name, value, text):
    assert wording.value(name, value) == text


def test_that_every_evidence_grade_has_words(wording):
    assert all(wording.grade(grade).startswith(grade.value) for grade in Evidence)


@given(st.lists(st.floats(1e-3, 1e9), min_size=3, max_size=3).map(sorted))
@example([1.75, 1.75, 1.75])
def test_that_rounding_never_moves_a_number_by_more_than_the_spread_allows(numbers):
    value = Range(*numbers)
    for shown, number in zip(range_texts(value), numbers, strict=True):
        allowed = max(0.06 * (value.high - value.low), 1e-3 * value.likely, 0.5 * number if number < 1 else 0)
        assert abs(float(shown.replace(",", "")) - number) <= max(allowed, 0.005 * number)


@given(st.lists(st.floats(1e-9, 1e12), min_size=3, max_size=3).map(sorted))
def test_that_what_is_likely_is_never_printed_as_zero(numbers):
    for money in (False, True):
        _, likely, high = (float(shown.replace(",", "")) for shown in range_texts(Range(*numbers), money))
        assert min(likely, high) > 0


def test_that_digits_follow_the_language():
    english = hand_made_messages()
    vietnamese = Messages("vi", {**english.templates, "format.group": ".", "format.point": ","})
    assert Wording(vietnamese).value("cost_usd", Range(1003.4, 1234.5, 1300.1)) == "$1.230 ($1.000–1.300)"


def test_that_the_verdict_says_what_to_do_how_long_how_much_how_sure_and_why(wording):
    sentence = wording.verdict(made.recommendation())
    for part in ("Rent 4 RTX 3090", "8.6 h (4.6–13.6 h)", "$15 ($5–37)", "71 %", "the deadline is in 24 h"):
        assert part in sentence


@pytest.mark.parametrize(
    ("case", "part"),
    [
        (made.measure_first, "Measure before you decide"),
        (made.nothing_fits, "No option can do this job"),
        (made.without_prices, "not known yet because a price is missing"),
    ],
)
def test_that_every_kind_of_verdict_has_its_sentence(wording, case, part):
    assert part in wording.verdict(case())


def test_that_staying_local_names_the_gpu(wording):
    stay = replace(made.recommendation(), verdict="local", chosen="local", reasons=())
    assert wording.verdict(stay).startswith("Stay on this machine (NVIDIA GeForce RTX 3060 Laptop GPU)")


def test_that_a_verdict_without_time_does_not_invent_one(wording):
    unknown = replace(made.without_local_gpu(), verdict="either", chosen="local")
    assert "not known" in wording.verdict(unknown)


def test_that_braces_in_a_value_are_only_text(wording):
    assert "{time_s}" in wording.reason(Reason("bandwidth", (("gpu_count", "{time_s}"), ("bus_bandwidth_gbs", 3))))
