"""Offers out of other programs' files: gpuhunt's and SkyPilot's catalogues, and our own CSV and JSON.

The format is told by the column names, not by the file's name. Of several regions or machine types that sell the
same package at the same kind of price the cheapest is kept: that is the one that would be rented.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from planner.door import InvalidInputError, Problem, parse_json, validated
from planner.hardware.catalogue import AmbiguousGpuError, lookup
from planner.offers.catalogue import parse_offers
from planner.offers.offer import Offer
from planner.units import GIB

SIZE_LIMIT_BYTES = 200 * 2**20
_GPUHUNT = {"instance_name", "location", "price", "gpu_count", "gpu_name", "spot"}
_SKYPILOT = {"InstanceType", "AcceleratorName", "AcceleratorCount", "Price", "Region"}
_GPUHUNT_SOURCE = ("gpuhunt catalogue", "https://github.com/dstackai/gpuhunt", "")
_SKYPILOT_SOURCE = ("SkyPilot catalogue", "https://github.com/skypilot-org/skypilot-catalog", "Apache-2.0")
_PROBLEMS_SHOWN = 20

Row = dict[str, str]


@dataclass(frozen=True, slots=True)
class Imported:
    """What a file held. ``skipped``: rows that could not be used, grouped, with why."""

    offers: tuple[Offer, ...]
    skipped: tuple[Problem, ...] = ()


def import_file(path: Path, provider: str, today: str) -> Imported:
    """Read ``path``. ``provider``: seller of a catalogue that names none (empty: as the file or folder is called).

    ``today`` (ISO) dates prices of catalogues, which carry no date. Raises InvalidInputError for a file that is no
    table of offers, and OSError.
    """
    if path.stat().st_size > SIZE_LIMIT_BYTES:
        what = f"larger than {SIZE_LIMIT_BYTES // 2**20} MiB: this is not a table of offers"
        raise InvalidInputError(path.name, (Problem("", what),))
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInputError(path.name, (Problem(f"byte {error.start}", "not UTF-8 text"),)) from None
    called = path.stem if path.stem not in ("vms", "catalog", "catalogue") else path.resolve().parent.name
    return import_text(text, path.name, provider or called, today)


def import_text(text: str, source: str, provider: str, today: str) -> Imported:
    """``import_file`` for text that is there already."""
    if text.lstrip().startswith(("[", "{")):
        return Imported(_from_json(text, source))
    reader = csv.DictReader(io.StringIO(text, newline=""))
    columns = set(reader.fieldnames or ())
    if columns >= _GPUHUNT:
        return _from_rows(reader, source, lambda row: _of_gpuhunt(row, provider, today))
    if columns >= _SKYPILOT:
        return _from_rows(reader, source, lambda row: _of_skypilot(row, provider, today))
    return Imported(parse_offers(text, source))


def _from_json(text: str, source: str) -> tuple[Offer, ...]:
    """A list of offers, or an object with one under "offers"; fields as in ``Offer``."""
    data = parse_json(text, source)
    rows = data.get("offers") if isinstance(data, dict) else data
    if not isinstance(rows, list):
        raise InvalidInputError(source, (Problem("offers", "write a list of offers"),))
    offers, problems = [], []
    for index, row in enumerate(rows):
        try:
            offers.append(validated(Offer, row, source))
        except InvalidInputError as error:
            problems += [Problem(f"offers.{index}.{problem.where}", problem.what) for problem in error.problems]
    if problems:
        raise InvalidInputError(source, tuple(problems[:_PROBLEMS_SHOWN]))
    return tuple(offers)


def _from_rows(rows: Iterable[Row], source: str, offers_of: Callable[[Row], Iterator[dict[str, Any]]]) -> Imported:
    found: dict[tuple[str, str, int, str], Offer] = {}
    skipped: Counter[str] = Counter()
    try:
        for row in rows:
            try:
                for fields in offers_of(row):
                    _keep_cheapest(found, Offer(**fields))
            except (ValueError, TypeError) as error:  # a cell that is no number, or out of bounds; unknown GPUs
                skipped[str(error)] += 1
    except csv.Error as error:
        raise InvalidInputError(source, (Problem("", f"not CSV ({error})"),)) from None
    problems = tuple(Problem(f"{count} rows", why) for why, count in skipped.most_common(_PROBLEMS_SHOWN))
    if not found:
        nothing = (Problem("", "no row is an offer of a GPU in the catalogue"),)
        raise InvalidInputError(source, problems or nothing)
    return Imported(tuple(found.values()), problems)


def _keep_cheapest(found: dict[tuple[str, str, int, str], Offer], offer: Offer) -> None:
    known = found.get(offer.key)
    if known is None or (offer.price_usd_per_hour or 0.0) < (known.price_usd_per_hour or 0.0):
        found[offer.key] = offer


@lru_cache(maxsize=512)
def gpu_id_of(name: str, memory_gb: str) -> str:
    """Id in the catalogue of a GPU as a catalogue of prices writes it. Raises ValueError.

    Prices often do not say which form of a GPU is meant ("A100"): the slowest of that memory is careful.
    """
    try:
        spec = lookup(name)
    except AmbiguousGpuError as ambiguous:
        found = ambiguous.candidates
        memory_bytes = float(memory_gb) * GIB if memory_gb else min(spec.memory_bytes for spec in found)
        nearest = min(abs(spec.memory_bytes - memory_bytes) for spec in found)
        alike = [spec for spec in found if abs(spec.memory_bytes - memory_bytes) == nearest]
        spec = min(alike, key=lambda spec: spec.bandwidth_bytes_per_s or 0.0)
    if spec is None:
        raise ValueError(f"the GPU {name!r} is not in the catalogue")
    return spec.id


def _of_gpuhunt(row: Row, provider: str, today: str) -> Iterator[dict[str, Any]]:
    """One row is one offer; rows without a GPU are machines for other work."""
    if not row["gpu_name"] or not int(row["gpu_count"]):
        return
    source, url, licence = _GPUHUNT_SOURCE
    yield {
        "provider": row.get("provider") or provider,
        "gpu": gpu_id_of(row["gpu_name"], row.get("gpu_memory") or ""),
        "gpu_count": int(row["gpu_count"]),
        "price_usd_per_hour": float(row["price"]),
        "price_date": today,
        "pricing": "spot" if row["spot"].strip().lower() == "true" else "on-demand",
        "source": source, "source_url": url, "licence": licence,
        "vcpus": _whole(row.get("cpu")), "ram_gb": _number(row.get("memory")),
        "disk_gb": _number(row.get("disk_size")), "region": row["location"],
        "notes": row["instance_name"],
    }  # fmt: skip


def _of_skypilot(row: Row, provider: str, today: str) -> Iterator[dict[str, Any]]:
    """One row is up to two offers: on demand and spot."""
    if not row["AcceleratorName"]:
        return
    gpu, count = gpu_id_of(row["AcceleratorName"], ""), float(row["AcceleratorCount"])
    if count != int(count):
        raise ValueError("a part of a GPU is no package")
    source, url, licence = _SKYPILOT_SOURCE
    for pricing, column in (("on-demand", "Price"), ("spot", "SpotPrice")):
        price = _number(row.get(column))
        if price is not None:
            yield {
                "provider": provider, "gpu": gpu, "gpu_count": int(count), "price_usd_per_hour": price,
                "price_date": today, "pricing": pricing, "source": source, "source_url": url, "licence": licence,
                "vcpus": _whole(row.get("vCPUs")), "ram_gb": _number(row.get("MemoryGiB")),
                "region": row["Region"], "notes": row["InstanceType"],
            }  # fmt: skip


def _number(text: str | None) -> float | None:
    return float(text) if text else None


def _whole(text: str | None) -> int | None:
    value = _number(text)
    return None if value is None else int(value)
