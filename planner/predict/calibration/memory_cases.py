"""Published peaks, fits and out-of-memory reports, with what is alive in the models they are of. Knows no torch.

``memory_peaks.csv`` says for each report which recipe of ours it is, in the columns of ``gpu-plan estimate
--table``. ``memory_tables.json`` holds what those models, and those of timm's batch ladder, keep alive:
``trace_memory`` makes it.
"""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Literal

import numpy as np

from planner.door import validated
from planner.paths import RESOURCES
from planner.predict.memory_table import MemoryTable
from planner.units import GIB
from planner.workload.job import Recipe
from planner.workload.optable import SizeKind
from planner.workload.presets import TRACED_PRECISION

MEASUREMENTS = RESOURCES / "calibration" / "measurements"
PEAKS, LADDER = MEASUREMENTS / "memory_peaks.csv", MEASUREMENTS / "timm_rtx3090_train.csv"
NOT_COVERED = MEASUREMENTS / "memory_not_covered.csv"  # how many reports have no recipe of ours, and why
TABLES = MEASUREMENTS / "memory_tables.json"
CONFIGS = MEASUREMENTS / "hf_configs.json"  # name → config.json of Hugging Face, as far as shapes depend on it

Kind = Literal["peak", "fits", "oom"]
Meter = Literal["allocated", "reserved", "device"]
# What torch's allocator reserves over what it has handed out: one published run read by three meters (nnU-Net
# ResEnc L: 21.5 allocated, 22.6 reserved, 23.5 by the driver).
RESERVED_OVER_ALLOCATED = 1.05
_SAME_PARAMETERS = 0.01  # the published number is rounded
_CHANGED_FAMILY = "tresnet"
_RECIPE_COLUMNS = ("precision", "optimizer", "strategy", "checkpointing", "adapter", "software", "offload")


@dataclass(frozen=True)
class MemoryCase:
    """One report. ``peak_bytes`` by the ``meter`` it was read from: torch's allocator (allocated or reserved) or
    the whole device; None for fits and out-of-memory reports, which have ``capacity_bytes``, the card's."""

    id: str
    kind: Kind
    recipe: Recipe
    gpus: int
    size: int
    meter: Meter
    peak_bytes: float | None
    capacity_bytes: float | None
    confidence: str
    table: MemoryTable

    @property
    def model(self) -> str:
        return self.recipe.model


@dataclass(frozen=True)
class LadderCase:
    """A batch that ran in an RTX 3090, and the next one, which did not."""

    family: str
    recipe: Recipe
    size: int
    next_batch_size: int
    table: MemoryTable


@dataclass(frozen=True)
class _Record:
    """A MemoryTable in the file."""

    size_kind: SizeKind
    size_unit: int
    convolves: bool
    parameters: int
    trained_parameters: int
    parameter_bytes: int
    trained_parameter_bytes: int
    buffer_bytes: int
    input_bytes: list[float]
    live_bytes: list[list[float]]
    live_gradient_bytes: list[float]
    live_bytes_infer: list[list[float]]

    __pydantic_config__ = {"extra": "forbid", "allow_inf_nan": False}


def table_key(recipe: Recipe, image_size: int | None) -> str:
    """Name of what a recipe needs in ``memory_tables.json``. Image models are traced at one size."""
    attention = "eager" if recipe.software == "torch1.12" else "fused"
    parts = (recipe.model, TRACED_PRECISION[recipe.precision], recipe.checkpointing, recipe.adapter, attention)
    return "|".join((*parts, str(image_size or "")))


def key_of(row: dict[str, str]) -> str:
    """The same for a report."""
    return table_key(recipe_of(row)[0], int(row["image_size"]) if row["image_size"] else None)


def as_record(table: MemoryTable) -> dict[str, Any]:
    """For the file."""
    return {
        field.name: value.tolist() if isinstance(value := getattr(table, field.name), np.ndarray) else value
        for field in fields(MemoryTable)
    }


@cache
def tables() -> dict[str, MemoryTable]:
    """All tables of the file, by key."""
    records = json.loads(TABLES.read_text(encoding="utf-8"))["tables"]
    return {key: _from_record(validated(_Record, record, f"{TABLES}: {key}")) for key, record in records.items()}


def _from_record(record: _Record) -> MemoryTable:
    arrays = ("input_bytes", "live_bytes", "live_gradient_bytes", "live_bytes_infer")
    values = {field.name: getattr(record, field.name) for field in fields(_Record)}
    return MemoryTable(**{**values, **{name: np.array(values[name], dtype=np.float64) for name in arrays}})


def read_rows() -> list[dict[str, str]]:
    """The reports as they lie in the file."""
    with PEAKS.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def not_covered() -> dict[str, int]:
    """Reasons why reports have no recipe of ours, with the number of reports."""
    with NOT_COVERED.open(encoding="utf-8", newline="") as stream:
        return {row["reason"]: int(row["reports"]) for row in csv.DictReader(stream)}


def recipe_of(row: dict[str, str]) -> tuple[Recipe, int]:
    """Recipe and input size of a report."""
    size = int(row["image_size"] or row["sequence_length"])
    chosen: dict[str, Any] = {name: row[name] for name in _RECIPE_COLUMNS if row[name]}
    recipe = Recipe(model=row["model"], batch_size=int(row["batch_size"]), input_size=size, **chosen)
    return recipe, size


@cache
def memory_cases() -> tuple[MemoryCase, ...]:
    """Every report whose model is in ``memory_tables.json``."""
    known, cases = tables(), []
    for row in read_rows():
        recipe, size = recipe_of(row)
        table = known.get(key_of(row))
        if table is not None:
            cases.append(_case(row, recipe, size, table))
    return tuple(cases)


def _case(row: dict[str, str], recipe: Recipe, size: int, table: MemoryTable) -> MemoryCase:
    def gib(column: str) -> float | None:
        return float(row[column]) * GIB if row[column] else None

    return MemoryCase(
        id=row["id"],
        kind=row["kind"],  # type: ignore[arg-type]
        recipe=recipe,
        gpus=int(row["gpus"]),
        size=size,
        meter=row["meter"],  # type: ignore[arg-type]
        peak_bytes=gib("peak_gib"),
        capacity_bytes=gib("capacity_gib"),
        confidence=row["confidence"],
        table=table,
    )


@cache
def ladder_cases() -> tuple[LadderCase, ...]:
    """Every step of timm's ladder whose next batch is known to have failed and whose model is traced.

    Left out: names under which timm has another model since, by their number of parameters, and TResNet, whose
    norms were computed in place (InplaceABN) when it was published and are not today.
    """
    known, cases = tables(), []
    with LADDER.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            recipe, size, above = ladder_recipe(row), int(row["image_size"]), row["next_batch_that_did_not_fit"]
            table = known.get(table_key(recipe, size))
            if not above or table is None or row["family"] == _CHANGED_FAMILY:
                continue
            if _same_model(table, float(row["parameters_millions"])):
                cases.append(LadderCase(row["family"], recipe, size, int(above), table))
    return tuple(cases)


def _same_model(table: MemoryTable, millions: float) -> bool:
    return abs(table.parameters / 1e6 - millions) <= _SAME_PARAMETERS * millions


def ladder_recipe(row: dict[str, str]) -> Recipe:
    """How timm's published training steps were run."""
    return Recipe(
        model=row["model"],
        batch_size=int(row["batch_size"]),
        input_size=int(row["image_size"]),
        precision="amp",
        optimizer="momentum",
        memory_format=row["memory_format"],  # type: ignore[arg-type]
        software="torch1.12",
    )
