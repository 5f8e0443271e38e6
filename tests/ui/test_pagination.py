"""Where pages end: short tables in one piece, no row alone, a heading with its table, no empty head."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QSizeF

from planner.report.sections import build_report
from planner.report.types import Report, Section, Table
from planner.report.wording import Wording
from tests.report.conftest import hand_made_messages
from tests.report.fixtures import recommendations as made
from ui.report.document import ReportDocument
from ui.report.pagination import OBJECT, pages_of

pytestmark = pytest.mark.usefixtures("qapp")
_PAGE = QSizeF(498.0, 700.0)


def table(rows: int) -> Table:
    return Table(("Number", "Words"), tuple((f"row {n:02d}", "word") for n in range(rows)), (False, False))


def laid_out(lines: int, rows: int, chart: bool = False) -> ReportDocument:
    """A page with ``lines`` lines, then a section with a sentence and a table, or a chart."""
    report: Report = build_report(made.inputs(), made.recommendation(), Wording(hand_made_messages()))
    drawn = next(section for section in report.sections if section.key == "charts").charts[:1] if chart else ()
    sections = (
        Section("first", "First", tuple("line" for _ in range(lines))),
        Section("filled", "Filled", tuple("line" for _ in range(lines))),
        Section("last", "Last", ("One sentence.",), (table(rows),) if rows else (), drawn),
    )
    return ReportDocument(replace(report, sections=sections), _PAGE)


def pages_by_text(document: ReportDocument) -> dict[str, int]:
    """Last page of every block of the document, by its text."""
    found = {}
    block = document.document.begin()
    while block.isValid():
        found[block.text()] = max(pages_of(document.document, block), default=-1)
        block = block.next()
    return found


@pytest.mark.parametrize("lines", range(24, 48))
def test_that_a_short_table_stays_in_one_piece_with_its_heading(lines):
    document = laid_out(lines, 6)
    pages = pages_by_text(document)
    assert len({pages[f"row {n:02d}"] for n in range(6)}) == 1
    assert pages["Last"] == pages["One sentence."] == pages["row 00"]
    assert pages["row 05"] == document.page_count - 1  # no empty head on a page of its own


@pytest.mark.parametrize("lines", range(24, 48))
def test_that_no_row_of_a_long_table_stands_alone(lines):
    document = laid_out(lines, 14)
    pages = [pages_by_text(document)[f"row {n:02d}"] for n in range(14)]
    assert pages == sorted(pages)
    assert min(pages.count(page) for page in set(pages)) >= 2
    assert pages[-1] == document.page_count - 1


@pytest.mark.parametrize("lines", range(24, 48, 2))
def test_that_a_chart_stands_on_the_page_of_its_heading(lines):
    pages = pages_by_text(laid_out(lines, 0, chart=True))
    assert pages["Last"] == pages["One sentence."] == pages[OBJECT]
