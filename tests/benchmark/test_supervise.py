"""What is started, what its events come to, and each way it can end. The Pythons here are small scripts."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from planner.benchmark import history
from planner.benchmark.events import decode
from planner.benchmark.findings import in_words as note_in_words
from planner.benchmark.supervise import (
    WORKER,
    BenchmarkError,
    Request,
    Run,
    begin,
    conclude,
    fold,
    in_words,
    request_for,
    run_benchmark,
    worker_argv,
    worker_environment,
)
from planner.benchmark.telemetry import Sample
from planner.hardware.snapshot import Gpu, Partition
from planner.messages import load_messages
from planner.processes import Ending, Outcome
from tests.benchmark.made import (
    CPU_PYTHON,
    CUDA_PYTHON,
    DONE,
    GIB,
    GPU,
    HELLO,
    HOST,
    OTHER_UUID,
    PROBE,
    STAGE,
    UUID,
    result,
    snapshot,
)

ENDED_WELL = Outcome(Ending.EXITED, 0, 33.0)


def test_that_the_chosen_gpu_is_made_the_only_visible_one():
    request = request_for(snapshot(Gpu(0, OTHER_UUID, "other"), replace(GPU, index=1)), CUDA_PYTHON, GPU)
    environment = worker_environment(request, {"CUDA_VISIBLE_DEVICES": "7", "HOME": "/home/me"})
    assert environment == {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": UUID, "HOME": "/home/me"}
    assert request.power_limit_w == 350.0


def test_that_without_a_choice_the_first_gpu_that_answers_is_measured():
    machine = snapshot(replace(GPU, uuid=OTHER_UUID, lost=True), GPU)
    assert request_for(machine, CUDA_PYTHON).gpu_uuid == UUID


def test_that_measuring_the_processor_hides_the_gpus():
    request = request_for(snapshot(GPU), CUDA_PYTHON, GPU, device_kind="cpu")
    assert worker_environment(request, {})["CUDA_VISIBLE_DEVICES"] == "-1"
    assert (request.gpu_uuid, request.power_limit_w, request.driver_version) == (None, None, None)


def test_that_nothing_of_our_own_python_reaches_another():
    environ = {"PYTHONPATH": "/ours", "PYTHONHOME": "/ours", "LD_LIBRARY_PATH": "/bundle", "PATH": "/bin"}
    request = Request("/conda/bin/python", "cuda")
    assert "PYTHONPATH" not in worker_environment(request, environ)
    assert "PYTHONHOME" not in worker_environment(request, environ)
    packaged = worker_environment(request, environ | {"LD_LIBRARY_PATH_ORIG": "/usr/local/cuda"})
    assert packaged["LD_LIBRARY_PATH"] == "/usr/local/cuda"


def test_that_the_worker_is_started_by_its_folder():
    argv = worker_argv(Request("/conda/bin/python", "cuda", quick=True))
    assert argv[0] == "/conda/bin/python"
    assert str(WORKER) in argv
    assert (WORKER / "__main__.py").is_file()
    assert "--quick" in argv


@pytest.mark.parametrize(
    ("host", "kind", "floor"),
    [
        (HOST, None, 0.005),
        (replace(HOST, on_battery=False, battery_percent=80.0), None, 0.02),
        (replace(HOST, is_wsl=True), None, 0.03),
        (HOST, "cpu", 0.03),
    ],
)
def test_that_the_uncertainty_that_remains_depends_on_the_machine(host, kind, floor):
    assert request_for(snapshot(GPU, host=host), CUDA_PYTHON, device_kind=kind).floor == floor


def test_that_a_python_that_cannot_use_the_gpu_is_refused():
    with pytest.raises(BenchmarkError) as caught:
        request_for(snapshot(GPU), CPU_PYTHON, GPU)
    assert caught.value.code == "bench.error.gpu_not_usable"
    with pytest.raises(BenchmarkError) as caught:
        request_for(snapshot(GPU), replace(CUDA_PYTHON, problem="torch_missing"), GPU)
    words = in_words(caught.value, load_messages())
    assert "It has no PyTorch." in words
    assert "torch_missing" not in words


def folded(*lines: dict) -> Run:
    run = begin()
    for line in lines:
        run = fold(run, decode(line))
    return run


def test_that_events_fold_into_the_state_a_window_shows():
    skipped = {"event": "skipped", "name": "h2d", "code": "unsupported", "detail": "?"}
    run = folded(HELLO, skipped, STAGE, PROBE, {"event": "heartbeat", "elapsed_s": 3.0})
    assert (run.hello.sm_count, run.stage.eta_s, run.progress) == (82, 30.0, 2 / 40)
    assert [probe.name for probe in run.probes] == ["gemm_fp16_large"]
    assert [probe.name for probe in run.skipped] == ["h2d"]
    assert run.ended is None


def test_that_a_later_result_of_a_probe_replaces_the_earlier_in_its_place():
    run = folded(PROBE, PROBE | {"name": "copy"}, PROBE | {"grade": "B"})
    assert [(probe.name, probe.grade) for probe in run.probes] == [("gemm_fp16_large", "B"), ("copy", "A")]


def test_that_a_finished_run_carries_all_that_can_make_it_stale():
    request = request_for(snapshot(GPU), CUDA_PYTHON, GPU)
    measured = conclude(folded(HELLO, PROBE, DONE), request, ENDED_WELL)
    assert (measured.gpu_uuid, measured.driver_version, measured.power_limit_w) == (UUID, "550.54", 350.0)
    assert (measured.torch_version, measured.python_path) == ("2.4.0+cu121", CUDA_PYTHON.path)
    assert history.stale_reasons(measured, snapshot(GPU, interpreters=(CUDA_PYTHON,))) == ()


def test_that_a_processor_is_named_as_the_machine_names_it():
    hello = HELLO | {"device_kind": "cpu", "device_name": "x86_64", "uuid": None, "memory_bytes": None}
    request = request_for(snapshot(), CPU_PYTHON)
    measured = conclude(folded(hello, PROBE, DONE), request, ENDED_WELL)
    assert (measured.device_name, measured.gpu_uuid) == ("AMD Ryzen 9", None)
    assert measured.device_memory_bytes == HOST.memory_total_bytes


def test_that_a_torch_that_tells_no_uuid_is_believed():
    request = request_for(snapshot(GPU), CUDA_PYTHON, GPU)
    assert conclude(folded(HELLO | {"uuid": None}, PROBE, DONE), request, ENDED_WELL).gpu_uuid == UUID


KNOWN_GPU = replace(GPU, catalogue_id="rtx-3090")
FAILED = {"event": "failed", "code": "torch_too_old", "detail": "1.13.1"}
LOST = {"event": "failed", "code": "device_lost", "detail": "copy: RuntimeError: illegal memory access"}
CRASHED = Outcome(Ending.KILLED, -9, 5.0, stderr_tail=("Fatal Python error",))
SILENT = Outcome(Ending.SILENT, -9, 99.0, limit_s=45.0)


@pytest.mark.parametrize(
    ("lines", "outcome", "code", "says"),
    [
        ([HELLO, PROBE], CRASHED, "crashed", "SIGKILL"),
        ([HELLO, STAGE], CRASHED, "crashed", "gemm_fp16_large"),
        ([HELLO, STAGE], SILENT, "hung", "gemm_fp16_large"),
        ([], replace(SILENT, ending=Ending.TIMED_OUT), "hung", "start"),
        ([HELLO, {"event": "cancelled"}], Outcome(Ending.CANCELLED, 3, 1.0), "cancelled", "cancelled"),
        ([HELLO], Outcome(Ending.CANCELLED, -9, 2.0), "cancelled", "cancelled"),
        ([FAILED], Outcome(Ending.EXITED, 1, 1.0), "torch_too_old", "1.13.1"),
        ([], Outcome(Ending.NOT_STARTED, None, 0.0, detail="No such file"), "not_started", "No such file"),
        ([HELLO, DONE], ENDED_WELL, "no_probes", ""),
        ([{"event": "probing"}], ENDED_WELL, "malformed", "probing"),
        ([HELLO | {"uuid": OTHER_UUID}, PROBE, DONE], ENDED_WELL, "wrong_device", OTHER_UUID),
        (
            [
                HELLO | {"uuid": None, "device_name": "NVIDIA GeForce RTX 4070", "memory_bytes": 12 * GIB},
                PROBE,
                DONE,
            ],
            ENDED_WELL,
            "wrong_device",
            "4070",
        ),
        ([HELLO, PROBE, LOST], Outcome(Ending.EXITED, 1, 9.0), "device_lost", "illegal memory access"),
        ([HELLO, PROBE], replace(SILENT, exit_status=None, pid=4242), "stuck", "4242"),
        ([HELLO, PROBE], Outcome(Ending.CANCELLED, None, 9.0, pid=4242), "stuck", "4242"),
    ],
)
def test_that_every_way_to_fail_has_its_code_and_a_sentence(lines, outcome, code, says):
    with pytest.raises(BenchmarkError) as caught:
        conclude(folded(*lines), request_for(snapshot(GPU), CUDA_PYTHON, KNOWN_GPU), outcome)
    assert caught.value.code == f"bench.error.{code}"
    assert says in load_messages().say(f"{caught.value.code}.title", **caught.value.values)
    assert load_messages().say(f"{caught.value.code}.action", **caught.value.values)


@pytest.mark.parametrize(
    ("lines", "outcome", "ending"),
    [([HELLO, PROBE, LOST], Outcome(Ending.EXITED, 1, 9.0), "device_lost"), ([HELLO, PROBE], CRASHED, "crashed"),
     ([HELLO, PROBE], SILENT, "hung")],
)  # fmt: skip
def test_that_what_was_measured_before_a_failure_is_kept_and_never_stands_for_the_device(lines, outcome, ending):
    with pytest.raises(BenchmarkError) as caught:
        conclude(folded(*lines), request_for(snapshot(GPU), CUDA_PYTHON, GPU), outcome)
    partial = caught.value.partial
    assert partial is not None
    assert (partial.ending, partial.is_complete, len(partial.probes)) == (ending, False, 1)
    path = history.save(partial)
    assert history.read(path) == partial
    assert history.latest_for(snapshot(GPU), UUID) is None


def test_that_a_cancelled_run_leaves_nothing():
    with pytest.raises(BenchmarkError) as caught:
        conclude(folded(HELLO, PROBE), Request("python", "cuda"), Outcome(Ending.CANCELLED, 3, 1.0))
    assert caught.value.partial is None


@pytest.mark.parametrize(
    ("before", "now", "kept"),
    [(False, False, True), (False, True, False), (True, False, False), (None, True, True), (False, None, True)],
)
def test_that_a_run_during_which_the_plug_was_pulled_is_thrown_away(before, now, kept):
    request = replace(Request("python", "cuda"), on_battery=before)
    if kept:
        assert conclude(folded(HELLO, PROBE, DONE), request, ENDED_WELL, (), now).probes
        return
    with pytest.raises(BenchmarkError) as caught:
        conclude(folded(HELLO, PROBE, DONE), request, ENDED_WELL, (), now)
    assert caught.value.code == "bench.error.power_changed"
    assert in_words(caught.value, load_messages())


@pytest.mark.parametrize(
    "detail", ["CUDA error: the launch timed out and was terminated", "CUDA driver error: device not ready"]
)
def test_that_a_watchdogs_reset_is_told_from_a_broken_card(detail):
    lost = LOST | {"detail": f"step_cnn: RuntimeError: {detail}"}
    with pytest.raises(BenchmarkError) as caught:
        conclude(folded(HELLO, PROBE, lost), Request("python", "cuda"), Outcome(Ending.EXITED, 1, 9.0))
    words = in_words(caught.value, load_messages())
    assert "watchdog" in words
    assert "power supply" not in words


@pytest.mark.parametrize(
    "visible", [None, "1,0", UUID, UUID[:12], "MIG-11111111-1111-5111-8111-111111111111", "-1"]
)
def test_that_whatever_the_user_made_visible_the_chosen_gpu_is_measured(visible):
    environ = {} if visible is None else {"CUDA_VISIBLE_DEVICES": visible}
    request = request_for(snapshot(GPU), CUDA_PYTHON, GPU)
    assert worker_environment(request, environ)["CUDA_VISIBLE_DEVICES"] == UUID
    mig = replace(GPU, uuid="MIG-11111111-1111-5111-8111-111111111111", partition=Partition.MIG_SLICE)
    sliced = request_for(snapshot(mig), CUDA_PYTHON, mig)
    assert worker_environment(sliced, environ)["CUDA_VISIBLE_DEVICES"] == mig.uuid
    assert sliced.floor == 0.03
    assert conclude(folded(HELLO, PROBE, DONE), sliced, ENDED_WELL).gpu_uuid == mig.uuid


def test_that_readings_become_part_of_the_result():
    run = begin()
    for at_s, line in enumerate([HELLO, STAGE, PROBE, STAGE | {"name": "copy"}, DONE]):
        run = fold(run, decode(line), float(at_s))
    samples = [Sample(2.9, sm_clock_mhz=1700.0, power_draw_w=240.0, throttle_reasons=4, power_limit_w=350.0)]
    measured = conclude(run, request_for(snapshot(GPU), CUDA_PYTHON, GPU), ENDED_WELL, samples)
    (conditions,) = measured.conditions
    assert (conditions.name, conditions.sm_clock_mhz, conditions.power_w) == ("gemm_fp16_large", 1700.0, 240.0)
    assert measured.power_limit_under_load_w == 350.0
    assert [note.code for note in measured.notes] == ["bench.note.capped_from_outside"]


def test_that_warnings_and_curves_become_part_of_the_result():
    curve = {"event": "curve", "name": "soak", "probe": "gemm_fp16_large", "elapsed_s": [0.3], "time_s": [2e-3]}
    warning = {"event": "warning", "name": "copy", "code": "disturbed", "detail": "2"}
    measured = conclude(folded(HELLO, curve, PROBE, warning, DONE), Request("python", "cuda"), ENDED_WELL)
    assert measured.curve("soak").time_s == (2e-3,)
    (note,) = measured.notes
    assert note_in_words(note, load_messages()).startswith("Memory copy: another program used the device during 2")
    assert history.read(history.save(measured)) == measured


def test_that_the_last_words_of_a_crash_are_kept():
    with pytest.raises(BenchmarkError) as caught:
        conclude(folded(HELLO), Request("python", "cuda"), CRASHED)
    assert caught.value.stderr_tail == ("Fatal Python error",)


def test_that_a_worker_that_dies_after_it_is_done_has_a_result():
    assert conclude(folded(HELLO, PROBE, DONE), Request("python", "cuda"), CRASHED).probes


@pytest.fixture
def python_that(tmp_path: Path):
    """``python_that("kill -9 $$", HELLO)``: a "Python" that says lines, then does something."""
    if sys.platform == "win32":
        pytest.skip("the pretended Pythons are shell scripts")

    def make(then: str, *lines: dict | str) -> Request:
        said = "".join(f"echo '{line if isinstance(line, str) else json.dumps(line)}'\n" for line in lines)
        script = tmp_path / "python"
        script.write_text(f"#!/bin/sh\n{said}{then}\n")
        script.chmod(0o755)
        return Request(str(script), "cuda")

    return make


def test_that_a_run_reports_progress_and_gives_a_result(python_that):
    seen: list[Run] = []
    measured = run_benchmark(python_that("", HELLO, STAGE, PROBE, DONE), on_progress=seen.append)
    assert [len(run.probes) for run in seen] == [0, 0, 1, 1]
    assert measured.duration_s == 33.0


def test_that_a_garbage_line_does_not_spoil_a_run(python_that):
    measured = run_benchmark(python_that("", HELLO, "CUDA says hello!", PROBE, '{"half": ', DONE))
    assert [probe.name for probe in measured.probes] == ["gemm_fp16_large"]


def test_that_a_worker_killed_in_the_middle_never_erases_the_last_result(python_that):
    history.save(result())
    with pytest.raises(BenchmarkError) as caught:
        run_benchmark(python_that("kill -9 $$", HELLO, STAGE, PROBE))
    assert caught.value.code == "bench.error.crashed"
    assert "SIGKILL" in caught.value.values["status"]
    assert history.latest_for(snapshot(GPU), UUID) == result()


def test_that_cancelling_ends_with_cancelled(python_that):
    heard = []
    request = python_that('read line; test "$line" = cancel && echo \'{"event": "cancelled"}\'', HELLO)
    with pytest.raises(BenchmarkError) as caught:
        run_benchmark(request, on_progress=heard.append, cancelled=lambda: bool(heard))
    assert caught.value.code == "bench.error.cancelled"
    assert heard[-1].ended is not None
