"""The way to stop: the line "cancel" on standard input, its end, or Ctrl-C.

The work looks at the signal between blocks. Where it cannot (importing torch, a call that does not come back) a
second thread ends the process after a grace that fits into the two seconds promised to the user.
"""

from __future__ import annotations

import os
import signal
import stat
import threading
import time
from typing import Callable

GRACE_S = 1.2
STATUS_CANCELLED = 3


class Cancelled(Exception):  # noqa: N818 - not an error
    """The user, or the death of the parent, ended the run."""


class StopSignal:
    """Set once, from any thread."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        self._event.set()

    def wait(self) -> None:
        self._event.wait()

    def check(self) -> None:
        """Raises Cancelled once the signal is set."""
        if self._event.is_set():
            raise Cancelled


def private_input() -> int:
    """A duplicate of standard input; descriptor 0 itself is empty from now on.

    On Windows a read that waits on the standard handle blocks native libraries that ask for its kind at start.
    """
    descriptor = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return descriptor


def _has_parent_behind(descriptor: int) -> bool:
    """Whether the end of this input means that the parent is gone: not for /dev/null, a file or a terminal."""
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def _read_until_cancel(descriptor: int, stop: StopSignal) -> None:
    rest = b""
    while True:
        try:
            chunk = os.read(descriptor, 4096)
        except OSError:  # Windows reports a closed pipe so
            chunk = b""
        if not chunk:
            if _has_parent_behind(descriptor):
                stop.set()
            return
        *lines, rest = (rest + chunk).split(b"\n")
        if any(line.strip() == b"cancel" for line in lines):
            stop.set()
            return


def _end_after_grace(stop: StopSignal, last_words: Callable[[], None]) -> None:
    stop.wait()
    time.sleep(GRACE_S)
    last_words()
    os._exit(STATUS_CANCELLED)


def listen(stop: StopSignal, last_words: Callable[[], None]) -> None:
    """Start listening. ``last_words`` is called before the process is ended from outside the work."""
    descriptor = private_input()
    for target, arguments in ((_read_until_cancel, (descriptor, stop)), (_end_after_grace, (stop, last_words))):
        threading.Thread(target=target, args=arguments, daemon=True, name=target.__name__).start()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
