"""Two plans: how their inputs differ, how their answers do, and which inputs make the difference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from planner.decide.types import Option, Recommendation, Terms
from planner.door import InvalidInputError
from planner.hardware.snapshot import Snapshot
from planner.offers.offer import Offer
from planner.pipeline import PlanInputs, evaluate, local_gpu
from planner.workload.job import Job, Recipe

Group = Literal["job", "terms", "offers", "machine", "benchmark", "sampling"]
# Inputs that change places together, by what a person would call them.
GROUPS: dict[Group, tuple[str, ...]] = {
    "job": ("job",),
    "terms": ("terms",),
    "offers": ("offers", "rates", "provider", "today"),  # prices age against the date of the plan
    "machine": ("snapshot", "gpu_uuid"),
    "benchmark": ("benchmark",),
    "sampling": ("seed", "sample_count"),
}
_MOST_SINGLE = 40  # changed fields that are tried alone


@dataclass(frozen=True, slots=True)
class Change:
    """One input that differs. ``what``: a field's name, or the offer's for prices; None: not there, not given.

    ``kind``: "value"; "offer_new", "offer_gone", "offer_price", "offer_details"; "rate";
    "again" (the same thing, looked at or measured again).
    """

    group: Group
    what: str
    before: Any
    after: Any
    kind: str = "value"


@dataclass(frozen=True)
class Trial:
    """The first plan with one thing of the second. ``answer`` None: the two do not go together, ``problem``."""

    group: Group
    what: str  # a field's name; "": the whole group
    answer: Recommendation | None
    problem: str = ""


@dataclass(frozen=True)
class PlanDiff:
    """``groups`` has a trial for every group that differs, ``singles`` for every field of those that flip."""

    changes: tuple[Change, ...]
    before: Recommendation
    after: Recommendation
    groups: tuple[Trial, ...]
    singles: tuple[Trial, ...]

    @property
    def choice_changed(self) -> bool:
        return self.before.chosen != self.after.chosen

    def makes_the_choice(self, trial: Trial) -> bool:
        """Whether this alone leads from the first plan's choice to the second's."""
        return self.choice_changed and trial.answer is not None and trial.answer.chosen == self.after.chosen


def chosen_option(answer: Recommendation) -> Option | None:
    return answer.option(answer.chosen) if answer.chosen is not None else None


def compare_plans(before: PlanInputs, after: PlanInputs) -> PlanDiff:
    """Both plans worked out anew, and the first with one group of the second's inputs at a time.

    Raises InvalidInputError where one of the two cannot be planned.
    """
    changes = tuple(_changes(before, after))
    answers = evaluate(before), evaluate(after)
    changed = [group for group in GROUPS if any(change.group == group for change in changes)]
    groups = tuple(
        _trial(group, "", replace(before, **{name: getattr(after, name) for name in GROUPS[group]}))
        for group in changed
    )
    found = PlanDiff(changes, *answers, groups, ())
    flipping = {trial.group for trial in groups if found.makes_the_choice(trial)}
    tried = [change for change in changes if change.group in flipping and change.group in ("job", "terms")]
    singles = tuple(_single(change, before) for change in tried[:_MOST_SINGLE]) if len(tried) > 1 else ()
    return replace(found, singles=singles)


def _single(change: Change, before: PlanInputs) -> Trial:
    """The first plan with one field of the second one's job or terms."""
    try:
        if change.group == "terms":
            inputs = replace(before, terms=replace(before.terms, **{change.what: change.after}))
        elif change.what in _names(Recipe):
            recipe = replace(before.job.recipe, **{change.what: change.after})
            inputs = replace(before, job=replace(before.job, recipe=recipe))
        else:
            inputs = replace(before, job=replace(before.job, **{change.what: change.after}))
    except ValueError as error:
        return Trial(change.group, change.what, None, str(error))
    return _trial(change.group, change.what, inputs)


def _trial(group: Group, what: str, inputs: PlanInputs) -> Trial:
    try:
        return Trial(group, what, evaluate(inputs))
    except InvalidInputError as error:
        return Trial(group, what, None, str(error.problems[0]))


def _names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def _changes(before: PlanInputs, after: PlanInputs) -> Iterator[Change]:
    yield from _values("job", _names(Recipe), before.job.recipe, after.job.recipe)
    yield from _values("job", tuple(n for n in _names(Job) if n != "recipe"), before.job, after.job)
    yield from _values("terms", _names(Terms), before.terms, after.terms)
    yield from _values("offers", ("provider", "today"), before, after)
    yield from _offers(before.offers, after.offers)
    was = {rate.currency: rate for rate in before.rates}
    now = {rate.currency: rate for rate in after.rates}
    for currency in sorted({*was, *now}):
        old, new = was.get(currency), now.get(currency)
        if old != new:
            before_units, after_units = (rate.units_per_usd if rate else None for rate in (old, new))
            yield Change("offers", currency, before_units, after_units, "rate")
    yield from _machine(before, after)
    yield from _benchmark(before, after)
    yield from _values("sampling", ("seed", "sample_count"), before, after)


def _values(group: Group, names: tuple[str, ...], before: object, after: object) -> Iterator[Change]:
    for name in names:
        was, now = getattr(before, name), getattr(after, name)
        if was != now:
            yield Change(group, name, was, now)


def _offers(before: tuple[Offer, ...], after: tuple[Offer, ...]) -> Iterator[Change]:
    """Offers by provider, GPU, count and pricing; where one is listed twice, by its place among its likes."""
    was, now = _by_key(before), _by_key(after)
    for key in dict.fromkeys((*was, *now)):
        old, new = was.get(key), now.get(key)
        offer = new or old
        assert offer is not None
        what = f"{offer.provider} {offer.gpu_count} × {offer.gpu}, {offer.pricing}"
        if old is None:
            yield Change("offers", what, None, _price(offer), "offer_new")
        elif new is None:
            yield Change("offers", what, _price(offer), None, "offer_gone")
        elif _price(old) != _price(new):
            yield Change("offers", what, _price(old), _price(new), "offer_price")
        elif old != new:
            names = [name for name in _names(Offer) if getattr(old, name) != getattr(new, name)]
            yield Change("offers", what, None, ", ".join(names), "offer_details")


def _by_key(offers: tuple[Offer, ...]) -> dict[tuple[object, ...], Offer]:
    found: dict[tuple[object, ...], Offer] = {}
    for offer in offers:
        place = sum(key[:-1] == offer.key for key in found)
        found[(*offer.key, place)] = offer
    return found


def _price(offer: Offer) -> str | float | None:
    """USD an hour; a text where it is quoted in another currency."""
    if offer.price_usd_per_hour is None and offer.price_per_hour is not None:
        return f"{offer.price_per_hour:,.10g} {offer.currency}"
    return offer.price_usd_per_hour


def _machine(before: PlanInputs, after: PlanInputs) -> Iterator[Change]:
    if before.snapshot == after.snapshot and before.gpu_uuid == after.gpu_uuid:
        return
    was, now = _machine_names(before), _machine_names(after)
    differing = [name for name in ("gpu", "cpu", "os", "driver") if was.get(name) != now.get(name)]
    for name in differing:
        yield Change("machine", name, was.get(name), now.get(name))
    if not differing:
        yield Change("machine", "taken_at", _taken(before.snapshot), _taken(after.snapshot), "again")


def _taken(snapshot: Snapshot | None) -> str | None:
    return snapshot.taken_at if snapshot else None


def _machine_names(inputs: PlanInputs) -> dict[str, str | None]:
    """What a person would call the machine. Empty: it was not looked at."""
    snapshot = inputs.snapshot
    if snapshot is None:
        return {}
    gpu = local_gpu(snapshot, inputs.gpu_uuid)
    return {
        "gpu": gpu.name if gpu else None,
        "cpu": snapshot.host.cpu_name,
        "os": snapshot.host.os_name,
        "driver": snapshot.driver_version,
    }


def _benchmark(before: PlanInputs, after: PlanInputs) -> Iterator[Change]:
    was, now = before.benchmark, after.benchmark
    if was == now:
        return
    same = was is not None and now is not None and was.device_name == now.device_name
    before_text, after_text = (f"{one.device_name}, {one.started_at[:10]}" if one else None for one in (was, now))
    yield Change("benchmark", "benchmark", before_text, after_text, "again" if same else "value")
