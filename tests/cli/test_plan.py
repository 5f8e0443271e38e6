"""`gpu-plan plan`, `report` and `replay`: from options to an answer, on paper, and out again."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

OPTIONS = ("--no-detect", "--model", "preset:resnet50", "--batch-size", "256", "--dataset-size", "10 GB")


@pytest.fixture
def plan_file(gpu_plan, tmp_path) -> Path:
    path = tmp_path / "plan.json"
    result = gpu_plan("plan", *OPTIONS, "--save", path)
    assert result.exit_code == 0, result.output
    return path


def test_that_a_plan_is_one_sentence_and_a_table_of_seven_options(gpu_plan):
    result = gpu_plan("plan", *OPTIONS)
    assert result.exit_code == 0
    assert "one RTX 3090" in result.output.splitlines()[0]
    assert "Type its quote" in result.output  # the shipped packages have no price
    assert result.output.count("× RTX 3090") >= 6


def test_that_quantities_are_read_as_typed(answer_of):
    typed = ("--samples", "1.2M", "--epochs", "2..3..4", "--deadline", "3d", "--upload", "100")
    register = {line["code"]: line["value"] for line in answer_of("plan", *OPTIONS, *typed)["assumptions"]}
    assert register["samples_per_epoch"] == 1.2e6
    assert register["epochs"] == {"low": 2.0, "likely": 3.0, "high": 4.0}
    assert register["deadline_h"] == 72.0
    assert register["dataset_bytes"] == 1e10


@pytest.mark.parametrize(
    ("option", "value", "word"),
    [
        ("--samples", "many", "many"),
        ("--epochs", "3..2..1", "low"),
        ("--epochs", "1..2", "LOW..LIKELY..HIGH"),
        ("--deadline", "-3", "deadline"),
        ("--batch-size", "0", "batch_size"),
        ("--model", "preset:nothing", "nothing"),
        ("--precision", "fp13", "fp13"),
        ("--input-size", "9999999", "9999999"),
        ("--budget", "nan", "budget"),
        ("--upload", "0", "upload"),
    ],
)
def test_that_a_bad_option_is_wrong_input_and_named(gpu_plan, option, value, word):
    result = gpu_plan("plan", *OPTIONS, option, value)
    assert result.exit_code == 2, result.output
    assert word in result.stderr


def test_that_an_impossible_job_answers_no(gpu_plan):
    result = gpu_plan("plan", *OPTIONS, "--deadline", "1 min")
    assert result.exit_code == 1
    assert "No option can do this job" in result.output


def test_that_a_saved_plan_gives_the_same_numbers(gpu_plan, plan_file):
    result = gpu_plan("replay", plan_file)
    assert result.exit_code == 0
    assert "The same numbers" in result.output


def test_that_a_plan_can_start_from_a_file(answer_of, plan_file):
    assert answer_of("plan", plan_file)["plan_sha256"] == json.loads(plan_file.read_text())["inputs_sha256"]
    assert answer_of("plan", plan_file, "--batch-size", "64")["options"][1]["batch_per_gpu"] == 64


def test_that_an_edited_plan_is_noticed(gpu_plan, plan_file):
    data = json.loads(plan_file.read_text())
    data["inputs"]["job"]["recipe"]["batch_size"] = 64
    plan_file.write_text(json.dumps(data))
    result = gpu_plan("replay", plan_file)
    assert result.exit_code == 1
    assert "changed after it was saved" in result.output
    assert "rent-1" in result.output


@pytest.mark.parametrize("command", ["replay", "report", "plan"])
def test_that_a_plan_cut_in_half_is_wrong_input(gpu_plan, plan_file, command):
    plan_file.write_bytes(plan_file.read_bytes()[:1000])
    result = gpu_plan(command, plan_file, "--json")
    assert result.exit_code == 2
    assert "line" in result.stderr


def test_that_a_report_has_its_numbers_in_every_form(gpu_plan, plan_file, tmp_path):
    pdf, html = tmp_path / "r.pdf", tmp_path / "r.html"
    result = gpu_plan("report", plan_file, "--pdf", pdf, "--html", html, "--json")
    assert result.exit_code == 0, result.output
    verdict = json.loads(result.stdout)["verdict"]
    assert verdict.split(":")[0] in html.read_text(encoding="utf-8")
    assert pdf.read_bytes().startswith(b"%PDF-")


def test_that_a_report_needs_to_know_what_to_write(gpu_plan, plan_file):
    assert gpu_plan("report", plan_file).exit_code == 2


def test_that_a_report_that_cannot_be_written_says_why_and_leaves_nothing(gpu_plan, plan_file, tmp_path):
    (tmp_path / "file").write_text("not a folder")
    result = gpu_plan("report", plan_file, "--html", tmp_path / "file" / "r.html")
    assert result.exit_code == 1
    assert "r.html" in result.stderr
    assert (tmp_path / "file").read_text() == "not a folder"


def test_that_the_installed_program_starts_without_qt_torch_or_numpy(tmp_path):
    """`gpu-plan --version` in a process of its own: start-up stays light."""
    import sys

    code = (
        "import sys; from planner.cli.main import main\n"
        "try: main(['--version'])\n"
        "except SystemExit: print([m for m in ('PySide6', 'torch', 'pynvml', 'pydantic') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("[]")


def test_that_a_preset_brings_its_usual_batch_and_data(answer_of):
    found = answer_of("plan", "--no-detect", "--model", "preset:llama3_8b_lora", "--epochs", "3")
    register = {line["code"]: line["value"] for line in found["assumptions"]}
    assert register["samples_per_epoch"] < 1e6
    assert register["dataset_bytes"] < 1e10
    assert not any(reason["code"] == "memory" for reason in found["options"][1]["rejected"])


def test_that_a_quote_is_the_price(answer_of):
    found = answer_of("plan", *OPTIONS, "--quote", "1=0.50", "--quote", "4=1.9")
    assert found["options"][1]["price"]["usd_per_hour"]["likely"] == 0.5
    assert found["options"][4]["price"]["is_quote"]


@pytest.mark.parametrize("quote", ["4", "four=1", "4=cheap", "0=1", "4=-1"])
def test_that_a_quote_that_is_none_is_wrong_input(gpu_plan, quote):
    assert gpu_plan("plan", *OPTIONS, "--quote", quote).exit_code == 2


@pytest.mark.parametrize(
    ("option", "value"),
    [("--samples", "1e308"), ("--epochs", "1e300"), ("--waiting-cost", "1e308"), ("--upload", "1e-308")],
)
def test_that_a_number_of_absurd_size_is_wrong_input(gpu_plan, option, value):
    result = gpu_plan("plan", *OPTIONS, option, value)
    assert result.exit_code == 2
    assert "must be" in result.stderr


def test_that_an_adapter_the_model_does_not_have_is_wrong_input(gpu_plan):
    result = gpu_plan("plan", *OPTIONS, "--adapter", "lora:16")
    assert result.exit_code == 2
    assert "adapter" in result.stderr


def test_that_a_machine_nobody_looked_at_is_not_said_to_have_no_gpu(gpu_plan):
    result = gpu_plan("plan", *OPTIONS)
    assert "was not looked at" in result.output
    assert "has no GPU" not in result.output
