"""Hosts of more cards than are weighed: predicted like the others, without a price."""

from __future__ import annotations

import pytest

from planner.decide.hosts import LARGER_COUNTS
from planner.pipeline import PlanInputs, evaluate, larger_hosts
from planner.workload.job import Job, Recipe


def test_that_hosts_of_7_and_8_cards_go_on_where_the_weighed_ones_end():
    inputs = PlanInputs()
    found, weighed = larger_hosts(inputs), evaluate(inputs).options
    assert tuple(option.gpu_count for option in found) == LARGER_COUNTS == (7, 8)
    for option in found:
        assert option.cost_usd is None
        assert option.speedup is not None
        assert option.speedup.low <= option.speedup.likely <= option.speedup.high
    efficiency = [option.speedup.likely / option.gpu_count for option in (*weighed[1:], *found)]
    assert efficiency == pytest.approx(sorted(efficiency, reverse=True))


def test_that_a_job_that_cannot_be_planned_has_no_larger_hosts():
    assert larger_hosts(PlanInputs(job=Job(recipe=Recipe(model="preset:unheard_of")))) == ()
