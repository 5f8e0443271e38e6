"""What `gpu-plan estimate --ladder` prints: the need by phase, and the changes that lower it."""

from __future__ import annotations

from typing import Any

import click

from planner.cli.output import print_json, print_table
from planner.messages import load_messages
from planner.predict.ladder import Rung
from planner.predict.table_contract import WithLadder
from planner.report.ladder_words import bytes_range, rung_title
from planner.units import format_bytes


def show_ladder(found: WithLadder, json_wanted: bool) -> None:
    """For programs or for people; the likely figures, the range where it tells more."""
    if json_wanted:
        print_json(_as_json(found))
        return
    memory, messages = found.estimate.memory, load_messages()
    available = "?" if memory.available_bytes is None else format_bytes(memory.available_bytes)
    fits = messages.say(f"memory.fits.{memory.fits.value}")
    click.echo(
        messages.say("cli.ladder.need", need=bytes_range(memory.total_bytes), available=available, fits=fits)
    )
    click.echo(messages.say("cli.ladder.phase", phase=messages.say(f"memory.phase.{memory.phase}")))
    for phase in memory.phases:
        click.echo(f"  {messages.say(f'memory.phase.{phase.code}')}: {bytes_range(phase.bytes)}")
    if memory.host_bytes is not None:
        click.echo(messages.say("cli.ladder.host", host=bytes_range(memory.host_bytes)))
    if found.estimate.gpu_count > 1 and found.recipe.strategy == "ddp":
        click.echo(messages.say("memory.ddp"))
    if not found.rungs:
        click.echo(messages.say("cli.ladder.none"))
        return
    print_table(
        ("change", "need", "saves", "time per sample", "verdict", "evidence"),
        [_cells(rung) for rung in found.rungs],
        (False, True, True, True, False, False),
    )


def _cells(rung: Rung) -> tuple[str, ...]:
    return (
        rung_title(rung, load_messages()),
        format_bytes(rung.memory.total_bytes.likely),
        format_bytes(rung.gain_bytes),
        f"{rung.time_ratio.likely - 1:+.0%}",
        load_messages().say(f"memory.fits.{rung.memory.fits.value}"),
        rung.evidence.value,
    )


def _as_json(found: WithLadder) -> dict[str, Any]:
    from planner.door import plain

    memory = found.estimate.memory
    return {
        "memory": plain(memory),
        "ladder": [plain(rung) for rung in found.rungs],
    }
