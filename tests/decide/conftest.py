"""A machine, a job and offers to decide about; tests change one thing at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from planner.decide.types import Recommendation, Terms
from planner.evidence import Range
from planner.hardware.snapshot import Gpu, Host, Snapshot
from planner.offers.offer import Offer
from planner.pipeline import PlanInputs, evaluate
from planner.workload.job import Job, Recipe

HOST = Host("Linux", "box", "CPU", 8, 16, 32 * 2**30, 16 * 2**30, "/", None, None, None, None)
CARD = Gpu(0, "GPU-1", "NVIDIA GeForce RTX 3090", memory_total_bytes=24 * 2**30, catalogue_id="rtx-3090")
SMALL_CARD = Gpu(0, "GPU-2", "NVIDIA GeForce RTX 4070", memory_total_bytes=12 * 2**30, catalogue_id="rtx-4070")


def packages(*prices: float | None) -> tuple[Offer, ...]:
    """iRender's 1, 2, 4 and 6 cards at these prices an hour."""
    return tuple(
        Offer("irender", "rtx-3090", count, price, price_date="2026-08-22")
        for count, price in zip((1, 2, 4, 6), prices, strict=True)
    )


@pytest.fixture
def inputs() -> PlanInputs:
    """A ResNet-50 on this machine's RTX 3090, quotes in hand, a fast line and a small data set."""
    return PlanInputs(
        job=Job(Recipe("preset:resnet50", batch_size=256), 1_281_167, Range(80, 90, 100), dataset_bytes=1e9),
        terms=Terms(upload_mbit_per_s=Range(90, 100, 110)),
        offers=packages(0.5, 1.0, 2.0, 3.0),
        snapshot=Snapshot("2026-09-01T00:00:00Z", HOST, (CARD,)),
        today="2026-09-01",
    )


@pytest.fixture
def answer(inputs: PlanInputs) -> Callable[..., Recommendation]:
    """The recommendation with some inputs changed: ``recipe``, ``job`` and ``terms`` take fields to replace."""

    def run(
        *, recipe: dict | None = None, job: dict | None = None, terms: dict | None = None, **more
    ) -> Recommendation:
        changed = replace(inputs.job, **(job or {}))
        changed = replace(changed, recipe=replace(changed.recipe, **(recipe or {})))
        return evaluate(replace(inputs, job=changed, terms=replace(inputs.terms, **(terms or {})), **more))

    return run


@pytest.fixture
def codes() -> Callable[[Recommendation], list[str]]:
    return lambda recommendation: [reason.code for reason in recommendation.reasons]
