"""A result as a table for other programs."""

from __future__ import annotations

import csv
import io

from planner.benchmark.result import BenchmarkResult, Conditions
from planner.spreadsheet import safe_cell

COLUMNS = (
    "probe", "op_class", "op_kind", "dtype", "size", "time_s", "time_low_s", "time_high_s", "flops_per_s",
    "bytes_per_s", "grade", "blocks", "sm_clock_mhz", "memory_clock_mhz", "power_w", "temperature_c",
    "performance_state", "throttle_reasons", "samples",
)  # fmt: skip


def as_csv(result: BenchmarkResult) -> str:
    """One row per probe, base units, with the driver's readings meanwhile; empty: not known."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    known = {one.name: one for one in result.conditions}
    for probe in result.probes:
        seen = known.get(probe.name) or Conditions(probe.name, 0)
        values = {
            "probe": probe.name,
            "flops_per_s": probe.flops_per_s,
            "bytes_per_s": probe.bytes_per_s,
            "throttle_reasons": seen.throttle_reasons if seen.samples else None,
        }
        for column in COLUMNS:
            if column not in values:
                values[column] = getattr(probe, column) if hasattr(probe, column) else getattr(seen, column)
        writer.writerow({column: safe_cell(value) for column, value in values.items()})
    return out.getvalue()
