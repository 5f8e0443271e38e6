"""`gpu-plan catalog`: what the product knows of GPUs."""

from __future__ import annotations

import click

from planner.cli.output import as_json, not_available, print_json, print_table
from planner.door import plain
from planner.hardware.catalogue import GpuSpec, load_catalogue, required
from planner.units import format_bytes, significant


def _tera(flops_per_s: float | None) -> str:
    return "N/A" if flops_per_s is None else significant(flops_per_s / 1e12)


def _catalogue_row(spec: GpuSpec) -> tuple[str, ...]:
    return (
        spec.name,
        spec.architecture,
        not_available(spec.compute_capability),
        "N/A" if spec.memory_bytes is None else format_bytes(spec.memory_bytes),
        "N/A" if spec.bandwidth_bytes_per_s is None else significant(spec.bandwidth_bytes_per_s / 1e9),
        _tera(spec.fp32_flops_per_s),
        _tera(spec.fp16_tensor_flops_per_s or spec.fp16_flops_per_s),
    )


@click.command()
@click.argument("name", required=False)
@as_json
def catalog(name: str | None, json_wanted: bool) -> None:
    """List the GPUs of the catalogue, or show the one called NAME."""
    specs = load_catalogue()
    if name is not None:
        specs = (required(name),)
    if json_wanted:
        print_json([plain(spec) for spec in specs])
        return
    columns = ("GPU", "architecture", "capability", "memory", "GB/s", "fp32 TFLOP/s", "fp16 TFLOP/s")
    print_table(columns, map(_catalogue_row, specs), (False, False, True, True, True, True, True))
