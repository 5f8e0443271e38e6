"""`gpu-plan accuracy`: how predictions did on published measurements that they were not made from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from planner.cli.output import as_json, print_json, print_table


@click.command()
@click.option("--scaling", is_flag=True, help="Training on 2 to 8 RTX 3090s against published runs.")
@click.option(
    "--runs",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Other runs than the shipped ones: CSV with host, model, precision, n_gpu, batch_per_gpu, throughput.",
)
@as_json
def accuracy(scaling: bool, runs: Path | None, json_wanted: bool) -> None:
    """Say how far predictions were from published measurements, beside simpler rules."""
    if not scaling:
        raise click.UsageError("say what to check: --scaling")
    found = _scaling(runs)
    if json_wanted:
        print_json({"scaling": found})
    else:
        _print_scaling(found)


def _scaling(runs: Path | None) -> list[dict[str, Any]]:
    from planner.door import plain
    from planner.predict.calibration.check_scaling import PUBLISHED, published_runs, scaling_errors

    return [plain(errors) for errors in scaling_errors(published_runs(runs or PUBLISHED))]


def _print_scaling(found: list[dict[str, Any]]) -> None:
    """Mean absolute errors of the step time; shares of the runs inside the 90 % range."""
    shares = ("calibrated", "calibrated_covered", "default", "default_covered", "fixed_bandwidth", "linear")
    columns = ("GPUs", "runs", "host calibrated", "in range", "host unknown", "in range", "at 10 GB/s", "linear")
    rows = (
        (str(row["gpu_count"]), str(row["run_count"]), *(f"{row[name]:.1%}" for name in shares)) for row in found
    )
    print_table(columns, rows, (True,) * len(columns))
