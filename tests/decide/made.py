"""Options with round numbers, to check the decision with pencil and paper.

One step on one card takes 1 s: 500 samples of 10¹² FLOP at 500 TFLOP/s reached, and nothing else. Gradients are
1 GB, so N cards exchange 2 (N − 1) / N GB a step.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import numpy as np

from planner.decide.decision import decide
from planner.decide.types import Recommendation, Terms
from planner.evidence import Range
from planner.offers.offer import Offer
from planner.predict.types import DeviceModel
from planner.units import GIB
from planner.workload.job import Job, Recipe
from planner.workload.optable import OpTable
from tests.predict.made import make_device, make_table, per_sample

BATCH = 500
NOTHING = Range.exactly(0.0)
CERTAIN = Terms(
    upload_mbit_per_s=Range.exactly(100.0), electricity_usd_per_kwh=NOTHING, setup_h=NOTHING, boot_h=NOTHING,
    idle_h=NOTHING, bus_bandwidth_gbs=Range.exactly(10.0), failed_start_share=0.0,
)  # fmt: skip
JOB = Job(
    Recipe("made", batch_size=BATCH, optimizer="sgd"), samples_per_epoch=BATCH * 360.0, epochs=Range.exactly(10),
    dataset_bytes=0.0, result_bytes=0.0, kept_batch="per_gpu",
)  # fmt: skip  # one hour on one card


def table(**changes) -> OpTable:
    op = ("linear", "forward", 2, 1, per_sample(1e12), per_sample(0.0))
    fields = {"trained_parameter_bytes": 10**9, "parameter_bytes": 10**9, "parameter_tensors": 0}
    return make_table([op], [per_sample(0.0)], **{**fields, "input_bytes": np.array(per_sample(1.0)), **changes})


def device(**changes) -> DeviceModel:
    sure = {"sigma_model": 0.0, "sigma_device": 0.0, "memory_bytes": 1000.0 * GIB, "bandwidth_bytes_per_s": 1e18}
    peaks = {"fp32": 1e15, "tf32": 1e15, "fp16": 1e15, "bf16": 1e15}
    return make_device(peak_flops_per_s=peaks, **{**sure, **changes})


def offers(prices: dict[int, float | None], **more) -> tuple[Offer, ...]:
    return tuple(
        Offer("seller", "rtx-3090", count, price, price_date="2026-09-01", billing_step_s=1.0, **more)
        for count, price in prices.items()
    )


def answer(
    *,
    job: Job = JOB,
    terms: Terms = CERTAIN,
    local: DeviceModel | None = None,
    rented: DeviceModel | None = None,
    prices: tuple[Offer, ...] = offers({1: 1.0, 2: 2.0, 4: 4.0, 6: 6.0}),
    op_table: OpTable | None = None,
    seed: int = 1,
    **changed,
) -> Recommendation:
    """The recommendation; ``changed`` are fields of the terms."""
    return decide(
        job=job, table=op_table or table(), terms=replace(terms, **changed), local=local,
        unknown_gpu=None, machine_known=True,
        rented=rented or device(), rented_gpu="rtx-3090", offers=prices, provider="seller",
        today=date(2026, 9, 2), seed=seed, sample_count=1000,
    )  # fmt: skip
