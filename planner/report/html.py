"""Report → one accessible HTML file that needs nothing else: charts inline, no script, every text escaped."""

from __future__ import annotations

import base64

from planner.messages import load_messages
from planner.report.markup import markup_safe
from planner.report.svg import svg_chart
from planner.report.types import ChartSpec, Report, Section, Table

_STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.5 "DejaVu Sans Condensed", Arial, Helvetica, sans-serif; color: #1a1a1a; background: #fff;
       max-width: 60rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; margin-bottom: 0; } h2 { font-size: 1.2rem; margin-top: 2.2rem; }
.subtitle, .hash { color: #595959; } .hash { font-size: .8rem; }
.verdict { font-size: 1.1rem; font-weight: bold; border-left: .3rem solid #0b3c7a; padding: .3rem 0 .3rem 1rem; }
.comment { background: #eef2f7; padding: .3rem .6rem; } .logo { max-width: 12rem; max-height: 4rem; }
.scroll { overflow-x: auto; } .scroll:focus-visible { outline: 2px solid #0b3c7a; }
table { border-collapse: collapse; margin: 1rem 0; font-size: .9rem; overflow-wrap: normal; }
th, td { border-bottom: 1px solid #bfbfbf; padding: .3rem .6rem; text-align: left; vertical-align: top; }
thead th { border-bottom: 2px solid #1a1a1a; } .number { text-align: right; } tr.strong { font-weight: bold; }
tbody th { font-weight: inherit; }
figure { margin: 1rem 0; } figure svg { max-width: 100%; height: auto; }
figcaption { color: #595959; font-size: .9rem; }
@media print { section { break-inside: auto; } tr, figure { break-inside: avoid; } }
""".strip()


def html_page(report: Report) -> str:
    """The whole report as an HTML document; its charts are followed by their tables."""
    messages = load_messages(report.language)
    language = markup_safe(report.language)
    title = markup_safe(report.title)
    contents = "\n".join(
        f'<li><a href="#{markup_safe(section.key)}">{markup_safe(section.title)}</a></li>'
        for section in report.sections
    )
    head = f"""<!DOCTYPE html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>{title}</title>
<style>{_STYLE}</style>
</head>
<body>
<header>
<h1 dir="auto">{title}</h1>
{_letterhead(report)}<p class="subtitle">{markup_safe(report.subtitle)}</p>
<p class="verdict">{markup_safe(report.verdict)}</p>
<nav aria-label="{markup_safe(messages.say("report.html.contents"))}"><ul>
{contents}
</ul></nav>
</header>
<main>"""
    body = "\n".join(section_html(section) for section in report.sections)
    foot = f"""</main>
<footer><p class="hash">{markup_safe(messages.say("report.pdf.hash", hash=report.plan_hash))}</p></footer>
</body>
</html>
"""
    return "\n".join([head, body, foot])


def _letterhead(report: Report) -> str:
    """Team and logo, where there are any."""
    team = f'<p class="team" dir="auto">{markup_safe(report.team)}</p>\n' if report.team else ""
    if not report.logo:
        return team
    kind = "png" if report.logo.startswith(b"\x89PNG") else "jpeg"
    data = base64.b64encode(report.logo).decode("ascii")
    return f'<img class="logo" alt="{markup_safe(report.team)}" src="data:image/{kind};base64,{data}">\n{team}'


def section_html(section: Section) -> str:
    key = markup_safe(section.key)
    parts = [
        f'<section id="{key}" aria-labelledby="{key}-title">',
        f'<h2 id="{key}-title">{markup_safe(section.title)}</h2>',
    ]
    if section.comment.strip():
        parts.append(f'<p class="comment">{markup_safe(section.comment.strip())}</p>')
    parts += [f"<p>{markup_safe(paragraph)}</p>" for paragraph in section.paragraphs]
    drawn = {chart.table for chart in section.charts}
    parts += [table_html(table, section.title) for table in section.tables if table not in drawn]
    parts += [chart_html(chart) for chart in section.charts]
    return "\n".join([*parts, "</section>"])


def chart_html(chart: ChartSpec) -> str:
    """The drawing, its description and its numbers as a table."""
    caption = f"<figcaption>{markup_safe(chart.description)}</figcaption>" if chart.description else ""
    return f"<figure>\n{svg_chart(chart)}{caption}\n{table_html(chart.table, chart.title)}\n</figure>"


def table_html(table: Table, caption: str) -> str:
    """A table whose first column names its rows, in a box that scrolls by keyboard when it is too wide."""
    label = markup_safe(caption)
    head = "".join(
        f'<th scope="col"{_class(numeric)}>{markup_safe(name)}</th>'
        for name, numeric in zip(table.columns, table.numeric, strict=True)
    )
    rows = "\n".join(_row(table, index) for index in range(len(table.rows)))
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{label}">\n<table aria-label="{label}">\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>\n</div>"
    )


def _row(table: Table, index: int) -> str:
    strong = ' class="strong"' if index < len(table.emphasis) and table.emphasis[index] else ""
    first, *rest = table.rows[index]
    cells = f'<th scope="row"{_class(table.numeric[0])}>{markup_safe(first)}</th>' + "".join(
        f"<td{_class(numeric)}>{markup_safe(cell)}</td>"
        for cell, numeric in zip(rest, table.numeric[1:], strict=True)
    )
    return f"<tr{strong}>{cells}</tr>"


def _class(numeric: bool) -> str:
    return ' class="number"' if numeric else ""
