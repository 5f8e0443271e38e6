"""What is asked of the tracer, and where its answer is kept."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from planner.door import InvalidInputError, Problem
from planner.paths import data_dir
from planner.workload.adapter import parse_adapter
from planner.workload.job import Checkpointing, MemoryFormat, Recipe
from planner.workload.presets import TRACED_ADAPTERS, TRACED_PRECISION
from planner.workload.sources.reference import Reference, parse_reference

Attention = Literal["fused", "eager"]
_PACKAGES = ("torch", "timm", "transformers")
_TRACE = Path(__file__).resolve().parent.parent / "trace"


@dataclass(frozen=True, slots=True)
class TableRequest:
    """One table. ``precision``: as traced ("fp32", "amp", "bf16"). ``size``: trace exactly this image size or
    sequence length, three times as fast; None: a table that serves a range of sizes, where the model can."""

    reference: Reference
    precision: str = "amp"
    checkpointing: Checkpointing = "none"
    attention: Attention = "fused"
    size: int | None = None
    memory_format: MemoryFormat = "contiguous"
    adapter: str = "none"  # as in planner.workload.adapter; a preset has its own


def request_for(recipe: Recipe, *, exact_size: bool = False) -> TableRequest:
    """The table a recipe needs: torch 1.12 had no fused attention. Raises InvalidInputError for its model
    and for an adapter it cannot have."""
    reference = parse_reference(recipe.model)
    return TableRequest(
        reference,
        TRACED_PRECISION[recipe.precision],
        recipe.checkpointing,
        "eager" if recipe.software == "torch1.12" else "fused",
        recipe.input_size if exact_size else None,
        recipe.memory_format,
        _adapter(reference, recipe.adapter),
    )


def _adapter(reference: Reference, adapter: str) -> str:
    """What is to be put on the model. Presets come with theirs, and saved tables are what they are."""
    parse_adapter(adapter)
    if reference.kind not in ("preset", "ops"):
        return adapter
    own = TRACED_ADAPTERS.get(reference.target, "none")
    if adapter not in ("none", own):
        what = f"{adapter!r} cannot be put on {reference.text}: it comes with {own}"
        raise InvalidInputError(reference.text, (Problem("adapter", what),))
    return "none"


def cache_path(request: TableRequest, python: str = sys.executable) -> Path:
    """File for the table: its name is a hash of all that the table depends on.

    Of a Python file, every module and package beside it counts, as it may import them; those from elsewhere do
    not.
    """
    reference = request.reference
    described = {
        "kind": reference.kind,
        "function": reference.function,
        "precision": request.precision,
        "checkpointing": request.checkpointing,
        "attention": request.attention,
        "size": request.size,
        "memory_format": request.memory_format,
        "adapter": request.adapter,
        "tracer": _tracer_version(),
        "packages": _package_versions(python),
    }
    digest = hashlib.sha256(json.dumps(described, sort_keys=True).encode())
    if reference.kind == "timm":
        digest.update(reference.target.encode())
    else:
        file = Path(reference.target)
        digest.update(file.name.encode())
        _add_files(digest, _beside(file) if reference.kind == "py" else [])
        _add_files(digest, [file])
    return data_dir() / "tables" / f"{digest.hexdigest()[:40]}.json"


def _beside(file: Path) -> list[Path]:
    """The modules that a file can import from its own folder, those within packages too."""
    packages = sorted(found.parent for found in file.parent.glob("*/__init__.py"))
    inside = (found for package in packages for found in sorted(package.rglob("*.py")))
    return [*sorted(file.parent.glob("*.py")), *inside]


def _add_files(digest: hashlib._Hash, files: Iterable[Path]) -> None:
    for file in files:
        content = file.read_bytes()
        digest.update(f"{file.name} {len(content)}\n".encode() + content)


@cache
def _tracer_version() -> str:
    digest = hashlib.sha256()
    _add_files(digest, [*sorted(_TRACE.rglob("*.py")), _TRACE.parent / "optable.py"])
    return digest.hexdigest()


@cache
def _package_versions(python: str) -> dict[str, str | None]:
    """Versions of the packages that decide what a model executes, read without running ``python``."""
    path = sys.path
    if python != sys.executable:
        prefix = Path(python).parent.parent
        path = [
            str(folder) for folder in (*prefix.glob("lib/python3*/site-packages"), prefix / "Lib/site-packages")
        ]
    versions: dict[str, str | None] = {"python": python if python != sys.executable else ""}
    for package in _PACKAGES:
        found = next(iter(importlib.metadata.distributions(name=package, path=path)), None)
        versions[package] = found.version if found else None
    return versions
