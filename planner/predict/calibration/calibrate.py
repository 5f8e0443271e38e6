"""Makes the step-time files of ``resources/calibration`` from timm's published tables. Deterministic; minutes.

    python -m planner.predict.calibration.trace_timm FOLDER
    python -m planner.predict.calibration.calibrate FOLDER

The width of every interval comes from errors on families of models that were held out; the constants that ship are
then fitted to all. The errors go to ``accuracy_step_time.json``, which ``gpu-plan accuracy`` shows.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from planner.predict.calibration.accuracy_file import write_accuracy
from planner.predict.calibration.fit import Values, fit
from planner.predict.calibration.inference import fit_forward, fit_shift, from_training, held_out_inference
from planner.predict.calibration.level_file import FileHead, Level, write_levels
from planner.predict.calibration.parameters import starting_point
from planner.predict.calibration.spread import Spread, fit_spread
from planner.predict.calibration.steps import Steps, collect
from planner.predict.calibration.traced import BASE, PUBLISHER, URL, Table, read_inference, read_training
from planner.predict.calibration.validate import HeldOut, held_out
from planner.predict.step_time import NORMAL_90
from planner.predict.types import Floats
from planner.workload.optable import KINDS, PHASES


@dataclass(frozen=True)
class Other:
    """A GPU beside the RTX 3090 whose inference was published."""

    file: str
    device: str  # catalogue id
    architecture: str
    tables: tuple[Table, ...]  # the software nearest to the RTX 3090's last: that is what ships


OTHERS = (
    Other("ada", "rtx-4090", "Ada Lovelace", (("RTX 4090", "torch2.9"), ("RTX 4090", "torch2.4"))),
    Other("blackwell", "rtx-5090", "Blackwell", (("RTX 5090", "torch2.9"),)),
)
# Same architecture, another chip: an assumption between the error of the same card and that of a data sheet.
_SIGMA_OTHER_DEVICE = 0.15
# Between architectures the shares differ by about so much (published inference of RTX 3090, 4090 and 5090).
_SIGMA_OTHER_ARCHITECTURE = 0.2
# One RTX 3090, 711 models, torch 1.13 against 2.4: mean absolute difference 11 % once the median is removed;
# × sqrt(π / 2) as for a normal distribution. What training on torch 2 was never measured for.
_SIGMA_SOFTWARE = 0.14
# Ratios of step times from data sheets alone miss the published ones by 12 % of RTX 4090 and 3090 (median).
_SIGMA_ANCHORED_BY_DATA_SHEETS = 0.12
# Backward kernels of a GPU whose forward kernels alone were measured: an assumption.
_SIGMA_UNMEASURED_BACKWARD = 0.1


@dataclass(frozen=True)
class Training:
    """What the published training steps teach."""

    steps: Steps
    held: HeldOut
    spread: Spread
    values: Values


@dataclass(frozen=True)
class Inference:
    """What the published inference steps teach beyond that."""

    tables: dict[Table, Steps]
    held: dict[Table, HeldOut]
    anchored: dict[Table, Floats]  # ln(predicted / measured) on the RTX 3090 from a step measured on the other
    forward: Values  # of the RTX 3090 on torch 2

    def spread(self, table: Table) -> Spread:
        """How wide the interval of a GPU's inference must be."""
        held = self.held[table]
        return fit_spread(held.errors, np.zeros(len(held.errors), dtype=np.bool_), held.shares)


def _sigma_that_covers(errors: Floats) -> float:
    """Standard deviation whose symmetric 90 % interval of a normal distribution holds 90 % of the errors."""
    return round(float(np.quantile(np.abs(errors), 0.9)) / NORMAL_90, 4)


def _wider(spread: Spread, *sigmas: float) -> Spread:
    return Spread(np.sqrt(spread.by_format**2 + np.sum(np.square(sigmas))), spread.by_kind)


def _on_torch_2(training: Values, forward: Values) -> Values:
    """Training constants whose forward pass is that of torch 2, where evaluation mode does the same work."""
    changed = {name: value.copy() for name, value in training.items()}
    inference, first = PHASES.index("inference"), PHASES.index("forward")
    same_work = np.array([kind != "batch_norm" for kind in KINDS])  # evaluation mode keeps no statistics
    for limit in ("flop", "byte"):
        shift = forward[f"{limit}_phase"][:, inference] - training[f"{limit}_phase"][:, first]
        changed[f"{limit}_phase"][same_work, first] += shift[same_work]
        changed[f"{limit}_phase"][:, inference] = forward[f"{limit}_phase"][:, inference]
    return changed


def learn_training(folder: Path) -> Training:
    """From the published training steps; every family is held out once."""
    steps = collect(read_training(), folder)
    held = held_out(steps, starting_point())
    spread = fit_spread(held.errors, steps.channels_last, held.shares)
    return Training(steps, held, spread, from_training(fit(steps, starting_point())))


def learn_inference(folder: Path, training: Training) -> Inference:
    """From the published inference steps, beginning with what training taught."""
    published = read_inference()
    names = [BASE, *(table for other in OTHERS for table in other.tables)]
    tables = {name: collect([m for m in published if (m.gpu, m.software) == name], folder) for name in names}
    held, anchored = held_out_inference(tables, training.values)
    return Inference(tables, held, anchored, fit_forward(tables[BASE], training.values))


def write_textbook(training: Training, inference: Inference) -> None:
    """What serves a GPU that nothing was published of, and what a benchmark corrects class by class."""
    head = FileHead(
        what="Shares of peak and bandwidth for any GPU: those of the RTX 3090, for want of better",
        source=f"Assumption, from {PUBLISHER}: RTX 3090 training, torch 1.12, and inference, torch 2.4",
        source_url=URL,
        licence="Apache-2.0",
        date="2022 and 2024",
        evidence="D",
        devices=(),
        architectures=(),
        sigma_other_device=_SIGMA_OTHER_DEVICE,
        sigma_anchored=_SIGMA_ANCHORED_BY_DATA_SHEETS,
    )
    values = _on_torch_2(training.values, inference.forward)
    write_levels("textbook", head, [Level(None, None, values, _wider(training.spread, _SIGMA_OTHER_ARCHITECTURE))])


def write_rtx_3090(training: Training, inference: Inference) -> None:
    """The card that is rented out: training on torch 1.12 as published, both modes on torch 2."""
    head = FileHead(
        what="Shares of peak and bandwidth per kind of op, phase and memory format, and what shapes cost, that "
        "together give the step times of one RTX 3090. They predict sums, not single ops.",
        source=f"{PUBLISHER}: RTX 3090 training, torch 1.12, AMP fp16, and inference, torch 2.4",
        source_url=URL,
        licence="Apache-2.0",
        date="2022 and 2024",
        evidence="C",
        devices=("rtx-3090",),
        architectures=("Ampere",),
        sigma_other_device=_SIGMA_OTHER_DEVICE,
        sigma_anchored=0.0,
    )
    torch_2 = _on_torch_2(training.values, inference.forward)
    levels = [
        Level("torch2", "train", torch_2, _wider(training.spread, _SIGMA_SOFTWARE)),
        Level("torch2", "infer", inference.forward, inference.spread(BASE)),
        Level("torch1.12", "train", training.values, training.spread),
    ]
    write_levels("rtx3090", head, levels)


def write_other(other: Other, training: Training, inference: Inference) -> None:
    """Another GPU: the RTX 3090's constants, shifted kind by kind."""
    table = other.tables[-1]
    shifted = fit_shift(inference.tables[table], inference.tables[BASE], inference.forward)
    torch_2 = _on_torch_2(training.values, inference.forward)
    moved = {**torch_2, "flop_kind": shifted["flop_kind"], "byte_kind": shifted["byte_kind"]}
    head = FileHead(
        what=f"Shares of peak and bandwidth on {other.architecture}: those of the RTX 3090, shifted kind by kind "
        "by the ratio of published inference times.",
        source=f"{PUBLISHER}: {table[0]} inference, {table[1]}",
        source_url=URL,
        licence="Apache-2.0",
        date="2024 and 2025",
        evidence="C",
        devices=(other.device,),
        architectures=(other.architecture,),
        sigma_other_device=_SIGMA_OTHER_DEVICE,
        sigma_anchored=_sigma_that_covers(inference.anchored[table]),
    )
    trained = _wider(training.spread, _SIGMA_SOFTWARE, _SIGMA_UNMEASURED_BACKWARD)
    levels = [
        Level("torch2", "train", moved, trained),
        Level("torch2", "infer", shifted, inference.spread(table)),
    ]
    write_levels(other.file, head, levels)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="what trace_timm made")
    folder = parser.parse_args().folder
    torch.set_num_threads(1)  # sums in one order: the same bytes again
    training = learn_training(folder)
    inference = learn_inference(folder, training)
    write_textbook(training, inference)
    write_rtx_3090(training, inference)
    for other in OTHERS:
        write_other(other, training, inference)
    write_accuracy(training.steps, training.held, training.spread, inference.held, inference.anchored)


if __name__ == "__main__":
    main()
