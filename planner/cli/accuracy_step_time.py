"""The table of `gpu-plan accuracy --step-time`."""

from __future__ import annotations

from collections.abc import Iterable

import click

from planner.cli.output import print_table
from planner.predict.accuracy import Accuracy, Figures
from planner.predict.calibration.check_other import OtherStep
from planner.units import format_duration

_COLUMNS = ("steps", "median", "mean", "90 % below", "within 20 %", "bias", "in interval", "± (median)")
_RIVALS = {
    "bytes": "bytes ÷ bandwidth × one fitted share",
    "roofline": "roofline: half the peak, 70 % of the bandwidth, 4 µs a kernel",
    "flops": "FLOPs ÷ peak × one fitted share",
}
_WORST_FAMILIES = 10


def print_step_time(found: Accuracy) -> None:
    """Errors are shares of the measured time."""
    click.echo(f"Source: {found.source}, {found.date}")
    click.echo("\nTraining steps on one RTX 3090, predicted without having seen their family of models")
    _print(
        [
            ("all", found.everything),
            ("contiguous", found.contiguous),
            ("channels-last", found.channels_last),
            ("families set aside during development", found.locked),
        ]
    )
    click.echo("\nThe same steps by simpler methods")
    _print([(title, found.rivals[name]) for name, title in _RIVALS.items()])
    click.echo("\nInference steps, predicted without having seen their family")
    _print(found.inference.items())
    click.echo("\nInference steps scaled from a step that was measured on another GPU")
    _print(found.anchored.items())
    click.echo(f"\nThe {_WORST_FAMILIES} worst families (training)")
    rows = found.families[:_WORST_FAMILIES]
    _print((f"{row.family}, {row.memory_format.replace('_', '-')}", row.figures) for row in rows)
    click.echo("\nThe worst steps (training)")
    print_table(
        ("model", "memory format", "batch", "measured", "predicted"),
        (
            (
                step.model,
                step.memory_format.replace("_", "-"),
                str(step.batch_size),
                format_duration(step.measured_s),
                format_duration(step.predicted_s),
            )
            for step in found.worst
        ),
        (False, False, True, True, True),
    )


def print_other_steps(steps: Iterable[OtherStep], left_out: Iterable[str]) -> None:
    """Published trainings of other kinds, worst first."""
    click.echo("\nNVIDIA's DeepLearningExamples on one RTX 3090, run by Lambda from 2020 to 2022, worst first")
    print_table(
        ("model", "precision", "host", "batch", "measured", "predicted", "ratio", "in interval"),
        (
            (
                step.model,
                step.precision,
                step.host,
                str(step.batch_size),
                format_duration(step.measured_s),
                format_duration(step.predicted_s),
                f"{step.predicted_s / step.measured_s:.2f}",
                "yes" if step.is_inside else "no",
            )
            for step in steps
        ),
        (False, False, False, True, True, True, True, False),
    )
    click.echo(f"No preset for {', '.join(left_out)}.")


def _print(rows: Iterable[tuple[str, Figures]]) -> None:
    print_table(("", *_COLUMNS), ((title, *_cells(row)) for title, row in rows), (False, *(True,) * len(_COLUMNS)))


def _cells(row: Figures) -> tuple[str, ...]:
    return (
        str(row.steps),
        f"{row.median:.1%}",
        f"{row.mean:.1%}",
        f"{row.p90:.1%}",
        f"{row.within_20:.1%}",
        f"{row.bias:+.1%}",
        "-" if row.coverage is None else f"{row.coverage:.1%}",
        "-" if row.half_width is None else f"{row.half_width:.1%}",
    )
