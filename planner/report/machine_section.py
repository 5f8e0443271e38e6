"""The record of the machine and of the benchmark behind a plan."""

from __future__ import annotations

from planner.benchmark.result import BenchmarkResult, ProbeResult
from planner.evidence import Range
from planner.hardware.snapshot import Gpu, Snapshot
from planner.paths import without_home
from planner.pipeline import PlanInputs
from planner.report.types import Section, Table
from planner.report.wording import Wording


def machine_section(inputs: PlanInputs, wording: Wording) -> Section:
    """What the machine reported and what the benchmark measured; says so where either is missing."""
    say = wording.messages.say
    snapshot, benchmark = inputs.snapshot, inputs.benchmark
    paragraphs = [
        *(() if snapshot else (say("report.machine.not_looked"),)),
        *((say("report.machine.no_gpu"),) if snapshot and not snapshot.gpus else ()),
        *(_benchmark_sentences(benchmark, wording) if benchmark else (say("report.machine.no_benchmark"),)),
    ]
    tables = [
        *((_machine_table(snapshot, wording),) if snapshot else ()),
        *((_probe_table(benchmark, wording),) if benchmark else ()),
    ]
    return Section("machine", say("report.section.machine"), tuple(paragraphs), tuple(tables))


def _machine_table(snapshot: Snapshot, wording: Wording) -> Table:
    say, value, host = wording.messages.say, wording.value, snapshot.host
    rows = [
        (say("report.machine.taken_at"), snapshot.taken_at),
        (say("report.machine.os"), host.os_name),
        (say("report.machine.cpu"), value("cpu", host.cpu_name)),
        (say("report.machine.cores"), f"{value('n', host.physical_cores)} / {value('n', host.logical_cores)}"),
        (say("report.machine.ram"), value("memory_bytes", host.memory_total_bytes)),
        (say("report.machine.disk", path=without_home(host.disk_path)), value("disk_bytes", host.disk_free_bytes)),
        (say("report.machine.battery"), value("on_battery", host.on_battery)),
        (say("report.machine.driver"), value("version", snapshot.driver_version)),
        (say("report.machine.cuda"), value("version", snapshot.cuda_driver_version)),
        *((say("report.machine.gpu", index=str(gpu.index)), _gpu_text(gpu, wording)) for gpu in snapshot.gpus),
    ]
    return Table((say("report.machine.what"), say("report.machine.value")), tuple(rows), (False, False))


def _gpu_text(gpu: Gpu, wording: Wording) -> str:
    if gpu.lost:
        return wording.messages.say("report.machine.gpu_lost", name=gpu.name)
    return wording.messages.say(
        "report.machine.gpu_facts",
        name=gpu.name,
        memory=wording.value("memory_bytes", gpu.memory_total_bytes),
        power=wording.value("power_limit_w", gpu.power_limit_w),
        capability=wording.value("version", gpu.compute_capability),
    )


def _benchmark_sentences(benchmark: BenchmarkResult, wording: Wording) -> tuple[str, ...]:
    sentence = wording.say(
        "report.machine.benchmark",
        device=benchmark.device_name,
        started=benchmark.started_at,
        duration_s=benchmark.duration_s,
        torch=benchmark.torch_version,
        python=benchmark.python_version,
        driver=benchmark.driver_version,
    )
    if not benchmark.skipped:
        return (sentence,)
    names = ", ".join(probe.name for probe in benchmark.skipped)
    return (sentence, wording.messages.say("report.machine.skipped", names=names))


def _probe_table(benchmark: BenchmarkResult, wording: Wording) -> Table:
    columns = ("probe", "probe_size", "probe_time", "probe_rate", "probe_grade")
    return Table(
        tuple(wording.messages.say(f"report.machine.{column}") for column in columns),
        tuple(_probe_row(probe, wording) for probe in benchmark.probes),
        (False, False, True, True, False),
    )


def _probe_row(probe: ProbeResult, wording: Wording) -> tuple[str, ...]:
    # The interval is of blocks: the median can lie on its edge, never outside what was measured.
    low, high = min(probe.time_low_s, probe.time_s), max(probe.time_high_s, probe.time_s)
    rate = (
        wording.value("rate_flops_per_s", probe.flops_per_s)
        if probe.flops_per_s
        else wording.value("rate_bytes_per_s", probe.bytes_per_s)
        if probe.bytes_per_s
        else ""
    )
    return probe.name, probe.size, wording.value("time_s", Range(low, probe.time_s, high)), rate, probe.grade
