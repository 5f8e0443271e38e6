"""The layers of detection, each judged on its own, each with one message and one action.

The system sees a card → the driver is loaded → NVML answers → a torch is there → it can use the GPU; then for
every GPU (gpu_checks.py): enough memory is free → nobody else uses it → nothing holds it down. Sentences:
resources/i18n/en/check.toml, "<code>.title" and "<code>.action".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from planner.hardware import catalogue
from planner.hardware.gpu_checks import checks_per_gpu, names_of
from planner.hardware.gpu_checks import make_check as _check
from planner.hardware.gpus import DriverReading
from planner.hardware.interpreters import best
from planner.hardware.pci import Card
from planner.hardware.snapshot import (
    Check,
    CheckStatus,
    Host,
    Interpreter,
    Partition,
    Snapshot,
    UnusableDevice,
)

LAYERS = ("card", "driver", "nvml", "torch", "torch_gpu", "memory", "idle", "power")
_BROKEN_LAYERS = ("driver", "nvml", "torch_gpu")  # a failure there is a fault, not a state
_OK, _FAILED, _UNKNOWN, _SKIPPED = CheckStatus.OK, CheckStatus.FAILED, CheckStatus.UNKNOWN, CheckStatus.SKIPPED


@dataclass(frozen=True, slots=True)
class Findings:
    """All that was found. None: ``cards`` cannot be listed on this system, ``interpreters`` were not asked."""

    cards: tuple[Card, ...] | None
    reading: DriverReading
    host: Host
    interpreters: tuple[Interpreter, ...] | None

    @property
    def python(self) -> Interpreter | None:
        return best(self.interpreters or ())

    def cards_of(self, vendor: str) -> tuple[Card, ...]:
        return tuple(card for card in self.cards or () if card.vendor == vendor)

    @property
    def scan_is_blind(self) -> bool:
        """Whether a card could be there that the scan cannot show (WSL2 hides it behind /dev/dxg)."""
        return self.cards is None or self.host.is_wsl

    @property
    def has_nvidia(self) -> bool:
        return bool(self.reading.gpus or self.cards_of("NVIDIA"))

    @property
    def driver_is_there(self) -> bool:
        """Whether NVML's way of failing shows an NVIDIA driver, even where no card is listed (containers)."""
        problems = {"version_mismatch", "hung", "still_hung", "crashed", "no_permission", "error"}
        return self.reading.problem in problems

    @property
    def is_apple(self) -> bool:
        return self.host.os_name.startswith("macOS") and (self.host.cpu_name or "").startswith("Apple")

    @property
    def needs_no_nvml(self) -> bool:
        """Whether there is surely no card that an NVIDIA driver of the usual kind would serve."""
        if self.has_nvidia or self.driver_is_there:
            return False
        return self.is_apple or self.host.board is not None or not self.scan_is_blind


def _card_name(card: Card) -> str:
    spec = catalogue.identify(None, card.device_id) if card.vendor == "NVIDIA" else None
    return spec.name if spec else f"{card.vendor} {card.device_id}"


def _card_check(found: Findings) -> Check:
    names = [gpu.name for gpu in found.reading.gpus] or list(map(_card_name, found.cards_of("NVIDIA")))
    if not names and found.python is not None:
        names = [device.name for device in found.python.devices if device.kind != "cpu"]
    if names:
        return _check("card", _OK, "found", names=", ".join(names), count=len(names))
    if found.host.board is not None:
        return _check("card", _OK, "board", name=found.host.board)
    if found.is_apple:
        return _check("card", _OK, "apple", name=found.host.cpu_name)
    amd = ", ".join(map(_card_name, found.cards_of("AMD")))
    return _check("card", _OK, "amd", names=amd) if amd else _no_card_check(found)


def _no_card_check(found: Findings) -> Check:
    """No training card is known. "None" is said only when the scan can see and nothing speaks against it."""
    if found.driver_is_there:
        return _check("card", _UNKNOWN, "hidden")
    if found.scan_is_blind:
        return _check("card", _UNKNOWN, "wsl" if found.host.is_wsl else "not_examined", os=found.host.os_name)
    intel = ", ".join(map(_card_name, found.cards_of("Intel")))
    return _check("card", _UNKNOWN, "intel", names=intel) if intel else _check("card", _FAILED, "none")


def _driver_check(found: Findings) -> Check:
    if found.reading.answered:
        return _check("driver", _OK, "loaded", version=found.reading.driver_version or "?")
    if found.reading.problem == "version_mismatch":
        return _check("driver", _FAILED, "version_mismatch")
    if found.needs_no_nvml:
        return _check("driver", _SKIPPED, "no_card" if found.host.board is None else "board")
    return _silent_driver_check(found)


def _silent_driver_check(found: Findings) -> Check:
    """NVML told nothing and there may be a card: what the kernel and the kind of silence tell."""
    bound = sorted({card.driver for card in found.cards_of("NVIDIA") if card.driver})
    if "nvidia" in bound:
        return _check("driver", _OK, "module_loaded")
    if bound:
        return _check("driver", _FAILED, "other_driver", driver=", ".join(bound))
    if found.reading.problem == "driver_not_loaded":
        return _check("driver", _FAILED, "not_loaded")
    if found.reading.problem == "library_missing":
        return _check("driver", _FAILED if found.has_nvidia else _UNKNOWN, "not_installed")
    return _check("driver", _UNKNOWN, "not_told")


def _nvml_check(found: Findings) -> Check:
    reading = found.reading
    if reading.answered:
        return _answering_nvml_check(reading)
    if reading.problem == "cancelled":
        return _check("nvml", _SKIPPED, "cancelled")
    if found.needs_no_nvml:
        return _check("nvml", _SKIPPED, "no_card")
    no_driver = reading.problem in {"driver_not_loaded", "version_mismatch", "library_missing"}
    if no_driver and _driver_check(found).status is not _OK:
        return _check("nvml", _SKIPPED, "needs_driver")
    return _check("nvml", _FAILED, str(reading.problem), detail=reading.detail)


def _answering_nvml_check(reading: DriverReading) -> Check:
    """NVML was there: all the way, and for every GPU?"""
    names = names_of(reading.gpus)
    lost = [names[gpu.index] for gpu in reading.gpus if gpu.lost]
    if lost:
        return _check("nvml", _FAILED, "lost", names=", ".join(lost), others=len(reading.gpus) - len(lost))
    empty = [gpu for gpu in reading.gpus if gpu.partition is Partition.MIG_WITHOUT_SLICES]
    if empty:
        listed = ", ".join(names[gpu.index] for gpu in empty)
        return _check("nvml", _FAILED, "mig_without_slices", names=listed, index=empty[0].index)
    if reading.problem is None:
        return _check("nvml", _OK, "answers", count=len(reading.gpus))
    if reading.problem == "cancelled":
        return _check("nvml", _SKIPPED, "cancelled")
    return _check("nvml", _FAILED, f"{reading.problem}_midway", detail=reading.detail)


def _bus_address(text: str) -> str:
    """NVML writes "00000000:01:00.0", the system "0000:01:00.0"."""
    domain, _, rest = text.lower().partition(":")
    return f"{int(domain, 16):x}:{rest}"


def _missing_check(found: Findings) -> tuple[Check, ...]:
    """A card that NVIDIA's driver holds and does not list any more has fallen off the bus."""
    known = [gpu.pci_bus_id for gpu in found.reading.gpus]
    if not found.reading.answered or found.reading.problem is not None or None in known:
        return ()
    listed = {_bus_address(bus_id) for bus_id in known if bus_id}
    cards = [card for card in found.cards_of("NVIDIA") if card.driver == "nvidia"]
    gone = [card for card in cards if _bus_address(card.bus_id) not in listed]
    if not gone:
        return ()
    names = ", ".join(f"{_card_name(card)} ({card.bus_id})" for card in gone)
    return (_check("nvml", _FAILED, "missing", names=names),)


def _torch_check(found: Findings) -> Check:
    if found.interpreters is None:
        return _check("torch", _SKIPPED, "not_tried")
    chosen = next((one for one in found.interpreters if one.origin == "chosen" and not one.usable), None)
    if chosen is not None:
        return _check("torch", _FAILED, "chosen_unusable", path=chosen.path, detail=chosen.detail)
    python = found.python
    if python is None:
        return _check("torch", _FAILED, "none_usable", count=len(found.interpreters))
    return _check("torch", _OK, "found", version=python.torch_version, path=python.path)


def suggested_build(compute_capability: str | None, cuda_driver_version: str | None) -> str:
    """The PyTorch build ("cu126") that has code for the card and that the driver can run.

    Builds for CUDA 12.8 and later dropped Maxwell, Pascal and Volta; Blackwell needs 12.8 (PyTorch's release
    notes for 2.7 and 2.8). A build runs on a driver of the same CUDA major version.
    """
    capability = tuple(map(int, compute_capability.split("."))) if compute_capability else None
    driver = tuple(map(int, cuda_driver_version.split("."))) if cuda_driver_version else None
    if driver is not None and driver < (12, 0):
        return "cu118"
    if capability is not None and capability < (7, 5):
        return "cu126"
    if driver is not None and driver >= (13, 0):
        return "cu130"
    needs_128 = capability is not None and capability >= (10, 0)
    return "cu128" if needs_128 or (driver is not None and driver >= (12, 8)) else "cu126"


def _major(version: str | None) -> int | None:
    return int(version.split(".")[0]) if version else None


def _install_line(python: Interpreter, build: str) -> str:
    """What to type to put this build of PyTorch into this Python."""
    program = f'"{python.path}"' if " " in python.path else python.path
    return f"{program} -m pip install --force-reinstall torch --index-url https://download.pytorch.org/whl/{build}"


def _torch_values(found: Findings, python: Interpreter, capability: str | None) -> dict[str, object]:
    build = suggested_build(capability, found.reading.cuda_driver_version)
    install = _install_line(python, build)
    return {"version": python.torch_version, "path": python.path, "build": build, "install": install}


def _unusable_check(found: Findings, python: Interpreter, device: UnusableDevice) -> Check:
    """Of one card that torch sees: by the name that the driver gives it."""
    gpu = next((one for one in found.reading.gpus if one.uuid and one.uuid == device.uuid), None)
    capability = device.compute_capability or (gpu.compute_capability if gpu else None)
    return _check(
        "torch_gpu",
        _FAILED,
        device.problem,
        **_torch_values(found, python, capability),
        card=gpu.name if gpu else device.name,
        capability=capability or "?",
        built_for=device.detail or "?",
        detail=device.detail,
    )


def _torch_gpu_failure(found: Findings, python: Interpreter) -> Check:
    """No device at all."""
    reading = found.reading
    gpu = next((gpu for gpu in reading.gpus if not gpu.lost), None)
    values = _torch_values(found, python, gpu.compute_capability if gpu else None)
    problem = python.gpu_problem or "no_device"
    if problem == "cpu_build" and not found.has_nvidia and found.cards_of("AMD"):
        problem = "cpu_build_amd"
    elif problem == "cpu_build" and found.host.board is not None:
        problem = "cpu_build_board"
    driver, wanted = _major(reading.cuda_driver_version), _major(python.cuda_build)
    if problem in {"cuda_fails", "no_device"} and driver is not None and wanted is not None and driver < wanted:
        problem = "driver_too_old"
        values |= {"driver_cuda": reading.cuda_driver_version, "torch_cuda": python.cuda_build}
    elif problem == "cuda_fails" and "unknown error" in python.detail.lower():
        problem = "cuda_unknown_error"
    return _check("torch_gpu", _FAILED, problem, **values, detail=python.detail)


def _torch_gpu_checks(found: Findings) -> Iterable[Check]:
    python = found.python
    if python is None:
        return (_check("torch_gpu", _SKIPPED, "not_tried" if found.interpreters is None else "no_torch"),)
    failures = [_unusable_check(found, python, device) for device in python.unusable]
    names = [device.name for device in python.devices if device.kind != "cpu"]
    if names:
        return (_check("torch_gpu", _OK, "usable", names=", ".join(names)), *failures)
    if failures:
        return failures
    if found.has_nvidia or found.cards_of("AMD") or found.host.board is not None:
        return (_torch_gpu_failure(found, python),)
    if found.is_apple:
        values = {"version": python.torch_version, "path": python.path}
        return (_check("torch_gpu", _FAILED, "no_mps", **values),)
    return (_check("torch_gpu", _SKIPPED, "no_card"),)


def examine(found: Findings) -> tuple[Check, ...]:
    """One or more checks per layer, in the order of LAYERS."""
    return (
        _card_check(found),
        _driver_check(found),
        _nvml_check(found),
        *_missing_check(found),
        _torch_check(found),
        *_torch_gpu_checks(found),
        *checks_per_gpu(found.reading.gpus, found.host),
    )


def is_broken(snapshot: Snapshot) -> bool:
    """Whether a driver or a GPU that is there does not work. No GPU, or a busy one: the machine is sound."""
    return any(check.layer in _BROKEN_LAYERS and check.status is CheckStatus.FAILED for check in snapshot.checks)
