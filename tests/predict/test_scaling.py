from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.door import InvalidInputError
from planner.evidence import Evidence, Range
from planner.paths import RESOURCES
from planner.predict.estimate import estimate
from planner.predict.scaling import (
    communication,
    default_bandwidth,
    gradient_bytes,
    measured_bandwidth,
    waiting_share,
)
from planner.workload.job import Recipe
from tests.predict.made import make_device, make_table, tables

counts = st.integers(2, 8)
bandwidths = st.floats(1e8, 1e11)


def test_that_a_ring_moves_the_gradients_almost_twice():
    """4 GPUs, 100 MB of gradients, 1.5 GB/s: 2 · 3/4 · 0.1 / 1.5 = 0.1 s."""
    exchange = communication(make_table(), Recipe(), 4, 1.0, Range.exactly(1.5e9))
    assert exchange.seconds.likely == pytest.approx(0.1)


def test_that_fsdp_moves_one_and_a_half_times_the_bytes():
    ddp, fsdp = (
        communication(make_table(), Recipe(strategy=s), 4, 1.0, Range.exactly(1e9)) for s in ("ddp", "fsdp")
    )
    assert fsdp.seconds.likely == pytest.approx(1.5 * ddp.seconds.likely)


def test_that_accumulated_micro_batches_share_one_exchange():
    each, shared = (
        communication(make_table(), Recipe(accumulation_steps=k), 4, 1.0, Range.exactly(1e9)) for k in (1, 8)
    )
    assert shared.seconds.likely == pytest.approx(each.seconds.likely / 8)


def test_that_an_adapter_has_next_to_nothing_to_exchange():
    table = make_table(trained_parameters=1000, trained_parameter_bytes=4000)
    assert gradient_bytes(table) == 4000


def test_that_default_ranges_are_those_of_the_calibration_file():
    data = json.loads((RESOURCES / "calibration" / "bus_bandwidth.json").read_text())
    for count, numbers in data["ranges_gbs"].items():
        assert default_bandwidth(int(count)) == Range(*numbers).scaled(1e9)


def test_that_all_wait_for_the_slowest_card_and_longer_the_more_there_are():
    assert waiting_share(1) == Range.exactly(0.0)
    shares = [waiting_share(count).likely for count in range(1, 9)]
    assert shares == sorted(shares)
    exchange = communication(make_table(), Recipe(), 2, 10.0)
    # The expected larger of two standard normal deviations is 1 / √π.
    assert exchange.waiting_s.likely == pytest.approx(10 * 0.025 / math.sqrt(math.pi), rel=1e-3)
    assert exchange.total_s.likely == exchange.seconds.likely + exchange.waiting_s.likely


@given(counts, st.floats(0.01, 10), st.floats(0.2, 50), st.floats(1e7, 1e10))
def test_that_a_measured_bandwidth_gives_the_measured_step_back(count, step_1_s, slower, exchanged):
    step_n_s = step_1_s * (1 + waiting_share(count).likely + slower)
    found = measured_bandwidth(step_1_s, step_n_s, exchanged, count)
    table = make_table(trained_parameters=1, trained_parameter_bytes=int(exchanged))
    exchange = communication(table, Recipe(), count, step_1_s, found)
    assert step_1_s + exchange.total_s.likely == pytest.approx(step_n_s, rel=1e-3)


def test_that_an_exchange_lost_in_the_noise_leaves_the_bandwidth_wide_open():
    clear, lost = (measured_bandwidth(1.0, step_s, 1e9, 2) for step_s in (2.0, 1.0))
    assert lost.likely > 10 * clear.likely
    assert lost.high / lost.low > 1.5 * clear.high / clear.low


@pytest.mark.parametrize("count", [5, 7])
def test_that_odd_counts_lie_between_their_neighbours_and_say_they_are_assumed(count):
    below, here, above = (default_bandwidth(n) for n in (count - 1, count, count + 1))
    for end in ("low", "likely", "high"):
        near, middle, far = (getattr(r, end) for r in (below, here, above))
        assert min(near, far) <= middle <= max(near, far)
    assert communication(make_table(), Recipe(), count, 1.0).evidence is Evidence.ASSUMED


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
