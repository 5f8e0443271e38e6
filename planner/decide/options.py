"""Local and rented options: what each takes and costs, as one range per number and one sample per future."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from planner.decide.draws import Draws, summary
from planner.decide.types import CostPart, Option, Phase, Reason, Terms
from planner.evidence import Evidence, Range, weakest
from planner.offers.billing import electricity_usd, rent_usd, transfer_s
from planner.offers.offer import PackagePrice
from planner.predict.estimate import estimate
from planner.predict.types import DeviceModel, Estimate, Fits
from planner.workload.job import Job
from planner.workload.optable import OpTable

Floats = NDArray[np.float64]

RENTED_COUNTS = (1, 2, 3, 4, 5, 6)
DEFAULT_BILLING_STEP_S = 3600.0  # of a package nobody sells


ASSUMED_GPU_POWER_W = 300.0  # of a card whose power limit neither driver nor data sheet tells


@dataclass(frozen=True)
class Weighed:
    """An option with its samples: (S,) seconds to the result and USD in all; None: not known."""

    option: Option
    time_s: Floats | None
    cost_usd: Floats | None


def batch_per_gpu(job: Job, gpu_count: int) -> int:
    """Samples per GPU and step: an equal share of the kept global batch, rounded up, or the batch itself."""
    batch = job.recipe.batch_size
    return math.ceil(batch / gpu_count) if job.kept_batch == "global" else batch


def _steps(job: Job, gpu_count: int, epochs: Floats) -> Floats:
    """Steps in all. A last, smaller batch of an epoch costs a whole step."""
    per_epoch = math.ceil(job.samples_per_epoch / (batch_per_gpu(job, gpu_count) * gpu_count))
    return per_epoch * epochs


def _step_samples(found: Estimate, draws: Draws, own: str) -> Floats:
    step = found.step
    spread = step.sigma_model * draws.normal["step_model"] + step.sigma_device * draws.normal[own]
    seconds = step.seconds.likely * np.exp(spread)
    if found.communication is not None:
        seconds = seconds + draws.reversed_value("bus_bandwidth", found.communication.seconds)
    return seconds


def _memory_reasons(key: str, found: Estimate) -> tuple[Reason, ...]:
    memory = found.memory
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


def _option(kind: str, found: Estimate | None, job: Job, gpu_count: int, name: str) -> Option:
    key = "local" if kind == "local" else f"rent-{gpu_count}"
    return Option(
        kind="local" if kind == "local" else "rent",
        gpu_count=gpu_count,
        device_name=name,
        sold=kind == "local",
        step=found.step if found else None,
        step_total_s=found.step_time_s if found else None,
        speedup=None,
        communication=found.communication if found else None,
        memory=found.memory if found else None,
        batch_per_gpu=batch_per_gpu(job, gpu_count),
        price=None,
        phases=(),
        time_s=None,
        cost=(),
        cost_usd=None,
        p_on_time=None,
        p_best=0.0,
        rejected=_memory_reasons(key, found) if found else (Reason("no_local_gpu"),),
        evidence=found.evidence if found else Evidence.ASSUMED,
    )


def training_power_w(device: DeviceModel) -> float:
    """Power of the device while it trains, beside the computer around it (which includes the processor)."""
    if device.is_cpu:
        return 0.0
    return ASSUMED_GPU_POWER_W if device.power_w is None else device.power_w


def weigh_local(job: Job, table: OpTable, device: DeviceModel | None, terms: Terms, draws: Draws) -> Weighed:
    """This machine: no upload and no set-up, electricity instead of rent. ``device`` None: nothing to train on."""
    if device is None:
        return Weighed(_option("local", None, job, 1, ""), None, None)
    found = estimate(job.recipe, device, table)
    option = _option("local", found, job, 1, device.name)
    run_s = _step_samples(found, draws, "step_local") * _steps(job, 1, draws.value("epochs", job.epochs))
    waiting = run_s / 3600 * terms.waiting_cost_usd_per_h
    price = draws.value("electricity", terms.electricity_usd_per_kwh)
    electricity = electricity_usd(run_s, training_power_w(device), terms.host_power_w, price)
    cost = electricity + waiting
    option = replace(
        option,
        phases=(Phase("run", summary(run_s), billed=False),),
        time_s=summary(run_s),
        cost=(CostPart("electricity", summary(electricity)), CostPart("waiting", summary(waiting))),
        cost_usd=summary(cost),
    )
    return Weighed(option, run_s, cost)


def weigh_rented(
    job: Job, table: OpTable, device: DeviceModel, price: PackagePrice, terms: Terms, draws: Draws
) -> Weighed:
    """``price.gpu_count`` rented cards of one host, from the start of the machine to its end."""
    count = price.gpu_count
    recipe = replace(job.recipe, batch_size=batch_per_gpu(job, count))
    bandwidth = terms.bus_bandwidth_gbs.scaled(1e9) if terms.bus_bandwidth_gbs else None
    found = estimate(recipe, device, table, count, bandwidth)
    option = replace(_option("rent", found, job, count, device.name), sold=price.offer is not None, price=price)
    phases_s = _rented_phases(job, found, count, terms, draws)
    billed_s = np.sum(list(phases_s.values()), axis=0)
    time_s = billed_s - phases_s["idle"]  # the result is there before somebody notices
    waiting = time_s / 3600 * terms.waiting_cost_usd_per_h
    parts = [CostPart("waiting", summary(waiting))]
    cost: Floats | None = None
    if price.usd_per_hour is not None:
        billing_step_s = price.offer.billing_step_s if price.offer else DEFAULT_BILLING_STEP_S
        rent = rent_usd(billed_s, draws.value("price", price.usd_per_hour), billing_step_s)
        parts.insert(0, CostPart("rent", summary(rent)))
        cost = rent + waiting
    option = replace(
        option,
        phases=tuple(Phase(code, summary(seconds), billed=True) for code, seconds in phases_s.items()),
        time_s=summary(time_s),
        cost=tuple(parts),
        cost_usd=None if cost is None else summary(cost),
        evidence=weakest(option.evidence, Evidence.PUBLISHED),
    )
    return Weighed(option, time_s, cost)


def _rented_phases(job: Job, found: Estimate, count: int, terms: Terms, draws: Draws) -> dict[str, Floats]:
    """(S,) seconds of each phase in the order they happen."""
    steps = _steps(job, count, draws.value("epochs", job.epochs))
    line = draws.value("upload", terms.upload_mbit_per_s)
    return {
        "boot": draws.value("overheads", terms.boot_h) * 3600,
        "upload": transfer_s(job.dataset_bytes, line),
        "setup": draws.value("overheads", terms.setup_h) * 3600,
        "run": _step_samples(found, draws, "step_rented") * steps,
        "download": transfer_s(job.result_bytes, line),
        "idle": draws.value("overheads", terms.idle_h) * 3600,
    }


def with_speedup(weighed: list[Weighed]) -> list[Weighed]:
    """Add each option's speed against one rented card: samples per second over its, ranges end to end.

    Only the exchange is uncertain here: the card's own speed divides out.
    """
    one = next((w.option for w in weighed if w.option.key == "rent-1"), None)
    if one is None or one.step is None:
        return weighed
    per_sample_s = one.step.seconds.likely / one.batch_per_gpu

    def speedup(option: Option) -> Range | None:
        if option.kind == "local" or option.step is None:
            return None
        exchange = option.communication.seconds if option.communication else Range.exactly(0.0)
        samples, step_s = option.batch_per_gpu * option.gpu_count, option.step.seconds.likely
        slow, likely, fast = (
            samples * per_sample_s / (step_s + t) for t in (exchange.high, exchange.likely, exchange.low)
        )
        return Range(slow, likely, fast)

    return [replace(w, option=replace(w.option, speedup=speedup(w.option))) for w in weighed]
