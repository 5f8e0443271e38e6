"""`gpu-plan diff`: what changed between two plans, in words, and why the answer changed with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from planner.cli.output import as_json, print_json, print_table
from planner.decide.types import Recommendation
from planner.messages import load_messages
from planner.report.as_json import as_json as recommendation_json
from planner.report.as_json import plain_json
from planner.report.diff import PlanDiff, Trial, compare_plans
from planner.report.diff_words import input_sentences, outcome_sentences, reason_sentences, trial_table
from planner.report.plan_file import read_plan
from planner.report.wording import Wording

_PLAN = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.argument("first", type=_PLAN)
@click.argument("second", type=_PLAN)
@as_json
def diff(first: Path, second: Path, json_wanted: bool) -> None:
    """Say how two plans differ and why. FIRST and SECOND are plan files, or PDF reports that carry one."""
    saved = read_plan(first), read_plan(second)
    found = compare_plans(saved[0].inputs, saved[1].inputs)
    if json_wanted:
        print_json(_as_json(found))
        return
    wording = Wording(load_messages())
    for file, plan in zip((first, second), saved, strict=True):
        if plan.edited_since_saved:
            click.echo(wording.messages.say("diff.edited", file=file.name))
    _print_list("inputs", input_sentences(found, wording), wording)
    _print_list("outcome", outcome_sentences(found, wording), wording)
    if found.changes:
        _print_list("why", reason_sentences(found, wording), wording)
        table = trial_table(found, wording)
        click.echo()
        print_table(table.columns, table.rows, table.numeric)
    click.echo("\n" + wording.messages.say("diff.both_anew"))


def _print_list(title: str, sentences: tuple[str, ...], wording: Wording) -> None:
    click.echo(wording.messages.say(f"diff.title.{title}"))
    for sentence in sentences:
        click.echo(f"  - {sentence}")


def _as_json(found: PlanDiff) -> dict[str, Any]:
    def headline(answer: Recommendation | None) -> dict[str, Any] | None:
        if answer is None:
            return None
        data = recommendation_json(answer)
        option: dict[str, Any] = next((one for one in data["options"] if one["key"] == answer.chosen), {})
        numbers = {name: option.get(name) for name in ("time_s", "cost_usd", "p_on_time")}
        return {"verdict": answer.verdict, "chosen": answer.chosen, "confidence": answer.confidence, **numbers}

    def trial(one: Trial) -> dict[str, Any]:
        flips = found.makes_the_choice(one)
        return {
            "group": one.group,
            "field": one.what or None,
            "answer": headline(one.answer),
            "makes_the_choice": flips,
            "problem": one.problem or None,
        }

    return {
        "changes": plain_json(found.changes),
        "first": headline(found.before),
        "second": headline(found.after),
        "choice_changed": found.choice_changed,
        "groups": [trial(one) for one in found.groups],
        "fields": [trial(one) for one in found.singles],
    }
