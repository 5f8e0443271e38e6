"""Traces the steps of timm's published tables, for fitting. Needs torch and timm; half an hour on two cores.

    python -m planner.predict.calibration.trace_timm FOLDER [--parts 2 --part 0]

The published training table was measured before torch had fused attention: it is taken apart there.
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from planner.predict.calibration.traced import Case, TracedStep, read_inference, read_training, save
from planner.workload.optable import KINDS, Ops

if TYPE_CHECKING:
    from planner.workload.trace.recorder import Kernel

_NUMBERS = ("dtype_bytes", "kernel", "stride", "flops", "bytes", "m", "n", "k", "groups")


def ops_of(kernels: list[Kernel]) -> Ops:
    """Equal kernels in one row, in the order of their first execution."""
    counted = Counter((kernel.phase, kernel.cost) for kernel in kernels)
    columns = {name: np.array([float(getattr(cost, name)) for _, cost in counted]) for name in _NUMBERS}
    columns["dtype_bytes"] = columns["dtype_bytes"].astype(np.int64)
    return Ops(
        kind=np.array([KINDS.index(cost.kind) for _, cost in counted], dtype=np.int64),
        phase=np.array([phase for phase, _ in counted], dtype=np.int64),
        count=np.array(list(counted.values()), dtype=np.float64),
        channels_last=np.array([cost.channels_last for _, cost in counted], dtype=np.bool_),
        **columns,
    )


def trace(case: Case) -> TracedStep:
    """What the step of a case executes. Raises whatever the model raises."""
    import torch

    from planner.workload.trace.layout import laid_out, laid_out_model
    from planner.workload.trace.models.timm_any import timm_model
    from planner.workload.trace.step import record_inference, record_training

    source = timm_model(case.architecture, eager_attention=case.mode == "train")
    model = laid_out_model(source.build(case.image_size, torch.float32), case.memory_format)
    inputs = laid_out(source.inputs(case.batch_size, case.image_size, torch.float32), case.memory_format)
    if case.mode == "train":
        record = record_training(model, inputs, source.loss, torch.float16, source.eager_attention)
    else:
        record = record_inference(model, inputs, torch.float16)
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    return TracedStep(ops_of(record.kernels), sum(parameter.numel() for parameter in trained), len(trained))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--parts", type=int, default=1, help="processes that share the work")
    parser.add_argument("--part", type=int, default=0, help="which of them this is, from 0")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    cases = dict.fromkeys(measurement.case for measurement in (*read_training(), *read_inference()))
    for case in list(cases)[arguments.part :: arguments.parts]:
        file = case.file(arguments.folder)
        if file.exists():
            continue
        try:
            save(file, trace(case))
        except Exception as error:  # noqa: BLE001  any model may fail in its own way: name it and go on
            print(f"{case}: {type(error).__name__}: {error}", file=sys.stderr)
        gc.collect()  # models are full of cycles


if __name__ == "__main__":
    main()
