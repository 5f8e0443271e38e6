"""A measured step of the user's own model, moved to another GPU."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.door import InvalidInputError
from planner.evidence import Evidence, Range
from planner.hardware.catalogue import by_id
from planner.predict.anchor import anchored, timed
from planner.predict.device import device_from_catalogue
from planner.predict.step_time import predict_step_time
from planner.workload.job import Recipe
from planner.workload.presets import load_preset
from tests.predict.made import constant, make_device, make_table, per_sample

RECIPE = Recipe(mode="infer", batch_size=10)
COMPUTING = make_table([("linear", "forward", 2, 1, per_sample(1e12), constant(0))])
MOVING = make_table([("pointwise", "forward", 4, 1, constant(0), per_sample(1e10))])
SLOW = make_device(name="Slow", bandwidth_bytes_per_s=0.5e12)


def test_that_the_gpu_of_the_measurement_repeats_it():
    device = anchored(SLOW, SLOW, timed(3.0), COMPUTING, RECIPE)
    step = predict_step_time(COMPUTING, RECIPE, device)
    assert step.seconds.likely == pytest.approx(3.0)
    assert step.evidence is Evidence.MEASURED_JOB
    assert step.seconds.high / step.seconds.low < 1.05


def test_that_each_class_is_scaled_by_its_own_ratio():
    """The other GPU computes as fast and moves twice as much."""
    other = make_device(name="Other")
    computing = predict_step_time(COMPUTING, RECIPE, anchored(other, SLOW, timed(3.0), COMPUTING, RECIPE))
    moving = predict_step_time(MOVING, RECIPE, anchored(other, SLOW, timed(3.0), MOVING, RECIPE))
    assert computing.seconds.likely == pytest.approx(3.0)
    assert moving.seconds.likely == pytest.approx(1.5)


def test_that_a_measured_step_narrows_the_interval_of_the_3090():
    table, recipe = load_preset("resnet50"), Recipe()
    here, there = (device_from_catalogue(by_id(name)) for name in ("rtx-4090", "rtx-3090"))
    alone = predict_step_time(table, recipe, there).seconds
    known = predict_step_time(table, recipe, anchored(there, here, timed(0.05), table, recipe)).seconds
    assert known.high / known.low < alone.high / alone.low


@given(st.floats(0.01, 10), st.floats(1.01, 3))
def test_that_a_longer_measured_step_means_a_longer_one_elsewhere(seconds, factor):
    other = make_device(name="Other")
    short, long = (
        predict_step_time(MOVING, RECIPE, anchored(other, SLOW, timed(s), MOVING, RECIPE)).seconds.likely
        for s in (seconds, seconds * factor)
    )
    assert long == pytest.approx(short * factor)


def test_that_other_batches_follow_from_the_one_that_was_timed():
    device = anchored(SLOW, SLOW, timed(3.0), MOVING, RECIPE)
    double = predict_step_time(MOVING, replace(RECIPE, batch_size=20), device)
    assert double.seconds.likely == pytest.approx(6.0)


def test_that_no_time_at_all_is_refused():
    with pytest.raises(InvalidInputError, match="local_step_time_s"):
        anchored(SLOW, SLOW, Range.exactly(0.0), MOVING, RECIPE)
