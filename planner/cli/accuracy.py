"""`gpu-plan accuracy`: how predictions did on published measurements that they were not made from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from planner.cli.accuracy_step_time import print_other_steps, print_step_time
from planner.cli.output import as_json, print_json, print_table
from planner.door import plain
from planner.predict.accuracy import step_time_accuracy
from planner.predict.calibration.check_other import OtherStep, models_left_out, other_steps


@click.command()
@click.option("--step-time", is_flag=True, help="Step times on families of models held out; also without options.")
@click.option("--memory", is_flag=True, help="Peaks, fits and out-of-memory reports, and timm's batch ladder.")
@click.option("--scaling", is_flag=True, help="Training on 2 to 8 RTX 3090s against published runs.")
@click.option(
    "--runs",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Other runs than the shipped ones: CSV with host, model, precision, n_gpu, batch_per_gpu, throughput.",
)
@as_json
def accuracy(step_time: bool, memory: bool, scaling: bool, runs: Path | None, json_wanted: bool) -> None:
    """Say how far predictions were from published measurements, beside simpler rules."""
    checks: list[tuple[str, Any, Callable[[Any], None]]] = []
    if step_time or not (memory or scaling):
        found = step_time_accuracy()
        checks.append(("step_time", plain(found) if json_wanted else found, print_step_time))
        others = other_steps()
        checks.append(("other_steps", plain(others) if json_wanted else others, _print_others))
    if memory:
        checks.append(("memory", _memory(), _print_memory))
    if scaling:
        checks.append(("scaling", _scaling(runs), _print_scaling))
    if json_wanted:
        print_json({name: found for name, found, _ in checks})
        return
    for _, found, show in checks:
        show(found)


def _print_others(steps: tuple[OtherStep, ...]) -> None:
    print_other_steps(steps, models_left_out())


def _scaling(runs: Path | None) -> list[dict[str, Any]]:
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


def _memory() -> dict[str, Any]:
    from planner.predict.calibration.memory_errors import memory_accuracy

    found: dict[str, Any] = plain(memory_accuracy())
    return found


_METHODS = {
    "ours": "this prediction",
    "accelerate": "accelerate: 4 × weights",
    "deepspeed": "DeepSpeed's ZeRO formula",
    "parameters": "parameters × 17 bytes",
}


def _print_memory(found: dict[str, Any]) -> None:
    """Errors of peaks are shares of the measured peak; verdicts count unsure as half right."""
    click.echo(f"{found['covered']} of {found['reports']} published reports have a recipe; the others:")
    for reason, count in found["not_covered"].items():
        click.echo(f"  {count:4d}  {reason}")
    click.echo("\nMeasured peaks, high confidence")
    print_table(
        ("", "peaks", "median error", "90 % below", "bias", "in range"),
        [(_METHODS[name], *_peak_cells(row)) for name, row in found["peaks"].items()],
        (False, *(True,) * 5),
    )
    for title, key in (
        ("Fits and out-of-memory reports of language models", "reports_fit"),
        ("timm's batch ladder on an RTX 3090: a batch that ran, and the next one, which did not", "ladder"),
    ):
        click.echo(f"\n{title}")
        rows = [
            (_METHODS[name], str(row["cases"]), f"{row['right']:.1%}", f"{row['wrong_yes']:.1%}")
            for name, row in found[key].items()
        ]
        print_table(("", "cases", "right", "wrong yes"), rows, (False, True, True, True))
    click.echo("\nModels held out of the fit")
    for kind, errors in found["held_out"].items():
        click.echo(f"  {kind}: " + ", ".join(f"{name} {value:g}" for name, value in errors.items()))


def _peak_cells(row: dict[str, Any]) -> tuple[str, ...]:
    inside = "-" if row["coverage"] is None else f"{row['coverage']:.0%}"
    return (
        str(row["cases"]),
        f"{row['median_error']:.1%}",
        f"{row['p90_error']:.1%}",
        f"{row['bias']:+.1%}",
        inside,
    )
