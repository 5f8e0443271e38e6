"""Where the width comes from, the method with a job's numbers, the case against: they add up and agree."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.decide.types import Sensitivity, Terms
from planner.evidence import Evidence, Range
from planner.messages import load_messages
from planner.pipeline import evaluate
from planner.report.against_section import against_section
from planner.report.method_section import method_section
from planner.report.sections import build_report
from planner.report.uncertainty_section import grade_of, shares_of_spread, uncertainty_section
from planner.report.wording import Wording
from tests.report.test_decision_sections import CASES, LATE, PLAIN, RENTED

ENGLISH, VIETNAMESE = Wording(load_messages("en")), Wording(load_messages("vi"))
FOUR = replace(
    RENTED,
    job=replace(RENTED.job, epochs=Range(60, 90, 120), dataset_bytes=150e9),
    terms=Terms(deadline_h=60, waiting_cost_usd_per_h=0.5),
)
SWEEP = replace(FOUR, job=replace(FOUR.job, runs=7), terms=Terms())
SIZES = {
    "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "days": 86400.0,
    "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30,
    "MB": 1e6, "GB": 1e9, "GB/s": 1e9, "Mbit/s": 1e6, "samples/s": 1.0, "samples": 1.0,
}  # fmt: skip
QUANTITY = re.compile(r"\$?(\d[\d,]*\.?\d*)(?: ([^\W\d_]+(?:/s)?))?")


@pytest.fixture(scope="module")
def found():
    return {name: evaluate(inputs) for name, inputs in {**CASES, "four": FOUR, "sweep": SWEEP}.items()}


def quantities(text: str) -> list[float]:
    """Every number of a text in basic units."""
    return [float(n.replace(",", "")) * SIZES.get(unit, 1.0) for n, unit in QUANTITY.findall(text)]


def rows_of(inputs, recommendation) -> dict[str, tuple[str, float]]:
    """Formula and likely result of every row of the method, by its code."""
    (section,) = method_section(inputs, recommendation, ENGLISH)
    codes = ("step", "exchange", "step_total", "input", "run", "upload", "memory", "rent")
    names = {ENGLISH.messages.say(f"report.method.{code}.name"): code for code in codes}
    return {names[name]: (formula, quantities(result)[0]) for name, formula, result in section.tables[0].rows}


def test_that_the_shares_of_the_spread_sum_to_one(found):
    for name in ("plain", "everything rented", "four"):
        shares = shares_of_spread(found[name].sensitivities)
        assert sum(shares.values()) == pytest.approx(1.0)
        assert list(shares.values()) == sorted(shares.values(), reverse=True)


@given(
    st.lists(st.tuples(st.floats(0, 1e6), st.floats(0, 1e6)), min_size=1, max_size=12),
    st.floats(1e-3, 1e3),
)
def test_that_shares_are_of_one_whatever_the_unit(costs, scale):
    def shares(factor: float) -> dict[str, float]:
        return shares_of_spread(
            tuple(
                Sensitivity(f"input {n}", 0.0, low * factor, high * factor, None, None, None)
                for n, (low, high) in enumerate(costs)
            )
        )

    found = shares(1.0)
    assert all(0 <= share <= 1 for share in found.values())
    if any(abs(high - low) > 1e-3 for low, high in costs):
        assert sum(found.values()) == pytest.approx(1.0)
        assert shares(scale) == pytest.approx(found, rel=1e-6, abs=1e-9)


def test_that_a_spread_of_nothing_has_no_shares():
    still = Sensitivity("price", 5.0, 5.0, 5.0, None, None, None)
    assert shares_of_spread((still,)) == {"price": 0.0}
    assert shares_of_spread(()) == {}


def test_that_the_shares_by_grade_are_those_by_source(found):
    recommendation = found["four"]
    chosen = recommendation.option(recommendation.chosen)
    (section,) = uncertainty_section(recommendation, ENGLISH)
    sources, grades = section.tables
    assert len(sources.rows) == len(recommendation.sensitivities)
    known = {grade_of(one.code, chosen, recommendation) for one in recommendation.sensitivities}
    assert [row[0][0] for row in grades.rows] == sorted(grade.value for grade in known)


def test_that_an_unknown_input_counts_as_a_guess(found):
    recommendation = found["four"]
    assert grade_of("no such input", recommendation.options[4], recommendation) is Evidence.ASSUMED


def test_that_the_formulas_give_their_results(found):
    rows = rows_of(FOUR, found["four"])
    assert set(rows) == {"step", "exchange", "step_total", "input", "run", "upload", "memory", "rent"}
    formula, result = rows["step"]
    step, z, method, device, factor, *_ = [q for q in quantities(formula.replace("²", "")) if q]
    assert step == pytest.approx(result, rel=0.02)
    assert math.exp(z * math.hypot(method, device)) == pytest.approx(factor, rel=0.01)
    formula, result = rows["exchange"]
    factor, gradients, bus = quantities(formula.split("=")[1])
    assert factor * gradients / bus == pytest.approx(result, rel=0.1)  # the result has two digits of its spread
    formula, result = rows["input"]
    samples, rate = quantities(formula)
    assert samples / rate == pytest.approx(result, rel=0.01)
    formula, result = rows["step_total"]
    assert max(sum(quantities(formula)), samples / rate) == pytest.approx(result, rel=0.05)
    formula, result = rows["run"]
    rounds, steps, epochs, each, _median = quantities(formula)
    assert rounds * steps * epochs * each == pytest.approx(result, rel=0.02)
    formula, result = rows["upload"]
    data, bits, line, efficiency = quantities(formula)
    assert data * bits / (line * efficiency) == pytest.approx(result, rel=0.01)
    formula, result = rows["memory"]
    assert sum(quantities(formula)) == pytest.approx(result, rel=0.02)
    formula, result = rows["rent"]
    price, billed_s, _median = quantities(formula)
    assert price * billed_s / 3600 == pytest.approx(result, rel=0.01)


def test_that_a_sweep_counts_its_rounds(found):
    rows = rows_of(SWEEP, found["sweep"])
    formula, result = rows["run"]
    rounds, steps, epochs, each, _median = quantities(formula)
    assert rounds == (2 if found["sweep"].chosen == "rent-4" else 7)
    assert rounds * steps * epochs * each == pytest.approx(result, rel=0.02)


def test_that_the_method_and_the_bill_speak_of_the_same_numbers(found):
    report = build_report(FOUR, found["four"], ENGLISH)
    by_key = {section.key: section for section in report.sections}
    rent = by_key["bill"].tables[1].rows[0][1].split(" (")[0]
    training = next(row[1] for row in by_key["bill"].tables[0].rows if row[0] == "Training").split(" (")[0]
    formulas = " ".join(row[1] for row in by_key["method"].tables[0].rows)
    assert f"median of the cases: {rent}" in formulas
    assert f"median of the cases: {training}" in formulas


def test_that_classes_of_operators_have_names(found):
    for wording in (ENGLISH, VIETNAMESE):
        (section,) = method_section(FOUR, found["four"], wording)
        assert not any("_" in row[0] for row in section.tables[1].rows)


def test_that_a_number_in_a_formula_follows_the_language(found):
    (section,) = method_section(FOUR, found["four"], VIETNAMESE)
    formulas = " ".join(row[1] for row in section.tables[0].rows)
    assert "1,64" in formulas
    assert not re.search(r"\d\.\d(?!\d\d)", formulas)


def test_that_the_weightiest_argument_comes_first(found, monkeypatch):
    weights = []
    module = "planner.report.against_section.Argument"
    from planner.report import against_section as section_module

    class Recorded(section_module.Argument):
        def __init__(self, weight: float, sentence: str) -> None:
            super().__init__(weight, sentence)
            weights.append((weight, sentence))

    monkeypatch.setattr(module, Recorded)
    for name in ("plain", "four", "everything rented"):
        weights.clear()
        inputs = {**CASES, "four": FOUR}[name]
        (section,) = against_section(inputs, found[name], ENGLISH)
        told = [line.split(". ", 1)[1] for line in section.paragraphs[1:]]
        weight = {sentence: weight for weight, sentence in weights}
        assert [weight[line] for line in told] == sorted((weight[line] for line in told), reverse=True)
        assert [line.split(".")[0] for line in section.paragraphs[1:]] == [str(n + 1) for n in range(len(told))]
        assert 1 <= len(told) <= 8


def test_that_a_sentence_names_this_machine_in_small_letters(found):
    (section,) = against_section(PLAIN, found["plain"], ENGLISH)
    assert "want this machine would" in section.paragraphs[0]


def test_that_nothing_is_argued_where_nothing_is_chosen(found):
    recommendation = found["late"]
    assert recommendation.chosen is None
    assert against_section(LATE, recommendation, ENGLISH) == ()
    assert uncertainty_section(recommendation, ENGLISH) == ()
    assert method_section(LATE, replace(recommendation, options=()), ENGLISH) == ()


@pytest.mark.parametrize("wording", [ENGLISH, VIETNAMESE], ids=["en", "vi"])
@pytest.mark.parametrize("case", [*CASES, "four", "sweep"])
def test_that_every_language_has_all_words_in_every_circumstance(found, case, wording):
    inputs = {**CASES, "four": FOUR, "sweep": SWEEP}[case]
    sections = (
        *uncertainty_section(found[case], wording),
        *method_section(inputs, found[case], wording),
        *against_section(inputs, found[case], wording),
    )
    texts = [text for section in sections for text in (section.title, *section.paragraphs)]
    cells = [cell for section in sections for table in section.tables for row in table.rows for cell in row]
    assert all(text.strip() for text in (*texts, *cells))
    assert not any("{" in text or "None" in text or "report." in text for text in (*texts, *cells))


def test_that_page_1_has_the_weightiest_reasons_and_another_section_the_rest(found):
    recommendation = found["everything rented"]
    report = build_report(CASES["everything rented"], recommendation, ENGLISH)
    first, more = report.sections[:2]
    bullets = [line for section in (first, more) for line in section.paragraphs if line.startswith("• ")]
    assert more.key == "more_reasons"
    assert bullets == [f"• {ENGLISH.reason(reason)}" for reason in recommendation.reasons]
    assert sum(line.startswith("• ") for line in first.paragraphs) == 8
