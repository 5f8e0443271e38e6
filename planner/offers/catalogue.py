"""The offers table: shipped with the product, edited by the user, always dated."""

from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from planner.door import InvalidInputError, Problem, validated
from planner.hardware.catalogue import AmbiguousGpuError, required
from planner.offers.offer import Offer
from planner.paths import RESOURCES, data_dir
from planner.storage import write_atomically

SHIPPED = RESOURCES / "offers" / "offers.csv"
COLUMNS = tuple(field.name for field in dataclasses.fields(Offer))
_DEFAULTS = {field.name: field.default for field in dataclasses.fields(Offer)}


def user_file() -> Path:
    """Where the user's edited table is kept."""
    return data_dir() / "offers.csv"


def load_offers() -> tuple[Offer, ...]:
    """The user's table, or the shipped one. Raises InvalidInputError with every problem of the file."""
    path = user_file() if user_file().exists() else SHIPPED
    try:
        return parse_offers(path.read_text(encoding="utf-8-sig"), str(path))
    except UnicodeDecodeError as error:
        raise InvalidInputError(str(path), (Problem(f"byte {error.start}", "not UTF-8 text"),)) from None


def save_offers(offers: tuple[Offer, ...]) -> None:
    """Keep the user's table. Raises OSError; the old table is then still there."""
    write_atomically(user_file(), write_offers(offers).encode())


def parse_offers(text: str, source: str) -> tuple[Offer, ...]:
    """CSV with the columns of ``Offer`` (any order; missing ones take their default; empty: not known).

    The GPU may be written as people write it ("RTX 3090"): it becomes its id in the catalogue.
    Raises InvalidInputError naming line and column of everything that is wrong.
    """
    reader = csv.DictReader(io.StringIO(text, newline=""))
    unknown = [column for column in reader.fieldnames or () if column not in COLUMNS]
    if unknown or not reader.fieldnames:
        known = ", ".join(COLUMNS)
        raise InvalidInputError(source, (Problem("line 1", f"unknown columns {unknown}; known: {known}"),))
    offers: list[Offer] = []
    problems: list[Problem] = []
    for row in _rows(reader, source):
        try:
            offers.append(validated(Offer, _cells(row), source))
        except AmbiguousGpuError as error:
            problems += [Problem(f"line {reader.line_num}, gpu", str(problem)) for problem in error.problems]
        except InvalidInputError as error:
            problems += [Problem(f"line {reader.line_num}, {item.where}", item.what) for item in error.problems]
    if problems:
        raise InvalidInputError(source, tuple(problems))
    return tuple(offers)


def _rows(reader: csv.DictReader[str], source: str) -> Iterator[dict[Any, Any]]:
    """Rows one by one. Raises InvalidInputError with the line where the text stops being CSV."""
    try:
        yield from reader
    except csv.Error as error:
        raise InvalidInputError(source, (Problem(f"line {reader.line_num}", f"not CSV ({error})"),)) from None


def _cells(row: dict[Any, Any]) -> dict[str, Any]:
    """One row as plain data: an empty cell takes the field's default, numbers are left to the door."""
    cells: dict[str, Any] = {}
    for column, text in row.items():
        if column is None:
            raise InvalidInputError("", (Problem("", f"more cells than columns: {text}"),))
        if text is None or not text.strip():
            # A required field stays out and is reported as missing; price has no default but may be unknown.
            if column == "price_usd_per_hour" or _DEFAULTS[column] is not dataclasses.MISSING:
                cells[column] = None if column == "price_usd_per_hour" else _DEFAULTS[column]
        else:
            cells[column] = text.strip()
    if "gpu" in cells:
        cells["gpu"] = required(cells["gpu"]).id
    return cells


def write_offers(offers: tuple[Offer, ...]) -> str:
    """The table as CSV, the inverse of ``parse_offers``."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for offer in offers:
        values = (getattr(offer, column) for column in COLUMNS)
        writer.writerow(["" if value is None else value for value in values])
    return text.getvalue()
