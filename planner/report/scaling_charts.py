"""What more cards bring: speed-up and efficiency against their number, from a slow to a fast bus."""

from __future__ import annotations

from planner.decide.types import Option, Recommendation
from planner.evidence import Range
from planner.report.types import Axis, ChartSpec, ReferenceLine, Series, Table
from planner.report.wording import Wording


def likely_text(wording: Wording, name: str, value: Range | None) -> str:
    """The likely value alone, rounded as its range allows."""
    return wording.value(name, None) if value is None else wording.likely(name, value)


def _hosts(recommendation: Recommendation, larger: tuple[Option, ...]) -> list[Option]:
    return [option for option in recommendation.options if option.kind == "rent"] + list(larger)


def _efficiency(option: Option) -> Range | None:
    return option.speedup.scaled(1 / option.gpu_count) if option.speedup else None


def _series(
    name: str,
    options: list[Option],
    values: list[Range | None],
    labels: list[str],
    recommendation: Recommendation,
    wording: Wording,
) -> Series:
    """Keys only of options that can be chosen; what the bus is thought to carry is told on hover."""
    known = {option.key for option in recommendation.options}
    return Series(
        name=name,
        x=tuple(float(option.gpu_count) for option in options),
        y=tuple(value.likely if value else None for value in values),
        low=tuple(value.low if value else None for value in values),
        high=tuple(value.high if value else None for value in values),
        labels=tuple(labels),
        keys=tuple(option.key if option.key in known else "" for option in options),
        emphasis=tuple(option.key == recommendation.chosen for option in options),
        notes=tuple(_bus_note(option, wording) for option in options),
    )


def _bus(option: Option) -> Range | None:
    return option.communication.bus_bandwidth_bytes_per_s if option.communication else None


def _bus_note(option: Option, wording: Wording) -> str:
    bus = _bus(option)
    return "" if bus is None else wording.say("chart.speedup.bus_note", bus_bytes_per_s=bus)


def _table(options: list[Option], recommendation: Recommendation, wording: Wording) -> Table:
    say = wording.messages.say
    known = {option.key for option in recommendation.options}
    rows = tuple(
        (
            str(option.gpu_count),
            wording.value("speedup", option.speedup),
            wording.value("efficiency_share", _efficiency(option)),
            wording.value("step_s", option.step_total_s),
            "–" if _bus(option) is None else wording.value("bus_bytes_per_s", _bus(option)),
        )
        for option in options
    )
    columns = ("gpus", "series", "efficiency", "step", "bus")
    return Table(
        tuple(say(f"chart.speedup.{column}") for column in columns),
        rows,
        (True,) * len(columns),
        keys=tuple(option.key if option.key in known else "" for option in options),
        emphasis=tuple(option.key == recommendation.chosen for option in options),
    )


def speedup_chart(recommendation: Recommendation, wording: Wording, larger: tuple[Option, ...] = ()) -> ChartSpec:
    """Speed-up over one rented GPU against the count, with its band, the efficiency as labels, and the ideal.

    ``larger``: hosts with more cards than are weighed; they are drawn, and cannot be chosen.
    """
    say, options = wording.messages.say, _hosts(recommendation, larger)
    labels = [likely_text(wording, "efficiency_share", _efficiency(option)) for option in options]
    speedups = [option.speedup for option in options]
    measured = _series(say("chart.speedup.series"), options, speedups, labels, recommendation, wording)
    ideal = Series(name=say("chart.speedup.ideal"), x=measured.x, y=measured.x)
    return ChartSpec(
        kind="lines",
        key="speedup",
        title=say("chart.speedup.title"),
        x=Axis(say("chart.speedup.gpus")),
        y=Axis(say("chart.speedup.axis")),
        series=(measured, ideal),
        table=_table(options, recommendation, wording),
        description=_speedup_description(options, wording),
    )


def _speedup_description(options: list[Option], wording: Wording) -> str:
    known = [option for option in options if option.speedup]
    if not known:
        return wording.say("chart.speedup.description_none")
    best = max(known, key=lambda option: option.speedup.likely if option.speedup else 0.0)
    return wording.say("chart.speedup.description", count=str(best.gpu_count), speedup=best.speedup)


def efficiency_chart(
    recommendation: Recommendation, wording: Wording, larger: tuple[Option, ...] = ()
) -> ChartSpec:
    """The share of every rented GPU that is put to use, with its band, against the count."""
    say, options = wording.messages.say, _hosts(recommendation, larger)
    shares = [_efficiency(option) for option in options]
    percent = [share.scaled(100) if share else None for share in shares]
    labels = [likely_text(wording, "efficiency_share", share) for share in shares]
    found = _series(say("chart.speedup.efficiency"), options, percent, labels, recommendation, wording)
    known = [share for share in shares if share]
    description = (
        wording.say("chart.efficiency.description", count=str(options[-1].gpu_count), last_share=known[-1])
        if known
        else wording.say("chart.speedup.description_none")
    )
    return ChartSpec(
        kind="lines",
        key="efficiency",
        title=say("chart.efficiency.title"),
        x=Axis(say("chart.speedup.gpus")),
        y=Axis(say("chart.efficiency.axis")),
        series=(found,),
        table=_table(options, recommendation, wording),
        lines=(ReferenceLine(say("chart.speedup.ideal"), 100.0),),
        description=description,
    )
