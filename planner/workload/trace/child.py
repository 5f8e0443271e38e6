"""The child process that traces models: ``python -m planner.workload.trace.child REQUESTS.json``.

Prints a JSON object per line: {"index", "stage": "tracing"}, then {"stage": "done"} with the table written to
the request's result file, or {"stage": "failed", "code", "detail"}, codes as in resources/i18n/…/trace.toml.
What a model prints goes to standard error.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import traceback
from functools import cache
from pathlib import Path
from typing import Any

# Enough for the largest models on the meta device; more means that a model makes real tensors.
MEMORY_LIMIT_BYTES = 8 << 30
_NO_MEMORY = ("can't allocate memory", "cannot allocate memory", "not enough memory")
# What torch says when a value, a shape or a branch would have to be read from a tensor without contents.
_NEEDS_VALUES = (
    "cannot be called on meta tensors",
    "cannot copy out of meta tensor",
    "with meta tensors, but there was no",
    "fake impl or meta kernel",
    "data-dependent",
    "data-independent implementation",
    "executes other operators",
)


def main(arguments: list[str]) -> None:
    """Answer every request of the file."""
    # Only messages may reach the real standard output.
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def say(**message: Any) -> None:
        channel.write(json.dumps(message) + "\n")
        channel.flush()

    _limit_memory()
    requests = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    for index, request in enumerate(requests):
        say(index=index, stage="tracing")
        try:
            _trace(request)
        except Exception as error:  # noqa: BLE001  foreign code fails in any way: named, and the next one is traced
            code, detail = classified(error, request)
            say(index=index, stage="failed", code=code, detail=" ".join(detail.split())[:400])
        else:
            say(index=index, stage="done")


def _limit_memory() -> None:
    if sys.platform != "linux":  # elsewhere the limit does not exist or does not bind
        return
    import resource

    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_LIMIT_BYTES, resource.getrlimit(resource.RLIMIT_DATA)[1]))


def _trace(request: dict[str, Any]) -> None:
    try:
        import torch  # noqa: F401
    except ImportError as error:
        from planner.workload.trace.errors import SourceError

        raise SourceError("torch_missing", str(error)) from error
    from planner.workload.table_file import save_table

    save_table(Path(request["result"]), _table(request))


def _table(request: dict[str, Any]) -> Any:
    """Over a range of sizes where the model can; at the size asked for, else its default, where not. A model that
    decides by values is followed with data, if it is small enough."""
    from planner.workload.trace.models.sizes import at_one_size, image_attempts

    source = _source(request, "meta")
    _spare_what_was_imported()
    one_size = at_one_size(source, request["size"] or source.default_size)
    if request["size"] is not None or source.size_kind == "none":
        attempts = [one_size]
    else:
        attempts = list(image_attempts(source)) if source.size_kind == "image" else [source, one_size]
    try:
        return _first_traced(attempts, request)
    except Exception as error:
        if not _needs_values(error):
            raise
        return _traced_with_data(error, source, one_size.default_size, request)


@cache
def _spare_what_was_imported() -> None:
    """Models are full of cycles and are collected often; a hundred thousand objects of torch need no look then."""
    gc.collect()
    gc.freeze()


def _first_traced(attempts: list[Any], request: dict[str, Any]) -> Any:
    from planner.workload.trace.tracer import trace_table

    variant = request["precision"], request["checkpointing"], request["memory_format"]
    for attempt in attempts[:-1]:
        try:
            return trace_table(attempt, *variant)
        except Exception as error:  # noqa: BLE001  refused sizes fail in any way; the last attempt tells why
            print(f"{request['name']}: {type(error).__name__}: {error}", file=sys.stderr)
    return trace_table(attempts[-1], *variant)


def _traced_with_data(reason: Exception, on_meta: Any, size: int, request: dict[str, Any]) -> Any:
    """One size, one path, on the CPU. Raises SourceError with why it was needed and why it failed."""
    from planner.workload.trace.concrete import with_data
    from planner.workload.trace.errors import SourceError
    from planner.workload.trace.models.sizes import at_one_size

    try:
        return _first_traced([at_one_size(with_data(on_meta, lambda: _source(request, "cpu")), size)], request)
    except Exception as error:
        why = error.detail if isinstance(error, SourceError) else f"with data: {error}"
        raise SourceError("data_dependent_control_flow", f"{_described(reason, request)}; {why}") from error


def _source(request: dict[str, Any], device: str) -> Any:
    eager, target = request["attention"] == "eager", request["target"]
    if request["kind"] == "timm":
        from planner.workload.trace.models.timm_any import timm_model

        source = timm_model(target, eager, device)
    elif request["kind"] == "hf":
        from planner.workload.trace.models.hf_config import hf_model

        source = hf_model(Path(target), eager, device)
    else:
        from planner.workload.trace.models.python_file import python_model

        source = python_model(Path(target), request["function"], eager, device)
    return _with_adapter(source, request)


def _with_adapter(source: Any, request: dict[str, Any]) -> Any:
    from planner.workload.adapter import parse_adapter

    adapter = parse_adapter(request["adapter"])
    if adapter is None:
        return source
    from planner.workload.trace.models.adapters import adapted

    return adapted(source, adapter, request["precision"])


def _needs_values(error: Exception) -> bool:
    return any(sign in str(error).lower() for sign in _NEEDS_VALUES)


def classified(error: Exception, request: dict[str, Any]) -> tuple[str, str]:
    """Failure code and detail of whatever was raised."""
    from planner.workload.trace.errors import SourceError, TraceError

    if isinstance(error, SourceError):
        return error.code, error.detail
    text, last_line = str(error), _described(error, request)
    if isinstance(error, MemoryError) or any(sign in text.lower() for sign in _NO_MEMORY):
        return "out_of_memory", last_line
    if _needs_values(error):
        return "data_dependent_control_flow", last_line
    if isinstance(error, TraceError):
        return "trace_failed", text
    if request["kind"] == "py":
        return "user_code_failed", last_line
    return ("size_refused" if request["size"] is not None else "trace_failed"), last_line


def _described(error: Exception, request: dict[str, Any]) -> str:
    return f"{type(error).__name__}: {error}{_place(error, request)}"


def _place(error: Exception, request: dict[str, Any]) -> str:
    """Where in the user's own file it happened."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == request["target"]]
    return f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno}: {frames[-1].line})" if frames else ""


if __name__ == "__main__":
    main(sys.argv[1:])
