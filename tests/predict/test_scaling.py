from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.door import InvalidInputError
from planner.evidence import Evidence, Range
from planner.predict.estimate import estimate
from planner.predict.scaling import communication, default_bandwidth, gradient_bytes
from planner.workload.job import Recipe
from tests.predict.made import make_device, make_table, tables

counts = st.integers(2, 8)
bandwidths = st.floats(1e8, 1e11)


def test_that_a_ring_moves_the_gradients_almost_twice():
    """4 GPUs, 100 MB of gradients, 1.5 GB/s: 2 · 3/4 · 0.1 / 1.5 = 0.1 s."""
    exchange = communication(make_table(), Recipe(), 4, Range.exactly(1.5e9))
    assert exchange.seconds.likely == pytest.approx(0.1)


def test_that_fsdp_moves_one_and_a_half_times_the_bytes():
    ddp, fsdp = (communication(make_table(), Recipe(strategy=s), 4, Range.exactly(1e9)) for s in ("ddp", "fsdp"))
    assert fsdp.seconds.likely == pytest.approx(1.5 * ddp.seconds.likely)


def test_that_an_adapter_has_next_to_nothing_to_exchange():
    table = make_table(trained_parameters=1000, trained_parameter_bytes=4000)
    assert gradient_bytes(table) == 4000


@pytest.mark.parametrize("count", [2, 4, 6, 8])
def test_that_default_ranges_are_those_of_the_calibration_file(count):
    low, high = {2: (2, 10), 4: (1.3, 12), 6: (1, 11), 8: (0.6, 10)}[count]
    assert default_bandwidth(count) == Range(low * 1e9, math.sqrt(low * 1e9 * high * 1e9), high * 1e9)


@pytest.mark.parametrize("count", [3, 5, 7])
def test_that_odd_counts_lie_between_their_neighbours_and_say_they_are_assumed(count):
    below, here, above = (default_bandwidth(n) for n in (count - 1, count, count + 1))
    for end in ("low", "likely", "high"):
        near, middle, far = (getattr(r, end) for r in (below, here, above))
        assert min(near, far) <= middle <= max(near, far)
    assert communication(make_table(), Recipe(), count).evidence is Evidence.ASSUMED


@pytest.mark.parametrize("count", [-1, 0, 1, 9])
def test_that_only_two_to_eight_gpus_exchange(count):
    with pytest.raises(InvalidInputError, match="2 to 8"):
        default_bandwidth(count)


def test_that_inference_exchanges_nothing():
    answer = estimate(Recipe(mode="infer"), make_device(), make_table(), gpus=4)
    assert answer.communication is None
    assert answer.samples_per_s.likely == pytest.approx(4 * 64 / answer.step.seconds.likely)


@given(tables, counts, bandwidths, st.floats(1, 100))
def test_that_more_bandwidth_never_hurts(table, count, bandwidth, factor):
    slow, fast = (
        estimate(Recipe(), make_device(), table, count, Range.exactly(b)) for b in (bandwidth, factor * bandwidth)
    )
    assert fast.step_time_s.likely <= slow.step_time_s.likely
    assert fast.samples_per_s.likely >= slow.samples_per_s.likely


@given(tables, st.integers(1, 7))
def test_that_another_gpu_never_lengthens_the_computation(table, count):
    few, more = (estimate(Recipe(), make_device(), table, n) for n in (count, count + 1))
    assert more.step.seconds == few.step.seconds
    assert more.step_time_s.likely >= more.step.seconds.likely


@pytest.mark.parametrize("count", [0, 9])
def test_that_a_count_nobody_can_have_is_refused(count):
    with pytest.raises(InvalidInputError, match="1 to 8"):
        estimate(Recipe(), make_device(), make_table(), count)
