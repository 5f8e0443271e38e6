"""How well predicted memory agrees with published reports, and that the shipped files belong together.

The bounds are what was reached when the files were made, with a little room: they guard against getting worse.
"""

from __future__ import annotations

import csv

import numpy as np
import pytest

from planner.predict.calibration import fit_memory
from planner.predict.calibration.memory_cases import PEAKS, ladder_cases, memory_cases, not_covered, recipe_of
from planner.predict.calibration.memory_errors import (
    at_meter,
    memory_accuracy,
    our_peak_errors,
    peak_cases,
    predicted,
)
from planner.predict.memory_spread import KINDS, calibration, kind_of
from planner.predict.types import Fits


@pytest.fixture(scope="module")
def accuracy():
    return memory_accuracy()


def rows():
    with PEAKS.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_that_every_report_with_a_recipe_is_one_that_can_be_asked_for():
    for row in rows():
        recipe, size = recipe_of(row)
        assert recipe.batch_size >= 1
        assert size >= 1
        assert row["source"]
        assert (row["peak_gib"] != "") == (row["kind"] == "peak")


def test_that_reports_without_a_recipe_are_counted_with_a_reason():
    assert all(reason and count > 0 for reason, count in not_covered().items())
    assert len(rows()) + sum(not_covered().values()) > 1_000


def test_that_every_kind_of_training_is_calibrated_on_what_was_published():
    counts = {kind: calibration().factors[kind].cases for kind in KINDS}
    assert all(count >= 10 for count in counts.values()), counts
    for kind, factors in calibration().factors.items():
        assert factors.low <= factors.sure_below <= 1.0 or kind in ("vision", "channels_last")
        assert factors.low < 1.0 < factors.high


def test_that_peaks_are_met_far_better_than_by_rules_of_thumb(accuracy):
    ours = accuracy.peaks["ours"]
    assert ours.median_error < 0.12
    assert all(
        ours.median_error < errors.median_error / 4 for name, errors in accuracy.peaks.items() if name != "ours"
    )


def test_that_the_interval_holds_about_as_often_as_it_says(accuracy):
    assert 0.85 <= accuracy.peaks["ours"].coverage <= 0.96


def test_that_a_batch_that_did_not_run_is_seldom_promised(accuracy):
    """Rules without a batch size say the same of both rungs: right on none."""
    assert accuracy.ladder["ours"].right > 0.86
    assert accuracy.ladder["ours"].wrong_yes < 0.06
    assert accuracy.ladder["accelerate"].right == 0


def test_that_no_report_of_running_out_of_memory_is_called_a_fit(accuracy):
    assert accuracy.reports_fit["ours"].wrong_yes == 0
    assert accuracy.reports_fit["ours"].right > max(
        errors.right for name, errors in accuracy.reports_fit.items() if name != "ours"
    )


def test_that_what_the_allocator_reports_is_less_than_what_the_driver_does():
    case = next(case for case in memory_cases() if case.kind == "peak" and case.meter == "allocated")
    total = predicted(case).total_bytes
    low, likely, high = at_meter(case, predicted(case))
    assert low < likely < high
    assert likely < total.likely


def test_that_errors_are_those_of_the_cases_given():
    cases = peak_cases()[:5]
    ratios = [at_meter(case, predicted(case))[1] / case.peak_bytes for case in cases]
    assert our_peak_errors(cases).median_error == pytest.approx(np.median(np.abs(np.array(ratios) - 1)))


def test_that_the_fit_recovers_factors_from_made_up_reports():
    """Ratios spread around 1.1, groups of equal size: the scale is 1.1, and nine in ten lie in the interval."""
    drawn = np.random.default_rng(1).normal(np.log(1.1), 0.05, 400)
    groups = tuple(f"model {index % 40}" for index in range(400))
    found = fit_memory.fit(fit_memory.Ratios(groups, drawn, (), np.zeros(0), np.zeros(0)), 0.0)
    assert found.scale == pytest.approx(1.1, rel=0.01)
    inside = (drawn > np.log(found.scale * found.low)) & (drawn < np.log(found.scale * found.high))
    assert inside.mean() == pytest.approx(0.9, abs=0.02)


def test_that_the_fit_finds_the_limit_that_a_ladder_shows():
    """Runs whose need is below 1 / 1.05 of the room ran, with 2 % of noise: the scale is 1.05."""
    random = np.random.default_rng(2)
    needs = np.exp(random.uniform(-1.0, 1.0, 20_000))
    noise = np.exp(random.normal(0, 0.02, 20_000))
    runs = needs * 1.05 * noise <= 1
    rungs = np.flatnonzero(runs & (needs * 1.5 * 1.05 * noise > 1))[:600]
    ratios = fit_memory.Ratios(
        (),
        np.zeros(0),
        tuple(f"f{i % 20}" for i in range(len(rungs))),
        -np.log(needs[rungs]),
        -np.log(1.5 * needs[rungs]),
    )
    found = fit_memory.fit(ratios, 0.0)
    assert found.scale == pytest.approx(1.05, abs=0.011)
    assert found.low == pytest.approx(np.exp(-1.645 * 0.02), abs=0.02)


def test_that_the_kind_of_a_training_decides_its_factors():
    kinds = {kind_of(case.table, case.recipe, case.gpus) for case in memory_cases()}
    assert {"language", "quantised", "sharded"} <= kinds
    assert {kind_of(case.table, case.recipe, 1) for case in ladder_cases()} == {"vision", "channels_last"}


def test_that_a_verdict_is_unsure_only_near_the_limit():
    for case in memory_cases():
        found = predicted(case)
        if found.fits is Fits.UNSURE:
            assert found.total_bytes.low < found.available_bytes < 1.5 * found.total_bytes.high
