"""The layers of detection, each judged on its own, each with one message and one action.

The system sees a card → the driver is loaded → NVML answers → a torch is there → it can use the GPU → enough
memory is free → nobody else uses the GPU. Sentences: resources/i18n/en/check.toml, "<code>.title" and
"<code>.action".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from planner.hardware import catalogue
from planner.hardware.gpus import DriverReading
from planner.hardware.interpreters import best
from planner.hardware.pci import Card
from planner.hardware.snapshot import Check, CheckStatus, Gpu, Host, Interpreter
from planner.units import format_bytes

LAYERS = ("card", "driver", "nvml", "torch", "torch_gpu", "memory", "idle")
BUSY_PERCENT = 15.0  # a desktop's own drawing stays below
FREE_SHARE_WANTED = 0.7  # a desktop and a browser take less than the rest
_OK, _FAILED, _UNKNOWN, _SKIPPED = CheckStatus.OK, CheckStatus.FAILED, CheckStatus.UNKNOWN, CheckStatus.SKIPPED
_WORST_FIRST = (_FAILED, _UNKNOWN, _OK, _SKIPPED)


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
        return self.reading.problem in {"version_mismatch", "hung", "crashed", "no_permission", "error"}

    @property
    def surely_no_nvidia(self) -> bool:
        return not (self.has_nvidia or self.scan_is_blind or self.driver_is_there)


def _check(layer: str, status: CheckStatus, what: str, /, **values: object) -> Check:
    pairs = tuple((key, str(value)) for key, value in values.items())
    return Check(layer, status, f"check.{layer}.{what}", pairs)


def _card_name(card: Card) -> str:
    spec = catalogue.identify(None, card.device_id) if card.vendor == "NVIDIA" else None
    return spec.name if spec else f"{card.vendor} {card.device_id}"


def _card_check(found: Findings) -> Check:
    names = [gpu.name for gpu in found.reading.gpus] or list(map(_card_name, found.cards_of("NVIDIA")))
    if not names and found.python is not None:
        names = [device.name for device in found.python.devices if device.kind != "cpu"]
    if names:
        return _check("card", _OK, "found", names=", ".join(names), count=len(names))
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
    if found.surely_no_nvidia:
        return _check("driver", _SKIPPED, "no_card")
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
    if found.surely_no_nvidia:
        return _check("nvml", _SKIPPED, "no_card")
    no_driver = reading.problem in {"driver_not_loaded", "version_mismatch", "library_missing"}
    if no_driver and _driver_check(found).status is not _OK:
        return _check("nvml", _SKIPPED, "needs_driver")
    return _check("nvml", _FAILED, str(reading.problem), detail=reading.detail)


def _answering_nvml_check(reading: DriverReading) -> Check:
    """NVML was there: all the way, and for every GPU?"""
    lost = [gpu.name for gpu in reading.gpus if gpu.lost]
    if lost:
        return _check("nvml", _FAILED, "lost", names=", ".join(lost), others=len(reading.gpus) - len(lost))
    if reading.problem is None:
        return _check("nvml", _OK, "answers", count=len(reading.gpus))
    if reading.problem == "cancelled":
        return _check("nvml", _SKIPPED, "cancelled")
    return _check("nvml", _FAILED, f"{reading.problem}_midway", detail=reading.detail)


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


def _torch_gpu_failure(found: Findings, python: Interpreter) -> Check:
    reading = found.reading
    gpu = next((gpu for gpu in reading.gpus if not gpu.lost), None)
    build = suggested_build(gpu.compute_capability if gpu else None, reading.cuda_driver_version)
    values = {"version": python.torch_version, "path": python.path, "build": build}
    problem = python.gpu_problem or "no_device"
    if problem == "cpu_build" and not found.has_nvidia and found.cards_of("AMD"):
        return _check("torch_gpu", _FAILED, "cpu_build_amd", **values)
    if problem == "no_kernels":
        card, capability = (gpu.name, gpu.compute_capability) if gpu else ("?", None)
        values |= {"card": card, "capability": capability or "?", "built_for": python.detail or "?"}
    driver, wanted = _major(reading.cuda_driver_version), _major(python.cuda_build)
    if problem in {"cuda_fails", "no_device"} and driver is not None and wanted is not None and driver < wanted:
        problem = "driver_too_old"
        values |= {"driver_cuda": reading.cuda_driver_version, "torch_cuda": python.cuda_build}
    elif problem == "cuda_fails" and "unknown error" in python.detail.lower():
        problem = "cuda_unknown_error"
    return _check("torch_gpu", _FAILED, problem, **values, detail=python.detail)


def _torch_gpu_check(found: Findings) -> Check:
    python = found.python
    if python is None:
        return _check("torch_gpu", _SKIPPED, "not_tried" if found.interpreters is None else "no_torch")
    names = [device.name for device in python.devices if device.kind != "cpu"]
    if names:
        return _check("torch_gpu", _OK, "usable", names=", ".join(names))
    if found.has_nvidia or found.cards_of("AMD"):
        return _torch_gpu_failure(found, python)
    return _check("torch_gpu", _SKIPPED, "no_card")


def _memory_of(gpu: Gpu) -> Check:
    free_bytes, total_bytes = gpu.memory_free_bytes, gpu.memory_total_bytes
    if free_bytes is None or total_bytes is None:
        return _check("memory", _UNKNOWN, "not_reported", name=gpu.name)
    values = {"name": gpu.name, "free": format_bytes(free_bytes), "total": format_bytes(total_bytes)}
    if gpu.memory_is_shared:
        return _check("memory", _OK, "shared", **values)
    if free_bytes < FREE_SHARE_WANTED * total_bytes:
        return _check("memory", _FAILED, "in_use", **values)
    return _check("memory", _OK, "free", **values)


def _idleness_of(gpu: Gpu) -> Check:
    percent, processes = gpu.utilisation_percent, gpu.process_count
    known = {"name": gpu.name, "percent": "?" if percent is None else f"{percent:g}"}
    if processes or (percent is not None and percent >= BUSY_PERCENT):
        return _check("idle", _FAILED, "busy", **known, processes="?" if processes is None else processes)
    if percent is None:
        return _check("idle", _UNKNOWN, "not_reported", name=gpu.name)
    return _check("idle", _OK, "idle", **known)


def _worst(layer: str, checks: Iterable[Check]) -> Check:
    """The GPU with the worst news speaks for all."""
    ranked = sorted(checks, key=lambda check: _WORST_FIRST.index(check.status))
    return ranked[0] if ranked else _check(layer, _SKIPPED, "no_gpu")


def examine(found: Findings) -> tuple[Check, ...]:
    """One Check per layer, in the order of LAYERS."""
    live = [gpu for gpu in found.reading.gpus if not gpu.lost]
    return (
        _card_check(found),
        _driver_check(found),
        _nvml_check(found),
        _torch_check(found),
        _torch_gpu_check(found),
        _worst("memory", map(_memory_of, live)),
        _worst("idle", map(_idleness_of, live)),
    )
