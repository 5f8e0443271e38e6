"""GPUs that are not a whole card of one's own, drivers that are odd, and libraries that are none."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from planner.hardware import demo, gpus, nvml_fields
from planner.hardware.gpus import DriverReading, read_gpus
from planner.hardware.snapshot import Partition
from planner.processes import Ending, Outcome
from planner.units import GIB, MIB
from tests.hardware.test_gpus import HOST, Environment, watch


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loaded test machine must not look like a hanging driver."""
    monkeypatch.setattr(gpus, "INIT_DEADLINE_S", 60.0)
    monkeypatch.setattr(gpus, "CALL_DEADLINE_S", 30.0)


@pytest.mark.parametrize("scenario", ["rubbish_processes", "huge_processes"])
def test_that_a_process_list_that_cannot_be_true_is_left_out_and_told(
    nvml_env: Environment, scenario: str
) -> None:
    (gpu,) = read_gpus(HOST, nvml_env=nvml_env(scenario)).gpus
    assert (gpu.process_count, gpu.processes, gpu.process_list_is_wrong) == (None, (), True)
    assert gpu.memory_total_bytes == 24 * GIB


def test_that_windows_hides_the_memory_of_programs(nvml_env: Environment) -> None:
    (gpu,) = read_gpus(HOST, nvml_env=nvml_env("wddm")).gpus
    assert (gpu.driver_model, gpu.process_count, gpu.process_list_is_wrong) == ("wddm", 9, False)
    assert {process.memory_bytes for process in gpu.processes} == {None}


def test_that_a_parted_card_is_its_slices(nvml_env: Environment) -> None:
    large, small = read_gpus(HOST, nvml_env=nvml_env("mig")).gpus
    assert {large.partition, small.partition} == {Partition.MIG_SLICE}
    assert (large.uuid, large.memory_total_bytes) == ("MIG-11111111-1111-5111-8111-111111111111", 19968 * MIB)
    assert large.index != small.index
    assert (large.catalogue_id, large.utilisation_percent, large.process_count) == (None, None, 0)


def test_that_a_card_to_be_parted_without_parts_is_told(nvml_env: Environment) -> None:
    (gpu,) = read_gpus(HOST, nvml_env=nvml_env("mig_without_slices")).gpus
    assert (gpu.partition, gpu.catalogue_id) == (Partition.MIG_WITHOUT_SLICES, "a100-sxm4-40gb")


def test_that_a_slice_is_watched_by_its_uuid(nvml_env: Environment) -> None:
    uuid = "MIG-22222222-2222-5222-8222-222222222222"
    messages = watch(nvml_env("mig"), "--uuid", uuid)
    assert {message["uuid"] for message in messages if message["kind"] == "sample"} == {uuid}


def test_that_a_hypervisors_share_is_known_by_the_little_it_tells(nvml_env: Environment) -> None:
    (gpu,) = read_gpus(HOST, nvml_env=nvml_env("vgpu")).gpus
    assert (gpu.partition, gpu.name, gpu.catalogue_id) == (Partition.VIRTUAL, "NVIDIA A40-16Q", None)
    assert gpu.memory_total_bytes == 16 * GIB
    assert (gpu.power_draw_w, gpu.temperature_c, gpu.pci_bus_id) == (None, None, None)


def test_that_a_laptops_card_without_a_power_limit_is_found_in_the_catalogue(nvml_env: Environment) -> None:
    (gpu,) = read_gpus(HOST, nvml_env=nvml_env("laptop")).gpus
    assert (gpu.catalogue_id, gpu.power_limit_w, gpu.pcie.generation) == ("rtx-3070-laptop", None, 1)


def test_that_the_toolkits_stub_library_is_told_from_a_driver(nvml_mock_library: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cuda" / "lib64" / "stubs"
    folder.mkdir(parents=True)
    shutil.copy(nvml_mock_library / "libnvidia-ml.so.1", folder)
    scenario = demo.MOCK_SOURCE.parent / "scenarios" / "stub.txt"
    reading = read_gpus(HOST, nvml_env=demo.scenario_environment(folder, scenario))
    assert (reading.answered, reading.problem) == (False, "library_stub")
    assert reading.detail == str(folder / "libnvidia-ml.so.1")


def test_that_the_packages_behind_the_binding_are_told(nvml_env: Environment) -> None:
    assert (read_gpus(HOST, nvml_env=nvml_env("healthy_3090")).binding or "").startswith("nvidia-ml-py ")


def test_that_names_in_bytes_and_in_text_are_both_read() -> None:
    """nvidia-ml-py returned bytes before 11.515, and so do the packages that copied it."""

    class Answers:
        class NVMLError(Exception):
            pass

        class NVMLLibraryMismatchError(Exception):
            pass

        NVML_ERROR_GPU_IS_LOST, NVML_ERROR_RESET_REQUIRED = 15, 16
        text = staticmethod(lambda: "NVIDIA A10")
        raw = staticmethod(lambda: b"NVIDIA A10")

    driver = nvml_fields.Driver(Answers)  # type: ignore[arg-type]
    assert driver.text("text") == driver.text("raw") == "NVIDIA A10"


def test_that_nobody_is_sent_after_a_child_that_is_stuck_in_the_driver(
    nvml_env: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process in an uninterruptible wait survives its kill; here one that merely sleeps stands for it."""
    stuck = subprocess.Popen(["sleep", "600"])
    started: list[str] = []

    def run(argv: list[str], **options: Any) -> Outcome:
        started.append(argv[-1])
        return Outcome(Ending.SILENT, exit_status=None, duration_s=1.0, limit_s=1.0, pid=stuck.pid)

    monkeypatch.setattr(gpus, "run_json_lines", run)
    monkeypatch.setattr(gpus, "_left_behind", set())
    try:
        assert read_gpus(HOST).problem == "hung"
        assert read_gpus(HOST) == DriverReading(problem="still_hung", detail=f"pid {stuck.pid}")
        assert len(started) == 1
    finally:
        stuck.kill()
        stuck.wait()
    monkeypatch.undo()
    assert read_gpus(HOST, nvml_env=nvml_env("healthy_3090")).problem is None
