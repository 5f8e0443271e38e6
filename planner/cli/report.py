"""`gpu-plan report` and `replay`: the paper of an answer, and the proof that it comes out again."""

from __future__ import annotations

import os
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from planner.children import python_child_argv, python_child_env
from planner.cli.output import as_json, print_json, print_table
from planner.cli.plan import print_answer
from planner.cli.report_look import look_options, with_look
from planner.ledger import ledger_at_hand
from planner.messages import language_in_use, load_messages
from planner.pipeline import evaluate
from planner.report.as_json import as_json as recommendation_json
from planner.report.plan_file import compare_with_saved, read_plan, save_plan
from planner.report.presentation import presented
from planner.report.sections import build_report
from planner.report.wording import Wording

_PDF_DEADLINE_S = 120.0


@click.command()
@click.argument("plan_file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@as_json
def replay(plan_file: Path, json_wanted: bool) -> None:
    """Work a saved plan out again and compare. Exit status 1 when the numbers differ."""
    saved = read_plan(plan_file)
    recommendation = evaluate(saved.inputs)
    differences = compare_with_saved(saved, recommendation)
    messages = load_messages()
    if json_wanted:
        found = [{"where": item.where, "saved": item.saved, "now": item.now} for item in differences]
        print_json(
            {
                "edited": saved.edited_since_saved,
                "compared": saved.headline is not None,
                "differences": found,
                "recommendation": recommendation_json(recommendation),
            }
        )
    else:
        print_answer(recommendation, Wording(messages))
        click.echo()
        if saved.edited_since_saved:
            click.echo(messages.say("cli.replay.edited"))
        if saved.headline is None:
            click.echo(messages.say("cli.replay.no_numbers"))
        elif differences:
            click.echo(messages.say("cli.replay.different"))
            print_table(("", "saved", "now"), [(d.where, str(d.saved), str(d.now)) for d in differences])
        else:
            click.echo(messages.say("cli.replay.same"))
    if differences or saved.edited_since_saved:
        raise SystemExit(1)


@click.command()
@click.argument("plan_file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--pdf", type=click.Path(dir_okay=False, path_type=Path), help="Write a PDF here.")
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path), help="Write one HTML file here.")
@look_options
@as_json
def report(plan_file: Path, pdf: Path | None, html: Path | None, json_wanted: bool, **look: Any) -> None:
    """Write a saved plan's report: --pdf, --html, or --json for its sections on standard output."""
    if not (pdf or html or json_wanted):
        raise click.UsageError("say what to write: --pdf FILE, --html FILE or --json")
    saved = read_plan(plan_file)
    messages = load_messages()
    changed = any(look.values())
    if html or json_wanted or changed:
        recommendation = evaluate(saved.inputs)
        wording = Wording(messages)
        made = build_report(saved.inputs, recommendation, wording, saved.name, plan_file.name, ledger_at_hand())
        wanted = with_look(saved.presentation, look, tuple(section.key for section in made.sections))
        saved = replace(saved, presentation=wanted)
        made = presented(made, wanted)
        if html:
            from planner.report.files import write_file
            from planner.report.html import html_page

            write_file(html, html_page(made).encode())
            click.echo(messages.say("cli.report.written", path=html), err=json_wanted)
        if json_wanted:
            from planner.report.as_json import report_json

            print_json(report_json(made))
    if pdf and changed:
        with tempfile.TemporaryDirectory() as folder:  # the plan with this look, under its own name
            plan = Path(folder) / plan_file.with_suffix(".json").name
            save_plan(plan, saved.inputs, None, saved.name, saved.presentation)
            _write_pdf(plan, pdf)
    elif pdf:
        _write_pdf(plan_file, pdf)
    if pdf:
        click.echo(messages.say("cli.report.written", path=pdf), err=json_wanted)


def _write_pdf(plan_file: Path, pdf: Path) -> None:
    """The PDF is painted by Qt, which the domain does not know: a child does it."""
    files = (os.fspath(plan_file.resolve()), os.fspath(pdf.resolve()))
    command = python_child_argv("ui.report", *files, "--language", language_in_use())
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_PDF_DEADLINE_S, check=False, env=python_child_env()
        )
    except subprocess.TimeoutExpired:
        raise click.ClickException(f"painting the PDF took more than {_PDF_DEADLINE_S:.0f} s") from None
    if done.returncode:
        click.echo(done.stderr.strip(), err=True)
        raise SystemExit(done.returncode if done.returncode in (1, 2) else 1)
