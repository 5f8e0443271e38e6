"""Lines from the worker at the door."""

from __future__ import annotations

import math
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.benchmark import events
from planner.benchmark.events import decode
from planner.messages import load_messages
from tests.benchmark.made import DONE, HELLO, PROBE, STAGE


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (HELLO, events.Hello),
        (STAGE, events.Stage),
        (STAGE | {"index": 0, "total": 0, "eta_s": None}, events.Stage),
        ({"event": "heartbeat", "elapsed_s": 1.5}, events.Heartbeat),
        (PROBE, events.ProbeMeasured),
        ({"event": "skipped", "name": "h2d", "code": "not_applicable", "detail": "cpu"}, events.ProbeSkipped),
        ({"event": "warning", "name": "copy", "code": "out_of_memory", "detail": "256 MiB"}, events.Warned),
        ({"event": "failed", "code": "torch_missing", "detail": ""}, events.Failed),
        ({"event": "cancelled"}, events.Cancelled),
        (DONE, events.Done),
    ],
)
def test_that_each_line_becomes_its_event(line, kind):
    assert isinstance(decode(line), kind)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ({}, "no event"),
        ({"event": ["probe"]}, "no event"),
        ({"event": "surprise"}, "surprise"),
        ({"event": "done"}, "duration_s"),
        (DONE | {"extra": 1}, "extra"),
        (PROBE | {"time_s": "soon"}, "time_s"),
        (PROBE | {"time_s": math.inf}, "time_s"),
        (PROBE | {"time_s": -1.0}, "not positive"),
        (PROBE | {"time_low_s": 0.0}, "not positive"),
        (PROBE | {"time_high_s": 1e-9}, "order"),
        (PROBE | {"kind": "guess"}, "kind"),
        ({"event": "failed", "code": "made_up", "detail": ""}, "code"),
        ({"event": "skipped", "name": "copy", "code": "made_up", "detail": ""}, "made_up"),
    ],
)
def test_that_a_line_outside_the_protocol_is_malformed_and_says_why(line, says):
    event = decode(line)
    assert isinstance(event, events.Malformed)
    assert says in event.detail


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(st.sampled_from([HELLO, PROBE, STAGE, DONE]), st.data())
def test_that_decoding_never_raises(line, data):
    field = data.draw(st.sampled_from(sorted(line)))
    decode({**line, field: data.draw(json_values)})


def test_that_every_code_has_its_sentence():
    messages = load_messages()
    codes = [
        *(f"bench.error.{code}.{part}" for code in get_args(events.FailureCode) for part in ("title", "action")),
        *(f"bench.note.{code}" for code in get_args(events.WarningCode)),
        *(f"bench.skipped.{code}" for code in events.SKIP_CODES),
        *(f"bench.grade.{grade}" for grade in "ABC"),
    ]
    assert [code for code in codes if not messages.knows(code)] == []
