"""Every reason and assumption of an answer has its sentence, with every placeholder filled."""

from __future__ import annotations

import ast
import json
from dataclasses import fields, replace
from pathlib import Path

import pytest

import planner.decide
from planner.decide.draws import INPUTS
from planner.decide.types import Terms
from planner.evidence import Range
from planner.hardware.snapshot import Snapshot
from planner.messages import load_messages
from planner.pipeline import evaluate
from planner.report.as_json import as_json
from planner.report.html import html_page
from planner.report.sections import build_report
from planner.report.wording import Wording
from tests.decide.conftest import HOST, SMALL_CARD, packages

MESSAGES = load_messages()
WORDING = Wording(MESSAGES)


def codes_in_source(name: str) -> set[str]:
    """First arguments of all calls to ``name`` in planner/decide that are plain strings."""
    found = set()
    for file in Path(planner.decide.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
            if is_call and node.args and isinstance(node.args[0], ast.Constant):
                found.add(node.args[0].value)
    return found


def test_that_every_reason_has_a_sentence():
    codes = codes_in_source("Reason") | {f"measure.{name}" for name in (*INPUTS, "memory", "nothing")}
    assert len(codes) > 15
    assert [code for code in codes if not MESSAGES.knows(f"reason.{code}")] == []


def test_that_every_assumption_has_a_name():
    codes = codes_in_source("Assumption") | {field.name for field in fields(Terms)}
    assert [code for code in codes if not MESSAGES.knows(f"assumption.{code}")] == []


CASES = {
    "plain": {},
    "no gpu": {"snapshot": None},
    "too small a card": {"recipe": {"batch_size": 384}, "snapshot": Snapshot("t", HOST, (SMALL_CARD,))},
    "fits nowhere": {"recipe": {"batch_size": 65_536}, "job": {"kept_batch": "per_gpu"}},
    "deadline": {"terms": {"deadline_h": 20.0}},
    "too late": {"terms": {"deadline_h": 0.1}},
    "budget": {"terms": {"budget_usd": 0.01}},
    "windows": {"terms": {"platform": "windows"}},
    "personal data": {"terms": {"privacy": "personal", "deadline_h": 30.0}},
    "waiting": {"terms": {"waiting_cost_usd_per_h": 50.0}},
    "no prices": {"offers": packages(None, None, None, None), "snapshot": None},
    "slow line": {
        "terms": {"upload_mbit_per_s": Range(1, 2, 3)},
        "job": {"dataset_bytes": 1e11},
        "snapshot": None,
    },
    "small batches": {"recipe": {"model": "preset:tabular_mlp", "batch_size": 1}},
    "old prices": {"today": "2027-09-01"},
}


@pytest.mark.parametrize("case", CASES)
def test_that_an_answer_can_be_said_in_words(answer, case):
    found = answer(**CASES[case])
    sentences = [WORDING.verdict(found), *map(WORDING.reason, found.reasons)]
    sentences += [WORDING.reason(reason) for option in found.options for reason in option.rejected]
    for sentence in sentences:
        assert sentence[0].isupper() or sentence[0].isdigit() or sentence.startswith("iRender"), sentence
        assert "{" not in sentence
    for line in found.assumptions:
        assert WORDING.value(line.code, line.value)
        assert MESSAGES.knows(f"source.{line.source}"), line.source


def extreme_inputs(inputs):
    """The largest and smallest values every field of a plan accepts, one field at a time."""
    terms, job = inputs.terms, inputs.job
    for name, low, high in (
        ("upload_mbit_per_s", 1e-3, 1e9),
        ("electricity_usd_per_kwh", 0, 1e6),
        ("setup_h", 0, 1e6),
        ("boot_h", 0, 1e6),
        ("idle_h", 0, 1e6),
        ("bus_bandwidth_gbs", 1e-3, 1e12),
    ):
        yield replace(inputs, terms=replace(terms, **{name: Range(low, low, high)}))
        yield replace(inputs, terms=replace(terms, **{name: Range(high, high, high)}))
    for name, value in (("deadline_h", 1e12), ("deadline_h", 1e-12), ("budget_usd", 1e-12), ("budget_usd", 1e12)):
        yield replace(inputs, terms=replace(terms, **{name: value}))
    yield replace(inputs, terms=replace(terms, waiting_cost_usd_per_h=1e9, host_power_w=1e6))
    for name, value in (("samples_per_epoch", 1e15), ("samples_per_epoch", 1.0), ("epochs", Range(1e-9, 1, 1e9)),
                        ("dataset_bytes", 0.0), ("dataset_bytes", 1e18), ("result_bytes", 1e18)):  # fmt: skip
        yield replace(inputs, job=replace(job, **{name: value}))
    for price in (0.0, 1e-9, 1e9):
        yield replace(inputs, offers=packages(price, price, price, price))
    yield replace(inputs, offers=tuple(replace(o, billing_step_s=1e9) for o in inputs.offers))


def test_that_the_most_extreme_plan_is_answered_in_words_and_on_paper(inputs):
    for extreme in extreme_inputs(inputs):
        found = evaluate(extreme)
        assert html_page(build_report(extreme, found, WORDING))
        json.dumps(as_json(found), allow_nan=False)
