"""`gpu-plan --self-test` and `--version`: what a packaged build is asked, and what it tells step by step."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest

from planner import __version__
from planner.cli import self_test
from planner.hardware import demo

STEPS = ("detect", "plan", "pdf", "benchmark")
TITLES = {
    "detect": "look at the make-believe machine",
    "plan": "plan a training",
    "pdf": "print a report",
    "benchmark": "benchmark in a Python with torch",
}
TORCH = {"torch_version": "2.13.0", "problem": None}


class Installation:
    """Our commands as the self test calls them. What each prints and how it ends can be changed."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, ...]] = []
        self.gpus: object = [{"name": "RTX 3090"}]
        self.interpreters: list[dict[str, str | None]] = [TORCH]
        self.machine_status = 0
        self.pdf = b"%PDF-1.7" + bytes(20_000)
        self.probes: list[str] = ["matmul"]
        self.broken: dict[str, Exception] = {}
        self.group = click.Group("gpu-plan")
        for name in ("detect", "plan", "report", "bench"):
            self.group.add_command(self._command(name))

    def _command(self, name: str) -> click.Command:
        settings = {"ignore_unknown_options": True, "allow_extra_args": True}

        @click.command(name, context_settings=settings)
        @click.pass_context
        def command(context: click.Context) -> None:
            arguments = tuple(context.args)
            self.calls.append((name, *arguments))
            if name in self.broken:
                raise self.broken[name]
            getattr(self, f"_{name}")(context, arguments)

        return command

    def _detect(self, context: click.Context, arguments: tuple[str, ...]) -> None:
        if "--demo" in arguments:
            click.echo(json.dumps({"gpus": self.gpus}))
            return
        click.echo(json.dumps({"interpreters": self.interpreters}))
        context.exit(self.machine_status)

    def _plan(self, _context: click.Context, arguments: tuple[str, ...]) -> None:
        Path(arguments[-1]).write_text("{}")

    def _report(self, _context: click.Context, arguments: tuple[str, ...]) -> None:
        Path(arguments[-1]).write_bytes(self.pdf)

    def _bench(self, _context: click.Context, _arguments: tuple[str, ...]) -> None:
        click.echo(json.dumps({"probes": self.probes}))


@pytest.fixture
def installation(monkeypatch: pytest.MonkeyPatch) -> Installation:
    monkeypatch.setattr(demo, "demo_environment", dict)
    return Installation()


def outcome(installation: Installation, capsys: pytest.CaptureFixture[str]) -> tuple[bool, dict[str, str]]:
    """Whether all was good, and the line of each step."""
    good = self_test.self_test(installation.group)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(STEPS)
    return good, dict(zip(STEPS, lines, strict=True))


def test_that_a_sound_installation_is_told_step_by_step(installation, capsys):
    good, lines = outcome(installation, capsys)
    assert good
    for step, line in lines.items():
        assert line.startswith(f"good: {TITLES[step]} (")


@pytest.mark.parametrize(
    ("step", "command"), [("detect", "detect"), ("plan", "plan"), ("pdf", "report"), ("benchmark", "bench")]
)
@pytest.mark.parametrize(
    "error", [click.ClickException("out of luck"), RuntimeError("out of luck"), OSError("out of luck")]
)
def test_that_the_step_that_fails_is_named_with_the_reason(installation, capsys, step, command, error):
    installation.broken[command] = error
    good, lines = outcome(installation, capsys)
    assert not good
    assert lines[step].startswith(f"FAILED: {TITLES[step]}: ")
    assert "out of luck" in lines[step]
    assert lines["plan" if step != "plan" else "benchmark"].startswith("good")  # the others are tried all the same


@pytest.mark.parametrize(
    ("step", "attribute", "value"),
    [
        ("detect", "gpus", []),
        ("pdf", "pdf", b"%PDF-1.7"),
        ("pdf", "pdf", bytes(20_000)),
        ("benchmark", "probes", []),
    ],
)
def test_that_an_empty_answer_is_a_failure(installation, capsys, step, attribute, value):
    setattr(installation, attribute, value)
    good, lines = outcome(installation, capsys)
    assert not good
    assert [name for name, line in lines.items() if line.startswith("FAILED")] == [step]


@pytest.mark.parametrize("found", [[], [{"torch_version": None, "problem": "torch_missing"}]])
def test_that_no_torch_on_the_machine_is_a_step_left_out(installation, capsys, found):
    installation.interpreters = found
    good, lines = outcome(installation, capsys)
    assert good
    assert lines["benchmark"] == (
        "skipped: benchmark in a Python with torch: no Python with torch was found on this machine"
    )


@pytest.mark.parametrize("code", ["no_compiler", "not_linux", "compile_failed"])
def test_that_a_machine_without_a_compiler_has_no_make_believe_machine(installation, capsys, monkeypatch, code):
    def unavailable() -> None:
        raise demo.DemoUnavailableError(f"check.demo.{code}", "cc: no")

    monkeypatch.setattr(demo, "demo_environment", unavailable)
    good, lines = outcome(installation, capsys)
    assert good
    assert lines["detect"].startswith(f"skipped: {TITLES['detect']}: ")
    assert "check.demo" not in lines["detect"]


def test_that_a_broken_card_of_the_users_is_not_a_broken_installation(installation, capsys):
    installation.machine_status = 1
    good, lines = outcome(installation, capsys)
    assert good
    assert lines["benchmark"].startswith("good")


def test_that_the_users_pythons_have_no_part_in_the_make_believe_machine(installation, capsys):
    outcome(installation, capsys)
    assert ("detect", "--demo", "--no-pythons", "--json") in installation.calls


def test_that_results_of_the_user_stay_as_they_are(installation, capsys, monkeypatch, tmp_path):
    import os

    monkeypatch.setenv("GPU_PLANNER_DATA", str(tmp_path))
    outcome(installation, capsys)
    assert os.environ["GPU_PLANNER_DATA"] == str(tmp_path)
    monkeypatch.delenv("GPU_PLANNER_DATA")
    outcome(installation, capsys)
    assert "GPU_PLANNER_DATA" not in os.environ


@pytest.mark.parametrize(("good", "status"), [(True, 0), (False, 1)])
def test_that_the_exit_status_says_whether_all_was_good(gpu_plan, monkeypatch, good, status):
    monkeypatch.setattr(self_test, "self_test", lambda command: good)
    assert gpu_plan("--self-test").exit_code == status


def test_that_this_very_installation_detects_plans_and_prints(gpu_plan, monkeypatch):
    monkeypatch.setattr(self_test, "_STEPS", {n: s for n, s in self_test._STEPS.items() if n != "benchmark"})
    result = gpu_plan("--self-test")
    assert result.exit_code == 0, result.output
    assert "FAILED" not in result.output


def test_that_the_versions_of_the_app_and_of_what_it_stands_on_are_told(gpu_plan):
    result = gpu_plan("--version")
    assert result.exit_code == 0
    told = dict(line.split(" ", 1) for line in result.stdout.splitlines())
    assert told["gpu-plan"] == __version__
    assert {"Qt", "numpy", "pyqtgraph", "Python", "platform"} <= set(told)
    assert "not installed" not in told.values()
