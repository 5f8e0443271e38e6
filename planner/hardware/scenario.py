"""A detected machine as a scenario of the NVML mock: what a user sends with a bug report becomes a test.

Serial numbers (UUIDs), names of users, of computers, of programs and of folders are left out. The format is told
in tests/nvml_mock/nvml_mock.c.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from planner.hardware.snapshot import Gpu, Partition, Snapshot
from planner.units import MIB

_INIT_ERRORS = {"driver_not_loaded": 9, "version_mismatch": 18, "no_permission": 4, "error": 999}
_LOST = 15  # NVML_ERROR_GPU_IS_LOST
_LOST_CODES = {"no_permission": 4, "power_cable": 8, "reset": 16}
_COMPUTE_MODES = {"shared": 0, "prohibited": 2, "exclusive": 3}
_DRIVER_MODELS = {"wddm": 0, "tcc": 1, "mcdm": 2}
_MODE_VGPU = 2
_IMPOSSIBLE_PID = 1 << 30


def _text(value: str) -> str:
    """Characters that end a line, begin a comment or are not ASCII as the bytes \\xNN."""
    plain = (chr(byte) if 32 <= byte < 127 and byte not in b"#\\" else f"\\x{byte:02x}" for byte in value.encode())
    return "".join(plain)


def _lines(pairs: Iterable[tuple[str, object]]) -> Iterator[str]:
    for key, value in pairs:
        if isinstance(value, bool):
            yield f"{key} = {int(value)}"
        elif isinstance(value, float):
            yield f"{key} = {value:.10g}"
        elif value is not None:
            yield f"{key} = {value}"


def _memory(gpu: Gpu) -> list[tuple[str, object]]:
    total, free = gpu.memory_total_bytes, gpu.memory_free_bytes
    if gpu.memory_is_shared or total is None or free is None:
        return []
    return [("memory_total_mib", total / MIB), ("memory_used_mib", (total - free) / MIB)]


def _processes(gpu: Gpu) -> list[tuple[str, object]]:
    if gpu.process_list_is_wrong:
        return [("process_count", 1), ("process_pid", _IMPOSSIBLE_PID)]
    return [("process_count", gpu.process_count)]


def _made_up_uuid(gpu: Gpu) -> str | None:
    prefix = "MIG" if gpu.partition is Partition.MIG_SLICE else "GPU"
    return f"{prefix}-00000000-0000-4000-8000-{gpu.index:012d}" if gpu.uuid else None


def _section(gpu: Gpu) -> list[str]:
    """The keys of one GPU or slice."""
    model = _DRIVER_MODELS.get(gpu.driver_model or "")
    return list(
        _lines(
            [
                ("uuid", _made_up_uuid(gpu)),
                ("name", _text(gpu.name)),
                ("pci_bus_id", gpu.pci_bus_id),
                ("pci_device_id", gpu.pci_device_id),
                ("compute_capability", gpu.compute_capability),
                *_memory(gpu),
                ("pcie_generation", gpu.pcie.generation),
                ("pcie_width", gpu.pcie.width),
                ("pcie_max_generation", gpu.pcie.max_generation),
                ("pcie_max_width", gpu.pcie.max_width),
                ("power_limit_w", gpu.power_limit_w),
                ("power_limit_default_w", gpu.power_limit_default_w),
                ("power_w", gpu.power_draw_w),
                ("temperature_c", gpu.temperature_c),
                ("utilisation_percent", gpu.utilisation_percent),
                ("sm_clock_mhz", gpu.sm_clock_mhz),
                ("max_sm_clock_mhz", gpu.max_sm_clock_mhz),
                ("memory_clock_mhz", gpu.memory_clock_mhz),
                ("performance_state", gpu.performance_state),
                ("throttle_reasons", gpu.throttle_reasons),
                ("display_active", gpu.display_active),
                *_processes(gpu),
                ("driver_model", model),
                ("virtualization_mode", _MODE_VGPU if gpu.partition is Partition.VIRTUAL else None),
                ("mig", True if gpu.partition is Partition.MIG_WITHOUT_SLICES else None),
                ("compute_mode", _COMPUTE_MODES.get(gpu.compute_mode or "")),
                ("ecc_uncorrected", gpu.memory_errors),
                ("remap_pending", gpu.memory_repair_pending),
                ("remap_failed", gpu.memory_repair_failed),
                ("licensed", gpu.licensed),
                ("fail.all", _LOST_CODES.get(gpu.lost_reason or "", _LOST) if gpu.lost else None),
            ]
        )
    )


def _about(snapshot: Snapshot) -> Iterator[str]:
    """Comments: what the mock cannot play, and what was made of it all."""
    host = snapshot.host
    yield "# A machine as GPU Planner detected it. Serial numbers and names of people and folders are left out."
    system = _text(host.os_name) + (", WSL" if host.is_wsl else "")
    yield f"# {snapshot.taken_at}, {system}, {_text(host.board or 'PC')}"
    yield f"# binding: {_text(snapshot.binding or '?')}"
    for python in snapshot.interpreters:
        what = (python.problem, python.gpu_problem, *(f"{one.name}: {one.problem}" for one in python.unusable))
        told = ", ".join(_text(text) for text in what if text)
        versions = f"Python {python.python_version}, torch {python.torch_version}, CUDA {python.cuda_build}"
        yield f"# {versions}: {told or 'fine'}"
    for check in snapshot.checks:
        yield f"# {check.status.value}: {check.code}"


def _init_trouble(snapshot: Snapshot) -> list[str]:
    """How NVML failed at its start."""
    for check in snapshot.checks:
        what = check.code.removeprefix("check.nvml.")
        if what in ("hung", "still_hung"):
            return ["hang = nvmlInitWithFlags"]
        if what == "crashed":
            return ["crash = nvmlInitWithFlags"]
        what = check.code.rpartition(".")[2]
        if check.layer in ("driver", "nvml") and what.replace("not_loaded", "driver_not_loaded") in _INIT_ERRORS:
            return [f"fail.nvmlInitWithFlags = {_INIT_ERRORS[what.replace('not_loaded', 'driver_not_loaded')]}"]
    return []


def scenario_of(snapshot: Snapshot) -> str:
    """The machine as text. Played on the mock, detection finds the same GPUs under other UUIDs."""
    cuda = snapshot.cuda_driver_version
    major, _, minor = (cuda or "").partition(".")
    lines = [*_about(snapshot)]
    if snapshot.driver_version is None and not snapshot.gpus:
        lines += _init_trouble(snapshot)
    lines += _lines(
        [("driver", snapshot.driver_version), ("cuda", f"{1000 * int(major) + 10 * int(minor)}" if cuda else None)]
    )
    whole = [gpu for gpu in snapshot.gpus if gpu.partition is not Partition.MIG_SLICE]
    for gpu in whole:
        lines += ["[gpu]", *_section(gpu)]
    slices = [gpu for gpu in snapshot.gpus if gpu.partition is Partition.MIG_SLICE]
    if slices:  # the card they are parts of does not appear in a snapshot
        lines += ["[gpu]", "name = parted card", "mig = 1"]
        for gpu in slices:
            lines += ["[mig]", *_section(gpu)]
    return "\n".join(lines) + "\n"
