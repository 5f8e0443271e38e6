"""Rented hosts of any size, without a price: only how fast they would train."""

from __future__ import annotations

from planner.decide.options import RENTED_COUNTS, Asked, Weighed, rented_candidate, with_speedup
from planner.decide.types import Option
from planner.offers.offer import PackagePrice
from planner.predict.estimate import estimate
from planner.predict.scaling import MAX_GPUS
from planner.predict.types import DeviceModel

LARGER_COUNTS = tuple(range(max(RENTED_COUNTS) + 1, MAX_GPUS + 1))


def hosts_of(asked: Asked, rented: DeviceModel, counts: tuple[int, ...]) -> tuple[Option, ...]:
    """The job on ``counts`` cards of one host each, with their speed-up over one card.

    Raises InvalidInputError for a recipe that the table or the device cannot serve.
    """
    alone = estimate(asked.job.recipe, rented, asked.table)
    wanted = (1, *(count for count in counts if count != 1))
    candidates = [rented_candidate(asked, rented, _unpriced(count), alone) for count in wanted]
    weighed = [
        Weighed(
            candidate.option,
            steps=candidate.schedule.steps * asked.job.epochs.likely if candidate.schedule else 0.0,
            input_binds=candidate.input_binds,
        )
        for candidate in candidates
    ]
    return tuple(found.option for found in with_speedup(weighed) if found.option.gpu_count in counts)


def _unpriced(count: int) -> PackagePrice:
    return PackagePrice(count, None, None, is_quote=False, comparable_count=0, oldest_price_date=None)
