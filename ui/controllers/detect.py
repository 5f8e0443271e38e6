"""Looking at this machine: first the driver and the host, which is quick, then the Pythons, which is not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from ui.jobs.thread import Task, Tasks
from ui.notices import Notices, Severity
from ui.settings import CHOSEN_PYTHON, Settings
from ui.state import Store

if TYPE_CHECKING:
    from planner.hardware.snapshot import Interpreter, Snapshot

_NOTICE = "detect"


class DetectController(QObject):
    """``busy_changed`` tells when detection begins and ends."""

    busy_changed = Signal()

    def __init__(
        self,
        store: Store,
        tasks: Tasks,
        notices: Notices,
        settings: Settings,
        demo: bool = False,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._store, self._tasks, self._notices, self._settings = store, tasks, notices, settings
        self._demo = demo
        self._task: Task | None = None
        self.nvml_env: Mapping[str, str] | None = None

    @property
    def is_busy(self) -> bool:
        return self._task is not None

    @property
    def chosen_python(self) -> str:
        return self._settings.get(CHOSEN_PYTHON)

    @property
    def python(self) -> Interpreter | None:
        """The Python that runs the benchmark."""
        from planner.hardware.interpreters import best

        return best(self._store.snapshot.interpreters) if self._store.snapshot else None

    def refresh(self) -> None:
        """Look again; a look that is still on its way is dropped."""
        if self._task is not None:
            self._task.cancel()
        self._look(interpreters=False)
        self.busy_changed.emit()

    def choose_gpu(self, uuid: str | None) -> None:
        self._store.set_gpu(uuid)

    def choose_python(self, path: str) -> None:
        """Use this Python for the benchmark; empty: the best one found."""
        self._settings.set(CHOSEN_PYTHON, path)
        self.refresh()

    def cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None
            self.busy_changed.emit()

    def _look(self, interpreters: bool) -> None:
        chosen = self.chosen_python
        began_with_plan = self._store.machine_is_from_plan

        def work(cancelled: Any) -> tuple[Snapshot, Mapping[str, str] | None]:
            from planner.hardware.detect import detect

            env = self.nvml_env
            if self._demo and env is None:
                from planner.hardware.demo import demo_environment

                env = demo_environment()
            snapshot = detect(
                cancelled=cancelled,
                interpreters=interpreters,
                chosen_python=Path(chosen) if chosen else None,
                nvml_env=env,
            )
            return snapshot, env

        def done(result: tuple[Snapshot, Mapping[str, str] | None] | None, error: Exception | None) -> None:
            self._task = None
            if self._store.machine_is_from_plan and not began_with_plan:
                pass  # a plan was opened meanwhile: its machine stays until the user refreshes
            elif result is None:
                self._report(error)
            else:
                self._take(*result, final=interpreters)
            if not interpreters and result is not None and self._store.machine_is_from_plan == began_with_plan:
                self._look(interpreters=True)
            self.busy_changed.emit()

        self._task = self._tasks.run(work, done)

    def _take(self, snapshot: Snapshot, env: Mapping[str, str] | None, final: bool) -> None:
        self.nvml_env = env
        self._notices.clear(_NOTICE)
        before = self._store.snapshot
        if not final and before is not None and before.interpreters:
            return  # the Pythons known before stay on the screen until they have been asked again
        self._store.set_snapshot(snapshot)
        if self._store.gpu_uuid not in {gpu.uuid for gpu in snapshot.gpus}:
            self._store.set_gpu(None)

    def _report(self, error: Exception | None) -> None:
        from planner.hardware.demo import DemoUnavailableError
        from ui.i18n import say

        if isinstance(error, DemoUnavailableError):
            text = f"{say(f'{error.code}.title')} {say(f'{error.code}.action')}"
            self._demo = False
            self._notices.show("demo", Severity.ERROR, text, error.detail)
            self.refresh()
            return
        text = self.tr("This machine could not be looked at. Try Refresh; planning works without it.")
        self._notices.show(_NOTICE, Severity.ERROR, text, repr(error))
