"""Environment variables that hide GPUs from programs, and what a value of them shows.

CUDA reads its variable like this: numbers or beginnings of UUIDs, separated by commas; the first that names no
GPU ends the list, and a GPU named twice makes the list empty (CUDA C++ Programming Guide, "CUDA Environment
Variables"). ROCm's two variables are read alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

CUDA_VARIABLE = "CUDA_VISIBLE_DEVICES"
AMD_VARIABLES = ("HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", CUDA_VARIABLE)  # ROCm honours CUDA's, too
INTEL_VARIABLE = "ZE_AFFINITY_MASK"
VARIABLES = ("NVIDIA_VISIBLE_DEVICES", CUDA_VARIABLE, *AMD_VARIABLES[:2], INTEL_VARIABLE)


@dataclass(frozen=True, slots=True)
class Shown:
    """``indices`` of the GPUs that a value shows. ``fault``: "" or why it shows fewer than it names: "empty",
    "repeated", "unknown"."""

    indices: tuple[int, ...]
    fault: str = ""


def shown(value: str, uuids: Sequence[str | None]) -> Shown:
    """What ``value`` shows of GPUs with these UUIDs, in the order of the PCI bus."""
    names = [name.strip() for name in value.split(",")]
    if not value.strip() or names[0] in ("-1", "NoDevFiles", "void", "none"):
        return Shown((), "empty")
    indices: list[int] = []
    for name in names:
        index = _index(name, uuids)
        if index is None:
            return Shown(tuple(indices), "" if name == "-1" else "unknown")
        if index in indices:
            return Shown((), "repeated")
        indices.append(index)
    return Shown(tuple(indices))


def _index(name: str, uuids: Sequence[str | None]) -> int | None:
    """The GPU that one item of the list names."""
    if name.isdigit():
        return int(name) if int(name) < len(uuids) else None
    alike = [index for index, uuid in enumerate(uuids) if name and uuid and uuid.lower().startswith(name.lower())]
    return alike[0] if len(alike) == 1 else None


def of_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables that are set, also to nothing."""
    return {name: environ[name] for name in VARIABLES if name in environ}
