"""The devices torch can compute on: how each is timed, how much memory is free, what it calls itself."""

from __future__ import annotations

import gc
import os
import platform
import time
from typing import Any, Callable

import torch

KINDS = ("cuda", "xpu", "mps", "cpu")  # the order in which "auto" prefers them
# A GPU's last-level cache where torch does not tell: that of an RTX 4090, the largest among desktop cards.
_CACHE_BYTES = 72 << 20
_SPIN_CYCLES = 2_000_000  # about a millisecond: long beside a launch, short beside a block
_SLOWEST_CLOCK_HZ, _FASTEST_CLOCK_HZ = 1e8, 4e9
_OUT_OF_MEMORY = ("out of memory", "can't allocate memory", "not enough memory", "alloc_failed")


class DeviceError(Exception):
    """The device cannot be used. ``code``: device_missing or device_fails."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail


class Device:
    """A device timed by the host's clock: the CPU, and the base of all others."""

    kind = "cpu"
    name = "CPU"
    cache_bytes = 0  # inputs are rotated to defeat caches of this size; a CPU's caches serve training too
    uuid: str | None = None
    sm_count: int | None = None

    def synchronize(self) -> None:
        """Wait for all queued work."""

    def now(self) -> float:
        """Seconds on the clock that ``time_calls`` measures with."""
        return time.perf_counter()

    def time_calls(self, call: Callable[[], Any], count: int) -> float:
        """Seconds that ``count`` calls take, the last one finished."""
        self.synchronize()
        began_s = time.perf_counter()
        for _ in range(count):
            call()
        self.synchronize()
        return max(time.perf_counter() - began_s, 1e-9)

    def free_bytes(self) -> int | None:
        """Memory that could be had now; None when the system does not tell."""
        return _available_memory_bytes()

    def memory_bytes(self) -> int | None:
        """All of the device's memory."""
        return _physical_memory_bytes()

    def clock_hz(self) -> float | None:
        """How fast the device's processors run now; None when it does not tell."""
        return None

    def release(self) -> None:
        """Give back what the last probe left."""
        gc.collect()

    def is_out_of_memory(self, error: BaseException) -> bool:
        if isinstance(error, (MemoryError, torch.cuda.OutOfMemoryError)):
            return True
        return isinstance(error, RuntimeError) and any(words in str(error).lower() for words in _OUT_OF_MEMORY)

    def is_alive(self) -> bool:
        """Whether it still computes: after some errors nothing works in this process any more."""
        try:
            return float(torch.ones(64, device=self.kind).sum().item()) == 64.0
        except RuntimeError:
            return False


class Cpu(Device):
    def __init__(self) -> None:
        self.name = _cpu_name()


class Cuda(Device):
    """NVIDIA, or AMD under ROCm. Timed by events, which see the device's clock and not the host's waiting."""

    kind = "cuda"

    def __init__(self) -> None:
        torch.cuda.init()
        properties = torch.cuda.get_device_properties(0)
        self.name = str(properties.name)
        self.uuid = str(getattr(properties, "uuid", "") or "") or None  # torch ≥ 2.5
        self.sm_count = int(properties.multi_processor_count)
        self.cache_bytes = int(getattr(properties, "L2_cache_size", 0) or _CACHE_BYTES)

    def synchronize(self) -> None:
        torch.cuda.synchronize()

    def time_calls(self, call: Callable[[], Any], count: int) -> float:
        first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        self.synchronize()
        first.record()
        for _ in range(count):
            call()
        last.record()
        last.synchronize()
        return max(first.elapsed_time(last) / 1e3, 1e-9)

    def clock_hz(self) -> float | None:
        # torch's own kernel for tests of streams: it spins for a number of cycles of the processors' clock. Under
        # ROCm it counts another clock.
        spin = getattr(torch.cuda, "_sleep", None)
        if spin is None or torch.version.cuda is None:
            return None
        hertz = _SPIN_CYCLES / self.time_calls(lambda: spin(_SPIN_CYCLES), 1)
        return hertz if _SLOWEST_CLOCK_HZ < hertz < _FASTEST_CLOCK_HZ else None

    def free_bytes(self) -> int | None:
        return int(torch.cuda.mem_get_info()[0])

    def memory_bytes(self) -> int | None:
        return int(torch.cuda.get_device_properties(0).total_memory)

    def release(self) -> None:
        gc.collect()
        torch.cuda.empty_cache()


class Xpu(Device):
    """Intel."""

    kind = "xpu"
    cache_bytes = _CACHE_BYTES

    def __init__(self) -> None:
        self.name = str(torch.xpu.get_device_name(0))
        self._properties = torch.xpu.get_device_properties(0)

    def synchronize(self) -> None:
        torch.xpu.synchronize()

    def free_bytes(self) -> int | None:
        total_bytes = self.memory_bytes()
        return None if total_bytes is None else total_bytes - int(torch.xpu.memory_allocated())

    def memory_bytes(self) -> int | None:
        return int(getattr(self._properties, "total_memory", 0)) or None

    def release(self) -> None:
        gc.collect()
        torch.xpu.empty_cache()


class Mps(Device):
    """Apple. Its memory is the host's."""

    kind = "mps"
    name = "Apple GPU"
    cache_bytes = 32 << 20

    def __init__(self) -> None:
        self.name = f"Apple GPU ({_cpu_name()})"

    def synchronize(self) -> None:
        torch.mps.synchronize()

    def release(self) -> None:
        gc.collect()
        torch.mps.empty_cache()


def _is_there(kind: str) -> bool:
    if kind == "cuda":
        return bool(torch.cuda.is_available())
    if kind == "xpu":
        return hasattr(torch, "xpu") and bool(torch.xpu.is_available())
    if kind == "mps":
        return bool(torch.backends.mps.is_available())
    return True


def open_device(wanted: str) -> Device:
    """The first device of a kind ("auto": the first kind that is there), shown to work. Raises DeviceError."""
    kind = next(filter(_is_there, KINDS)) if wanted == "auto" else wanted
    # torch.cuda.init() says what is wrong with CUDA, is_available() only that something is.
    if kind != "cuda" and not _is_there(kind):
        raise DeviceError("device_missing", kind)
    opener: dict[str, Callable[[], Device]] = {"cpu": Cpu, "cuda": Cuda, "xpu": Xpu, "mps": Mps}
    try:
        device = opener[kind]()
    except (RuntimeError, AssertionError) as error:  # AssertionError: torch was built without CUDA
        raise DeviceError("device_missing", f"{kind}: {error}") from error
    if not device.is_alive():
        raise DeviceError("device_fails", device.name)
    return device


def _cpu_name() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:  # not Linux
        pass
    return platform.processor() or platform.machine()


def _available_memory_bytes() -> int | None:
    try:
        with open("/proc/meminfo", encoding="ascii", errors="replace") as file:
            for line in file:
                if line.startswith("MemAvailable"):
                    return int(line.split()[1]) * 1024
    except OSError:  # not Linux
        pass
    return None


def _physical_memory_bytes() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows has no sysconf
        return None
