"""`gpu-plan ledger`: write down what really came of a plan, and read how earlier plans did."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from planner.cli.output import as_json, print_json, print_table
from planner.door import InvalidInputError, Problem
from planner.ledger import (
    Entry,
    Ledger,
    TrackRecord,
    add_entry,
    costs,
    ledger_file,
    read_ledger,
    times,
    track_record,
)
from planner.messages import load_messages
from planner.pipeline import evaluate
from planner.report.as_json import plain_json
from planner.report.plan_file import Headline, OptionHeadline, SavedPlan, headline, read_plan
from planner.report.track_record import entries_table, summary
from planner.report.wording import Wording


@click.group()
def ledger() -> None:
    """What really came of earlier plans: the report prints how often their ranges held."""


@ledger.command()
@click.argument("plan_file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--option", "key", help="What was done: local, rent-1 … rent-6. Default: what was recommended.")
@click.option("--hours", type=float, help="From the start to the result in hand, upload and set-up included.")
@click.option("--cost", type=float, help="All that it cost, in USD.")
@click.option("--note", default="", help="A word to remember it by.")
@as_json
def add(
    plan_file: Path, key: str | None, hours: float | None, cost: float | None, note: str, json_wanted: bool
) -> None:
    """Write down the time and cost of a job that PLAN_FILE (a plan or its PDF report) had predicted."""
    saved = read_plan(plan_file)
    option = _option(saved, plan_file.name, key)
    try:
        entry = Entry(
            recorded_at=datetime.now(UTC).isoformat(timespec="seconds"),
            plan_sha256=saved.inputs_sha256,
            plan_name=saved.name,
            planned_on=saved.inputs.today,
            model=saved.inputs.job.recipe.model,
            option=option.key,
            predicted_time_s=option.time_s,
            measured_time_s=None if hours is None else hours * 3600,
            predicted_cost_usd=option.cost_usd,
            measured_cost_usd=cost,
            note=note,
            saved_by=saved.saved_by,
        )
    except ValueError as error:
        raise click.UsageError(f"{error}: give --hours, --cost or both") from None
    add_entry(entry)
    if json_wanted:
        print_json(plain_json(entry))
        return
    wording = Wording(load_messages())
    _print_entries(Ledger((entry,)), wording)
    click.echo(wording.messages.say("ledger.added", path=ledger_file()))


@ledger.command("list")
@as_json
def list_entries(json_wanted: bool) -> None:
    """Print every job that was written down, and how often the ranges held."""
    found = read_ledger()
    if json_wanted:
        records = {"time": track_record(times(found.entries)), "cost": track_record(costs(found.entries))}
        data: dict[str, Any] = {"entries": plain_json(found.entries), "problems": [str(p) for p in found.problems]}
        print_json({**data, **{name: _record_json(record) for name, record in records.items()}})
        return
    wording = Wording(load_messages())
    for problem in found.problems:
        click.echo(f"{ledger_file()}: {problem}", err=True)
    if not found.entries:
        click.echo(wording.messages.say("ledger.none"))
        return
    _print_entries(found, wording)
    click.echo()
    for sentence in summary(found, wording):
        click.echo(sentence)


def _print_entries(found: Ledger, wording: Wording) -> None:
    table = entries_table(found.entries, wording)
    print_table(table.columns, table.rows, table.numeric)


def _record_json(record: TrackRecord) -> dict[str, Any]:
    return {**plain_json(record), "share": record.share}


def _option(saved: SavedPlan, source: str, key: str | None) -> OptionHeadline:
    """What the plan said of the option when it was saved; worked out now where it was saved without numbers."""
    if saved.edited_since_saved:
        what = "edited after it was saved, so its numbers are not its own: save it again with gpu-plan plan --save"
        raise InvalidInputError(source, (Problem("", what),))
    said: Headline = saved.headline or headline(evaluate(saved.inputs))
    wanted = key or said.chosen
    found = next((option for option in said.options if option.key == wanted), None)
    if found is None:
        known = ", ".join(option.key for option in said.options)
        raise click.BadParameter(
            f"{wanted or 'nothing was recommended'}: choose one of {known}", param_hint="--option"
        )
    return found
