"""The roofline of a GPU with the job's operators on it: whether arithmetic or memory holds them up."""

from __future__ import annotations

from planner.predict.roofline import Roofline, Work
from planner.report.types import Axis, ChartSpec, Series, Table
from planner.report.wording import Wording

_NOTICEABLE = 0.02  # share of the step below which a class is only in the table
_TERA = 1e12
_MARGIN = 3.0  # by which the axis goes beyond the outermost point
_POINTS = 13  # of a line: what the mouse finds


def roofline_chart(found: Roofline, wording: Wording) -> ChartSpec:
    """Rates over intensity, both logarithmic. What only moves data stands at the left edge, at its rate there."""
    say = wording.messages.say
    left, right = _edges(found)
    drawn = [work for work in found.classes if work.seconds >= _NOTICEABLE * found.seconds]
    return ChartSpec(
        kind="scatter",
        key="roofline",
        title=say("chart.roofline.title", device=found.device_name),
        x=Axis(say("chart.roofline.intensity"), log=True),
        y=Axis(say("chart.roofline.axis"), log=True),
        series=(
            *_limits(found, left, right, wording),
            _job(found, drawn, left, wording),
            *((_probes(found, left, wording),) if found.probes else ()),
        ),
        table=_table(found, wording),
        description=_description(found, wording),
    )


def _edges(found: Roofline) -> tuple[float, float]:
    ridge = found.matrix_flops_per_s / found.bandwidth_bytes_per_s
    known = [work.intensity for work in (*found.classes, *found.probes) if work.intensity]
    return min([*known, ridge]) / _MARGIN, max([*known, ridge]) * _MARGIN


def _place(work: Work, left: float) -> tuple[float, float]:
    """Intensity and rate (10¹² a second)."""
    if work.intensity is None:
        return left, left * work.bytes / work.seconds / _TERA
    return work.intensity, work.flops / work.seconds / _TERA


def _roof(name: str, peak: float, bandwidth: float, left: float, right: float, from_ridge: bool) -> Series:
    """min(peak, intensity · bandwidth); ``from_ridge``: only the flat part."""
    ridge = peak / bandwidth
    start = ridge if from_ridge else left
    xs = sorted({ridge, *(start * (right / start) ** (index / (_POINTS - 1)) for index in range(_POINTS))})
    return Series(name, tuple(xs), tuple(min(peak, x * bandwidth) / _TERA for x in xs), joined=True)


def _limits(found: Roofline, left: float, right: float, wording: Wording) -> list[Series]:
    source = "estimated" if found.limits_measured else "sheet"

    def named(code: str, peak: float, bandwidth: float) -> str:
        return wording.say(
            f"chart.roofline.{code}",
            arithmetic=found.arithmetic,
            peak_flops_per_s=peak,
            memory_bytes_per_s=bandwidth,
        )

    matrix, cores, bandwidth = found.matrix_flops_per_s, found.core_flops_per_s, found.bandwidth_bytes_per_s
    limits = [_roof(named(source, matrix, bandwidth), matrix, bandwidth, left, right, from_ridge=False)]
    if found.measured_flops_per_s and found.measured_bytes_per_s:
        peak, memory = found.measured_flops_per_s, found.measured_bytes_per_s
        limits.append(_roof(named("measured", peak, memory), peak, memory, left, right, from_ridge=False))
    if cores < matrix:
        limits.append(_roof(named("cores", cores, bandwidth), cores, bandwidth, left, right, from_ridge=True))
    return limits


def _job(found: Roofline, drawn: list[Work], left: float, wording: Wording) -> Series:
    say, places = wording.messages.say, [_place(work, left) for work in drawn]
    return Series(
        name=say("chart.roofline.job"),
        x=tuple(x for x, _ in places),
        y=tuple(y for _, y in places),
        labels=tuple(say(f"report.op_class.{work.code}") for work in drawn),
        emphasis=tuple(index == 0 for index in range(len(drawn))),
        notes=tuple(_note(found, work, wording) for work in drawn),
    )


def _note(found: Roofline, work: Work, wording: Wording) -> str:
    return wording.say(
        "chart.roofline.note",
        step_share=work.seconds / found.seconds,
        limit=wording.messages.say(f"chart.roofline.limit_{_limit(found, work)}"),
        moved_bytes_per_s=work.bytes / work.seconds,
    )


def _limit(found: Roofline, work: Work) -> str:
    ridge = found.matrix_flops_per_s / found.bandwidth_bytes_per_s
    return "memory" if work.intensity is None or work.intensity < ridge else "arithmetic"


def _probes(found: Roofline, left: float, wording: Wording) -> Series:
    places = [_place(work, left) for work in found.probes]
    return Series(
        name=wording.messages.say("chart.roofline.probes"),
        x=tuple(x for x, _ in places),
        y=tuple(y for _, y in places),
        labels=("",) * len(places),  # too many to name beside the classes
        notes=tuple(work.code for work in found.probes),
    )


def _table(found: Roofline, wording: Wording) -> Table:
    say = wording.messages.say

    def row(name: str, work: Work, share: str) -> tuple[str, ...]:
        moves_only = work.intensity is None
        return (
            name,
            "–" if moves_only else wording.value("intensity", float(f"{work.intensity:.3g}")),
            "–" if moves_only else wording.value("rate_flops_per_s", work.flops / work.seconds),
            wording.value("moved_bytes_per_s", work.bytes / work.seconds),
            share,
            say(f"chart.roofline.limit_{_limit(found, work)}"),
        )

    rows = [
        row(say(f"report.op_class.{work.code}"), work, wording.value("step_share", work.seconds / found.seconds))
        for work in found.classes
    ]
    rows += [row(say("chart.roofline.probe", name=work.code), work, "–") for work in found.probes]
    columns = ("what", "intensity", "rate", "moved", "share", "limit")
    return Table(
        tuple(say(f"chart.roofline.{column}") for column in columns),
        tuple(rows),
        (False, True, True, True, True, False),
    )


def _description(found: Roofline, wording: Wording) -> str:
    first = found.classes[0]
    return wording.say(
        "chart.roofline.description",
        device=found.device_name,
        op_class=wording.messages.say(f"report.op_class.{first.code}"),
        step_share=first.seconds / found.seconds,
        limit=wording.messages.say(f"chart.roofline.limit_{_limit(found, first)}"),
    )
