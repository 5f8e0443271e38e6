"""Quantities as people type and read them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner import units


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("1200", 1200),
        ("1,200,000", 1.2e6),
        ("1.2M", 1.2e6),
        ("1 200 000", 1.2e6),
        ("3B", 3e9),
        ("1e5", 1e5),
        (" 50k ", 5e4),
    ],
)
def test_that_counts_are_read_as_people_write_them(typed, value):
    assert units.parse_count(typed) == pytest.approx(value)


@pytest.mark.parametrize(
    ("typed", "value"), [("45 GB", 45e9), ("800MiB", 800 * 2**20), ("1.5tb", 1.5e12), ("12", 12)]
)
def test_that_decimal_and_binary_sizes_differ(typed, value):
    assert units.parse_bytes(typed) == pytest.approx(value)


@pytest.mark.parametrize(
    ("typed", "seconds"),
    [("36", 36 * 3600), ("2h30", 9000), ("90 min", 5400), ("1d 6h", 108000), ("45s", 45), ("0.5 h", 1800)],
)
def test_that_durations_are_read_as_people_write_them(typed, seconds):
    assert units.parse_duration_s(typed) == pytest.approx(seconds)


@pytest.mark.parametrize("typed", ["", "abc", "12 parsecs", "1.2.3", "--4", "1,5", "1e999", "NaN", "inf"])
@pytest.mark.parametrize("parse", [units.parse_count, units.parse_bytes, units.parse_duration_s])
def test_that_nonsense_is_refused_with_a_sentence(parse, typed):
    with pytest.raises(ValueError, match=r"\w+"):
        parse(typed)


@given(st.floats(1, 1e15))
def test_that_a_size_survives_writing_and_reading_within_its_digits(value):
    assert units.parse_bytes(units.format_bytes(value)) == pytest.approx(value, rel=0.01)


@given(st.floats(1e-9, 1e12))
def test_that_rounding_keeps_three_digits(value):
    assert float(units.significant(value).replace(",", "")) == pytest.approx(value, rel=5.1e-3)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0123, "12.3 ms"),
        (59.4, "59 s"),
        (9000, "2 h 30 min"),
        (3600, "1 h"),
        (200_000, "2 d 8 h"),
        (3e-6, "3 µs"),
    ],
)
def test_that_durations_are_written_in_their_two_largest_units(seconds, text):
    assert units.format_duration(seconds) == text


def test_that_money_is_written_in_its_own_currency():
    assert units.format_money(4.4) == "$4.40"
    assert units.format_money(12_345.6) == "$12,346"
    assert units.format_money(154_000, "VND") == "154,000 ₫"
    assert units.format_money(3.5, "EUR") == "€3.50"


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (12.5e6, "FLOP/s", "12.5 MFLOP/s"),
        (2.24e9, "FLOP/s", "2.24 GFLOP/s"),
        (35.6e12, "FLOP/s", "35.6 TFLOP/s"),
        (936e9, "B/s", "936 GB/s"),
        (1500, "B/s", "1.5 kB/s"),
        (0.5, "B/s", "0.5 B/s"),
    ],
)
def test_that_a_rate_is_written_with_the_prefix_that_fits(value, unit, text):
    assert units.format_rate(value, unit) == text
