"""How `gpu-plan report` is told what a team wants its report to look like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, get_args

import click

from planner.report.presentation import MOST_LOGO_BYTES, Form, Paper, Presentation, as_logo

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--form", type=click.Choice(get_args(Form)), help="short: what a decision-maker reads."),
    click.option("--paper", type=click.Choice(get_args(Paper))),
    click.option("--team", help="Printed at the foot of every page."),
    click.option("--logo", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="A PNG or JPEG."),
    click.option(
        "--leave-out", multiple=True, metavar="KEY", help="A section that is not wanted, by its key in --json."
    ),
    click.option("--comment", "comments", multiple=True, metavar="KEY=TEXT", help="Your words on a section."),
)


def look_options(command: F) -> F:
    """Adds ``form``, ``paper``, ``team``, ``logo``, ``leave_out`` and ``comments`` to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def with_look(saved: Presentation, given: dict[str, Any], sections: tuple[str, ...]) -> Presentation:
    """The plan's look with what was given on top. Raises UsageError for a section that the report has not."""
    fields = {name: given[name] for name in ("form", "paper", "team") if given[name] is not None}
    comments = dict(saved.comments)
    for text in given["comments"]:
        key, found, words = text.partition("=")
        if not found:
            raise click.BadParameter(f"{text!r}: write KEY=TEXT", param_hint="--comment")
        comments[key] = words
    for key in (*given["leave_out"], *(text.partition("=")[0] for text in given["comments"])):
        if key not in sections:
            raise click.BadParameter(
                f"no section {key!r}: choose one of {', '.join(sections)}", param_hint="section"
            )
    try:
        if given["logo"] is not None:
            with given["logo"].open("rb") as file:
                fields["logo"] = as_logo(file.read(MOST_LOGO_BYTES + 1000))
        return replace(
            saved,
            **fields,
            left_out=tuple(dict.fromkeys((*saved.left_out, *given["leave_out"]))),
            comments=tuple((key, words) for key, words in comments.items() if words.strip()),
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from None
