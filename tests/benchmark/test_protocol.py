"""The protocol's statistics, in virtual time: what a device does is known exactly."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.benchmark.worker.protocol import (
    AGREEMENT,
    BLOCK_S,
    CALL_LIMIT_S,
    MEMORY_SHARE,
    VISIT_LIMIT_S,
    NoSizeError,
    Visit,
    choose_size,
    estimate,
    estimate_of,
    keep_busy,
    needs_another,
    visit,
)
from planner.benchmark.worker.sentinel import Sentinel
from tests.benchmark.virtual import NOMINAL_HZ, VirtualDevice, make_probe

CALL_S = 1e-3
FLOOR = 0.005


def never() -> None:
    """Nobody cancels."""


def visit_of(device: VirtualDevice, warm_up_s: float = 0.35, blocks: int = 8, call_s: float = CALL_S):
    return visit(device, lambda: call_s, call_s, warm_up_s, blocks, never).means


def estimate_on(device: VirtualDevice, pause_s: float = 0.0):
    """Two visits, ``pause_s`` of other work between them."""
    first = visit_of(device)
    if pause_s:
        device.time_calls(lambda: pause_s, 1)
    return estimate([first, visit_of(device)], FLOOR, AGREEMENT)


def test_that_a_steady_device_gets_grade_a_and_the_floor_as_interval():
    measured = estimate_on(VirtualDevice())
    assert measured.time_s == pytest.approx(CALL_S)
    assert (measured.grade, measured.blocks) == ("A", 16)
    assert measured.high_s / measured.time_s - 1 == pytest.approx(1.645 * FLOOR, rel=0.01)


def test_that_a_cold_start_is_not_measured():
    """Clocks that take 0.3 s to rise make the first calls 60 % slower; the warm-up outlasts them."""
    measured = estimate_on(VirtualDevice(lambda now_s: 1.6 - 2 * now_s if now_s < 0.3 else 1.0))
    assert measured.time_s == pytest.approx(CALL_S)
    assert measured.grade == "A"


def test_that_the_cold_start_would_be_measured_without_warming_up():
    device = VirtualDevice(lambda now_s: 1.6 - 2 * now_s if now_s < 0.3 else 1.0)
    assert statistics.median(visit_of(device, warm_up_s=0.0)) > 1.2 * CALL_S


def test_that_one_foreign_burst_does_not_move_the_value():
    measured = estimate_on(VirtualDevice(lambda now_s: 6.0 if 0.40 < now_s < 0.44 else 1.0))
    assert measured.time_s == pytest.approx(CALL_S, rel=1e-6)
    assert measured.grade == "A"


@pytest.mark.parametrize(("drift", "grade"), [(0.01, "A"), (0.04, "B"), (0.2, "C")])
def test_that_a_device_that_becomes_slower_is_graded_by_how_much(drift, grade):
    measured = estimate_on(VirtualDevice(lambda now_s: 1.0 if now_s < 2 else 1.0 + drift), pause_s=2.0)
    assert measured.grade == grade
    assert measured.low_s < CALL_S
    assert measured.high_s > CALL_S * (1 + drift)


def test_that_the_two_lowest_visits_count():
    visits = [(1.5e-3,) * 8, (1.0e-3,) * 8, (1.01e-3,) * 8]
    measured = estimate(visits, FLOOR, AGREEMENT)
    assert measured.time_s == pytest.approx(1.005e-3)
    assert measured.grade == "A"


def test_that_a_single_visit_is_never_called_steady():
    once = estimate([(CALL_S,) * 8], FLOOR, AGREEMENT)
    twice = estimate([(CALL_S,) * 8] * 2, FLOOR, AGREEMENT)
    assert once.grade == "C"
    assert once.high_s > twice.high_s


positive = st.floats(1e-7, 1.0)


@given(st.lists(st.lists(positive, min_size=1, max_size=8).map(tuple), min_size=1, max_size=4), st.floats(0, 0.1))
def test_that_the_interval_is_positive_and_holds_the_value(visits, floor):
    measured = estimate(visits, floor, AGREEMENT)
    assert 0 < measured.low_s <= measured.time_s <= measured.high_s


@given(st.lists(positive, min_size=8, max_size=8).map(tuple), st.floats(1.0, 1.5), st.floats(0.0, 0.5))
def test_that_visits_further_apart_are_never_surer(visit_s, apart, more):
    def width(factor: float) -> float:
        measured = estimate([visit_s, tuple(mean * factor for mean in visit_s)], FLOOR, AGREEMENT)
        return measured.high_s / measured.low_s

    assert width(apart + more) >= width(apart) * (1 - 1e-9)


@pytest.mark.parametrize("call_s", [3e-6, 1e-4, 7e-3, 0.019])
def test_that_no_queued_block_is_much_longer_than_20_ms(call_s):
    device = VirtualDevice()
    visit_of(device, call_s=call_s)
    assert max(device.blocks_s) <= BLOCK_S * 1.5


def test_that_a_visit_of_a_device_that_has_become_slow_ends_early():
    device = VirtualDevice(lambda now_s: 1.0 if now_s < 0.36 else 500.0)
    means = visit_of(device)
    assert 1 <= len(means) < 8
    assert device.now() < VISIT_LIMIT_S + 2 * 500 * BLOCK_S


def test_that_a_run_can_be_stopped_between_any_two_blocks():
    class StopError(Exception):
        pass

    for allowed in range(12):
        device, asked = VirtualDevice(), 0

        def check() -> None:
            nonlocal asked
            asked += 1
            if asked > allowed:  # noqa: B023 - called in this turn of the loop
                raise StopError

        with pytest.raises(StopError):
            visit(device, lambda: CALL_S, CALL_S, 0.1, 20, check)
        assert len(device.blocks_s) == allowed


def cubic(size: int) -> float:
    return size**3 * 1e-9


LADDER = (64, 128, 256, 512, 1024)


def test_that_the_largest_size_within_20_ms_is_measured():
    sizing = choose_size(VirtualDevice(), make_probe(cubic, LADDER), never)
    assert (sizing.size, sizing.out_of_memory) == (256, "")
    assert sizing.call_s <= CALL_LIMIT_S


def test_that_a_fast_device_gets_the_wanted_size():
    assert choose_size(VirtualDevice(), make_probe(lambda n: cubic(n) / 1e3, LADDER), never).size == 1024


def test_that_a_disturbed_call_does_not_shrink_the_size():
    device = VirtualDevice(lambda now_s: 40.0 if now_s < 0.05 else 1.0)
    assert choose_size(device, make_probe(cubic, LADDER), never).size == 256


def test_that_the_one_off_cost_of_the_first_call_does_not_shrink_the_size():
    calls = iter([0.4] + [1e-3] * 100)
    assert choose_size(VirtualDevice(), make_probe(lambda n: next(calls), LADDER), never).size == 1024


def test_that_out_of_memory_shrinks_the_size_and_says_which_was_tried():
    sizing = choose_size(VirtualDevice(), make_probe(lambda n: 1e-4, LADDER, memory=300), never)
    assert (sizing.size, sizing.out_of_memory) == (256, "512")


def test_that_a_quarter_of_the_free_memory_is_not_exceeded():
    """It is not even tried: other programs need the rest."""
    built = []
    probe = make_probe(lambda n: 1e-4, LADDER, footprint=lambda n: n * 100.0)
    original = probe.build
    object.__setattr__(probe, "build", lambda n: built.append(n) or original(n))
    sizing = choose_size(VirtualDevice(free_bytes=int(512 * 100 / MEMORY_SHARE)), probe, never)
    assert sizing.size == max(built) == 512
    assert sizing.out_of_memory == "1024"


def test_that_no_memory_even_for_the_smallest_size_is_a_result():
    with pytest.raises(NoSizeError) as caught:
        choose_size(VirtualDevice(), make_probe(sizes=LADDER, memory=10), never)
    assert (caught.value.code, caught.value.detail) == ("out_of_memory", "64")


def test_that_a_device_too_slow_for_the_smallest_size_is_a_result():
    with pytest.raises(NoSizeError) as caught:
        choose_size(VirtualDevice(), make_probe(lambda n: 3.0, LADDER), never)
    assert caught.value.code == "too_slow"


def test_that_other_errors_are_not_taken_for_lack_of_memory():
    def build(size: int):
        raise RuntimeError("not implemented for 'Half'")

    with pytest.raises(RuntimeError, match="Half"):
        choose_size(VirtualDevice(), make_probe(sizes=LADDER, build=build), never)


@given(st.floats(1e-13, 1e-7), st.floats(0.0, 1e-4), st.integers(50, 1100))
def test_that_no_call_takes_much_longer_than_a_block_while_the_size_is_looked_for(pace_s, launch_s, memory):
    """The largest size within the limits is found, whatever the speed, by calls of a bounded length."""
    device = VirtualDevice()
    probe = make_probe(lambda n: launch_s + n**3 * pace_s, LADDER, memory=memory)
    fitting = [n for n in LADDER if n <= memory]
    quick = [n for n in fitting if launch_s + n**3 * pace_s <= CALL_LIMIT_S]
    try:
        sizing = choose_size(device, probe, never)
    except NoSizeError:
        assert not quick
    else:
        assert sizing.size == (quick[-1] if quick else LADDER[0])
        assert max(device.blocks_s) <= max(8 * CALL_LIMIT_S, 64**3 * pace_s + launch_s)


def test_that_a_fast_device_does_not_try_every_size():
    device = VirtualDevice()
    choose_size(device, make_probe(lambda n: 1e-6 + n**3 * 1e-14, LADDER), never)
    assert len(device.blocks_s) == 2 * 2  # the smallest and the largest, two calls each


def with_sentinel(device: VirtualDevice) -> Sentinel:
    return Sentinel(device, lambda: 1e-3, 1e-3)


def visits_with(device: VirtualDevice, count: int) -> list[Visit]:
    sentinel = with_sentinel(device)
    return [visit(device, lambda: CALL_S, CALL_S, 0.1, 8, never, sentinel) for _ in range(count)]


def lowered(now_s: float) -> float:
    """A clock that heat and a power cap bring down for good, by a fifth."""
    return NOMINAL_HZ * max(0.8, 1.0 - 0.2 * now_s)


def test_that_a_falling_clock_is_not_taken_for_another_program():
    assert not any(one.disturbed for one in visits_with(VirtualDevice(clock_hz=lowered), 6))


def test_that_another_program_is_noticed_although_the_clock_falls():
    device = VirtualDevice(lambda now_s: 1.3 if 0.5 < now_s < 0.9 else 1.0, clock_hz=lowered)
    disturbed = [one.disturbed for one in visits_with(device, 6)]
    assert any(disturbed)
    assert not disturbed[0]
    assert not disturbed[-1]


def test_that_without_a_clock_a_device_that_settles_lower_is_not_disturbed_for_ever():
    device = VirtualDevice(lambda now_s: 1.0 if now_s < 0.5 else 1.2)
    disturbed = [one.disturbed for one in visits_with(device, 12)]
    assert any(disturbed)
    assert not any(disturbed[-4:])


def test_that_two_undisturbed_visits_make_disturbed_ones_count_for_nothing():
    slow, clean = Visit((1.5e-3,) * 8, disturbed=True), Visit((1e-3,) * 8)
    measured = estimate_of([slow, clean, clean], FLOOR, AGREEMENT)
    assert (measured.time_s, measured.grade) == (pytest.approx(1e-3), "A")
    assert estimate_of([slow, clean], FLOOR, AGREEMENT).grade == "C"
    assert estimate_of([Visit((1e-3,) * 8, disturbed=True)] * 2, FLOOR, AGREEMENT).grade == "C"


@pytest.mark.parametrize(
    ("visits", "expected"),
    [
        ([(1.0, False), (1.01, False)], False),
        ([(1.0, False), (1.03, False)], True),
        ([(1.0, False), (1.01, True)], True),
        ([(1.2, False), (1.0, False), (1.01, False)], False),
        ([(1.0, True), (1.0, True), (1.0, False)], True),
    ],
)
def test_that_a_probe_is_visited_again_until_two_undisturbed_visits_agree(visits, expected):
    seen = [Visit((milliseconds * 1e-3,) * 8, disturbed) for milliseconds, disturbed in visits]
    assert needs_another(seen, AGREEMENT) is expected


def test_that_a_device_kept_busy_shows_when_it_becomes_slower():
    device = VirtualDevice(clock_hz=lambda now_s: NOMINAL_HZ * (1.0 if now_s < 2.0 else 0.9))
    ends_s, times_s = keep_busy(device, lambda: CALL_S, CALL_S, 4.0, never)
    assert ends_s == sorted(ends_s)
    assert ends_s[-1] >= 4.0
    assert times_s[0] == pytest.approx(CALL_S)
    assert times_s[-1] == pytest.approx(CALL_S / 0.9)
    assert max(device.blocks_s) <= 1.5 * BLOCK_S
