"""How predictions of the step time did on families of models that the fit had not seen.

``resources/calibration/accuracy_step_time.json`` holds the figures, made with the constants themselves by
``planner.predict.calibration.calibrate``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from planner.paths import RESOURCES

_FILE = RESOURCES / "calibration" / "accuracy_step_time.json"


@dataclass(frozen=True, slots=True)
class Figures:
    """Errors of ``steps`` predicted step times, as shares of the measured ones."""

    steps: int
    median: float
    mean: float
    p90: float  # nine of ten errors are smaller
    within_20: float  # share of steps predicted within 20 %
    bias: float  # of the median step; positive: predicted too slow
    coverage: float | None = None  # share of measured times inside the 90 % interval
    half_width: float | None = None  # of that interval, median


@dataclass(frozen=True, slots=True)
class FamilyErrors:
    """One family of models in one memory format."""

    family: str
    memory_format: str
    figures: Figures


@dataclass(frozen=True, slots=True)
class WrongStep:
    """A published step that was predicted badly."""

    model: str
    memory_format: str
    batch_size: int
    measured_s: float
    predicted_s: float


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Everything the file tells. Keys of ``rivals``: "flops", "bytes", "roofline"."""

    source: str
    source_url: str
    licence: str
    date: str
    everything: Figures  # training steps on the RTX 3090
    contiguous: Figures
    channels_last: Figures
    locked: Figures  # families that were set aside while the method was developed
    locked_families: tuple[str, ...]
    rivals: Mapping[str, Figures]
    families: tuple[FamilyErrors, ...]  # worst first
    worst: tuple[WrongStep, ...]
    inference: Mapping[str, Figures]  # by GPU and software
    anchored: Mapping[str, Figures]  # from a step measured on another GPU


def _figures(data: dict[str, Any]) -> Figures:
    return Figures(**{name: data[name] for name in Figures.__slots__ if name in data})


def _by_name(data: dict[str, Any]) -> dict[str, Figures]:
    return {name: _figures(figures) for name, figures in data.items()}


@cache
def step_time_accuracy() -> Accuracy:
    """Read the file; it is part of the product."""
    data = json.loads(_FILE.read_text(encoding="utf-8"))
    training = data["training"]
    return Accuracy(
        source=data["source"],
        source_url=data["source_url"],
        licence=data["licence"],
        date=data["date"],
        everything=_figures(training["all"]),
        contiguous=_figures(training["contiguous"]),
        channels_last=_figures(training["channels_last"]),
        locked=_figures(training["locked"]),
        locked_families=tuple(training["locked"]["families"]),
        rivals=_by_name(training["rivals"]),
        families=tuple(
            FamilyErrors(row["family"], row["memory_format"], _figures(row)) for row in training["families"]
        ),
        worst=tuple(WrongStep(**row) for row in training["worst"]),
        inference=_by_name(data["inference"]),
        anchored=_by_name(data["anchored"]),
    )
