"""Local and rented options: what each takes and costs, as one range per number and one sample per future."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from planner.decide.bill import Bill, local_bill, rental_bill
from planner.decide.clock import (
    Around,
    Rental,
    Schedule,
    batch_per_gpu,
    binds_input,
    one_job,
    rental,
    side_by_side,
    step_samples_s,
    step_total,
)
from planner.decide.draws import Draws, summary
from planner.decide.types import Option, Phase, Reason, Terms
from planner.evidence import Evidence, Range, weakest
from planner.hardware.snapshot import Host
from planner.offers.billing import energy_kwh
from planner.offers.offer import Offer, PackagePrice
from planner.predict.estimate import estimate
from planner.predict.input_pipeline import input_samples_per_s
from planner.predict.scaling import default_bandwidth
from planner.predict.types import DeviceModel, Estimate, Fits, MemoryEstimate
from planner.workload.job import Job
from planner.workload.optable import OpTable

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

RENTED_COUNTS = (1, 2, 3, 4, 5, 6)
ASSUMED_GPU_POWER_W = 300.0  # of a card whose power limit neither driver nor data sheet tells
# The computer around several cards: two processors, fans and power supplies of a server (assumed).
SERVER_POWER_W = 350.0
_EVEN_ODDS = 0.5  # of fitting into a memory of unknown size


@dataclass(frozen=True)
class Candidate:
    """An option as predicted, before futures are drawn. ``schedule`` None: nothing to train on."""

    option: Option
    schedule: Schedule | None = None
    power_w: float = 0.0  # of all its GPUs while training
    host_power_w: float = 0.0

    @property
    def input_binds(self) -> bool:
        """Whether the GPUs likely wait for the input."""
        return self.schedule is not None and binds_input(self.schedule, self.option.input_samples_per_s)


@dataclass(frozen=True)
class Weighed:
    """An option with its samples, (S,) each; None: not known."""

    option: Option
    time_s: Floats | None = None  # to the result
    cost_usd: Floats | None = None  # in all
    fits: Bools | None = None  # whether the job fits into the memory
    steps: float = 0.0  # likely number of training steps
    input_binds: bool = False  # the GPUs likely wait for the input


@dataclass(frozen=True)
class Asked:
    """What is to be done, and under which circumstances: the same for every option."""

    job: Job
    table: OpTable
    terms: Terms


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


def _predicted(option: Option, schedule: Schedule, asked: Asked) -> Option:
    """``option`` with what is predicted for it; its input rate is filled in already."""
    found, apart = schedule.found, schedule.at_a_time > 1
    batch = asked.job.recipe.batch_size if apart else batch_per_gpu(asked.job, option.gpu_count)
    return replace(
        option,
        step=found.step,
        step_total_s=step_total(schedule, option.input_samples_per_s),
        communication=found.communication,
        memory=found.memory,
        batch_per_gpu=batch,
        rejected=_memory_reasons(option.key, found.memory),
        evidence=found.evidence,
        side_by_side=apart,
    )


def no_local_option(job: Job, unknown_gpu: str | None, machine_known: bool) -> Candidate:
    """This machine without anything to train on, with a GPU of which neither data sheet nor benchmark tells, or
    never looked at."""
    reason = Reason("unknown_gpu", (("device", unknown_gpu),)) if unknown_gpu else Reason("no_local_gpu")
    reason = reason if machine_known else Reason("machine_unknown")
    batch = batch_per_gpu(job, 1)
    return Candidate(Option("local", 1, unknown_gpu or "", sold=True, batch_per_gpu=batch, rejected=(reason,)))


def training_power_w(device: DeviceModel) -> float:
    """Power of the device while it trains, beside the computer around it (which includes the processor)."""
    if device.is_cpu:
        return 0.0
    return ASSUMED_GPU_POWER_W if device.power_w is None else device.power_w


def local_candidate(asked: Asked, device: DeviceModel, host: Host | None, alone: Estimate) -> Candidate:
    """This machine. ``alone``: the job on its GPU."""
    cores = Range.exactly(float(host.logical_cores)) if host and host.logical_cores else None
    memory_bytes = host.memory_total_bytes if host else None
    rate = input_samples_per_s(asked.job, asked.table, cores, asked.terms.disk_mb_per_s, memory_bytes)
    option = Option("local", 1, device.name, sold=True, input_samples_per_s=rate)
    schedule = one_job(asked.job, alone)
    option = _predicted(option, schedule, asked)
    return Candidate(option, schedule, training_power_w(device), asked.terms.host_power_w)


def rented_candidate(asked: Asked, device: DeviceModel, price: PackagePrice, alone: Estimate) -> Candidate:
    """``price.gpu_count`` rented cards of one host. ``alone``: the job on one such card."""
    terms, count = asked.terms, price.gpu_count
    rate = rented_input_samples_per_s(asked, count, price.offer)
    sold = price.offer is not None
    option = Option("rent", count, device.name, sold, price=price, input_samples_per_s=rate)
    schedule = _rented_schedule(asked, device, price, alone, rate)
    option = _predicted(option, schedule, asked)
    graded = weakest(option.evidence, Evidence.PUBLISHED if price.is_quote else Evidence.ASSUMED)
    host_power_w = terms.host_power_w if count == 1 else SERVER_POWER_W
    return Candidate(replace(option, evidence=graded), schedule, count * training_power_w(device), host_power_w)


def _rented_schedule(
    asked: Asked, device: DeviceModel, price: PackagePrice, alone: Estimate, rate: Range | None
) -> Schedule:
    """One training on all cards; of several runs, as many side by side as there are cards where that is quicker.

    Native Windows has no NCCL, so that several cards can only work side by side there.
    """
    job, terms, count = asked.job, asked.terms, price.gpu_count
    if count == 1:
        return one_job(job, alone)
    recipe = replace(job.recipe, batch_size=batch_per_gpu(job, count))
    bandwidth = _bandwidth(terms, price)
    together = one_job(job, estimate(recipe, device, asked.table, count, bandwidth))
    if job.runs == 1 or alone.memory.fits is Fits.NO:
        return together
    apart = side_by_side(job, alone, count)

    def likely_s(schedule: Schedule) -> float:
        return schedule.steps * step_total(schedule, rate).likely

    possible_together = not on_windows(terms, price.offer) and together.found.memory.fits is not Fits.NO
    return together if possible_together and likely_s(together) < likely_s(apart) else apart


def on_windows(terms: Terms, offer: Offer | None) -> bool:
    """Whether the rented machine runs Windows: as the offer says, else as the terms do."""
    told = offer.os.lower() if offer else ""
    return told.startswith("windows") if told else terms.platform == "windows"


def _bandwidth(terms: Terms, price: PackagePrice) -> Range | None:
    """As typed, else that of hosts connected as the offer says, else as the terms do; None: the default range."""
    if terms.bus_bandwidth_gbs is not None:
        return terms.bus_bandwidth_gbs.scaled(1e9)
    told = price.offer.interconnect.lower() if price.offer else ""
    if price.gpu_count == 2 and "nvlink" in told:
        return default_bandwidth(2, "nvlink")
    return None if terms.host_class == "unknown" else default_bandwidth(price.gpu_count, terms.host_class)


def rented_input_samples_per_s(asked: Asked, gpu_count: int, offer: Offer | None) -> Range | None:
    """Input that a rented machine can prepare; None: no limit known.

    Its cores are those of the offer, else what common offers have for each card.
    """
    told = offer.vcpus if offer else None
    cores = Range.exactly(float(told)) if told else asked.terms.rented_vcpus_per_gpu.scaled(gpu_count)
    memory_bytes = offer.ram_gb * 1e9 if offer and offer.ram_gb is not None else None
    return input_samples_per_s(asked.job, asked.table, cores, asked.terms.disk_mb_per_s, memory_bytes)


@dataclass(frozen=True)
class _Futures:
    """A candidate in every drawn future; ``machine`` None: here, where nothing surrounds the run."""

    run_s: Floats
    machine: Rental | None
    bill: Bill


def _futures(candidate: Candidate, schedule: Schedule, asked: Asked, draws: Draws, around: Around) -> _Futures:
    option = candidate.option
    rented = option.kind != "local"
    step_s = step_samples_s(schedule, option.input_samples_per_s, draws, "step_rented" if rented else "step_local")
    run_s = step_s * (schedule.steps * around.epochs)
    if rented and option.price is not None:
        machine = rental(run_s, option.price.offer, around, asked.terms, draws)
        bill = rental_bill(machine.time_s, machine.billed_s, option.price, asked.job, asked.terms, draws)
        return _Futures(run_s, machine, bill)
    # Here nothing is uploaded or set up, and electricity takes the place of rent.
    return _Futures(run_s, None, local_bill(run_s, candidate.power_w, asked.terms, draws))


def cost_samples_usd(candidate: Candidate, asked: Asked, draws: Draws, around: Around) -> Floats | None:
    """(S,) what a candidate costs in every drawn future; None: nothing to train on, or no price."""
    schedule = candidate.schedule
    return None if schedule is None else _futures(candidate, schedule, asked, draws, around).bill.usd


def weigh(candidate: Candidate, asked: Asked, draws: Draws, around: Around) -> Weighed:
    """A candidate in every drawn future. ``around``: the phases around a rented run in the same futures."""
    option, schedule = candidate.option, candidate.schedule
    if schedule is None:
        return Weighed(option)
    found = _futures(candidate, schedule, asked, draws, around)
    machine, bill = found.machine, found.bill
    phases = machine.phases() if machine else (Phase("run", summary(found.run_s), billed=False),)
    run = next(phase.duration_s for phase in phases if phase.code == "run")
    energy = run.scaled(float(energy_kwh(np.array(1.0), candidate.power_w, candidate.host_power_w)))
    time_s = machine.time_s if machine else found.run_s
    weighed = replace(
        option,
        phases=phases,
        time_s=summary(time_s) if machine else run,
        cost=bill.parts(),
        cost_usd=None if bill.usd is None else summary(bill.usd),
        energy_kwh=energy,
        co2_kg=_co2_kg(energy, asked.terms),
    )
    steps = schedule.steps * asked.job.epochs.likely
    fits = _fits(schedule.found.memory, draws)
    return Weighed(weighed, time_s, bill.usd, fits, steps, candidate.input_binds)


def _co2_kg(energy_kwh: Range, terms: Terms) -> Range:
    grid = terms.co2_per_kwh_g.scaled(1e-3)
    return Range(energy_kwh.low * grid.low, energy_kwh.likely * grid.likely, energy_kwh.high * grid.high)


def with_speedup(weighed: list[Weighed]) -> list[Weighed]:
    """Add each option's speed against one rented card: the whole training's time over its, ranges end to end.

    Only exchange and waiting are uncertain here: the card's own speed and the cores' divide out.
    """
    one = next((w for w in weighed if w.option.key == "rent-1"), None)
    if one is None or one.option.step_total_s is None:
        return weighed
    alone_s = one.steps * one.option.step_total_s.likely

    def speedup(found: Weighed) -> Range | None:
        option, step = found.option, found.option.step
        if option.kind == "local" or step is None or option.step_total_s is None:
            return None
        added = option.communication.total_s if option.communication else Range.exactly(0.0)
        # What is left of the likely step where the input holds the GPUs up: the exchange hides behind it.
        input_s = option.step_total_s.likely if found.input_binds else 0.0
        ends = (max(step.seconds.likely + more, input_s) for more in (added.high, added.likely, added.low))
        return Range(*(alone_s / (found.steps * step_s) for step_s in ends))

    return [replace(w, option=replace(w.option, speedup=speedup(w))) for w in weighed]
