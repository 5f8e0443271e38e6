"""The computer around the GPUs: processor, memory, disk, battery, operating system."""

from __future__ import annotations

import contextlib
import os
import platform
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import psutil

from planner.hardware.snapshot import Host
from planner.paths import data_dir

# In what the firmware of a virtual machine says of itself.
_HYPERVISORS = (
    ("Microsoft Corporation Virtual Machine", "Hyper-V"),
    ("VMware", "VMware"),
    ("innotek", "VirtualBox"),
    ("VirtualBox", "VirtualBox"),
    ("QEMU", "QEMU"),
    ("KVM", "KVM"),
    ("Xen", "Xen"),
    ("Parallels", "Parallels"),
    ("Amazon EC2", "Amazon EC2"),
    ("Google Compute Engine", "Google Compute Engine"),
)


def cpu_name_in(cpuinfo: str) -> str | None:
    """The processor's name in the text of Linux' /proc/cpuinfo; ARM kernels often give none."""
    match = re.search(r"^(?:model name|Model)\s*:\s*(.+)$", cpuinfo, re.MULTILINE)
    return " ".join(match[1].split()) if match else None


def _cpu_name() -> str | None:
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            return cpu_name_in(Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace"))
        return None
    if sys.platform == "darwin":
        command = ["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"]
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            return subprocess.run(command, capture_output=True, text=True, timeout=2, check=True).stdout.strip()
        return None
    if sys.platform == "win32":
        import winreg

        key = r"HARDWARE\DESCRIPTION\System\CentralProcessor\0"
        with contextlib.suppress(OSError), winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, key) as opened:
            return str(winreg.QueryValueEx(opened, "ProcessorNameString")[0]).strip()
    return platform.processor() or None


def is_wsl_kernel(release: str) -> bool:
    """Whether a kernel release ("5.15.153.1-microsoft-standard-WSL2") is that of Windows' Linux subsystem."""
    return "microsoft" in release.lower()


def _os_name() -> str:
    if sys.platform == "darwin":
        return f"macOS {platform.mac_ver()[0]}"
    release = platform.release()
    if sys.platform == "linux":
        release = ".".join(release.split(".")[:2])
    return f"{platform.system()} {release}"


def _existing(folder: Path) -> Path:
    """``folder`` or the nearest folder above it that exists."""
    return next((path for path in (folder, *folder.parents) if os.path.exists(path)), Path.home())


def _battery() -> tuple[bool | None, float | None]:
    """(on battery, charge in percent); None when there is no battery or nobody says."""
    sensors_battery = getattr(psutil, "sensors_battery", None)  # not on every system
    battery = sensors_battery() if sensors_battery else None
    if battery is None:
        return None, None
    plugged = battery.power_plugged
    return (None if plugged is None else not plugged), float(battery.percent)


def board_name(root: Path = Path("/")) -> str | None:
    """The name of an NVIDIA board whose GPU is part of the processor (Jetson): no PCI bus lists it."""
    with contextlib.suppress(OSError):
        model = (root / "proc" / "device-tree" / "model").read_text(encoding="utf-8", errors="replace")
        name = model.strip("\0 \n")
        if "NVIDIA" in name or "Jetson" in name:
            return name
    return "NVIDIA Jetson" if (root / "etc" / "nv_tegra_release").exists() else None


def container_name(root: Path = Path("/"), environ: Mapping[str, str] = os.environ) -> str | None:
    """What runs this process as a container; None on a machine of its own."""
    if "KUBERNETES_SERVICE_HOST" in environ:
        return "Kubernetes"
    if (root / ".dockerenv").exists():
        return "Docker"
    if (root / "run" / ".containerenv").exists():
        return "Podman"
    kinds = {"podman": "Podman", "docker": "Docker", "lxc": "LXC"}
    if named := environ.get("container"):  # set by systemd-nspawn, LXC and Podman for their first process
        return kinds.get(named, named)
    return None


def virtual_machine_name(root: Path = Path("/")) -> str | None:
    """The hypervisor under this system, as the made-up mainboard calls itself (Linux); None: none, or not told."""
    told = []
    for file in ("sys_vendor", "product_name"):
        with contextlib.suppress(OSError):
            path = root / "sys" / "class" / "dmi" / "id" / file
            told.append(path.read_text(encoding="utf-8", errors="replace").strip())
    text = " ".join(told)
    return next((name for words, name in _HYPERVISORS if words in text), None)


def on_battery() -> bool | None:
    """Whether the battery feeds this computer now; None when it has none or nobody says."""
    return _battery()[0]


def read_host(disk_folder: Path | None = None, root: Path = Path("/")) -> Host:
    """This computer now. The disk is that of ``disk_folder`` (default: where results are kept)."""
    folder = _existing(disk_folder or data_dir())
    disk_total_bytes = disk_free_bytes = None
    with contextlib.suppress(OSError):
        usage = psutil.disk_usage(str(folder))
        disk_total_bytes, disk_free_bytes = usage.total, usage.free
    memory = psutil.virtual_memory()
    discharging, battery_percent = _battery()
    return Host(
        os_name=_os_name(),
        hostname=platform.node(),
        cpu_name=_cpu_name(),
        physical_cores=psutil.cpu_count(logical=False),
        logical_cores=psutil.cpu_count(),
        memory_total_bytes=memory.total,
        memory_free_bytes=memory.available,
        disk_path=str(folder),
        disk_total_bytes=disk_total_bytes,
        disk_free_bytes=disk_free_bytes,
        on_battery=discharging,
        battery_percent=battery_percent,
        is_wsl=sys.platform == "linux" and is_wsl_kernel(platform.release()),
        board=board_name(root),
        container=container_name(root),
        virtual_machine=virtual_machine_name(root),
    )
