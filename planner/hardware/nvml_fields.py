"""What is asked of the driver about one GPU, group by group. Used by the child in nvml.py only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

_MAX_PID = 1 << 22  # Linux' upper limit; a larger one means that binding and driver disagree on the layout
_DRIVER_MODELS = {0: "wddm", 1: "tcc", 2: "mcdm"}
_MODE_VGPU = 2  # NVML_GPU_VIRTUALIZATION_MODE_VGPU
_COMPUTE_MODES = {0: "shared", 1: "exclusive", 2: "prohibited", 3: "exclusive"}
_UNCORRECTED, _SINCE_DRIVER_LOAD = 1, 0  # NVML_MEMORY_ERROR_TYPE_UNCORRECTED, NVML_VOLATILE_ECC


class LostError(Exception):
    """The driver no longer answers for this GPU. ``code``: NVML's error number."""

    def __init__(self, code: int | None = None) -> None:
        self.code = code
        super().__init__(code)


class RefusedError(Exception):
    """The driver is there but does not tell this. ``code``: NVML's error number, None: no such function."""

    def __init__(self, code: int | None = None) -> None:
        self.code = code
        super().__init__(code)


class Driver:
    """``pynvml`` with its three ways of failing turned into two: refused and lost."""

    def __init__(self, pynvml: ModuleType) -> None:
        self.nvml = pynvml
        self._lost_codes = {pynvml.NVML_ERROR_GPU_IS_LOST, pynvml.NVML_ERROR_RESET_REQUIRED}

    def ask(self, function: str, *arguments: Any) -> Any:
        """Call one NVML function. Raises RefusedError or LostError."""
        call = getattr(self.nvml, function, None)
        if call is None:  # a binding older than the function
            raise RefusedError
        try:
            return call(*arguments)
        except self.nvml.NVMLError as error:
            raise (LostError if error.value in self._lost_codes else RefusedError)(error.value) from None
        except self.nvml.NVMLLibraryMismatchError:  # not an NVMLError: the driver lacks the symbol
            raise RefusedError from None

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
        """The answer, or None when the driver refuses it. Raises LostError."""
        try:
            return self.ask(function, *arguments)
        except RefusedError:
            return None


def why_lost(driver: Driver, error: LostError | RefusedError) -> str:
    """What an error says about a GPU that does not answer, as in Gpu.lost_reason."""
    reasons = {
        driver.nvml.NVML_ERROR_RESET_REQUIRED: "reset",
        driver.nvml.NVML_ERROR_INSUFFICIENT_POWER: "power_cable",
        driver.nvml.NVML_ERROR_NO_PERMISSION: "no_permission",
    }
    return reasons.get(error.code, "no_answer")


def _scaled(value: Any, factor: float) -> float | None:
    return None if value is None else value * factor


def identity(driver: Driver, handle: Any) -> dict[str, Any]:
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


def _partition(driver: Driver, handle: Any) -> dict[str, Any]:
    """Asked of whole cards only."""
    if driver.maybe("nvmlDeviceGetVirtualizationMode", handle) == _MODE_VGPU:
        return {"partition": "virtual"}
    mode = driver.maybe("nvmlDeviceGetMigMode", handle)
    if mode is None or not mode[0]:
        return {"partition": "whole"}
    parted = next(mig_slices(driver, handle), None) is not None
    return {"partition": "parted" if parted else "mig_without_slices"}


def mig_slices(driver: Driver, handle: Any) -> Iterator[Any]:
    """Handles of a card's MIG slices; their numbers may have gaps."""
    for number in range(driver.maybe("nvmlDeviceGetMaxMigDeviceCount", handle) or 0):
        part = driver.maybe("nvmlDeviceGetMigDeviceHandleByIndex", handle, number)
        if part is not None:
            yield part


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
        "performance_state": driver.maybe("nvmlDeviceGetPerformanceState", handle),
        "throttle_reasons": _throttle_reasons(driver, handle),
    }


def _throttle_reasons(driver: Driver, handle: Any) -> int | None:
    """NVML's bit mask (test bits with &)."""
    reasons = driver.maybe("nvmlDeviceGetCurrentClocksEventReasons", handle)
    if reasons is None:  # the name before driver 535
        reasons = driver.maybe("nvmlDeviceGetCurrentClocksThrottleReasons", handle)
    return None if reasons is None else int(reasons)


def _limits(driver: Driver, handle: Any) -> dict[str, Any]:
    model = driver.maybe("nvmlDeviceGetDriverModel", handle)
    return {
        "max_sm_clock_mhz": driver.maybe("nvmlDeviceGetMaxClockInfo", handle, driver.nvml.NVML_CLOCK_SM),
        "driver_model": None if model is None else _DRIVER_MODELS.get(model[0]),
    }


def _is_rubbish(process: Any, total_bytes: int | None) -> bool:
    """Some driver releases fill rows of another layout: process numbers and sizes then trade places."""
    too_much = None not in (process.usedGpuMemory, total_bytes) and process.usedGpuMemory > total_bytes
    return too_much or not 0 < process.pid <= _MAX_PID


def _process_name(pid: int) -> str | None:
    """None: another's, or outside of this container."""
    import psutil

    try:
        return psutil.Process(pid).name()
    except psutil.Error:
        return None


def _use(driver: Driver, handle: Any) -> dict[str, Any]:
    display = driver.maybe("nvmlDeviceGetDisplayActive", handle)
    processes = driver.maybe("nvmlDeviceGetComputeRunningProcesses", handle)
    memory = _memory_answer(driver, handle) if processes else None
    wrong = processes is not None and any(
        _is_rubbish(process, None if memory is None else memory.total) for process in processes
    )
    known = [] if wrong or processes is None else processes
    return {
        "display_active": None if display is None else bool(display),
        "process_count": None if wrong or processes is None else len(processes),
        "process_list_is_wrong": wrong,
        "processes": [
            {"pid": one.pid, "name": _process_name(one.pid), "memory_bytes": one.usedGpuMemory} for one in known
        ],
    }


def _is_licensed(driver: Driver, handle: Any) -> bool | None:
    """None: nothing here needs a licence, or nobody tells."""
    known = driver.maybe("nvmlDeviceGetGridLicensableFeatures", handle)
    if known is None or not known.isGridLicenseSupported:
        return None
    features = known.gridLicensableFeatures[: known.licensableFeaturesCount]
    return any(feature.featureState for feature in features) if features else None


def _health(driver: Driver, handle: Any) -> dict[str, Any]:
    """What keeps programs off a GPU that otherwise answers."""
    rows = driver.maybe("nvmlDeviceGetRemappedRows", handle)  # since Ampere; before, pages were retired
    pending = driver.maybe("nvmlDeviceGetRetiredPagesPendingStatus", handle) if rows is None else rows[2]
    mode = driver.maybe("nvmlDeviceGetComputeMode", handle)
    errors = driver.maybe("nvmlDeviceGetTotalEccErrors", handle, _UNCORRECTED, _SINCE_DRIVER_LOAD)
    return {
        "compute_mode": None if mode is None else _COMPUTE_MODES.get(mode),
        "memory_errors": errors,
        "memory_repair_pending": None if pending is None else bool(pending),
        "memory_repair_failed": None if rows is None else bool(rows[3]),
        "licensed": _is_licensed(driver, handle),
    }


GROUPS: dict[str, Callable[[Driver, Any], dict[str, Any]]] = {
    "identity": identity,
    "partition": _partition,
    "memory": _memory,
    "compute": _compute,
    "pcie": _pcie,
    "power": _power,
    "load": _load,
    "limits": _limits,
    "use": _use,
    "health": _health,
}


def sample(driver: Driver, handle: Any) -> dict[str, Any]:
    """One telemetry reading. The power limit and the PCIe link change under load (Dynamic Boost, P-states)."""
    memory = _memory_answer(driver, handle)
    limit_w = _scaled(driver.maybe("nvmlDeviceGetEnforcedPowerLimit", handle), 1e-3)
    return {
        **_load(driver, handle),
        "memory_used_bytes": None if memory is None else memory.used,
        "power_limit_w": limit_w,
        "pcie_generation": driver.maybe("nvmlDeviceGetCurrPcieLinkGeneration", handle),
        "pcie_width": driver.maybe("nvmlDeviceGetCurrPcieLinkWidth", handle),
    }
