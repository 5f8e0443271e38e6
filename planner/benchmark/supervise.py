"""From a chosen Python and GPU to a finished BenchmarkResult: what to start, and what its events come to.

Pure, apart from ``run_benchmark``: a window runs the same argv in the same environment by its own means, gives
each line to ``decode`` and ``fold``, and the end to ``conclude``, with the samples of a ``Telemetry`` beside it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from planner.benchmark import events
from planner.benchmark.events import Event, decode
from planner.benchmark.findings import note, notes_on
from planner.benchmark.result import BenchmarkResult, Curve, Note, ProbeResult, SkippedProbe
from planner.benchmark.telemetry import Sample, Stay, Telemetry, conditions_of, limit_under_load_w, link_under_load
from planner.children import outside_python_env
from planner.hardware.catalogue import identify
from planner.hardware.host import on_battery
from planner.hardware.snapshot import Gpu, Interpreter, Partition, Snapshot
from planner.messages import Messages
from planner.processes import Ending, Outcome, run_json_lines

WORKER = Path(__file__).with_name("worker")
CANCEL_LINE = "cancel"
# The worker says something every second while it makes progress; importing torch can hold that up.
FIRST_MESSAGE_S = 60.0
IDLE_S = 45.0
GRACE_S = 2.0
_LOADING_S = 180.0
DEADLINE_S = _LOADING_S + 2 * 70.0  # twice the longest run

# Relative standard uncertainty that no statistics of one run can see, by kind of machine.
_FLOOR_DESKTOP, _FLOOR_LAPTOP, _FLOOR_SHARED = 0.005, 0.02, 0.03
_NO_DEVICE = "-1"  # of CUDA_VISIBLE_DEVICES
# A display's watchdog ends what computes for too long (2 s on Windows, also inside WSL).
_WATCHDOG_WORDS = ("launch timed out", "device not ready")


@dataclass(frozen=True, slots=True)
class Request:
    """What to measure, with which Python, and what the worker cannot know about it."""

    python_path: str
    device_kind: str  # "cuda", "mps", "xpu", "cpu"
    gpu_uuid: str | None = None  # as NVML writes it; None: the first device of the kind
    driver_version: str | None = None
    power_limit_w: float | None = None
    cpu_name: str | None = None
    host_memory_bytes: int | None = None
    on_battery: bool | None = None
    floor: float = _FLOOR_DESKTOP
    quick: bool = False
    gpu: Gpu | None = None  # as detected


class BenchmarkError(Exception):
    """There is no result. ``code`` is a message code below "bench.error", ``values`` fill its placeholders.

    ``reason``: a message code that says why and what to do in place of the code's own sentences. ``partial``: what
    was measured before, to look at.
    """

    def __init__(
        self,
        code: str,
        values: Mapping[str, str] | None = None,
        stderr_tail: tuple[str, ...] = (),
        reason: str = "",
    ) -> None:
        self.reason = reason
        self.code = f"bench.error.{code}"
        self.values = dict(values or {})
        self.stderr_tail = stderr_tail
        self.partial: BenchmarkResult | None = None
        super().__init__(self.code, self.values)


def in_words(error: BenchmarkError, messages: Messages) -> str:
    """What happened and what to do, in two or three sentences."""
    codes = [f"{error.code}.title", f"{error.reason or error.code}.action"]
    if error.reason:
        codes.insert(1, f"{error.reason}.title")
    return " ".join(messages.say(code, **error.values) for code in codes)


def _device_kind(interpreter: Interpreter, gpu: Gpu | None) -> str:
    kinds = [device.kind for device in interpreter.devices]
    if gpu is None:
        return next((kind for kind in kinds if kind != "cpu"), "cpu")
    if "cuda" not in kinds:
        raise BenchmarkError("gpu_not_usable", {"gpu": gpu.name, "python": interpreter.path})
    return "cuda"


def _floor(snapshot: Snapshot, device_kind: str, gpu: Gpu | None) -> float:
    host = snapshot.host
    is_part = gpu is not None and gpu.partition is not Partition.WHOLE
    # A CPU is always shared: with the system and with ourselves.
    if host.is_wsl or is_part or device_kind == "cpu":
        return _FLOOR_SHARED
    is_laptop = host.battery_percent is not None or host.on_battery is not None
    return _FLOOR_LAPTOP if is_laptop else _FLOOR_DESKTOP


def request_for(
    snapshot: Snapshot,
    interpreter: Interpreter,
    gpu: Gpu | None = None,
    *,
    device_kind: str | None = None,
    quick: bool = False,
) -> Request:
    """What to measure on this machine. ``gpu`` None: the best device that this Python's torch can use.

    ``device_kind`` "cpu" measures the processor although there is a GPU. Raises BenchmarkError when the Python
    cannot run the benchmark or its torch cannot use the GPU.
    """
    if not interpreter.usable:
        values = {"python": interpreter.path, "detail": interpreter.detail}
        raise BenchmarkError("python_not_usable", values, reason=f"check.interpreter.{interpreter.problem}")
    gpu = None if device_kind == "cpu" else gpu
    kind = device_kind or _device_kind(interpreter, gpu)
    on_nvidia = kind == "cuda" and interpreter.cuda_build is not None
    if gpu is None and on_nvidia:
        gpu = next((one for one in snapshot.gpus if not one.lost), None)
    return Request(
        python_path=interpreter.path,
        device_kind=kind,
        gpu_uuid=gpu.uuid if gpu else None,
        driver_version=snapshot.driver_version if on_nvidia else None,
        power_limit_w=gpu.power_limit_w if gpu else None,
        cpu_name=snapshot.host.cpu_name,
        host_memory_bytes=snapshot.host.memory_total_bytes,
        on_battery=snapshot.host.on_battery,
        floor=_floor(snapshot, kind, gpu),
        quick=quick,
        gpu=gpu,
    )


def worker_argv(request: Request) -> list[str]:
    """Command line of the worker. -E and -B: no settings of our Python, nothing written beside our files."""
    quick = ["--quick"] if request.quick else []
    options = ["--device", request.device_kind, "--floor", str(request.floor), *quick]
    return [request.python_path, "-E", "-B", str(WORKER), "--json", *options]


def worker_environment(request: Request, environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """What a GPU library is told by, nothing of our own Python, no secrets, and one GPU visible."""
    kept = outside_python_env(environ)
    kept["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    if request.device_kind == "cpu":
        kept["CUDA_VISIBLE_DEVICES"] = _NO_DEVICE
    elif request.device_kind == "cuda" and request.gpu_uuid:
        kept["CUDA_VISIBLE_DEVICES"] = request.gpu_uuid
    return kept


@dataclass(frozen=True, slots=True)
class Run:
    """All that a run has said so far."""

    started_at: str  # ISO 8601, UTC
    hello: events.Hello | None = None
    stage: events.Stage | None = None
    probes: tuple[ProbeResult, ...] = ()
    skipped: tuple[SkippedProbe, ...] = ()
    curves: tuple[Curve, ...] = ()
    stays: tuple[Stay, ...] = ()
    warnings: tuple[events.Warned, ...] = ()
    malformed: tuple[str, ...] = ()
    ended: events.Done | events.Failed | events.Cancelled | None = None

    @property
    def progress(self) -> float | None:
        """Share of visits begun, 0 to 1; None while torch is loading."""
        return (self.stage.index - 1) / self.stage.total if self.stage and self.stage.total else None


def begin() -> Run:
    """A run that starts now."""
    return Run(datetime.now(UTC).isoformat(timespec="seconds"))


def _with_probe(probes: tuple[ProbeResult, ...], new: ProbeResult) -> tuple[ProbeResult, ...]:
    if any(probe.name == new.name for probe in probes):
        return tuple(new if probe.name == new.name else probe for probe in probes)
    return (*probes, new)


def _with_stay(run: Run, name: str, at_s: float | None) -> tuple[Stay, ...]:
    return run.stays if at_s is None else (*run.stays, Stay(name, at_s))


def fold(run: Run, event: Event, at_s: float | None = None) -> Run:  # noqa: PLR0911 - one return per kind
    """The run after one more event, heard ``at_s`` on the monotonic clock (None: no telemetry is joined)."""
    match event:
        case events.Hello():
            return replace(run, hello=event)
        case events.Stage():
            return replace(run, stage=event, stays=_with_stay(run, event.name, at_s))
        case events.ProbeMeasured(result):
            return replace(run, probes=_with_probe(run.probes, result))
        case events.ProbeSkipped(probe):
            return replace(run, skipped=(*run.skipped, probe))
        case events.CurveMeasured(curve):
            return replace(run, curves=(*run.curves, curve))
        case events.Warned():
            return replace(run, warnings=(*run.warnings, event))
        case events.Done() | events.Failed() | events.Cancelled():
            return replace(run, ended=event, stays=_with_stay(run, "end", at_s))
        case events.Malformed(detail):
            return replace(run, malformed=(*run.malformed, detail))
        case events.Heartbeat():
            return run


def _check_outcome(run: Run, outcome: Outcome) -> events.Done:
    """The event that ended a run well. Raises BenchmarkError for every other way to end."""
    tail = outcome.stderr_tail
    if isinstance(run.ended, events.Done):  # all is known, however the process went on to end
        return run.ended
    if outcome.pid is not None and outcome.exit_status is None:
        raise BenchmarkError("stuck", {"pid": str(outcome.pid)}, tail)
    if isinstance(run.ended, events.Cancelled) or outcome.ending is Ending.CANCELLED:
        raise BenchmarkError("cancelled")
    if isinstance(run.ended, events.Failed):
        reset = any(words in run.ended.detail.lower() for words in _WATCHDOG_WORDS)
        reason = "bench.error.driver_reset" if reset else ""
        raise BenchmarkError(run.ended.code, {"detail": run.ended.detail}, tail, reason)
    stage = run.stage.name if run.stage else "start"
    if outcome.ending is Ending.NOT_STARTED:
        raise BenchmarkError("not_started", {"detail": outcome.detail}, tail)
    if outcome.ending in (Ending.TIMED_OUT, Ending.SILENT):
        raise BenchmarkError("hung", {"status": outcome.status, "stage": stage}, tail)
    malformed = run.malformed or tuple(problem.text for problem in outcome.problems)
    if outcome.succeeded or (malformed and not run.hello):
        raise BenchmarkError("malformed", {"detail": malformed[0] if malformed else "no last line"}, tail)
    raise BenchmarkError("crashed", {"status": outcome.status, "stage": stage}, tail)


def _nvml_uuid(uuid: str) -> str:
    """torch's "5A1B…" as NVML writes it, "GPU-5a1b…"."""
    text = uuid.lower()
    text = text if text.startswith(("gpu-", "mig-")) else f"gpu-{text}"
    return text[:3].upper() + text[3:]


def _measured_uuid(request: Request, hello: events.Hello) -> str | None:
    """UUID of the GPU that was measured. Raises BenchmarkError when it is not the one that was asked for."""
    if hello.device_kind != "cuda":
        return None
    told = _nvml_uuid(hello.uuid) if hello.uuid else None
    wanted = request.gpu_uuid
    # torch gives the UUID of the card for a slice of it: nothing to compare.
    if told and wanted and wanted.startswith("GPU-") and told.lower() != wanted.lower():
        raise BenchmarkError("wrong_device", {"wanted": wanted, "measured": told})
    if told is None and request.gpu is not None:  # torch before 2.5: at least the model must be the same
        measured = identify(hello.device_name, None, hello.memory_bytes)
        if measured and request.gpu.catalogue_id not in (None, measured.id):
            raise BenchmarkError("wrong_device", {"wanted": request.gpu.name, "measured": hello.device_name})
    return wanted or told


def _warning_notes(run: Run) -> tuple[Note, ...]:
    return tuple(note(warned.code, name=warned.name, detail=warned.detail) for warned in run.warnings)


def conclude(
    run: Run,
    request: Request,
    outcome: Outcome,
    samples: Sequence[Sample] = (),
    on_battery_now: bool | None = None,
) -> BenchmarkResult:
    """The result of a run that has ended. Raises BenchmarkError when it gives none.

    ``samples``: the GPU's readings meanwhile. ``on_battery_now``: a run that was plugged in or out is worthless.
    """
    try:
        done = _check_outcome(run, outcome)
    except BenchmarkError as error:
        ending = error.code.rpartition(".")[2]
        if ending in ("device_lost", "crashed", "hung") and run.hello is not None and run.probes:
            error.partial = _result(run, run.hello, request, outcome.duration_s, samples, ending)
        raise
    hello = run.hello
    if hello is None or not run.probes:
        reasons = ", ".join(sorted({probe.code for probe in run.skipped}))
        raise BenchmarkError("no_probes", {"detail": reasons}, outcome.stderr_tail)
    if None not in (request.on_battery, on_battery_now) and request.on_battery != on_battery_now:
        raise BenchmarkError("power_changed")
    return _result(run, hello, request, done.duration_s, samples)


def _result(
    run: Run,
    hello: events.Hello,
    request: Request,
    duration_s: float,
    samples: Sequence[Sample],
    ending: str = "done",
) -> BenchmarkResult:
    is_cpu = hello.device_kind == "cpu"
    gpu = None if is_cpu else request.gpu
    result = BenchmarkResult(
        started_at=run.started_at,
        duration_s=duration_s,
        device_kind=hello.device_kind,
        device_name=(request.cpu_name or hello.device_name) if is_cpu else hello.device_name,
        gpu_uuid=_measured_uuid(request, hello),
        driver_version=None if is_cpu else request.driver_version,
        python_path=request.python_path,
        python_version=hello.python,
        torch_version=hello.torch,
        cuda_version=hello.cuda,
        power_limit_w=None if is_cpu else request.power_limit_w,
        device_memory_bytes=hello.memory_bytes or (request.host_memory_bytes if is_cpu else None),
        sm_count=hello.sm_count,
        cpu_threads=hello.threads,
        probes=run.probes,
        skipped=run.skipped,
        on_battery=request.on_battery,
        curves=run.curves,
        conditions=conditions_of(run.stays, samples),
        power_limit_under_load_w=limit_under_load_w(samples),
        pcie_under_load=link_under_load(samples, gpu.pcie) if gpu else None,
        ending=ending,
    )
    most_mhz, default_w = (gpu.max_sm_clock_mhz, gpu.power_limit_default_w) if gpu else (None, None)
    return replace(result, notes=(*notes_on(result, most_mhz, default_w), *_warning_notes(run)))


def run_benchmark(
    request: Request,
    *,
    on_progress: Callable[[Run], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
    nvml_env: Mapping[str, str] | None = None,
) -> BenchmarkResult:
    """Run the worker to its end; blocks. ``on_progress`` gets the run after every event.

    ``nvml_env`` as in ``detect``, for the telemetry. Nothing is saved. Raises BenchmarkError.
    """
    run = begin()

    def take(line: dict[str, object]) -> None:
        nonlocal run
        run = fold(run, decode(line), time.monotonic())
        on_progress(run)

    with Telemetry(request.gpu_uuid, nvml_env) as telemetry:
        outcome = run_json_lines(
            worker_argv(request),
            on_message=take,
            deadline_s=DEADLINE_S,
            first_message_s=FIRST_MESSAGE_S,
            idle_s=IDLE_S,
            cancelled=cancelled,
            stdin_cancel_line=CANCEL_LINE,
            grace_s=GRACE_S,
            env=worker_environment(request),
        )
    return conclude(run, request, outcome, telemetry.samples, on_battery())
