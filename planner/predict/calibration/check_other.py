"""Predictions against published trainings of other kinds, on one RTX 3090, with other and older software.

Lambda ran NVIDIA's DeepLearningExamples from 2020 to 2022: hand-written mixed precision (apex) and fused kernels
that today's PyTorch has not. Nothing was fitted to these runs. Only models that a preset expresses are compared.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass

from planner.hardware.catalogue import by_id
from planner.predict.calibration.check_scaling import PUBLISHED
from planner.predict.device import device_from_catalogue
from planner.predict.step_time import predict_step_time
from planner.workload.job import Optimizer, Precision, Recipe
from planner.workload.presets import load_preset


@dataclass(frozen=True, slots=True)
class _Same:
    """The preset of a published model, and what its published training used."""

    preset: str
    input_size: int
    optimizer: Optimizer


_PRESETS = {
    "bert_base_squad": _Same("bert_base", 384, "adam"),
    "bert_large_squad": _Same("bert_large", 384, "adam"),
    "resnet50": _Same("resnet50", 224, "momentum"),
    "ssd": _Same("ssd300_r50", 300, "momentum"),
    # Photos of 800 × 1333 at most, padded: about the pixels of a square of 1024.
    "maskrcnn": _Same("maskrcnn_r50", 1024, "momentum"),
}
_PRECISIONS: dict[str, Precision] = {"FP16": "amp", "AMP": "amp", "FP32": "tf32"}  # their "FP32" allows TF32


@dataclass(frozen=True, slots=True)
class OtherStep:
    """One published training step and its prediction, seconds."""

    host: str
    model: str
    precision: str
    batch_size: int
    measured_s: float
    low_s: float
    predicted_s: float
    high_s: float

    @property
    def is_inside(self) -> bool:
        """Whether the measured time lies in the interval."""
        return self.low_s <= self.measured_s <= self.high_s


def _steps() -> Iterator[OtherStep]:
    spec = by_id("rtx-3090")
    assert spec is not None  # the card that the product is about
    device = device_from_catalogue(spec)
    with PUBLISHED.open(encoding="utf-8-sig", newline="") as stream:
        for row in csv.DictReader(stream):
            if row["n_gpu"] != "1" or row["model"] not in _PRESETS:
                continue
            same, precision = _PRESETS[row["model"]], _PRECISIONS[row["precision"]]
            batch = int(float(row["batch_per_gpu"]))
            recipe = Recipe(
                model=f"preset:{same.preset}",
                batch_size=batch,
                input_size=same.input_size,
                precision=precision,
                optimizer=same.optimizer,
            )
            found = predict_step_time(load_preset(same.preset, precision), recipe, device).seconds
            measured_s = batch / float(row["throughput"])
            yield OtherStep(
                row["host"], row["model"], row["precision"], batch, measured_s, found.low, found.likely, found.high
            )


def other_steps() -> tuple[OtherStep, ...]:
    """All that can be compared, worst first."""
    return tuple(sorted(_steps(), key=lambda step: -abs(step.predicted_s / step.measured_s - 1)))


def models_left_out() -> tuple[str, ...]:
    """Published models that no preset expresses."""
    with PUBLISHED.open(encoding="utf-8-sig", newline="") as stream:
        found = {row["model"] for row in csv.DictReader(stream)}
    return tuple(sorted(found - set(_PRESETS)))
