"""Speed budgets of the prediction: run with ``make bench``."""

from __future__ import annotations

import numpy as np
import pytest

from planner.hardware.catalogue import by_id
from planner.predict.device import device_from_catalogue
from planner.predict.estimate import estimate
from planner.predict.table_contract import estimate_table
from planner.workload.job import Recipe
from planner.workload.optable import KINDS
from tests.predict.made import make_table

ROWS, MOMENTS = 400, 300


@pytest.fixture
def large_table():
    """As many rows as the largest presets have."""
    random = np.random.default_rng(1)
    ops = [
        (
            KINDS[i % len(KINDS)],
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
    assert benchmark.stats.stats.median < 1e-3


def test_that_a_thousand_rows_take_under_a_second(benchmark):
    device = device_from_catalogue(by_id("rtx-3090"))
    models = ("resnet50", "efficientnet_b0", "vit_b16", "unet3d", "bert_base", "gpt2", "lstm", "tabular_mlp")
    rows = [
        {"model": f"preset:{models[i % len(models)]}", "batch_size": str(1 + i % 64), "gpus": str(1 + i % 8)}
        for i in range(1000)
    ]
    list(estimate_table(rows[: len(models)], lambda _: device))  # tables are read once
    answers = benchmark.pedantic(lambda: list(estimate_table(rows, lambda _: device)), rounds=3)
    assert not any(answer["error"] for answer in answers)
    assert benchmark.stats.stats.median < 1.0
