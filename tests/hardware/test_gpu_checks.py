"""What each GPU is doing now, GPU by GPU, and machines whose GPU is no card."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from planner.hardware.checks import LAYERS, is_broken
from planner.hardware.gpus import DriverReading
from planner.hardware.pci import Card
from planner.hardware.snapshot import (
    Check,
    CheckStatus,
    Gpu,
    GpuProcess,
    Partition,
    Snapshot,
    TorchDevice,
)
from planner.messages import load_messages
from planner.units import GIB
from tests.hardware.test_checks import CARD, CPU, GOOD, NO_DRIVER, RTX_3090, codes, host, judge, judge_all, python


def machine_with(*gpus: Gpu, **options: Any) -> dict[str, list[Check]]:
    """Checks by layer."""
    checks = judge_all(reading=DriverReading(gpus, "550.54", "12.4", answered=True), **options)
    return {layer: [check for check in checks if check.layer == layer] for layer in LAYERS}


def title(check: Check) -> str:
    return load_messages().say(f"{check.code}.title", **dict(check.values))


def test_that_memory_idleness_and_power_are_told_of_every_gpu_by_name() -> None:
    busy = Gpu(
        1, "GPU-2", "NVIDIA GeForce RTX 3090", 24 * GIB, 2 * GIB, utilisation_percent=97, process_count=1,
        processes=(GpuProcess(4242, "python", 20 * GIB),),
    )  # fmt: skip
    checks = machine_with(RTX_3090, busy)
    assert [check.code for check in checks["memory"]] == ["check.memory.free", "check.memory.in_use"]
    assert [check.code for check in checks["idle"]] == ["check.idle.idle", "check.idle.busy"]
    assert [check.code for check in checks["power"]] == ["check.power.full", "check.power.not_reported"]
    for layer in ("memory", "idle", "power"):
        for index, check in enumerate(checks[layer]):
            assert title(check).startswith(f"GPU {index} (NVIDIA GeForce RTX 3090)")
    assert "python (pid 4242, 20 GiB)" in title(checks["memory"][1])


def test_that_a_single_gpu_is_called_by_its_name_alone() -> None:
    assert title(machine_with(RTX_3090)["idle"][0]).startswith("NVIDIA GeForce RTX 3090 is idle")


def test_that_memory_that_nobody_is_seen_to_hold_is_told_as_such() -> None:
    held = replace(RTX_3090, memory_free_bytes=round(7.6 * GIB), process_count=None, utilisation_percent=None)
    checks = machine_with(held, is_wsl=True)
    assert checks["memory"][0].code == "check.memory.in_use_unlisted"
    assert "16.4 GiB are in use by something that cannot be listed here" in title(checks["memory"][0])
    assert checks["idle"][0].code == "check.idle.not_reported_wsl"


def test_that_the_windows_of_a_windows_desktop_are_not_taken_for_training() -> None:
    desktop = replace(RTX_3090, driver_model="wddm", process_count=9, processes=(GpuProcess(7, "explorer.exe"),))
    checks = machine_with(desktop)
    assert checks["idle"][0].code == "check.idle.idle"
    assert checks["memory"][0].code == "check.memory.free_spilling"
    assert machine_with(replace(desktop, driver_model="tcc"))["idle"][0].code == "check.idle.occupied"


def test_that_a_process_list_that_cannot_be_true_is_unknown_not_idle() -> None:
    wrong = replace(RTX_3090, process_count=None, process_list_is_wrong=True)
    check = machine_with(wrong)["idle"][0]
    assert (check.code, check.status) == ("check.idle.list_is_wrong", CheckStatus.UNKNOWN)


def test_that_a_slice_without_programs_is_idle_though_its_utilisation_is_refused() -> None:
    part = replace(RTX_3090, partition=Partition.MIG_SLICE, utilisation_percent=None)
    assert machine_with(part)["idle"][0].code == "check.idle.nobody"


def test_that_a_card_to_be_parted_without_parts_is_a_failure_of_its_own() -> None:
    checks = machine_with(replace(RTX_3090, partition=Partition.MIG_WITHOUT_SLICES))
    assert [check.code for check in checks["nvml"]] == ["check.nvml.mig_without_slices"]
    assert [check.code for check in checks["memory"]] == ["check.memory.no_gpu"]


@pytest.mark.parametrize(
    ("changes", "code", "says"),
    [
        ({"power_limit_w": 230.0}, "lowered", "230 W instead of 350 W"),
        ({"power_limit_w": 349.5}, "full", "350 W"),
        ({"throttle_reasons": 0x4}, "full", ""),  # at its power limit: ordinary
        ({"throttle_reasons": 0x4 | 0x20, "temperature_c": 88.0}, "thermal", "88 °C at its core"),
        ({"throttle_reasons": 0x8 | 0x4}, "hardware", ""),
        ({"throttle_reasons": 0x40}, "hardware", ""),
        ({"throttle_reasons": 0x80 | 0x8}, "brake", "power supply"),
        ({"throttle_reasons": 0x2}, "clocks_fixed", ""),
    ],
)
def test_that_what_holds_a_gpu_down_is_told_also_in_combinations(
    changes: dict[str, Any], code: str, says: str
) -> None:
    check = machine_with(replace(RTX_3090, **changes))["power"][0]
    assert check.code == f"check.power.{code}"
    assert (check.status is CheckStatus.FAILED) == (code in {"thermal", "hardware", "brake"})
    assert says in title(check)


def test_that_a_computer_on_battery_is_told_to_be_plugged_in() -> None:
    assert machine_with(RTX_3090, on_battery=True)["power"][0].code == "check.power.battery"


def test_that_a_card_that_fell_off_the_bus_is_missed() -> None:
    """The driver lists one GPU; the system shows two cards that the driver holds."""
    cards = (
        CARD,
        Card("0000:41:00.0", "NVIDIA", "2786", "nvidia"),
        Card("0000:42:00.0", "NVIDIA", "2786", "vfio-pci"),
    )
    there = replace(RTX_3090, pci_bus_id="00000000:01:00.0")
    checks = machine_with(there, cards=cards)["nvml"]
    assert [check.code for check in checks] == ["check.nvml.answers", "check.nvml.missing"]
    assert dict(checks[1].values)["names"] == "NVIDIA GeForce RTX 4070 (0000:41:00.0)"
    assert len(machine_with(replace(there, pci_bus_id=None), cards=cards)["nvml"]) == 1


def test_that_a_jetson_has_a_gpu_although_no_bus_and_no_driver_library_shows_it() -> None:
    checks = judge((), NO_DRIVER, board="NVIDIA Jetson Orin Nano", interpreters=(python(gpu_problem="cpu_build"),))
    assert codes(checks, "card", "driver", "nvml", "build") == [
        ("check.card.board", "ok"),
        ("check.driver.board", "skipped"),
        ("check.nvml.no_card", "skipped"),
        ("check.build.cpu_build_board", "failed"),
    ]
    good = python(devices=(CPU, TorchDevice("cuda", 0, "Orin")))
    assert codes(judge((), NO_DRIVER, board="NVIDIA Jetson", interpreters=(good,)), "card", "torch_gpu") == [
        ("check.card.found", "ok"),
        ("check.torch_gpu.usable", "ok"),
    ]


def test_that_a_mac_with_apple_silicon_has_a_gpu() -> None:
    mac = {"os_name": "macOS 14.4", "cpu_name": "Apple M2 Pro"}
    checks = judge(None, NO_DRIVER, interpreters=(python(),), **mac)
    assert codes(checks, "card", "driver", "build") == [
        ("check.card.apple", "ok"),
        ("check.driver.no_card", "skipped"),
        ("check.build.no_mps", "failed"),
    ]
    usable = python(devices=(CPU, TorchDevice("mps", 0, "Apple GPU")))
    assert codes(judge(None, NO_DRIVER, interpreters=(usable,), **mac), "torch_gpu")[0][1] == "ok"


def test_that_only_what_is_there_and_does_not_work_counts_as_broken() -> None:
    def broken(**found: Any) -> bool:
        return is_broken(Snapshot("", host(), checks=judge_all(**found)))

    assert not broken()
    assert not broken(cards=(), reading=NO_DRIVER)
    assert not broken(reading=replace(GOOD, gpus=(replace(RTX_3090, memory_free_bytes=0),)))
    assert broken(reading=DriverReading(problem="hung"))
    assert broken(cards=(), reading=DriverReading(problem="hung"))
    assert broken(reading=replace(GOOD, gpus=(RTX_3090, Gpu(1, None, "GPU 1", lost=True))))
    assert broken(interpreters=(python(gpu_problem="cpu_build"),))


def test_that_what_a_gpu_does_not_report_is_unknown_not_fine() -> None:
    checks = judge(reading=DriverReading((Gpu(0, None, "Silent"),), "550.54", "12.4", answered=True))
    assert codes(checks, "memory", "idle") == [
        ("check.memory.not_reported", "unknown"),
        ("check.idle.not_reported", "unknown"),
    ]
