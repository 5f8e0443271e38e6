"""The table contract of ``gpu-plan estimate --table``: rows of text in, rows of text out, one by one.

A row that cannot be answered gets one line in ``error`` that names column, value and what would be accepted; it
never stops the others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, get_args

from planner.door import InvalidInputError, Problem
from planner.evidence import Range
from planner.predict.anchor import anchored, timed
from planner.predict.estimate import estimate
from planner.predict.ladder import Rung, ladder
from planner.predict.scaling import MAX_GPUS
from planner.predict.types import DeviceModel, Estimate
from planner.workload.job import (
    Checkpointing,
    Execution,
    MemoryFormat,
    Mode,
    Offload,
    Optimizer,
    Precision,
    Recipe,
    Software,
    Strategy,
)  # fmt: skip
from planner.workload.optable import OpTable
from planner.workload.presets import PRESETS, TRACED_ADAPTERS, preset_info
from planner.workload.sources.load import Answer, Progress, load_tables
from planner.workload.sources.reference import KINDS, parse_reference
from planner.workload.sources.request import TableRequest, request_for

INPUT_COLUMNS = (
    "model", "mode", "batch_size", "image_size", "sequence_length", "precision", "memory_format", "optimizer",
    "gpu", "gpus", "bus_bandwidth_gbs", "strategy", "checkpointing", "adapter", "software", "offload", "execution",
    "accumulation_steps", "local_step_time_s", "local_gpu",
)  # fmt: skip
OUTPUT_COLUMNS = (
    "step_time_s", "step_time_low_s", "step_time_high_s", "samples_per_s", "peak_memory_bytes",
    "peak_memory_low_bytes", "peak_memory_high_bytes", "memory_available_bytes", "fits", "largest_batch_size",
    "evidence", "error",
)  # fmt: skip
DEFAULT_GPU, LOCAL = "RTX 3090", "local"

_CHOICES: dict[str, tuple[str, ...]] = {
    "mode": get_args(Mode),
    "precision": get_args(Precision),
    "memory_format": get_args(MemoryFormat),
    "optimizer": get_args(Optimizer),
    "strategy": get_args(Strategy),
    "checkpointing": get_args(Checkpointing),
    "execution": get_args(Execution),
    "software": get_args(Software),
    "offload": get_args(Offload),
}
_SIZE_COLUMNS = {"image": "image_size", "volume": "image_size", "sequence": "sequence_length", "none": ""}
_MAX_BATCH = 2**24
_NUMBER = re.compile(r"\d{1,12}(\.\d{0,12})?|\.\d{1,12}", re.ASCII)  # no signs, exponents or separators
_SHOWN = 60  # characters of a refused value that are repeated

DeviceByName = Callable[[str], DeviceModel]


@dataclass(frozen=True)
class _Request:
    recipe: Recipe
    table: TableRequest
    gpu: str
    gpus: int
    bandwidth: Range | None
    measured_s: Range | None = None  # a step of this recipe, timed on ``measured_on``
    measured_on: str = LOCAL

    def device(self, device_of: DeviceByName, table: OpTable) -> DeviceModel:
        """The GPU that is asked for, as a measured step makes it known where there is one."""
        device = device_of(self.gpu)
        if self.measured_s is None:
            return device
        return anchored(device, device_of(self.measured_on), self.measured_s, table, self.recipe)


class _Row:
    """One row being read; collects every problem instead of stopping at the first."""

    def __init__(self, row: dict[str, str]) -> None:
        self._row = row
        self.problems: list[Problem] = []

    def text(self, column: str) -> str:
        return (self._row.get(column) or "").strip()

    def refuse(self, column: str, accepted: str) -> None:
        shown = self.text(column)
        shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
        self.problems.append(Problem(column, f"{shown!r} is not accepted: {accepted}"))

    def choice(self, column: str, default: str) -> Any:
        value = self.text(column) or default
        if value not in _CHOICES[column]:
            self.refuse(column, "write " + ", ".join(_CHOICES[column]))
            return default
        return value

    def number(self, column: str) -> float | None:
        """A plain decimal number; None for anything else, which is then refused by the caller."""
        text = self.text(column)
        return float(text) if _NUMBER.fullmatch(text) else None

    def whole(self, column: str, default: int | None, highest: int) -> int | None:
        """A whole number; "8.0" is one too, as tables write a column in which some cells are empty."""
        if not self.text(column):
            return default
        value = self.number(column)
        if value is None or not 1 <= value <= highest or value != int(value):
            self.refuse(column, f"write a whole number from 1 to {highest}")
            return default
        return int(value)

    def measured_step(self) -> Range | None:
        """Seconds of a step that the user timed."""
        if not self.text("local_step_time_s"):
            if self.text("local_gpu"):
                self.refuse("local_gpu", "write local_step_time_s too, or leave both empty")
            return None
        value = self.number("local_step_time_s")
        if value is None or not 1e-6 <= value <= 1e5:
            self.refuse("local_step_time_s", "write seconds as a number such as 0.25, or leave it empty")
            return None
        return timed(value)

    def bandwidth(self) -> Range | None:
        if not self.text("bus_bandwidth_gbs"):
            return None
        value = self.number("bus_bandwidth_gbs")
        if value is None or not 1e-3 <= value <= 1e5:
            self.refuse("bus_bandwidth_gbs", "write GB/s as a number such as 6.5, or leave it empty")
            return None
        return Range.exactly(value * 1e9)


def _preset(row: _Row) -> str:
    """Name of the preset, or empty for other models, which are checked for being there."""
    model = row.text("model")
    kind, _, name = model.partition(":")
    if kind == "preset" and name in PRESETS:
        return name
    if kind not in KINDS or kind == "preset":
        row.refuse("model", "write one of " + ", ".join(f"preset:{preset}" for preset in PRESETS))
        return ""
    try:
        parse_reference(model)
    except InvalidInputError as error:
        row.problems += error.problems
    return ""


def _request(raw: dict[str, str]) -> _Request:
    """Read one row. Raises InvalidInputError with all its problems."""
    row, default = _Row(raw), Recipe()
    preset = _preset(row)
    traced_adapter = TRACED_ADAPTERS.get(preset, "none")
    adapter = row.text("adapter") or traced_adapter
    if preset and adapter != traced_adapter:
        row.refuse("adapter", f"{row.text('model')} has only {traced_adapter}")
    usual_batch = preset_info(preset).default_batch_size if preset else default.batch_size
    image_size, sequence_length = row.whole("image_size", None, 2**20), row.whole("sequence_length", None, 2**24)
    recipe = Recipe(
        model=row.text("model"),
        mode=row.choice("mode", default.mode),
        batch_size=row.whole("batch_size", usual_batch, _MAX_BATCH) or usual_batch,
        input_size=image_size or sequence_length,
        precision=row.choice("precision", default.precision),
        memory_format=row.choice("memory_format", default.memory_format),
        optimizer=row.choice("optimizer", default.optimizer),
        checkpointing=row.choice("checkpointing", default.checkpointing),
        adapter=adapter,
        strategy=row.choice("strategy", default.strategy),
        software=row.choice("software", default.software),
        offload=row.choice("offload", default.offload),
        execution=row.choice("execution", default.execution),
        accumulation_steps=row.whole("accumulation_steps", 1, 2**20) or 1,
    )
    gpus, bandwidth, measured = row.whole("gpus", 1, MAX_GPUS) or 1, row.bandwidth(), row.measured_step()
    if row.problems:
        raise InvalidInputError(row.text("model"), tuple(row.problems))
    table = request_for(recipe, exact_size=True)
    gpu, measured_on = row.text("gpu") or DEFAULT_GPU, row.text("local_gpu") or LOCAL
    return _Request(recipe, table, gpu, gpus, bandwidth, measured, measured_on)


def _check_size(raw: dict[str, str], table: OpTable) -> None:
    """Refuse a size the model does not have: silently ignoring it would answer another question."""
    takes = _SIZE_COLUMNS[table.size_kind]
    for column in ("image_size", "sequence_length"):
        value = (raw.get(column) or "").strip()
        if value and column != takes:
            accepted = f"leave it empty, {table.model} " + (f"takes {takes}" if takes else "has no size to choose")
            raise InvalidInputError(table.model, (Problem(column, f"{value!r} is not accepted: {accepted}"),))


def _answer(result: Estimate) -> dict[str, str]:
    memory, step = result.memory, result.step_time_s

    def whole(value: float | None) -> str:
        return "" if value is None else f"{value:.0f}"

    return {
        "step_time_s": f"{step.likely:.6g}",
        "step_time_low_s": f"{step.low:.6g}",
        "step_time_high_s": f"{step.high:.6g}",
        "samples_per_s": f"{result.samples_per_s.likely:.6g}",
        "peak_memory_bytes": whole(memory.total_bytes.likely),
        "peak_memory_low_bytes": whole(memory.total_bytes.low),
        "peak_memory_high_bytes": whole(memory.total_bytes.high),
        "memory_available_bytes": whole(memory.available_bytes),
        "fits": memory.fits.value,
        "largest_batch_size": whole(memory.largest_batch_size),
        "evidence": result.evidence.value,
        "error": "",
    }


def _one_line(raw: dict[str, str], error: InvalidInputError) -> str:
    """All problems in one line, by the names of the table's columns."""
    size_column = "image_size" if (raw.get("image_size") or "").strip() else "sequence_length"
    problems = [
        Problem(size_column, problem.what) if problem.where == "input_size" else problem
        for problem in error.problems
    ]
    return " ".join("; ".join(map(str, problems)).split())


def _remembering(resolve_device: DeviceByName) -> DeviceByName:
    """Ask once per name, also for names that are refused: looking at the local machine takes seconds."""
    known: dict[str, DeviceModel | InvalidInputError] = {}

    def device_of(name: str) -> DeviceModel:
        if name not in known:
            try:
                known[name] = resolve_device(name)
            except InvalidInputError as error:
                known[name] = error
        found = known[name]
        if isinstance(found, InvalidInputError):
            raise found
        return found

    return device_of


def _read_request(raw: dict[str, str]) -> _Request | InvalidInputError:
    try:
        return _request(raw)
    except InvalidInputError as error:
        return error


def _table(request: TableRequest, tables: Mapping[TableRequest, Answer]) -> OpTable:
    table = tables[request]
    if isinstance(table, InvalidInputError):
        raise table
    return table


@dataclass(frozen=True)
class WithLadder:
    """One row's estimate with the changes that lower its peak."""

    recipe: Recipe
    estimate: Estimate
    rungs: tuple[Rung, ...]


def estimate_with_ladder(
    raw: dict[str, str], resolve_device: DeviceByName, progress: Progress = lambda _request, _stage: None
) -> WithLadder:
    """One row, and its ladder, for which changed models are traced (seconds each).

    Raises InvalidInputError for a row that cannot be answered; a change whose model cannot be traced is left out.
    """
    request = _request(raw)
    device_of = _remembering(resolve_device)

    @cache
    def table_of(recipe: TableRequest) -> Answer:
        return load_tables([recipe], progress=progress)[recipe]

    def known(recipe: Recipe) -> OpTable | None:
        try:
            answer = table_of(request_for(recipe, exact_size=True))
        except InvalidInputError:  # an adapter that the model cannot have
            return None
        return None if isinstance(answer, InvalidInputError) else answer

    table = _table(request.table, {request.table: table_of(request.table)})
    _check_size(raw, table)
    device = request.device(device_of, table)
    return WithLadder(
        request.recipe,
        estimate(request.recipe, device, table, request.gpus, request.bandwidth),
        ladder(request.recipe, device, known, request.gpus, request.bandwidth),
    )


def estimate_table(
    rows: Iterable[dict[str, str]],
    resolve_device: DeviceByName,
    progress: Progress = lambda _request, _stage: None,
) -> Iterator[dict[str, str]]:
    """Answer each row: its own columns, then ``OUTPUT_COLUMNS``.

    All rows are read first, so that each model is traced once. ``resolve_device`` turns the ``gpu`` column into
    a device and raises InvalidInputError for an unknown name; it is asked once per name.
    """
    device_of = _remembering(resolve_device)
    asked = [(raw, _read_request(raw)) for raw in rows]
    wanted = [request.table for _, request in asked if isinstance(request, _Request)]
    tables = load_tables(wanted, progress=progress)
    for raw, request in asked:
        try:
            if isinstance(request, InvalidInputError):
                raise request
            table = _table(request.table, tables)
            _check_size(raw, table)
            result = estimate(
                request.recipe, request.device(device_of, table), table, request.gpus, request.bandwidth
            )
            yield {**raw, **_answer(result)}
        except InvalidInputError as error:
            yield {**raw, **dict.fromkeys(OUTPUT_COLUMNS, ""), "error": _one_line(raw, error)}
