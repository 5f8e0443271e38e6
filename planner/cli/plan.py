"""`gpu-plan plan`: the answer."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar, get_args

import click

from planner.cli.output import as_json, print_json, print_table
from planner.cli.plan_options import COUNT, SIZE, Quote, QuoteType, RangeType, RateType, terms_options
from planner.decide.types import Recommendation
from planner.door import InvalidInputError, Problem
from planner.messages import load_messages
from planner.offers.currency import ExchangeRate
from planner.offers.offer import Offer
from planner.pipeline import RENTED_GPU, PlanInputs, evaluate
from planner.report.as_json import as_json as recommendation_json
from planner.report.plan_file import plan_hash, read_plan, save_plan
from planner.report.sections import options_table
from planner.report.wording import Wording
from planner.workload import job
from planner.workload.presets import PRESETS, preset_info

T = TypeVar("T")


def _changed(base: T, given: dict[str, Any], source: str) -> T:
    """``base`` with the values that were given. Raises InvalidInputError for those that cannot be."""
    try:
        return replace(base, **{name: value for name, value in given.items() if value is not None})  # type: ignore[type-var]
    except ValueError as error:
        raise InvalidInputError(source, (Problem("", str(error)),)) from None


_RECIPE = (
    "model", "batch_size", "input_size", "precision", "memory_format", "optimizer", "checkpointing", "adapter",
    "strategy", "accumulation_steps", "execution",
)  # fmt: skip
_JOB = (
    "samples_per_epoch", "epochs", "dataset_bytes", "kept_batch", "runs",
    "core_samples_per_s", "timed_step_s",
)  # fmt: skip


def _usual_job(model: str) -> dict[str, Any]:
    """What a preset is usually trained with: batch, checkpointing and data set. Empty for other models."""
    kind, _, name = model.partition(":")
    if kind != "preset" or name not in PRESETS:
        return {}
    info = preset_info(name)
    return {
        "batch_size": info.default_batch_size,
        "checkpointing": info.default_checkpointing,
        "samples_per_epoch": float(info.dataset.samples),
        "dataset_bytes": float(info.dataset.bytes),
    }


def _quoted(base: PlanInputs, quotes: tuple[Quote, ...]) -> tuple[Offer, ...]:
    """The plan's offers and the quotes that were typed. Raises InvalidInputError for prices that cannot be."""
    return base.offers + tuple(
        _changed(
            Offer(base.provider, RENTED_GPU, 1, None, source="typed on the command line", pricing="quote"),
            {
                "gpu_count": quote.gpu_count,
                "price_date": base.today or None,
                "currency": quote.currency,
                "price_usd_per_hour" if quote.currency == "USD" else "price_per_hour": quote.price_per_hour,
            },
            "quote",
        )
        for quote in quotes
    )


def _rated(base: PlanInputs, rates: tuple[tuple[str, float], ...]) -> tuple[ExchangeRate, ...]:
    """The plan's exchange rates and those that were typed. Raises InvalidInputError."""
    day = base.today or datetime.now(UTC).date().isoformat()
    typed = []
    for currency, units in rates:
        try:
            typed.append(ExchangeRate(currency, units, day, "typed on the command line"))
        except ValueError as error:
            raise InvalidInputError("rate", (Problem(currency, str(error)),)) from None
    return (*(rate for rate in base.rates if rate.currency not in dict(rates)), *typed)


def _inputs_of_this_machine(detect_wanted: bool) -> PlanInputs:
    from planner.benchmark.history import latest_for
    from planner.hardware.detect import detect
    from planner.offers.catalogue import load_offers
    from planner.offers.currency import load_rates

    snapshot = detect(interpreters=False) if detect_wanted else None
    return PlanInputs(
        offers=load_offers(),
        rates=load_rates(),
        snapshot=snapshot,
        benchmark=latest_for(snapshot, None) if snapshot else None,
        today=datetime.now(UTC).date().isoformat(),
    )


def print_answer(recommendation: Recommendation, wording: Wording) -> None:
    click.echo(wording.verdict(recommendation))
    if recommendation.reasons:
        click.echo("\n" + wording.messages.say("cli.plan.reasons"))
        for reason in recommendation.reasons:
            click.echo(f"  - {wording.reason(reason)}")
    click.echo()
    table = options_table(recommendation, wording)
    print_table(table.columns, table.rows, table.numeric)


@click.command()
@click.argument("plan_file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--model", help="What to train, e.g. preset:resnet50.")
@click.option("--batch-size", type=int, help="Samples per step of all GPUs together (see --keep).")
@click.option(
    "--keep", "kept_batch", type=click.Choice(get_args(job.KeptBatch)), help="What stays with more GPUs."
)
@click.option("--input-size", type=int, help="Image size or sequence length.")
@click.option("--precision", type=click.Choice(job.PRECISIONS))
@click.option("--memory-format", type=click.Choice(get_args(job.MemoryFormat)))
@click.option("--optimizer", type=click.Choice(job.OPTIMIZERS))
@click.option("--checkpointing", type=click.Choice(get_args(job.Checkpointing)))
@click.option("--execution", type=click.Choice(get_args(job.Execution)), help="compile: through torch.compile.")
@click.option("--adapter", help="none, lora:RANK or qlora:RANK.")
@click.option("--strategy", type=click.Choice(get_args(job.Strategy)), help="How several cards share the work.")
@click.option("--samples", "samples_per_epoch", type=COUNT, help="Samples per epoch, e.g. 1.28M.")
@click.option("--epochs", type=RangeType(), help="LIKELY or LOW..LIKELY..HIGH.")
@click.option("--dataset-size", "dataset_bytes", type=SIZE, help="What has to be uploaded, e.g. 150 GB.")
@click.option(
    "--local-step-time-s", "timed_step_s", type=float, help="Seconds of one step that you timed on this machine."
)
@click.option("--runs", type=int, help="Of the same job with other settings, as in a sweep.")
@click.option("--accumulation-steps", type=int, help="Micro-batches between two exchanges of gradients.")
@click.option("--core-samples-per-s", type=RangeType(), help="Samples one processor core prepares.")
@terms_options
@click.option("--provider", help="Whose packages are weighed, as named in the offers.")
@click.option(
    "--quote", "quotes", type=QuoteType(), multiple=True, help="Seller's price an hour: 4=3.20, 4=60000VND."
)
@click.option("--rate", "rates", type=RateType(), multiple=True, help="What one USD buys: VND=26300.")
@click.option("--detect/--no-detect", "detect_wanted", default=True, help="Look at this machine first.")
@click.option("--save", type=click.Path(dir_okay=False, path_type=Path), help="Write the plan file here.")
@as_json
def plan(
    plan_file: Path | None,
    detect_wanted: bool,
    save: Path | None,
    quotes: tuple[Quote, ...],
    rates: tuple[tuple[str, float], ...],
    provider: str | None,
    json_wanted: bool,
    **given: Any,
) -> None:
    """Decide: stay local or rent. Starts from PLAN_FILE, or from this machine and the model's usual job."""
    base = read_plan(plan_file).inputs if plan_file else _inputs_of_this_machine(detect_wanted)
    base = replace(base, provider=provider or base.provider)
    usual = {} if plan_file and given["model"] is None else _usual_job(given["model"] or base.job.recipe.model)
    given = {name: usual.get(name) if value is None else value for name, value in given.items()}
    recipe = _changed(base.job.recipe, {name: given.pop(name) for name in _RECIPE}, "recipe")
    described = _changed(base.job, {"recipe": recipe, **{name: given.pop(name) for name in _JOB}}, "job")
    inputs = replace(
        base,
        job=described,
        terms=_changed(base.terms, given, "terms"),
        offers=_quoted(base, quotes),
        rates=_rated(base, rates),
    )
    recommendation = evaluate(inputs)
    wording = Wording(load_messages())
    if save:
        save_plan(save, inputs, recommendation, save.stem)
    if json_wanted:
        print_json({"plan_sha256": plan_hash(inputs), **recommendation_json(recommendation)})
    else:
        print_answer(recommendation, wording)
        if save:
            click.echo("\n" + wording.messages.say("cli.plan.saved", path=save))
    if recommendation.chosen is None:
        raise SystemExit(1)
