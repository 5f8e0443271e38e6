"""Step time, exchange and memory of one recipe on N GPUs, together."""

from __future__ import annotations

from planner.door import InvalidInputError, Problem
from planner.evidence import Evidence, Range, weakest
from planner.predict.memory import estimate_memory
from planner.predict.scaling import MAX_GPUS, communication
from planner.predict.step_time import predict_step_time
from planner.predict.types import DeviceModel, Estimate
from planner.workload.job import Recipe
from planner.workload.optable import OpTable


def estimate(
    recipe: Recipe,
    device: DeviceModel,
    table: OpTable,
    gpus: int = 1,
    bandwidth: Range | None = None,
    bandwidth_evidence: Evidence = Evidence.ASSUMED,
) -> Estimate:
    """One row of answers. ``recipe.batch_size`` is per GPU; ``bandwidth`` is the host's bus bandwidth, bytes/s.

    Inference on N GPUs is N independent copies: nothing is exchanged. Raises InvalidInputError.
    """
    if not 1 <= gpus <= MAX_GPUS:
        raise InvalidInputError(recipe.model, (Problem("gpus", f"must be 1 to {MAX_GPUS}, got {gpus}"),))
    step = predict_step_time(table, recipe, device)
    exchange = None
    if gpus > 1 and recipe.mode == "train":
        exchange = communication(
            table, recipe, gpus, step.seconds.likely, bandwidth or device.link_bytes_per_s, bandwidth_evidence
        )
    total = step.seconds.plus(exchange.total_s) if exchange else step.seconds
    samples = float(recipe.batch_size * gpus)
    return Estimate(
        gpu_count=gpus,
        step=step,
        communication=exchange,
        step_time_s=total,
        samples_per_s=Range(samples / total.high, samples / total.likely, samples / total.low),
        memory=estimate_memory(table, recipe, device, gpus),
        evidence=weakest(step.evidence, exchange.evidence) if exchange else step.evidence,
    )
