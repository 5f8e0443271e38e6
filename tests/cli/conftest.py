"""How the command line is called in tests: in process, as a user would type it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner, Result

from planner.cli.main import main

Run = Callable[..., Result]


@pytest.fixture
def gpu_plan() -> Run:
    def run(*arguments: object, stdin: str | None = None) -> Result:
        result = CliRunner().invoke(main, [str(argument) for argument in arguments], input=stdin)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception  # a traceback is never an answer
        return result

    return run


@pytest.fixture
def answer_of(gpu_plan: Run) -> Callable[..., Any]:
    """The JSON of a command that must succeed."""

    def run(*arguments: object) -> Any:
        result = gpu_plan(*arguments, "--json")
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    return run
