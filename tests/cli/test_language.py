"""The command line in another language: by an option, or by the environment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from planner.messages import FALLBACK_LANGUAGE, language_in_use, use_language
from tests.cli.conftest import Run


@pytest.fixture(autouse=True)
def english_again() -> Iterator[None]:
    yield
    use_language(FALLBACK_LANGUAGE)


def test_that_an_option_chooses_the_language_of_the_answer(gpu_plan: Run):
    answer = gpu_plan("--language", "vi", "plan", "--no-detect", "--model", "preset:resnet50").stdout
    assert "Vì sao:" in answer
    assert "Phương án" in answer


def test_that_the_environment_chooses_where_no_option_does(gpu_plan: Run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GPU_PLANNER_LANGUAGE", "vi")
    assert "Vì sao:" in gpu_plan("plan", "--no-detect", "--model", "preset:resnet50").stdout
    assert "Why:" in gpu_plan("--language", "en", "plan", "--no-detect", "--model", "preset:resnet50").stdout


def test_that_every_command_begins_in_english_again(gpu_plan: Run):
    gpu_plan("--language", "vi", "catalog")
    gpu_plan("catalog")
    assert language_in_use() == "en"


def test_that_a_language_that_is_not_shipped_is_wrong_input(gpu_plan: Run):
    result = gpu_plan("--language", "xx", "catalog")
    assert result.exit_code == 2
    assert "'en', 'vi'" in result.output


def test_that_detection_and_the_report_follow(gpu_plan: Run, tmp_path: Path):
    assert "Từng lớp một:" in gpu_plan("--language", "vi", "detect", "--no-pythons").stdout
    plan, page, paper = tmp_path / "p.json", tmp_path / "p.html", tmp_path / "p.pdf"
    gpu_plan("plan", "--no-detect", "--model", "preset:resnet50", "--save", plan)
    assert gpu_plan("--language", "vi", "report", plan, "--html", page, "--pdf", paper).exit_code == 0
    assert '<html lang="vi">' in page.read_text(encoding="utf-8")
    assert b"/Lang (vi)" in paper.read_bytes()
