"""What detection makes of what it found."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.hardware.checks import LAYERS, Findings, examine, suggested_build
from planner.hardware.gpus import DriverReading
from planner.hardware.pci import Card
from planner.hardware.snapshot import Check, CheckStatus, Gpu, Host, Interpreter, TorchDevice
from planner.messages import load_messages
from planner.paths import RESOURCES
from planner.units import GIB

PROBLEMS = [
    "binding_missing", "binding_wrong", "library_missing", "driver_not_loaded", "version_mismatch",
    "no_permission", "error", "hung", "crashed", "cancelled", "not_started",
]  # fmt: skip
GPU_PROBLEMS = ["cpu_build", "cuda_fails", "no_device", "no_kernels", "smoke_failed"]
INTERPRETER_PROBLEMS = [
    "not_found", "not_python", "python_too_old", "torch_missing", "torch_broken", "torch_too_old", "timed_out",
    "crashed", "not_finished",
]  # fmt: skip

RTX_3090 = Gpu(
    0, "GPU-1", "NVIDIA GeForce RTX 3090", 24 * GIB, 23 * GIB, compute_capability="8.6",
    utilisation_percent=2, process_count=0, catalogue_id="rtx-3090",
)  # fmt: skip
CARD = Card("0000:01:00.0", "NVIDIA", "2204", "nvidia")
NO_DRIVER = DriverReading(problem="library_missing", detail="NVML Shared Library Not Found")
GOOD = DriverReading((RTX_3090,), "550.54", "12.4", answered=True)
CPU = TorchDevice("cpu", 0, "x86_64")


def host(is_wsl: bool = False) -> Host:
    return Host("Linux 6.1", "box", None, 8, 16, 64 * GIB, 50 * GIB, "/", None, None, None, None, is_wsl)


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
) -> dict[str, Check]:
    checks = examine(Findings(cards, reading, host(is_wsl), interpreters))
    assert [check.layer for check in checks] == list(LAYERS)
    return {check.layer: check for check in checks}


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
    ),
    max_size=2,
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
    for check in checks.values():
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
    check = judge(interpreters=(python(gpu_problem="no_kernels", detail="sm_90 sm_120"),))["torch_gpu"]
    values = dict(check.values)
    assert check.code == "check.torch_gpu.no_kernels"
    assert (values["capability"], values["built_for"]) == ("8.6", "sm_90 sm_120")


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


def test_that_the_gpu_with_the_worst_news_speaks_for_all() -> None:
    busy = Gpu(1, "GPU-2", "Busy", 24 * GIB, 2 * GIB, utilisation_percent=97, process_count=2)
    checks = judge(reading=DriverReading((RTX_3090, busy), "550.54", "12.4", answered=True))
    assert codes(checks, "memory", "idle") == [("check.memory.in_use", "failed"), ("check.idle.busy", "failed")]
    assert dict(checks["idle"].values) == {"name": "Busy", "percent": "97", "processes": "2"}


def test_that_what_a_gpu_does_not_report_is_unknown_not_fine() -> None:
    checks = judge(reading=DriverReading((Gpu(0, None, "Silent"),), "550.54", "12.4", answered=True))
    assert codes(checks, "memory", "idle") == [
        ("check.memory.not_reported", "unknown"),
        ("check.idle.not_reported", "unknown"),
    ]
