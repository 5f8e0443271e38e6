"""What one GPU keeps all through a step: weights, gradients, optimizer states, by recipe and number of GPUs.

Three ways of training differ in what they keep, P trained parameters, Adam, bytes:

- torch (strategies ddp and fsdp) keeps everything in the width of the weights: 16 P in fp32 and under autocast,
  8 P in pure bf16. DDP keeps all of it on every GPU and, on several, a copy of the gradients for the exchange.
- FSDP shards it over N GPUs and gathers the weights of two units and of the embedding while it computes.
- DeepSpeed (zero1 to zero3) in 16 bit keeps 2 P weights, 2 P gradients and 12 P in fp32: the master weights and
  two states. ZeRO-1 shards the 12 P, ZeRO-2 the gradients too (2 P + 18 P/N with their fp32 copy at the step),
  ZeRO-3 everything (18 P/N; arXiv 1910.02054 and DeepSpeed's memory estimators).
"""

from __future__ import annotations

from dataclasses import dataclass

from planner.door import InvalidInputError, Problem
from planner.evidence import Range
from planner.predict.memory_table import MemoryTable
from planner.predict.optimizer_step import EIGHT_BIT, state_bytes, step_temporaries_bytes
from planner.workload.job import Offload, Recipe, Strategy

_NOTHING = Range.exactly(0.0)
_STAGE: dict[Strategy, int] = {"ddp": 0, "zero1": 1, "zero2": 2, "zero3": 3, "fsdp": 3}
_OFFLOADS: dict[Offload, tuple[Strategy, ...]] = {
    "none": ("ddp", "zero1", "zero2", "zero3", "fsdp"),
    "optimizer": ("zero2", "zero3"),
    "all": ("zero3", "fsdp"),
}
# Weights gathered at a time by FSDP (two units, embedding and head) and ZeRO-3 (its largest layer, prefetched), as
# a share of all: 0.06 where 32 equal blocks are all there is, 0.3 where a large vocabulary is a unit of its own.
_GATHERED_SHARE = 0.2
# Gradients that offloading has in flight: DeepSpeed's default bucket of 5e8 elements of 2 bytes.
_OFFLOAD_BUCKET_BYTES = 1e9
# DeepSpeed's estimators ask 1.5 times for the host what its tensors add up to.
_HOST_BUFFER = Range(1.0, 1.25, 1.5)
_MASTER_BYTES = 4.0  # fp32 copy of a 16-bit weight
_HALF_PRECISIONS = ("amp", "amp_bf16", "bf16")


@dataclass(frozen=True)
class States:
    """Bytes on one GPU that do not depend on the batch; ``host`` bytes in the RAM of the whole machine."""

    parameters: float  # resident between steps
    gathered: float  # weights of other GPUs, while computing
    gradient_share: float  # kept bytes per traced gradient byte
    gradient_copies: float  # buckets for the exchange
    optimizer: Range  # states and master weights
    step_temporaries: float  # while the optimizer runs
    absent_casts: float  # autocast's 16-bit weights that were traced, where the weights themselves are 16-bit
    whole_weights: float  # of a sharded model that is held whole, as some do to load or save it; else 0
    host: Range | None  # None: nothing is offloaded


def check_offload(recipe: Recipe) -> None:
    """Raises InvalidInputError for an offload that its strategy does not have."""
    possible = _OFFLOADS[recipe.offload]
    if recipe.mode == "train" and recipe.strategy not in possible:
        what = f"offloading {recipe.offload} needs strategy {' or '.join(possible)}, not {recipe.strategy}"
        raise InvalidInputError(recipe.model, (Problem("offload", what),))


def inference_states(table: MemoryTable) -> States:
    """Weights alone."""
    return States(float(table.parameter_bytes), 0.0, 0.0, 0.0, _NOTHING, 0.0, 0.0, 0.0, None)


def training_states(table: MemoryTable, recipe: Recipe, gpus: int) -> States:
    """States of a training step on each of ``gpus`` GPUs."""
    half = recipe.precision in _HALF_PRECISIONS
    if recipe.strategy.startswith("zero") and half:
        return _divided(_deepspeed(table, recipe), table, recipe, gpus)
    return _divided(_torch(table, recipe), table, recipe, gpus)


@dataclass(frozen=True)
class _Whole:
    """All states of a training, before they are shared out, bytes."""

    weights: float  # trained ones, as stored
    computed: float  # trained ones, as they are gathered to compute with
    gradients: float
    states: Range
    step_temporaries: float
    absent_casts: float


def _torch(table: MemoryTable, recipe: Recipe) -> _Whole:
    """DDP and FSDP; also ZeRO in fp32, which needs no master weights."""
    trained = float(table.trained_parameter_bytes)
    half = recipe.precision in _HALF_PRECISIONS
    return _Whole(
        weights=trained,
        computed=min(trained, 2.0 * table.trained_parameters) if half else trained,
        gradients=trained,
        states=state_bytes(table, recipe),
        step_temporaries=step_temporaries_bytes(table, recipe),
        absent_casts=0.0,
    )


def _deepspeed(table: MemoryTable, recipe: Recipe) -> _Whole:
    count, width = float(table.trained_parameters), table.trained_width
    states = state_bytes(table, recipe)
    if recipe.optimizer not in EIGHT_BIT and width:
        states = states.scaled(4.0 / width)
    return _Whole(
        weights=2.0 * count,
        computed=2.0 * count,
        gradients=2.0 * count,
        states=states.plus(Range.exactly(_MASTER_BYTES * count)),
        step_temporaries={1: 0.0, 2: 4.0, 3: 2.0}[_STAGE[recipe.strategy]] * count,
        absent_casts=2.0 * count if width == 4.0 else 0.0,
    )


def _shards_frozen(recipe: Recipe) -> bool:
    """ZeRO-3 leaves 4-bit weights whole on every GPU; FSDP shards them, stored as floats."""
    return recipe.strategy == "fsdp" or (recipe.strategy == "zero3" and not recipe.adapter.startswith("qlora"))


def _divided(whole: _Whole, table: MemoryTable, recipe: Recipe, gpus: int) -> States:
    """What of it lies on one GPU, and what in the host."""
    stage = _STAGE[recipe.strategy]
    states_shards, gradient_shards, weight_shards = (gpus if stage >= at else 1 for at in (1, 2, 3))
    sharded_frozen = table.frozen_bytes if _shards_frozen(recipe) else 0.0
    kept_whole = table.frozen_bytes - sharded_frozen
    parameters = kept_whole + (sharded_frozen + whole.weights) / weight_shards
    gradients = whole.gradients / gradient_shards
    optimizer, temporaries = whole.states.scaled(1 / states_shards), whole.step_temporaries / states_shards
    host = None
    if recipe.offload != "none":
        host = _host(whole, table, recipe, gpus, sharded_frozen)
        optimizer, temporaries = _NOTHING, 0.0
        gradients = min(gradients, _OFFLOAD_BUCKET_BYTES)
        parameters = kept_whole if recipe.offload == "all" else parameters
    gathers = stage == 3 and (gpus > 1 or recipe.offload == "all")
    traced = float(table.trained_parameter_bytes)
    return States(
        parameters=parameters,
        gathered=_GATHERED_SHARE * (sharded_frozen + whole.computed) if gathers else 0.0,
        gradient_share=gradients / traced if traced else 0.0,
        gradient_copies=whole.gradients if gpus > 1 and stage == 0 else 0.0,
        optimizer=optimizer,
        step_temporaries=temporaries,
        absent_casts=whole.absent_casts,
        whole_weights=kept_whole + sharded_frozen + whole.weights if gathers else 0.0,
        host=host,
    )


def _host(whole: _Whole, table: MemoryTable, recipe: Recipe, gpus: int, sharded_frozen: float) -> Range:
    """RAM of the machine: what was moved there, or what DeepSpeed's estimators ask for, whichever is more."""
    moved = whole.gradients + whole.states.likely
    if recipe.offload == "all":
        moved += whole.weights + sharded_frozen
    if recipe.strategy != "fsdp":
        per_parameter = max(4.0 * gpus, 18.0 if recipe.strategy == "zero3" else 16.0)
        moved = max(moved, per_parameter * table.trained_parameters)
    return Range(_HOST_BUFFER.low * moved, _HOST_BUFFER.likely * moved, _HOST_BUFFER.high * moved)
