"""The GPU catalogue: what the data sheets say, looked up as people type it or as the driver reports it.

Data and credits: resources/gpus/.
"""

from __future__ import annotations

import csv
import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from planner.door import InvalidInputError, Problem
from planner.paths import RESOURCES
from planner.units import GIB

CATALOGUE_FILE = RESOURCES / "gpus" / "gpus.csv"
_MEMORY_TOLERANCE = 0.15  # drivers report less than is sold: 79.6 of 80 GiB, less still with ECC
_FAMILIES = ("rtx", "gtx", "geforce", "quadro", "tesla", "radeon", "instinct", "rx", "apple")


@dataclass(frozen=True, slots=True)
class GpuSpec:
    """One GPU model. None: not known, or it has no such unit. Peaks are dense, in FLOP/s, at boost clock."""

    id: str
    vendor: str
    name: str  # as the driver writes it
    match_names: tuple[str, ...]
    form: str  # "desktop", "laptop", "workstation", "datacenter", "embedded"
    architecture: str
    compute_capability: str | None  # "8.6"; AMD: "gfx1100"
    pci_device_ids: tuple[str, ...]  # four hex digits, upper case
    sm_count: int | None  # AMD: compute units
    boost_hz: float | None
    memory_bytes: int  # as sold
    bandwidth_bytes_per_s: float | None
    l2_bytes: float | None
    fp32_flops_per_s: float
    tf32_flops_per_s: float | None
    fp16_flops_per_s: float | None  # without tensor cores
    fp16_tensor_flops_per_s: float | None  # tensor cores, sums in fp32: what training uses
    bf16_tensor_flops_per_s: float | None
    tdp_w: float
    pcie: str | None  # "4.0 x16"
    pcie_bytes_per_s: float | None  # one direction
    nvlink_bytes_per_s: float | None  # both directions together
    p2p: str | None  # "nvlink", "pcie", "unified", "none"
    msrp_usd: float | None
    release_date: str  # ISO 8601
    peaks_basis: str
    source: str
    notes: str


class AmbiguousGpuError(InvalidInputError):
    """A name that several catalogue rows answer to."""

    def __init__(self, name: str, candidates: tuple[GpuSpec, ...]) -> None:
        self.candidates = candidates
        ids = ", ".join(spec.id for spec in candidates)
        super().__init__("GPU name", (Problem(name, f"could be several GPUs: write one of {ids}"),))


def _number(text: str, factor: float = 1.0) -> float | None:
    return float(text) * factor if text else None


def _required(row: dict[str, str], column: str, factor: float = 1.0) -> float:
    value = _number(row[column], factor)
    if value is None:
        raise ValueError(f"{row['id']}: {column} is empty")
    return value


def _spec(row: dict[str, str]) -> GpuSpec:
    """One row in base units: TFLOPS are 10¹² FLOP/s, GB/s 10⁹ bytes/s; memory and cache sizes are binary."""
    return GpuSpec(
        id=row["id"],
        vendor=row["vendor"],
        name=row["nvml_name"],
        match_names=tuple(filter(None, row["match_names"].split(";"))),
        form=row["form"],
        architecture=row["architecture"],
        compute_capability=row["compute_capability"] or None,
        pci_device_ids=tuple(row["pci_device_ids"].upper().split()),
        sm_count=int(row["sm_count"]) if row["sm_count"] else None,
        boost_hz=_number(row["boost_mhz"], 1e6),
        memory_bytes=round(_required(row, "memory_gb", GIB)),
        bandwidth_bytes_per_s=_number(row["mem_bandwidth_gbs"], 1e9),
        l2_bytes=_number(row["l2_mb"], 2.0**20),
        fp32_flops_per_s=_required(row, "fp32_tflops", 1e12),
        tf32_flops_per_s=_number(row["tf32_tc_tflops"], 1e12),
        fp16_flops_per_s=_number(row["fp16_cuda_tflops"], 1e12),
        fp16_tensor_flops_per_s=_number(row["fp16_tc_fp32acc_tflops"], 1e12),
        bf16_tensor_flops_per_s=_number(row["bf16_tc_tflops"], 1e12),
        tdp_w=_required(row, "tdp_w"),
        pcie=row["pcie"] or None,
        pcie_bytes_per_s=_number(row["pcie_gbs_per_dir"], 1e9),
        nvlink_bytes_per_s=_number(row["nvlink_gbs_bidir"], 1e9),
        p2p=row["p2p"] or None,
        msrp_usd=_number(row["msrp_usd"]),
        release_date=row["release_date"],
        peaks_basis=row["tflops_basis"],
        source=row["source"],
        notes=row["notes"],
    )


@cache
def load_catalogue(file: Path = CATALOGUE_FILE) -> tuple[GpuSpec, ...]:
    """Every GPU, in the file's order. Raises OSError or ValueError: the file is part of the product."""
    with file.open(encoding="utf-8", newline="") as stream:
        return tuple(map(_spec, csv.DictReader(stream)))


def by_id(spec_id: str) -> GpuSpec | None:
    """The row with exactly this id."""
    return next((spec for spec in load_catalogue() if spec.id == spec_id), None)


def _words(name: str) -> tuple[str, ...]:
    """A name as comparable words: "NVIDIA GeForce RTX3090 (TM)" → ("rtx", "3090")."""
    plain = re.sub(r"\((tm|r|c)\)", " ", name.lower())
    words = re.findall(r"[a-z]+|\d+[a-z]*|\d+", re.sub(r"(\d+)\s*gi?b\b", r"\1gb", plain))
    return tuple(word for word in words if word not in {"nvidia", "geforce", "amd", "gpu", "generation"})


def _key(words: tuple[str, ...]) -> str:
    return "".join(words)


@cache
def _index() -> tuple[tuple[GpuSpec, frozenset[tuple[str, ...]]], ...]:
    return tuple(
        (spec, frozenset(map(_words, (spec.id, spec.name, *spec.match_names)))) for spec in load_catalogue()
    )


def _memory_named(words: tuple[str, ...]) -> tuple[tuple[str, ...], float | None]:
    """Split a trailing memory size off: ("rtx", "3060", "12gb") → ("rtx", "3060"), 12 GiB."""
    if len(words) > 1 and (match := re.fullmatch(r"(\d+)gb", words[-1])):
        return words[:-1], float(match[1]) * GIB
    return words, None


def _with_memory(specs: Iterable[GpuSpec], memory_bytes: float | None) -> tuple[GpuSpec, ...]:
    """Those of about that memory size; all of them when it is not known."""
    return tuple(
        spec
        for spec in specs
        if memory_bytes is None or abs(spec.memory_bytes - memory_bytes) <= _MEMORY_TOLERANCE * spec.memory_bytes
    )


def _without_family(words: tuple[str, ...]) -> tuple[str, ...]:
    return words[1:] if len(words) > 1 and words[0] in _FAMILIES else words


def _named(words: tuple[str, ...]) -> tuple[GpuSpec, ...]:
    """Rows with that name: whole, else without the family ("3090")."""
    wanted = _key(words)
    whole = tuple(spec for spec, names in _index() if wanted in map(_key, names))
    return whole or tuple(
        spec for spec, names in _index() if wanted in (_key(_without_family(name)) for name in names)
    )


def _beginning_with(words: tuple[str, ...]) -> tuple[GpuSpec, ...]:
    """Rows whose name begins with these words ("A100"); a family alone ("RTX") is no name."""
    if not any(character.isdigit() for character in _key(words)):
        return ()
    count = len(words)
    return tuple(
        spec
        for spec, names in _index()
        if any(words in (name[:count], _without_family(name)[:count]) for name in names)
    )


def lookup(name: str) -> GpuSpec | None:
    """The GPU a person means: "RTX 3090", "rtx3090", "3090", "RTX 3060 12GB", "rtx-3060-12gb".

    None when there is no such GPU (see ``close_names``). Raises AmbiguousGpuError when several answer to it;
    a desktop card goes before laptop parts of the same name.
    """
    exact = by_id(name.strip().lower())
    if exact is not None:
        return exact
    words = _words(name)
    if not words:
        return None
    found = _named(words)
    if not found:
        shorter, memory_bytes = _memory_named(words)
        found = _with_memory(_named(shorter), memory_bytes) or _with_memory(_beginning_with(shorter), memory_bytes)
    if len(found) > 1:
        found = tuple(spec for spec in found if spec.form != "laptop") or found
    if len(found) > 1:
        raise AmbiguousGpuError(name.strip(), found)
    return found[0] if found else None


def required(name: str, field: str = "gpu") -> GpuSpec:
    """The GPU a person means. Raises InvalidInputError, at ``field``, for one that is not in the catalogue, with
    names that look like it, and AmbiguousGpuError as ``lookup`` does."""
    spec = lookup(name)
    if spec is None:
        near = ", ".join(close_names(name))
        hint = f"did you mean {near}?" if near else "write it as in: RTX 3090; `gpu-plan catalog` lists them all"
        raise InvalidInputError("", (Problem(field, f"there is no {name!r} in the GPU catalogue; {hint}"),))
    return spec


def close_names(name: str, count: int = 3) -> tuple[str, ...]:
    """Catalogue names that look like ``name``, best first: for "did you mean …?"."""
    wanted = _key(_words(name))
    keys = {_key(_words(candidate)): candidate for spec in load_catalogue() for candidate in spec.match_names}
    return tuple(keys[key] for key in difflib.get_close_matches(wanted, keys, n=count, cutoff=0.6))


def identify(
    name: str | None, pci_device_id: str | None = None, memory_bytes: float | None = None
) -> GpuSpec | None:
    """The row for a GPU that a driver reports: by PCI id, then name, then memory size.

    Each step only narrows what the step before left open. None when nothing fits, or more than one still
    does: a wrong data sheet is worse than none.
    """
    wanted = pci_device_id.upper() if pci_device_id else None
    found = [spec for spec in load_catalogue() if wanted in spec.pci_device_ids]
    if len(found) != 1 and name:
        key = _key(_words(name))
        named = [spec for spec, names in _index() if key in map(_key, names)]
        found = [spec for spec in named if spec in found] or found or named
    if len(found) > 1:
        found = list(_with_memory(found, memory_bytes))
    return found[0] if len(found) == 1 else None
