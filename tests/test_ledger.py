"""The ledger: what was written down comes back, whatever lies beside it, and the record counts it rightly."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.door import InvalidInputError
from planner.evidence import Range
from planner.ledger import (
    SIZE_LIMIT_BYTES,
    Entry,
    Ledger,
    add_entry,
    costs,
    ledger_at_hand,
    ledger_file,
    read_ledger,
    times,
    track_record,
    widening_of,
)

DONE = Entry(
    "2026-12-07T10:00:00+00:00", "0" * 64, "Autumn", "2026-12-01", "preset:resnet50", "rent-4",
    Range(18 * 3600, 32 * 3600, 54 * 3600), 30 * 3600.0, Range(47, 82, 136), 80.0, "đúng hạn",
)  # fmt: skip


def test_that_there_is_nothing_before_the_first_entry():
    assert read_ledger() == Ledger()
    assert ledger_at_hand() == Ledger()


def test_that_entries_come_back_in_their_order():
    other = replace(DONE, option="local", measured_cost_usd=None)
    add_entry(DONE)
    assert ledger_at_hand().entries == (DONE,)
    add_entry(other)
    assert read_ledger().entries == ledger_at_hand().entries == (DONE, other)


@pytest.mark.parametrize(
    ("line", "word"),
    [
        (b'{"half": ', "line 2"),
        (b"[]", "line 2"),
        (b"\xff\xfe", "line 2"),
        (b'{"schema_version": 99}', "newer version"),
        (json.dumps({"recorded_at": "x", "schema_version": 1}).encode(), "plan_sha256"),
    ],
)
def test_that_a_line_that_cannot_be_read_is_told_and_stays(line, word):
    add_entry(DONE)
    with ledger_file().open("ab") as file:
        file.write(line)  # a half line, as after a pulled cable
    add_entry(DONE)
    found = read_ledger()
    assert found.entries == (DONE, DONE)
    assert any(word in str(problem) for problem in found.problems)
    assert line in ledger_file().read_bytes()


def test_that_a_ledger_nobody_can_read_stops_no_report(monkeypatch):
    ledger_file().parent.mkdir(parents=True, exist_ok=True)
    with ledger_file().open("wb") as file:
        file.truncate(SIZE_LIMIT_BYTES + 1)
    with pytest.raises(InvalidInputError, match="20 MiB"):
        read_ledger()
    assert ledger_at_hand().entries == ()
    assert "20 MiB" in str(ledger_at_hand().problems[0])


@pytest.mark.parametrize(
    "wrong",
    [
        {"measured_time_s": None, "measured_cost_usd": None},
        {"measured_time_s": 0.0},
        {"measured_time_s": float("nan")},
        {"measured_cost_usd": -1.0},
        {"note": "x" * 501},
    ],
)
def test_that_what_cannot_be_is_refused(wrong):
    with pytest.raises(ValueError, match=r"measured|500|number"):
        replace(DONE, **wrong)


def test_that_only_what_has_both_numbers_counts():
    entries = (DONE, replace(DONE, measured_time_s=None), replace(DONE, predicted_time_s=None))
    assert len(times(entries)) == 1
    assert len(costs(entries)) == 3


def test_that_the_record_counts_what_the_ranges_held():
    pairs = ((Range(1, 2, 4), 2.0), (Range(1, 2, 4), 4.0), (Range(1, 2, 4), 5.0))
    record = track_record(pairs)
    assert (record.count, record.held, record.share) == (3, 2, 2 / 3)
    assert record.median_ratio == 2.0
    assert track_record(()).share is None
    assert track_record(()).median_ratio is None


def test_that_few_jobs_support_no_widening():
    assert widening_of(((Range(1, 2, 4), 100.0),) * 8) is None


def test_that_the_widening_is_the_distance_that_holds_nine_of_ten():
    near = ((Range(1, 2, 4), 2.0),) * 9
    assert widening_of(near) == 0.0
    assert widening_of((*near[:8], (Range(1, 2, 4), 8.0))) == pytest.approx(
        2.0
    )  # twice the way to 4, in logarithm
    assert widening_of((*near[:8], (Range(2, 2, 2), 3.0))) is None  # a range without width


@given(
    st.lists(
        st.tuples(st.floats(0.1, 10), st.floats(1.05, 5), st.floats(1.05, 5), st.floats(0.05, 20)),
        min_size=9,
        max_size=40,
    )
)
def test_that_ranges_widened_so_hold_what_they_promise(jobs):
    pairs = tuple((Range(mid / down, mid, mid * up), mid * came) for mid, down, up, came in jobs)
    factor = widening_of(pairs)
    assert factor is not None
    wide = tuple(
        (r.likely * (r.low / r.likely) ** factor, r.likely * (r.high / r.likely) ** factor) for r, _ in pairs
    )
    held = sum(
        low * 0.999999 <= came <= high * 1.000001 for (low, high), (_, came) in zip(wide, pairs, strict=True)
    )
    assert held >= 0.9 * len(pairs)


@given(st.text(max_size=40), st.text(max_size=40))
def test_that_any_text_survives(name, note):
    entry = replace(DONE, plan_name=name, note=note)
    ledger_file().unlink(missing_ok=True)
    add_entry(entry)
    assert read_ledger() == Ledger((entry,))
