"""Errors of predicted memory against published reports, beside those of the usual rules of thumb. No torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from planner.door import InvalidInputError, Problem
from planner.hardware.catalogue import by_id
from planner.predict.calibration.memory_cases import (
    RESERVED_OVER_ALLOCATED,
    LadderCase,
    MemoryCase,
    ladder_cases,
    memory_cases,
    not_covered,
    read_rows,
)
from planner.predict.device import REPORTED_SHARE, device_from_catalogue
from planner.predict.memory import memory_at
from planner.predict.memory_spread import calibration
from planner.predict.memory_table import MemoryTable
from planner.predict.types import DeviceModel, Fits, MemoryEstimate
from planner.workload.job import Recipe


@dataclass(frozen=True, slots=True)
class PeakErrors:
    """Of peaks: predicted over measured. ``coverage``: share inside the 90 % interval; None: there is none."""

    cases: int
    median_error: float
    p90_error: float
    bias: float  # median of predicted / measured − 1
    coverage: float | None


@dataclass(frozen=True, slots=True)
class VerdictErrors:
    """Of runs known to fit or not: ``right`` counts unsure as half; ``wrong_yes``: share of the runs that did not
    fit of which yes was said."""

    cases: int
    right: float
    wrong_yes: float


_CARD = "rtx-3090"
Need = Callable[[MemoryTable, Recipe, int], float]  # bytes on one of so many GPUs


@cache
def rtx3090() -> DeviceModel:
    """The card of the batch ladder. Raises InvalidInputError where the GPU catalogue lacks it."""
    spec = by_id(_CARD)
    if spec is None:
        raise InvalidInputError("catalogue", (Problem("gpu", f"{_CARD} is missing from the GPU catalogue"),))
    return device_from_catalogue(spec)


def room_bytes(device: DeviceModel) -> float:
    """What a job can have of a card."""
    return (device.memory_bytes or 0.0) - device.memory_reserved_bytes


def card_of(case: MemoryCase) -> DeviceModel:
    """A card of the case's capacity: drivers keep the same share of it as of an RTX 3090's."""
    if case.capacity_bytes is None:
        return rtx3090()
    return replace(rtx3090(), memory_bytes=REPORTED_SHARE * case.capacity_bytes)


def predicted(case: MemoryCase) -> MemoryEstimate:
    return memory_at(case.table, case.recipe, card_of(case), case.size, case.gpus)


def at_meter(case: MemoryCase, estimate: MemoryEstimate) -> tuple[float, float, float]:
    """Low, likely and high of what the case's meter reads: torch's allocator knows no CUDA context."""
    total = estimate.total_bytes
    if case.meter == "device":
        return total.low, total.likely, total.high
    context = next(part.bytes for part in estimate.parts if part.code == "context")
    share = 1 / RESERVED_OVER_ALLOCATED if case.meter == "allocated" else 1.0
    return (
        share * (total.low - context.low),
        share * (total.likely - context.likely),
        share * (total.high - context.high),
    )


def peak_cases(confidence: str = "high") -> list[MemoryCase]:
    """Measured peaks of one confidence."""
    return [case for case in memory_cases() if case.kind == "peak" and case.confidence == confidence]


def _errors(ratios: Sequence[float], inside: Sequence[bool] | None) -> PeakErrors:
    error = np.abs(np.array(ratios) - 1)
    return PeakErrors(
        cases=len(ratios),
        median_error=float(np.median(error)),
        p90_error=float(np.quantile(error, 0.9)),
        bias=float(np.median(ratios)) - 1,
        coverage=None if inside is None else float(np.mean(inside)),
    )


def our_peak_errors(cases: Sequence[MemoryCase]) -> PeakErrors:
    """Of the shipped prediction."""
    ratios, inside = [], []
    for case in cases:
        assert case.peak_bytes is not None
        low, likely, high = at_meter(case, predicted(case))
        ratios.append(likely / case.peak_bytes)
        inside.append(low <= case.peak_bytes <= high)
    return _errors(ratios, inside)


def rival_peak_errors(cases: Sequence[MemoryCase], need: Need) -> PeakErrors:
    """Of a rule of thumb."""
    return _errors(
        [need(case.table, case.recipe, case.gpus) / case.peak_bytes for case in cases if case.peak_bytes], None
    )


def _score(says: Fits, did_fit: bool) -> float:
    right = Fits.YES if did_fit else Fits.NO
    return 1.0 if says is right else 0.5 if says is Fits.UNSURE else 0.0


def our_verdict_errors(cases: Sequence[MemoryCase]) -> VerdictErrors:
    """Of reports that a run did or did not fit on a named card."""
    return _verdict_errors([(predicted(case).fits, case.kind == "fits") for case in cases])


def rival_verdict_errors(cases: Sequence[MemoryCase], need: Need) -> VerdictErrors:
    """A rule of thumb says yes where its need is below what the card has."""
    answers = []
    for case in cases:
        room = room_bytes(card_of(case))
        answers.append(
            (Fits.YES if need(case.table, case.recipe, case.gpus) <= room else Fits.NO, case.kind == "fits")
        )
    return _verdict_errors(answers)


def _verdict_errors(answers: Sequence[tuple[Fits, bool]]) -> VerdictErrors:
    above = [says for says, did_fit in answers if not did_fit]
    return VerdictErrors(
        cases=len(answers),
        right=float(np.mean([_score(says, did_fit) for says, did_fit in answers])) if answers else 0.0,
        wrong_yes=sum(says is Fits.YES for says in above) / len(above) if above else 0.0,
    )


def ladder_verdicts(case: LadderCase) -> tuple[Fits, Fits]:
    """Of the batch that ran, and of the next one, which did not."""
    here, above = (
        memory_at(case.table, replace(case.recipe, batch_size=batch), rtx3090(), case.size).fits
        for batch in (case.recipe.batch_size, case.next_batch_size)
    )
    return here, above


def our_ladder_errors(cases: Sequence[LadderCase] | None = None) -> VerdictErrors:
    """Of the shipped prediction on timm's ladder."""
    return _rung_errors([ladder_verdicts(case) for case in (ladder_cases() if cases is None else cases)])


def rival_ladder_errors(need: Need, cases: Sequence[LadderCase] | None = None) -> VerdictErrors:
    """A rule without a batch size says the same of both batches."""
    room, pairs = room_bytes(rtx3090()), []
    for case in ladder_cases() if cases is None else cases:
        says = Fits.YES if need(case.table, case.recipe, 1) <= room else Fits.NO
        pairs.append((says, says))
    return _rung_errors(pairs)


def _rung_errors(pairs: Sequence[tuple[Fits, Fits]]) -> VerdictErrors:
    """A rung is as right as the worse of its two verdicts."""
    return VerdictErrors(
        cases=len(pairs),
        right=float(np.mean([min(_score(here, True), _score(above, False)) for here, above in pairs])),
        wrong_yes=float(np.mean([above is Fits.YES for _, above in pairs])),
    )


def by_accelerate(table: MemoryTable, _recipe: Recipe, _gpus: int) -> float:
    """``accelerate estimate-memory``: training with Adam takes four times the weights, whatever the batch."""
    return 4.0 * table.parameter_bytes


def by_deepspeed(table: MemoryTable, recipe: Recipe, gpus: int) -> float:
    """DeepSpeed's estimators (stage 3 for ZeRO-3 and FSDP, else stage 2): states without activations."""
    count = float(table.parameters)
    return 18 * count / gpus if recipe.strategy in ("zero3", "fsdp") else 4 * count + 16 * count / gpus


def by_parameters(table: MemoryTable, _recipe: Recipe, _gpus: int) -> float:
    """Parameters × 16 to 18 bytes."""
    return 17.0 * table.parameters


RIVALS: dict[str, Need] = {"accelerate": by_accelerate, "deepspeed": by_deepspeed, "parameters": by_parameters}


@dataclass(frozen=True, slots=True)
class MemoryAccuracy:
    """All of it, by method: "ours" and the names of ``RIVALS``.

    ``held_out``: of models that were left out of the fit, by kind of training, from the calibration file.
    ``reports``: published ones; ``covered``: those of them that have a recipe.
    """

    peaks: dict[str, PeakErrors]
    reports_fit: dict[str, VerdictErrors]
    ladder: dict[str, VerdictErrors]
    held_out: dict[str, dict[str, float]]
    reports: int
    covered: int
    not_covered: dict[str, int]


def memory_accuracy() -> MemoryAccuracy:
    """Errors on everything that is shipped. Seconds."""
    peaks = peak_cases()
    reports = [case for case in memory_cases() if case.kind != "peak" and case.recipe.model.startswith("hf:")]
    missing = not_covered()
    rows = len(read_rows())
    return MemoryAccuracy(
        peaks={"ours": our_peak_errors(peaks)} | {k: rival_peak_errors(peaks, need) for k, need in RIVALS.items()},
        reports_fit={"ours": our_verdict_errors(reports)}
        | {name: rival_verdict_errors(reports, need) for name, need in RIVALS.items()},
        ladder={"ours": our_ladder_errors()} | {name: rival_ladder_errors(need) for name, need in RIVALS.items()},
        held_out=calibration().errors,
        reports=rows + sum(missing.values()),
        covered=rows,
        not_covered=missing,
    )
