"""What detection makes of what it found."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.hardware.checks import LAYERS, Findings, examine, is_broken, suggested_build
from planner.hardware.gpus import DriverReading
from planner.hardware.pci import Card
from planner.hardware.snapshot import (
    Check,
    CheckStatus,
    Gpu,
    GpuProcess,
    Host,
    Interpreter,
    Partition,
    Snapshot,
    TorchDevice,
    UnusableDevice,
)
from planner.messages import load_messages
from planner.paths import RESOURCES
from planner.units import GIB

PROBLEMS = [
    "binding_missing", "binding_wrong", "library_missing", "driver_not_loaded", "version_mismatch",
    "no_permission", "error", "hung", "still_hung", "crashed", "cancelled", "not_started", "library_stub",
]  # fmt: skip
GPU_PROBLEMS = ["cpu_build", "cuda_fails", "no_device"]
DEVICE_PROBLEMS = ["no_kernels", "smoke_failed"]
INTERPRETER_PROBLEMS = [
    "not_found", "not_python", "python_too_old", "torch_missing", "torch_broken", "torch_too_old", "timed_out",
    "crashed", "not_finished",
]  # fmt: skip

RTX_3090 = Gpu(
    0, "GPU-1", "NVIDIA GeForce RTX 3090", 24 * GIB, 23 * GIB, compute_capability="8.6",
    utilisation_percent=2, process_count=0, catalogue_id="rtx-3090", power_limit_w=350.0,
    power_limit_default_w=350.0,
)  # fmt: skip
CARD = Card("0000:01:00.0", "NVIDIA", "2204", "nvidia")
NO_DRIVER = DriverReading(problem="library_missing", detail="NVML Shared Library Not Found")
GOOD = DriverReading((RTX_3090,), "550.54", "12.4", answered=True)
CPU = TorchDevice("cpu", 0, "x86_64")


def host(is_wsl: bool = False, **changes: Any) -> Host:
    here = Host("Linux 6.1", "box", None, 8, 16, 64 * GIB, 50 * GIB, "/", None, None, None, None, is_wsl)
    return replace(here, **changes)


def python(**values: Any) -> Interpreter:
    known = {
        "path": "/py",
        "origin": "app",
        "python_version": "3.12.1",
        "torch_version": "2.6.0",
        "devices": (CPU,),
    }
    return Interpreter(**known | values)


def judge(
    cards: tuple[Card, ...] | None = (CARD,),
    reading: DriverReading = GOOD,
    interpreters: tuple[Interpreter, ...] | None = None,
    is_wsl: bool = False,
    **host_changes: Any,
) -> dict[str, Check]:
    """The first check of every layer; the whole list is ``judge_all``'s."""
    checks = judge_all(cards, reading, interpreters, is_wsl, **host_changes)
    return {check.layer: check for check in reversed(checks)}


def judge_all(
    cards: tuple[Card, ...] | None = (CARD,),
    reading: DriverReading = GOOD,
    interpreters: tuple[Interpreter, ...] | None = None,
    is_wsl: bool = False,
    **host_changes: Any,
) -> tuple[Check, ...]:
    checks = examine(Findings(cards, reading, host(is_wsl, **host_changes), interpreters))
    assert list(dict.fromkeys(check.layer for check in checks)) == list(LAYERS)
    return checks


def codes(checks: dict[str, Check], *layers: str) -> list[tuple[str, str]]:
    return [(checks[layer].code, checks[layer].status.value) for layer in layers]


cards = st.none() | st.lists(
    st.builds(
        Card,
        bus_id=st.just("0000:01:00.0"),
        vendor=st.sampled_from(["NVIDIA", "AMD", "Intel"]),
        device_id=st.sampled_from(["2204", "FFFF"]),
        driver=st.sampled_from([None, "nvidia", "nouveau", "vfio-pci"]),
    ),
    max_size=2,
).map(tuple)
some_gpus = st.lists(
    st.builds(
        Gpu,
        index=st.integers(0, 3),
        uuid=st.none() | st.just("GPU-1"),
        name=st.sampled_from(["NVIDIA GeForce RTX 3090", "{odd} name"]),
        memory_total_bytes=st.none() | st.integers(1, 10**11),
        memory_free_bytes=st.none() | st.integers(0, 10**11),
        memory_is_shared=st.booleans(),
        compute_capability=st.sampled_from([None, "6.1", "8.6", "12.0"]),
        utilisation_percent=st.none() | st.floats(0, 100),
        process_count=st.none() | st.integers(0, 5),
        lost=st.booleans(),
        processes=st.sampled_from([(), (GpuProcess(1), GpuProcess(2, "python", 10**9))]),
        process_list_is_wrong=st.booleans(),
        partition=st.sampled_from(Partition),
        driver_model=st.sampled_from([None, "wddm", "tcc"]),
        throttle_reasons=st.none() | st.integers(0, 0x1FF),
        temperature_c=st.none() | st.just(70.0),
        power_limit_w=st.none() | st.just(200.0),
        power_limit_default_w=st.none() | st.just(350.0),
    ),
    max_size=2,
    unique_by=lambda gpu: gpu.index,
).map(tuple)
readings = st.builds(DriverReading, st.just(()), problem=st.sampled_from(PROBLEMS), detail=st.text(max_size=5)) | (
    st.builds(
        DriverReading,
        some_gpus,
        driver_version=st.none() | st.just("550.54"),
        cuda_driver_version=st.sampled_from([None, "11.4", "12.4", "13.0"]),
        answered=st.just(True),
        problem=st.sampled_from([None, "hung", "crashed", "cancelled"]),
    )
)
interpreters = st.none() | st.lists(
    st.builds(
        python,
        origin=st.sampled_from(["app", "chosen", "conda"]),
        problem=st.none() | st.sampled_from(INTERPRETER_PROBLEMS),
        gpu_problem=st.none() | st.sampled_from(GPU_PROBLEMS),
        cuda_build=st.sampled_from([None, "11.8", "12.6", "13.0"]),
        detail=st.sampled_from(["", "CUDA unknown error"]),
        devices=st.sampled_from([(), (CPU,), (CPU, TorchDevice("cuda", 0, "Card"))]),
        unusable=st.lists(
            st.builds(
                UnusableDevice,
                name=st.just("Card"),
                problem=st.sampled_from(DEVICE_PROBLEMS),
                detail=st.sampled_from(["", "sm_90"]),
                compute_capability=st.sampled_from([None, "6.1"]),
                uuid=st.sampled_from([None, "GPU-1"]),
            ),
            max_size=2,
        ).map(tuple),
    ),
    max_size=2,
).map(tuple)


@given(cards, readings, interpreters, st.booleans())
def test_that_whatever_is_found_each_layer_has_one_verdict_that_can_be_said(
    cards: tuple[Card, ...] | None,
    reading: DriverReading,
    interpreters: tuple[Interpreter, ...] | None,
    is_wsl: bool,
) -> None:
    messages = load_messages()
    checks = judge(cards, reading, interpreters, is_wsl)
    for check in judge_all(cards, reading, interpreters, is_wsl):
        for part in ("title", "action"):
            sentence = messages.say(f"{check.code}.{part}", **dict(check.values))
            assert sentence
            assert "None" not in sentence
    if reading.gpus or cards is None or any(card.vendor == "NVIDIA" for card in cards):
        assert checks["card"].code != "check.card.none"


def test_that_every_sentence_of_what_is_has_one_of_what_to_do() -> None:
    text = (RESOURCES / "i18n" / "en" / "check.toml").read_text(encoding="utf-8")
    for layer, entries in tomllib.loads(text).items():
        for code, sentences in entries.items():
            assert set(sentences) == {"title", "action"}, f"{layer}.{code}"
            assert all(sentences.values()), f"{layer}.{code}"


@pytest.mark.parametrize("problem", INTERPRETER_PROBLEMS)
def test_that_each_reason_against_a_python_has_a_sentence(problem: str) -> None:
    assert load_messages().knows(f"check.interpreter.{problem}.title")


def test_that_a_good_machine_is_all_ok() -> None:
    good_python = python(devices=(CPU, TorchDevice("cuda", 0, "NVIDIA GeForce RTX 3090")))
    assert {check.status for check in judge(interpreters=(good_python,)).values()} == {CheckStatus.OK}


def test_that_no_gpu_is_said_only_when_the_scan_sees_none() -> None:
    assert codes(judge((), NO_DRIVER), "card", "driver", "nvml") == [
        ("check.card.none", "failed"),
        ("check.driver.no_card", "skipped"),
        ("check.nvml.no_card", "skipped"),
    ]
    assert codes(judge(None, NO_DRIVER), "card") == [("check.card.not_examined", "unknown")]
    assert codes(judge((), NO_DRIVER, is_wsl=True), "card") == [("check.card.wsl", "unknown")]
    assert codes(judge((CARD,), NO_DRIVER), "card") == [("check.card.found", "ok")]


def test_that_a_silent_driver_speaks_against_no_gpu_even_where_no_card_is_listed() -> None:
    checks = judge((), DriverReading(problem="hung", detail="silent for 15 s"))
    assert codes(checks, "card", "nvml") == [("check.card.hidden", "unknown"), ("check.nvml.hung", "failed")]


def test_that_a_card_without_a_driver_is_named_by_its_pci_id() -> None:
    checks = judge((Card("0000:01:00.0", "NVIDIA", "2204"),), NO_DRIVER)
    assert dict(checks["card"].values)["names"] == "NVIDIA GeForce RTX 3090"
    assert codes(checks, "driver", "nvml") == [
        ("check.driver.not_installed", "failed"),
        ("check.nvml.needs_driver", "skipped"),
    ]


@pytest.mark.parametrize(
    ("driver", "problem", "driver_code", "nvml_code"),
    [
        ("nouveau", "library_missing", "check.driver.other_driver", "check.nvml.needs_driver"),
        (None, "driver_not_loaded", "check.driver.not_loaded", "check.nvml.needs_driver"),
        ("nvidia", "library_missing", "check.driver.module_loaded", "check.nvml.library_missing"),
        ("nvidia", "version_mismatch", "check.driver.version_mismatch", "check.nvml.needs_driver"),
        ("nvidia", "hung", "check.driver.module_loaded", "check.nvml.hung"),
        ("nvidia", "binding_wrong", "check.driver.module_loaded", "check.nvml.binding_wrong"),
    ],
)
def test_that_the_layer_that_fails_is_the_one_that_is_blamed(
    driver: str | None, problem: str, driver_code: str, nvml_code: str
) -> None:
    checks = judge((Card("0000:01:00.0", "NVIDIA", "2204", driver),), DriverReading(problem=problem))
    assert (checks["driver"].code, checks["nvml"].code) == (driver_code, nvml_code)


def test_that_a_lost_gpu_fails_nvml_but_not_the_memory_of_the_other() -> None:
    lost = Gpu(1, None, "GPU 1", lost=True)
    checks = judge(reading=DriverReading((RTX_3090, lost), "550.54", "12.4", answered=True))
    assert codes(checks, "nvml", "memory") == [("check.nvml.lost", "failed"), ("check.memory.free", "ok")]


def test_that_a_processor_only_torch_beside_a_card_names_the_build_to_install() -> None:
    check = judge(interpreters=(python(gpu_problem="cpu_build"),))["torch_gpu"]
    assert (check.code, check.status) == ("check.torch_gpu.cpu_build", CheckStatus.FAILED)
    assert dict(check.values)["build"] == "cu126"


def test_that_a_driver_too_old_for_torchs_cuda_is_told_with_both_versions() -> None:
    check = judge(interpreters=(python(gpu_problem="cuda_fails", cuda_build="13.0"),))["torch_gpu"]
    assert check.code == "check.torch_gpu.driver_too_old"
    assert dict(check.values) | {"driver_cuda": "12.4", "torch_cuda": "13.0"} == dict(check.values)
    # A lower minor of the same major usually works: then the driver is not blamed.
    check = judge(interpreters=(python(gpu_problem="cuda_fails", cuda_build="12.8"),))["torch_gpu"]
    assert check.code == "check.torch_gpu.cuda_fails"


def test_that_a_torch_without_code_for_the_card_names_card_and_capability() -> None:
    unusable = UnusableDevice("RTX 3090", "no_kernels", "sm_90 sm_120", "8.6", RTX_3090.uuid)
    check = judge(interpreters=(python(gpu_problem="no_kernels", unusable=(unusable,)),))["torch_gpu"]
    values = dict(check.values)
    assert (check.code, check.status) == ("check.torch_gpu.no_kernels", CheckStatus.FAILED)
    assert (values["capability"], values["built_for"], values["card"]) == ("8.6", "sm_90 sm_120", RTX_3090.name)


@pytest.mark.parametrize(
    ("capability", "driver_cuda", "build"),
    [("12.0", "12.8", "cu128"), ("6.1", "12.8", "cu126"), ("7.0", "13.0", "cu126"), ("5.2", None, "cu126")],
)
def test_that_a_card_too_new_or_too_old_for_the_build_gets_the_line_that_installs_the_right_one(
    capability: str, driver_cuda: str | None, build: str
) -> None:
    unusable = UnusableDevice("Card", "no_kernels", "sm_75 sm_90", capability)
    reading = replace(GOOD, cuda_driver_version=driver_cuda)
    check = judge(reading=reading, interpreters=(python(unusable=(unusable,)),))["torch_gpu"]
    action = load_messages().say(f"{check.code}.action", **dict(check.values))
    assert (
        f"/py -m pip install --force-reinstall torch --index-url https://download.pytorch.org/whl/{build}"
        in action
    )


def test_that_of_mixed_cards_the_one_that_torch_cannot_use_is_named_beside_the_other() -> None:
    old = UnusableDevice("GTX 1080", "no_kernels", "sm_75 sm_86", "6.1")
    mixed = python(devices=(CPU, TorchDevice("cuda", 0, "RTX 3090")), gpu_problem="no_kernels", unusable=(old,))
    checks = [check for check in judge_all(interpreters=(mixed,)) if check.layer == "torch_gpu"]
    assert [check.code for check in checks] == ["check.torch_gpu.usable", "check.torch_gpu.no_kernels"]
    assert dict(checks[1].values)["card"] == "GTX 1080"


@pytest.mark.parametrize(
    ("capability", "driver_cuda", "build"),
    [
        ("8.6", "12.4", "cu126"),
        ("8.6", "12.8", "cu128"),
        ("8.6", "13.0", "cu130"),
        ("8.6", "11.4", "cu118"),
        ("6.1", "13.0", "cu126"),
        ("7.0", "12.8", "cu126"),
        ("12.0", "12.8", "cu128"),
        (None, None, "cu126"),
    ],
)
def test_that_the_suggested_build_fits_card_and_driver(
    capability: str | None, driver_cuda: str | None, build: str
) -> None:
    assert suggested_build(capability, driver_cuda) == build


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
    assert codes(checks, "card", "driver", "nvml", "torch_gpu") == [
        ("check.card.board", "ok"),
        ("check.driver.board", "skipped"),
        ("check.nvml.no_card", "skipped"),
        ("check.torch_gpu.cpu_build_board", "failed"),
    ]
    good = python(devices=(CPU, TorchDevice("cuda", 0, "Orin")))
    assert codes(judge((), NO_DRIVER, board="NVIDIA Jetson", interpreters=(good,)), "card", "torch_gpu") == [
        ("check.card.found", "ok"),
        ("check.torch_gpu.usable", "ok"),
    ]


def test_that_a_mac_with_apple_silicon_has_a_gpu() -> None:
    mac = {"os_name": "macOS 14.4", "cpu_name": "Apple M2 Pro"}
    checks = judge(None, NO_DRIVER, interpreters=(python(),), **mac)
    assert codes(checks, "card", "driver", "torch_gpu") == [
        ("check.card.apple", "ok"),
        ("check.driver.no_card", "skipped"),
        ("check.torch_gpu.no_mps", "failed"),
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
