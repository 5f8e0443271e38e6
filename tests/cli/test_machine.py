"""`gpu-plan detect`, `catalog`, and what every command has in common."""

from __future__ import annotations

import errno
import json

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


def test_that_a_full_disk_loses_the_file_and_not_what_was_measured(gpu_plan, monkeypatch):
    """The measuring is replaced: what happens to a result is looked at."""
    from planner.cli import machine
    from tests.report.fixtures import recommendations

    def full(result):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(machine, "run_benchmark", lambda request, on_progress: recommendations.benchmark())
    monkeypatch.setattr(machine, "request_for", lambda *args, **options: None)
    monkeypatch.setattr(machine, "_chosen_python", lambda snapshot, python: None)
    monkeypatch.setattr("planner.hardware.detect.detect", lambda **options: recommendations.snapshot())
    monkeypatch.setattr("planner.benchmark.history.save", full)
    result = gpu_plan("bench", "--json")
    assert result.exit_code == 1
    assert "disk is full" in result.stderr
    assert json.loads(result.stdout)["probes"]
