"""The driver's answers, through the real nvidia-ml-py and a mock of NVIDIA's library."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from planner.children import python_child_argv, python_child_env
from planner.hardware import demo, gpus
from planner.hardware.gpus import DriverReading, matching_gpu, read_gpus, watch_argv
from planner.hardware.snapshot import Gpu, GpuProcess, Host, PcieLink, TorchDevice
from planner.processes import run_json_lines
from planner.units import GIB, MIB

Environment = Callable[[str], dict[str, str]]
HOST = Host("Linux 6.1", "box", "CPU", 8, 16, 64 * GIB, 50 * GIB, "/", 10**12, 10**11, None, None)


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loaded test machine must not look like a hanging driver."""
    monkeypatch.setattr(gpus, "INIT_DEADLINE_S", 60.0)
    monkeypatch.setattr(gpus, "CALL_DEADLINE_S", 30.0)


@pytest.fixture
def play(tmp_path: Path, nvml_mock_library: Path) -> Callable[[str], DriverReading]:
    """Read the GPUs of a scenario given as text."""

    def read(text: str) -> DriverReading:
        file = tmp_path / "scenario.txt"
        file.write_text(text)
        return read_gpus(HOST, nvml_env=demo.scenario_environment(nvml_mock_library, file))

    return read


def scenario_text(name: str) -> str:
    return (demo.MOCK_SOURCE.parent / "scenarios" / f"{name}.txt").read_text()


def test_that_a_healthy_3090_is_read_completely(nvml_env: Environment) -> None:
    reading = read_gpus(HOST, nvml_env=nvml_env("healthy_3090"))
    assert (reading.answered, reading.problem) == (True, None)
    assert (reading.driver_version, reading.cuda_driver_version) == ("550.54.14", "12.4")
    (gpu,) = reading.gpus
    assert gpu.uuid == "GPU-5a1b7c2e-3090-4d5e-8f90-0123456789ab"
    assert gpu.name == "NVIDIA GeForce RTX 3090"
    assert gpu.catalogue_id == "rtx-3090"
    assert (gpu.compute_capability, gpu.pci_device_id, gpu.pci_bus_id) == ("8.6", "2204", "00000000:01:00.0")
    assert gpu.pcie == PcieLink(4, 16, 4, 16)
    assert gpu.memory_total_bytes == 24 * GIB
    assert gpu.memory_free_bytes is not None
    # 24576 MiB − 300 reserved − (900 ± 120) used
    assert 23256 * MIB <= gpu.memory_free_bytes <= 23496 * MIB
    assert (gpu.power_limit_w, gpu.power_limit_default_w, gpu.memory_clock_mhz) == (350.0, 350.0, 9501)
    assert gpu.power_draw_w is not None
    assert 35 <= gpu.power_draw_w <= 85
    assert (gpu.display_active, gpu.process_count, gpu.lost, gpu.memory_is_shared) == (True, 0, False, False)


def test_that_two_gpus_keep_their_own_identity(nvml_env: Environment) -> None:
    first, second = read_gpus(HOST, nvml_env=nvml_env("two_gpus")).gpus
    assert (first.catalogue_id, second.catalogue_id) == ("rtx-4070", "rtx-3090")
    assert (first.index, second.index) == (0, 1)
    assert first.uuid != second.uuid


def test_that_a_lost_gpu_does_not_hide_the_others(nvml_env: Environment) -> None:
    reading = read_gpus(HOST, nvml_env=nvml_env("lost"))
    lost, good = reading.gpus
    assert reading.problem is None
    assert lost.lost
    assert lost.memory_total_bytes is None
    assert not lost.memory_is_shared
    assert (good.lost, good.name, good.power_limit_w) == (False, "NVIDIA GeForce RTX 4070", 200.0)


def test_that_a_gpu_lost_between_two_calls_keeps_what_it_said_before(play: Callable[[str], DriverReading]) -> None:
    reading = play(scenario_text("healthy_3090") + "fail.nvmlDeviceGetEnforcedPowerLimit = 15\n")
    (gpu,) = reading.gpus
    assert gpu.lost
    assert gpu.memory_total_bytes == 24 * GIB
    assert (gpu.power_limit_w, gpu.temperature_c) == (None, None)


def test_that_a_hang_keeps_what_was_read_before_it(nvml_env: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpus, "CALL_DEADLINE_S", 0.5)
    reading = read_gpus(HOST, nvml_env=nvml_env("hang"), deadline_s=60)
    (gpu,) = reading.gpus
    assert (reading.problem, reading.answered, reading.detail) == ("hung", True, "silent for 0.5 s")
    assert gpu.memory_total_bytes == 24 * GIB
    assert gpu.power_limit_w is None


def test_that_a_driver_that_hangs_at_once_is_given_up(
    nvml_env: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpus, "INIT_DEADLINE_S", 0.5)
    reading = read_gpus(HOST, nvml_env=nvml_env("hang_at_init"))
    assert reading == DriverReading(problem="hung", detail="silent for 0.5 s")


def test_that_a_crash_in_one_gpu_keeps_both(nvml_env: Environment) -> None:
    reading = read_gpus(HOST, nvml_env=nvml_env("crash"))
    assert (reading.problem, reading.detail) == ("crashed", "killed by SIGSEGV")
    assert [gpu.name for gpu in reading.gpus] == ["NVIDIA GeForce RTX 3090", "NVIDIA GeForce RTX 4070"]
    assert reading.gpus[0].power_limit_w == 350.0


@pytest.mark.parametrize(
    ("scenario", "problem"),
    [("driver_mismatch", "version_mismatch"), ("driver_not_loaded", "driver_not_loaded")],
)
def test_that_a_driver_that_does_not_start_says_why(nvml_env: Environment, scenario: str, problem: str) -> None:
    reading = read_gpus(HOST, nvml_env=nvml_env(scenario))
    assert (reading.answered, reading.problem, reading.gpus) == (False, problem, ())
    assert reading.detail


def test_that_a_driver_without_the_newer_functions_is_read_with_the_older_ones(
    old_nvml_mock_library: Path,
) -> None:
    scenario = demo.MOCK_SOURCE.parent / "scenarios" / "old_driver.txt"
    reading = read_gpus(HOST, nvml_env=demo.scenario_environment(old_nvml_mock_library, scenario))
    (gpu,) = reading.gpus
    assert (reading.problem, reading.driver_version) == (None, "470.256.02")
    assert gpu.memory_total_bytes == 24 * GIB  # version 1 of the memory call
    assert gpu.process_count is None  # nvidia-ml-py raises NVMLLibraryMismatchError here
    assert gpu.display_active is True


def test_that_a_name_that_is_no_text_is_replaced_by_the_catalogues(nvml_env: Environment) -> None:
    (gpu,) = read_gpus(HOST, nvml_env=nvml_env("garbage_name")).gpus
    assert gpu.name == "NVIDIA GeForce RTX 3090"


def test_that_an_unknown_card_with_a_name_that_is_no_text_still_has_one(
    play: Callable[[str], DriverReading],
) -> None:
    text = scenario_text("garbage_name").replace("2204", "FFFF")
    (gpu,) = play(text).gpus
    assert gpu.catalogue_id is None
    assert gpu.name == "NVIDIA ��� RTX"


def test_that_memory_nobody_reports_is_the_hosts_and_called_shared(nvml_env: Environment) -> None:
    (gpu,) = read_gpus(HOST, nvml_env=nvml_env("unified_memory")).gpus
    assert gpu.memory_is_shared
    assert (gpu.memory_total_bytes, gpu.memory_free_bytes) == (64 * GIB, 50 * GIB)
    assert (gpu.power_limit_w, gpu.memory_clock_mhz, gpu.display_active) == (None, None, None)


def test_that_programs_of_others_are_listed_with_what_they_hold(play: Callable[[str], DriverReading]) -> None:
    text = scenario_text("busy") + f"process_pid = {os.getpid()}\n"
    (gpu,) = play(text).gpus
    assert gpu.process_count == 2
    assert gpu.processes[0] == GpuProcess(os.getpid(), psutil.Process().name(), GIB)
    assert gpu.utilisation_percent is not None
    assert gpu.utilisation_percent >= 95


REFUSED = {
    "nvmlDeviceGetUUID": ("uuid",),
    "nvmlDeviceGetName": (),
    "nvmlDeviceGetPciInfo_v3": ("pci_bus_id", "pci_device_id"),
    "nvmlDeviceGetCudaComputeCapability": ("compute_capability",),
    "nvmlDeviceGetEnforcedPowerLimit": ("power_limit_w",),
    "nvmlDeviceGetPowerManagementDefaultLimit": ("power_limit_default_w",),
    "nvmlDeviceGetPowerUsage": ("power_draw_w",),
    "nvmlDeviceGetTemperature": ("temperature_c",),
    "nvmlDeviceGetUtilizationRates": ("utilisation_percent",),
    "nvmlDeviceGetClockInfo": ("sm_clock_mhz", "memory_clock_mhz"),
    "nvmlDeviceGetDisplayActive": ("display_active",),
    "nvmlDeviceGetComputeRunningProcesses_v3": ("process_count",),
    "nvmlDeviceGetMaxClockInfo": ("max_sm_clock_mhz",),
    "nvmlDeviceGetPerformanceState": ("performance_state",),
    "nvmlDeviceGetCurrentClocksEventReasons": (),  # the older function of the same meaning answers
}


@pytest.mark.parametrize("error", [3, 4, 13, 999])
def test_that_fields_the_driver_refuses_are_unknown_and_nothing_else_is(
    play: Callable[[str], DriverReading], error: int
) -> None:
    sections = "".join(
        "[gpu]\n" + scenario_text("healthy_3090").partition("[gpu]\n")[2] + f"fail.{function} = {error}\n"
        for function in REFUSED
    )
    reading = play("driver = 1\ncuda = 12040\n" + sections)
    assert reading.problem is None
    assert len(reading.gpus) == len(REFUSED)
    always = {"index", "name", "pcie", "lost", "processes", "process_list_is_wrong", "partition", "driver_model"}
    always |= {"lost_reason", "licensed"}  # only of lost and of virtual GPUs
    optional = [name for name in Gpu.__slots__ if name not in always]
    for gpu, (function, expected) in zip(reading.gpus, REFUSED.items(), strict=True):
        unknown = tuple(name for name in optional if getattr(gpu, name) is None)
        assert (unknown, gpu.lost) == (tuple(name for name in optional if name in expected), False), function


def test_that_no_driver_at_all_is_told_as_a_missing_library(tmp_path: Path) -> None:
    # A broken library of that name stands in front of any real one.
    (tmp_path / "libnvidia-ml.so.1").write_bytes(b"not a library")
    reading = read_gpus(HOST, nvml_env={"LD_LIBRARY_PATH": str(tmp_path)})
    assert (reading.answered, reading.gpus) == (False, ())
    assert reading.problem == "library_missing"


@pytest.mark.parametrize("content", ["", "raise RuntimeError('broken')", "def nvmlInit(): pass"])
def test_that_another_module_called_pynvml_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str
) -> None:
    (tmp_path / "pynvml.py").write_text(content)
    monkeypatch.syspath_prepend(tmp_path)
    reading = read_gpus(HOST)
    assert reading.problem == "binding_wrong"
    assert reading.detail in {str(tmp_path / "pynvml.py"), "broken"}


def test_that_processes_are_unknown_in_wsl(nvml_env: Environment) -> None:
    wsl = Host("Linux 5.15", "box", None, 8, 16, 64 * GIB, 50 * GIB, "/", None, None, None, None, is_wsl=True)
    (gpu,) = read_gpus(wsl, nvml_env=nvml_env("healthy_3090")).gpus
    assert gpu.process_count is None


def test_that_a_torch_device_is_matched_by_uuid_whatever_the_order(nvml_env: Environment) -> None:
    found = read_gpus(HOST, nvml_env=nvml_env("two_gpus")).gpus
    device = TorchDevice("cuda", 0, "NVIDIA GeForce RTX 3090", uuid="GPU-5A1B7C2E-3090-4d5e-8f90-0123456789ab")
    assert matching_gpu(device, found) is found[1]
    assert matching_gpu(replace(device, uuid="GPU-other"), found) is None


def test_that_without_a_uuid_only_a_unique_name_and_memory_match() -> None:
    small, large = Gpu(0, None, "RTX 3080", 10 * GIB), Gpu(1, None, "RTX 3080", 12 * GIB)
    device = TorchDevice("cuda", 0, "RTX 3080", memory_total_bytes=round(11.8 * GIB))
    assert matching_gpu(device, (small, large)) is large
    assert matching_gpu(device, (large, large)) is None
    assert matching_gpu(replace(device, memory_total_bytes=None), (small, large)) is None


def test_that_cancel_gives_back_at_once(nvml_env: Environment) -> None:
    reading = read_gpus(HOST, nvml_env=nvml_env("hang_at_init"), cancelled=lambda: True)
    assert reading.problem == "cancelled"


def watch(env: dict[str, str], *arguments: str, count: int = 5) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    outcome = run_json_lines(
        python_child_argv("planner.hardware.nvml", "--watch", "50", *arguments),
        on_message=messages.append,
        deadline_s=60,
        cancelled=lambda: len(messages) > count,
        stdin_cancel_line="",
        env=python_child_env(env),
    )
    assert outcome.exit_status == 0, outcome
    return messages


def test_that_telemetry_moves_and_ends_when_standard_input_closes(nvml_env: Environment) -> None:
    messages = watch(nvml_env("demo"), count=30)
    samples = [message for message in messages if message["kind"] == "sample"]
    assert messages[0]["kind"] == "init"
    assert messages[-1] == {"kind": "done"}
    times_s = [sample["t_s"] for sample in samples]
    assert times_s == sorted(times_s)
    assert len({sample["power_draw_w"] for sample in samples}) > 5
    assert set(samples[0]) == {
        "kind", "t_s", "uuid", "lost", "power_draw_w", "temperature_c", "utilisation_percent", "sm_clock_mhz",
        "memory_clock_mhz", "memory_used_bytes", "throttle_reasons", "performance_state", "power_limit_w",
        "pcie_generation", "pcie_width",
    }  # fmt: skip


def test_that_telemetry_of_one_gpu_leaves_the_other_out(nvml_env: Environment) -> None:
    uuid = "GPU-9c8d7e6f-4070-4a3b-9c2d-ba9876543210"
    messages = watch(nvml_env("two_gpus"), "--uuid", uuid)
    assert {message["uuid"] for message in messages if message["kind"] == "sample"} == {uuid}


def test_that_telemetry_goes_on_with_the_gpu_that_is_left(nvml_env: Environment) -> None:
    messages = watch(nvml_env("lost"))
    assert {message["uuid"] for message in messages if message["kind"] == "sample"} == {
        "GPU-9c8d7e6f-4070-4a3b-9c2d-ba9876543210"
    }


def test_that_the_telemetry_command_line_is_accepted_by_the_child(nvml_env: Environment) -> None:
    child = subprocess.run(
        watch_argv(10, "GPU-nobody"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env=python_child_env(nvml_env("demo")),
    )
    kinds = [json.loads(line)["kind"] for line in child.stdout.splitlines()]
    assert kinds == ["init", "done"]


def test_that_what_keeps_programs_off_a_gpu_is_read(play: Callable[[str], DriverReading]) -> None:
    healthy = scenario_text("healthy_3090")
    (well,) = play(healthy).gpus
    assert (well.compute_mode, well.memory_errors, well.memory_repair_pending, well.memory_repair_failed) == (
        "shared", 0, False, False,
    )  # fmt: skip
    (ill,) = play(
        healthy.replace("compute_mode = 0", "compute_mode = 3")
        .replace("ecc_uncorrected = 0", "ecc_uncorrected = 2")
        .replace("remap_pending = 0", "remap_pending = 1")
        .replace("remap_failed = 0", "remap_failed = 1")
    ).gpus
    assert (ill.compute_mode, ill.memory_errors, ill.memory_repair_pending, ill.memory_repair_failed) == (
        "exclusive", 2, True, True,
    )  # fmt: skip
    assert well.licensed is None


def test_that_a_virtual_gpu_without_a_licence_is_told_from_one_with(play: Callable[[str], DriverReading]) -> None:
    healthy = scenario_text("healthy_3090")
    assert [play(f"{healthy}licensed = {state}\n").gpus[0].licensed for state in (0, 1)] == [False, True]
