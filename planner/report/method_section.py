"""The method with this job's own numbers in its formulas, so that a reader can follow them with a calculator.

Everything is at the likely values; the ranges come from the simulation.
"""

from __future__ import annotations

import math

from planner.decide.clock import samples_per_step, steps_per_epoch
from planner.decide.types import Option, Recommendation
from planner.evidence import Range
from planner.offers.billing import UPLOAD_EFFICIENCY
from planner.pipeline import PlanInputs
from planner.predict.step_time import NORMAL_90
from planner.report.types import Section, Table
from planner.report.wording import Wording
from planner.workload.optable import OP_CLASSES

_NOTICEABLE = 0.005  # share of a step below which a class is not listed

Row = tuple[str, str, str]


def method_section(inputs: PlanInputs, recommendation: Recommendation, wording: Wording) -> tuple[Section, ...]:
    """Formulas of the chosen option, else of the first that was predicted; nothing where none was."""
    known = [option for option in recommendation.options if option.step is not None]
    if not known:
        return ()
    chosen = next((option for option in known if option.key == recommendation.chosen), known[0])
    say = wording.messages.say
    rows = [
        *_step_rows(chosen, wording),
        *_exchange_rows(chosen, wording),
        *_run_rows(inputs, chosen, wording),
        *_around_rows(inputs, chosen, wording),
        *_memory_rows(chosen, wording),
        *_bill_rows(chosen, wording),
    ]
    columns = tuple(say(f"report.method.{column}") for column in ("quantity", "formula", "result"))
    return (
        Section(
            "method",
            say("report.section.method"),
            (wording.say("report.method.note", option=wording.named(chosen)), say("report.method.roofline")),
            (Table(columns, tuple(rows), (False, False, True)), _class_table(chosen, wording)),
        ),
    )


def _likely(wording: Wording, name: str, value: Range | float) -> str:
    return wording.likely(name, value) if isinstance(value, Range) else wording.value(name, value)


def _row(wording: Wording, code: str, name: str, result: Range | float, **values: str) -> Row:
    say = wording.messages.say
    return (
        say(f"report.method.{code}.name"),
        say(f"report.method.{code}.formula", **values),
        wording.value(name, result),
    )


def _step_rows(option: Option, wording: Wording) -> list[Row]:
    step = option.step
    assert step is not None
    sigma = math.hypot(step.sigma_model, step.sigma_device)
    values = {
        "step": _likely(wording, "step_s", step.seconds.likely),
        "model": wording.value("sigma", step.sigma_model),
        "device": wording.value("sigma", step.sigma_device),
        "z": wording.value("z", NORMAL_90),
        "factor": wording.value("factor", math.exp(NORMAL_90 * sigma)),
    }
    return [_row(wording, "step", "step_s", step.seconds, **values)]


def _exchange_rows(option: Option, wording: Wording) -> list[Row]:
    found = option.communication
    if found is None:
        return []
    count, seconds = option.gpu_count, found.seconds
    factor = 2 * (count - 1) / count
    bus = found.bus_bandwidth_bytes_per_s.likely
    rows = [
        _row(
            wording,
            "exchange",
            "exchange_s",
            seconds,
            count=str(count),
            factor=wording.value("factor", factor),
            gradients=wording.value("gradient_bytes", seconds.likely * bus / factor),
            bus=wording.value("bus_bytes_per_s", bus),
        )
    ]
    assert option.step is not None
    if option.step_total_s is not None:
        rows.append(
            _row(
                wording,
                "step_total",
                "step_total_s",
                option.step_total_s,
                step=_likely(wording, "step_s", option.step.seconds.likely),
                exchange=_likely(wording, "exchange_s", seconds.likely),
                waiting=_likely(wording, "waiting_s", found.waiting_s.likely),
            )
        )
    return rows


def _run_rows(inputs: PlanInputs, option: Option, wording: Wording) -> list[Row]:
    job, rows = inputs.job, []
    rate = option.input_samples_per_s
    at_a_time = min(option.gpu_count, job.runs) if option.side_by_side else 1
    samples = (
        samples_per_step(job, 1) * at_a_time if option.side_by_side else samples_per_step(job, option.gpu_count)
    )
    if rate is not None:
        rows.append(
            _row(
                wording,
                "input",
                "input_s",
                samples / rate.likely,
                samples=wording.value("samples", samples),
                rate=_likely(wording, "input_samples_per_s", rate),
            )
        )
    run = next((phase.duration_s for phase in option.phases if phase.code == "run"), None)
    if run is None or option.step_total_s is None:
        return rows
    steps = steps_per_epoch(job, 1 if option.side_by_side else option.gpu_count)
    rounds = math.ceil(job.runs / at_a_time)
    rows.append(
        _row(
            wording,
            "run",
            "run_s",
            rounds * steps * job.epochs.likely * option.step_total_s.likely,
            rounds=wording.value("rounds", rounds),
            steps=wording.value("steps", steps),
            epochs=_likely(wording, "epochs", job.epochs.likely),
            step=_likely(wording, "step_s", option.step_total_s.likely),
            median=_likely(wording, "run_s", run),
        )
    )
    return rows


def _around_rows(inputs: PlanInputs, option: Option, wording: Wording) -> list[Row]:
    if option.kind == "local" or not inputs.job.dataset_bytes:
        return []
    line = inputs.terms.upload_mbit_per_s.likely
    seconds = inputs.job.dataset_bytes * 8 / (line * 1e6 * UPLOAD_EFFICIENCY)
    values = {
        "data": wording.value("dataset_bytes", inputs.job.dataset_bytes),
        "line": wording.value("upload_mbit_per_s", line),
        "efficiency": wording.value("efficiency", UPLOAD_EFFICIENCY),
    }
    return [_row(wording, "upload", "upload_s", seconds, **values)]


def _memory_rows(option: Option, wording: Wording) -> list[Row]:
    if option.memory is None:
        return []
    parts = sorted(option.memory.parts, key=lambda part: -part.bytes.likely)
    terms = " + ".join(_likely(wording, "memory_bytes", part.bytes.likely) for part in parts if part.bytes.likely)
    return [_row(wording, "memory", "memory_bytes", option.memory.total_bytes, parts=terms)]


def _bill_rows(option: Option, wording: Wording) -> list[Row]:
    rent = next((part.usd for part in option.cost if part.code == "rent"), None)
    if rent is None or option.price is None or option.price.usd_per_hour is None:
        return []
    hours = sum(phase.duration_s.likely for phase in option.phases if phase.billed) / 3600
    price = option.price.usd_per_hour.likely
    values = {
        "price": wording.value("usd_per_h", price),
        "hours": wording.value("billed_h", hours),
        "median": _likely(wording, "rent_usd", rent),
    }
    return [_row(wording, "rent", "rent_usd", price * hours, **values)]


def _class_table(option: Option, wording: Wording) -> Table:
    """The likely step on one GPU by class of operators."""
    assert option.step is not None
    by_class, total = option.step.by_class_s, float(option.step.by_class_s.sum())
    say = wording.messages.say
    rows = [
        (
            say(f"report.op_class.{name}"),
            wording.value("time_s", float(seconds)),
            wording.value("step_share", float(seconds) / total),
        )
        for name, seconds in sorted(zip(OP_CLASSES, by_class, strict=True), key=lambda pair: -pair[1])
        if total and seconds > _NOTICEABLE * total
    ]
    columns = tuple(say(f"report.method.{column}") for column in ("op_class", "class_time", "class_share"))
    return Table(columns, tuple(rows), (False, True, True))
