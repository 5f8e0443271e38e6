"""How good the numbers are, told as the files have it: nothing rounded away, nothing unknown shown as 0."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.messages import load_messages
from planner.predict.accuracy import Accuracy, FamilyErrors, Figures, WrongStep, step_time_accuracy
from planner.predict.memory_spread import calibration
from planner.report.accuracy_section import accuracy_page, accuracy_section
from planner.report.types import Section
from planner.report.wording import Wording
from planner.workload.job import Recipe

WORDING = Wording(load_messages())


def figures(steps: int, median: float, coverage: float | None = None) -> Figures:
    width = None if coverage is None else 0.1
    return Figures(steps, median, 1.1 * median, 3 * median, 0.5, -median / 4, coverage, width)


MADE = Accuracy(
    source="a source",
    source_url="https://example.org",
    licence="MIT",
    date="2025",
    everything=figures(1200, 0.0412, 0.901),
    contiguous=figures(700, 0.031, 0.9),
    channels_last=figures(500, 0.052, 0.9),
    locked=figures(100, 0.0777, 0.654),
    locked_families=("one", "two"),
    rivals={"flops": figures(1200, 0.4), "bytes": figures(1200, 0.3), "roofline": figures(1200, 0.2)},
    families=tuple(FamilyErrors(f"family{n}", "contiguous", figures(3, 0.9 - n / 100)) for n in range(12)),
    worst=(WrongStep("timm:big", "channels_last", 16, 1.5, 0.25),),
    inference={"RTX 4090, torch2.9": figures(900, 0.06)},
    anchored={"RTX 4090, torch2.9 to RTX 3090": figures(900, 0.05)},
)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planner.report.accuracy_section.step_time_accuracy", lambda: MADE)


def part(key: str) -> Section:
    return next(section for section in accuracy_page(WORDING) if section.key == key)


@given(st.floats(0, 20))
def test_that_a_counted_share_is_never_off_by_more_than_half_a_tenth_of_a_percent(share: float) -> None:
    text = WORDING.counted_share(share)
    assert abs(float(text.removesuffix(" %")) - 100 * share) <= 0.05 + 1e-9


def test_that_a_share_nobody_counted_is_not_known() -> None:
    assert WORDING.counted_share(None) == "not known"
    assert WORDING.counted_share(-0.0231, signed=True) == "−2.3 %"
    assert WORDING.counted_share(0.0231, signed=True) == "+2.3 %"


def test_that_the_first_sentence_has_the_figures_of_all_training_steps(made: None) -> None:
    sentence = accuracy_section(Recipe(), WORDING).paragraphs[0]
    for figure in ("4.1 %", "12.4 %", "90.1 %"):
        assert figure in sentence


def test_that_intervals_that_held_less_often_than_promised_are_told_at_once(made: None) -> None:
    assert "65.4 %" in accuracy_section(Recipe(), WORDING).paragraphs[1]
    assert part("formats").tables[0].rows[-1][-2:] == ("65.4 %", "10.0 %")


def test_that_simpler_methods_stand_below_ours_best_first(made: None) -> None:
    table = part("methods").tables[0]
    assert [row[2] for row in table.rows] == ["4.1 %", "20.0 %", "30.0 %", "40.0 %"]
    assert table.rows[1][0].startswith("Roofline")
    assert table.emphasis == (True, False, False, False)


@pytest.mark.parametrize(("memory_format", "steps"), [("contiguous", "700"), ("channels_last", "500")])
def test_that_the_report_adds_the_steps_in_the_memory_format_of_the_job(
    made: None, memory_format: str, steps: str
) -> None:
    (table,) = accuracy_section(Recipe(memory_format=memory_format), WORDING).tables  # type: ignore[arg-type]
    assert [row[1] for row in table.rows] == ["1,200"] * 4 + [steps]
    assert memory_format.replace("_", "-") in table.rows[-1][0]


def test_that_a_plan_for_inference_is_told_of_inference(made: None) -> None:
    training, inference = accuracy_section(Recipe(mode="infer"), WORDING).tables
    assert len(training.rows) == 4
    assert inference.rows[0][:3] == ("RTX 4090, torch2.9", "900", "6.0 %")


def test_that_the_worst_are_shown_and_limited(made: None) -> None:
    families = part("families").tables[0].rows
    assert [row[0] for row in families] == [f"family{n}, contiguous" for n in range(10)]
    assert part("steps").tables[0].rows == (("timm:big", "channels-last", "16", "1.5 s", "250 ms"),)
    assert part("steps").title.startswith("The 1 ")


def test_that_sources_come_with_licence_and_date(made: None) -> None:
    steps, memory = part("source").paragraphs
    assert all(word in steps for word in ("a source", "MIT", "2025", "https://example.org"))
    assert calibration().date in memory
    assert calibration().licence in memory


def test_that_a_kind_of_training_without_peaks_has_no_error_instead_of_none(
    made: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = replace(calibration(), errors={"vision": {"cases": 0.0}})
    monkeypatch.setattr("planner.report.accuracy_section.calibration", lambda: bare)
    memory = part("memory")
    assert memory.tables[0].rows == (("image models", "0", "not known", "not known", "not known"),)
    assert len(memory.paragraphs) == 1


def test_that_everything_shipped_has_its_words() -> None:
    """A new rival, kind or memory format without a name fails here."""
    found, sections = step_time_accuracy(), accuracy_page(WORDING)
    assert len(part("methods").tables[0].rows) == 1 + len(found.rivals)
    assert len(part("inference").tables[0].rows) == len(found.inference)
    assert len(part("memory").tables[0].rows) == len(calibration().errors)
    assert all(family in " ".join(part("formats").paragraphs) for family in found.locked_families)
    texts = [text for section in sections for text in (section.title, *section.paragraphs)]
    assert not any("{" in text for text in texts)
    for section in sections:
        for table in section.tables:
            assert {len(row) for row in table.rows} == {len(table.columns)} == {len(table.numeric)}
