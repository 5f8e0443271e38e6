"""Charts as data: the numbers of the recommendation, gaps where nothing is known, a table beside each."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.decide.types import Reason, Terms
from planner.evidence import Range
from planner.report.charts import build_charts, frontier
from planner.report.scaling_charts import efficiency_chart, speedup_chart
from planner.report.types import ChartSpec
from tests.report.fixtures import recommendations as made

CASES = [
    made.recommendation,
    made.without_local_gpu,
    made.without_prices,
    made.nothing_fits,
    made.measure_first,
]


def charts(case, wording, terms=None) -> dict[str, ChartSpec]:
    return {chart.key: chart for chart in build_charts(case(), terms or made.inputs().terms, wording)}


@pytest.mark.parametrize("case", CASES)
def test_that_every_chart_has_its_table_and_a_sentence(wording, case):
    for chart in charts(case, wording).values():
        assert chart.description.endswith(".")
        assert chart.table.rows
        assert all(len(row) == len(chart.table.columns) == len(chart.table.numeric) for row in chart.table.rows)
        for series in chart.series:
            assert len(series.x) == len(series.y)
            for column in (series.low, series.high, series.labels, series.keys, series.emphasis, series.notes):
                assert len(column) in (0, len(series.y))


def test_that_times_are_those_of_the_options(wording):
    chart = charts(made.recommendation, wording)["time"]
    series = chart.series[0]
    for index, option in enumerate(made.recommendation().options):
        assert series.y[index] == pytest.approx(option.time_s.likely / 3600)
        assert series.low[index] == pytest.approx(option.time_s.low / 3600)
        assert series.high[index] == pytest.approx(option.time_s.high / 3600)
    assert [line.value for line in chart.lines] == [24.0]
    assert series.emphasis == (False, False, False, False, True, False, False)


def test_that_long_times_and_their_deadline_are_in_days(wording):
    def long_job():
        full = made.recommendation()
        options = tuple(replace(option, time_s=option.time_s.scaled(30)) for option in full.options)
        return replace(full, options=options)

    chart = charts(long_job, wording, Terms(deadline_h=240.0))["time"]
    assert "days" in chart.y.label
    assert chart.lines[0].value == pytest.approx(10.0)
    assert chart.series[0].y[0] == pytest.approx(47 * 30 / 24)


def test_that_what_is_not_known_is_a_gap_and_never_zero(wording):
    found = charts(made.without_local_gpu, wording)
    assert found["time"].series[0].y[0] is None
    assert found["time"].series[0].labels[0] == "not known"
    assert found["time"].table.rows[0][1] == "not known"
    assert all(series.y[0] is None for series in found["memory"].series)
    assert all("local" not in series.keys for series in found["cost_time"].series)
    assert "This machine" in found["cost_time"].description


def test_that_without_prices_only_the_local_point_is_drawn(wording):
    chart = charts(made.without_prices, wording)["cost_time"]
    assert [key for series in chart.series for key in series.keys] == ["local"]
    assert len(chart.table.rows) == 7


def test_that_memory_parts_add_up_and_equal_needs_share_a_column(wording):
    chart = charts(made.recommendation, wording)["memory"]
    assert len(chart.categories) == 2
    assert "1–6" in chart.categories[1]
    parts = [series for series in chart.series if not series.high]
    total = next(series for series in chart.series if series.high)
    assert sum(series.y[0] for series in parts) == pytest.approx(total.y[0])
    assert sorted(line.value for line in chart.lines) == pytest.approx([11.2, 23.3])


def test_that_speedup_stands_beside_the_ideal_with_efficiency_as_labels(wording):
    chart = charts(made.recommendation, wording)["speedup"]
    measured, ideal = chart.series
    assert ideal.y == ideal.x == (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    assert measured.labels[3] == "76 %"
    assert not measured.low[0] > measured.y[0]


@pytest.mark.parametrize("terms", [Terms(), Terms(deadline_h=1.0, budget_usd=1.0)])
def test_that_deadline_and_budget_are_drawn_only_when_there_are_any(wording, terms):
    found = charts(made.recommendation, wording, terms)
    assert len(found["cost_time"].lines) == (2 if terms.deadline_h else 0)
    assert len(found["time"].lines) == (1 if terms.deadline_h else 0)


def test_that_very_different_times_get_a_logarithmic_axis(wording):
    def slow_local():
        full = made.recommendation()
        return replace(full, options=(replace(full.options[0], time_s=Range(4e6, 5e6, 6e6)), *full.options[1:]))

    assert charts(slow_local, wording)["time"].y.log
    assert not charts(made.recommendation, wording)["time"].y.log


def priced(key_hours_costs: dict[str, tuple[float, float]]):
    """The usual options with these likely times (hours) and costs; those not named cannot be had."""
    full = made.recommendation()

    def changed(option):
        if option.key not in key_hours_costs:
            return replace(option, cost_usd=None)
        hours, cost = key_hours_costs[option.key]
        return replace(option, time_s=Range.exactly(hours * 3600), cost_usd=Range.exactly(cost), rejected=())

    return replace(full, options=tuple(map(changed, full.options)))


def test_that_the_frontier_joins_what_no_other_beats_in_both(wording):
    case = priced({"local": (40, 5), "rent-1": (20, 10), "rent-2": (22, 15), "rent-4": (8, 30), "rent-6": (8, 40)})
    assert [option.key for option in frontier(case.options)] == ["rent-4", "rent-1", "local"]
    chart = charts(lambda: case, wording)["cost_time"]
    line = next(series for series in chart.series if series.joined)
    assert list(zip(line.x, line.y, strict=True)) == [(8, 30), (20, 30), (20, 10), (40, 10), (40, 5)]
    column = chart.table.columns.index(line.name)
    told = {row[0]: row[column] for row in chart.table.rows}
    assert told["4 × RTX 3090"] == "yes"
    assert told["2 × RTX 3090"] == "no"
    notes = {
        key: note for one in chart.series for key, note in zip(one.keys, one.notes, strict=True) if not one.joined
    }
    assert notes["rent-4"]
    assert not notes["rent-2"]


def test_that_what_nobody_sells_beats_nothing(wording):
    case = priced({"local": (40, 5), "rent-4": (8, 30)})
    unsold = tuple(
        replace(option, rejected=(Reason("not_sold"),)) if option.key == "rent-4" else option
        for option in case.options
    )
    assert [option.key for option in frontier(unsold)] == ["local"]
    late = tuple(replace(option, rejected=(Reason("deadline"),)) for option in case.options)
    assert len(frontier(late)) == 2
    alone = charts(lambda: replace(case, options=unsold), wording)["cost_time"]
    assert not any(series.joined for series in alone.series)


def test_that_larger_hosts_are_drawn_and_cannot_be_chosen(wording):
    larger = tuple(made.rented(count, None) for count in (7, 8))
    speedup = speedup_chart(made.recommendation(), wording, larger)
    efficiency = efficiency_chart(made.recommendation(), wording, larger)
    for chart in (speedup, efficiency):
        series = chart.series[0]
        assert series.x == (1, 2, 3, 4, 5, 6, 7, 8)
        assert series.keys[5:] == chart.table.keys[5:] == ("rent-6", "", "")
        assert all(
            low <= likely <= high for low, likely, high in zip(series.low, series.y, series.high, strict=True)
        )
        assert "4 GB/s" in series.notes[1]
        assert len(chart.table.rows) == 8
    assert efficiency.series[0].y[7] == pytest.approx(100 * 8**0.8 / 8)
    assert "8 GPUs" in efficiency.description
