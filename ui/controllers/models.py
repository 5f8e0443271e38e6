"""Models from outside the presets: traced in a child process when their op table is first needed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from planner.door import InvalidInputError
from ui.jobs.thread import Cancelled, Task, Tasks
from ui.notices import Notices, Severity
from ui.state import Store

if TYPE_CHECKING:
    from planner.workload.optable import OpTable
    from planner.workload.sources.request import TableRequest

_TRACED = ("hf:", "timm:")  # data only; a Python file runs the user's code and is asked for on the command line
_LARGEST_CONFIG_BYTES = 2**20


def is_model_config(path: Path) -> bool:
    """Whether a file (or a folder's config.json) is a configuration of Hugging Face, not a plan of ours."""
    file = path / "config.json" if path.is_dir() else path
    if file.suffix != ".json" or not file.is_file() or file.stat().st_size > _LARGEST_CONFIG_BYTES:
        return False
    try:
        content = json.loads(file.read_bytes())
    except ValueError:  # not JSON at all: whoever opens it next says so
        return False
    return isinstance(content, dict) and ("model_type" in content or "architectures" in content)


class ModelsController(QObject):
    """Traces what an answer lacks, once for each variant, and then has the answer worked out again."""

    busy_changed = Signal()

    def __init__(self, store: Store, tasks: Tasks, notices: Notices, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store, self._tasks, self._notices = store, tasks, notices
        self._task: Task | None = None
        self._refused: set[TableRequest] = set()
        store.answer_changed.connect(self._look)

    @property
    def is_busy(self) -> bool:
        return self._task is not None

    def take_config(self, path: Path) -> None:
        """Plan with the model of a Hugging Face ``config.json``, or of the folder that holds it."""
        draft = self._store.draft
        if draft is not None:
            self._refused.clear()
            self._store.set_draft(draft.typed("model", f"hf:{path}").typed("input_size", ""))

    def cancel(self) -> None:
        """Give the tracing up; the last answer stays, marked as out of date."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
            self.busy_changed.emit()

    def _look(self) -> None:
        job = self._store.reading.job
        if self.is_busy or job is None or not job.recipe.model.startswith(_TRACED):
            return
        from planner.workload.sources.load import load_table, stored_table
        from planner.workload.sources.request import request_for

        try:
            request = request_for(job.recipe)
            if request in self._refused or stored_table(request) is not None:
                return
        except InvalidInputError:  # the answer tells it at its field
            return

        def work(cancelled: Cancelled) -> OpTable:
            return load_table(request, cancelled=cancelled)

        def done(table: OpTable | None, error: Exception | None) -> None:
            self._task = None
            self._refused.add(request)  # traced or not: never again and again
            self.busy_changed.emit()
            if table is None:
                problems = error.problems if isinstance(error, InvalidInputError) else (error,)
                text = self.tr("This model could not be traced. The last answer stays.")
                self._notices.show("model", Severity.WARNING, text, "\n".join(map(str, problems)))
            else:
                self._notices.clear("model")
                self._store.recompute()

        self._task = self._tasks.run(work, done)
        self.busy_changed.emit()
