"""The way out: one JSON object per line on a descriptor of our own, and the pulse that tells we are alive."""

from __future__ import annotations

import json
import os
import threading
import time
from typing import Any, Callable

_LOCK_PATIENCE_S = 0.3


def private_output() -> int:
    """A duplicate of standard output; descriptor 1 itself leads to standard error from now on.

    Native libraries print to descriptor 1; they must not cut our lines in two.
    """
    descriptor = os.dup(1)
    os.dup2(2, 1)
    return descriptor


def as_text(event: dict[str, Any]) -> str:
    """An event for a person who runs the worker by hand."""
    values = " ".join(f"{key}={value}" for key, value in event.items() if key != "event")
    return f"{event['event']:9} {values}"


class Channel:
    """Sends events from any thread. Nothing follows the last event."""

    def __init__(self, descriptor: int, *, as_json: bool, on_broken: Callable[[], None]) -> None:
        self._descriptor = descriptor
        self._write = json.dumps if as_json else as_text
        self._on_broken = on_broken
        self._lock = threading.Lock()
        self._ended = False

    def send(self, event: str, **fields: Any) -> None:
        with self._lock:
            self._send(event, fields)

    def end(self, event: str, **fields: Any) -> None:
        """Send the last event, unless another thread already did or is stuck in writing."""
        if self._lock.acquire(timeout=_LOCK_PATIENCE_S):
            try:
                self._send(event, fields)
                self._ended = True
            finally:
                self._lock.release()

    def _send(self, event: str, fields: dict[str, Any]) -> None:
        if self._ended:
            return
        rest = (self._write({"event": event, **fields}) + "\n").encode("utf-8", "replace")
        try:
            while rest:  # a pipe may take less than all
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError:  # nobody reads any more
            self._ended = True
            self._on_broken()


class Pulse:
    """A heartbeat as long as the work makes progress: silence means that it hangs."""

    def __init__(self, channel: Channel, began_s: float, interval_s: float = 1.0) -> None:
        self._channel = channel
        self._began_s = began_s
        self._interval_s = interval_s
        self._silent_from_s = 0.0

    def mark(self, next_within_s: float) -> None:
        """There was progress; the next may take ``next_within_s``."""
        self._silent_from_s = time.monotonic() + next_within_s

    def start(self) -> None:
        threading.Thread(target=self._beat, daemon=True, name="pulse").start()

    def _beat(self) -> None:
        while True:
            time.sleep(self._interval_s)
            now_s = time.monotonic()
            if now_s < self._silent_from_s:
                self._channel.send("heartbeat", elapsed_s=now_s - self._began_s)
