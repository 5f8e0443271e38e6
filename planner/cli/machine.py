"""`gpu-plan detect` and `gpu-plan bench`: what this machine is and what it does."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import click

from planner.benchmark.findings import in_words as note_in_words
from planner.benchmark.findings import probe_name
from planner.benchmark.result import BenchmarkResult, Note, ProbeKind, ProbeResult
from planner.benchmark.supervise import BenchmarkError, Request, Run, in_words, request_for, run_benchmark
from planner.cli.output import as_json, not_available, print_json, print_table
from planner.door import InvalidInputError, Problem, plain
from planner.hardware.snapshot import Gpu, Interpreter, Snapshot
from planner.messages import load_messages
from planner.paths import without_home
from planner.report.files import clear_error
from planner.units import format_bytes, format_duration, format_rate, significant


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
        names = ("memory", "free", "capability", "limit", "temperature", "busy")
        columns = [messages.say(f"cli.detect.column.{name}") for name in names]
        click.echo()
        print_table(("#", "GPU", *columns, "PCIe"), map(_gpu_row, snapshot.gpus), (True, False) + (True,) * 7)
    click.echo("\n" + messages.say("cli.detect.checks"))
    for check in snapshot.checks:
        values = dict(check.values)
        status = messages.say(f"cli.detect.status.{check.status.value}")
        click.echo(f"  [{status:7}] {messages.say(f'{check.code}.title', **values)}")
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
        version, devices = (messages.say(f"cli.detect.column.{name}") for name in ("version", "devices"))
        print_table(("python", version, "torch", devices), rows)


def _write(path: Path, text: str) -> None:
    """Raises ClickException that says why it could not be written."""
    from planner.storage import write_atomically

    try:
        write_atomically(path, text.encode())
    except OSError as error:
        raise click.ClickException(str(clear_error(error, path, load_messages()))) from None


def _save_report(snapshot: Snapshot, path: Path) -> None:
    from planner.hardware.scenario import scenario_of

    _write(path, scenario_of(snapshot))
    click.echo(load_messages().say("cli.detect.saved", path=path), err=True)


@click.command()
@click.option("--pythons/--no-pythons", default=True, help="Also look for Pythons with torch (slower).")
@click.option("--demo", is_flag=True, help="Look at a mock machine with two GPUs.")
@click.option(
    "--save-report", "report", type=click.Path(dir_okay=False, path_type=Path),
    help="Write what was found, without serial numbers and names, for a bug report.",
)  # fmt: skip
@as_json
def detect(pythons: bool, demo: bool, report: Path | None, json_wanted: bool) -> None:
    """Say what this machine is, layer by layer, and what to do about what is missing.

    Exit status 1: a driver or a GPU that is there does not work.
    """
    from planner.hardware.checks import is_broken
    from planner.hardware.demo import DemoUnavailableError, demo_environment
    from planner.hardware.detect import detect as detect_machine

    try:
        nvml_env = demo_environment() if demo else None
    except DemoUnavailableError as error:
        raise click.ClickException(load_messages().say(f"{error.code}.title", detail=error.detail)) from None
    snapshot = detect_machine(interpreters=pythons, nvml_env=nvml_env)
    if json_wanted:
        nameless = replace(snapshot, host=replace(snapshot.host, hostname=""))  # output is sent to others
        print_json(without_home(plain(nameless)))
    else:
        _print_snapshot(snapshot)
    if report is not None:
        _save_report(snapshot, report)
    if is_broken(snapshot):
        raise SystemExit(1)


def _chosen_python(snapshot: Snapshot, python: Path | None) -> Interpreter:
    """The Python asked for, else the best of those found. Raises InvalidInputError when none can do it."""
    from planner.hardware.interpreters import best

    found = best(snapshot.interpreters)
    if python is not None:
        found = next((one for one in snapshot.interpreters if one.origin == "chosen"), None)
    if found is None:
        what = "no Python with torch was found: install one (pip install torch), or name it with --python"
        raise InvalidInputError("bench", (Problem("python", what),))
    return found


def _chosen_gpu(snapshot: Snapshot, uuid: str | None) -> Gpu | None:
    answering = [gpu for gpu in snapshot.gpus if not gpu.lost]
    if uuid is None:
        return answering[0] if answering else None
    found = next((gpu for gpu in answering if gpu.uuid == uuid), None)
    if found is None:
        known = ", ".join(gpu.uuid or gpu.name for gpu in answering) or "none"
        raise InvalidInputError("bench", (Problem("gpu", f"no GPU with UUID {uuid!r}; there are: {known}"),))
    return found


class _Progress:
    """One line per stage on standard error, so that standard output stays clean for --json."""

    def __init__(self) -> None:
        self._began_s = time.monotonic()
        self._shown = ""

    def __call__(self, run: Run) -> None:
        stage = run.stage
        if stage is None or stage.name == self._shown:
            return
        self._shown = stage.name
        messages = load_messages()
        name = probe_name(stage.name, messages)
        left = "?" if stage.eta_s is None else format_duration(stage.eta_s)
        elapsed = format_duration(time.monotonic() - self._began_s)
        line = messages.say(
            "cli.bench.stage", index=stage.index, total=stage.total, name=name, elapsed=elapsed, left=left
        )
        click.echo(line, err=True)


def _rate(probe: ProbeResult) -> str:
    match probe.kind:
        case ProbeKind.FLOPS:
            return "" if probe.flops_per_s is None else format_rate(probe.flops_per_s, "FLOP/s")
        case ProbeKind.BANDWIDTH:
            return "" if probe.bytes_per_s is None else format_rate(probe.bytes_per_s, "B/s")
        case ProbeKind.STEP:
            return f"{significant(1 / probe.time_s)} steps/s"
        case ProbeKind.LATENCY:
            return ""


def _print_notes(notes: Iterable[Note]) -> None:
    messages = load_messages()
    for one in notes:
        click.echo(note_in_words(one, messages))


def _print_result(result: BenchmarkResult) -> None:
    messages = load_messages()
    click.echo(f"{result.device_name}, torch {result.torch_version}, {format_duration(result.duration_s)}")
    rows = [
        (
            probe_name(probe.name, messages),
            probe.size,
            format_duration(probe.time_s),
            f"{format_duration(probe.time_low_s)} – {format_duration(probe.time_high_s)}",
            _rate(probe),
            probe.grade,
        )
        for probe in result.probes
    ]
    columns = ("probe", "size", "time", "90 % interval", "rate", "grade")
    print_table(columns, rows, (False, False, True, True, True, False))
    for skipped in result.skipped:
        name, why = (
            probe_name(skipped.name, messages),
            messages.say(f"bench.skipped.{skipped.code}", detail=skipped.detail),
        )
        click.echo(f"{name}: {why}")
    _print_notes(result.notes)


def _measure_link(request: Request, ranks: int, json_wanted: bool) -> None:
    """Raises BenchmarkError."""
    from planner.benchmark.link import measure_link

    link = measure_link(request, ranks)
    bandwidth = link.bus_bandwidth_bytes_per_s
    if json_wanted:
        print_json(
            {"bus_bandwidth_gbs": plain(bandwidth.scaled(1e-9)), "latency_s": link.latency_s, **plain(link)}
        )
        return
    messages = load_messages()
    click.echo(
        messages.say(
            "cli.bench.link",
            ranks=link.ranks,
            device=link.device,
            backend=link.backend,
            likely=significant(bandwidth.likely / 1e9),
            low=significant(bandwidth.low / 1e9),
            high=significant(bandwidth.high / 1e9),
            latency=format_duration(link.latency_s),
        )
    )
    for code, holds in (("link_without_peers", link.without_peers), ("link_no_peers", link.peers is False)):
        if holds:
            click.echo(messages.say(f"cli.bench.{code}"))


def _kept(result: BenchmarkResult) -> Path | None:
    """Where the result was saved; None when that was not possible, which has been said."""
    from planner.benchmark.history import folder, save

    try:
        return save(result)
    except OSError as error:  # what was measured is shown all the same
        click.echo(str(clear_error(error, folder(), load_messages())), err=True)
        return None


@click.command()
@click.option("--quick", is_flag=True, help="Half the time, wider intervals.")
@click.option("--device", type=click.Choice(["auto", "cpu"]), default="auto", help="cpu: although there is a GPU.")
@click.option("--gpu", "uuid", help="UUID of the GPU to measure; the first one otherwise.")
@click.option("--python", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Python with torch.")
@click.option(
    "--link", "link_ranks", type=click.IntRange(2, 16), metavar="N",
    help="Instead: how fast the first N GPUs exchange gradients (all-reduce).",
)  # fmt: skip
@click.option("--csv", "table", type=click.Path(dir_okay=False, path_type=Path), help="Also write a table.")
@as_json
def bench(
    quick: bool,
    device: str,
    uuid: str | None,
    python: Path | None,
    link_ranks: int | None,
    table: Path | None,
    json_wanted: bool,
) -> None:
    """Measure this machine's GPU, or its processor, and keep the result."""
    from planner.benchmark.compare import regression
    from planner.benchmark.export import as_csv
    from planner.benchmark.history import previous
    from planner.hardware.detect import detect as detect_machine

    # Absolute: a name without a slash would be looked for on PATH. Not resolved: a venv's python is a link.
    snapshot = detect_machine(chosen_python=python and python.absolute())
    messages = load_messages()
    try:
        request: Request = request_for(
            snapshot,
            _chosen_python(snapshot, python),
            _chosen_gpu(snapshot, uuid) if device == "auto" else None,
            device_kind="cpu" if device == "cpu" else None,
            quick=quick,
        )
        if link_ranks is not None:
            _measure_link(request, link_ranks, json_wanted)
            return
        result = run_benchmark(request, on_progress=_Progress())
    except BenchmarkError as error:
        for line in error.stderr_tail:
            click.echo(f"    {line}", err=True)
        if error.partial is not None and (path := _kept(error.partial)) is not None:
            click.echo(messages.say("cli.bench.partial", path=path), err=True)
        raise click.ClickException(in_words(error, messages)) from None
    path = _kept(result)
    earlier = previous(result)
    compared = regression(result, earlier) if earlier else ()
    if json_wanted:
        print_json({"saved_in": path and str(path), "compared": plain(compared), **plain(result)})
    else:
        _print_result(result)
        _print_notes(compared)
    if table is not None:
        _write(table, as_csv(result))
    if path is None:
        raise SystemExit(1)
    if not json_wanted:
        click.echo(messages.say("cli.bench.saved", path=path))
