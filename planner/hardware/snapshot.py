"""What this machine is, frozen at one moment. Every field that a driver may refuse is optional: None is "N/A"."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class PcieLink:
    """PCI Express link of one device: generation and lane count, now and at most."""

    generation: int | None = None
    width: int | None = None
    max_generation: int | None = None
    max_width: int | None = None


@dataclass(frozen=True, slots=True)
class GpuProcess:
    """A program that computes on a GPU. Windows' driver hides the memory, containers hide the name."""

    pid: int
    name: str | None = None
    memory_bytes: int | None = None


class Partition(StrEnum):
    """What a GPU is a part of, or is parted into."""

    WHOLE = "whole"
    MIG_SLICE = "mig_slice"  # a fixed part of a data-centre card
    MIG_WITHOUT_SLICES = "mig_without_slices"  # parted, but no part was made: nothing can compute on it
    VIRTUAL = "virtual"  # a hypervisor's share (vGPU)


@dataclass(frozen=True, slots=True)
class Gpu:
    """One GPU as NVML reports it."""

    index: int  # NVML index: for display only, devices are matched by UUID
    uuid: str | None
    name: str
    memory_total_bytes: int | None = None
    memory_free_bytes: int | None = None
    memory_is_shared: bool = False  # unified memory (GB10, Jetson): the host's memory is the GPU's
    compute_capability: str | None = None  # "8.6"
    pci_bus_id: str | None = None
    pci_device_id: str | None = None  # four hex digits, e.g. "2204"
    pcie: PcieLink = PcieLink()
    power_limit_w: float | None = None
    power_limit_default_w: float | None = None
    power_draw_w: float | None = None
    temperature_c: float | None = None
    utilisation_percent: float | None = None
    sm_clock_mhz: float | None = None
    memory_clock_mhz: float | None = None
    process_count: int | None = None
    display_active: bool | None = None
    lost: bool = False  # the driver knew it, then stopped answering for it
    catalogue_id: str | None = None  # id in resources/gpus/gpus.csv, None when it is not there
    processes: tuple[GpuProcess, ...] = ()  # those that compute; see process_count for "not known"
    process_list_is_wrong: bool = False  # the driver's list was rubbish and is left out
    partition: Partition = Partition.WHOLE
    driver_model: str | None = None  # Windows: "wddm" (drives the desktop), "tcc", "mcdm"
    max_sm_clock_mhz: float | None = None
    performance_state: int | None = None  # 0 is fastest
    throttle_reasons: int | None = None  # NVML's bit mask, see throttle.py
    lost_reason: str | None = None  # "no_answer", "reset", "power_cable", "no_permission"; None unless lost
    compute_mode: str | None = None  # "shared", "exclusive" (one program at a time), "prohibited"
    memory_errors: int | None = None  # uncorrectable ones (ECC) since the driver was loaded
    memory_repair_pending: bool | None = None  # bad rows or pages are replaced at the next reset
    memory_repair_failed: bool | None = None  # no spare rows are left
    licensed: bool | None = None  # of a virtual GPU: without a licence it is slowed down

    @property
    def is_part(self) -> bool:
        """Whether it is less than the card of the data sheet."""
        return self.partition in (Partition.MIG_SLICE, Partition.VIRTUAL)


@dataclass(frozen=True, slots=True)
class Host:
    """The computer around the GPUs."""

    os_name: str  # "Linux 6.1", "Windows 11"
    hostname: str
    cpu_name: str | None
    physical_cores: int | None
    logical_cores: int | None
    memory_total_bytes: int
    memory_free_bytes: int
    disk_path: str
    disk_total_bytes: int | None
    disk_free_bytes: int | None
    on_battery: bool | None  # None: no battery, or not known
    battery_percent: float | None
    is_wsl: bool = False
    board: str | None = None  # of a single-board computer with a GPU of its own: "NVIDIA Jetson Orin Nano"
    container: str | None = None  # what runs this as a container: "Docker", "Podman", "Kubernetes", …
    virtual_machine: str | None = None  # the hypervisor's name for this machine: "QEMU", "Hyper-V", …


@dataclass(frozen=True, slots=True)
class TorchDevice:
    """One device that a Python's torch can use."""

    kind: str  # "cuda", "mps", "xpu", "cpu"
    index: int
    name: str
    uuid: str | None = None
    memory_total_bytes: int | None = None
    compute_capability: str | None = None
    sm_count: int | None = None


@dataclass(frozen=True, slots=True)
class UnusableDevice:
    """A device that a Python's torch sees and cannot use. ``problem``: "no_kernels" or "smoke_failed"."""

    name: str
    problem: str
    detail: str = ""
    compute_capability: str | None = None
    uuid: str | None = None


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python that may run the benchmark, and what its torch can do."""

    path: str
    origin: str  # code: "app", "venv", "conda", "pyenv", "system", "chosen"
    python_version: str | None = None
    torch_version: str | None = None
    cuda_build: str | None = None  # "12.8", None for a CPU build
    devices: tuple[TorchDevice, ...] = ()
    problem: str | None = None  # message code, e.g. "torch_missing"; None when it can run the benchmark
    gpu_problem: str | None = None  # code: why its torch cannot use the GPU, e.g. "cpu_build"
    detail: str = ""  # the exception's last line
    unusable: tuple[UnusableDevice, ...] = ()
    hip_build: str | None = None  # "6.4" of a ROCm build
    arch_list: tuple[str, ...] = ()  # "sm_86", "gfx1100": what the build has code for

    @property
    def usable(self) -> bool:
        return self.problem is None

    @property
    def has_gpu(self) -> bool:
        return any(device.kind != "cpu" for device in self.devices)


class CheckStatus(StrEnum):
    OK = "ok"
    FAILED = "failed"
    UNKNOWN = "unknown"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Check:
    """One layer of detection, with the code of its message; the UI turns codes into sentences.

    ``layer``: one of planner.hardware.checks.LAYERS.
    ``code``: message key below ``check.<layer>``, e.g. "check.driver.not_loaded".
    ``values``: what the message's placeholders need.
    """

    layer: str
    status: CheckStatus
    code: str
    values: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The whole machine at ``taken_at`` (ISO 8601, UTC)."""

    taken_at: str
    host: Host
    gpus: tuple[Gpu, ...] = ()
    driver_version: str | None = None
    cuda_driver_version: str | None = None  # highest CUDA the driver supports, "12.8"
    checks: tuple[Check, ...] = ()
    interpreters: tuple[Interpreter, ...] = ()
    binding: str | None = None  # the Python packages that own the module pynvml, for reports of faults
