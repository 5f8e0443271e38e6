"""Which graphics cards the operating system sees, whether or not a driver works."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

SYSFS_PCI = Path("/sys/bus/pci/devices")
VENDORS = {0x10DE: "NVIDIA", 0x1002: "AMD", 0x8086: "Intel"}
PCI_IDS = (Path("/usr/share/hwdata/pci.ids"), Path("/usr/share/misc/pci.ids"))
_DISPLAY_CLASS = 0x03  # PCI base class "display controller": VGA (0300), 3D without outputs (0302)


@dataclass(frozen=True, slots=True)
class Card:
    """One display controller. ``driver`` is the kernel module bound to it, None when there is none."""

    bus_id: str  # "0000:01:00.0"
    vendor: str  # "NVIDIA", "AMD" or "Intel"
    device_id: str  # four hex digits, upper case
    driver: str | None = None  # "nvidia", "nouveau", "vfio-pci", "amdgpu", …


def listed_name(card: Card, lists: Sequence[Path] = PCI_IDS) -> str | None:
    """The name in the system's own list of PCI devices (hwdata, pciutils): "Navi 31 [Radeon RX 7900 XT/XTX]"."""
    vendor = next((f"{number:04x}" for number, name in VENDORS.items() if name == card.vendor), "")
    device = f"\t{card.device_id.lower()}  "
    for file in lists:
        try:
            lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            continue
        inside = False
        for line in lines:
            if line[:1].strip() and not line.startswith("#"):  # a vendor's line begins at the margin
                inside = line.startswith(f"{vendor}  ")
            elif inside and line.startswith(device):
                return line[len(device) :].strip()
    return None


def _hexadecimal(file: Path) -> int | None:
    """The number in a sysfs file; None for a device that was unplugged while we looked."""
    try:
        return int(file.read_text(encoding="ascii").strip(), 16)
    except (OSError, ValueError):
        return None


def _card(device: Path) -> Card | None:
    vendor, device_id, kind = (_hexadecimal(device / name) for name in ("vendor", "device", "class"))
    if vendor not in VENDORS or device_id is None or kind is None or kind >> 16 != _DISPLAY_CLASS:
        return None
    driver = device / "driver"
    return Card(
        bus_id=device.name,
        vendor=VENDORS[vendor],
        device_id=f"{device_id:04X}",
        driver=driver.resolve().name if driver.exists() else None,
    )


def scan_cards(root: Path = SYSFS_PCI) -> tuple[Card, ...] | None:
    """Every NVIDIA, AMD or Intel display controller; None where the system cannot be asked this way."""
    try:
        devices = sorted(root.iterdir())
    except OSError:  # no sysfs: Windows, macOS, some containers
        return None
    return tuple(card for card in map(_card, devices) if card is not None)
