"""Looking GPUs up as people type them and as drivers report them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.hardware.catalogue import (
    AmbiguousGpuError,
    GpuSpec,
    by_id,
    close_names,
    identify,
    load_catalogue,
    lookup,
)
from planner.units import GIB


def spec_of(spec_id: str) -> GpuSpec:
    spec = by_id(spec_id)
    assert spec is not None
    return spec


def test_that_the_3090_has_the_data_sheets_numbers_in_base_units() -> None:
    spec = spec_of("rtx-3090")
    assert spec.memory_bytes == 24 * GIB
    assert spec.bandwidth_bytes_per_s == 936e9
    assert spec.fp32_flops_per_s == 35.58e12
    assert spec.tf32_flops_per_s == 35.58e12
    assert spec.fp16_tensor_flops_per_s == spec.bf16_tensor_flops_per_s == 71.16e12
    assert (spec.sm_count, spec.compute_capability, spec.architecture) == (82, "8.6", "Ampere")
    assert (spec.tdp_w, spec.msrp_usd, spec.release_date) == (350.0, 1499.0, "2020-09-24")
    assert (spec.pcie, spec.pcie_bytes_per_s, spec.nvlink_bytes_per_s, spec.p2p) == (
        "4.0 x16", 31.5e9, 112.5e9, "nvlink",
    )  # fmt: skip


def test_that_what_a_card_does_not_have_is_none_not_zero() -> None:
    spec = spec_of("gtx-1080-ti")
    assert (spec.tf32_flops_per_s, spec.bf16_tensor_flops_per_s, spec.nvlink_bytes_per_s) == (None, None, None)
    for each in load_catalogue():
        numbers = [getattr(each, name) for name in GpuSpec.__slots__]
        assert 0 not in [number for number in numbers if isinstance(number, int | float)], each.id


def test_that_ids_are_unique_and_every_row_names_its_source() -> None:
    specs = load_catalogue()
    assert len({spec.id for spec in specs}) == len(specs) > 200
    assert all(spec.source and spec.match_names for spec in specs)


@pytest.mark.parametrize(
    ("typed", "spec_id"),
    [
        ("RTX 3090", "rtx-3090"),
        ("rtx3090", "rtx-3090"),
        ("  3090 ", "rtx-3090"),
        ("NVIDIA GeForce RTX 3090", "rtx-3090"),
        ("geforce rtx 3090 TI", "rtx-3090-ti"),
        ("RTX-3090", "rtx-3090"),
        ("rtx 3060 12GB", "rtx-3060-12gb"),
        ("RTX 3060 8 GiB", "rtx-3060-8gb"),
        ("rtx-3060-12gb", "rtx-3060-12gb"),
        ("RTX 2080", "rtx-2080"),  # the desktop card, not the laptop part of the same name
        ("4070 laptop", "rtx-4070-laptop"),
        ("A6000", "rtx-a6000"),
        ("T4", "tesla-t4"),
        ("7900 XTX", "rx-7900-xtx"),
        ("M1 Max", "apple-m1-max"),
    ],
)
def test_that_a_name_is_found_as_people_write_it(typed: str, spec_id: str) -> None:
    found = lookup(typed)
    assert found is not None
    assert found.id == spec_id


@pytest.mark.parametrize("typed", ["", "   ", "RTX", "nonsense", "RTX 9999", "NVIDIA"])
def test_that_a_name_nobody_has_is_none(typed: str) -> None:
    assert lookup(typed) is None


@pytest.mark.parametrize(
    ("typed", "candidates"),
    [
        ("RTX 3060", ["rtx-3060-8gb", "rtx-3060-12gb"]),
        ("A100 80GB", ["a100-pcie-80gb", "a100-sxm4-80gb"]),
        ("H100", ["h100-pcie", "h100-sxm5-80gb", "h100-nvl"]),
    ],
)
def test_that_an_ambiguous_name_lists_the_choices(typed: str, candidates: list[str]) -> None:
    with pytest.raises(AmbiguousGpuError) as caught:
        lookup(typed)
    assert [spec.id for spec in caught.value.candidates] == candidates
    assert all(candidate in str(caught.value) for candidate in candidates)


def test_that_every_id_finds_its_own_row() -> None:
    for spec in load_catalogue():
        assert lookup(spec.id) is spec


@given(st.text(max_size=30))
def test_that_no_text_breaks_the_lookup(text: str) -> None:
    try:
        found = lookup(text)
    except AmbiguousGpuError as error:
        assert len(error.candidates) > 1  # noqa: PT017
    else:
        assert found is None or found in load_catalogue()
    close_names(text)


def test_that_a_typing_mistake_gets_a_suggestion() -> None:
    assert "GeForce RTX 3090" in close_names("RTX 309O")


def test_that_a_pci_id_tells_laptop_parts_from_desktop_cards_of_the_same_name() -> None:
    laptop = identify("NVIDIA GeForce RTX 2060", "1F11", 6 * GIB)
    desktop = identify("NVIDIA GeForce RTX 2060", "1F08", 6 * GIB)
    assert (laptop and laptop.id, desktop and desktop.id) == ("rtx-2060-laptop", "rtx-2060")


def test_that_memory_decides_what_name_and_pci_id_leave_open() -> None:
    assert identify("NVIDIA GeForce RTX 3060", "2504", 12 * GIB) is spec_of("rtx-3060-12gb")
    assert identify("NVIDIA GeForce RTX 3060", None, 8 * GIB) is spec_of("rtx-3060-8gb")
    assert identify("NVIDIA A100-SXM4-80GB", None, 79.2 * GIB) is spec_of("a100-sxm4-80gb")


def test_that_a_card_that_could_be_two_is_not_guessed() -> None:
    assert identify("NVIDIA GeForce RTX 2080", None, 8 * GIB) is None
    assert identify("NVIDIA GeForce RTX 3060", None, None) is None
    assert identify("NVIDIA Imaginary 1", "FFFF", 8 * GIB) is None
    assert identify(None, None, 24 * GIB) is None


def test_that_every_pci_id_leads_back_to_its_row() -> None:
    for spec in load_catalogue():
        for pci_device_id in spec.pci_device_ids:
            assert identify(spec.name, pci_device_id.lower(), spec.memory_bytes) is spec
