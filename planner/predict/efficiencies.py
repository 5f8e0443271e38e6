"""Calibration files: how close each class of op comes to the device's limits, and how sure that is.

``resources/calibration/*.json`` hold them, each with source, licence, date and the script that made it.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

import numpy as np

from planner.paths import RESOURCES
from planner.predict.types import FORMATS, Floats
from planner.workload.job import MemoryFormat, Precision, Software
from planner.workload.optable import OP_CLASSES, PHASES

TEXTBOOK = "textbook"


@dataclass(frozen=True)
class Efficiencies:
    """One calibration file. ``flop`` and ``byte`` have shape (F, P, C): share of peak and bandwidth reached."""

    id: str
    source: str
    date: str
    devices: tuple[str, ...]  # catalogue ids it was fitted on; empty: on none
    software: Software | None
    precisions: tuple[Precision, ...]  # of the training steps it was fitted on
    flop: Floats
    byte: Floats
    launch_s: float
    host_op_s: tuple[float, float, float]
    # Standard deviation of ln(predicted / measured) on models it was not fitted to, by memory format.
    sigma_model: dict[MemoryFormat, float]
    sigma_other_device: float  # additional standard deviation on a device of another kind
    uncalibrated: Floats  # (C,) additional standard deviation of a class that had no data

    @property
    def sigma_added_by_channels_last(self) -> float:
        """What ``sigma_model`` of contiguous tensors lacks, in squares."""
        return math.sqrt(max(self.sigma_model["channels_last"] ** 2 - self.sigma_model["contiguous"] ** 2, 0.0))


def _grid(classes: dict[str, Any], limit: str) -> Floats:
    """{class: {"flop" | "byte": number or {phase: {format: number}}}} → (F, P, C)."""
    grid = np.ones((len(FORMATS), len(PHASES), len(OP_CLASSES)))
    for c, name in enumerate(OP_CLASSES):
        value = classes[name][limit]
        for p, phase in enumerate(PHASES):
            for f, memory_format in enumerate(FORMATS):
                grid[f, p, c] = value if isinstance(value, float) else value[phase][memory_format]
    return grid


@cache
def load_efficiencies(name: str) -> Efficiencies:
    """Read ``resources/calibration/<name>.json``; it holds every class and is part of the product."""
    data = json.loads((RESOURCES / "calibration" / f"{name}.json").read_text(encoding="utf-8"))
    classes = data["classes"]
    return Efficiencies(
        id=name,
        source=data["source"],
        date=data["date"],
        devices=tuple(data["devices"]),
        software=data["software"],
        precisions=tuple(data["precisions"]),
        flop=_grid(classes, "flop"),
        byte=_grid(classes, "byte"),
        launch_s=data["launch_s"],
        host_op_s=cast(tuple[float, float, float], tuple(data["host_op_s"])),
        sigma_model=data["sigma_model"],
        sigma_other_device=data["sigma_other_device"],
        uncalibrated=np.array([classes[name].get("extra_sigma", 0.0) for name in OP_CLASSES]),
    )


@cache
def efficiencies_for(device_id: str) -> Efficiencies:
    """The file fitted on this catalogue GPU, else the textbook values."""
    files = sorted((RESOURCES / "calibration").glob("*.json"))
    names = [
        file.stem for file in files if device_id in json.loads(file.read_text(encoding="utf-8")).get("devices", ())
    ]
    return load_efficiencies(names[0] if names else TEXTBOOK)
