"""What SECURITY.md promises: no network on its own, no formulas in tables, no secrets for children."""

from __future__ import annotations

import csv
import io
import socket
from dataclasses import replace

import pytest

from planner.children import outside_python_env, python_child_env
from planner.cli.main import main
from planner.spreadsheet import safe_cell
from tests.cli.conftest import gpu_plan
from tests.report.fixtures import recommendations

__all__ = ["gpu_plan"]  # the fixture
PLAN = ("--model", "preset:resnet50", "--batch-size", "64", "--epochs", "1", "--samples", "1.28M")
FORMULAS = ["=1+1", "+cmd|' /C calc'!A0", "-1+1", "@SUM(A1)", "\t=1", " =1+1", "\r=1"]


@pytest.fixture
def no_network(monkeypatch):
    """No socket can be made and no name be looked up; the attempts, in order."""
    attempts = []

    def forbidden(*args, **options):
        attempts.append(args)
        raise AssertionError("no network")

    for name in ("socket", "socketpair", "create_connection", "getaddrinfo", "create_server"):
        monkeypatch.setattr(socket, name, forbidden)
    return attempts


def test_that_planning_and_printing_need_no_network(gpu_plan, no_network, tmp_path):
    file = tmp_path / "plan.json"
    assert gpu_plan("plan", *PLAN, "--save", file).exit_code == 0
    assert gpu_plan("report", file, "--html", tmp_path / "plan.html").exit_code == 0
    assert gpu_plan("replay", file).exit_code == 0
    assert no_network == []


def test_that_looking_at_the_machine_needs_no_network(gpu_plan, no_network):
    assert gpu_plan("detect", "--json").exit_code in (0, 1)  # 1: its card is broken
    assert no_network == []


@pytest.mark.torch
def test_that_the_benchmark_needs_no_network(gpu_plan, no_network):
    pytest.importorskip("torch", reason="torch is not installed")
    result = gpu_plan("bench", "--quick", "--device", "cpu", "--json")
    assert result.exit_code == 0, result.output
    assert no_network == []


@pytest.mark.parametrize("text", FORMULAS)
def test_that_a_formula_is_text_in_a_spreadsheet(text):
    assert safe_cell(text) == f"'{text}"


@pytest.mark.parametrize(
    "value", ["-5", "+3 %", "-1.5e-3", "1,024", "RTX 3090", "", "preset:resnet50", "−5 %", "a=b", -5, 0.5, None]
)
def test_that_numbers_and_ordinary_text_stay_as_they_are(value):
    assert safe_cell(value) == value


@pytest.mark.parametrize("text", FORMULAS[:4])
def test_that_no_exported_table_holds_a_formula(gpu_plan, text):
    from planner.benchmark.export import as_csv
    from planner.report.types import Table
    from ui.charts.export import table_text

    result = recommendations.benchmark()
    named = replace(result, probes=(replace(result.probes[0], size=text),))
    estimate = gpu_plan("estimate", "--table", "-", "--out", "-", stdin=f'model,note\npreset:resnet50,"{text}"\n')
    for table in (as_csv(named), table_text(Table((text,), ((text,),), (False,))), estimate.stdout):
        cells = [cell for row in csv.reader(io.StringIO(table)) for cell in row]
        assert f"'{text}" in cells
        assert text not in cells


@pytest.mark.parametrize(
    "name", ["AWS_SECRET_ACCESS_KEY", "HF_TOKEN", "GITHUB_TOKEN", "SSH_AUTH_SOCK", "PYTHONSTARTUP", "DB_PASSWORD"]
)
def test_that_children_get_no_secrets(monkeypatch, name):
    monkeypatch.setenv(name, "secret")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    for environment in (outside_python_env(), python_child_env()):
        assert "secret" not in environment.values()
        assert environment["CUDA_VISIBLE_DEVICES"] == "0"
        assert "PATH" in environment


def test_that_the_only_command_that_asks_the_network_says_so():
    help_text = main.commands["offers"].commands["refresh"].help or ""
    assert "fetch" in help_text.lower() or "ask" in help_text.lower(), help_text
