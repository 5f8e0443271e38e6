"""Peak memory of one GPU, part by part, whether it fits, and the largest batch that does.

The peak is the highest of the moments of a step (``memory_moments``); the parts given are those of that moment, so
their likely sizes add up to the likely total. The interval of the total is calibrated on published peaks
(``memory_spread``): single parts are not known that well, and their ends do not add up to those of the total.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.door import InvalidInputError, Problem
from planner.evidence import Range
from planner.predict.memory_moments import ALLOCATED, PHASES, Moments, moments
from planner.predict.memory_spread import Spread, spread_of
from planner.predict.memory_states import check_offload, training_states
from planner.predict.memory_table import MemoryTable
from planner.predict.step_time import input_size
from planner.predict.types import DeviceModel, Fits, Floats, MemoryEstimate, MemoryPart, MemoryPhase
from planner.workload.job import Recipe
from planner.workload.optable import OpTable

_LARGEST_SEARCHED_BATCH = 2**24


@dataclass(frozen=True)
class _Peak:
    """Memory of one recipe as a function of the batch size alone."""

    moments: Moments
    spread: Spread
    context: Range

    def totals(self, batch_size: int) -> tuple[Floats, Floats, Floats]:
        """(M,) low, likely and high total of every moment, bytes."""
        allocated = self.moments.bytes_at(batch_size).sum(axis=1)
        scaled = self.spread.scale * allocated
        context = self.context
        return (
            self.spread.low * scaled + context.low,
            scaled + context.likely,
            self.spread.high * scaled + context.high,
        )

    def total(self, batch_size: int) -> Range:
        """90 % interval of the peak."""
        low, likely, high = (float(ends.max()) for ends in self.totals(batch_size))
        return Range(low, likely, high)

    def phases(self, batch_size: int) -> tuple[MemoryPhase, ...]:
        """The need of every phase there is, in the order of a training."""
        low, likely, high = self.totals(batch_size)
        high = high + self.moments.may_add
        found = []
        for index in np.unique(self.moments.phase):
            here = self.moments.phase == index
            ends = Range(float(low[here].max()), float(likely[here].max()), float(high[here].max()))
            found.append(MemoryPhase(PHASES[int(index)], ends))
        return tuple(found)

    def parts(self, batch_size: int) -> tuple[str, tuple[MemoryPart, ...]]:
        """Phase of the likely peak, and what it consists of."""
        _, likely, _ = self.totals(batch_size)
        peak = int(likely.argmax())
        sizes = self.moments.bytes_at(batch_size)[peak]
        allocated = float(sizes.sum())
        low, high = self.spread.low, self.spread.high
        parts = [MemoryPart(code, _around(size, low, high)) for code, size in zip(ALLOCATED, sizes, strict=True)]
        parts.append(MemoryPart("context", self.context))
        reserve = (self.spread.scale - 1.0) * allocated
        parts.append(MemoryPart("fragmentation", _around(reserve, 0.0, max(high, 1.0))))
        return PHASES[int(self.moments.phase[peak])], tuple(parts)

    def verdict(self, batch_size: int, available: float) -> Fits:
        """Yes where it is practically sure to fit, no where it is practically sure not to."""
        need = self.spread.scale * float(self.moments.bytes_at(batch_size).sum(axis=1).max())
        room = available - self.context.likely
        if need * self.spread.sure_above <= room:
            return Fits.YES
        return Fits.NO if need * self.spread.sure_below > room else Fits.UNSURE

    def largest_batch(self, available: float) -> int:
        """Largest batch with the verdict yes, 0 for none: where the first line crosses what is left."""
        limit = (available - self.context.likely) / (self.spread.scale * self.spread.sure_above)
        constants, slopes = self.moments.lines()
        growing = slopes > 0
        if (constants[~growing] > limit).any():
            return 0
        crossing = ((limit - constants[growing]) / slopes[growing]).min(initial=_LARGEST_SEARCHED_BATCH)
        batch = int(min(max(crossing, 0.0), _LARGEST_SEARCHED_BATCH))
        # The crossing is right or off by rounding.
        while batch > 0 and self.verdict(batch, available) is not Fits.YES:
            batch -= 1
        while batch < _LARGEST_SEARCHED_BATCH and self.verdict(batch + 1, available) is Fits.YES:
            batch += 1
        return batch


def _around(size: float, low: float, high: float) -> Range:
    return Range(low * size, size, high * size)


def estimate_memory(table: OpTable, recipe: Recipe, device: DeviceModel, gpus: int = 1) -> MemoryEstimate:
    """Peak memory on each of ``gpus`` GPUs against what is available there.

    Raises InvalidInputError when the table does not serve the recipe.
    """
    if gpus < 1:
        raise InvalidInputError(recipe.model, (Problem("gpus", f"must be at least 1, got {gpus}"),))
    return memory_at(MemoryTable.of(table), recipe, device, input_size(table, recipe), gpus)


def memory_at(table: MemoryTable, recipe: Recipe, device: DeviceModel, size: int, gpus: int = 1) -> MemoryEstimate:
    """``estimate_memory`` for a table without ops, at an image size or sequence length.

    Raises InvalidInputError for an offload that the strategy does not have.
    """
    check_offload(recipe)
    spread = spread_of(table, recipe, gpus, on_cpu=device.is_cpu)
    peak = _Peak(moments(table, recipe, gpus, size, spread.workspace_bytes), spread, spread.context)
    total = peak.total(recipe.batch_size)
    phase, parts = peak.parts(recipe.batch_size)
    host = training_states(table, recipe, gpus).host if recipe.mode == "train" else None
    available = None
    if device.memory_bytes is not None:
        available = max(device.memory_bytes - device.memory_reserved_bytes, 0.0)
    return MemoryEstimate(
        parts=parts,
        total_bytes=total,
        available_bytes=available,
        fits=Fits.UNSURE if available is None else peak.verdict(recipe.batch_size, available),
        largest_batch_size=None if available is None else peak.largest_batch(available),
        evidence=spread.evidence,
        phase=phase,
        phases=peak.phases(recipe.batch_size),
        host_bytes=host,
    )
