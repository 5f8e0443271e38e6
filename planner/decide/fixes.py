"""Local fixes first: what costs nothing and may make renting unnecessary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from planner.decide.types import Option, Reason
from planner.predict.compiled import FUSED_TIME
from planner.predict.estimate import estimate
from planner.predict.types import DeviceModel, Fits
from planner.workload.job import Recipe
from planner.workload.optable import OpTable

_WORTH_IT = 0.05  # share of the step below which a fix is not worth a sentence (assumed)


@dataclass(frozen=True)
class Variant:
    """The job's model with one setting changed. ``code`` is below "reason.fix."."""

    code: str  # "amp", "channels_last", "no_checkpointing", "compile"
    recipe: Recipe
    table: OpTable


def fixes(
    local: Option, device: DeviceModel | None, variants: Iterable[Variant], input_binds: bool
) -> Iterator[Reason]:
    """Variants that fit and are clearly faster here, the best first. Nothing where the GPU waits for its input:
    a faster step would wait longer."""
    if device is None or local.step is None or local.time_s is None or input_binds:
        return
    now_s, found = local.step.seconds.likely, []
    for variant in variants:
        after = estimate(variant.recipe, device, variant.table)
        if after.memory.fits is not Fits.NO and after.step.seconds.likely < (1 - _WORTH_IT) * now_s:
            found.append((after.step.seconds.likely / now_s, variant.code))
    for ratio, code in sorted(found):
        after_s, now = local.time_s.scaled(ratio), local.time_s
        # torch.compile may join more than is likely, up to the low end of its range.
        most = 1 - ratio if code != "compile" else (1 - ratio) * (1 - FUSED_TIME.low) / (1 - FUSED_TIME.likely)
        values = (("saved_share", 1 - ratio), ("most_share", most), ("time_s", after_s), ("now_s", now))
        yield Reason(f"fix.{code}", values)
