"""What a run's readings mean, and how two runs compare."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.benchmark.compare import changes, regression
from planner.benchmark.findings import in_words, notes_on
from planner.benchmark.result import BenchmarkResult, Conditions, Curve, Note, ProbeKind, ProbeResult
from planner.hardware.snapshot import PcieLink
from planner.messages import load_messages
from tests.benchmark.made import result


def gemm(time_s: float = 1e-3, name: str = "gemm_fp16_large", grade: str = "A", size: str = "4096") -> ProbeResult:
    return ProbeResult(
        name, ProbeKind.FLOPS, "matmul", "fp16", time_s, time_s / 1.01, time_s * 1.01, 1e11, 1e8, size, 16, grade
    )


def under(**fields) -> BenchmarkResult:
    """A run whose large product was measured under these conditions."""
    return result(probes=(gemm(),), conditions=(Conditions("gemm_fp16_large", 20, **fields),))


def codes(notes: tuple[Note, ...]) -> list[str]:
    messages = load_messages()
    assert all(in_words(one, messages) for one in notes)
    return [one.code.removeprefix("bench.note.") for one in notes]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"throttle_reasons": 0x4, "power_w": 345.0, "sm_clock_mhz": 1200.0}, []),  # at its limit: ordinary
        ({"throttle_reasons": 0x4, "power_w": 240.0}, ["capped_from_outside"]),
        ({"throttle_reasons": 0x24, "power_w": 345.0, "temperature_c": 84.0}, ["thermal"]),
        ({"throttle_reasons": 0x48, "temperature_c": 95.0}, ["hardware_slowdown"]),
        ({"throttle_reasons": 0x80}, ["hardware_slowdown"]),
        ({"sm_clock_mhz": 1400.0}, ["slow_clock"]),
        ({"sm_clock_mhz": 1400.0, "throttle_reasons": 0x20}, ["thermal"]),  # explained
        ({"sm_clock_mhz": 1800.0}, []),
        ({}, []),
    ],
)
def test_that_what_held_the_device_back_is_told_with_its_reason(fields, expected):
    assert codes(notes_on(under(**fields), max_sm_clock_mhz=2000.0)) == expected


def test_that_a_clock_nobody_can_judge_is_not_judged():
    assert codes(notes_on(under(sm_clock_mhz=139.0), max_sm_clock_mhz=None)) == []


def test_that_a_lowered_power_limit_is_told_with_both_numbers():
    (note,) = notes_on(result(power_limit_w=230.0), default_limit_w=350.0)
    assert "230 W instead of 350 W" in in_words(note, load_messages())
    assert codes(notes_on(result(power_limit_w=349.6), default_limit_w=350.0)) == []


def test_that_only_a_link_that_stays_narrow_under_load_is_told():
    assert codes(notes_on(result(pcie_under_load=PcieLink(4, 16, 4, 16)))) == []
    (note,) = notes_on(result(pcie_under_load=PcieLink(3, 8, 4, 16)))
    assert "3.0 ×8 of 4.0 ×16" in in_words(note, load_messages())
    assert codes(notes_on(result(pcie_under_load=PcieLink(1, 1, None, None)))) == []  # GB10's placeholders


def sustained(*times_s: float) -> BenchmarkResult:
    elapsed_s = tuple(float(number + 1) for number in range(len(times_s)))
    return result(curves=(Curve("sustained", "step_cnn", elapsed_s, times_s),))


def test_that_a_device_that_slows_down_under_load_is_told_and_one_that_goes_on_doing_so():
    assert codes(notes_on(sustained(*[1.0] * 15))) == []
    assert codes(notes_on(sustained(*[1.0] * 5, *[1.05] * 5, *[1.1] * 5))) == ["slows_down"]
    assert codes(notes_on(sustained(*[1.0] * 10, *[1.03] * 5))) == ["still_slowing"]
    assert codes(notes_on(sustained(1.0))) == []


def test_that_a_run_on_battery_is_told():
    assert codes(notes_on(result(on_battery=True))) == ["battery"]


THEN = result(probes=(gemm(), gemm(2e-3, "conv")), started_at="2026-05-03T10:00:00+00:00")


def slower(factor: float, **changed) -> BenchmarkResult:
    probes = tuple(gemm(probe.time_s * factor, probe.name) for probe in THEN.probes)
    return replace(THEN, probes=probes, started_at="2026-06-01T10:00:00+00:00", **changed)


def test_that_a_regression_is_told_with_its_date_and_what_changed():
    notes = regression(slower(1.12, power_limit_w=230.0), THEN)
    words = [in_words(one, load_messages()) for one in notes]
    assert words == [
        "12 % slower than on 2026-05-03 (median of 2 probes).",
        "The power limit is 230 W, then it was 350 W.",
    ]


def test_that_a_driver_update_that_helps_is_told():
    notes = regression(slower(0.8, driver_version="560.1", torch_version="2.6.0"), THEN)
    assert codes(notes) == ["faster", "changed_driver_version", "changed_torch_version"]
    assert dict(notes[0].values)["percent"] == "25"


def test_that_the_same_device_within_its_intervals_is_no_news():
    assert regression(THEN, THEN) == ()
    assert regression(slower(1.03), THEN) == ()


def test_that_unstable_results_and_other_sizes_are_not_compared():
    now = replace(THEN, probes=(gemm(9.0, grade="C"), gemm(9.0, "conv", size="8192")))
    assert changes(now, THEN) == ()
    assert regression(now, THEN) == ()
    unstable = replace(THEN, probes=(gemm(grade="C"),))
    assert changes(slower(2.0), unstable) == ()
