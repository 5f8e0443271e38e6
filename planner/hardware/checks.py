"""The layers of detection, each judged on its own, each with one message and one action.

The system sees a card → the driver is loaded → NVML answers → a torch is there → it was built for GPUs, with code
for this one, and computes on it (torch_checks.py); then for every GPU (gpu_checks.py): it is sound → enough memory
is free → nobody else uses it → nothing holds it down. Sentences:
resources/i18n/en/check.toml, "<code>.title" and "<code>.action".
"""

from __future__ import annotations

from dataclasses import dataclass

from planner.hardware import catalogue
from planner.hardware.gpu_checks import checks_per_gpu, names_of
from planner.hardware.gpu_checks import make_check as _check
from planner.hardware.gpus import DriverReading
from planner.hardware.interpreters import best
from planner.hardware.pci import Card, listed_name
from planner.hardware.snapshot import (
    Check,
    CheckStatus,
    Host,
    Interpreter,
    Partition,
    Snapshot,
)
from planner.hardware.torch_checks import Surroundings, torch_layers

LAYERS = (
    "card", "driver", "nvml", "torch", "build", "architecture", "torch_gpu", "health", "memory", "idle", "power",
)  # fmt: skip
# A failure there is a fault, not a state.
_BROKEN_LAYERS = ("driver", "nvml", "build", "architecture", "torch_gpu", "health")
# NVIDIA's driver comes with two kernel modules: Blackwell needs the open one, which knows nothing before Turing.
_OPEN_MODULE_ONLY, _CLOSED_MODULE_ONLY = {"Blackwell"}, {"Kepler", "Maxwell", "Pascal", "Volta"}
_OK, _FAILED, _UNKNOWN, _SKIPPED = CheckStatus.OK, CheckStatus.FAILED, CheckStatus.UNKNOWN, CheckStatus.SKIPPED


@dataclass(frozen=True, slots=True)
class Findings:
    """All that was found. None: ``cards`` cannot be listed on this system, ``interpreters`` were not asked."""

    cards: tuple[Card, ...] | None
    reading: DriverReading
    host: Host
    interpreters: tuple[Interpreter, ...] | None
    variables: tuple[tuple[str, str], ...] = ()  # those of visibility.py that are set

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
    if spec is not None:
        return spec.name
    listed = listed_name(card)
    return f"{card.vendor} {listed or card.device_id}"


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
    if intel:
        return _check("card", _UNKNOWN, "intel", names=intel)
    if found.host.virtual_machine is not None:
        return _check("card", _FAILED, "none_in_machine", machine=found.host.virtual_machine)
    return _check("card", _FAILED, "none")


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
    if found.host.is_wsl:
        return _check("driver", _FAILED if found.reading.problem == "driver_not_loaded" else _UNKNOWN, "wsl")
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


def _nvml_checks(found: Findings) -> tuple[Check, ...]:
    reading = found.reading
    if reading.answered:
        return _answering_nvml_checks(reading)
    if reading.problem == "cancelled":
        return (_check("nvml", _SKIPPED, "cancelled"),)
    if found.needs_no_nvml:
        return (_check("nvml", _SKIPPED, "no_card"),)
    no_driver = reading.problem in {"driver_not_loaded", "version_mismatch", "library_missing"}
    if no_driver and _driver_check(found).status is not _OK:
        return (_check("nvml", _SKIPPED, "needs_driver"),)
    return (_check("nvml", _FAILED, _silence(found), detail=reading.detail, container=found.host.container),)


def _silence(found: Findings) -> str:
    """The code of NVML's failure; containers lose what the computer around them still has."""
    problem = str(found.reading.problem)
    if found.host.container is not None:
        without = {"library_missing": "not_given", "driver_not_loaded": "not_given", "error": "taken_away"}
        return f"container_{without[problem]}" if problem in without else problem
    return problem


def _answering_nvml_checks(reading: DriverReading) -> tuple[Check, ...]:
    """NVML was there: all the way, and for every GPU?"""
    names = names_of(reading.gpus)
    lost = [gpu for gpu in reading.gpus if gpu.lost]
    if lost:
        others = len(reading.gpus) - len(lost)
        by_reason: dict[str, list[str]] = {}
        for gpu in lost:
            by_reason.setdefault(gpu.lost_reason or "no_answer", []).append(names[gpu.index])
        codes = {"no_answer": "lost"}
        return tuple(
            _check("nvml", _FAILED, codes.get(reason, f"lost_{reason}"), names=", ".join(listed), others=others)
            for reason, listed in by_reason.items()
        )
    return (_answering_nvml_check(reading, names),)


def _answering_nvml_check(reading: DriverReading, names: dict[int, str]) -> Check:
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
    kinds = {spec.architecture for card in gone if (spec := catalogue.identify(None, card.device_id))}
    what = "missing"
    if kinds and kinds <= _OPEN_MODULE_ONLY:
        what = "missing_needs_open"
    elif kinds and kinds <= _CLOSED_MODULE_ONLY:
        what = "missing_needs_closed"
    return (_check("nvml", _FAILED, what, names=names),)


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


def _surroundings(found: Findings) -> Surroundings:
    reading = found.reading
    driver, nvml = _driver_check(found), _nvml_checks(found)[0]
    usable = [gpu for gpu in reading.gpus if not gpu.lost]
    return Surroundings(
        gpus=reading.gpus,
        cuda_driver_version=reading.cuda_driver_version,
        blocked=_FAILED in (driver.status, nvml.status) and not usable,
        has_nvidia=found.has_nvidia,
        amd_count=len(found.cards_of("AMD")),
        board=found.host.board,
        is_apple=found.is_apple,
        is_wsl=found.host.is_wsl,
        variables=dict(found.variables),
    )


def examine(found: Findings) -> tuple[Check, ...]:
    """One or more checks per layer, in the order of LAYERS."""
    return (
        _card_check(found),
        _driver_check(found),
        *_nvml_checks(found),
        *_missing_check(found),
        _torch_check(found),
        *torch_layers(_surroundings(found), found.python, found.interpreters is not None),
        *checks_per_gpu(found.reading.gpus, found.host),
    )


def is_broken(snapshot: Snapshot) -> bool:
    """Whether a driver or a GPU that is there does not work. No GPU, or a busy one: the machine is sound."""
    return any(check.layer in _BROKEN_LAYERS and check.status is CheckStatus.FAILED for check in snapshot.checks)
