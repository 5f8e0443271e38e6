"""Peak memory by part, stacked, against what is free on the GPU."""

from __future__ import annotations

from dataclasses import dataclass

from planner.decide.types import Option, Recommendation
from planner.predict.types import MemoryEstimate
from planner.report.types import Axis, ChartSpec, ReferenceLine, Series, Table
from planner.report.wording import Wording
from planner.units import GIB


@dataclass(frozen=True, slots=True)
class _Column:
    """Options whose memory is the same: this machine, or rented GPUs with one batch per GPU."""

    name: str
    device: str
    batch_per_gpu: int
    memory: MemoryEstimate | None
    keys: tuple[str, ...]


def _columns(options: tuple[Option, ...], chosen: str | None, wording: Wording) -> list[_Column]:
    groups: dict[tuple[str, int], list[Option]] = {}
    for option in options:
        groups.setdefault((option.kind, option.batch_per_gpu), []).append(option)
    shown = [group for group in groups.values() if _is_shown(group, list(groups.values()), chosen)]
    return [_column(group, wording) for group in shown]


def _is_shown(group: list[Option], groups: list[list[Option]], chosen: str | None) -> bool:
    """This machine, the chosen option, and of the rented ones the two ends: more columns say no more."""
    rented = [other for other in groups if other[0].kind == "rent"]
    return not any(group is other for other in rented[1:-1]) or any(option.key == chosen for option in group)


def _column(group: list[Option], wording: Wording) -> _Column:
    first = group[0]
    counts = _counts([option.gpu_count for option in group])
    name = (
        wording.messages.say("chart.memory.local", batch=str(first.batch_per_gpu))
        if first.kind == "local"
        else wording.messages.say("chart.memory.rent", counts=counts, batch=str(first.batch_per_gpu))
    )
    keys = tuple(option.key for option in group)
    return _Column(name, first.device_name, first.batch_per_gpu, first.memory, keys)


def _counts(numbers: list[int]) -> str:
    """[1, 2, 3, 5] → "1–3, 5"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)


def memory_chart(recommendation: Recommendation, wording: Wording) -> ChartSpec:
    """One column per distinct memory need, its parts in the order of the prediction, and each GPU's capacity."""
    say = wording.messages.say
    columns = _columns(recommendation.options, recommendation.chosen, wording)
    codes = list(dict.fromkeys(part.code for column in columns if column.memory for part in column.memory.parts))
    x = tuple(float(index) for index in range(len(columns)))
    parts = tuple(
        Series(name=say(f"memory.part.{code}"), x=x, y=tuple(_part_gib(column, code) for column in columns))
        for code in codes
    )
    totals = [column.memory.total_bytes.scaled(1 / GIB) if column.memory else None for column in columns]
    total = Series(
        name=say("chart.memory.total"),
        x=x,
        y=tuple(value.likely if value else None for value in totals),
        low=tuple(value.low if value else None for value in totals),
        high=tuple(value.high if value else None for value in totals),
        labels=tuple(
            wording.likely("total_bytes", column.memory.total_bytes) if column.memory else say("format.unknown")
            for column in columns
        ),
        keys=tuple(column.keys[0] for column in columns),
        emphasis=tuple(recommendation.chosen in column.keys for column in columns),
    )
    return ChartSpec(
        kind="stacked",
        key="memory",
        title=say("chart.memory.title"),
        x=Axis(say("chart.memory.columns")),
        y=Axis(say("chart.memory.axis")),
        series=(*parts, total),
        table=_table(columns, codes, wording),
        categories=tuple(column.name for column in columns),
        lines=_capacities(columns, wording),
        description=_description(columns, wording),
    )


def _part_gib(column: _Column, code: str) -> float | None:
    if column.memory is None:
        return None
    return next((part.bytes.likely / GIB for part in column.memory.parts if part.code == code), None)


def _capacities(columns: list[_Column], wording: Wording) -> tuple[ReferenceLine, ...]:
    """One line per device whose free memory is known; devices with the same amount share a line."""
    devices: dict[float, list[str]] = {}
    for column in columns:
        if column.memory is not None and column.memory.available_bytes is not None:
            names = devices.setdefault(column.memory.available_bytes, [])
            if column.device not in names:
                names.append(column.device)
    return tuple(
        ReferenceLine(wording.say("chart.memory.free", device=", ".join(names), free_bytes=free), free / GIB)
        for free, names in devices.items()
    )


def _table(columns: list[_Column], codes: list[str], wording: Wording) -> Table:
    """Parts as rows, columns as in the chart, then total, what is free, and whether it fits."""
    say = wording.messages.say
    memories = [column.memory for column in columns]
    rows = [
        (say(f"memory.part.{code}"), *(_part_text(memory, code, wording) for memory in memories)) for code in codes
    ]
    unknown = say("format.unknown")
    known = wording.value
    rows += [
        (say("chart.memory.total"), *(known("total_bytes", m.total_bytes) if m else unknown for m in memories)),
        (say("report.memory.free"), *(known("free_bytes", m.available_bytes) if m else unknown for m in memories)),
        (say("report.memory.fits"), *(say(f"memory.fits.{m.fits.value}") if m else unknown for m in memories)),
        (
            say("report.memory.largest_batch"),
            *(known("batch", m.largest_batch_size) if m else unknown for m in memories),
        ),
    ]
    return Table(
        (say("report.memory.part"), *(column.name for column in columns)),
        tuple(rows),
        (False, *(True for _ in columns)),
        emphasis=tuple(index == len(codes) for index in range(len(rows))),
    )


def _part_text(memory: MemoryEstimate | None, code: str, wording: Wording) -> str:
    parts = memory.parts if memory else ()
    return wording.value("part_bytes", next((part.bytes for part in parts if part.code == code), None))


def _description(columns: list[_Column], wording: Wording) -> str:
    sentences = [
        wording.say(
            f"chart.memory.description_{column.memory.fits.value}",
            column=column.name,
            total_bytes=column.memory.total_bytes,
            free_bytes=column.memory.available_bytes,
            part=wording.messages.say(f"memory.part.{column.memory.largest_part.code}"),
        )
        for column in columns
        if column.memory is not None
    ]
    return " ".join(sentences) or wording.say("chart.memory.description_none")
