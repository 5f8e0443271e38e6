"""`gpu-plan estimate`: step time and peak memory, for one recipe or a whole table of them."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO, get_args

import click

from planner.cli.ladder import show_ladder
from planner.cli.output import as_json, print_json, print_table
from planner.door import InvalidInputError, Problem
from planner.hardware.catalogue import required
from planner.predict.device import device_from_catalogue
from planner.predict.table_contract import INPUT_COLUMNS, OUTPUT_COLUMNS, estimate_table, estimate_with_ladder
from planner.predict.types import DeviceModel, Fits
from planner.spreadsheet import safe_cell
from planner.storage import write_atomically
from planner.units import format_bytes, format_duration, significant
from planner.workload import job
from planner.workload.sources.request import TableRequest

STANDARD = "-"


def resolve_device(name: str) -> DeviceModel:
    """The GPU of a table's ``gpu`` column. Raises InvalidInputError for one that is not known."""
    if name.strip().lower() == "local":
        return local_device()
    return device_from_catalogue(required(name))


def local_device() -> DeviceModel:
    """This machine's GPU, by its latest benchmark or its data sheet. Raises InvalidInputError without one."""
    from planner.benchmark.history import latest_for
    from planner.hardware.detect import detect
    from planner.pipeline import local_device as device_of

    snapshot = detect(interpreters=False)
    device = device_of(snapshot, None, latest_for(snapshot, None))
    if device is None:
        raise InvalidInputError(
            "gpu", (Problem("gpu", "no local GPU was found and none was benchmarked: run `gpu-plan bench`"),)
        )
    return device


def _read_rows(source: str) -> list[dict[str, str]]:
    """Rows of a CSV file or of standard input. Raises InvalidInputError for a file that is no such table.

    A row with more cells than columns gets its ``error`` here. Columns that mean nothing to us are passed through,
    with a warning: they may be misspelt.
    """
    try:
        content = sys.stdin.buffer.read() if source == STANDARD else Path(source).read_bytes()
        text = content.decode("utf-8-sig")
    except FileNotFoundError:
        raise InvalidInputError(source, (Problem("", "no such file"),)) from None
    except IsADirectoryError:
        raise InvalidInputError(source, (Problem("", "is a folder, not a table"),)) from None
    except UnicodeDecodeError as error:
        raise InvalidInputError(source, (Problem(f"byte {error.start}", "not UTF-8 text"),)) from None
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        columns = reader.fieldnames or ()
        if "model" not in columns:
            raise InvalidInputError(source, (Problem("line 1", "the column 'model' is missing"),))
        for column in sorted(set(columns) - set(INPUT_COLUMNS) - set(OUTPUT_COLUMNS)):
            click.echo(f"{source}: line 1: the column {column!r} is passed through but not read", err=True)
        return [_row(row) for row in reader]
    except csv.Error as error:
        raise InvalidInputError(source, (Problem(f"line {reader.line_num}", str(error)),)) from None


def _row(row: dict[str | None, Any]) -> dict[str, str]:
    surplus = row.pop(None, None)
    cells = {str(column): value or "" for column, value in row.items() if column not in OUTPUT_COLUMNS}
    return {**cells, "error": f"more cells than columns: {surplus}"} if surplus else cells


def _tell_progress(request: TableRequest, stage: str) -> None:
    click.echo(f"{request.reference.text}: {stage}", err=True)


def _answer_rows(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    answers = estimate_table((row for row in rows if "error" not in row), resolve_device, _tell_progress)
    return [{**dict.fromkeys(OUTPUT_COLUMNS, ""), **row} if "error" in row else next(answers) for row in rows]


def _write_rows(rows: Iterable[dict[str, str]], columns: list[str], stream: TextIO) -> None:
    writer = csv.DictWriter(stream, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows({column: safe_cell(cell) for column, cell in row.items()} for row in rows)


def _estimate_file(table: str, out: str, json_wanted: bool) -> None:
    rows = _read_rows(table)
    answers = _answer_rows(rows)
    if json_wanted:
        print_json(answers)
        return
    columns = [*(column for column in (rows[0] if rows else ["model"]) if column != "error"), *OUTPUT_COLUMNS]
    if out == STANDARD:
        _write_rows(answers, columns, sys.stdout)
        return
    buffer = io.StringIO(newline="")
    _write_rows(answers, columns, buffer)
    write_atomically(Path(out), buffer.getvalue().encode())


def _print_answer(answer: dict[str, str]) -> None:
    step = tuple(
        format_duration(float(answer[key])) for key in ("step_time_low_s", "step_time_s", "step_time_high_s")
    )
    memory = tuple(
        format_bytes(float(answer[key]))
        for key in ("peak_memory_low_bytes", "peak_memory_bytes", "peak_memory_high_bytes")
    )
    print_table(
        ("", "low", "likely", "high"),
        [("step time", *step), ("peak memory", *memory)],
        (False, True, True, True),
    )
    click.echo(f"samples per second: {significant(float(answer['samples_per_s']))}")
    click.echo(f"fits: {answer['fits']}, largest batch size: {answer['largest_batch_size'] or 'not known'}")
    click.echo(f"evidence: {answer['evidence']}")


@click.command()
@click.option("--table", help="CSV of recipes to read, or - for standard input.")
@click.option("--out", default=STANDARD, show_default=True, help="CSV to write, or - for standard output.")
@click.option("--model", help="What to train, e.g. preset:resnet50.")
@click.option("--mode", type=click.Choice(get_args(job.Mode)))
@click.option("--batch-size", help="Samples per GPU and step.")
@click.option("--image-size", help="Pixels per side.")
@click.option("--sequence-length", help="Tokens per sample.")
@click.option("--precision", type=click.Choice(job.PRECISIONS))
@click.option("--memory-format", type=click.Choice(get_args(job.MemoryFormat)))
@click.option("--optimizer", type=click.Choice(job.OPTIMIZERS))
@click.option("--gpu", help="A catalogue name such as 'RTX 3090', or 'local'.")
@click.option("--gpus", help="How many of them, 1 to 8.")
@click.option("--bus-bandwidth-gbs", help="All-reduce bus bandwidth of the host; empty: the range of such hosts.")
@click.option("--strategy", type=click.Choice(get_args(job.Strategy)))
@click.option("--checkpointing", type=click.Choice(get_args(job.Checkpointing)))
@click.option("--execution", type=click.Choice(get_args(job.Execution)), help="compile: through torch.compile.")
@click.option("--adapter", help="none, lora:RANK or qlora:RANK.")
@click.option("--software", type=click.Choice(get_args(job.Software)))
@click.option("--offload", type=click.Choice(get_args(job.Offload)), help="What waits in the RAM of the host.")
@click.option("--accumulation-steps", help="Batches of that size per update.")
@click.option("--local-step-time-s", help="Seconds of one step of this recipe that you timed: scaled to --gpu.")
@click.option("--local-gpu", help="Where you timed it: a catalogue name; empty: this machine's GPU.")
@click.option("--ladder", "ladder_wanted", is_flag=True, help="Also what makes it take less memory, and its cost.")
@as_json
def estimate(table: str | None, out: str, ladder_wanted: bool, json_wanted: bool, **recipe: str | None) -> None:
    """Estimate step time and peak memory of a training step."""
    if table is not None:
        if given := [name for name, value in recipe.items() if value is not None]:
            raise click.UsageError(
                f"--table takes its recipes from the file; leave out --{given[0].replace('_', '-')}"
            )
        if ladder_wanted:
            raise click.UsageError("--ladder is for one recipe, not for a --table of them")
        _estimate_file(table, out, json_wanted)
        return
    if not recipe["model"]:
        raise click.UsageError("name a model (--model preset:resnet50) or a table (--table jobs.csv)")
    row = {column: recipe.get(column) or "" for column in INPUT_COLUMNS}
    if ladder_wanted:
        found = estimate_with_ladder(row, resolve_device, _tell_progress)
        show_ladder(found, json_wanted)
        raise SystemExit(1 if found.estimate.memory.fits is Fits.NO else 0)
    (answer,) = estimate_table([row], resolve_device, _tell_progress)
    if answer["error"]:
        raise InvalidInputError("estimate", (Problem("", answer["error"]),))
    if json_wanted:
        print_json({column: answer[column] for column in OUTPUT_COLUMNS if column != "error"})
    else:
        _print_answer(answer)
    if answer["fits"] == "no":
        raise SystemExit(1)
