"""Charts: every kind is drawn from its spec, follows the theme, answers to the mouse, has a table beside it."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest
from pyqtgraph import AxisItem
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QGuiApplication, QPainter, QPicture
from pytestqt.qtbot import QtBot

from planner.decide.types import Recommendation, Terms
from planner.report.charts import build_charts
from planner.report.types import ChartSpec, Series
from planner.report.wording import Wording
from tests.report.conftest import hand_made_messages
from tests.report.fixtures import recommendations
from ui.charts import canvas, export
from ui.charts.card import ChartCard
from ui.charts.telemetry import POINTS, TelemetryCard
from ui.controllers.telemetry import Sample
from ui.parts import Parts
from ui.theme import DARK, LIGHT

TERMS = Terms(deadline_h=24.0, budget_usd=40.0)
CASES = {
    "usual": recommendations.recommendation,
    "no local GPU": recommendations.without_local_gpu,
    "no prices": recommendations.without_prices,
    "nothing fits": recommendations.nothing_fits,
}


def specs(recommendation: Recommendation) -> tuple[ChartSpec, ...]:
    return build_charts(recommendation, TERMS, Wording(hand_made_messages()))


@pytest.fixture
def card(parts: Parts, qtbot: QtBot) -> ChartCard:
    made = ChartCard("Chart", parts.theme, parts.settings, parts.notices)
    qtbot.addWidget(made)
    made.resize(520, 400)
    made.show()
    return made


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("index", range(4))
def test_that_every_chart_is_drawn_whatever_is_known(card: ChartCard, case: str, index: int) -> None:
    spec = specs(CASES[case]())[index]
    card.show_spec(spec, "rent-4")
    known = [y for series in spec.series for y in series.y if y is not None]
    assert bool(card.plot.spots) == bool(known)
    assert not card.grab().isNull()
    card.twin.click()
    assert card.model.rowCount() == len(spec.table.rows)


def test_that_no_name_of_the_chart_is_cut(card: ChartCard, qtbot: QtBot) -> None:
    card.show_spec(specs(recommendations.recommendation())[0], None)
    qtbot.wait(10)
    axis = card.plot.getAxis("left")
    widths = [
        card.fontMetrics().horizontalAdvance(line) for _, text in axis._tickLevels[0] for line in text.split("\n")
    ]
    assert axis.width() >= max(widths) * 0.8  # tick labels are a point smaller


def test_that_the_mouse_shows_a_value_with_its_unit_and_a_click_selects(card: ChartCard, qtbot: QtBot) -> None:
    card.show_spec(specs(recommendations.recommendation())[0], None)
    qtbot.wait(10)
    spot = next(one for one in card.plot.spots if one.key == "rent-2")
    assert "hours" in spot.text
    assert "13" in spot.text
    box = card.plot.getPlotItem().getViewBox()
    at = card.plot.mapFromScene(box.mapViewToScene(QPointF(spot.x, spot.y)))
    with qtbot.waitSignal(card.selected, timeout=1000) as selected:
        qtbot.mouseClick(card.plot.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert selected.args == ["rent-2"]


def test_that_a_row_of_the_twin_selects_too(card: ChartCard, qtbot: QtBot) -> None:
    card.show_spec(specs(recommendations.recommendation())[0], None)
    card.twin.click()
    assert card.table.isVisible()
    assert not card.plot.isVisible()
    with qtbot.waitSignal(card.selected, timeout=1000) as selected:
        card.table.activated.emit(card.model.index(0, 0))
    assert selected.args == ["local"]


def test_that_a_chart_takes_the_colours_of_a_new_theme(card: ChartCard, parts: Parts) -> None:
    card.show_spec(specs(recommendations.recommendation())[1], None)
    assert card.plot.backgroundBrush().color() == QColor(LIGHT.surface)
    parts.theme.choose("dark")
    assert card.plot.backgroundBrush().color() == QColor(DARK.surface)
    assert card.plot.getAxis("left").textPen().color() == QColor(DARK.quiet)


def test_that_the_menu_is_ours(card: ChartCard) -> None:
    """pyqtgraph's own offers an SVG export that raises on this Qt."""
    assert not card.plot.getPlotItem().menuEnabled()
    assert any("SVG" in action.text() for action in card.menu.actions())


def test_that_the_table_goes_to_the_clipboard(card: ChartCard) -> None:
    card.show_spec(specs(recommendations.recommendation())[0], None)
    card.copy_table()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert len(lines) == 8  # a header and seven options
    assert "\t" in lines[0]


def test_that_a_chart_is_saved_as_what_its_name_says(parts: Parts, tmp_path: Path) -> None:
    spec = specs(recommendations.recommendation())[2]
    for suffix in ("png", "svg", "csv"):
        export.save(spec, tmp_path / f"chart.{suffix}")
    assert (tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "chart.svg").read_text(encoding="utf-8").startswith("<svg")
    with (tmp_path / "chart.csv").open(encoding="utf-8-sig", newline="") as file:
        assert tuple(next(csv.reader(file))) == spec.table.columns


@pytest.fixture
def telemetry(parts: Parts, qtbot: QtBot) -> TelemetryCard:
    made = TelemetryCard(parts.telemetry, parts.theme)
    qtbot.addWidget(made)
    return made


def test_that_the_live_curves_keep_a_minute_and_the_peak(telemetry: TelemetryCard, parts: Parts) -> None:
    for tick in range(2 * POINTS):
        parts.telemetry.sample.emit(Sample(tick / 10, 100.0 if tick == 5 else 50.0, 60.0, 40.0, 2**30))
    telemetry._redraw()
    trace = telemetry.traces["power"][0]
    assert len(trace.curve.getData()[0]) == POINTS
    assert trace.curve.getData()[0][-1] == 0.0
    assert (trace.value.text(), trace.peak_label.text()) == ("50 W", "peak 100")


def test_that_a_reading_which_is_refused_is_not_drawn_as_0(telemetry: TelemetryCard, parts: Parts) -> None:
    parts.telemetry.sample.emit(Sample(1.0, None, None, 40.0, None))
    telemetry._redraw()
    assert telemetry.traces["power"][0].value.text() == "not reported"
    assert telemetry.traces["utilisation"][0].value.text() == "40 %"


def test_that_the_processor_is_read_where_there_is_no_gpu(
    telemetry: TelemetryCard, parts: Parts, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(parts.telemetry.sample, timeout=5000) as read:
        telemetry.show()
    assert read.args[0].memory_used_bytes > 0
    telemetry.hide()
    with qtbot.assertNotEmitted(parts.telemetry.sample, wait=700):
        pass


def test_that_the_last_label_below_an_axis_is_not_cut(card: ChartCard, qtbot: QtBot) -> None:
    for spec in specs(recommendations.recommendation()):
        card.show_spec(spec, None)
        qtbot.wait(10)
        axis = card.plot.getAxis("bottom")
        box = card.plot.getPlotItem().getViewBox()
        last, text = axis._tickLevels[0][-1]
        end = card.plot.mapFromScene(box.mapViewToScene(QPointF(last, box.viewRange()[1][0]))).x()
        half = QFontMetricsF(card.plot.small_font).horizontalAdvance(text) / 2
        assert end + half <= card.plot.viewport().width()
        assert text in [drawn for _, _, drawn in _drawn_labels(axis)]


def _drawn_labels(axis: AxisItem) -> list[tuple[QRectF, object, str]]:
    picture = QPicture()
    painter = QPainter(picture)
    painter.setFont(axis.style["tickFont"])
    _, _, labels = axis.generateDrawSpecs(painter)
    painter.end()
    return labels


def test_that_a_long_label_at_the_very_end_of_an_axis_is_drawn(card: ChartCard, qtbot: QtBot) -> None:
    spec = next(one for one in specs(recommendations.recommendation()) if one.key == "cost_time")
    curve = Series("Curve", (20.0, 4999.0), (1.0, 2.0), joined=True)
    card.show_spec(replace(spec, x=replace(spec.x, log=True), series=(curve,), lines=()), None)
    qtbot.wait(10)
    assert "5,000" in [text for _, _, text in _drawn_labels(card.plot.getAxis("bottom"))]


def test_that_joined_points_are_a_line_with_a_legend_and_values(card: ChartCard) -> None:
    spec = next(one for one in specs(recommendations.recommendation()) if one.key == "cost_time")
    curve = Series(
        "Frontier", (1.0, 2.0, 3.0, 4.0), (4.0, None, 2.0, 1.0), labels=("", "", "", "end"), joined=True
    )
    card.show_spec(replace(spec, series=(*spec.series, curve)), None)
    paths = [mark for mark in card.plot.canvas.marks if isinstance(mark, canvas.Path) and len(mark.points) == 2]
    assert any(spot.text.startswith("Frontier\n") and "dollars" in spot.text for spot in card.plot.spots)
    assert paths, "the gap leaves a line of the two last points"
    assert any(name == "Frontier" and mark == "dash" for name, _, mark in card.legend._entries)
    assert not card.grab().isNull()


def test_that_points_without_a_label_are_told_on_hover_only(card: ChartCard) -> None:
    points = Series("Probes", (1.0, 2.0), (3.0, 4.0), labels=("", "gemm"), notes=("copy", ""))
    spec = next(one for one in specs(recommendations.recommendation()) if one.key == "cost_time")
    card.show_spec(replace(spec, series=(points,)), None)
    texts = [mark.text for mark in card.plot.canvas.marks if isinstance(mark, canvas.Text)]
    assert texts == ["gemm"]
    assert [spot.text.splitlines()[0] for spot in card.plot.spots] == ["Probes", "gemm"]
    assert card.plot.spots[0].text.endswith("copy")
