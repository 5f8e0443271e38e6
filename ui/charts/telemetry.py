"""Live readings: four small curves of the last minute, each with its present value and its peak.

Width-1 pens without antialiasing and at most 600 points, redrawn at most ten times a second: wider or smoothed
pens cost twenty times as much.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import pyqtgraph as pg
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from planner.units import GIB
from ui.charts.canvas import Rule
from ui.charts.plot import Plot
from ui.controllers.telemetry import Sample, TelemetryController
from ui.i18n import written
from ui.theme import GRID, Theme
from ui.widgets.basic import Card, button, label

POINTS = 600
WINDOW_S = 60.0
_REDRAW_MS = 100
_PLOT_HEIGHT = 108


class Trace(QWidget):
    """One quantity over the last minute."""

    def __init__(self, name: str, unit: str, top: float | None, not_told: str) -> None:
        super().__init__()
        self._name, self._unit, self._top, self._not_told = name, unit, top, not_told
        self._points: deque[tuple[float, float]] = deque(maxlen=POINTS)
        self.peak: float | None = None
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        line = QHBoxLayout()
        line.setSpacing(GRID)
        line.addWidget(label(name, "quiet"))
        line.addStretch(1)
        self.peak_label = label("", "caption")
        line.addWidget(self.peak_label)
        self.value = label("–")
        line.addWidget(self.value)
        layout.addLayout(line)
        self.plot = Plot()
        self.plot.setFixedHeight(_PLOT_HEIGHT)
        self.plot.getPlotItem().layout.setContentsMargins(0, 8, 12, 0)  # room for the labels at the corners
        self.plot.setAccessibleName(name)
        self.curve = pg.PlotCurveItem(antialias=False)
        self.plot.addItem(self.curve)
        layout.addWidget(self.plot)

    def paint_theme(self, theme: Theme) -> None:
        tokens = theme.tokens
        self.plot.paint_theme(tokens)
        self.curve.setPen(pg.mkPen(tokens.chart_strong, width=1))
        self.plot.setXRange(-WINDOW_S, 0, padding=0)
        self.plot.getAxis("bottom").setTicks([[(-60, "−60 s"), (-30, "−30"), (0.0, "0")]])
        self._scale()
        self.plot.canvas.set_marks([Rule(-30.0, True, tokens.border)], self.plot.small_font)

    def set_top(self, top: float | None) -> None:
        if top != self._top:
            self._top = top
            self._scale()

    def _scale(self) -> None:
        top = self._top or (self.peak or 1.0) * 1.2
        self.plot.setYRange(0, top * 1.02, padding=0)
        self.plot.getAxis("left").setTicks([[(0.0, "0"), (top, written(top))]])
        self.plot.getAxis("left").setWidth(40)

    def add(self, t_s: float, value: float | None) -> None:
        if value is None:
            return
        self._points.append((t_s, value))
        if self.peak is None or value > self.peak:
            self.peak = value
            if self._top is None:
                self._scale()

    def clear(self) -> None:
        self._points.clear()
        self.peak = None
        self.curve.setData([], [])
        self.peak_label.setText("")
        self.value.setText("–")

    def redraw(self, now_s: float) -> None:
        if not self._points or self.peak is None:
            self.value.setText(self._not_told)
            return
        self.curve.setData([t_s - now_s for t_s, _ in self._points], [value for _, value in self._points])
        latest = written(self._points[-1][1])
        self.value.setText(f"{latest} {self._unit}")
        self.peak_label.setText(self.tr("peak {0}").format(written(self.peak)))
        self.plot.setAccessibleDescription(f"{self.value.text()}, {self.peak_label.text()}")


class TelemetryCard(Card):
    """Power, temperature, utilisation and memory, live. Reads only while it is visible."""

    def __init__(self, telemetry: TelemetryController, theme: Theme) -> None:
        super().__init__("")
        self._telemetry, self._theme = telemetry, theme
        self.heading = label("", "heading")
        self.pause = button(self.tr("Pause"), self._toggle, "flat", self.tr("Stop and go on drawing"))
        line = QHBoxLayout()
        line.addWidget(self.heading, 1)
        line.addWidget(self.pause)
        self.body.addLayout(line)
        not_told = self.tr("not reported")
        self.traces: dict[str, tuple[Trace, Callable[[Sample], float | None]]] = {
            "utilisation": (
                Trace(self.tr("Utilisation"), "%", 100.0, not_told), lambda sample: sample.utilisation_percent
            ),
            "memory": (
                Trace(self.tr("Memory used"), "GiB", None, not_told),
                lambda sample: None if sample.memory_used_bytes is None else sample.memory_used_bytes / GIB,
            ),
            "power": (Trace(self.tr("Power"), "W", None, not_told), lambda sample: sample.power_w),
            "temperature": (
                Trace(self.tr("Temperature"), "°C", 100.0, not_told), lambda sample: sample.temperature_c
            ),
        }  # fmt: skip
        beside = QHBoxLayout()
        beside.setSpacing(3 * GRID)
        for trace, _ in self.traces.values():
            beside.addWidget(trace, 1)
        self.body.addLayout(beside)
        self._latest_s = 0.0
        self._fresh = False
        self._timer = QTimer(self)
        self._timer.setInterval(_REDRAW_MS)
        self._timer.timeout.connect(self._redraw)
        telemetry.sample.connect(self._take)
        telemetry.source_changed.connect(self._source_changed)
        theme.changed.connect(self._paint_theme)
        self._paint_theme()
        self._source_changed()

    @property
    def is_paused(self) -> bool:
        return not self._timer.isActive()

    def showEvent(self, _event: object) -> None:
        self._telemetry.start()
        self._timer.start()
        self.pause.setText(self.tr("Pause"))

    def hideEvent(self, _event: object) -> None:
        self._timer.stop()
        self._telemetry.stop()

    def _toggle(self) -> None:
        if self.is_paused:
            self._timer.start()
        else:
            self._timer.stop()
        self.pause.setText(self.tr("Go on") if self.is_paused else self.tr("Pause"))

    def _paint_theme(self) -> None:
        for trace, _ in self.traces.values():
            trace.paint_theme(self._theme)

    def _source_changed(self) -> None:
        self.heading.setText(self.tr("Live: {0}").format(self._telemetry.device_name))
        total = self._telemetry.memory_total_bytes
        for name in ("power", "temperature"):  # a processor reports neither
            self.traces[name][0].setVisible(self._telemetry.reads_gpu)
        for trace, _ in self.traces.values():
            trace.clear()
        self.traces["memory"][0].set_top(None if total is None else total / GIB)

    def _take(self, sample: Sample) -> None:
        self._latest_s = sample.t_s
        self._fresh = True
        for trace, value in self.traces.values():
            trace.add(sample.t_s, value(sample))

    def _redraw(self) -> None:
        if self._fresh:
            self._fresh = False
            for trace, _ in self.traces.values():
                trace.redraw(self._latest_s)
