"""What goes wrong in the field, report by report.

field_reports.csv names what the product does and which tests show it, or why it does nothing. The reports are
public issues, cited by their address; what is said of them is ours.
"""

from __future__ import annotations

import ast
import csv
from functools import cache
from pathlib import Path

import pytest

from planner.benchmark.supervise import WORKER
from planner.hardware.checks import Findings, examine
from planner.hardware.gpus import DriverReading
from planner.hardware.snapshot import CheckStatus
from planner.messages import load_messages
from tests.hardware.test_checks import CARD, GOOD, host, python

TESTS = Path(__file__).parents[1]
SOURCES = TESTS.parent
REPORTS = list(
    csv.DictReader(Path(__file__).with_name("field_reports.csv").read_text(encoding="utf-8").splitlines())
)


@cache
def functions_of(file: str) -> frozenset[str]:
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


@cache
def product_modules() -> dict[str, ast.Module]:
    files = [file for folder in ("planner", "ui") for file in (SOURCES / folder).rglob("*.py")]
    return {str(file.relative_to(SOURCES)): ast.parse(file.read_text(encoding="utf-8")) for file in files}


def texts_of(tree: ast.Module) -> set[str]:
    return {
        node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


@pytest.mark.parametrize(
    "report", REPORTS, ids=lambda report: report["report"].removeprefix("https://github.com/")
)
def test_that_each_report_is_answered_by_tests_or_by_a_reason(report: dict[str, str]) -> None:
    named = report["tests"].split()
    assert bool(named) != bool(report["why_not"])
    assert bool(named) == bool(report["what_the_product_does"])
    for test in named:
        file, _, function = test.partition("::")
        assert function in functions_of(file), test


def test_that_no_report_is_listed_twice() -> None:
    assert len({report["report"] for report in REPORTS}) == len(REPORTS) == 75


def test_that_cuda_that_does_not_start_after_sleep_has_its_own_advice() -> None:
    detail = "RuntimeError: CUDA unknown error - this may be due to an incorrectly set up environment"
    found = Findings((CARD,), GOOD, host(), (python(gpu_problem="cuda_fails", detail=detail, cuda_build="12.4"),))
    (check,) = (check for check in examine(found) if check.layer == "torch_gpu")
    assert (check.code, check.status) == ("check.torch_gpu.cuda_unknown_error", CheckStatus.FAILED)
    action = load_messages().say(f"{check.code}.action", **dict(check.values))
    assert "Restart the computer" in action
    assert "nvidia_uvm" in action


def test_that_a_driver_that_does_not_answer_leaves_the_rest_of_the_machine_known() -> None:
    checks = {
        check.layer: check.code
        for check in examine(Findings((CARD,), DriverReading(problem="hung"), host(), None))
    }
    assert (checks["card"], checks["nvml"]) == ("check.card.found", "check.nvml.hung")


def test_that_nvidia_smi_is_never_called() -> None:
    """It hangs where the library does, and cannot be killed then. Messages name it for people to type."""
    assert [name for name, tree in product_modules().items() if "nvidia-smi" in texts_of(tree)] == []


def test_that_torchs_own_readings_of_the_driver_are_not_used() -> None:
    """They count devices in another order than the driver does."""
    readings = {"utilization", "temperature", "power_draw", "clock_rate", "memory_usage"}
    for name, tree in product_modules().items():
        used = {
            node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Attribute)
            and (node.value.attr, getattr(node.value.value, "id", "")) == ("cuda", "torch")
        }
        assert not used & readings, name


def test_that_nothing_sleeps_while_the_device_is_measured() -> None:
    """A device that waits lowers its clocks."""
    for file in ("protocol.py", "suite.py", "sentinel.py", "devices.py", "work.py", "steps.py"):
        tree = ast.parse((WORKER / file).read_text(encoding="utf-8"))
        called = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        assert not called & {"sleep", "wait"}, file


def test_that_the_driver_is_asked_by_short_lived_children_only() -> None:
    """A process that keeps the library open keeps a laptop's GPU awake: only the children's module imports it."""
    importing = {
        name
        for name, tree in product_modules().items()
        for node in ast.walk(tree)
        if (isinstance(node, ast.Import) and any(alias.name == "pynvml" for alias in node.names))
        or (isinstance(node, ast.ImportFrom) and node.module == "pynvml")
    }
    assert importing == {"planner/hardware/nvml.py"}
