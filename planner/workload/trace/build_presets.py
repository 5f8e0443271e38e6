"""Makes ``resources/presets``: ``python -m planner.workload.trace.build_presets [NAME …]``.

Traces every variant of the named presets (default: all) and writes one file each. The same versions of torch,
timm and transformers give the same bytes again; a file whose contents did not change keeps its date. About
ten minutes for all on one core, under 1 GB of memory.
"""

from __future__ import annotations

import datetime
import importlib.metadata
import sys
import time
from dataclasses import replace
from pathlib import Path

import click

from planner.door import plain
from planner.storage import write_atomically
from planner.workload.job import MEMORY_FORMATS
from planner.workload.optable import LAID_OUT
from planner.workload.presets import PRESETS, PRESETS_DIR, Maker, PresetFile
from planner.workload.table_file import diffable_json, to_record
from planner.workload.trace.models.catalogue import PresetSource, preset_sources
from planner.workload.trace.tracer import trace_table

_PACKAGES = ("torch", "timm", "transformers")


def build_preset(source: PresetSource, date: str) -> PresetFile:
    """Trace all variants of one preset."""
    model = source.model
    checkpointings = ("none", "full") if model.blocks else ("none",)
    variants = [
        to_record(trace_table(model, precision, checkpointing, memory_format))
        for memory_format in (MEMORY_FORMATS if model.size_kind in LAID_OUT else MEMORY_FORMATS[:1])
        for precision in model.precisions
        for checkpointing in checkpointings
    ]
    versions = {package: importlib.metadata.version(package).partition("+")[0] for package in _PACKAGES}
    command = f"python -m planner.workload.trace.build_presets {model.name}"
    return PresetFile(
        schema_version=2,
        name=model.name,
        family=source.family,
        default_batch_size=source.default_batch_size,
        default_checkpointing=source.default_checkpointing,
        dataset=source.dataset,
        model_source=source.model_source,
        note=source.note,
        made_by=Maker(command, date, **versions),
        variants=variants,
    )


def preset_text(file: PresetFile) -> str:
    """The contents of a preset file."""
    return diffable_json(plain(file))


def write_preset(file: PresetFile, path: Path) -> bool:
    """Write a preset file unless only its date would change. Returns whether it was written."""
    if path.exists():
        present = path.read_text(encoding="utf-8")
        old_date = _date_in(present)
        if old_date and preset_text(replace(file, made_by=replace(file.made_by, date=old_date))) == present:
            return False
    write_atomically(path, preset_text(file).encode())
    return True


def _date_in(text: str) -> str | None:
    marker = '"date": "'
    start = text.find(marker)
    return text[start + len(marker) :].partition('"')[0] if start >= 0 else None


@click.command()
@click.argument("names", nargs=-1, type=click.Choice(PRESETS))
@click.option("--out", type=click.Path(path_type=Path), default=PRESETS_DIR, help="Folder for the files.")
def main(names: tuple[str, ...], out: Path) -> None:
    """Trace presets into resources/presets."""
    sources = preset_sources()
    for name in names or PRESETS:
        started = time.perf_counter()
        file = build_preset(sources[name], datetime.date.today().isoformat())
        path = out / f"{name}.json"
        outcome = "written" if write_preset(file, path) else "unchanged"
        seconds = time.perf_counter() - started
        print(f"{name}: {outcome}, {path.stat().st_size / 1000:.0f} kB, {seconds:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
