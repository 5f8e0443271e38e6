"""What tracing raises."""

from __future__ import annotations


class TraceError(RuntimeError):
    """A model that cannot be traced into an op table; the message says why."""
