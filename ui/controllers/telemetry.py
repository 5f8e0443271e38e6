"""Live readings for the telemetry chart: of the GPU through the NVML child, else of the processor."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from planner.children import python_child_argv, python_child_env
from planner.processes import Outcome
from ui.controllers.detect import DetectController
from ui.jobs.process import JsonLinesProcess, Limits
from ui.state import Store

GPU_HZ = 10
_PROCESSOR_INTERVAL_MS = 500
_SILENCE_S = 15.0  # a driver that wakes up takes seconds; one that hangs stays silent


@dataclass(frozen=True, slots=True)
class Sample:
    """One reading. None: the driver does not tell, or the processor has no such thing."""

    t_s: float  # monotonic clock
    power_w: float | None
    temperature_c: float | None
    utilisation_percent: float | None
    memory_used_bytes: float | None


class TelemetryController(QObject):
    """Runs while somebody watches: ``start`` … ``stop``. ``source_changed`` when what is read changes."""

    sample = Signal(object)
    source_changed = Signal()

    def __init__(self, store: Store, detect: DetectController, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store, self._detect = store, detect
        self._child: JsonLinesProcess | None = None
        self._wanted = False
        self._source: str | None = None  # UUID of the GPU read, "" for the processor, None: nothing yet
        self._gave_up: set[str] = set()  # GPUs whose driver stopped answering
        self._timer = QTimer(self)
        self._timer.setInterval(_PROCESSOR_INTERVAL_MS)
        self._timer.timeout.connect(self._read_processor)
        store.snapshot_changed.connect(self._follow)
        store.gpu_changed.connect(self._follow)

    @property
    def reads_gpu(self) -> bool:
        return bool(self._source)

    @property
    def device_name(self) -> str:
        gpu = self._store.gpu
        if self.reads_gpu and gpu is not None:
            return gpu.name
        host = self._store.snapshot.host if self._store.snapshot else None
        return (host.cpu_name if host else None) or self.tr("Processor")

    @property
    def memory_total_bytes(self) -> float | None:
        """What the memory reading is out of."""
        gpu = self._store.gpu
        if self.reads_gpu:
            return gpu.memory_total_bytes if gpu else None
        return self._store.snapshot.host.memory_total_bytes if self._store.snapshot else None

    def start(self) -> None:
        self._wanted = True
        self._follow()

    def stop(self) -> None:
        self._wanted = False
        self._source = None
        self._timer.stop()
        self._stop_child()

    def close(self) -> None:
        """End of the program: no child stays."""
        child = self._child
        self.stop()
        if child is not None:
            child.kill()
            child.wait_until_dead()

    def _follow(self) -> None:
        """Read what is chosen now."""
        if not self._wanted:
            return
        gpu = self._store.gpu
        source = gpu.uuid if gpu and gpu.uuid and gpu.uuid not in self._gave_up else ""
        if source == self._source:
            return
        self._source = source
        self._stop_child()
        if source:
            self._timer.stop()
            self._start_child(source, self._detect.nvml_env)
        else:
            self._timer.start()
        self.source_changed.emit()

    def _start_child(self, uuid: str, nvml_env: Mapping[str, str] | None) -> None:
        argv = python_child_argv("planner.hardware.nvml", "--watch", str(GPU_HZ), "--uuid", uuid)
        child = JsonLinesProcess(argv, python_child_env(nvml_env), Limits(idle_s=_SILENCE_S), parent=self)
        child.message.connect(self._take)
        child.finished.connect(lambda outcome, child=child: self._ended(child, uuid, outcome))
        self._child = child
        child.start()

    def _stop_child(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.cancel()

    def _take(self, message: dict[str, Any]) -> None:
        if message.get("kind") == "sample" and not message.get("lost") and message.get("uuid") == self._source:
            self.sample.emit(
                Sample(
                    t_s=message["t_s"],
                    power_w=message["power_draw_w"],
                    temperature_c=message["temperature_c"],
                    utilisation_percent=message["utilisation_percent"],
                    memory_used_bytes=message["memory_used_bytes"],
                )
            )

    def _ended(self, child: JsonLinesProcess, uuid: str, _outcome: Outcome) -> None:
        child.deleteLater()
        if child is self._child:  # nobody asked it to end: the driver is gone, the processor is still there
            self._child = None
            self._gave_up.add(uuid)
            self._source = None
            self._follow()

    def _read_processor(self) -> None:
        import psutil

        memory = psutil.virtual_memory()
        self.sample.emit(
            Sample(
                t_s=time.monotonic(),
                power_w=None,
                temperature_c=None,
                utilisation_percent=psutil.cpu_percent(None),
                memory_used_bytes=memory.total - memory.available,
            )
        )
