"""Speed of the whole recomputation behind a keystroke. Budget: 10 ms of one core."""

from __future__ import annotations

import time

import pytest

from planner.hardware.snapshot import Snapshot
from planner.offers.catalogue import load_offers
from planner.pipeline import PlanInputs, evaluate
from tests.decide.conftest import CARD, HOST


@pytest.mark.benchmark(timer=time.process_time)
def test_that_an_answer_is_recomputed_within_a_frame(benchmark):
    snapshot = Snapshot("2026-09-01T00:00:00Z", HOST, (CARD,))
    inputs = PlanInputs(offers=load_offers(), snapshot=snapshot, today="2026-09-01")
    benchmark(evaluate, inputs)
    assert benchmark.stats.stats.median < 0.010
