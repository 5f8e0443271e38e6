"""A machine that was detected plays again on the mock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from planner.hardware import demo, gpus
from planner.hardware.checks import Findings, examine
from planner.hardware.gpus import DriverReading, read_gpus
from planner.hardware.scenario import scenario_of
from planner.hardware.snapshot import Gpu, Host, Interpreter, Snapshot
from planner.units import GIB

Environment = Callable[[str], dict[str, str]]
HOST = Host("Linux 6.1", "anna-laptop", "CPU", 8, 16, 64 * GIB, 50 * GIB, "/home/anna", 1, 1, None, None)


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpus, "INIT_DEADLINE_S", 60.0)
    monkeypatch.setattr(gpus, "CALL_DEADLINE_S", 30.0)


def snapshot_of(reading: DriverReading) -> Snapshot:
    python = Interpreter("/home/anna/env/bin/python", "conda", "3.11", "2.6.0", gpu_problem="cuda_fails")
    return Snapshot(
        "2026-03-01T10:00:00+00:00",
        HOST,
        reading.gpus,
        reading.driver_version,
        reading.cuda_driver_version,
        examine(Findings(None, reading, HOST, (python,))),
        (python,),
    )


def without_identity(found: tuple[Gpu, ...]) -> list[Gpu]:
    """What a scenario promises: not the serial number, the number, nor what moves while it is read."""
    moving = {"memory_free_bytes": None, "power_draw_w": None, "temperature_c": None, "utilisation_percent": None}
    return [replace(gpu, uuid=None, index=0, sm_clock_mhz=None, processes=(), **moving) for gpu in found]


@pytest.mark.parametrize(
    "scenario",
    ["two_gpus", "lost", "unified_memory", "mig", "vgpu", "wddm", "rubbish_processes", "power_brake",
     "mig_without_slices", "laptop"],
)  # fmt: skip
def test_that_a_saved_machine_is_detected_as_the_same_again(
    tmp_path: Path, nvml_mock_library: Path, nvml_env: Environment, scenario: str
) -> None:
    first = read_gpus(HOST, nvml_env=nvml_env(scenario))
    file = tmp_path / "report.txt"
    file.write_text(scenario_of(snapshot_of(first)))
    again = read_gpus(HOST, nvml_env=demo.scenario_environment(nvml_mock_library, file))
    assert without_identity(again.gpus) == without_identity(first.gpus)
    assert (again.driver_version, again.cuda_driver_version) == (first.driver_version, first.cuda_driver_version)


@pytest.mark.parametrize("problem", ["driver_not_loaded", "version_mismatch", "no_permission"])
def test_that_a_driver_that_did_not_start_does_not_start_again(
    tmp_path: Path, nvml_mock_library: Path, problem: str
) -> None:
    file = tmp_path / "report.txt"
    file.write_text(scenario_of(snapshot_of(DriverReading(problem=problem, detail="?"))))
    assert read_gpus(HOST, nvml_env=demo.scenario_environment(nvml_mock_library, file)).problem == problem


def test_that_a_driver_that_hung_hangs_again() -> None:
    assert "hang = nvmlInitWithFlags" in scenario_of(snapshot_of(DriverReading(problem="hung"))).splitlines()


def test_that_nothing_of_the_user_is_in_it() -> None:
    gpu = Gpu(0, "GPU-5a1b7c2e-3090-4d5e-8f90-0123456789ab", "RTX #1 “3090”", 24 * GIB, 20 * GIB)
    text = scenario_of(snapshot_of(DriverReading((gpu,), "550.54", "12.4", answered=True)))
    assert "anna" not in text
    assert "5a1b7c2e" not in text
    assert "name = RTX \\x231 \\xe2\\x80\\x9c3090\\xe2\\x80\\x9d" in text
