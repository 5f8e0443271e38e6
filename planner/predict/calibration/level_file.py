"""Fitted parameters as ``resources/calibration`` holds them."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from planner.paths import RESOURCES
from planner.predict.calibration.fit import Values
from planner.predict.calibration.parameters import log_efficiency, shape_terms
from planner.predict.calibration.spread import Spread
from planner.predict.kernel_time import ShapeTerms
from planner.predict.types import FORMATS
from planner.storage import write_atomically
from planner.workload.job import Mode, Software
from planner.workload.optable import KINDS, PHASES

FOLDER = RESOURCES / "calibration"
# Usual cost of issuing one op from Python, forward, backward, optimizer. No published step is bound by it.
_HOST_OP_S = [1.2e-5, 1e-5, 6e-6]
_PRECISIONS = ["amp", "amp_bf16"]


@dataclass(frozen=True)
class Level:
    """A GPU at one level of software and in one mode."""

    software: Software | None
    mode: Mode | None
    values: Values
    spread: Spread


@dataclass(frozen=True)
class FileHead:
    """What a calibration file says of itself."""

    what: str
    source: str
    source_url: str
    licence: str
    date: str
    evidence: str
    devices: tuple[str, ...]
    architectures: tuple[str, ...]
    sigma_other_device: float
    # Standard deviation of ln(predicted / measured) on this GPU against the RTX 3090 when the other is measured.
    sigma_anchored: float


def _round(value: float) -> float:
    return float(f"{value:.4g}")


def _kinds(level: Level) -> dict[str, Any]:
    grids = {limit: np.exp(log_efficiency(level.values, limit)) for limit in ("flop", "byte")}
    kinds: dict[str, Any] = {}
    for k, name in enumerate(KINDS):
        kinds[name] = {
            limit: {phase: [_round(grid[f, p, k]) for f in range(len(FORMATS))] for p, phase in enumerate(PHASES)}
            for limit, grid in grids.items()
        }
        kinds[name]["sigma"] = [_round(sigma) for sigma in level.spread.by_kind[:, k]]
    return kinds


def _level(level: Level) -> dict[str, Any]:
    terms = shape_terms(np, level.values)
    rounded = {
        field.name: np.vectorize(_round)(getattr(terms, field.name)).tolist() for field in fields(ShapeTerms)
    }
    return {
        "software": level.software,
        "mode": level.mode,
        "precisions": _PRECISIONS if level.mode else [],
        "launch_s": _round(float(np.exp(level.values["launch"][0]))),
        "sigma_model": dict(zip(FORMATS, map(_round, level.spread.by_format), strict=True)),
        "kinds": _kinds(level),
        "shape": rounded,
    }


def write_levels(name: str, head: FileHead, levels: list[Level]) -> Path:
    """Write ``resources/calibration/<name>.json``, the usual level first."""
    content = {
        "schema_version": 2,
        **{field.name: getattr(head, field.name) for field in fields(FileHead)},
        "made_by": "python -m planner.predict.calibration.calibrate",
        "traced_with": {package: version(package).partition("+")[0] for package in ("torch", "timm")},
        "host_op_s": _HOST_OP_S,
        "levels": [_level(level) for level in levels],
    }
    path = FOLDER / f"{name}.json"
    write_atomically(path, (_lines(content) + "\n").encode())
    return path


def _lines(value: Any, indent: str = "") -> str:
    """JSON with a line per field, lists on one line each unless they hold objects."""
    if isinstance(value, dict) and any(isinstance(entry, dict | list) for entry in value.values()):
        inner = ",\n".join(
            f"{indent} {json.dumps(key)}: {_lines(entry, indent + ' ')}" for key, entry in value.items()
        )
        return f"{{\n{inner}\n{indent}}}"
    if isinstance(value, list) and any(isinstance(entry, dict) for entry in value):
        inner = ",\n".join(f"{indent} {_lines(entry, indent + ' ')}" for entry in value)
        return f"[\n{inner}\n{indent}]"
    return json.dumps(value, ensure_ascii=False)
