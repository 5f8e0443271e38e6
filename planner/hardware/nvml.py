"""Reads the NVIDIA driver's management library (NVML) and prints JSON lines. Runs as a child process only.

    python -m planner.hardware.nvml                       one look at every GPU
    python -m planner.hardware.nvml --watch 10 --uuid X   telemetry until standard input closes

NVML can hang for ever, crash or lose a GPU between two calls, so nobody calls it in their own process. The
answer comes in small pieces, the most important first: what arrived before a hang or a crash stays known.
The only file that knows ``pynvml`` (distribution nvidia-ml-py).

Messages, by "kind":
  init    {"ok": true, "driver", "cuda", "count", "binding"} or {"ok": false, "code", "detail"}
  gpu     {"index", "group", "fields": {…}, "lost": bool}; a field the driver refuses is null
  done    {}
  sample  {"t_s" (monotonic clock), "uuid", "lost", and the fields of ``_sample``}
Codes of a failed init: binding_missing, binding_wrong, library_missing, driver_not_loaded, version_mismatch,
no_permission, error.
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
from types import ModuleType
from typing import Any

MAX_WATCH_HZ = 50.0
_MAX_PID = 1 << 22  # Linux' upper limit; a larger one means that binding and driver disagree on the layout


class _LostError(Exception):
    """The driver no longer answers for this GPU."""


class _Refused(Exception):  # noqa: N818 - not an error: an answer
    """The driver is there but does not tell this."""


def _protocol_stream() -> Callable[[dict[str, Any]], None]:
    """Keep file descriptor 1 for messages and send what native libraries print there to standard error."""
    protocol = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)

    def emit(message: dict[str, Any]) -> None:
        protocol.write(json.dumps(message) + "\n")
        protocol.flush()

    return emit


class Driver:
    """``pynvml`` with its three ways of failing turned into two: refused and lost."""

    def __init__(self, pynvml: ModuleType) -> None:
        self.nvml = pynvml
        self._lost_codes = {pynvml.NVML_ERROR_GPU_IS_LOST, pynvml.NVML_ERROR_RESET_REQUIRED}

    def ask(self, function: str, *arguments: Any) -> Any:
        """Call one NVML function. Raises _Refused or _LostError."""
        call = getattr(self.nvml, function, None)
        if call is None:  # a binding older than the function
            raise _Refused
        try:
            return call(*arguments)
        except self.nvml.NVMLError as error:
            raise (_LostError if error.value in self._lost_codes else _Refused) from None
        except self.nvml.NVMLLibraryMismatchError:  # not an NVMLError: the driver lacks the symbol
            raise _Refused from None

    def text(self, function: str, *arguments: Any) -> str | None:
        """A text answer. Drivers have returned bytes that are no UTF-8: those are shown as "�"."""
        try:
            value = self.maybe(function, *arguments)
        except UnicodeDecodeError as error:  # not an NVMLError either; it carries the bytes
            value = error.object
        if isinstance(value, bytes):
            value = value.decode("utf-8", "replace")
        return None if value is None else "".join(filter(str.isprintable, value)).strip() or None

    def maybe(self, function: str, *arguments: Any) -> Any:
        """The answer, or None when the driver refuses it. Raises _LostError."""
        try:
            return self.ask(function, *arguments)
        except _Refused:
            return None


def _scaled(value: Any, factor: float) -> float | None:
    return None if value is None else value * factor


def _identity(driver: Driver, handle: Any) -> dict[str, Any]:
    pci = driver.maybe("nvmlDeviceGetPciInfo", handle)
    bus_id = None if pci is None else pci.busId
    if isinstance(bus_id, bytes):
        bus_id = bus_id.decode("ascii", "replace")
    return {
        "uuid": driver.text("nvmlDeviceGetUUID", handle),
        "name": driver.text("nvmlDeviceGetName", handle),
        "pci_bus_id": bus_id or None,
        # The upper half is the device, the lower the vendor (0x220410DE).
        "pci_device_id": None if pci is None else f"{pci.pciDeviceId >> 16:04X}",
    }


def _memory_answer(driver: Driver, handle: Any) -> Any:
    """Version 2 leaves out what the driver reserves; drivers before 510 know version 1 only."""
    version_2 = getattr(driver.nvml, "nvmlMemory_v2", None)
    answer = None if version_2 is None else driver.maybe("nvmlDeviceGetMemoryInfo", handle, version_2)
    return answer or driver.maybe("nvmlDeviceGetMemoryInfo", handle)


def _memory(driver: Driver, handle: Any) -> dict[str, Any]:
    memory = _memory_answer(driver, handle)
    return {
        "memory_total_bytes": None if memory is None else memory.total,
        "memory_free_bytes": None if memory is None else memory.free,
    }


def _compute(driver: Driver, handle: Any) -> dict[str, Any]:
    capability = driver.maybe("nvmlDeviceGetCudaComputeCapability", handle)
    return {"compute_capability": None if capability is None else f"{capability[0]}.{capability[1]}"}


def _pcie(driver: Driver, handle: Any) -> dict[str, Any]:
    return {
        "generation": driver.maybe("nvmlDeviceGetCurrPcieLinkGeneration", handle),
        "width": driver.maybe("nvmlDeviceGetCurrPcieLinkWidth", handle),
        "max_generation": driver.maybe("nvmlDeviceGetMaxPcieLinkGeneration", handle),
        "max_width": driver.maybe("nvmlDeviceGetMaxPcieLinkWidth", handle),
    }


def _power(driver: Driver, handle: Any) -> dict[str, Any]:
    """Watts; NVML answers in milliwatts."""
    return {
        "power_limit_w": _scaled(driver.maybe("nvmlDeviceGetEnforcedPowerLimit", handle), 1e-3),
        "power_limit_default_w": _scaled(driver.maybe("nvmlDeviceGetPowerManagementDefaultLimit", handle), 1e-3),
    }


def _load(driver: Driver, handle: Any) -> dict[str, Any]:
    utilisation = driver.maybe("nvmlDeviceGetUtilizationRates", handle)
    nvml = driver.nvml
    return {
        "power_draw_w": _scaled(driver.maybe("nvmlDeviceGetPowerUsage", handle), 1e-3),
        "temperature_c": driver.maybe("nvmlDeviceGetTemperature", handle, nvml.NVML_TEMPERATURE_GPU),
        "utilisation_percent": None if utilisation is None else utilisation.gpu,
        "sm_clock_mhz": driver.maybe("nvmlDeviceGetClockInfo", handle, nvml.NVML_CLOCK_SM),
        "memory_clock_mhz": driver.maybe("nvmlDeviceGetClockInfo", handle, nvml.NVML_CLOCK_MEM),
    }


def _use(driver: Driver, handle: Any) -> dict[str, Any]:
    display = driver.maybe("nvmlDeviceGetDisplayActive", handle)
    processes = driver.maybe("nvmlDeviceGetComputeRunningProcesses", handle)
    # Some driver releases return rubbish rows (structures changed size): then the list is not known.
    if processes is not None and not all(0 < process.pid <= _MAX_PID for process in processes):
        processes = None
    return {
        "display_active": None if display is None else bool(display),
        "process_count": None if processes is None else len(processes),
    }


GROUPS: dict[str, Callable[[Driver, Any], dict[str, Any]]] = {
    "identity": _identity,
    "memory": _memory,
    "compute": _compute,
    "pcie": _pcie,
    "power": _power,
    "load": _load,
    "use": _use,
}


def _sample(driver: Driver, handle: Any) -> dict[str, Any]:
    """One telemetry reading; ``throttle_reasons`` is NVML's bit mask (test bits with &)."""
    memory = _memory_answer(driver, handle)
    reasons = driver.maybe("nvmlDeviceGetCurrentClocksEventReasons", handle)
    if reasons is None:  # the name before driver 535
        reasons = driver.maybe("nvmlDeviceGetCurrentClocksThrottleReasons", handle)
    used_bytes = None if memory is None else memory.used
    return {**_load(driver, handle), "memory_used_bytes": used_bytes, "throttle_reasons": reasons}


def _look_once(driver: Driver, emit: Callable[[dict[str, Any]], None], count: int) -> None:
    """Group by group over all GPUs, so that a hang in one costs the others as little as possible."""
    handles: dict[int, Any] = {}
    for index in range(count):
        try:
            handles[index] = driver.ask("nvmlDeviceGetHandleByIndex", index)
        except (_LostError, _Refused):  # "unable to determine the device handle" also means lost
            emit({"kind": "gpu", "index": index, "group": "identity", "fields": {}, "lost": True})
    for group, read in GROUPS.items():
        for index, handle in list(handles.items()):
            try:
                fields = read(driver, handle)
            except _LostError:
                del handles[index]
                emit({"kind": "gpu", "index": index, "group": group, "fields": {}, "lost": True})
            else:
                emit({"kind": "gpu", "index": index, "group": group, "fields": fields, "lost": False})
    emit({"kind": "done"})


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
    """Samples at ``hz`` of the GPU ``uuid`` (all GPUs when None) until standard input closes."""
    handles: dict[str, Any] = {}
    for index in range(count):
        try:
            handle = driver.ask("nvmlDeviceGetHandleByIndex", index)
            name = driver.text("nvmlDeviceGetUUID", handle) or str(index)
        except (_LostError, _Refused):
            continue
        if uuid in (None, name):
            handles[name] = handle
    closed = _stdin_closed()
    due_s = time.monotonic()
    while handles and not closed.is_set():
        for name, handle in list(handles.items()):
            message = {"kind": "sample", "t_s": time.monotonic(), "uuid": name, "lost": False}
            try:
                emit(message | _sample(driver, handle))
            except _LostError:
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
        code = _init_code(pynvml, error)
        return None, {"kind": "init", "ok": False, "code": code, "detail": str(error)}
    driver = Driver(pynvml)
    try:
        cuda = driver.maybe("nvmlSystemGetCudaDriverVersion")
        version = driver.text("nvmlSystemGetDriverVersion")
    except _LostError:  # "reset required" for the whole system
        return None, {"kind": "init", "ok": False, "code": "error", "detail": "the driver asks for a reset"}
    return driver, {
        "kind": "init",
        "ok": True,
        "driver": version,
        "cuda": None if cuda is None else f"{cuda // 1000}.{cuda % 1000 // 10}",
        "count": count,
        "binding": pynvml.__file__,
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
    with contextlib.suppress(_LostError):
        driver.maybe("nvmlShutdown")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
