"""Why: the answer's reasons as codes with numbers, the one that binds first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date

import numpy as np

from planner.decide.clock import samples_per_step
from planner.decide.draws import quantiles, summary
from planner.decide.gates import is_private
from planner.decide.insight import Insight
from planner.decide.notes import advice, buying, no_rate, side_by_side
from planner.decide.options import Asked, Weighed
from planner.decide.ranking import Ranking
from planner.decide.switch_points import cheaper_above_gbs, equal_price_usd_per_h, faster_above_gbs
from planner.decide.types import Option, Reason, Terms
from planner.evidence import Evidence
from planner.offers.offer import STALE_AFTER_DAYS, Offer
from planner.predict.types import Fits
from planner.workload.job import Job
from planner.workload.optable import KINDS

# Shares from which a limit is worth a sentence, and from which the upload is the limit (assumed).
_UPLOAD_SHARE, _UPLOAD_BINDS = 0.25, 0.50
_EXCHANGE_SHARE = 0.20
_LAUNCH_SHARE = 0.30
_CLEARLY_FASTER = 0.10
# Below this batch on a card batch normalisation loses accuracy (Wu and He 2018, "Group Normalization", figure 5).
_NORMED_WELL_FROM = 16
_BATCH_NORM = KINDS.index("batch_norm")


def reasons(
    weighed: list[Weighed],
    ranking: Ranking,
    asked: Asked,
    offers: tuple[Offer, ...],
    today: date | None,
    more: Insight,
    beside: tuple[Reason, ...],
) -> tuple[Reason, ...]:
    """Everything that carries the verdict, by weight. The first is the one the sentence names.

    ``beside``: what may make the question another one: local fixes, a newer card.
    """
    job, terms = asked.job, asked.terms
    options = tuple(one.option for one in weighed)
    chosen = ranking.chosen.option if ranking.chosen else None
    found = [
        *_to_measure(ranking),
        *_worth_measuring(ranking, more),
        *_either(ranking),
        *(_none_possible(weighed, terms) if chosen is None else _binding(options, chosen)),
        *buying(terms, more.break_even),
        *_input(options, chosen),
        *beside,
        *_memory_unsure(chosen),
        *(_ask_quote(options, chosen) if chosen and chosen.price and not chosen.price.is_quote else ()),
        *_faster(weighed, ranking.chosen),
        *_upload(options, chosen, _UPLOAD_SHARE),
        *_exchange(weighed, ranking.chosen),
        *side_by_side(chosen, job),
        *_batch(chosen, asked),
        *_windows(options),
        *_switch_points(ranking, terms),
        *_other_switches(ranking, job, terms, more),
        *_ask_quote(options, chosen),
        *no_rate(offers),
        *_stale_prices(options, today),
        *_evidence(options),
        *_privacy(chosen, terms),
        *advice(chosen, options, terms),
    ]
    return tuple(dict.fromkeys(found))


def _to_measure(ranking: Ranking) -> Iterator[Reason]:
    """What to find out first: the unknown that decides between the favourite and the next."""
    if ranking.verdict != "measure_first" or ranking.chosen is None:
        return
    option, name = ranking.chosen.option, ranking.deciding_input
    if name == "no_price":
        yield from option.rejected
    elif name == "memory":
        yield from _memory_unsure(option)
    else:
        other = ranking.runner_up.option.key if ranking.runner_up else option.key
        values = (("option", option.key), ("other_option", other), ("best_share", option.p_best))
        yield Reason(f"measure.{name or 'nothing'}", values)


def _memory_unsure(option: Option | None) -> Iterator[Reason]:
    if option is None or option.memory is None or option.memory.fits is not Fits.UNSURE:
        return
    needed = ("needed_bytes", option.memory.total_bytes)
    if option.memory.available_bytes is None:
        yield Reason("measure.memory_size", (("option", option.key), needed))
    else:
        available = ("available_bytes", option.memory.available_bytes)
        yield Reason("measure.memory", (("option", option.key), needed, available))


def _worth_measuring(ranking: Ranking, more: Insight) -> Iterator[Reason]:
    """What knowing the deciding input would save on average, and what a look at it costs."""
    if ranking.verdict == "measure_first" and more.value_usd is not None:
        yield Reason("measure_value", (("value_usd", more.value_usd), ("probe_usd", more.probe_usd)))


def _either(ranking: Ranking) -> Iterator[Reason]:
    """Equal in money; the one thing that may still tell them apart is time."""
    chosen, other = ranking.chosen, ranking.runner_up
    if ranking.verdict != "either" or chosen is None or other is None:
        return
    if chosen.time_s is None or other.time_s is None or not chosen.option.cost_usd or not other.option.cost_usd:
        return
    costs = (("cost_usd", chosen.option.cost_usd), ("other_cost_usd", other.option.cost_usd))
    names = (("option", chosen.option.key), ("other_option", other.option.key))
    saved_s = summary(chosen.time_s - other.time_s)
    if saved_s.likely > _CLEARLY_FASTER * float(np.median(chosen.time_s)):
        yield Reason("either_faster", (*names, *costs, ("saved_s", saved_s)))
    else:
        yield Reason("either_same", (*names, *costs))


def _sold(options: Iterable[Option]) -> list[Option]:
    return [option for option in options if option.kind == "rent" and option.sold]


def _nearest(options: Iterable[Option]) -> Option:
    """The option against which least speaks."""

    def distance(option: Option) -> tuple[int, float, float]:
        cost_usd = option.cost_usd.likely if option.cost_usd else float("inf")
        return len(option.rejected), -(option.p_on_time or 0.0), cost_usd

    return min(options, key=distance)


def _none_possible(weighed: list[Weighed], terms: Terms) -> Iterator[Reason]:
    """What stops the option that came nearest, and this machine, and the deadline that could be kept instead."""
    local, *rented = (one.option for one in weighed)
    yield from _nearest((local, *(_sold(rented) or rented))).rejected
    late = [w for w in weighed if {reason.code for reason in w.option.rejected} == {"deadline"}]
    within = [(float(np.quantile(w.time_s, terms.confidence)), w.option) for w in late if w.time_s is not None]
    if within:
        seconds, option = min(within, key=lambda pair: pair[0])
        values = (("option", option.key), ("deadline_h", seconds / 3600), ("on_time_share", terms.confidence))
        yield Reason("deadline_possible", values)
    yield from local.rejected


def _binding(options: tuple[Option, ...], chosen: Option) -> Iterator[Reason]:
    """The limit that decided: for a rental what speaks against this machine, else what speaks against renting."""
    local, rented = options[0], _sold(options)
    possible = [option for option in rented if not option.rejected and option.cost_usd]
    yield from _upload(options, chosen, _UPLOAD_BINDS)
    if chosen.kind == "rent":
        yield from local.rejected
        if not local.rejected and local.time_s and local.cost_usd and chosen.time_s and chosen.cost_usd:
            yield Reason("rent_better", (("cost_usd", chosen.cost_usd), ("local_cost_usd", local.cost_usd),
                                         ("time_s", chosen.time_s), ("local_time_s", local.time_s)))  # fmt: skip
    elif possible and chosen.cost_usd:
        cheapest = min(possible, key=lambda option: option.cost_usd.likely if option.cost_usd else 0.0)
        yield Reason("local_cheaper", (("cost_usd", chosen.cost_usd), ("other_option", cheapest.key),
                                       ("other_cost_usd", cheapest.cost_usd or chosen.cost_usd)))  # fmt: skip
    else:
        yield from _nearest(rented).rejected if rented else (Reason("nothing_sold"),)


def _faster(weighed: list[Weighed], chosen: Weighed | None) -> Iterator[Reason]:
    """What the fastest possible option would save, and what each hour saved would cost."""
    if chosen is None or chosen.time_s is None or chosen.cost_usd is None or chosen.option.rejected:
        return
    possible = [w for w in weighed if not w.option.rejected and w.time_s is not None]
    fastest = min(possible, key=lambda w: w.option.time_s.likely if w.option.time_s else 0.0)
    if fastest.time_s is None or fastest.cost_usd is None:
        return
    saved_s = summary(chosen.time_s - fastest.time_s)
    if fastest.option.key == chosen.option.key or saved_s.likely <= 0:
        yield Reason("fastest", (("option", chosen.option.key),))
        return
    more_usd = summary(fastest.cost_usd - chosen.cost_usd)
    if more_usd.likely <= 0:
        yield Reason("faster_and_cheaper", (("option", fastest.option.key), ("saved_s", saved_s)))
        return
    values = (("option", fastest.option.key), ("saved_s", saved_s), ("more_usd", more_usd),
              ("saved_usd_per_h", more_usd.likely / (saved_s.likely / 3600)))  # fmt: skip
    yield Reason("faster_costs", values)


def _upload(options: tuple[Option, ...], chosen: Option | None, from_share: float) -> Iterator[Reason]:
    """Of the chosen rental, else of the largest: there the upload weighs most."""
    rented = [option for option in _sold(options) if option.time_s is not None]
    option = chosen if chosen and chosen.kind == "rent" else rented[-1] if rented else None
    upload = next((p.duration_s for p in option.phases if p.code == "upload"), None) if option else None
    if option and upload and option.time_s and upload.likely > from_share * option.time_s.likely:
        share = upload.likely / option.time_s.likely
        yield Reason("upload", (("upload_s", upload), ("option", option.key), ("time_share", share)))


def _input(options: tuple[Option, ...], chosen: Option | None) -> Iterator[Reason]:
    """GPUs that wait for their input: said of this machine, where it can be mended first, and of the choice, or of
    the largest rental where none is chosen."""
    rented = chosen if chosen is not None and chosen.kind == "rent" else next(reversed(_sold(options)), None)
    for option in filter(None, (options[0], rented)):
        rate, step = option.input_samples_per_s, option.step
        if rate is None or step is None or option.step_total_s is None:
            continue
        added_s = option.communication.total_s.likely if option.communication else 0.0
        at_a_time = option.batch_per_gpu * option.gpu_count
        able = at_a_time / (step.seconds.likely + added_s)
        if rate.likely < able:
            code = "input_local" if option.kind == "local" else "input"
            names = (("option", option.key), ("gpu_count", option.gpu_count))
            yield Reason(code, (*names, ("input_samples_per_s", rate), ("gpu_samples_per_s", able)))


def _exchange(weighed: list[Weighed], chosen: Weighed | None) -> Iterator[Reason]:
    """Where the host's bus decides: the bandwidth from which more cards train faster than few."""
    able = [
        w for w in weighed
        if w.option.kind == "rent" and w.option.sold and not _stopped_by(w.option, "memory", "batch", "windows")
    ]  # fmt: skip
    if len(able) < 2:
        return
    few, many = able[0], chosen if chosen in able[1:] else able[-1]
    found, step, total = many.option.communication, many.option.step, many.option.step_total_s
    if found is None or step is None or total is None or many.input_binds:
        return
    share = found.seconds.likely / (found.seconds.likely + step.seconds.likely)
    if share < _EXCHANGE_SHARE:
        return
    names = (("option", many.option.key), ("other_option", few.option.key))
    switch_gbs = faster_above_gbs(many, few)
    if switch_gbs is None:
        yield Reason("no_gain", names)
        return
    bus = found.bus_bandwidth_bytes_per_s.scaled(1e-9)
    values = (("exchange_share", share), ("bus_bandwidth_gbs", bus), ("switch_gbs", switch_gbs))
    yield Reason("bandwidth", (*names, *values))


def _stopped_by(option: Option, *codes: str) -> bool:
    return any(reason.code in codes for reason in option.rejected)


def _batch(chosen: Option | None, asked: Asked) -> Iterator[Reason]:
    """What several cards do to the batch: never silently."""
    job = asked.job
    if chosen is None or chosen.gpu_count == 1 or chosen.side_by_side:
        return
    if chosen.batch_per_gpu < _NORMED_WELL_FROM and _normalises_batches(asked):
        yield Reason("batch_norm", (("gpu_count", chosen.gpu_count), ("per_gpu_count", chosen.batch_per_gpu)))
    count, together = chosen.gpu_count, samples_per_step(job, chosen.gpu_count)
    if job.kept_batch == "per_gpu":
        yield Reason("batch_grows", (("gpu_count", count), ("batch_count", together)))
    elif together % count:
        values = (("gpu_count", count), ("batch_count", together), ("per_gpu_count", chosen.batch_per_gpu))
        yield Reason("batch_uneven", values)


def _normalises_batches(asked: Asked) -> bool:
    """Whether the model trains with statistics of its batch, which each card makes of its own share."""
    return asked.job.recipe.mode == "train" and bool((asked.table.kind == _BATCH_NORM).any())


def _windows(options: tuple[Option, ...]) -> Iterator[Reason]:
    """Once, for the largest package it rules out."""
    found = (reason for option in reversed(_sold(options)) for reason in option.rejected)
    yield from [reason for reason in found if reason.code == "windows"][:1]


def _switch_points(ranking: Ranking, terms: Terms) -> Iterator[Reason]:
    """At which bandwidth, price or deadline the chosen and the next option change places."""
    chosen, other = ranking.chosen, ranking.runner_up
    if chosen is None or other is None:
        return
    few, many = sorted((chosen, other), key=lambda w: (w.option.kind != "local", w.option.gpu_count))
    names = (("option", many.option.key), ("other_option", few.option.key))
    switch_gbs = cheaper_above_gbs(many, few, terms.waiting_cost_usd_per_h)
    if switch_gbs is not None and many.option.communication is not None:
        bus = many.option.communication.bus_bandwidth_bytes_per_s.scaled(1e-9)
        yield Reason("switch.bandwidth", (*names, ("switch_gbs", switch_gbs), ("bus_bandwidth_gbs", bus)))
    usd_per_h = equal_price_usd_per_h(many, few)
    price = many.option.price.usd_per_hour if many.option.price else None
    if usd_per_h is not None and price is not None:
        yield Reason("switch.price", (*names, ("switch_usd_per_h", usd_per_h), ("price_usd_per_h", price)))
    if terms.deadline_h is None and chosen.time_s is not None and _is_faster(other.option, chosen.option):
        hours = float(np.quantile(chosen.time_s, terms.confidence)) / 3600
        values = (("option", chosen.option.key), ("deadline_h", hours), ("on_time_share", terms.confidence))
        yield Reason("switch.deadline", values)


def _other_switches(ranking: Ranking, job: Job, terms: Terms, more: Insight) -> Iterator[Reason]:
    """Every other input of its own that alone can flip the answer, with the value at which it does."""
    if ranking.chosen is None or ranking.runner_up is None:
        return
    names = (("option", ranking.chosen.option.key), ("other_option", ranking.runner_up.option.key))
    inputs = {
        "epochs": ("epochs", job.epochs),
        "upload": ("upload_mbit_per_s", terms.upload_mbit_per_s),
        "electricity": ("electricity_usd_per_kwh", terms.electricity_usd_per_kwh),
        "interruptions": ("interrupted_every_h", terms.interrupted_every_h),
    }
    for one in more.sensitivities:
        if one.switch_at is not None and one.code in inputs:
            name, value = inputs[one.code]
            at = float(quantiles(value, np.array(one.switch_at)))
            yield Reason(f"flips.{one.code}", (*names, (name, at)))


def _is_faster(one: Option, other: Option) -> bool:
    return one.time_s is not None and other.time_s is not None and one.time_s.likely < other.time_s.likely


def _ask_quote(options: tuple[Option, ...], chosen: Option | None) -> Iterator[Reason]:
    """The price to ask for: that of the chosen package, else of the smallest whose price was not told."""
    priced = [(option, option.price) for option in _sold(options) if option.price and option.price.usd_per_hour]
    unasked = [(option, price) for option, price in priced if not price.is_quote]
    for option, price in sorted(unasked, key=lambda pair: pair[0] is not chosen)[:1]:
        provider = price.offer.provider if price.offer else ""
        if price.usd_per_hour is not None:
            values = (("provider", provider), ("option", option.key), ("price_usd_per_h", price.usd_per_hour))
            yield Reason("ask_quote", values)


def _stale_prices(options: tuple[Option, ...], today: date | None) -> Iterator[Reason]:
    prices = [option.price for option in _sold(options) if option.price and option.price.usd_per_hour]
    days = [price.oldest_price_date for price in prices if price.oldest_price_date]
    if today and days and (today - min(days)).days > STALE_AFTER_DAYS:
        yield Reason("stale_prices", (("date", min(days).isoformat()), ("day_count", (today - min(days)).days)))


def _evidence(options: tuple[Option, ...]) -> Iterator[Reason]:
    local = options[0]
    if local.step is not None and local.step.evidence not in (Evidence.MEASURED_BENCHMARK, Evidence.MEASURED_JOB):
        yield Reason("not_benchmarked", (("device", local.device_name),))
    if local.step is not None and local.step.launch_share > _LAUNCH_SHARE:
        yield Reason("launch_bound", (("launch_share", local.step.launch_share),))


def _privacy(chosen: Option | None, terms: Terms) -> Iterator[Reason]:
    if chosen and chosen.kind == "rent" and is_private(terms):
        yield Reason("privacy", (("privacy", terms.privacy),))
