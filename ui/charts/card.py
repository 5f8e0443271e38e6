"""A chart on a page: title, legend, the plot and its table twin, and a menu to copy and save."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QStackedWidget, QToolButton, QWidget

from planner.report.types import ChartSpec, Series
from ui.charts import export
from ui.charts.canvas import PEN_STYLES, draw_symbol, pen_of
from ui.charts.drawing import JOINED, LINE_MARKS, SYMBOLS, joined_colour
from ui.charts.marks import draw
from ui.charts.plot import Plot
from ui.files import ask_save
from ui.models.table_model import TableModel
from ui.notices import Notices, Severity
from ui.settings import Settings
from ui.theme import GRID, Theme, Tokens
from ui.widgets.basic import Card, DataTable

PLOT_HEIGHT = 260
_SAMPLE_PX = 20  # of a line in the legend: long enough to tell the dashes apart
_FEW_COLUMNS = 4  # of a table that fits beside another chart when its first column gives way


class Legend(QWidget):
    """Names of the series with the mark they are drawn with; wraps into as many lines as it needs."""

    def __init__(self) -> None:
        super().__init__()
        self._entries: list[tuple[str, str, str]] = []  # name, colour, mark
        self._tokens: Tokens | None = None
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_series(self, spec: ChartSpec, tokens: Tokens) -> None:
        self._tokens = tokens
        self._entries = _entries(spec, tokens)
        self.setVisible(bool(self._entries))
        self._fit()
        self.update()

    def resizeEvent(self, _event: object) -> None:
        self._fit()

    def _fit(self) -> None:
        height = self._line_height() * (1 + max((line for _, _, line, _ in self._places()), default=0))
        if self.height() != height:
            self.setFixedHeight(height)

    def _line_height(self) -> int:
        return self.fontMetrics().height() + 2

    def _places(self) -> list[tuple[int, tuple[str, str, str], int, int]]:
        """(x, entry, line, width) of every entry."""
        result, x, line = [], 0, 0
        for entry in self._entries:
            width = _SAMPLE_PX + 6 + self.fontMetrics().horizontalAdvance(entry[0]) + 12
            if x and x + width > self.width():
                x, line = 0, line + 1
            result.append((x, entry, line, width))
            x += width
        return result

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._tokens is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        height = self._line_height()
        for x, (name, colour, mark), line, width in self._places():
            top = line * height
            middle = top + height // 2
            painter.setPen(pen_of(colour, 1.5, mark if mark in PEN_STYLES else "line"))
            painter.setBrush(QColor(colour))
            if mark in PEN_STYLES:
                painter.drawLine(x, middle, x + _SAMPLE_PX, middle)
            else:
                draw_symbol(painter, mark, QRectF(x + 6, middle - 4, 9, 9))
            painter.setPen(QColor(self._tokens.quiet))
            flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(x + _SAMPLE_PX + 4, top, width - _SAMPLE_PX - 4, height, flags, name)


def _entries(spec: ChartSpec, tokens: Tokens) -> list[tuple[str, str, str]]:
    """What needs a legend: several series, and every line. (name, colour, mark)"""
    lines = [(line.label, tokens.bad, LINE_MARKS[n % len(LINE_MARKS)]) for n, line in enumerate(spec.lines)]
    return _series_entries(spec, tokens) + lines


def _series_entries(spec: ChartSpec, tokens: Tokens) -> list[tuple[str, str, str]]:
    if spec.kind == "stacked":
        parts = [series for series in spec.series if not series.low]
        return [(series.name, tokens.parts[n % len(tokens.parts)], "s") for n, series in enumerate(parts)]
    if spec.kind == "scatter":
        return _scatter_entries(spec, tokens)
    if spec.kind == "lines":
        styles = (("line", tokens.chart_strong), ("dash", tokens.quiet))
        return [(series.name, styles[min(n, 1)][1], styles[min(n, 1)][0]) for n, series in enumerate(spec.series)]
    return []


def _scatter_entries(spec: ChartSpec, tokens: Tokens) -> list[tuple[str, str, str]]:
    points = [series for series in _drawn(spec) if not series.joined]
    lines = [series for series in spec.series if series.joined]
    return [(series.name, tokens.chart_plain, SYMBOLS[n % len(SYMBOLS)]) for n, series in enumerate(points)] + [
        (series.name, joined_colour(series, n, tokens), JOINED[n % len(JOINED)]) for n, series in enumerate(lines)
    ]


def _drawn(spec: ChartSpec) -> list[Series]:
    return [series for series in spec.series if series.x]


class ChartCard(Card):
    """Shows a ChartSpec as a plot or as its table. ``selected`` brings the option that was clicked."""

    selected = Signal(str)

    def __init__(self, title: str, theme: Theme, settings: Settings, notices: Notices) -> None:
        super().__init__(title)
        self.title.setProperty("role", "chart-title")
        self.setAccessibleName(title)
        self._theme, self._settings, self._notices = theme, settings, notices
        self._spec: ChartSpec | None = None
        self._selection: str | None = None
        self.plot = Plot()
        self.plot.setAccessibleName(title)
        self.legend = Legend()
        self.model = TableModel(parent=self)
        self.table = DataTable(self.model, title)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.plot)
        self._stack.addWidget(self.table)
        self._stack.setMinimumHeight(PLOT_HEIGHT)
        self.body.addWidget(self.legend)
        self.body.addWidget(self._stack, 1)
        self._add_tools(title)
        self.plot.clicked.connect(self.selected)
        self.plot.menu_wanted.connect(self._show_menu)
        self.table.clicked.connect(lambda index: self._row_chosen(index.row()))
        self.table.activated.connect(lambda index: self._row_chosen(index.row()))
        theme.changed.connect(self._draw)

    def _add_tools(self, title: str) -> None:
        self.twin = QToolButton()
        self.twin.setText(self.tr("Table"))
        self.twin.setCheckable(True)
        self.twin.setToolTip(self.tr("Show the numbers as a table"))
        self.twin.setAccessibleName(self.tr("{0}: show as a table").format(title))
        self.twin.toggled.connect(self._show_twin)
        self.more = QToolButton()
        self.more.setText("⋯")
        self.more.setToolTip(self.tr("Copy or save"))
        self.more.setAccessibleName(self.tr("{0}: copy or save").format(title))
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu = QMenu(self)
        self.menu.addAction(self.tr("Copy the table"), self.copy_table)
        self.menu.addSeparator()
        self.menu.addAction(self.tr("Save as PNG…"), lambda: self._save("png"))
        self.menu.addAction(self.tr("Save as SVG…"), lambda: self._save("svg"))
        self.menu.addAction(self.tr("Save the table as CSV…"), lambda: self._save("csv"))
        self.more.setMenu(self.menu)
        tools = QHBoxLayout()
        tools.setSpacing(GRID // 2)
        tools.addWidget(self.twin)
        tools.addWidget(self.more)
        self.header.addLayout(tools)

    def show_spec(self, spec: ChartSpec, selection: str | None) -> None:
        self._spec, self._selection = spec, selection
        self.title.set_full_text(spec.title)
        self.plot.setAccessibleDescription(spec.description)
        self.table.setAccessibleDescription(spec.description)
        self.plot.setToolTip("")
        self._draw()
        if self.twin.isChecked():
            self._fill_twin(spec)

    def _fill_twin(self, spec: ChartSpec) -> None:
        """Only while it is shown: filling a table takes longer than drawing its chart."""
        self.table.elastic = 0 if len(spec.table.columns) <= _FEW_COLUMNS else None
        self.model.set_table(spec.table)
        row = self.model.row_of(self._selection)
        if row is not None:
            self.table.selectRow(row)

    def _draw(self) -> None:
        if self._spec is not None:
            self.legend.show_series(self._spec, self._theme.tokens)
            tokens = self._theme.tokens
            self.plot.show_drawing(draw(self._spec, tokens, self._selection), tokens)

    def _show_twin(self, as_table: bool) -> None:
        self._stack.setCurrentIndex(int(as_table))
        if as_table and self._spec is not None:
            self._fill_twin(self._spec)
        self.legend.setVisible(not as_table and bool(self._spec and _entries(self._spec, self._theme.tokens)))

    def _row_chosen(self, row: int) -> None:
        key = self.model.key(row)
        if key is not None:
            self.selected.emit(key)

    def _show_menu(self, position: QPoint) -> None:
        self.menu.popup(position)

    def copy_table(self) -> None:
        if self._spec is not None:
            export.copy_table(self._spec.table)

    def _save(self, kind: str) -> None:
        if self._spec is None:
            return
        path = ask_save(self, self._settings, self.tr("Save chart"), f"*.{kind}", f"{self._spec.key}.{kind}")
        if path is None:
            return
        try:
            export.save(self._spec, path)
        except OSError as error:
            self._notices.show("chart", Severity.ERROR, str(error))
        else:
            self._notices.show("chart", Severity.INFORMATION, self.tr("Written: {0}").format(path))
