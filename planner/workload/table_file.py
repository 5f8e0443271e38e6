"""Op tables as JSON: one kernel a line, validated at the door."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

import numpy as np

from planner.door import InvalidInputError, Problem, parse_json, plain, validated
from planner.storage import write_atomically
from planner.workload.job import MemoryFormat
from planner.workload.optable import KINDS, PHASES, POLYNOMIALS, OpTable, SizeKind

Six = tuple[float, float, float, float, float, float]
Polynomial = float | Six  # a number where a quantity depends on neither batch nor size


# kind, phase, operand bytes, 1 if channels-last, executions, window, stride, coefficients of POLYNOMIALS
OpRecord = tuple[
    str, str, Literal[2, 4], Literal[0, 1], float, float, float,
    Polynomial, Polynomial, Polynomial, Polynomial, Polynomial, Polynomial,
]  # fmt: skip

_STRICT = {"extra": "forbid", "allow_inf_nan": False}
_INLINE_FIELDS = ("ops", "live_bytes", "live_gradient_bytes", "live_bytes_infer", "input_bytes")


@dataclass(frozen=True)
class TableRecord:
    """An OpTable as it lies in a file. Fields mean what they mean there."""

    model: str
    precision: Literal["fp32", "amp", "bf16"]
    memory_format: MemoryFormat
    checkpointing: Literal["none", "full"]
    size_kind: SizeKind
    default_size: int
    size_unit: int
    size_min: int
    size_max: int
    parameters: int
    trained_parameters: int
    parameter_tensors: int
    parameter_bytes: int
    trained_parameter_bytes: int
    buffer_bytes: int
    input_bytes: Six
    live_bytes: list[Six]
    live_gradient_bytes: list[float]
    live_bytes_infer: list[Six]
    ops: list[OpRecord]

    __pydantic_config__ = _STRICT

    def __post_init__(self) -> None:
        for name in ("ops", "live_bytes", "live_bytes_infer"):
            if not getattr(self, name):
                raise ValueError(f"{name} is empty")
        if len(self.live_gradient_bytes) != len(self.live_bytes):
            raise ValueError("live_gradient_bytes and live_bytes differ in length")
        if self.size_kind != "none" and not 0 < self.size_min <= self.default_size <= self.size_max:
            raise ValueError("sizes must obey 0 < size_min <= default_size <= size_max")
        if self.size_kind != "none" and self.size_unit < 1:
            raise ValueError("size_unit must be at least 1")
        if not 0 < self.trained_parameters <= self.parameters:
            raise ValueError("trained_parameters must be between 1 and parameters")
        for index, (kind, phase, _, _, count, *_) in enumerate(self.ops):
            if kind not in KINDS:
                raise ValueError(f"ops.{index}: unknown kind of op {kind!r}; known: {', '.join(KINDS)}")
            if phase not in PHASES:
                raise ValueError(f"ops.{index}: unknown phase {phase!r}; known: {', '.join(PHASES)}")
            if count <= 0:
                raise ValueError(f"ops.{index}: executed {count} times; must be more than 0")


@dataclass(frozen=True)
class TableFile:
    """A file with one op table."""

    schema_version: Literal[2]
    table: TableRecord

    __pydantic_config__ = _STRICT


_SCALARS = tuple(field.name for field in fields(TableRecord) if field.name not in _INLINE_FIELDS)


def to_record(table: OpTable) -> TableRecord:
    """The file's view of a table."""
    polynomials = [[_polynomial(row) for row in getattr(table, name)] for name in POLYNOMIALS]
    numbers = (table.count, table.kernel, table.stride)
    ops = zip(table.kind, table.phase, table.dtype_bytes, table.channels_last, *numbers, *polynomials, strict=True)
    return TableRecord(
        **{name: getattr(table, name) for name in _SCALARS},
        input_bytes=_six(table.input_bytes),
        live_bytes=[_six(row) for row in table.live_bytes],
        live_gradient_bytes=table.live_gradient_bytes.tolist(),
        live_bytes_infer=[_six(row) for row in table.live_bytes_infer],
        ops=[
            (KINDS[kind], PHASES[phase], int(width), int(last), *map(float, row[:3]), *row[3:])
            for kind, phase, width, last, *row in ops
        ],
    )


def from_record(record: TableRecord) -> OpTable:
    """The table of a validated record."""
    kinds, phases, widths, lasts, counts, kernels, strides, *polynomials = zip(*record.ops, strict=True)
    amounts: dict[str, Any] = {
        name: np.array([_coefficients(number) for number in column])
        for name, column in zip(POLYNOMIALS, polynomials, strict=True)
    }
    return OpTable(
        **{name: getattr(record, name) for name in _SCALARS},
        kind=np.array([KINDS.index(kind) for kind in kinds], dtype=np.int64),
        phase=np.array([PHASES.index(phase) for phase in phases], dtype=np.int64),
        dtype_bytes=np.array(widths, dtype=np.int64),
        channels_last=np.array(lasts, dtype=np.bool_),
        count=np.array(counts, dtype=np.float64),
        kernel=np.array(kernels, dtype=np.float64),
        stride=np.array(strides, dtype=np.float64),
        **amounts,
        live_bytes=np.array(record.live_bytes, dtype=np.float64),
        live_gradient_bytes=np.array(record.live_gradient_bytes, dtype=np.float64),
        live_bytes_infer=np.array(record.live_bytes_infer, dtype=np.float64),
        input_bytes=np.array(record.input_bytes, dtype=np.float64),
    )


def save_table(path: Path, table: OpTable) -> None:
    """Write one table. Raises OSError and then leaves what was there."""
    file = TableFile(2, to_record(table))
    write_atomically(path, diffable_json(plain(file)).encode())


def load_table(path: Path) -> OpTable:
    """Read one table. Raises InvalidInputError for an unreadable or invalid file, with every problem."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InvalidInputError(str(path), (Problem("", f"cannot be read ({error.strerror})"),)) from None
    return from_record(validated(TableFile, parse_json(content, str(path)), str(path)).table)


def diffable_json(value: Any) -> str:
    """JSON with a line per field and per list element, so that a changed kernel is a changed line."""
    return _lines(value, "") + "\n"


def _lines(value: Any, indent: str) -> str:
    inner = indent + " "
    if isinstance(value, dict):
        entries = [f"{json.dumps(key)}: {_lines(entry, inner)}" for key, entry in value.items()]
        return _wrapped("{", entries, "}", indent)
    if isinstance(value, list) and any(isinstance(entry, list | dict) for entry in value):
        entries = [
            _lines(entry, inner) if isinstance(entry, dict) else json.dumps(_whole(entry), separators=(",", ":"))
            for entry in value
        ]
        return _wrapped("[", entries, "]", indent)
    return json.dumps(_whole(value), ensure_ascii=False)


def _wrapped(opening: str, entries: list[str], closing: str, indent: str) -> str:
    return f"{opening}\n" + ",\n".join(f"{indent} {entry}" for entry in entries) + f"\n{indent}{closing}"


def _whole(value: Any) -> Any:
    """Floats that are whole numbers as integers: 12 instead of 12.0, in nested lists too."""
    if isinstance(value, list):
        return [_whole(entry) for entry in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _polynomial(row: Any) -> Polynomial:
    """A number instead of six coefficients where the other five are zero."""
    return float(row[0]) if not any(row[1:]) else _six(row)


def _coefficients(value: Polynomial) -> Six:
    return value if isinstance(value, tuple) else (value, 0.0, 0.0, 0.0, 0.0, 0.0)


def _six(row: Any) -> Six:
    a, b, c, d, e, f = (float(value) for value in row)
    return a, b, c, d, e, f
