"""How the efficiencies do on GPUs and software they were not fitted on: timm's published inference tables.

    python -m planner.predict.calibration.check_inference INFERENCE.csv TABLES_DIR

Prints, per GPU and software, the errors of the fitted and of the textbook efficiencies. Tables traced for training
serve: only their forward rows are used. Models with attention are left out: their tables are those of torch 1.12,
without fused attention.
"""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from pathlib import Path

import numpy as np

from planner.hardware.catalogue import lookup
from planner.predict.calibration.fit_rtx3090 import DEVICE, report, sigma_that_covers
from planner.predict.calibration.measured import table_path
from planner.predict.device import device_from_catalogue
from planner.predict.efficiencies import TEXTBOOK, Efficiencies, efficiencies_for, load_efficiencies
from planner.predict.step_time import predict_step_time
from planner.predict.types import DeviceModel
from planner.workload.job import Recipe
from planner.workload.optable import OP_CLASSES, OpTable
from planner.workload.table_file import load_table


def _device(name: str, known: Efficiencies) -> DeviceModel:
    spec = lookup(name)
    if spec is None:
        raise ValueError(f"{name} is not in the catalogue")
    return device_from_catalogue(spec, known=known)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measured", type=Path)
    parser.add_argument("tables", type=Path)
    arguments = parser.parse_args()
    tables: dict[Path, OpTable] = {}
    devices: dict[tuple[str, str], DeviceModel] = {}
    residuals: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    with arguments.measured.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            path = table_path(arguments.tables, row["model"].removeprefix("timm:"), int(row["image_size"]))
            if not path.exists():
                continue
            if path not in tables:
                tables[path] = load_table(path)
            if OP_CLASSES.index("bmm") in tables[path].op_class:
                continue
            recipe = Recipe(mode="infer", batch_size=int(row["batch_size"]))
            for known in (efficiencies_for(DEVICE), load_efficiencies(TEXTBOOK)):
                key = (row["gpu"], known.id)
                if key not in devices:
                    devices[key] = _device(row["gpu"], known)
                predicted = predict_step_time(tables[path], recipe, devices[key]).seconds.likely
                residuals[row["gpu"], row["software"], known.id].append(
                    float(np.log(predicted * 1e3 / float(row["step_time_ms"])))
                )
    for (gpu, software, name), values in sorted(residuals.items()):
        logs = np.array(values)
        print(report(f"{gpu}, {software}, {name}", logs), f"sigma {sigma_that_covers(logs):.3f}")


if __name__ == "__main__":
    main()
