"""The whole way, from a shipped preset to the step, against measurements of the same architecture.

The published table is what the RTX 3090's efficiencies were fitted on: this guards the chain, it is no accuracy
claim (the errors on families held out are in ``resources/calibration/rtx3090.json``).
"""

from __future__ import annotations

import csv

import pytest

from planner.hardware.catalogue import by_id
from planner.predict.calibration.traced import TRAINING as MEASUREMENTS
from planner.predict.device import device_from_catalogue
from planner.predict.estimate import estimate
from planner.predict.types import Fits
from planner.workload.job import Recipe
from planner.workload.presets import load_preset

PRESET_OF = {"resnet50": "resnet50", "convnext_base": "convnext_b"}


def published():
    with MEASUREMENTS.open(encoding="utf-8", newline="") as stream:
        return [
            row
            for row in csv.DictReader(stream)
            if row["architecture"] in PRESET_OF and row["image_size"] == "224"
        ]


def predicted(row, batch):
    recipe = Recipe(
        batch_size=int(batch), optimizer="momentum", software="torch1.12", memory_format=row["memory_format"]
    )
    device = device_from_catalogue(by_id("rtx-3090"))
    table = load_preset(PRESET_OF[row["architecture"]], "amp", "none", row["memory_format"])
    return estimate(recipe, device, table)


@pytest.mark.parametrize("row", published(), ids=lambda row: f"{row['architecture']}-{row['memory_format']}")
def test_that_a_published_step_lies_in_the_interval_and_its_batch_is_not_refused(row):
    answer = predicted(row, row["batch_size"])
    assert answer.step_time_s.low <= float(row["step_time_ms"]) / 1e3 <= answer.step_time_s.high
    assert answer.memory.fits is not Fits.NO


def test_that_a_batch_that_did_not_run_is_not_promised():
    rows = [row for row in published() if row["next_batch_that_did_not_fit"]]
    assert rows
    for row in rows:
        assert predicted(row, row["next_batch_that_did_not_fit"]).memory.fits is not Fits.YES
