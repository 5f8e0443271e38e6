"""What tracing raises."""

from __future__ import annotations


class TraceError(RuntimeError):
    """A model that cannot be traced into an op table; the message says why."""


class SourceError(RuntimeError):
    """A model that could not be made or followed. ``code``: a key of resources/i18n/…/trace.toml."""

    def __init__(self, code: str, detail: str) -> None:
        self.code = code
        self.detail = detail
        super().__init__(f"{code}: {detail}")
