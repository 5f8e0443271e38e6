"""The assumptions register: every value that is not measured, its source, and whether it was edited."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from planner.decide.options import SERVER_POWER_W, training_power_w
from planner.decide.types import Assumption, Option, Terms
from planner.evidence import Evidence
from planner.offers.billing import POWER_SUPPLY_EFFICIENCY, UPLOAD_EFFICIENCY
from planner.offers.currency import ExchangeRate, rates_text, shipped_rates
from planner.offers.purchase import KEPT_MONTHS, RESALE_SHARE
from planner.predict.types import DeviceModel
from planner.workload.job import Job

# Fields of Terms with a source better than a judgement; message codes below "source.".
_SOURCES = {
    "electricity_usd_per_kwh": "electricity",
    "co2_per_kwh_g": "grid",
    "card_usd": "used_cards",
}
_UNSET_MEANS_NONE = ("deadline_h", "budget_usd")


def register(
    job: Job,
    terms: Terms,
    local: DeviceModel | None,
    options: tuple[Option, ...],
    rates: tuple[ExchangeRate, ...] = (),
) -> tuple[Assumption, ...]:
    """All assumptions behind an answer: the job's, the circumstances', the machines', the currencies'."""
    return (
        *_of_job(job),
        *_of_terms(terms),
        *_of_local(local),
        *_of_options(options),
        *_of_rates(options, rates),
    )


def _of_rates(options: tuple[Option, ...], rates: tuple[ExchangeRate, ...]) -> Iterator[Assumption]:
    """Those that a weighed price was converted with. Of several of a currency the last counts."""
    converted = {
        option.price.offer.currency
        for option in options
        if option.price and option.price.offer and option.price.offer.price_per_hour is not None
    }
    last = {rate.currency: rate for rate in rates}
    shipped = shipped_rates()
    for currency in sorted(converted & last.keys()):
        rate = last[currency]
        told = ", ".join(filter(None, (rate.date, rate.source)))
        yield Assumption("exchange_rate", rates_text([rate]), Evidence.PUBLISHED, told, rate not in shipped)


def _of_local(local: DeviceModel | None) -> Iterator[Assumption]:
    if local is not None:
        source = "default" if local.power_w is None else "power_limit"
        yield Assumption("gpu_power_w", training_power_w(local), Evidence.ASSUMED, source, False)


def _of_job(job: Job) -> Iterator[Assumption]:
    default = Job()
    for name in (
        "samples_per_epoch", "epochs", "dataset_bytes", "result_bytes", "kept_batch", "runs",
        "core_samples_per_s",
    ):  # fmt: skip
        value = getattr(job, name)
        if value is None:
            continue  # by kind of input; the options say what comes of it
        edited = value != getattr(default, name)
        yield Assumption(name, value, Evidence.ASSUMED, "user" if edited else "default", edited)


def _of_terms(terms: Terms) -> Iterator[Assumption]:
    default = Terms()
    for field in dataclasses.fields(terms):
        value = getattr(terms, field.name)
        if value in (None, ""):
            continue  # no deadline, no budget; the bus range is that of the options
        edited = value != getattr(default, field.name)
        source = "user" if edited else _SOURCES.get(field.name, "default")
        evidence = Evidence.PUBLISHED if source in _SOURCES.values() else Evidence.ASSUMED
        yield Assumption(field.name, value, evidence, source, edited)


def _of_options(options: tuple[Option, ...]) -> Iterator[Assumption]:
    yield Assumption("upload_efficiency_share", UPLOAD_EFFICIENCY, Evidence.ASSUMED, "default", False)
    yield Assumption("power_supply_share", POWER_SUPPLY_EFFICIENCY, Evidence.ASSUMED, "default", False)
    if any(option.sold and option.gpu_count > 1 for option in options):
        yield Assumption("server_power_w", SERVER_POWER_W, Evidence.ASSUMED, "default", False)
    yield Assumption("card_kept_months", KEPT_MONTHS, Evidence.ASSUMED, "default", False)
    yield Assumption("card_resale_share", RESALE_SHARE, Evidence.ASSUMED, "default", False)
    steps_s = [option.price.offer.billing_step_s for option in options if option.price and option.price.offer]
    if steps_s:
        yield Assumption("billing_step_s", max(steps_s), Evidence.ASSUMED, "default", False)
    for option in options:
        if option.kind == "local" and option.step is not None:
            sources = {Evidence.MEASURED_JOB: "timed", Evidence.MEASURED_BENCHMARK: "benchmark"}
            source = sources.get(option.step.evidence, "data_sheet")
            yield Assumption("local_step_s", option.step.seconds, option.step.evidence, source, False)
        if option.input_samples_per_s is not None and option.key in ("local", "rent-1"):
            name = "local_input_samples_per_s" if option.kind == "local" else "rented_input_samples_per_s"
            yield Assumption(name, option.input_samples_per_s, Evidence.ASSUMED, "input", False)
        if option.key == "rent-1" and option.step is not None:
            yield Assumption("rented_step_s", option.step.seconds, option.step.evidence, "calibration", False)
        if option.communication is not None and option.sold:
            bus = option.communication.bus_bandwidth_bytes_per_s.scaled(1e-9)
            source = "bus_logs" if option.communication.evidence is Evidence.ASSUMED else "user"
            yield Assumption(f"bus_{option.gpu_count}_gbs", bus, option.communication.evidence, source, False)
        if option.price is not None and option.sold and option.price.usd_per_hour is not None:
            typed = option.price.offer is not None and option.price.offer.pricing == "quote"
            source = "comparable" if not option.price.is_quote else "quote" if typed else "price_list"
            evidence = Evidence.PUBLISHED if option.price.is_quote else Evidence.ASSUMED
            name = f"price_{option.gpu_count}_usd_per_h"
            yield Assumption(name, option.price.usd_per_hour, evidence, source, typed)
