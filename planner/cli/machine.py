"""`gpu-plan detect` and `gpu-plan bench`: what this machine is and what it does."""

from __future__ import annotations

from pathlib import Path

import click

from planner.cli.output import as_json, not_available, print_json, print_table
from planner.door import plain
from planner.hardware.snapshot import Gpu, Snapshot
from planner.messages import load_messages
from planner.units import format_bytes, format_duration, significant


def _bytes(value: int | None) -> str:
    return "N/A" if value is None else format_bytes(value)


def _gpu_row(gpu: Gpu) -> tuple[str, ...]:
    link = gpu.pcie
    pcie = "N/A" if link.generation is None else f"{link.generation}.0 ×{not_available(link.width)}"
    return (
        str(gpu.index),
        f"{gpu.name} (lost)" if gpu.lost else gpu.name,
        _bytes(gpu.memory_total_bytes),
        _bytes(gpu.memory_free_bytes),
        not_available(gpu.compute_capability),
        "N/A" if gpu.power_limit_w is None else f"{gpu.power_limit_w:.0f} W",
        "N/A" if gpu.temperature_c is None else f"{gpu.temperature_c:.0f} °C",
        "N/A" if gpu.utilisation_percent is None else f"{gpu.utilisation_percent:.0f} %",
        pcie,
    )


def _print_snapshot(snapshot: Snapshot) -> None:
    messages = load_messages()
    host = snapshot.host
    click.echo(
        messages.say(
            "cli.detect.host",
            os=host.os_name,
            cpu=not_available(host.cpu_name),
            cores=not_available(host.physical_cores),
            memory=format_bytes(host.memory_total_bytes),
            free=format_bytes(host.memory_free_bytes),
            disk=_bytes(host.disk_free_bytes),
        )
    )
    if host.on_battery:
        click.echo(messages.say("cli.detect.battery"))
    if snapshot.gpus:
        columns = ("#", "GPU", "memory", "free", "capability", "limit", "temperature", "busy", "PCIe")
        click.echo()
        print_table(columns, map(_gpu_row, snapshot.gpus), (True, False) + (True,) * 7)
    click.echo("\n" + messages.say("cli.detect.checks"))
    for check in snapshot.checks:
        values = dict(check.values)
        click.echo(f"  [{check.status.value:7}] {messages.say(f'{check.code}.title', **values)}")
        if check.status.value in ("failed", "unknown"):
            click.echo(f"            {messages.say(f'{check.code}.action', **values)}")
    if snapshot.interpreters:
        click.echo("\n" + messages.say("cli.detect.pythons"))
        rows = (
            (
                interpreter.path,
                not_available(interpreter.python_version),
                not_available(interpreter.torch_version),
                interpreter.problem or ", ".join(device.name for device in interpreter.devices),
            )
            for interpreter in snapshot.interpreters
        )
        print_table(("python", "version", "torch", "devices"), rows)


@click.command()
@click.option("--pythons/--no-pythons", default=True, help="Also look for Pythons with torch (slower).")
@click.option("--demo", is_flag=True, help="Look at a mock machine with two GPUs.")
@as_json
def detect(pythons: bool, demo: bool, json_wanted: bool) -> None:
    """Say what this machine is, layer by layer, and what to do about what is missing."""
    from planner.hardware.demo import DemoUnavailableError, demo_environment
    from planner.hardware.detect import detect as detect_machine

    try:
        nvml_env = demo_environment() if demo else None
    except DemoUnavailableError as error:
        raise click.ClickException(load_messages().say(f"{error.code}.title", detail=error.detail)) from None
    snapshot = detect_machine(interpreters=pythons, nvml_env=nvml_env)
    if json_wanted:
        print_json(plain(snapshot))
    else:
        _print_snapshot(snapshot)
