"""Published training steps joined with the traced op tables of their architectures, as flat arrays."""

from __future__ import annotations

import csv
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from planner.paths import RESOURCES
from planner.predict.optimizer_step import optimizer_step
from planner.predict.step_time import MATRIX
from planner.predict.types import FORMATS, Floats
from planner.workload.job import Recipe
from planner.workload.optable import OP_CLASSES, PHASES, OpTable, basis
from planner.workload.table_file import load_table

Indices = NDArray[np.int64]

MEASUREMENTS = RESOURCES / "calibration" / "measurements" / "timm_rtx3090_train.csv"
# The published runs: SGD with momentum, autocast to fp16 without a gradient scaler, gradients zero-filled.
PUBLISHED = Recipe(optimizer="momentum", precision="amp", software="torch1.12")


@dataclass(frozen=True)
class Limits:
    """What a device's data sheet promises, per second."""

    half_flops: float
    full_flops: float
    bytes: float


@dataclass(frozen=True)
class Measured:
    """S steps and all their ops, R rows in total. Ideal times are seconds at full peak and full bandwidth."""

    architecture: tuple[str, ...]  # (S,)
    family: tuple[str, ...]  # (S,)
    memory_format: Indices  # (S,) index into FORMATS
    step_s: Floats  # (S,) as published
    kernels: Floats  # (S,) launches of a step
    step: Indices  # (R,) which step a row belongs to
    cell: Indices  # (R,) phase · C + class
    flop_s: Floats  # (R,) all executions together
    byte_s: Floats  # (R,)

    def choose(self, keep: NDArray[np.bool_]) -> Measured:
        """The steps where ``keep`` (S,) is true."""
        rows, place = keep[self.step], np.cumsum(keep) - 1
        chosen = np.flatnonzero(keep)
        return Measured(
            architecture=tuple(self.architecture[i] for i in chosen),
            family=tuple(self.family[i] for i in chosen),
            memory_format=self.memory_format[keep],
            step_s=self.step_s[keep],
            kernels=self.kernels[keep],
            step=place[self.step[rows]],
            cell=self.cell[rows],
            flop_s=self.flop_s[rows],
            byte_s=self.byte_s[rows],
        )


def table_path(folder: Path, name: str, size: int) -> Path:
    """Where the op table of one architecture at one image size is kept."""
    return folder / f"{name}_{size}.json"


def _ideal_times(table: OpTable, recipe: Recipe, limits: Limits) -> tuple[Indices, Floats, Floats, float]:
    """Cells, FLOP times and byte times of all rows and the optimizer; launches of the step."""
    values = basis(recipe.batch_size, 1.0)
    half = MATRIX[table.op_class] & (table.dtype_bytes < 4)
    update = optimizer_step(table, recipe)
    optimizer = PHASES.index("optimizer") * len(OP_CLASSES) + OP_CLASSES.index("optimizer")
    cell = np.append(table.phase * len(OP_CLASSES) + table.op_class, optimizer)
    flop_s = table.count * (table.flops @ values) / np.where(half, limits.half_flops, limits.full_flops)
    byte_s = table.count * (table.bytes @ values) / limits.bytes
    return (
        cell,
        np.append(flop_s, 0.0),
        np.append(byte_s, update.bytes / limits.bytes),
        float(table.count.sum() + update.kernels),
    )


def read_measured(file: Path, tables: Path, limits: Limits) -> Measured:
    """Rows of a published training table whose architecture has been traced into ``tables``."""
    known: dict[Path, OpTable] = {}
    names: list[str] = []
    families: list[str] = []
    numbers: list[tuple[int, float, float]] = []  # format, seconds, launches
    columns: list[tuple[Indices, Indices, Floats, Floats]] = []
    with file.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            name = row["model"].removeprefix("timm:")
            path = table_path(tables, name, int(row["image_size"]))
            if not path.exists():
                continue
            if path not in known:
                known[path] = load_table(path)
            recipe = replace(PUBLISHED, batch_size=int(row["batch_size"]))
            cell, flop_s, byte_s, kernels = _ideal_times(known[path], recipe, limits)
            columns.append((np.full(len(cell), len(names)), cell, flop_s, byte_s))
            names.append(name)
            families.append(row["family"])
            layout = list[str](FORMATS).index(row["memory_format"])
            numbers.append((layout, float(row["step_time_ms"]) / 1e3, kernels))
    step, cell, flop_s, byte_s = (np.concatenate(column) for column in zip(*columns, strict=True))
    formats, seconds, launches = (np.array(column) for column in zip(*numbers, strict=True))
    return Measured(tuple(names), tuple(families), formats, seconds, launches, step, cell, flop_s, byte_s)
