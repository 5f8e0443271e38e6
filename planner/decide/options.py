"""Local and rented options: what each takes and costs, as one range per number and one sample per future."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from planner.decide.draws import Draws, summary
from planner.decide.types import CostPart, Option, OptionKind, Phase, Reason, Terms
from planner.evidence import Evidence, Range, weakest
from planner.offers.billing import electricity_usd, rent_usd, transfer_s
from planner.offers.offer import PackagePrice
from planner.predict.estimate import estimate
from planner.predict.types import DeviceModel, Estimate, Fits, MemoryEstimate
from planner.workload.job import Job
from planner.workload.optable import OpTable

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

RENTED_COUNTS = (1, 2, 3, 4, 5, 6)
DEFAULT_BILLING_STEP_S = 3600.0  # of a package nobody sells
ASSUMED_GPU_POWER_W = 300.0  # of a card whose power limit neither driver nor data sheet tells
_EVEN_ODDS = 0.5  # of fitting into a memory of unknown size


@dataclass(frozen=True)
class Weighed:
    """An option with its samples, (S,) each; None: not known."""

    option: Option
    time_s: Floats | None = None  # to the result
    cost_usd: Floats | None = None  # in all
    fits: Bools | None = None  # whether the job fits into the memory
    steps: float = 0.0  # likely number of training steps


@dataclass(frozen=True)
class Around:
    """The phases around the run on a rented machine, the same for any number of cards: (S,) seconds each."""

    samples_s: dict[str, Floats]
    phases: dict[str, Phase]
    total_s: Floats
    epochs: Floats


def batch_per_gpu(job: Job, gpu_count: int) -> int:
    """Samples per GPU and step: an equal share of the kept global batch, rounded up, or the batch itself."""
    batch = job.recipe.batch_size
    return math.ceil(batch / gpu_count) if job.kept_batch == "global" else batch


def samples_per_step(job: Job, gpu_count: int) -> int:
    """Of all GPUs together. A kept global batch stays what it is, also where it does not divide evenly."""
    return job.recipe.batch_size * (1 if job.kept_batch == "global" else gpu_count)


def _steps_per_epoch(job: Job, gpu_count: int) -> int:
    """A last, smaller batch of an epoch costs a whole step."""
    return math.ceil(job.samples_per_epoch / samples_per_step(job, gpu_count))


def _step_samples(found: Estimate, draws: Draws, own: str) -> Floats:
    step = found.step
    spread = step.sigma_model * draws.normal["step_model"] + step.sigma_device * draws.normal[own]
    seconds = step.seconds.likely * np.exp(spread)
    if found.communication is not None:
        seconds = seconds + draws.value("bus_bandwidth", found.communication.total_s)
    return seconds


def _fits(memory: MemoryEstimate, draws: Draws) -> Bools:
    """(S,) whether the peak stays below what is free, as far as the prediction can tell."""
    if memory.fits is not Fits.UNSURE:
        return np.full(draws.uniform["memory"].shape, memory.fits is Fits.YES)
    if memory.available_bytes is None:
        return draws.uniform["memory"] < _EVEN_ODDS
    return draws.value("memory", memory.total_bytes) <= memory.available_bytes


def _memory_reasons(key: str, memory: MemoryEstimate) -> tuple[Reason, ...]:
    if memory.fits is not Fits.NO or memory.available_bytes is None:
        return ()
    values = (
        ("option", key),
        ("needed_bytes", memory.total_bytes),
        ("available_bytes", memory.available_bytes),
        ("part", memory.largest_part.code),
        ("largest_batch_count", memory.largest_batch_size or 0),
    )
    return (Reason("memory", values),)


def _option(kind: OptionKind, found: Estimate, job: Job, name: str) -> Option:
    """The predicted part of an option; clock and bill follow."""
    key = "local" if kind == "local" else f"rent-{found.gpu_count}"
    return Option(
        kind=kind,
        gpu_count=found.gpu_count,
        device_name=name,
        sold=kind == "local",
        step=found.step,
        step_total_s=found.step_time_s,
        speedup=None,
        communication=found.communication,
        memory=found.memory,
        batch_per_gpu=batch_per_gpu(job, found.gpu_count),
        price=None,
        phases=(),
        time_s=None,
        cost=(),
        cost_usd=None,
        p_on_time=None,
        p_best=0.0,
        rejected=_memory_reasons(key, found.memory),
        evidence=found.evidence,
    )


def no_local_option(job: Job, unknown_gpu: str | None, machine_known: bool) -> Weighed:
    """This machine without anything to train on, with a GPU of which neither data sheet nor benchmark tells, or
    never looked at."""
    reason = Reason("unknown_gpu", (("device", unknown_gpu),)) if unknown_gpu else Reason("no_local_gpu")
    reason = reason if machine_known else Reason("machine_unknown")
    return Weighed(
        Option(
            kind="local", gpu_count=1, device_name=unknown_gpu or "", sold=True, step=None, step_total_s=None,
            speedup=None, communication=None, memory=None, batch_per_gpu=batch_per_gpu(job, 1), price=None,
            phases=(), time_s=None, cost=(), cost_usd=None, p_on_time=None, p_best=0.0, rejected=(reason,),
            evidence=Evidence.ASSUMED,
        )
    )  # fmt: skip


def training_power_w(device: DeviceModel) -> float:
    """Power of the device while it trains, beside the computer around it (which includes the processor)."""
    if device.is_cpu:
        return 0.0
    return ASSUMED_GPU_POWER_W if device.power_w is None else device.power_w


def weigh_local(job: Job, table: OpTable, device: DeviceModel, terms: Terms, draws: Draws) -> Weighed:
    """This machine: no upload and no set-up, electricity instead of rent."""
    found = estimate(job.recipe, device, table)
    steps = _steps_per_epoch(job, 1) * draws.value("epochs", job.epochs)
    run_s = _step_samples(found, draws, "step_local") * steps
    waiting = run_s / 3600 * terms.waiting_cost_usd_per_h
    price = draws.value("electricity", terms.electricity_usd_per_kwh)
    electricity = electricity_usd(run_s, training_power_w(device), terms.host_power_w, price)
    cost = electricity + waiting
    time = summary(run_s)
    option = replace(
        _option("local", found, job, device.name),
        phases=(Phase("run", time, billed=False),),
        time_s=time,
        cost=(
            CostPart("electricity", summary(electricity)),
            CostPart("waiting", time.scaled(terms.waiting_cost_usd_per_h / 3600)),
        ),
        cost_usd=summary(cost),
    )
    return Weighed(option, run_s, cost, _fits(found.memory, draws), _steps_per_epoch(job, 1) * job.epochs.likely)


def around_the_run(job: Job, terms: Terms, draws: Draws) -> Around:
    """Boot, upload, set-up, download and idle of any rented machine."""
    line = draws.value("upload", terms.upload_mbit_per_s)
    samples_s = {
        "boot": draws.value("overheads", terms.boot_h) * 3600,
        "upload": transfer_s(job.dataset_bytes, line),
        "setup": draws.value("overheads", terms.setup_h) * 3600,
        "download": transfer_s(job.result_bytes, line),
        "idle": draws.value("overheads", terms.idle_h) * 3600,
    }
    phases = {code: Phase(code, summary(seconds), billed=True) for code, seconds in samples_s.items()}
    total_s = np.sum(list(samples_s.values()), axis=0)
    return Around(samples_s, phases, total_s, draws.value("epochs", job.epochs))


def weigh_rented(
    job: Job, table: OpTable, device: DeviceModel, price: PackagePrice, terms: Terms, draws: Draws, around: Around
) -> Weighed:
    """``price.gpu_count`` rented cards of one host, from the start of the machine to its end."""
    count = price.gpu_count
    recipe = replace(job.recipe, batch_size=batch_per_gpu(job, count))
    bandwidth = terms.bus_bandwidth_gbs.scaled(1e9) if terms.bus_bandwidth_gbs else None
    found = estimate(recipe, device, table, count, bandwidth)
    run_s = _step_samples(found, draws, "step_rented") * (_steps_per_epoch(job, count) * around.epochs)
    billed_s = around.total_s + run_s
    time_s = billed_s - around.samples_s["idle"]  # the result is there before somebody notices
    time = summary(time_s)
    waiting = time_s / 3600 * terms.waiting_cost_usd_per_h
    parts = [CostPart("waiting", time.scaled(terms.waiting_cost_usd_per_h / 3600))]
    cost: Floats | None = None
    if price.usd_per_hour is not None:
        billing_step_s = price.offer.billing_step_s if price.offer else DEFAULT_BILLING_STEP_S
        rent = rent_usd(billed_s, draws.value("price", price.usd_per_hour), billing_step_s)
        parts.insert(0, CostPart("rent", summary(rent)))
        cost = rent + waiting
    option = _option("rent", found, job, device.name)
    option = replace(
        option,
        sold=price.offer is not None,
        price=price,
        phases=_in_order(around, Phase("run", summary(run_s), billed=True)),
        time_s=time,
        cost=tuple(parts),
        cost_usd=None if cost is None else summary(cost),
        evidence=weakest(option.evidence, Evidence.PUBLISHED if price.is_quote else Evidence.ASSUMED),
    )
    steps = _steps_per_epoch(job, count) * job.epochs.likely
    return Weighed(option, time_s, cost, _fits(found.memory, draws), steps)


def _in_order(around: Around, run: Phase) -> tuple[Phase, ...]:
    known = around.phases
    return known["boot"], known["upload"], known["setup"], run, known["download"], known["idle"]


def with_speedup(weighed: list[Weighed], job: Job) -> list[Weighed]:
    """Add each option's speed against one rented card: samples per second over its, ranges end to end.

    Only the exchange is uncertain here: the card's own speed divides out.
    """
    one = next((w.option for w in weighed if w.option.key == "rent-1"), None)
    if one is None or one.step is None:
        return weighed
    per_sample_s = one.step.seconds.likely / samples_per_step(job, 1)

    def speedup(option: Option) -> Range | None:
        if option.kind == "local" or option.step is None:
            return None
        exchange = option.communication.total_s if option.communication else Range.exactly(0.0)
        alone_s, step_s = samples_per_step(job, option.gpu_count) * per_sample_s, option.step.seconds.likely
        return Range(*(alone_s / (step_s + t) for t in (exchange.high, exchange.likely, exchange.low)))

    return [replace(w, option=replace(w.option, speedup=speedup(w.option))) for w in weighed]
