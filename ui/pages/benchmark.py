"""Benchmark: one button, how far it is, what the device does meanwhile, and the last result."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QHBoxLayout, QProgressBar

from planner.benchmark.findings import in_words as note_in_words
from planner.benchmark.history import stale_reasons
from ui.charts.telemetry import TelemetryCard
from ui.controllers.benchmark import BenchmarkController
from ui.controllers.detect import DetectController
from ui.controllers.telemetry import TelemetryController
from ui.i18n import say, tr, wording
from ui.models.table_model import TableModel
from ui.pages.result_table import probe_name, result_table
from ui.state import Store
from ui.theme import GRID, Theme
from ui.widgets.basic import Card, DataTable, Page, button, label, set_role

_CLOCK_MS = 250


def clock(seconds: float) -> str:
    """Elapsed and left as people read them: 75.2 → "1:15"."""
    whole = max(0, round(seconds))
    return f"{whole // 60}:{whole % 60:02d}"


class BenchmarkPage(Page):
    """Shows the controller's run and the store's result; a failed run leaves the last result where it is."""

    def __init__(
        self,
        store: Store,
        detect: DetectController,
        benchmark: BenchmarkController,
        telemetry: TelemetryController,
        theme: Theme,
    ) -> None:
        super().__init__(
            tr("BenchmarkPage", "Benchmark"),
            tr(
                "BenchmarkPage",
                "Measures this machine, so that its numbers need no data sheet. Nothing leaves it.",
            ),
        )
        self._store, self._detect, self._benchmark = store, detect, benchmark
        self.body.addWidget(self._run_card())
        self.telemetry = TelemetryCard(telemetry, theme)
        self.body.addWidget(self.telemetry)
        self.body.addWidget(self._result_card())
        self.body.addStretch(1)
        self._clock = QTimer(self)
        self._clock.setInterval(_CLOCK_MS)
        self._clock.timeout.connect(self._show_clock)
        for signal in (store.snapshot_changed, store.gpu_changed, benchmark.changed, detect.busy_changed):
            signal.connect(self.refresh)
        for signal in (store.benchmark_changed, store.snapshot_changed):
            signal.connect(self._show_result)
        self.refresh()
        self._show_result()

    def _run_card(self) -> Card:
        card = Card("")
        card.setAccessibleName(self.tr("Run the benchmark"))
        line = QHBoxLayout()
        line.setSpacing(2 * GRID)
        self.device = label("", "heading", wrap=True)
        self.run = button(self.tr("&Run benchmark"), self._benchmark.start, "primary", self.tr("Ctrl+B"))
        self.cancel = button(self.tr("&Cancel"), self._benchmark.cancel, tip=self.tr("Stops within two seconds"))
        line.addWidget(self.device, 1)
        line.addWidget(self.cancel)
        line.addWidget(self.run)
        card.body.addLayout(line)
        self.where = label("", "quiet", wrap=True)
        card.body.addWidget(self.where)
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(self.tr("Progress of the benchmark"))
        card.body.addWidget(self.progress)
        self.stage = label("")
        self.times = label("", "quiet")
        stages = QHBoxLayout()
        stages.addWidget(self.stage, 1)
        stages.addWidget(self.times)
        card.body.addLayout(stages)
        return card

    def _result_card(self) -> Card:
        card = Card(self.tr("Last result"))
        self.summary = label("", "quiet", wrap=True)
        card.body.addWidget(self.summary)
        self.notes = label("", "warning", wrap=True)
        card.body.addWidget(self.notes)
        self.model = TableModel(parent=self)
        self.table = DataTable(self.model, self.tr("Results of the benchmark"), fit_height=True)
        card.body.addWidget(self.table)
        card.body.addStretch(1)
        return card

    def refresh(self) -> None:
        python = self._detect.python
        running = self._benchmark.is_running
        gpu = self._store.gpu
        uses_gpu = gpu is not None and python is not None and python.has_gpu
        host = self._store.snapshot.host if self._store.snapshot else None
        processor = (host.cpu_name if host else None) or self.tr("the processor")
        self.device.setText(gpu.name if uses_gpu and gpu else processor)
        self.run.setEnabled(python is not None and not running)
        self.cancel.setVisible(running)
        self.cancel.setEnabled(not self._benchmark.is_cancelling)
        self.where.setText(self._where())
        for widget in (self.progress, self.stage, self.times):
            widget.setVisible(running)
        if running:
            self._clock.start()
            self._show_clock()
        else:
            self._clock.stop()

    def _where(self) -> str:
        python = self._detect.python
        if python is None:
            if self._detect.is_busy:
                return self.tr("Looking for a Python with PyTorch…")
            return self.tr(
                "No Python here can run the benchmark: choose one on the page Machine. Planning works without."
            )
        text = self.tr("Runs in {0} with torch {1}.").format(python.path, python.torch_version)
        if self._store.gpu is not None and not python.has_gpu:
            text += " " + self.tr("This torch cannot use the GPU, so the processor is measured.")
        return text

    def _show_clock(self) -> None:
        stage = self._benchmark.run.stage if self._benchmark.run else None
        total = stage.total if stage else 0
        self.progress.setRange(0, total)
        if stage is not None and total:
            self.progress.setValue(stage.index - 1)
            self.stage.setText(f"{stage.index} / {total}   {probe_name(stage.name)}")
        else:
            self.stage.setText(probe_name(stage.name if stage else "load_torch"))
        if self._benchmark.is_cancelling:
            self.stage.setText(self.tr("Stopping…"))
        left = self._benchmark.left_s
        text = self.tr("{0} elapsed").format(clock(self._benchmark.elapsed_s))
        self.times.setText(text if left is None else self.tr("{0}, about {1} left").format(text, clock(left)))

    def _show_result(self) -> None:
        result = self._store.benchmark
        self.table.setVisible(result is not None)
        if result is None:
            self.notes.setVisible(False)
            self.summary.setText(self.tr("Not measured yet. Until then the plan takes the data sheet's word."))
            return
        words = wording()
        text = self.tr("{0}, {1}, torch {2}, {3}.").format(
            result.device_name,
            result.started_at.replace("T", " ")[:16],
            result.torch_version,
            words.value("duration_s", result.duration_s),
        )
        stale = stale_reasons(result, self._store.snapshot) if self._store.snapshot else ()
        set_role(self.summary, "warning" if stale else "quiet")
        self.summary.setText(" ".join([text, *map(say, stale)]))
        self.notes.setText("\n".join(note_in_words(note, words.messages) for note in result.notes))
        self.notes.setVisible(bool(result.notes))
        self.model.set_table(result_table(result, words))
        self.table.fit()
