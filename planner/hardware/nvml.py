"""Reads the NVIDIA driver's management library (NVML) and prints JSON lines. Runs as a child process only.

    python -m planner.hardware.nvml                       one look at every GPU
    python -m planner.hardware.nvml --watch 10 --uuid X   telemetry until standard input closes

NVML can hang for ever, crash or lose a GPU between two calls, so nobody calls it in their own process. The
answer comes in small pieces, the most important first: what arrived before a hang or a crash stays known.
The only file that knows ``pynvml`` (distribution nvidia-ml-py).

Messages, by "kind":
  init    {"ok": true, "driver", "cuda", "count", "binding"} or {"ok": false, "code", "detail"}
  gpu     {"index", "group", "fields": {…}, "lost": bool}; a field the driver refuses is null. A GPU whose
          "partition" is "parted" stands for nothing: its MIG slices follow with indices from "count" on
  done    {}
  sample  {"t_s" (monotonic clock), "uuid", "lost", and the fields of ``nvml_fields.sample``}
Codes of a failed init: binding_missing, binding_wrong, library_missing, library_stub, driver_not_loaded,
version_mismatch, no_permission, error.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

from planner.hardware.nvml_fields import (
    GROUPS,
    Driver,
    LostError,
    RefusedError,
    identity,
    mig_slices,
    sample,
    why_lost,
)

MAX_WATCH_HZ = 50.0


def _protocol_stream() -> Callable[[dict[str, Any]], None]:
    """Keep file descriptor 1 for messages and send what native libraries print there to standard error."""
    protocol = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)

    def emit(message: dict[str, Any]) -> None:
        protocol.write(json.dumps(message) + "\n")
        protocol.flush()

    return emit


def _look_once(driver: Driver, emit: Callable[[dict[str, Any]], None], count: int) -> None:
    """Group by group over all GPUs, so that a hang in one costs the others as little as possible."""
    handles: dict[int, Any] = {}
    for index in range(count):
        try:
            handles[index] = driver.ask("nvmlDeviceGetHandleByIndex", index)
        except (LostError, RefusedError) as error:  # "unable to determine the device handle" also means lost
            emit(_lost(index, "identity", why_lost(driver, error)))
    for group, read in GROUPS.items():
        for index, handle in list(handles.items()):
            try:
                fields = read(driver, handle)
                emit({"kind": "gpu", "index": index, "group": group, "fields": fields, "lost": False})
                if fields.get("partition") == "parted":
                    del handles[index]
                    handles |= _introduced(driver, emit, handle, max(count - 1, *handles, 0) + 1)
            except LostError as error:
                handles.pop(index, None)
                emit(_lost(index, group, why_lost(driver, error)))
    emit({"kind": "done"})


def _lost(index: int, group: str, reason: str) -> dict[str, Any]:
    return {"kind": "gpu", "index": index, "group": group, "fields": {"lost_reason": reason}, "lost": True}


def _introduced(
    driver: Driver, emit: Callable[[dict[str, Any]], None], card: Any, first_index: int
) -> dict[int, Any]:
    """The MIG slices of a card by index, their identity told."""
    slices = dict(enumerate(mig_slices(driver, card), first_index))
    for index, part in slices.items():
        fields = identity(driver, part) | {"partition": "mig_slice"}
        emit({"kind": "gpu", "index": index, "group": "identity", "fields": fields, "lost": False})
    return slices


def _stdin_closed() -> threading.Event:
    """Set when the parent closes our standard input, or is gone."""
    closed = threading.Event()

    def wait_for_end() -> None:
        while os.read(0, 1024):  # not sys.stdin: its lock would be held when the interpreter ends
            pass
        closed.set()

    threading.Thread(target=wait_for_end, daemon=True).start()
    return closed


def _watch(
    driver: Driver, emit: Callable[[dict[str, Any]], None], count: int, hz: float, uuid: str | None
) -> None:
    """Samples at ``hz`` of the GPU or MIG slice ``uuid`` (all GPUs when None) until standard input closes."""
    handles: dict[str, Any] = {}
    for index in range(count):
        try:
            card = driver.ask("nvmlDeviceGetHandleByIndex", index)
            parts = mig_slices(driver, card) if (uuid or "").startswith("MIG-") else (card,)
            for handle in parts:
                name = driver.text("nvmlDeviceGetUUID", handle) or str(index)
                if uuid in (None, name):
                    handles[name] = handle
        except (LostError, RefusedError):
            continue
    closed = _stdin_closed()
    due_s = time.monotonic()
    while handles and not closed.is_set():
        for name, handle in list(handles.items()):
            message = {"kind": "sample", "t_s": time.monotonic(), "uuid": name, "lost": False}
            try:
                emit(message | sample(driver, handle))
            except LostError:
                del handles[name]
                emit(message | {"lost": True})
        due_s = max(due_s + 1 / hz, time.monotonic())  # a slow driver lowers the rate, it builds no backlog
        closed.wait(due_s - time.monotonic())
    emit({"kind": "done"})


def _import_binding() -> tuple[ModuleType | None, dict[str, Any]]:
    """The binding, or the failed init message: it is missing, or another module of that name is in the way."""
    try:
        import pynvml
    except Exception as error:  # noqa: BLE001 - a foreign module of that name may raise anything
        code = "binding_missing" if isinstance(error, ModuleNotFoundError) else "binding_wrong"
        return None, {"kind": "init", "ok": False, "code": code, "detail": str(error)}
    # The unrelated and inactive packages of that name know neither.
    needed = ("NVMLLibraryMismatchError", "NVML_FI_DEV_POWER_INSTANT", "nvmlInitWithFlags")
    if not all(hasattr(pynvml, name) for name in needed):
        where = getattr(pynvml, "__file__", None) or "pynvml"
        return None, {"kind": "init", "ok": False, "code": "binding_wrong", "detail": where}
    return pynvml, {}


def _owners() -> str:
    """The installed packages that provide a module pynvml: two of them hide each other's files."""
    found = []
    for name in ("nvidia-ml-py", "pynvml"):
        with contextlib.suppress(metadata.PackageNotFoundError):
            found.append(f"{name} {metadata.version(name)}")
    return ", ".join(found)


def _stub_library() -> str | None:
    """Where the loaded library lies, if it is the CUDA toolkit's stub: made to link with, it knows no GPU."""
    try:
        maps = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")
    except OSError:  # not Linux
        return None
    libraries = (line.partition("/")[2] for line in maps.splitlines() if "libnvidia-ml.so" in line)
    return next(("/" + path for path in libraries if "/stubs/" in path), None)


def _init_code(pynvml: ModuleType, error: Exception) -> str:
    codes = {
        pynvml.NVML_ERROR_LIBRARY_NOT_FOUND: "library_missing",
        pynvml.NVML_ERROR_DRIVER_NOT_LOADED: "driver_not_loaded",
        pynvml.NVML_ERROR_LIB_RM_VERSION_MISMATCH: "version_mismatch",
        pynvml.NVML_ERROR_NO_PERMISSION: "no_permission",
    }
    return codes.get(getattr(error, "value", None), "error")


def _init(pynvml: ModuleType) -> tuple[Driver | None, dict[str, Any]]:
    """Start NVML; the init message either way."""
    try:
        pynvml.nvmlInit()
        count = pynvml.nvmlDeviceGetCount()
    except (pynvml.NVMLError, pynvml.NVMLLibraryMismatchError) as error:
        stub = _stub_library()
        code, detail = ("library_stub", stub) if stub else (_init_code(pynvml, error), str(error))
        return None, {"kind": "init", "ok": False, "code": code, "detail": detail}
    driver = Driver(pynvml)
    try:
        cuda = driver.maybe("nvmlSystemGetCudaDriverVersion")
        version = driver.text("nvmlSystemGetDriverVersion")
    except LostError:  # "reset required" for the whole system
        return None, {"kind": "init", "ok": False, "code": "error", "detail": "the driver asks for a reset"}
    return driver, {
        "kind": "init",
        "ok": True,
        "driver": version,
        "cuda": None if cuda is None else f"{cuda // 1000}.{cuda % 1000 // 10}",
        "count": count,
        "binding": _owners() or pynvml.__file__,
    }


def _frequency_hz(text: str) -> float:
    value = float(text)
    if not 0 < value <= MAX_WATCH_HZ:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and {MAX_WATCH_HZ:g} Hz")
    return value


def main(arguments: list[str]) -> int:
    """Exit status 0 when NVML answered, 1 when it could not be started."""
    parser = argparse.ArgumentParser(prog="planner.hardware.nvml")
    parser.add_argument("--watch", type=_frequency_hz, metavar="HZ")
    parser.add_argument("--uuid")
    options = parser.parse_args(arguments)
    emit = _protocol_stream()
    pynvml, message = _import_binding()
    driver = None
    if pynvml is not None:
        driver, message = _init(pynvml)
    emit(message)
    if driver is None:
        return 1
    if options.watch:
        _watch(driver, emit, message["count"], options.watch, options.uuid)
    else:
        _look_once(driver, emit, message["count"])
    with contextlib.suppress(LostError):
        driver.maybe("nvmlShutdown")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
