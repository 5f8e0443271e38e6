"""The one way of the data, as one pure function: everything known → the recommendation."""

from __future__ import annotations

from dataclasses import dataclass, field

from planner.benchmark.result import BenchmarkResult
from planner.decide.types import Recommendation, Terms
from planner.hardware.snapshot import Snapshot
from planner.offers.offer import Offer
from planner.workload.job import Job


@dataclass(frozen=True, slots=True)
class PlanInputs:
    """All that an answer depends on; exactly what a plan file stores."""

    job: Job = field(default_factory=Job)
    terms: Terms = field(default_factory=Terms)
    offers: tuple[Offer, ...] = ()
    provider: str = "irender"  # whose packages are weighed; others give comparable prices
    snapshot: Snapshot | None = None  # None: this machine has not been looked at
    gpu_uuid: str | None = None  # which local GPU would train; None: the first
    benchmark: BenchmarkResult | None = None  # of that GPU; None: not measured, the data sheet is used
    today: str = ""  # ISO date the plan was made: prices age against it
    seed: int = 20260301
    sample_count: int = 1000

    __pydantic_config__ = {"extra": "forbid", "allow_inf_nan": False}


def evaluate(inputs: PlanInputs) -> Recommendation:
    """Predict, price and decide. Pure: the same inputs give the same numbers.

    Raises InvalidInputError for a model, size or variant that cannot be planned, with the field's name.
    """
    raise RuntimeError("being built")
