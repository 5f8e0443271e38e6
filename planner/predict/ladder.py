"""The ladder: changes to a recipe that take less memory, each with what it saves and what it costs in time.

A change is a recipe like any other, predicted like any other; its time is that of a sample on all GPUs together,
over that of the recipe as it is. Summed gradients are counted with an update for every batch, the careful side.
What a change does to the result of the training is not predicted: adapters train fewer weights, other optimizers
and precisions converge differently.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from planner.evidence import Evidence, Range, weakest
from planner.predict.estimate import estimate
from planner.predict.scaling import MAX_GPUS, exchanged_bytes
from planner.predict.types import DeviceModel, Estimate, Fits, MemoryEstimate
from planner.units import GIB
from planner.workload.job import Recipe
from planner.workload.optable import OpTable

# Host to GPU: 6 (PCIe 3.0 × 8) to 24 GB/s (4.0 × 16); DeepSpeed's CPU Adam updates 0.7 to 2.5 billion parameters a
# second on 8 to 32 cores (its own tutorial and issues): judgement from public figures.
_HOST_LINK_BYTES_PER_S = Range(6e9, 12e9, 24e9)
_HOST_UPDATE_PARAMETERS_PER_S = Range(0.7e9, 1.2e9, 2.5e9)
_ADAPTER_RANK = 16
_LIGHT_OPTIMIZERS = ("sgd", "adafactor", "adamw8bit", "paged_adamw8bit")
_WORTH_BYTES = 0.01 * GIB  # a change that saves less is none

TableOf = Callable[[Recipe], OpTable | None]  # None: not traced yet


@dataclass(frozen=True, slots=True)
class Rung:
    """One change, or several together. ``codes``: of "accumulate", "amp", "checkpointing", "optimizer", "lora",
    "qlora", "shard", "offload"; ``gain_bytes``: how much less the likely peak is; ``time_ratio``: time per sample
    over that of now."""

    codes: tuple[str, ...]
    recipe: Recipe
    gpus: int
    memory: MemoryEstimate
    gain_bytes: float
    time_ratio: Range
    evidence: Evidence


def ladder(
    recipe: Recipe, device: DeviceModel, table_of: TableOf, gpus: int = 1, bandwidth: Range | None = None
) -> tuple[Rung, ...]:
    """Changes that lower the peak: those that make it fit first, each kind by its cost in time.

    Where no single change is enough, the last rung is a sequence of them that is. Empty for inference and for a
    model whose table is not there. Raises InvalidInputError as ``estimate`` does.
    """
    table = table_of(recipe)
    if table is None or recipe.mode == "infer":
        return ()
    climb = _Climb(recipe, device, table_of, gpus, bandwidth, estimate(recipe, device, table, gpus, bandwidth))
    single = [rung for rung in climb.changes(recipe, gpus, ()) if rung.gain_bytes > _WORTH_BYTES]
    single.sort(key=lambda rung: (rung.memory.fits is not Fits.YES, rung.time_ratio.likely, -rung.gain_bytes))
    if any(rung.memory.fits is Fits.YES for rung in single):
        return tuple(single)
    together = climb.together(single)
    return (*single, together) if together else tuple(single)


@dataclass(frozen=True)
class _Climb:
    """Ladder of one recipe; ``now``: as it is."""

    recipe: Recipe
    device: DeviceModel
    table_of: TableOf
    gpus: int
    bandwidth: Range | None
    now: Estimate

    def changes(self, start: Recipe, gpus: int, before: tuple[str, ...]) -> Iterator[Rung]:
        """Every change of ``start``, alone."""
        for code, recipe, count in (*_changed(start, gpus), *self._smaller_batch(start, gpus)):
            if code not in before:
                rung = self._rung((*before, code), recipe, count)
                if rung is not None:
                    yield rung

    def together(self, single: list[Rung]) -> Rung | None:
        """Changes one on top of the other, always the one that saves most, until it fits; None: it never does."""
        best = max(single, key=lambda rung: rung.gain_bytes, default=None)
        while best is not None and best.memory.fits is not Fits.YES:
            here = best
            more = [
                rung
                for rung in self.changes(here.recipe, here.gpus, here.codes)
                if rung.gain_bytes > here.gain_bytes + _WORTH_BYTES
            ]
            enough = [rung for rung in more if rung.memory.fits is Fits.YES]
            if enough:
                return min(enough, key=lambda rung: rung.time_ratio.likely)
            best = max(more, key=lambda rung: rung.gain_bytes, default=None)
        return best

    def _smaller_batch(self, start: Recipe, gpus: int) -> Iterator[tuple[str, Recipe, int]]:
        """Gradients summed over as few parts of the batch as make it fit, at least two."""
        table = self.table_of(start)
        if table is None or start.batch_size == 1:
            return
        summed = replace(start, accumulation_steps=max(start.accumulation_steps, 2))
        largest = estimate(summed, self.device, table, gpus, self.bandwidth).memory.largest_batch_size
        parts = max(math.ceil(start.batch_size / max(largest or 1, 1)), 2)
        batch, steps = math.ceil(start.batch_size / parts), start.accumulation_steps * parts
        yield "accumulate", replace(start, batch_size=batch, accumulation_steps=steps), gpus

    def _rung(self, codes: tuple[str, ...], recipe: Recipe, gpus: int) -> Rung | None:
        table = self.table_of(recipe)
        if table is None:
            return None
        after = estimate(recipe, self.device, table, gpus, self.bandwidth)
        extra = _offload_s(recipe, table, gpus)
        ratio = _time_ratio(self.now, after, extra)
        grade = weakest(after.evidence, after.memory.evidence)
        return Rung(
            codes=codes,
            recipe=recipe,
            gpus=gpus,
            memory=after.memory,
            gain_bytes=self.now.memory.total_bytes.likely - after.memory.total_bytes.likely,
            time_ratio=ratio,
            evidence=Evidence.ASSUMED if recipe.offload != "none" else grade,
        )


def _changed(start: Recipe, gpus: int) -> Iterator[tuple[str, Recipe, int]]:
    """Recipes with one setting changed; sharding also over more GPUs."""
    if start.precision in ("fp32", "tf32"):
        yield "amp", replace(start, precision="amp"), gpus
    if start.checkpointing == "none":
        yield "checkpointing", replace(start, checkpointing="full"), gpus
    if start.optimizer not in _LIGHT_OPTIMIZERS and start.optimizer.startswith("adam"):
        yield "optimizer", replace(start, optimizer="adamw8bit"), gpus
    if start.adapter == "none":
        yield "lora", replace(start, adapter=f"lora:{_ADAPTER_RANK}"), gpus
    if not start.adapter.startswith("qlora"):
        rank = start.adapter.partition(":")[2] or str(_ADAPTER_RANK)
        yield "qlora", replace(start, adapter=f"qlora:{rank}"), gpus
    if start.strategy in ("ddp", "zero1", "zero2") and start.offload == "none":
        for count in sorted({max(gpus, 2), 4, 6}):
            if gpus <= count <= MAX_GPUS:
                yield "shard", replace(start, strategy="fsdp"), count
    if start.offload == "none" and start.strategy != "fsdp":
        yield "offload", replace(start, strategy="zero3", offload="optimizer"), gpus


def _offload_s(recipe: Recipe, table: OpTable, gpus: int) -> Range:
    """Seconds that an update in the host adds to a step: gradients down, weights up, the update itself."""
    if recipe.offload == "none":
        return Range.exactly(0.0)
    moved = 2 * exchanged_bytes(table, replace(recipe, strategy="ddp")) / gpus
    if recipe.offload == "all":
        moved += 2 * table.parameter_bytes / gpus
    link, host, count = _HOST_LINK_BYTES_PER_S, _HOST_UPDATE_PARAMETERS_PER_S, table.trained_parameters
    step = Range(
        moved / link.high + count / host.high,
        moved / link.likely + count / host.likely,
        moved / link.low + count / host.low,
    )
    return step.scaled(1 / recipe.accumulation_steps)


def _time_ratio(now: Estimate, after: Estimate, extra_s: Range) -> Range:
    """Time per sample of both; the method's own error is common to them and cancels."""

    def per_sample(found: Estimate, extra: float) -> float:
        return (found.step_time_s.likely + extra) / (found.samples_per_s.likely * found.step_time_s.likely)

    before = per_sample(now, 0.0)
    return Range(*(per_sample(after, extra) / before for extra in (extra_s.low, extra_s.likely, extra_s.high)))
