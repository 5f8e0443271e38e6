"""The worker runs in Pythons that we do not choose."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from planner.benchmark.supervise import WORKER
from planner.benchmark.worker import protocol, suite

FILES = sorted(WORKER.glob("*.py"))
OLDEST_PYTHON = (3, 9)


def tree_of(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"), feature_version=OLDEST_PYTHON)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_that_it_compiles_for_python_3_9(file):
    tree = tree_of(file)
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Match)]
    future = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    assert future or file.name == "__init__.py", "annotations would be evaluated"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_that_it_uses_nothing_newer_than_python_3_9(file):
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.keyword):
            assert node.arg not in ("slots", "kw_only", "strict"), f"line {node.value.lineno}: {node.arg}="


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_that_it_imports_only_the_standard_library_torch_and_itself(file):
    for node in ast.walk(tree_of(file)):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [node.module]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 1, f"line {node.lineno} leaves the folder"
        for name in names:
            assert name.partition(".")[0] in {*sys.stdlib_module_names, "torch"}, f"line {node.lineno}: {name}"


def test_that_the_statistics_need_no_torch():
    assert "torch" not in vars(protocol)
    assert "torch" not in vars(suite)
