"""Why: the answer's reasons as codes with numbers, the one that binds first."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from planner.decide.draws import summary
from planner.decide.options import Weighed
from planner.decide.ranking import Ranking
from planner.decide.types import Option, Reason, Terms
from planner.evidence import Evidence, Range
from planner.offers.offer import STALE_AFTER_DAYS

# Shares from which a limit is worth a sentence (assumed).
_UPLOAD_SHARE = 0.25
_EXCHANGE_SHARE = 0.20
_LAUNCH_SHARE = 0.30


def reasons(weighed: list[Weighed], ranking: Ranking, terms: Terms, today: date | None) -> tuple[Reason, ...]:
    """Everything that carries the verdict, by weight. The first is the one the sentence names."""
    options = tuple(one.option for one in weighed)
    chosen = ranking.chosen.option if ranking.chosen else None
    found = [
        *_to_measure(ranking),
        *(_none_possible(options) if chosen is None else _why_chosen(options, chosen)),
        *_faster(weighed, ranking.chosen),
        *_upload(options),
        *_exchange(options),
        *_price(options, chosen, today),
        *_evidence(options),
        *_privacy(chosen, terms),
    ]
    return tuple(dict.fromkeys(found))


def _to_measure(ranking: Ranking) -> Iterator[Reason]:
    if ranking.verdict != "measure_first" or ranking.chosen is None:
        return
    option = ranking.chosen.option
    if ranking.deciding_input == "memory" and option.memory is not None:
        available = option.memory.available_bytes or 0.0
        yield Reason(
            "measure.memory", (("needed_bytes", option.memory.total_bytes), ("available_bytes", available))
        )
        return
    other = ranking.runner_up.option.key if ranking.runner_up else option.key
    values = (("option", option.key), ("other_option", other), ("best_share", option.p_best))
    yield Reason(f"measure.{ranking.deciding_input or 'nothing'}", values)


def _none_possible(options: tuple[Option, ...]) -> Iterator[Reason]:
    """What stops the option that came nearest, then what stops this machine. The table has all the others."""
    local, *rented = options
    sold = [option for option in rented if option.sold] or rented

    def distance(option: Option) -> tuple[int, float, float]:
        cost_usd = option.cost_usd.likely if option.cost_usd else float("inf")
        return len(option.rejected), -(option.p_on_time or 0.0), cost_usd

    yield from min((local, *sold), key=distance).rejected
    yield from local.rejected


def _why_chosen(options: tuple[Option, ...], chosen: Option) -> Iterator[Reason]:
    local = options[0]
    rented = [o for o in options if o.kind == "rent" and o.cost_usd is not None and o.sold and not o.rejected]
    if chosen.kind == "rent":
        yield from local.rejected
        if not local.rejected and local.time_s and local.cost_usd and chosen.time_s and chosen.cost_usd:
            yield Reason("rent_better", (("cost_usd", chosen.cost_usd), ("local_cost_usd", local.cost_usd),
                                         ("time_s", chosen.time_s), ("local_time_s", local.time_s)))  # fmt: skip
    elif rented and chosen.cost_usd and chosen.time_s:
        cheapest = min(rented, key=lambda o: o.cost_usd.likely if o.cost_usd else 0.0)
        yield Reason("local_cheaper", (("cost_usd", chosen.cost_usd), ("other_option", cheapest.key),
                                       ("other_cost_usd", cheapest.cost_usd or chosen.cost_usd)))  # fmt: skip
    elif chosen.kind == "local":
        yield Reason("local_only")


def _faster(weighed: list[Weighed], chosen: Weighed | None) -> Iterator[Reason]:
    """What the fastest possible option would save, and what each hour saved would cost."""
    if chosen is None or chosen.time_s is None or chosen.cost_usd is None:
        return
    possible = [w for w in weighed if not w.option.rejected and w.time_s is not None]
    fastest = min(possible, key=lambda w: w.option.time_s.likely if w.option.time_s else 0.0)
    if fastest.option.key == chosen.option.key or fastest.time_s is None or fastest.cost_usd is None:
        yield Reason("fastest", (("option", chosen.option.key),))
        return
    saved_s = summary(chosen.time_s - fastest.time_s)
    more_usd = summary(fastest.cost_usd - chosen.cost_usd)
    if more_usd.likely <= 0:
        yield Reason("faster_and_cheaper", (("option", fastest.option.key), ("saved_s", saved_s)))
        return
    values = (("option", fastest.option.key), ("saved_s", saved_s), ("more_usd", more_usd),
              ("saved_usd_per_h", more_usd.likely / (saved_s.likely / 3600)))  # fmt: skip
    yield Reason("faster_costs", values)


def _largest_rented(options: tuple[Option, ...]) -> Option | None:
    return next((o for o in reversed(options) if o.kind == "rent" and o.sold and o.time_s is not None), None)


def _upload(options: tuple[Option, ...]) -> Iterator[Reason]:
    option = _largest_rented(options)
    upload = next((p.duration_s for p in option.phases if p.code == "upload"), None) if option else None
    if option and upload and option.time_s and upload.likely > _UPLOAD_SHARE * option.time_s.likely:
        values = (
            ("upload_s", upload),
            ("option", option.key),
            ("time_share", upload.likely / option.time_s.likely),
        )
        yield Reason("upload", values)


def _exchange(options: tuple[Option, ...]) -> Iterator[Reason]:
    """Where the host's bus decides: the bandwidth at which exchange and computation take equally long."""
    option = _largest_rented(options)
    if option is None or option.communication is None or option.step is None or option.step_total_s is None:
        return
    exchange_s, step_s = option.communication.seconds.likely, option.step.seconds.likely
    if exchange_s < _EXCHANGE_SHARE * (exchange_s + step_s):
        return
    bus = option.communication.bus_bandwidth_bytes_per_s
    switch_gbs = bus.likely * exchange_s / step_s / 1e9  # t = traffic / bandwidth, so B* = traffic / step time
    values = (("option", option.key), ("exchange_share", exchange_s / (exchange_s + step_s)),
              ("bus_bandwidth_gbs", bus.scaled(1e-9)), ("switch_gbs", switch_gbs))  # fmt: skip
    yield Reason("bandwidth", values)


def _price(options: tuple[Option, ...], chosen: Option | None, today: date | None) -> Iterator[Reason]:
    weighed = [o.price for o in options if o.price and o.sold and o.price.usd_per_hour]
    unasked = [price for price in weighed if not price.is_quote]
    if unasked:
        shown = chosen.price if chosen and chosen.price in unasked else unasked[0]
        provider = shown.offer.provider if shown and shown.offer else ""
        per_hour = shown.usd_per_hour if shown and shown.usd_per_hour else Range.exactly(0.0)
        values = (("provider", provider), ("gpu_count", shown.gpu_count if shown else 1),
                  ("price_usd_per_h", per_hour))  # fmt: skip
        yield Reason("ask_quote", values)
    days = [price.oldest_price_date for price in weighed if price.oldest_price_date]
    if today and days and (today - min(days)).days > STALE_AFTER_DAYS:
        yield Reason("stale_prices", (("date", min(days).isoformat()), ("day_count", (today - min(days)).days)))


def _evidence(options: tuple[Option, ...]) -> Iterator[Reason]:
    local = options[0]
    if local.step is not None and local.step.evidence not in (Evidence.MEASURED_BENCHMARK, Evidence.MEASURED_JOB):
        yield Reason("not_benchmarked", (("device", local.device_name),))
    if local.step is not None and local.step.launch_share > _LAUNCH_SHARE:
        yield Reason("launch_bound", (("launch_share", local.step.launch_share),))


def _privacy(chosen: Option | None, terms: Terms) -> Iterator[Reason]:
    if chosen and chosen.kind == "rent" and terms.privacy in ("personal", "regulated"):
        yield Reason("privacy", (("privacy", terms.privacy),))
