"""The benchmark seen from the window: it runs in a child, and however that ends, the last result stays."""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from planner.benchmark import history, supervise
from planner.hardware.snapshot import Interpreter, TorchDevice
from tests.report.fixtures import recommendations
from ui.notices import Severity
from ui.parts import Parts
from ui.window import MainWindow

HELLO = {
    "event": "hello", "device_kind": "cpu", "device_name": "cpu", "uuid": None, "torch": "2.13.0", "cuda": None,
    "python": "3.11.2", "memory_bytes": None, "sm_count": None, "threads": 2,
}  # fmt: skip
STAGE = {"event": "stage", "name": "gemm_fp32_small", "index": 1, "total": 2, "elapsed_s": 0.1, "eta_s": 9.0}
PROBE = {
    "event": "probe", "name": "gemm_fp32_small", "kind": "flops", "op_class": "matmul", "dtype": "fp32",
    "time_s": 1e-3, "time_low_s": 0.9e-3, "time_high_s": 1.1e-3, "flops": 2e9, "bytes": 1e6, "size": "1000³",
    "blocks": 8, "grade": "A",
}  # fmt: skip
DONE = {"event": "done", "duration_s": 1.5}
SAYS = "import json, os, sys, time\n" + "".join(
    f"print(json.dumps({one!r}), flush=True)\n" for one in (HELLO, STAGE, PROBE)
)


@pytest.fixture
def measurable(parts: Parts) -> Parts:
    """A machine without a GPU whose Python could run the benchmark, and a result from before."""
    python = Interpreter(sys.executable, "app", "3.11.2", "2.13.0", devices=(TorchDevice("cpu", 0, "cpu"),))
    snapshot = replace(recommendations.snapshot(), gpus=(), driver_version=None, interpreters=(python,))
    parts.store.set_snapshot(snapshot)
    parts.store.set_benchmark(replace(recommendations.benchmark(), device_name="measured before"))
    return parts


def worker(monkeypatch: pytest.MonkeyPatch, folder: Path, code: str) -> None:
    """Let the child run ``code`` in place of the real worker, which needs torch."""
    script = folder / "worker.py"
    script.write_text(SAYS + code, encoding="utf-8")
    monkeypatch.setattr(supervise, "WORKER", script)


def run(parts: Parts, qtbot: QtBot) -> None:
    parts.benchmark.start()
    assert parts.benchmark.is_running
    qtbot.waitUntil(lambda: not parts.benchmark.is_running, timeout=20_000)


def notice(parts: Parts) -> str:
    return " ".join(one.text for one in parts.notices.shown if one.name == "benchmark")


def test_that_a_finished_run_becomes_the_result_and_is_kept(
    qtbot: QtBot, measurable: Parts, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    worker(monkeypatch, tmp_path, f"print(json.dumps({DONE!r}), flush=True)")
    run(measurable, qtbot)
    result = measurable.store.benchmark
    assert result is not None
    assert [probe.name for probe in result.probes] == ["gemm_fp32_small"]
    assert result.device_name == measurable.store.snapshot.host.cpu_name  # type: ignore[union-attr]
    qtbot.waitUntil(lambda: len(history.load().saved) == 1, timeout=5000)
    assert notice(measurable) == ""


def test_that_kill_9_in_the_middle_says_why_and_keeps_the_last_result(
    qtbot: QtBot, measurable: Parts, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    worker(monkeypatch, tmp_path, "print('last words', file=sys.stderr); os.kill(os.getpid(), 9)")
    run(measurable, qtbot)
    assert measurable.store.benchmark.device_name == "measured before"  # type: ignore[union-attr]
    assert "killed by SIGKILL" in notice(measurable)
    shown = next(one for one in measurable.notices.shown if one.name == "benchmark")
    assert (shown.severity, shown.details) == (Severity.ERROR, "last words")


def test_that_cancel_keeps_the_last_result(
    qtbot: QtBot, measurable: Parts, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    worker(monkeypatch, tmp_path, "sys.stdin.readline(); print(json.dumps({'event': 'cancelled'}), flush=True)")
    measurable.benchmark.start()
    qtbot.waitUntil(lambda: bool(measurable.benchmark.run and measurable.benchmark.run.probes), timeout=10_000)
    measurable.benchmark.cancel()
    assert measurable.benchmark.is_cancelling
    qtbot.waitUntil(lambda: not measurable.benchmark.is_running, timeout=10_000)
    assert measurable.store.benchmark.device_name == "measured before"  # type: ignore[union-attr]
    assert "cancelled" in notice(measurable)


def test_that_nothing_is_promised_that_is_not_there(
    qtbot: QtBot, measurable: Parts, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Killed without a word and without an earlier result: no details, and none spoken of; no result kept."""
    measurable.store.set_benchmark(None)
    worker(monkeypatch, tmp_path, "os.kill(os.getpid(), 9)")
    run(measurable, qtbot)
    shown = next(one for one in measurable.notices.shown if one.name == "benchmark")
    assert shown.details == ""
    assert "details" not in shown.text
    assert "last finished result" not in shown.text


def test_that_the_page_shows_stage_progress_and_time_left(
    qtbot: QtBot, window: MainWindow, measurable: Parts, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    worker(monkeypatch, tmp_path, "sys.stdin.readline()")
    window.show_page("benchmark")
    page = window.pages["benchmark"]
    assert not page.cancel.isVisible()  # type: ignore[attr-defined]
    measurable.benchmark.start()
    qtbot.waitUntil(lambda: "Matrix product" in page.stage.text(), timeout=10_000)  # type: ignore[attr-defined]
    assert page.cancel.isVisible()  # type: ignore[attr-defined]
    assert not page.run.isEnabled()  # type: ignore[attr-defined]
    assert (page.progress.maximum(), page.progress.value()) == (2, 0)  # type: ignore[attr-defined]
    assert "left" in page.times.text()  # type: ignore[attr-defined]
    measurable.benchmark.cancel()
    qtbot.waitUntil(lambda: not measurable.benchmark.is_running, timeout=10_000)
    assert page.run.isEnabled()  # type: ignore[attr-defined]


def test_that_closing_the_window_ends_the_child(
    qtbot: QtBot, window: MainWindow, measurable: Parts, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pid_file = tmp_path / "pid"
    worker(monkeypatch, tmp_path, f"open({str(pid_file)!r}, 'w').write(str(os.getpid())); time.sleep(600)")
    measurable.benchmark.start()
    qtbot.waitUntil(lambda: pid_file.exists() and pid_file.read_text() != "", timeout=10_000)
    window.close()
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()), signal.SIGCONT)


def test_that_the_last_result_of_this_machine_comes_back_at_the_next_start(qtbot: QtBot, parts: Parts) -> None:
    snapshot = replace(recommendations.snapshot(), gpus=(), driver_version=None)
    before = replace(
        recommendations.benchmark(), device_kind="cpu", gpu_uuid=None, device_name=snapshot.host.cpu_name or "",
        driver_version=None,
    )  # fmt: skip
    history.save(before)
    parts.store.set_snapshot(snapshot)
    qtbot.waitUntil(lambda: parts.store.benchmark == before, timeout=5000)


def test_that_without_a_python_the_reason_is_told(parts: Parts) -> None:
    parts.store.set_snapshot(recommendations.snapshot())
    parts.benchmark.start()
    assert not parts.benchmark.is_running
    assert "No Python" in notice(parts)
