"""What each published step executes: one small file per step, made by ``trace_timm``. Knows no torch."""

from __future__ import annotations

import csv
from dataclasses import dataclass, fields
from pathlib import Path
from typing import cast

import numpy as np

from planner.paths import RESOURCES
from planner.workload.job import MemoryFormat, Mode
from planner.workload.optable import Ops

MEASUREMENTS = RESOURCES / "calibration" / "measurements"
TRAINING, INFERENCE = MEASUREMENTS / "timm_rtx3090_train.csv", MEASUREMENTS / "timm_gpus_infer.csv"

PUBLISHER = "timm (pytorch-image-models) results, © Ross Wightman and contributors"
URL = "https://github.com/huggingface/pytorch-image-models/tree/main/results"
Table = tuple[str, str]  # GPU and software of a published table of inference steps
BASE: Table = ("RTX 3090", "torch2.4")


@dataclass(frozen=True, slots=True)
class Case:
    """One step whose time was published, of an architecture of timm."""

    architecture: str
    family: str
    mode: Mode
    memory_format: MemoryFormat
    batch_size: int
    image_size: int

    def file(self, folder: Path) -> Path:
        """Where ``trace_timm`` puts what this step executes."""
        name = f"{self.architecture}-{self.mode}-{self.memory_format}-{self.batch_size}-{self.image_size}.npz"
        return folder / name


@dataclass(frozen=True, slots=True)
class Measurement:
    """A published step time."""

    case: Case
    gpu: str
    software: str
    step_s: float


@dataclass(frozen=True, slots=True)
class TracedStep:
    """Ops of one step without optimizer, and what the optimizer depends on."""

    ops: Ops
    trained_parameters: int
    parameter_tensors: int

    @property
    def trained_parameter_bytes(self) -> int:
        """Autocast keeps fp32 weights."""
        return 4 * self.trained_parameters


def read_training() -> list[Measurement]:
    """The published training steps on one RTX 3090."""
    with TRAINING.open(encoding="utf-8", newline="") as stream:
        return [
            Measurement(
                _case(row, "train", cast(MemoryFormat, row["memory_format"])),
                "RTX 3090",
                "torch1.12",
                _seconds(row),
            )
            for row in csv.DictReader(stream)
        ]


def read_inference() -> list[Measurement]:
    """The published inference steps on four GPUs."""
    with INFERENCE.open(encoding="utf-8", newline="") as stream:
        return [
            Measurement(_case(row, "infer", "contiguous"), row["gpu"], row["software"], _seconds(row))
            for row in csv.DictReader(stream)
        ]


def _case(row: dict[str, str], mode: Mode, memory_format: MemoryFormat) -> Case:
    name = row["model"].removeprefix("timm:")
    return Case(name, row["family"], mode, memory_format, int(row["batch_size"]), int(row["image_size"]))


def _seconds(row: dict[str, str]) -> float:
    return float(row["step_time_ms"]) / 1e3


def save(path: Path, step: TracedStep) -> None:
    """Write one step."""
    arrays = {field.name: getattr(step.ops, field.name) for field in fields(Ops)}
    counts = np.array([step.trained_parameters, step.parameter_tensors])
    np.savez_compressed(path, trained=counts, **arrays)


def load(path: Path) -> TracedStep:
    """Read one step."""
    with np.load(path) as file:
        ops = Ops(**{field.name: file[field.name] for field in fields(Ops)})
        parameters, tensors = (int(count) for count in file["trained"])
    return TracedStep(ops, parameters, tensors)
