"""How far published peaks lie from the sum of what is alive, and what comes on top of it.

The numbers are in ``resources/calibration/memory.json``; ``planner.predict.calibration.fit_memory`` makes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal, get_args

from planner.door import parse_json, validated
from planner.evidence import Evidence, Range
from planner.paths import RESOURCES
from planner.predict.memory_table import MemoryTable
from planner.units import GIB, MIB
from planner.workload.job import Recipe, Software

MEMORY_FILE = RESOURCES / "calibration" / "memory.json"
# cuBLAS keeps 8 MiB a handle and 32 MiB on Hopper; cuDNN tries algorithms with workspaces as memory allows.
WORKSPACE_MATRIX_BYTES = 32.0 * MIB
WORKSPACE_CONVOLUTION_BYTES = 96.0 * MIB

Kind = Literal["vision", "channels_last", "language", "quantised", "sharded"]
KINDS: tuple[Kind, ...] = get_args(Kind)
_STRICT = {"extra": "forbid", "allow_inf_nan": False}


@dataclass(frozen=True, slots=True)
class Factors:
    """Of what is alive. ``scale``: published peak over prediction, likely; then factors on the scaled prediction:
    its 90 % interval, and the factors at which it is practically sure not to fit, and to fit. ``beside_gib``: what
    the driver counts besides a bare context, libraries of the trainer among it."""

    scale: float
    low: float
    high: float
    sure_below: float
    sure_above: float
    beside_gib: float
    cases: int  # published figures it was fitted to; 0: assumed

    __pydantic_config__ = _STRICT


@dataclass(frozen=True)
class MemoryCalibration:
    """``resources/calibration/memory.json``; ranges are low, likely, high in GiB."""

    schema_version: Literal[1]
    what: str
    source: str
    licence: str
    date: str
    evidence: Literal["C"]
    command: str
    context_gib: dict[Software, tuple[float, float, float]]  # CUDA context with kernels loaded
    process_group_gib: tuple[float, float, float]  # buffers of NCCL and its context
    factors: dict[Kind, Factors]
    errors: dict[str, dict[str, float]]  # of models held out, by kind

    __pydantic_config__ = _STRICT


@dataclass(frozen=True)
class Spread:
    """What turns bytes alive into a peak with its interval, for one recipe."""

    scale: float
    low: float
    high: float
    sure_below: float
    sure_above: float
    context: Range
    workspace_bytes: float
    evidence: Evidence


@cache
def calibration() -> MemoryCalibration:
    """The shipped file."""
    return validated(MemoryCalibration, parse_json(MEMORY_FILE.read_bytes(), str(MEMORY_FILE)), str(MEMORY_FILE))


def kind_of(table: MemoryTable, recipe: Recipe, gpus: int) -> Kind:
    """Which published peaks a recipe is like."""
    if recipe.mode == "train" and (recipe.offload != "none" or (recipe.strategy != "ddp" and gpus > 1)):
        return "sharded"
    if recipe.adapter.startswith("qlora"):  # copies in 16 bit, norms and embeddings cast to fp32
        return "quantised"
    if table.size_kind == "sequence":
        return "language"
    # Contiguous images are turned over for the tensor cores and back: cuDNN's copies come on top.
    return "channels_last" if recipe.memory_format == "channels_last" else "vision"


def spread_of(table: MemoryTable, recipe: Recipe, gpus: int, *, on_cpu: bool = False) -> Spread:
    """What the calibration says of a recipe. A processor has no context and no library workspaces."""
    known = calibration()
    factors = known.factors[kind_of(table, recipe, gpus)]
    context = Range(*known.context_gib[recipe.software]).plus(Range.exactly(factors.beside_gib)).scaled(GIB)
    if recipe.mode == "train" and gpus > 1:
        context = context.plus(Range(*known.process_group_gib).scaled(GIB))
    workspace = WORKSPACE_CONVOLUTION_BYTES if table.convolves else WORKSPACE_MATRIX_BYTES
    return Spread(
        scale=factors.scale,
        low=factors.low,
        high=factors.high,
        sure_below=factors.sure_below,
        sure_above=factors.sure_above,
        context=Range.exactly(0.0) if on_cpu else context,
        workspace_bytes=0.0 if on_cpu else workspace,
        evidence=Evidence.PUBLISHED if factors.cases else Evidence.ASSUMED,
    )
