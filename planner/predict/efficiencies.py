"""Calibration files: how close each kind of op comes to the device's limits, and how sure that is.

``resources/calibration/*.json`` hold them, each with source, licence, date and the script that made it.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

import numpy as np

from planner.paths import RESOURCES
from planner.predict.kernel_time import ShapeTerms
from planner.predict.types import FORMATS, Floats
from planner.workload.job import MemoryFormat, Mode, Precision, Software
from planner.workload.optable import KINDS, PHASES

TEXTBOOK = "textbook"
_FOLDER = RESOURCES / "calibration"


@dataclass(frozen=True)
class Efficiencies:
    """One GPU at one level of software. ``flop`` and ``byte``, (F, P, K): share of peak and bandwidth reached."""

    source: str
    date: str
    devices: tuple[str, ...]  # catalogue ids it was fitted on; empty: on none
    architectures: tuple[str, ...]  # of GPUs that it serves best, beside those
    software: Software | None  # None: any
    mode: Mode | None  # of the steps it was fitted on; None: on none
    precisions: tuple[Precision, ...]
    flop: Floats
    byte: Floats
    shape: ShapeTerms
    launch_s: float
    host_op_s: tuple[float, float, float]
    # Standard deviation of ln(predicted / measured) on models it was not fitted to, by memory format.
    sigma_model: dict[MemoryFormat, float]
    sigma_by_kind: Floats  # (F, K) additional standard deviation, by share of the step
    sigma_other_device: float  # additional standard deviation on a device of another kind
    sigma_anchored: float  # of ratios to the RTX 3090, where a step was measured on one of them

    @property
    def sigma_added_by_channels_last(self) -> float:
        """What ``sigma_model`` of contiguous tensors lacks, in squares."""
        return math.sqrt(max(self.sigma_model["channels_last"] ** 2 - self.sigma_model["contiguous"] ** 2, 0.0))


def _grid(kinds: dict[str, Any], limit: str) -> Floats:
    """{kind: {"flop" | "byte": number or {phase: one number per format}}} → (F, P, K)."""
    grid = np.ones((len(FORMATS), len(PHASES), len(KINDS)))
    for k, name in enumerate(KINDS):
        value = kinds[name].get(limit, 1.0)
        for p, phase in enumerate(PHASES):
            grid[:, p, k] = value if isinstance(value, float) else value.get(phase, 1.0)
    return grid


def _shape(terms: dict[str, Any]) -> ShapeTerms:
    return ShapeTerms(
        **{field.name: np.array(terms[field.name], dtype=np.float64) for field in fields(ShapeTerms)}
    )


def _level(data: dict[str, Any], level: dict[str, Any]) -> Efficiencies:
    kinds = level["kinds"]
    host = data["host_op_s"]
    return Efficiencies(
        source=data["source"],
        date=data["date"],
        devices=tuple(data["devices"]),
        architectures=tuple(data["architectures"]),
        software=level["software"],
        mode=level["mode"],
        precisions=tuple(level["precisions"]),
        flop=_grid(kinds, "flop"),
        byte=_grid(kinds, "byte"),
        shape=_shape(level["shape"]),
        launch_s=level["launch_s"],
        host_op_s=(host[0], host[1], host[2]),
        sigma_model=level["sigma_model"],
        sigma_by_kind=np.array([np.broadcast_to(kinds[name].get("sigma", 0.0), len(FORMATS)) for name in KINDS]).T,
        sigma_other_device=data["sigma_other_device"],
        sigma_anchored=data["sigma_anchored"],
    )


@cache
def load_efficiencies(name: str) -> tuple[Efficiencies, ...]:
    """Read ``resources/calibration/<name>.json``: one entry per level of software, the usual one first."""
    data = json.loads((_FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return tuple(_level(data, level) for level in data["levels"])


@cache
def _files() -> tuple[tuple[Efficiencies, ...], ...]:
    names = sorted(file.stem for file in _FOLDER.glob("*.json"))
    holds = [name for name in names if "levels" in json.loads((_FOLDER / f"{name}.json").read_text("utf-8"))]
    return tuple(load_efficiencies(name) for name in holds)


def textbook() -> Efficiencies:
    """What serves any GPU."""
    return load_efficiencies(TEXTBOOK)[0]


@cache
def efficiencies_for(device_id: str, architecture: str) -> tuple[Efficiencies, ...]:
    """Fitted on this catalogue GPU, else on one of its architecture, else the textbook values."""
    for levels in _files():
        if device_id in levels[0].devices:
            return levels
    for levels in _files():
        if architecture in levels[0].architectures:
            return levels
    return (textbook(),)
