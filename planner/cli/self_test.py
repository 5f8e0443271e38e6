"""``gpu-plan --self-test``: does this installation work from end to end? Also asked of every packaged build."""

from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from planner.messages import load_messages

_SMALLEST_PDF_BYTES = 10_000  # one page with the bundled font and a chart has more


class _SkippedError(Exception):
    """Why a step cannot be tried on this machine, as a message code and what belongs into it."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(code)
        self.detail = detail


def _run(command: click.Group, *arguments: str, good: tuple[int, ...] = (0,)) -> str:
    """Standard output of one of our own commands. Raises RuntimeError with its words when it fails."""
    said, complained = io.StringIO(), io.StringIO()
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(complained):
            status = command.main(list(arguments), prog_name="gpu-plan", standalone_mode=False)
    except SystemExit as ended:
        status = ended.code
    except click.ClickException as error:
        raise RuntimeError(error.format_message()) from error
    if (status or 0) not in good:
        raise RuntimeError(complained.getvalue().strip() or f"exit status {status}")
    return said.getvalue()


def _detect(command: click.Group, _folder: Path) -> str:
    from planner.hardware.demo import DemoUnavailableError, demo_environment

    try:
        demo_environment()
    except DemoUnavailableError as error:
        raise _SkippedError(f"{error.code}.title", error.detail) from error
    # Without the Pythons: whether a real torch can use a card is no question about make-believe ones.
    gpus = json.loads(_run(command, "detect", "--demo", "--no-pythons", "--json"))["gpus"]
    if not gpus:
        raise RuntimeError("the make-believe machine has no GPU")
    return ", ".join(gpu["name"] for gpu in gpus)


def _plan(command: click.Group, folder: Path) -> str:
    arguments = ("--model", "preset:resnet50", "--batch-size", "256", "--epochs", "90", "--samples", "1.28M")
    _run(command, "plan", *arguments, "--save", str(folder / "plan.json"))
    return f"{(folder / 'plan.json').stat().st_size} B"


def _pdf(command: click.Group, folder: Path) -> str:
    pdf = folder / "plan.pdf"
    _run(command, "report", str(folder / "plan.json"), "--pdf", str(pdf))
    content = pdf.read_bytes()
    if not content.startswith(b"%PDF") or len(content) < _SMALLEST_PDF_BYTES:
        raise RuntimeError(f"not a report: {len(content)} B that begin with {content[:8]!r}")
    return f"{len(content)} B"


def _benchmark(command: click.Group, _folder: Path) -> str:
    # 1: this machine's driver or GPU is broken. The installation need not be, and this measures the processor.
    machine: dict[str, Any] = json.loads(_run(command, "detect", "--json", good=(0, 1)))
    if not any(python["torch_version"] and not python["problem"] for python in machine["interpreters"]):
        raise _SkippedError("cli.self_test.no_torch")
    result = json.loads(_run(command, "bench", "--quick", "--device", "cpu", "--json"))
    if not result["probes"]:
        raise RuntimeError("the benchmark measured nothing")
    return f"{len(result['probes'])}"


_STEPS: dict[str, Callable[[click.Group, Path], str]] = {
    "detect": _detect,
    "plan": _plan,
    "pdf": _pdf,
    "benchmark": _benchmark,
}


def self_test(command: click.Group) -> bool:
    """Run every step in a data folder of its own, print a line for each; False when one failed."""
    messages = load_messages()
    good = True
    before = os.environ.get("GPU_PLANNER_DATA")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["GPU_PLANNER_DATA"] = folder  # the user's results stay as they are
        try:
            for name, step in _STEPS.items():
                title = messages.say(f"cli.self_test.{name}")
                try:
                    detail = step(command, Path(folder))
                except _SkippedError as reason:
                    line = messages.say(
                        "cli.self_test.skipped", step=title, detail=messages.say(str(reason), detail=reason.detail)
                    )
                except Exception as error:  # noqa: BLE001  whatever is wrong with an installation is the answer
                    good = False
                    line = messages.say("cli.self_test.failed", step=title, detail=f"{error}")
                else:
                    line = messages.say("cli.self_test.good", step=title, detail=detail)
                click.echo(line)
        finally:
            if before is None:
                del os.environ["GPU_PLANNER_DATA"]
            else:
                os.environ["GPU_PLANNER_DATA"] = before
    return good
