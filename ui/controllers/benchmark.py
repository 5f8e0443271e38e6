"""The benchmark: one child at a time; what it says becomes a run the page shows, its end a kept result."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from planner.processes import Outcome
from ui.controllers.detect import DetectController
from ui.i18n import wording
from ui.jobs.process import JsonLinesProcess, Limits
from ui.jobs.thread import Tasks
from ui.notices import Notices, Severity
from ui.state import Store

if TYPE_CHECKING:
    from planner.benchmark.result import BenchmarkResult
    from planner.benchmark.supervise import BenchmarkError, Request, Run
    from planner.benchmark.telemetry import Telemetry
    from planner.hardware.snapshot import Gpu

_NOTICE = "benchmark"


class BenchmarkController(QObject):
    """``changed`` whenever there is something new to show. A run that fails never touches the last result."""

    changed = Signal()

    def __init__(
        self, store: Store, detect: DetectController, tasks: Tasks, notices: Notices, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._store, self._detect, self._tasks, self._notices = store, detect, tasks, notices
        self._child: JsonLinesProcess | None = None
        self._telemetry: Telemetry | None = None
        self._began_s = self._told_s = 0.0
        self.run: Run | None = None
        self.is_cancelling = False
        self._looked_up: tuple[object, str | None] | None = None
        store.snapshot_changed.connect(self._bring_last)
        store.gpu_changed.connect(self._bring_last)

    @property
    def is_running(self) -> bool:
        return self._child is not None

    @property
    def elapsed_s(self) -> float:
        return time.monotonic() - self._began_s

    @property
    def left_s(self) -> float | None:
        """Time left now, counted down between two messages; None while torch is loading."""
        stage = self.run.stage if self.run else None
        if stage is None or stage.eta_s is None:
            return None
        return max(0.0, stage.eta_s - (time.monotonic() - self._told_s))

    def start(self) -> None:
        """Measure the chosen GPU, or the processor where the chosen Python can use no GPU."""
        from planner.benchmark.supervise import BenchmarkError, request_for

        snapshot, python = self._store.snapshot, self._detect.python
        if self.is_running or snapshot is None:
            return
        if python is None:
            text = self.tr("No Python here can run the benchmark yet: choose one on the page Machine.")
            self._notices.show(_NOTICE, Severity.WARNING, text)
            return
        if self._store.machine_is_from_plan:
            text = self.tr("The machine shown is that of the plan: press Refresh on the page Machine first.")
            self._notices.show(_NOTICE, Severity.WARNING, text)
            return
        gpu = self._store.gpu if python.has_gpu else None
        try:
            request = request_for(snapshot, python, gpu, device_kind=None if python.has_gpu else "cpu")
        except BenchmarkError as error:
            self._tell(error)
            return
        self._notices.clear(_NOTICE)
        self._start_child(request)

    def _start_child(self, request: Request) -> None:
        from planner.benchmark import supervise
        from planner.benchmark.telemetry import Telemetry

        limits = Limits(supervise.DEADLINE_S, supervise.FIRST_MESSAGE_S, supervise.IDLE_S, supervise.GRACE_S)
        child = JsonLinesProcess(
            supervise.worker_argv(request),
            supervise.worker_environment(request),
            limits,
            supervise.CANCEL_LINE,
            self,
        )
        child.message.connect(self._take)
        child.finished.connect(lambda outcome: self._ended(request, outcome))
        self._child = child
        self._telemetry = Telemetry(request.gpu_uuid, self._detect.nvml_env)
        self._telemetry.start()
        self._began_s = self._told_s = time.monotonic()
        self.run = supervise.begin()
        self.is_cancelling = False
        child.start()
        self.changed.emit()

    def cancel(self) -> None:
        """Stop within two seconds; the last result stays."""
        if self._child is not None and not self.is_cancelling:
            self.is_cancelling = True
            self._child.cancel()
            self.changed.emit()

    def close(self) -> None:
        """End of the program: no child stays."""
        if self._child is not None:
            self._child.kill()
            self._child.wait_until_dead()
        if self._telemetry is not None:
            self._telemetry.stop()

    def _take(self, line: dict[str, Any]) -> None:
        from planner.benchmark.events import Stage, decode
        from planner.benchmark.supervise import fold

        assert self.run is not None
        event = decode(line)
        self.run = fold(self.run, event, time.monotonic())
        if isinstance(event, Stage):
            self._told_s = time.monotonic()
        self.changed.emit()

    def _ended(self, request: Request, outcome: Outcome) -> None:
        from planner.benchmark.supervise import BenchmarkError, conclude
        from planner.hardware.host import on_battery

        child, self._child = self._child, None
        run, self.run = self.run, None
        assert child is not None
        assert run is not None
        assert self._telemetry is not None
        samples = self._telemetry.samples
        self._telemetry.stop(wait_s=0.0)
        child.deleteLater()
        self.is_cancelling = False
        try:
            result = conclude(run, request, outcome, samples, on_battery())
        except BenchmarkError as error:
            self._tell(error)
            if error.partial is not None:
                self._keep(error.partial)
        else:
            self._keep(result)
            if not self._store.machine_is_from_plan:  # a plan opened meanwhile keeps its own
                self._store.set_benchmark(result)
        self.changed.emit()

    def _tell(self, error: BenchmarkError) -> None:
        """Why there is no result, in words, with what the child said last."""
        from planner.benchmark.supervise import in_words

        text = in_words(error, wording().messages)
        wanted = error.code == "bench.error.cancelled"
        severity = Severity.INFORMATION if wanted else Severity.ERROR
        self._notices.show(_NOTICE, severity, text, "\n".join(error.stderr_tail))

    def _keep(self, result: BenchmarkResult) -> None:
        def work(_cancelled: object) -> None:
            from planner.benchmark.history import save

            save(result)

        def done(_result: None, error: Exception | None) -> None:
            if error is not None:
                text = self.tr("The result counts in this plan but could not be kept for the next start.")
                self._notices.show("benchmark.keep", Severity.WARNING, text, str(error))

        self._tasks.run(work, done)

    def _bring_last(self) -> None:
        """The newest kept result of the GPU that is chosen now."""
        snapshot, uuid = self._store.snapshot, self._store.gpu_uuid
        asked = (snapshot, uuid)
        if snapshot is None or self._looked_up == asked:
            return
        self._looked_up = asked
        shown = self._store.benchmark
        gpu = self._store.gpu

        def work(_cancelled: object) -> BenchmarkResult | None:
            from planner.benchmark.history import latest_for

            return latest_for(snapshot, uuid)

        def done(result: BenchmarkResult | None, error: Exception | None) -> None:
            if error is not None:
                text = self.tr("Earlier results could not be read; a new benchmark will be kept beside them.")
                self._notices.show("benchmark.history", Severity.WARNING, text, str(error))
            elif self._store.machine_is_from_plan or (self._store.snapshot, self._store.gpu_uuid) != asked:
                pass  # something else is looked at by now
            elif self._store.benchmark is shown and not _is_newer(shown, result, gpu):
                self._store.set_benchmark(result)

        self._tasks.run(work, done)


def _is_newer(shown: BenchmarkResult | None, kept: BenchmarkResult | None, gpu: Gpu | None) -> bool:
    """Whether the result shown is of this device and younger than what could be kept of it (disk full)."""
    if shown is None or shown.gpu_uuid != (gpu.uuid if gpu else None):
        return False
    return kept is None or shown.started_at > kept.started_at
