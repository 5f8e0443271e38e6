"""Buy or rent: two lines that cross where the decision says, and the same in the table."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.decide.types import Recommendation, Terms
from planner.evidence import Range
from planner.offers.purchase import break_even_h_per_month
from planner.report.break_even_chart import break_even_chart
from planner.report.svg import svg_chart
from planner.report.types import Series
from tests.report.fixtures import recommendations as made

TERMS = Terms(hours_per_month=60.0)


def recommendation(crossing: Range | None = None) -> Recommendation:
    """One rented card whose run takes 0.5 kW at the plug."""
    full = made.recommendation()
    one = full.option("rent-1")
    run = next(phase.duration_s for phase in one.phases if phase.code == "run")
    one = replace(one, energy_kwh=run.scaled(0.5 / 3600))
    options = tuple(one if option.key == "rent-1" else option for option in full.options)
    return replace(full, options=options, break_even_h_per_month=crossing)


def crossing() -> Range:
    likely = break_even_h_per_month(700, 0.45, 0.5, 0.17)
    assert likely is not None
    return Range(likely / 3, likely, 730)


def at(series: Series, x: float) -> float:
    """The line at x; it is straight."""
    (x0, x1), (y0, y1) = (series.x[0], series.x[-1]), (series.y[0], series.y[-1])
    assert y0 is not None
    assert y1 is not None
    return y0 + (y1 - y0) * (x - x0) / (x1 - x0)


def test_that_the_lines_cross_where_buying_pays(wording):
    chart = break_even_chart(recommendation(crossing()), TERMS, wording)
    assert chart is not None
    rent, own, point = chart.series
    assert at(rent, point.x[0]) == pytest.approx(at(own, point.x[0]))
    assert point.y[0] == pytest.approx(at(own, point.x[0]))
    assert point.labels[0].startswith("pays from ")
    assert point.notes[0]
    assert rent.x == own.x
    assert not chart.x.log
    assert [(line.value, line.orientation) for line in chart.lines] == [(60.0, "vertical")]
    assert "60 h a month" in chart.lines[0].label
    for line in (rent, own):
        assert all(low <= y <= high for low, y, high in zip(line.low, line.y, line.high, strict=True))
    assert svg_chart(chart).startswith("<svg")


def test_that_the_table_names_the_cheaper_way_at_every_hour(wording):
    pays = crossing()
    chart = break_even_chart(recommendation(pays), TERMS, wording)
    assert chart is not None
    cheaper = [row[3] for row in chart.table.rows]
    assert cheaper[0] == chart.series[0].name
    assert cheaper[-1] == chart.series[1].name
    assert all(len(row) == len(chart.table.columns) for row in chart.table.rows)


def test_that_a_crossing_that_does_not_come_is_said(wording):
    chart = break_even_chart(recommendation(None), Terms(), wording)
    assert chart is not None
    assert len(chart.series) == 2
    assert not chart.lines
    assert "never cheaper" in chart.description


def test_that_there_is_no_chart_without_a_price(wording):
    assert break_even_chart(made.without_prices(), TERMS, wording) is None


def test_that_a_wide_price_is_drawn_by_powers_and_crosses_there_too(wording):
    full, pays = recommendation(crossing()), crossing()
    one = full.option("rent-1")
    wide = replace(one, price=replace(one.price, usd_per_hour=Range(0.1, 0.45, 4.5)))
    options = tuple(wide if option.key == "rent-1" else option for option in full.options)
    chart = break_even_chart(replace(full, options=options), TERMS, wording)
    assert chart is not None
    assert chart.x.log
    assert chart.y.log
    rent, own, point = chart.series
    assert min(rent.x) > 0
    assert min(rent.x) <= point.x[0] <= max(rent.x)
    dearer = [x for x, a, b in zip(rent.x, rent.y, own.y, strict=True) if a > b]
    assert min(dearer) == pytest.approx(pays.likely, rel=0.2)
