"""Readings beside a run: what they come to, and a driver that misbehaves meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.benchmark import telemetry
from planner.benchmark.result import Conditions
from planner.benchmark.telemetry import (
    Sample,
    Stay,
    Telemetry,
    conditions_of,
    limit_under_load_w,
    link_under_load,
    sample_of,
)
from planner.hardware.snapshot import PcieLink

Environment = Callable[[str], dict[str, str]]
BUSY_UUID = "GPU-5a1b7c2e-3090-4d5e-8f90-0123456789ab"


def samples(*clocks: float, step_s: float = 0.1, **fields: float) -> list[Sample]:
    return [Sample(number * step_s, sm_clock_mhz=clock, **fields) for number, clock in enumerate(clocks)]


def test_that_readings_are_joined_to_the_second_half_of_each_stay():
    stays = [Stay("a", 0.0), Stay("b", 1.0), Stay("a", 2.0), Stay("end", 3.0)]
    clocks = [100.0] * 5 + [1000.0] * 5 + [200.0] * 5 + [2000.0] * 5 + [300.0] * 5 + [1100.0] * 5 + [9.0] * 5
    by_name = {one.name: one for one in conditions_of(stays, samples(*clocks))}
    assert by_name["a"] == Conditions("a", samples=10, sm_clock_mhz=1050.0)
    assert by_name["b"].sm_clock_mhz == 2000.0
    assert set(by_name) == {"a", "b"}


def test_that_what_the_driver_does_not_tell_stays_unknown():
    (known,) = conditions_of([Stay("a", 0.0), Stay("end", 1.0)], [Sample(0.9)])
    assert known == Conditions("a", samples=1)


def test_that_a_reason_seen_once_is_an_accident_and_combinations_are_taken_apart():
    masks = [4] * 10 + [4 | 32] * 4 + [64]
    readings = [Sample(0.5 + number / 100, throttle_reasons=mask) for number, mask in enumerate(masks)]
    (known,) = conditions_of([Stay("a", 0.0), Stay("end", 1.0)], readings)
    assert known.throttle_reasons == 4 | 32


def test_that_limits_and_links_are_those_under_load():
    readings = [Sample(0.0, power_limit_w=115.0, pcie_generation=1, pcie_width=16)]
    readings += [Sample(1.0, power_limit_w=140.0, pcie_generation=4, pcie_width=16), Sample(2.0)]
    assert limit_under_load_w(readings) == 140.0
    assert link_under_load(readings, PcieLink(1, 16, 4, 16)) == PcieLink(4, 16, 4, 16)
    assert limit_under_load_w([Sample(0.0)]) is None
    assert link_under_load([Sample(0.0, pcie_width=16)], PcieLink()) is None


times = st.floats(0, 100)


@given(st.lists(times, max_size=6).map(sorted), st.lists(times, max_size=30).map(sorted))
def test_that_no_reading_is_counted_twice(begins, reading_times):
    stays = [Stay(str(number), begin_s) for number, begin_s in enumerate(begins)]
    known = conditions_of(stays, [Sample(t_s) for t_s in reading_times])
    assert sum(one.samples for one in known) <= len(reading_times)


def test_that_messages_of_other_kinds_and_of_lost_gpus_are_no_samples():
    assert sample_of({"kind": "init", "ok": True}) is None
    assert sample_of({"kind": "sample", "t_s": 1.0, "uuid": "GPU-1", "lost": True}) is None
    assert sample_of({"kind": "sample", "t_s": 1.0, "uuid": "GPU-1", "lost": False, "sm_clock_mhz": 5}) == Sample(
        1.0, sm_clock_mhz=5
    )


def wait_for(condition: Callable[[], bool], patience_s: float = 60.0) -> None:
    end_s = time.monotonic() + patience_s
    while not condition():
        assert time.monotonic() < end_s
        time.sleep(0.02)


def test_that_the_gpu_is_read_until_the_run_is_over(nvml_env: Environment):
    began_s = time.monotonic()
    with Telemetry(BUSY_UUID, nvml_env("busy")) as reader:
        wait_for(lambda: len(reader.samples) > 5)
    seen = len(reader.samples)
    assert {sample.throttle_reasons for sample in reader.samples} == {4}
    assert all(began_s < sample.t_s < time.monotonic() for sample in reader.samples)
    time.sleep(0.2)
    assert len(reader.samples) == seen


def test_that_without_a_uuid_nothing_is_read(nvml_env: Environment):
    with Telemetry(None, nvml_env("busy")) as reader:
        pass
    assert reader.samples == ()


def test_that_a_library_that_crashes_is_tried_three_times_at_most(
    nvml_env: Environment, monkeypatch: pytest.MonkeyPatch
):
    starts: list[object] = []
    original = telemetry.run_json_lines

    def counted(*args, **options):
        starts.append(args)
        return original(*args, **options)

    monkeypatch.setattr(telemetry, "run_json_lines", counted)
    reader = Telemetry("GPU-9c8d7e6f-4070-4a3b-9c2d-ba9876543210", nvml_env("crash"))
    reader.start()
    reader._thread.join(120)
    assert not reader._thread.is_alive()
    assert len(starts) == 3
    assert reader.samples == ()
