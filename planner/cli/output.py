"""What the commands print: JSON for programs, aligned text for people."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import click

as_json = click.option("--json", "json_wanted", is_flag=True, help="Print JSON for programs.")


def print_json(value: Any) -> None:
    """One JSON document on standard output. Raises ValueError for NaN or infinity: they are not JSON."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]], numeric: Sequence[bool] = ()) -> None:
    """Columns padded to their widest cell; numeric ones to the right."""
    lines = [list(columns), *(list(row) for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(columns))]
    right = list(numeric) or [False] * len(columns)
    for line in lines:
        cells = (
            cell.rjust(width) if is_right else cell.ljust(width)
            for cell, width, is_right in zip(line, widths, right, strict=True)
        )
        click.echo("  ".join(cells).rstrip())


def not_available(value: object) -> str:
    """A field a driver refused is "N/A", never 0."""
    return "N/A" if value is None else str(value)
