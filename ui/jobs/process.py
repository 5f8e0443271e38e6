"""A child that prints JSON lines, watched by the event loop: it may hang, crash, flood or be killed.

The same contract as ``planner.processes.run_json_lines``, which blocks; nothing here does.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, QTimer, Signal

from planner.processes import STDERR_LINES_KEPT, Ending, LineSplitter, Outcome

_TICK_MS = 100
_REAP_S = 1.0
_left_behind: set[QProcess] = set()  # children that a driver keeps from dying: their QProcess would block


@dataclass(frozen=True, slots=True)
class Limits:
    """When a child counts as hung. None: never."""

    deadline_s: float | None = None
    first_message_s: float | None = None
    idle_s: float | None = None  # the heartbeat
    grace_s: float = 2.0  # between being asked to stop and being killed


class JsonLinesProcess(QObject):
    """Start it once; ``message`` for every JSON object, then ``finished`` with the Outcome, always."""

    message = Signal(object)  # dict[str, Any]
    finished = Signal(object)

    def __init__(
        self,
        argv: Sequence[str],
        env: Mapping[str, str] | None = None,
        limits: Limits = Limits(),
        cancel_line: str = "cancel",
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._argv = list(argv)
        self._limits = limits
        self._cancel_line = cancel_line
        self._splitter = LineSplitter(self.message.emit)
        self._stderr: deque[str] = deque(maxlen=STDERR_LINES_KEPT)
        self._stderr_rest = ""
        self._ending: Ending | None = None
        self._limit_s: float | None = None
        self._began_s = self._heard_s = 0.0
        self._heard = 0
        self._stop_by_s: float | None = None  # end of the grace, then of the wait for the reaping
        self._killed = False
        self._over = False
        self._pid = 0
        self._process = self._build(env)
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._tick)

    def _build(self, env: Mapping[str, str] | None) -> QProcess:
        process = QProcess(self)
        if env is not None:
            environment = QProcessEnvironment()
            for name, value in env.items():
                environment.insert(name, value)
            process.setProcessEnvironment(environment)
        if sys.platform != "win32":  # a group of its own, so that its children die with it
            process.setUnixProcessParameters(QProcess.UnixProcessFlag.CreateNewSession)
        process.started.connect(self._started)
        process.errorOccurred.connect(self._failed)
        process.readyReadStandardOutput.connect(self._read)
        process.readyReadStandardError.connect(self._read_errors)
        process.finished.connect(self._ended)
        return process

    @property
    def is_running(self) -> bool:
        return self._began_s > 0 and not self._over

    def start(self) -> None:
        self._began_s = self._heard_s = time.monotonic()
        self._timer.start()
        self._process.start(self._argv[0], self._argv[1:])

    def cancel(self) -> None:
        """Ask the child to stop; after the grace it is killed."""
        if self.is_running and self._ending is None:
            self._ending = Ending.CANCELLED
            self._stop_by_s = time.monotonic() + self._limits.grace_s
            self._process.write(self._cancel_line.encode() + b"\n")
            self._process.closeWriteChannel()

    def kill(self) -> None:
        """End it now (the window closes). ``finished`` still comes, at the latest after a second."""
        if self.is_running:
            self._ending = self._ending or Ending.CANCELLED
            self._kill_group()

    def wait_until_dead(self, wait_ms: int = 1000) -> None:
        """Only for the end of the program: blocks shortly so that the child is reaped."""
        if self.is_running:
            self._process.waitForFinished(wait_ms)

    def _started(self) -> None:
        self._pid = self._process.processId()

    def _failed(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self._ending = Ending.NOT_STARTED
            self._finish(None, self._process.errorString())

    def _read(self) -> None:
        self._splitter.feed(self._process.readAllStandardOutput().data())

    def _read_errors(self) -> None:
        text = self._stderr_rest + self._process.readAllStandardError().data().decode("utf-8", "replace")
        *lines, rest = text.split("\n")
        self._stderr.extend(line.rstrip("\r")[:2000] for line in lines)
        self._stderr_rest = rest[:2000]

    def _tick(self) -> None:
        now_s = time.monotonic()
        if self._splitter.messages != self._heard:
            self._heard, self._heard_s = self._splitter.messages, now_s
        if self._stop_by_s is None and not self._killed:
            self._stop_if_hung(now_s)
        elif self._stop_by_s is not None and now_s > self._stop_by_s:
            if self._killed:
                self._leave_behind()
            else:
                self._kill_group()

    def _stop_if_hung(self, now_s: float) -> None:
        limits = self._limits
        quiet_s = limits.idle_s if self._heard else (limits.first_message_s or limits.idle_s)
        if limits.deadline_s is not None and now_s - self._began_s > limits.deadline_s:
            self._ending, self._limit_s = Ending.TIMED_OUT, limits.deadline_s
        elif quiet_s is not None and now_s - self._heard_s > quiet_s:
            self._ending, self._limit_s = Ending.SILENT, quiet_s
        if self._ending is not None:
            self._kill_group()

    def _kill_group(self) -> None:
        self._killed = True
        self._stop_by_s = time.monotonic() + _REAP_S
        if sys.platform != "win32" and self._pid:
            with contextlib.suppress(ProcessLookupError, PermissionError):  # already gone (macOS: EPERM)
                os.killpg(self._pid, signal.SIGKILL)
        self._process.kill()

    def _ended(self, code: int, how: QProcess.ExitStatus) -> None:
        crashed = how == QProcess.ExitStatus.CrashExit
        if self._ending is None:
            self._ending = Ending.KILLED if crashed else Ending.EXITED
        if sys.platform != "win32" and self._pid and not self._killed:
            with contextlib.suppress(ProcessLookupError, PermissionError):  # what it left running
                os.killpg(self._pid, signal.SIGKILL)
        self._read()
        self._read_errors()
        self._finish(-code if crashed else code)

    def _leave_behind(self) -> None:
        self._process.setParent(None)
        _left_behind.add(self._process)
        self._finish(None)

    def _finish(self, status: int | None, detail: str = "") -> None:
        if self._over:
            return
        self._over = True
        self._timer.stop()
        self._splitter.end()
        rest = (self._stderr_rest,) if self._stderr_rest else ()
        self.finished.emit(
            Outcome(
                ending=self._ending or Ending.EXITED,
                exit_status=status,
                duration_s=time.monotonic() - self._began_s,
                limit_s=self._limit_s,
                messages=self._splitter.messages,
                problem_count=self._splitter.problem_count,
                problems=tuple(self._splitter.problems),
                stderr_tail=(*self._stderr, *rest)[-STDERR_LINES_KEPT:],
                detail=detail,
            )
        )
