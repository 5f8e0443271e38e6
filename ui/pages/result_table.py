"""A benchmark result against the data sheet: what was reached, and what share of the peak that is."""

from __future__ import annotations

from planner.benchmark.result import BenchmarkResult, ProbeKind, ProbeResult
from planner.hardware.catalogue import GpuSpec, identify
from planner.messages import load_messages
from planner.report.types import Table
from planner.report.wording import Wording
from ui.i18n import language, tr


def result_table(result: BenchmarkResult, words: Wording) -> Table:
    """One row per probe, then what gave no number."""
    spec = identify(result.device_name, None, result.device_memory_bytes)
    rows = [_row(probe, spec, words) for probe in result.probes]
    rows += [(probe_name(one.name), "–", "", "", "", _why(one.code, one.detail)) for one in result.skipped]
    return Table(
        (
            tr("Results", "Probe"),
            tr("Results", "Measured"),
            tr("Results", "Data sheet"),
            tr("Results", "Share"),
            tr("Results", "Run"),
            tr("Results", "Size"),
        ),
        tuple(rows),
        (False, True, True, True, False, False),
    )


def probe_name(name: str) -> str:
    """A probe, or a stage before the first one, in words; another version's probe under its own name."""
    messages = load_messages(language())
    codes = (f"bench.probe.{name}", f"bench.stage.{name}")
    return next((messages.say(code) for code in codes if messages.knows(code)), name)


def _why(code: str, detail: str) -> str:
    messages, key = load_messages(language()), f"bench.skipped.{code}"
    return messages.say(key, detail=detail) if messages.knows(key) else f"{code} {detail}".strip()


def _row(probe: ProbeResult, spec: GpuSpec | None, words: Wording) -> tuple[str, ...]:
    grades = {"A": tr("Results", "steady"), "B": tr("Results", "within 5 %"), "C": tr("Results", "unstable")}
    peak = _peak(probe, spec)
    rate = probe.flops_per_s if probe.kind == ProbeKind.FLOPS else probe.bytes_per_s
    return (
        probe_name(probe.name),
        _measured(probe, words),
        "" if peak is None else _rate_text(probe, peak, words),
        "" if peak is None or rate is None else words.value("peak_share", rate / peak),
        grades.get(probe.grade, probe.grade),
        probe.size,
    )


def _measured(probe: ProbeResult, words: Wording) -> str:
    if probe.kind == ProbeKind.FLOPS and probe.flops_per_s:
        return words.value("rate_flops_per_s", probe.flops_per_s)
    if probe.kind == ProbeKind.BANDWIDTH and probe.bytes_per_s:
        return words.value("rate_bytes_per_s", probe.bytes_per_s)
    return words.value("time_s", probe.time_s)


def _rate_text(probe: ProbeResult, rate: float, words: Wording) -> str:
    return words.value("rate_flops_per_s" if probe.kind == ProbeKind.FLOPS else "rate_bytes_per_s", rate)


def _peak(probe: ProbeResult, spec: GpuSpec | None) -> float | None:
    """What the data sheet says for this probe; None where it says nothing comparable."""
    if spec is None:
        return None
    if probe.kind == ProbeKind.FLOPS:
        peaks = {
            "fp32": spec.fp32_flops_per_s,
            "tf32": spec.tf32_flops_per_s,
            "fp16": spec.fp16_tensor_flops_per_s,
            "bf16": spec.bf16_tensor_flops_per_s,
        }
        return peaks.get(probe.dtype)
    if probe.kind == ProbeKind.BANDWIDTH:
        return spec.pcie_bytes_per_s if probe.op_class == "h2d" else spec.bandwidth_bytes_per_s
    return None
