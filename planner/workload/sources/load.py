"""Op tables for any reference: presets and saved tables at once, others from the cache or a tracing child.

Models are only ever built in a child process: the user's code runs there, and torch is imported there. One child
traces many models, because importing torch takes seconds; at most two run at once.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from planner.children import outside_python_env, python_child_env
from planner.door import InvalidInputError, Problem
from planner.messages import load_messages
from planner.paths import SOURCES, data_dir
from planner.processes import Ending, Outcome, run_json_lines
from planner.workload import table_file
from planner.workload.optable import OpTable
from planner.workload.presets import load_preset
from planner.workload.sources.request import TableRequest, cache_path

CHILD_MODULE = "planner.workload.trace.child"
_CHILDREN = 2
_FIRST_MESSAGE_S = 120.0  # importing torch from a cold disk
_MODEL_DEADLINE_S = 300.0  # 0.8 s are usual, 53 s is the most that was seen at one size
_BATCH_DEADLINE_S = 6 * 3600.0

Progress = Callable[[TableRequest, str], None]  # a model and its stage: "tracing", "done" or "failed"
Answer = OpTable | InvalidInputError


def load_table(
    request: TableRequest,
    *,
    python: str | None = None,
    progress: Progress = lambda _request, _stage: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> OpTable:
    """The table of one request, traced if it must be (seconds). Raises InvalidInputError."""
    answer = load_tables([request], python=python, progress=progress, cancelled=cancelled)[request]
    if isinstance(answer, InvalidInputError):
        raise answer
    return answer


def stored_table(request: TableRequest, *, python: str | None = None) -> OpTable | None:
    """The table if it can be had without tracing; None if it would have to be traced.

    Raises InvalidInputError for a preset without this variant and a saved table that is not valid.
    """
    reference = request.reference
    if reference.kind == "preset":
        return load_preset(reference.target, request.precision, request.checkpointing, request.memory_format)
    if reference.kind == "ops":
        return table_file.load_table(Path(reference.target))
    path = cache_path(request, python or sys.executable)
    if not path.exists():
        return None
    try:
        return _read(str(path))
    except InvalidInputError:  # cut off or edited: trace it again
        return None


@lru_cache(maxsize=256)
def _read(path: str) -> OpTable:
    return table_file.load_table(Path(path))


def load_tables(
    requests: Sequence[TableRequest],
    *,
    python: str | None = None,
    progress: Progress = lambda _request, _stage: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> dict[TableRequest, Answer]:
    """An answer for each request: a table, or why there is none. Never raises for a model's sake."""
    python = python or sys.executable
    answers: dict[TableRequest, Answer] = {}
    to_trace = []
    for request in dict.fromkeys(requests):
        try:
            table = stored_table(request, python=python)
        except InvalidInputError as error:
            answers[request] = error
            continue
        if table is None:
            to_trace.append(request)
        else:
            answers[request] = table
    children = min(_CHILDREN, (len(to_trace) + 1) // 2)
    if children:
        with ThreadPoolExecutor(children, thread_name_prefix="trace") as pool:
            shares = [to_trace[start::children] for start in range(children)]
            for traced in pool.map(lambda share: _Tracing(share, python, progress, cancelled).run(), shares):
                answers.update(traced)
    return answers


@dataclass
class _Tracing:
    """A share of the models, traced one after the other in one child, or in the next when it dies."""

    waiting: list[TableRequest]
    python: str
    progress: Progress
    cancelled: Callable[[], bool]
    answers: dict[TableRequest, Answer] = field(default_factory=dict)
    current: TableRequest | None = None
    # Fixed before the first trace: the files that the names depend on may change meanwhile.
    results: dict[TableRequest, Path] = field(default_factory=dict)

    def run(self) -> dict[TableRequest, Answer]:
        (data_dir() / "tables").mkdir(parents=True, exist_ok=True)
        self.results = {request: cache_path(request, self.python) for request in self.waiting}
        while self.waiting:
            outcome = self._run_child(list(self.waiting))
            self.waiting = [request for request in self.waiting if request not in self.answers]
            if not self.waiting:
                break
            code = _failure_code(outcome)
            lost = self.current if self.current in self.waiting else self.waiting[0]
            blamed = self.waiting if code in ("cancelled", "not_started") or self.current is None else [lost]
            for request in blamed:
                self._fail(request, code, _last_words(outcome))
            self.waiting = [request for request in self.waiting if request not in self.answers]
        return self.answers

    def _run_child(self, requests: list[TableRequest]) -> Outcome:
        self.current = None
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "requests.json"
            file.write_text(json.dumps([self._described(request) for request in requests]), encoding="utf-8")
            return run_json_lines(
                [self.python, "-P", "-m", CHILD_MODULE, str(file)],
                on_message=lambda message: self._take(message, requests),
                deadline_s=_BATCH_DEADLINE_S,
                first_message_s=_FIRST_MESSAGE_S,
                idle_s=_MODEL_DEADLINE_S,
                cancelled=self.cancelled,
                grace_s=0.3,
                env=_environment(self.python),
            )

    def _described(self, request: TableRequest) -> dict[str, Any]:
        return {
            "name": request.reference.text,
            "kind": request.reference.kind,
            "target": request.reference.target,
            "function": request.reference.function,
            "precision": request.precision,
            "checkpointing": request.checkpointing,
            "attention": request.attention,
            "size": request.size,
            "memory_format": request.memory_format,
            "adapter": request.adapter,
            "result": str(self.results[request]),
        }

    def _take(self, message: dict[str, Any], requests: list[TableRequest]) -> None:
        index, stage = message.get("index"), message.get("stage")
        if not isinstance(index, int) or not 0 <= index < len(requests):
            return
        request = requests[index]
        if stage == "tracing":
            self.current = request
            self.progress(request, "tracing")
        elif stage == "failed":
            self._fail(request, str(message.get("code")), str(message.get("detail", "")))
        elif stage == "done":
            try:
                self.answers[request] = _read(str(self.results[request]))
            except InvalidInputError as error:
                self.answers[request] = error
            self.progress(request, "done")

    def _fail(self, request: TableRequest, code: str, detail: str) -> None:
        values = {"model": request.reference.text, "python": self.python, "detail": detail}
        messages = load_messages()
        known = f"trace.{code}" if messages.knows(f"trace.{code}") else "trace.crashed"
        problem = Problem("model", messages.say(known, **values, limit_s=f"{_MODEL_DEADLINE_S:g}"))
        self.answers[request] = InvalidInputError(request.reference.text, (problem,))
        self.progress(request, "failed")


def _failure_code(outcome: Outcome) -> str:
    """Why a child stopped before it had answered everything."""
    if outcome.ending is Ending.KILLED and outcome.exit_status == -9:
        return "out_of_memory"  # the system's last resort; nobody else kills with SIGKILL
    if outcome.ending in (Ending.TIMED_OUT, Ending.SILENT):
        return "timeout"
    return {Ending.CANCELLED: "cancelled", Ending.NOT_STARTED: "not_started"}.get(outcome.ending, "crashed")


def _last_words(outcome: Outcome) -> str:
    said = outcome.stderr_tail[-1:] if outcome.stderr_tail else ()
    return ": ".join((outcome.status, *said))


def _environment(python: str) -> Mapping[str, str]:
    """Our own Python gets our packages; another one only this package, beside its own."""
    ours = {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    if python == sys.executable:
        return python_child_env(ours)
    return {**outside_python_env(), **ours, "PYTHONPATH": str(SOURCES)}
