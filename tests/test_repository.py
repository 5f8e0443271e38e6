"""What must hold for the repository as a whole."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import planner

ROOT = Path(planner.__file__).resolve().parent.parent
SOURCES = [file for folder in ("planner", "ui", "tests") for file in (ROOT / folder).rglob("*.py")]


def test_that_packaging_never_shadows_pypis():
    assert (ROOT / "packaging").is_dir()
    assert not (ROOT / "packaging" / "__init__.py").exists()


def test_that_no_source_file_is_longer_than_400_lines():
    too_long = [file for file in SOURCES if len(file.read_text(encoding="utf-8").splitlines()) > 400]
    assert too_long == []


def test_that_every_dependency_has_its_reason_beside_it():
    lines = (ROOT / "pyproject.toml").read_text(encoding="utf-8").splitlines()
    start = lines.index("dependencies = [")
    block = lines[start + 1 : lines.index("]", start)]
    for above, line in zip(["", *block], block, strict=False):
        if line.strip().startswith('"'):
            assert "#" in line or above.strip().startswith(("#", '"PySide6')), line


def test_that_every_command_of_the_readme_exists(gpu_plan_commands):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    targets = set(re.findall(r"^make (\w+)", readme, re.M)) | set(re.findall(r"`make (\w+)`", readme))
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert targets
    assert all(re.search(rf"^{target}:", makefile, re.M) for target in targets)
    assert set(re.findall(r"^gpu-plan (\w+)", readme, re.M)) <= gpu_plan_commands


@pytest.fixture
def gpu_plan_commands() -> set[str]:
    from planner.cli.main import main

    return set(main.commands)
