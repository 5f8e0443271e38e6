"""Speed budgets of the prediction: run with ``make bench``."""

from __future__ import annotations

import numpy as np
import pytest

from planner.hardware.catalogue import by_id
from planner.predict.device import device_from_catalogue
from planner.predict.estimate import estimate
from planner.workload.job import Recipe
from planner.workload.optable import OP_CLASSES
from tests.predict.made import make_table

ROWS, MOMENTS = 400, 300


@pytest.fixture
def large_table():
    """As many rows as the largest presets have."""
    random = np.random.default_rng(1)
    ops = [
        (
            OP_CLASSES[i % 15],
            ("forward", "backward")[i % 2],
            2,
            4,
            random.uniform(0, 1e9, 6),
            random.uniform(0, 1e6, 6),
        )
        for i in range(ROWS)
    ]
    return make_table(ops, live=random.uniform(0, 1e8, (MOMENTS, 6)).tolist())


def test_that_one_estimate_takes_under_a_millisecond(benchmark, large_table):
    device = device_from_catalogue(by_id("rtx-3090"))
    benchmark(estimate, Recipe(), device, large_table, 4)
    if benchmark.stats is not None:  # None: benchmarks are disabled
        assert benchmark.stats.stats.median < 1e-3
