"""Children that speak one JSON object per line, and never take the caller down with them.

Used where foreign code runs: the GPU driver's library, other Pythons, the benchmark. Such a child may hang,
crash, print garbage or 100 MB of it; the caller gets the good lines it sent before, and a frozen Outcome.
Thread-safe: nothing is shared between calls. ``on_message`` and ``cancelled`` run in the calling thread.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

STDERR_LINES_KEPT = 20
LINE_LIMIT_BYTES = 1 << 20  # one message; a longer line is a problem, not a message
_STDERR_LINE_LIMIT_BYTES = 2000
_PROBLEMS_KEPT = 20
_CHUNK_BYTES = 1 << 16
_CHUNKS_WAITING = 16  # a full queue blocks the child's writes: memory stays bounded
_POLL_S = 0.05
_DRAIN_S = 5.0  # to handle the output left when the group is dead: at most 1 MB, unless …
_DRAIN_SILENCE_S = 0.3  # … a descendant that left the group holds the pipe open
_REAP_S = 1.0  # a child stuck inside the driver cannot be killed: it is left behind after this


class Ending(StrEnum):
    """Why a child is no longer running."""

    EXITED = "exited"  # by itself, with any status
    KILLED = "killed"  # by a signal that was not ours
    TIMED_OUT = "timed_out"  # the whole deadline passed
    SILENT = "silent"  # no message for too long
    CANCELLED = "cancelled"
    NOT_STARTED = "not_started"


@dataclass(frozen=True, slots=True)
class ProtocolProblem:
    """A line that is no message. ``code``: "not_json", "not_an_object", "too_long" or "cut_off"."""

    code: str
    line: int  # counted from 1
    text: str  # its beginning


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a child ended. ``exit_status`` is negative for a signal and None when it was never reaped."""

    ending: Ending
    exit_status: int | None
    duration_s: float
    limit_s: float | None = None  # the limit that was passed, for TIMED_OUT and SILENT
    messages: int = 0
    problem_count: int = 0
    problems: tuple[ProtocolProblem, ...] = ()  # the first 20
    stderr_tail: tuple[str, ...] = ()  # the last 20 lines
    detail: str = ""  # why it could not be started
    pid: int | None = None

    @property
    def succeeded(self) -> bool:
        return self.ending is Ending.EXITED and self.exit_status == 0

    @property
    def status(self) -> str:
        """For logs and details boxes: "exited with 3", "killed by SIGKILL", "timed out after 15 s"."""
        if self.ending is Ending.EXITED:
            return f"exited with {self.exit_status}"
        if self.ending is Ending.KILLED:
            return f"killed by {_signal_name(-(self.exit_status or 0))}"
        if self.ending is Ending.TIMED_OUT:
            return f"timed out after {self.limit_s:g} s"
        if self.ending is Ending.SILENT:
            return f"silent for {self.limit_s:g} s"
        return "cancelled" if self.ending is Ending.CANCELLED else f"could not be started: {self.detail}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


class LineSplitter:
    """Cuts a byte stream into messages, whatever the chunk borders, holding at most one line."""

    def __init__(self, on_message: Callable[[dict[str, Any]], None]) -> None:
        self._on_message = on_message
        self._partial = bytearray()
        self._skipping = False  # inside a line that is already known to be too long
        self._line = 1
        self.messages = 0
        self.problem_count = 0
        self.problems: list[ProtocolProblem] = []

    def feed(self, chunk: bytes) -> None:
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            self._append(end)
            if not self._skipping:
                self._finish_line(bytes(self._partial))
            self._partial.clear()
            self._skipping = False
            self._line += 1
        self._append(rest)

    def end(self) -> None:
        """The stream is over: a last line without a newline counts only if it is whole."""
        if not self._skipping and self._partial.strip():
            self._finish_line(bytes(self._partial), otherwise="cut_off")

    def _append(self, piece: bytes) -> None:
        if self._skipping:
            return
        self._partial += piece
        if len(self._partial) > LINE_LIMIT_BYTES:
            self._problem("too_long", bytes(self._partial[:_STDERR_LINE_LIMIT_BYTES]))
            self._partial.clear()
            self._skipping = True

    def _finish_line(self, line: bytes, otherwise: str = "not_json") -> None:
        if not line.strip():
            return
        try:
            value = json.loads(line, parse_constant=_refuse_constant)
        except (ValueError, RecursionError):  # ValueError: also bytes that are no UTF-8
            self._problem(otherwise, line)
            return
        if not isinstance(value, dict):
            self._problem("not_an_object", line)
            return
        self.messages += 1
        self._on_message(value)

    def _problem(self, code: str, line: bytes) -> None:
        self.problem_count += 1
        if len(self.problems) < _PROBLEMS_KEPT:
            self.problems.append(ProtocolProblem(code, self._line, line[:200].decode("utf-8", "replace")))


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


class _StderrTail:
    """The last lines of standard error, in bounded memory."""

    def __init__(self) -> None:
        self._lines: deque[bytes] = deque(maxlen=STDERR_LINES_KEPT)
        self._partial = b""

    def feed(self, chunk: bytes) -> None:
        *ends, rest = (self._partial + chunk).split(b"\n")
        self._lines.extend(line[:_STDERR_LINE_LIMIT_BYTES] for line in ends)
        self._partial = rest[:_STDERR_LINE_LIMIT_BYTES]

    def lines(self) -> tuple[str, ...]:
        kept = [*self._lines, self._partial] if self._partial else list(self._lines)
        return tuple(line.decode("utf-8", "replace").rstrip("\r") for line in kept[-STDERR_LINES_KEPT:])


def _start(argv: Sequence[str], env: Mapping[str, str] | None, wants_stdin: bool) -> subprocess.Popen[bytes]:
    own_group: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        own_group = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}
    return subprocess.Popen(
        list(argv),
        stdin=subprocess.PIPE if wants_stdin else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=None if env is None else dict(env),
        **own_group,
    )


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill the child and everything it started."""
    if sys.platform != "win32":
        with contextlib.suppress(ProcessLookupError, PermissionError):  # already gone (macOS: EPERM)
            os.killpg(process.pid, signal.SIGKILL)
        return
    import psutil  # Windows has no process groups to kill: walk the tree

    with contextlib.suppress(psutil.NoSuchProcess):
        for descendant in psutil.Process(process.pid).children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):
                descendant.kill()
    process.kill()


def _ask_to_stop(process: subprocess.Popen[bytes], cancel_line: str | None) -> None:
    if process.stdin is None:
        process.terminate()
        return
    with contextlib.suppress(OSError):  # it may have ended or closed its end already
        if cancel_line:
            process.stdin.write(cancel_line.encode() + b"\n")
        process.stdin.close()


@dataclass(frozen=True, slots=True)
class _Limits:
    began_s: float
    deadline_s: float
    first_message_s: float | None
    idle_s: float | None

    def passed(self, now_s: float, heard_s: float, heard: int) -> tuple[Ending, float] | None:
        if now_s - self.began_s > self.deadline_s:
            return Ending.TIMED_OUT, self.deadline_s
        quiet_s = self.idle_s if heard else self.first_message_s
        if quiet_s is not None and now_s - heard_s > quiet_s:
            return Ending.SILENT, quiet_s
        return None


class _Run:
    """One child from start to reaping. Lives on the calling thread; two threads pump its pipes."""

    def __init__(self, process: subprocess.Popen[bytes], on_message: Callable[[dict[str, Any]], None]) -> None:
        self.process = process
        self.splitter = LineSplitter(on_message)
        self.stderr = _StderrTail()
        self._chunks: queue.Queue[bytes | None] = queue.Queue(_CHUNKS_WAITING)
        self._over = False  # nobody takes chunks any more
        self._killed = False
        self._threads = (
            threading.Thread(target=self._pump_stdout, daemon=True),
            threading.Thread(target=self._pump_stderr, daemon=True),
        )
        for thread in self._threads:
            thread.start()

    def _pump_stdout(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as pipe:
            while chunk := os.read(pipe.fileno(), _CHUNK_BYTES):
                if not self._offer(chunk):
                    return
        self._offer(None)

    def _offer(self, chunk: bytes | None) -> bool:
        while not self._over:
            with contextlib.suppress(queue.Full):
                self._chunks.put(chunk, timeout=_POLL_S)
                return True
        return False

    def _pump_stderr(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as pipe:
            while not self._over and (chunk := os.read(pipe.fileno(), _CHUNK_BYTES)):
                self.stderr.feed(chunk)

    def take(self) -> bool | None:
        """Handle the next output: True when there was some, False when not yet, None when all is handled."""
        try:
            chunk = self._chunks.get(timeout=_POLL_S)
        except queue.Empty:
            return False
        if chunk is None:
            return None
        self.splitter.feed(chunk)
        return True

    def watch(self, limits: _Limits, cancelled: Callable[[], bool]) -> tuple[Ending | None, float | None]:
        """Handle messages until the child has ended (None) or must be stopped (why, and the limit passed)."""
        heard, heard_s = 0, limits.began_s
        while True:
            self.take()
            now_s = time.monotonic()
            if self.splitter.messages != heard:
                heard, heard_s = self.splitter.messages, now_s
            if self.process.poll() is not None:
                return None, None
            if cancelled():
                return Ending.CANCELLED, None
            if passed := limits.passed(now_s, heard_s, heard):
                return passed

    def wait_politely(self, grace_s: float) -> None:
        """Handle what the child still says after it was asked to stop."""
        end_s = time.monotonic() + grace_s
        while self.process.poll() is None and time.monotonic() < end_s:
            self.take()

    def kill(self) -> None:
        """Kill the group, once: its number may belong to somebody else later."""
        if not self._killed:
            _kill_group(self.process)
        self._killed = True

    def drain(self) -> None:
        """Handle the output left in the pipe once the group is dead (an escaped descendant may hold it open)."""
        heard_s = began_s = time.monotonic()
        while (now_s := time.monotonic()) < began_s + _DRAIN_S and now_s < heard_s + _DRAIN_SILENCE_S:
            taken = self.take()
            if taken is None:
                return
            if taken:
                heard_s = time.monotonic()

    def release(self) -> None:
        """Kill the group if it lives and reap; never blocks for long, whatever state the child is in."""
        self._over = True
        self.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(_REAP_S)
        for thread in self._threads:
            thread.join(_DRAIN_SILENCE_S)
        if self.process.stdin is not None:
            with contextlib.suppress(OSError):
                self.process.stdin.close()


def run_json_lines(
    argv: Sequence[str],
    *,
    on_message: Callable[[dict[str, Any]], None],
    deadline_s: float,
    first_message_s: float | None = None,
    idle_s: float | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    stdin_cancel_line: str | None = None,
    grace_s: float = 2.0,
    env: Mapping[str, str] | None = None,
) -> Outcome:
    """Run ``argv`` to its end and hand each JSON object it prints to ``on_message``.

    ``deadline_s`` bounds the whole run, ``first_message_s`` the time to the first message (default:
    ``idle_s``), ``idle_s`` the silence after it. ``env`` replaces the environment. When ``cancelled()`` turns
    true the child gets ``stdin_cancel_line`` and end-of-file on its standard input (SIGTERM if that is None),
    ``grace_s`` to end by itself, then its whole group is killed; messages of that time still arrive.
    Whatever ``on_message`` raises reaches the caller after the group has been killed.
    """
    began_s = time.monotonic()
    try:
        process = _start(argv, env, wants_stdin=stdin_cancel_line is not None)
    except (OSError, ValueError) as error:
        return Outcome(Ending.NOT_STARTED, None, 0.0, detail=str(error))
    run = _Run(process, on_message)
    try:
        first_s = idle_s if first_message_s is None else first_message_s
        stopped, limit_s = run.watch(_Limits(began_s, deadline_s, first_s, idle_s), cancelled)
        if stopped is Ending.CANCELLED:
            _ask_to_stop(process, stdin_cancel_line)
            run.wait_politely(grace_s)
        run.kill()
        run.drain()
    finally:
        run.release()
    run.splitter.end()
    status = process.poll()
    by_itself = Ending.KILLED if status is not None and status < 0 else Ending.EXITED
    return Outcome(
        ending=stopped or by_itself,
        exit_status=status,
        duration_s=time.monotonic() - began_s,
        limit_s=limit_s,
        messages=run.splitter.messages,
        problem_count=run.splitter.problem_count,
        problems=tuple(run.splitter.problems),
        stderr_tail=run.stderr.lines(),
        pid=process.pid,
    )
