"""From a step that was measured to the step on another GPU.

A measured step of the very model says what no table of ops can: how well its kernels fit the software. Every class
of op is scaled from one GPU to the other by what both make of it, weighted by its share of the step:

    step on target = measured step · predicted step on target / predicted step where it was measured
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from planner.door import InvalidInputError, Problem
from planner.evidence import Evidence, Range, weakest
from planner.predict.step_time import NORMAL_90, predict_step_time
from planner.predict.types import DeviceModel
from planner.workload.job import Recipe
from planner.workload.optable import OpTable

# Repeated timings of one step agree within about so much (duplicates in published tables: 0.1 %, at worst 1 %).
_TIMING_SPREAD = 0.02


def timed(step_s: float) -> Range:
    """The interval of a step time that was measured once, in seconds."""
    return Range(step_s * (1 - _TIMING_SPREAD), step_s, step_s * (1 + _TIMING_SPREAD))


def anchored(
    device: DeviceModel, measured_on: DeviceModel, measured_s: Range, table: OpTable, recipe: Recipe
) -> DeviceModel:
    """``device`` as a step of this recipe, measured on another GPU or on this one, makes it known.

    ``measured_s``: seconds of one step of ``recipe`` on ``measured_on``. The device that is returned predicts any
    batch of this model; not other models. Raises InvalidInputError for a measured time that is not positive and
    for a table that does not serve the recipe.
    """
    if measured_s.low <= 0:
        raise InvalidInputError(recipe.model, (Problem("local_step_time_s", "must be more than 0 seconds"),))
    predicted = predict_step_time(table, recipe, measured_on)
    at_level = device.at(recipe.software, recipe.mode)
    same = device.name == measured_on.name
    between = 0.0 if same else math.hypot(device.sigma_anchored, measured_on.sigma_anchored)
    measurement = math.log(measured_s.high / measured_s.low) / 2 / NORMAL_90
    return replace(
        at_level,
        step_factor=at_level.step_factor * measured_s.likely / predicted.seconds.likely,
        sigma_model=math.hypot(between, measurement),
        sigma_by_kind=np.zeros(1),
        sigma_channels_last=0.0,
        sigma_host=0.0,
        sigma_fused=0.0,  # the compiler joins the same kernels on both
        sigma_device=0.0 if same else at_level.sigma_device,
        evidence=Evidence.MEASURED_JOB if same else weakest(Evidence.MEASURED_JOB, at_level.evidence),
        software=None,
        mode=None,
        levels={},
    )
