"""How long everything takes: the run itself, and what surrounds it on a rented machine. (S,) seconds each."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from planner.decide.draws import Draws, summary
from planner.decide.types import Phase, Terms
from planner.evidence import Range
from planner.offers.billing import interrupted_share, transfer_s
from planner.offers.offer import Offer
from planner.predict.types import Estimate
from planner.workload.job import Job

Floats = NDArray[np.float64]

_SPOT = "spot"
_ORDER = ("boot", "upload", "setup", "failed_start", "run", "interrupted", "download", "idle")


def batch_per_gpu(job: Job, gpu_count: int) -> int:
    """Samples per GPU and step: an equal share of the kept global batch, rounded up, or the batch itself."""
    batch = job.recipe.batch_size
    return math.ceil(batch / gpu_count) if job.kept_batch == "global" else batch


def samples_per_step(job: Job, gpu_count: int) -> int:
    """Of all GPUs together. A kept global batch stays what it is, also where it does not divide evenly."""
    return job.recipe.batch_size * (1 if job.kept_batch == "global" else gpu_count)


def steps_per_epoch(job: Job, gpu_count: int) -> int:
    """A last, smaller batch of an epoch costs a whole step."""
    return math.ceil(job.samples_per_epoch / samples_per_step(job, gpu_count))


@dataclass(frozen=True)
class Schedule:
    """How a machine goes through the job: ``rounds`` one after the other, of ``at_a_time`` trainings each."""

    found: Estimate  # of one training
    steps_per_epoch: int
    samples_per_step: int  # of all trainings at a time
    rounds: int = 1
    at_a_time: int = 1

    @property
    def steps(self) -> int:
        """In all rounds together, for each epoch."""
        return self.rounds * self.steps_per_epoch


def one_job(job: Job, found: Estimate) -> Schedule:
    """All GPUs on one training, and the next one after it."""
    count = found.gpu_count
    return Schedule(found, steps_per_epoch(job, count), samples_per_step(job, count), rounds=job.runs)


def side_by_side(job: Job, alone: Estimate, gpu_count: int) -> Schedule:
    """A training on each GPU: nothing to exchange, but none is faster than on one."""
    at_a_time = min(gpu_count, job.runs)
    samples, rounds = at_a_time * samples_per_step(job, 1), math.ceil(job.runs / gpu_count)
    return Schedule(alone, steps_per_epoch(job, 1), samples, rounds, at_a_time)


def step_samples_s(schedule: Schedule, input_rate: Range | None, draws: Draws, own: str) -> Floats:
    """One step: what the GPUs and their exchange take, or the input, whichever is longer.

    ``own``: the draws' column of this machine's speed.
    """
    step, exchange = schedule.found.step, schedule.found.communication
    spread = step.sigma_model * draws.normal["step_model"] + step.sigma_device * draws.normal[own]
    seconds: Floats = step.seconds.likely * np.exp(spread)
    if exchange is not None:
        seconds = seconds + draws.value("bus_bandwidth", exchange.total_s)
    if input_rate is not None:
        seconds = np.maximum(seconds, schedule.samples_per_step / draws.value("input_rate", input_rate))
    return seconds


def step_total(schedule: Schedule, input_rate: Range | None) -> Range:
    """Range of one step with exchange and input."""
    total = schedule.found.step_time_s
    if input_rate is None:
        return total
    rates = (input_rate.high, input_rate.likely, input_rate.low)
    ends = zip((total.low, total.likely, total.high), rates, strict=True)
    return Range(*(max(seconds, schedule.samples_per_step / rate) for seconds, rate in ends))


def binds_input(schedule: Schedule, input_rate: Range | None) -> bool:
    """Whether the GPUs likely wait for the input."""
    return (
        input_rate is not None
        and schedule.samples_per_step / input_rate.likely > schedule.found.step_time_s.likely
    )


@dataclass(frozen=True)
class Around:
    """What does not depend on the number of cards: (S,) seconds by phase, and epochs."""

    samples_s: dict[str, Floats]
    epochs: Floats

    @cached_property
    def phases(self) -> dict[str, Phase]:
        """Summed up once for all options."""
        return {code: Phase(code, summary(seconds), billed=True) for code, seconds in self.samples_s.items()}


def around_the_run(job: Job, terms: Terms, draws: Draws) -> Around:
    """Boot, upload, set-up, a start that fails, download and idle of any rented machine."""
    line = draws.value("upload", terms.upload_mbit_per_s)
    samples_s = {
        "boot": draws.value("overheads", terms.boot_h) * 3600,
        "upload": transfer_s(job.dataset_bytes, line),
        "setup": draws.value("overheads", terms.setup_h) * 3600,
        "download": transfer_s(job.result_bytes, line),
        "idle": draws.value("overheads", terms.idle_h) * 3600,
    }
    return Around(samples_s, draws.value("epochs", job.epochs))


@dataclass(frozen=True)
class Rental:
    """A rented machine from start to end: (S,) seconds to the result, and on the meter."""

    around: Around
    own_s: dict[str, Floats]  # (S,) seconds of the phases that differ from those around any run
    upload_billed: bool
    time_s: Floats
    billed_s: Floats

    def phases(self) -> tuple[Phase, ...]:
        """In order of time."""
        own = {code: Phase(code, summary(seconds), billed=True) for code, seconds in self.own_s.items()}
        phases = self.around.phases | own
        if not self.upload_billed:
            phases["upload"] = replace(phases["upload"], billed=False)
        return tuple(phases[code] for code in _ORDER if code in phases)


def rental(run_s: Floats, offer: Offer | None, around: Around, terms: Terms, draws: Draws) -> Rental:
    """Put the run between the phases around it, as this offer bills them."""
    own: dict[str, Floats] = {"run": run_s}
    if offer is not None and offer.boot_s is not None:
        own["boot"] = np.full_like(run_s, offer.boot_s)
    if terms.failed_start_share > 0:
        again = own.get("boot", around.samples_s["boot"]) + around.samples_s["setup"]
        own["failed_start"] = np.where(draws.uniform["start"] < terms.failed_start_share, again, 0.0)
    if offer is not None and offer.pricing == _SPOT:
        own["interrupted"] = run_s * _interrupted(terms, draws)
    samples_s = around.samples_s | own
    billed_s = np.sum(list(samples_s.values()), axis=0)
    time_s = billed_s - samples_s["idle"]  # the result is there before somebody notices
    upload_billed = offer is None or offer.upload_billed
    if not upload_billed:
        billed_s = billed_s - samples_s["upload"]
    return Rental(around, own, upload_billed, time_s, billed_s)


def _interrupted(terms: Terms, draws: Draws) -> Floats:
    return interrupted_share(
        draws.value("overheads", terms.checkpoint_s),
        draws.value("interruptions", terms.interrupted_every_h) * 3600,
        draws.value("overheads", terms.restart_h) * 3600,
    )
