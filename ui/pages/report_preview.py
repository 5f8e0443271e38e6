"""The report's text for reading on the screen, in the window's colours; charts are on the page Answer."""

from __future__ import annotations

from planner.report.markup import markup_safe
from planner.report.types import Report, Section, Table


def preview_html(report: Report) -> str:
    """The subset of HTML that Qt's rich text understands."""
    head = f"<h2>{markup_safe(report.title)}</h2><p>{markup_safe(report.subtitle)}</p>"
    verdict = f"<p><b>{markup_safe(report.verdict)}</b></p>"
    return head + verdict + "".join(map(_section, report.sections))


def _section(section: Section) -> str:
    paragraphs = "".join(f"<p>{markup_safe(paragraph)}</p>" for paragraph in section.paragraphs)
    charts = "".join(f"<p><i>{markup_safe(chart.description)}</i></p>" for chart in section.charts)
    tables = "".join(map(_table, section.tables))
    return f"<h3>{markup_safe(section.title)}</h3>{paragraphs}{charts}{tables}"


def _table(table: Table) -> str:
    head = "".join(f'<th align="left">{markup_safe(name)}</th>' for name in table.columns)
    rows = "".join(
        "<tr>" + "".join(f"<td>{markup_safe(cell)}</td>" for cell in cells) + "</tr>" for cells in table.rows
    )
    return f'<table cellspacing="0" cellpadding="4" width="100%"><tr>{head}</tr>{rows}</table>'
