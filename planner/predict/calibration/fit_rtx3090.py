"""Makes ``resources/calibration/rtx3090.json`` from timm's published training table. Seeded; a minute.

    python -m planner.predict.calibration.trace_timm TABLES_DIR
    python -m planner.predict.calibration.fit_rtx3090 TABLES_DIR

Prints the error on families that were held out, then fits on all.
"""

from __future__ import annotations

import argparse
import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from planner.hardware.catalogue import by_id
from planner.paths import RESOURCES
from planner.predict.calibration.fit import Fit, fit, row_times
from planner.predict.calibration.measured import MEASUREMENTS, PUBLISHED, Limits, Measured, read_measured
from planner.predict.efficiencies import TEXTBOOK, load_efficiencies
from planner.predict.step_time import NORMAL_90
from planner.predict.types import FORMATS, Floats
from planner.storage import write_atomically
from planner.workload.job import MemoryFormat
from planner.workload.optable import OP_CLASSES, PHASES

DEVICE = "rtx-3090"
DATA_DATE = "2022"  # of the published table
# What these efficiencies are off by on a GPU they were not fitted on, beside the error on the RTX 3090: see
# ``check_inference``.
SIGMA_OTHER_DEVICE = 0.2
FOLDS, REPEATS, SEED = 3, 3, 3090
TEXTBOOK_FLOP, TEXTBOOK_BYTE = 0.5, 0.7
# A class counts as calibrated when so many steps spend at least this share of their time in it.
ENOUGH_STEPS, ENOUGH_SHARE = 20, 0.02


def limits() -> Limits:
    """The card's data sheet."""
    spec = by_id(DEVICE)
    if spec is None or spec.fp16_tensor_flops_per_s is None or spec.bandwidth_bytes_per_s is None:
        raise ValueError(f"{DEVICE} is not in the catalogue with its peaks")
    return Limits(spec.fp16_tensor_flops_per_s, spec.fp32_flops_per_s, spec.bandwidth_bytes_per_s)


def _fitted(data: Measured) -> Fit:
    return fit(data, TEXTBOOK_FLOP, TEXTBOOK_BYTE, load_efficiencies(TEXTBOOK).launch_s)


def held_out_residuals(data: Measured) -> tuple[Floats, Floats]:
    """ln(predicted / measured) and memory format of every step, each predicted by fits without its family.

    Families are dealt into thirds, ``REPEATS`` times anew, so that each counts equally often: a few are hard.
    """
    families = np.array(sorted(set(data.family)))
    random = np.random.default_rng(SEED)
    residuals, formats = [], []
    for _ in range(REPEATS):
        dealt = random.permutation(families)
        for fold in range(FOLDS):
            held = np.isin(data.family, dealt[fold::FOLDS])
            model, test = _fitted(data.choose(~held)), data.choose(held)
            residuals.append(np.log(model.seconds(test) / test.step_s))
            formats.append(test.memory_format)
    return np.concatenate(residuals), np.concatenate(formats)


def report(name: str, residuals: Floats) -> str:
    """One line of error figures from ln(predicted / measured)."""
    error = np.abs(np.exp(residuals) - 1)
    median, p90 = np.quantile(error, [0.5, 0.9])
    return (
        f"{name}: {len(error)} steps, median {median:.1%}, mean {error.mean():.1%}, p90 {p90:.1%}, "
        f"within 20 % {np.mean(error < 0.2):.0%}, bias {np.expm1(np.median(residuals)):+.1%}"
    )


def sigma_that_covers(residuals: Floats) -> float:
    """Standard deviation whose symmetric 90 % interval of a normal distribution holds 90 % of the residuals."""
    return float(np.quantile(np.abs(residuals), 0.9)) / NORMAL_90


def _covered(model: Fit, data: Measured) -> set[str]:
    """Classes in which enough steps spend enough time for their efficiency to be known."""
    times, _ = row_times(model.log_efficiency, data)
    total, op_class = model.seconds(data), data.cell % len(OP_CLASSES)
    covered = set()
    for c, name in enumerate(OP_CLASSES):
        share = np.bincount(data.step, np.where(op_class == c, times, 0.0), minlength=len(total)) / total
        if np.sum(share >= ENOUGH_SHARE) >= ENOUGH_STEPS:
            covered.add(name)
    return covered


def _classes(model: Fit, covered: set[str]) -> dict[str, Any]:
    """Efficiencies as the file has them; a class without data gets back what a textbook value is worth."""
    efficiency = np.exp(model.log_efficiency).reshape(len(FORMATS), 2, len(PHASES), len(OP_CLASSES))
    textbook = load_efficiencies(TEXTBOOK)
    classes: dict[str, Any] = {}
    for c, name in enumerate(OP_CLASSES):
        classes[name] = {
            limit: {
                phase: {layout: float(f"{efficiency[f, k, p, c]:.4g}") for f, layout in enumerate(FORMATS)}
                for p, phase in enumerate(PHASES)
            }
            for k, limit in enumerate(("flop", "byte"))
        }
        if name not in covered:
            classes[name]["extra_sigma"] = round(
                textbook.sigma_model["contiguous"] + float(textbook.uncalibrated[c]), 3
            )
    return classes


def _file(data: Measured, model: Fit, sigmas: dict[MemoryFormat, float], lines: list[str]) -> str:
    textbook = load_efficiencies(TEXTBOOK)
    content = {
        "schema_version": 1,
        "what": "Shares of peak and bandwidth per op class, phase and memory format that together give the step "
        "times of one RTX 3090. Fitted to whole steps: they predict sums, not single ops, and are not physical.",
        "source": "timm (pytorch-image-models) results, RTX 3090 training, torch 1.12, cu113, AMP fp16",
        "source_url": "https://github.com/huggingface/pytorch-image-models/tree/main/results",
        "licence": "Apache-2.0",
        "date": DATA_DATE,
        "evidence": "C",
        "made_by": "python -m planner.predict.calibration.fit_rtx3090",
        "traced_with": {name: version(name) for name in ("torch", "timm")},
        "errors": lines,
        "devices": [DEVICE],
        "software": PUBLISHED.software,
        "precisions": ["amp", "amp_bf16"],
        "launch_s": float(f"{model.launch_s:.4g}"),
        "host_op_s": list(textbook.host_op_s),
        "sigma_model": sigmas,
        "sigma_other_device": SIGMA_OTHER_DEVICE,
        "classes": _classes(model, _covered(model, data)),
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", type=Path)
    parser.add_argument("--measured", type=Path, default=MEASUREMENTS)
    parser.add_argument("--dry-run", action="store_true", help="print the errors, write nothing")
    arguments = parser.parse_args()
    data = read_measured(arguments.measured, arguments.tables, limits())
    textbook = load_efficiencies(TEXTBOOK)
    start = Fit(np.log(np.stack([textbook.flop, textbook.byte], axis=1)).reshape(2, 2, -1), textbook.launch_s)
    before = np.log(start.seconds(data) / data.step_s)
    residuals, formats = held_out_residuals(data)
    model = _fitted(data)
    size = f"{len(set(data.architecture))} architectures, {len(set(data.family))} families"
    lines = [
        report(f"textbook efficiencies, {size}", before),
        report(f"held-out thirds of the families, {REPEATS} times", residuals),
        *(report(f"held out, {name}", residuals[formats == f]) for f, name in enumerate(FORMATS)),
        report("in sample", np.log(model.seconds(data) / data.step_s)),
    ]
    sigmas = {name: round(sigma_that_covers(residuals[formats == f]), 3) for f, name in enumerate(FORMATS)}
    lines.append(f"sigma {sigmas}, of the textbook values {sigma_that_covers(before):.3f}")
    print("\n".join(lines))
    if not arguments.dry_run:
        file = RESOURCES / "calibration" / "rtx3090.json"
        write_atomically(file, _file(data, model, sigmas, lines).encode())


if __name__ == "__main__":
    main()
