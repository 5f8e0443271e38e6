"""`gpu-plan detect`, `catalog`, and what every command has in common."""

from __future__ import annotations

import errno
import json
from dataclasses import replace

import pytest

from planner.door import validated
from planner.hardware.snapshot import Snapshot


def test_that_detection_is_the_same_in_json_as_in_the_domain(answer_of):
    snapshot = validated(Snapshot, answer_of("detect", "--no-pythons"), "detect")
    assert snapshot.host.memory_total_bytes > 0
    assert snapshot.checks


def test_that_the_demonstration_shows_its_cards(gpu_plan, nvml_mock_library):
    result = gpu_plan("detect", "--demo", "--no-pythons")
    assert result.exit_code == 0
    assert "NVIDIA GeForce RTX 3090" in result.output
    assert "NVIDIA GeForce RTX 4070" in result.output


@pytest.mark.parametrize(
    ("scenario", "status", "says"),
    [
        ("hang_at_init", 1, "The driver does not answer."),
        ("lost", 1, "The driver lost contact with GPU 0"),
        ("driver_mismatch", 1, "Restart the computer."),
        ("two_gpus", 0, "GPU 1 (NVIDIA GeForce RTX 3090) is idle"),
        ("busy", 0, "only 2.71 GiB of 24 GiB free"),
    ],
)
def test_that_a_driver_or_gpu_that_does_not_work_is_told_and_is_no_success(
    gpu_plan, nvml_env, monkeypatch, scenario, status, says
):
    from planner.hardware import gpus

    monkeypatch.setattr(gpus, "INIT_DEADLINE_S", 2.0 if scenario == "hang_at_init" else 60.0)
    monkeypatch.setattr(gpus, "CALL_DEADLINE_S", 30.0)
    for name, value in nvml_env(scenario).items():
        monkeypatch.setenv(name, value)
    result = gpu_plan("detect", "--no-pythons")
    assert says in result.output
    assert result.exit_code == status


def test_that_a_report_is_written_and_a_folder_that_is_not_there_is_told(gpu_plan, tmp_path):
    file = tmp_path / "report.txt"
    result = gpu_plan("detect", "--no-pythons", "--save-report", file)
    assert str(file) in result.stderr
    assert file.read_text().startswith("# A machine as GPU Planner detected it.")
    (tmp_path / "file").write_text("")
    result = gpu_plan("detect", "--no-pythons", "--save-report", tmp_path / "file" / "report.txt")
    assert result.exit_code == 1
    assert "report.txt" in result.stderr


@pytest.fixture
def annas_machine(monkeypatch, tmp_path):
    """A machine whose every text tells who uses it."""
    from planner.hardware import snapshot as shot
    from tests.report.fixtures import recommendations

    home = tmp_path / "anna"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    seen = recommendations.snapshot()
    program = shot.GpuProcess(42, f"{home}/secret/train.py", 1 << 30)
    gpu = replace(seen.gpus[0], uuid="GPU-5a1b7c2e-3090-4d5e-8f90-0123456789ab", processes=(program,))
    python = shot.Interpreter(
        f"{home}/env/bin/python", "venv", "3.11", problem="torch_fails", detail=f"{home}/x.so"
    )
    check = shot.Check(
        "torch", shot.CheckStatus.FAILED, "check.torch.found", (("version", "2"), ("path", f"{home}/env"))
    )
    host = replace(seen.host, hostname="anna-laptop", disk_path=f"{home}/.local/share")
    found = replace(seen, host=host, gpus=(gpu,), interpreters=(python,), checks=(check,))
    monkeypatch.setattr("planner.hardware.detect.detect", lambda **options: found)
    return found


def test_that_a_saved_report_does_not_tell_whose_machine_it_is(gpu_plan, annas_machine, tmp_path):
    file = tmp_path / "report.txt"
    gpu_plan("detect", "--save-report", file)
    text = file.read_text()
    assert "torch_fails" in text
    for secret in ("anna", "5a1b7c2e", "train.py"):
        assert secret not in text


def test_that_json_keeps_the_uuid_and_neither_the_computers_name_nor_the_home_folder(gpu_plan, annas_machine):
    printed = gpu_plan("detect", "--json").stdout
    assert "anna" not in printed
    told = json.loads(printed)
    assert told["host"]["hostname"] == ""
    assert told["gpus"][0]["uuid"].startswith("GPU-5a1b7c2e")
    assert told["interpreters"][0]["path"] == "~/env/bin/python"


def test_that_the_catalogue_answers_a_name_as_typed(answer_of):
    (spec,) = answer_of("catalog", "rtx 3090")
    assert spec["id"] == "rtx-3090"
    assert len(answer_of("catalog")) > 200


def test_that_an_unknown_gpu_is_wrong_input_with_close_names(gpu_plan):
    result = gpu_plan("catalog", "RTX 3091")
    assert result.exit_code == 2
    assert "3090" in result.stderr


@pytest.mark.parametrize(
    "command", ["detect", "bench", "estimate", "plan", "report", "replay", "offers", "catalog"]
)
def test_that_every_command_explains_itself_and_speaks_json(gpu_plan, command):
    result = gpu_plan(command, "--help")
    assert result.exit_code == 0
    assert "--json" in result.output


def test_that_a_misspelt_command_is_wrong_input(gpu_plan):
    assert gpu_plan("benchmark").exit_code == 2


@pytest.fixture
def measuring(monkeypatch):
    """The measuring is replaced: what happens to a result is looked at."""
    from planner.cli import machine
    from tests.report.fixtures import recommendations

    monkeypatch.setattr(machine, "run_benchmark", lambda request, on_progress: recommendations.benchmark())
    monkeypatch.setattr(machine, "request_for", lambda *args, **options: None)
    monkeypatch.setattr(machine, "_chosen_python", lambda snapshot, python: None)
    monkeypatch.setattr("planner.hardware.detect.detect", lambda **options: recommendations.snapshot())
    return recommendations.benchmark()


def test_that_a_table_is_written_beside_the_result(gpu_plan, measuring, tmp_path):
    file = tmp_path / "result.csv"
    result = gpu_plan("bench", "--csv", file)
    assert result.exit_code == 0
    assert len(file.read_text().splitlines()) == 1 + len(measuring.probes)


def test_that_a_second_run_is_compared_with_the_first(gpu_plan, measuring, monkeypatch):
    from planner.benchmark import history
    from planner.cli import machine

    slow = tuple(
        replace(
            probe,
            time_s=probe.time_s * 1.3,
            time_low_s=probe.time_low_s * 1.3,
            time_high_s=probe.time_high_s * 1.3,
        )
        for probe in measuring.probes
    )
    later = replace(measuring, probes=slow, started_at="2099-01-01T10:00:00+00:00")
    history.save(measuring)
    monkeypatch.setattr(machine, "run_benchmark", lambda request, on_progress: later)
    assert f"30 % slower than on {measuring.started_at[:10]}" in gpu_plan("bench").output


def test_that_what_was_measured_before_a_failure_is_kept_and_told(gpu_plan, measuring, monkeypatch):
    from planner.benchmark import history
    from planner.benchmark.supervise import BenchmarkError
    from planner.cli import machine

    def lost(request, on_progress):
        error = BenchmarkError("device_lost", {"detail": "copy: illegal memory access"})
        error.partial = replace(measuring, ending="device_lost")
        raise error

    monkeypatch.setattr(machine, "run_benchmark", lost)
    result = gpu_plan("bench")
    assert result.exit_code == 1
    assert "Restart the computer" in result.stderr
    (saved,) = history.load().saved
    assert str(saved.path) in result.stderr


def test_that_the_link_between_gpus_is_told_as_a_range(gpu_plan, measuring, monkeypatch):
    from planner.benchmark import link

    points = tuple(link.LinkPoint(size, size / 4e9, size / 5e9, size / 3e9) for size in (1 << 16, 64 << 20))
    found = link.LinkResult("nccl", 2, 1, "RTX 3090", False, points, without_peers=True)
    monkeypatch.setattr(link, "measure_link", lambda request, ranks: found)
    text = gpu_plan("bench", "--link", 2).output
    assert "at 4 (3 – 5) GB/s" in text
    assert "NCCL_P2P_DISABLE=1" in text
    told = json.loads(gpu_plan("bench", "--link", 2, "--json").stdout)
    assert told["bus_bandwidth_gbs"]["likely"] == pytest.approx(4)
    assert gpu_plan("bench", "--link", 1).exit_code == 2


def test_that_a_full_disk_loses_the_file_and_not_what_was_measured(gpu_plan, measuring, monkeypatch):
    def full(result):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("planner.benchmark.history.save", full)
    result = gpu_plan("bench", "--json")
    assert result.exit_code == 1
    assert "disk is full" in result.stderr
    assert json.loads(result.stdout)["probes"]
