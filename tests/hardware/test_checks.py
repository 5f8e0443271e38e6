"""What detection makes of what it found."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.hardware.checks import LAYERS, Findings, examine
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
    TorchDevice,
    UnusableDevice,
)
from planner.hardware.torch_checks import suggested_build
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
    power_limit_default_w=350.0, compute_mode="shared",
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
    good_python = python(devices=(CPU, TorchDevice("cuda", 0, "NVIDIA GeForce RTX 3090")), cuda_build="12.4")
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
    check = judge(interpreters=(python(gpu_problem="cpu_build"),))["build"]
    assert (check.code, check.status) == ("check.build.cpu_build", CheckStatus.FAILED)
    assert dict(check.values)["build"] == "cu126"


def test_that_a_driver_too_old_for_torchs_cuda_is_told_with_both_versions() -> None:
    check = judge(interpreters=(python(gpu_problem="cuda_fails", cuda_build="13.0"),))["build"]
    assert check.code == "check.build.driver_too_old"
    assert dict(check.values) | {"driver_cuda": "12.4", "torch_cuda": "13.0"} == dict(check.values)
    # A lower minor of the same major usually works: then the driver is not blamed.
    check = judge(interpreters=(python(gpu_problem="cuda_fails", cuda_build="12.8"),))["torch_gpu"]
    assert check.code == "check.torch_gpu.cuda_fails"


def test_that_a_torch_without_code_for_the_card_names_card_and_capability() -> None:
    unusable = UnusableDevice("RTX 3090", "no_kernels", "sm_90 sm_120", "8.6", RTX_3090.uuid)
    check = judge(interpreters=(python(gpu_problem="no_kernels", unusable=(unusable,)),))["architecture"]
    values = dict(check.values)
    assert (check.code, check.status) == ("check.architecture.no_kernels", CheckStatus.FAILED)
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
    check = judge(reading=reading, interpreters=(python(unusable=(unusable,)),))["architecture"]
    action = load_messages().say(f"{check.code}.action", **dict(check.values))
    assert (
        f"/py -m pip install --force-reinstall torch --index-url https://download.pytorch.org/whl/{build}"
        in action
    )


def test_that_of_mixed_cards_the_one_that_torch_cannot_use_is_named_beside_the_other() -> None:
    old = UnusableDevice("GTX 1080", "no_kernels", "sm_75 sm_86", "6.1")
    mixed = python(devices=(CPU, TorchDevice("cuda", 0, "RTX 3090")), gpu_problem="no_kernels", unusable=(old,))
    checks = [check for check in judge_all(interpreters=(mixed,)) if check.layer == "architecture"]
    assert [check.code for check in checks] == ["check.architecture.included", "check.architecture.no_kernels"]
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
