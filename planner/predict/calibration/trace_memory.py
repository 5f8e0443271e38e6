"""Makes ``memory_tables.json``: what the models of the published memory reports keep alive. Needs torch, timm and
transformers; about 20 s a model of a few billion parameters, 3 s a model of timm.

    python -m planner.predict.calibration.trace_memory [--reports-only]

Only what is missing from the file is traced; delete the file to trace everything again. A model that cannot be
traced is named and left out.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from planner.door import InvalidInputError
from planner.predict.calibration.memory_cases import (
    CONFIGS,
    LADDER,
    TABLES,
    as_record,
    key_of,
    ladder_recipe,
    read_rows,
    recipe_of,
    table_key,
)
from planner.predict.memory_table import MemoryTable
from planner.predict.types import Floats
from planner.storage import write_atomically
from planner.workload.job import Recipe
from planner.workload.optable import basis
from planner.workload.sources.load import load_tables
from planner.workload.sources.request import TableRequest, request_for

_WHAT = (
    "What the models of memory_peaks.csv and of timm's batch ladder keep alive: the fields of "
    "planner.predict.memory_table.MemoryTable. Key: model, traced precision, checkpointing, adapter, attention, "
    "image size. Shapes from hf_configs.json and timm (Apache-2.0); no weights."
)
_SAVED_EVERY = 8
# Where the moment of the peak is looked for; the others are not kept.
_BATCHES = tuple(float(2**power) for power in range(12))
_LENGTHS = (64, 128, 256, 512, 1024, 2048, 4096, 8192)


def wanted(reports_only: bool) -> Iterator[tuple[str, Recipe]]:
    """Every key with a recipe that needs it; an input size only where there are images.

    Reports first; then the ladder, in an order in which what is traced so far is a fair sample of all.
    """
    for row in read_rows():
        recipe, _ = recipe_of(row)
        yield key_of(row), recipe if row["image_size"] else replace(recipe, input_size=None)
    if not reports_only:
        with LADDER.open(encoding="utf-8", newline="") as stream:
            rows = [row for row in csv.DictReader(stream) if row["next_batch_that_did_not_fit"]]
        found = {table_key(ladder_recipe(row), int(row["image_size"])): ladder_recipe(row) for row in rows}
        yield from sorted(found.items(), key=lambda item: hashlib.sha256(item[0].encode()).hexdigest())


def _request(recipe: Recipe, folder: Path, configs: dict[str, Any]) -> TableRequest:
    """Image models at their size; the others for all sequence lengths."""
    name = recipe.model.removeprefix("hf:")
    if name != recipe.model:
        path = folder / name / "config.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(configs[name]), encoding="utf-8")
        recipe = replace(recipe, model=f"hf:{path}")
    recipe = replace(recipe, memory_format="contiguous")
    return request_for(recipe, exact_size=True)


def kept(table: MemoryTable) -> MemoryTable:
    """Without the moments that never are the peak."""
    positions = [table.positions(size) for size in _LENGTHS] if table.size_kind == "sequence" else [1.0]
    values = np.array([basis(batch, position) for batch in _BATCHES for position in positions])
    live, gradients = table.live_bytes, table.live_gradient_bytes
    peaks = {*_highest(values @ live.T), *_highest(values @ live.T + gradients)}
    rows, infer = sorted(peaks), sorted(_highest(values @ table.live_bytes_infer.T))
    return replace(
        table,
        live_bytes=live[rows],
        live_gradient_bytes=gradients[rows],
        live_bytes_infer=table.live_bytes_infer[infer],
    )


def _highest(values: Floats) -> set[int]:
    return set(values.argmax(axis=1).tolist())


def _text(tables: dict[str, Any]) -> str:
    """A table a line, for readable differences."""
    lines = [f"{json.dumps(key)}: {json.dumps(tables[key], separators=(',', ':'))}" for key in sorted(tables)]
    return '{\n"what": ' + json.dumps(_WHAT) + ',\n"tables": {\n' + ",\n".join(lines) + "\n}\n}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reports-only", action="store_true", help="leave out timm's batch ladder")
    arguments = parser.parse_args()
    tables: dict[str, Any] = json.loads(TABLES.read_text(encoding="utf-8"))["tables"] if TABLES.exists() else {}
    configs = json.loads(CONFIGS.read_text(encoding="utf-8"))
    missing = {key: recipe for key, recipe in wanted(arguments.reports_only) if key not in tables}
    with tempfile.TemporaryDirectory() as folder:
        keys = list(missing)
        for start in range(0, len(keys), _SAVED_EVERY):
            some = keys[start : start + _SAVED_EVERY]
            requests = {key: _request(missing[key], Path(folder), configs) for key in some}
            answers = load_tables(list(requests.values()))
            for key, request in requests.items():
                answer = answers[request]
                if isinstance(answer, InvalidInputError):
                    print(f"{key}: {answer}", file=sys.stderr)
                else:
                    tables[key] = as_record(kept(MemoryTable.of(answer)))
            write_atomically(TABLES, _text(tables).encode())
            print(f"{len(tables)} tables", file=sys.stderr)


if __name__ == "__main__":
    main()
