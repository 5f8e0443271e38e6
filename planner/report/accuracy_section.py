"""How good the numbers are: the report's section, and the sections of the window's page of the same matter.

The figures are those of ``planner.predict.accuracy`` and, for memory, of ``planner.predict.memory_spread``.
"""

from __future__ import annotations

from collections.abc import Iterable

from planner.predict.accuracy import Accuracy, Figures, step_time_accuracy
from planner.predict.memory_spread import MemoryCalibration, calibration
from planner.report.types import Section, Table
from planner.report.wording import Wording
from planner.workload.job import Recipe

_WORST_FAMILIES = 10
_ERRORS = ("steps", "median", "mean", "p90", "within_20", "bias")
_INTERVALS = ("coverage", "half_width")


def accuracy_section(recipe: Recipe, wording: Wording) -> Section:
    """The short form for a report: the sentences, ours beside simpler methods, the source."""
    found = step_time_accuracy()
    tables = [_methods(found, wording, None if recipe.mode == "infer" else recipe.memory_format)]
    if recipe.mode == "infer":
        tables.append(_errors("gpu", found.inference.items(), wording))
        plan = _say("this_plan_infer", wording)
    else:
        plan = _say("this_plan", wording, memory_format=_say(f"row.{recipe.memory_format}", wording))
    return Section(
        "accuracy",
        _say("report_title", wording),
        (*_sentences(found, wording), plan, _source(found, wording)),
        tuple(tables),
    )


def accuracy_page(wording: Wording) -> tuple[Section, ...]:
    """Everything that is known of the errors, the sentence first and the sources last."""
    found, memory = step_time_accuracy(), calibration()
    return (
        _section("methods", wording, _sentences(found, wording), _methods(found, wording)),
        _formats(found, wording),
        _section("inference", wording, (), _errors("gpu", found.inference.items(), wording)),
        _scaled(found, wording),
        _worst_families(found, wording),
        _worst_steps(found, wording),
        _memory(memory, wording),
        _section("source", wording, (_source(found, wording), _memory_source(memory, wording))),
    )


def _say(code: str, wording: Wording, **values: object) -> str:
    return wording.messages.say(f"accuracy.{code}", **values)


def _section(key: str, wording: Wording, paragraphs: tuple[str, ...], *tables: Table, **values: object) -> Section:
    return Section(key, _say(f"section.{key}", wording, **values), paragraphs, tables)


def _sentences(found: Accuracy, wording: Wording) -> tuple[str, ...]:
    """The finding, the harder test, what was not tested, and how to read the table."""

    def told(code: str, figures: Figures, **values: object) -> str:
        shares = {name: wording.counted_share(getattr(figures, name)) for name in ("median", "p90", "coverage")}
        return _say(code, wording, **shares, **values)

    return (
        told("sentence", found.everything),
        told("sentence_set_aside", found.locked, count=len(found.locked_families)),
        _say("limits", wording),
        _say("method_note", wording),
    )


def _source(found: Accuracy, wording: Wording) -> str:
    return _say(
        "source", wording, source=found.source, licence=found.licence, date=found.date, url=found.source_url
    )


def _memory_source(memory: MemoryCalibration, wording: Wording) -> str:
    return _say("memory_source", wording, source=memory.source, licence=memory.licence, date=memory.date)


def _errors(
    head: str, rows: Iterable[tuple[str, Figures]], wording: Wording, *, intervals: bool = False, strong: int = 0
) -> Table:
    """Named rows of error figures; the first ``strong`` rows are set in bold."""
    columns, cells = (*_ERRORS, *(_INTERVALS if intervals else ())), tuple(rows)
    return Table(
        tuple(_say(f"column.{column}", wording) for column in (head, *columns)),
        tuple((name, *(_cell(column, figures, wording) for column in columns)) for name, figures in cells),
        (False, *(True for _ in columns)),
        emphasis=tuple(row < strong for row in range(len(cells))),
    )


def _cell(column: str, figures: Figures, wording: Wording) -> str:
    if column == "steps":
        return wording.value("steps", figures.steps)
    return wording.counted_share(getattr(figures, column), signed=column == "bias")


def _methods(found: Accuracy, wording: Wording, memory_format: str | None = None) -> Table:
    """Ours, then the simpler methods on the same steps, best first, then ours in one memory format alone."""
    rows = [(_say("row.ours", wording), found.everything)]
    rivals = sorted(found.rivals.items(), key=lambda rival: rival[1].median)
    rows += [(_say(f"row.{name}", wording), figures) for name, figures in rivals]
    if memory_format is not None:
        name = _say("row.ours_in_format", wording, memory_format=_say(f"row.{memory_format}", wording))
        rows.append((name, _in_format(found, memory_format)))
    return _errors("method", rows, wording, strong=1)


def _in_format(found: Accuracy, memory_format: str) -> Figures:
    return found.channels_last if memory_format == "channels_last" else found.contiguous


def _formats(found: Accuracy, wording: Wording) -> Section:
    rows = {
        "all": found.everything,
        "contiguous": found.contiguous,
        "channels_last": found.channels_last,
        "locked": found.locked,
    }
    named = ((_say(f"row.{name}", wording), figures) for name, figures in rows.items())
    note = _say("format_note", wording, families=", ".join(found.locked_families))
    return _section("formats", wording, (note,), _errors("rows", named, wording, intervals=True))


def _scaled(found: Accuracy, wording: Wording) -> Section:
    rows = ((name.replace(" to ", " → "), figures) for name, figures in found.anchored.items())
    return _section("scaled", wording, (_say("scaled_note", wording),), _errors("scaled", rows, wording))


def _worst_families(found: Accuracy, wording: Wording) -> Section:
    worst = found.families[:_WORST_FAMILIES]
    rows = ((f"{row.family}, {_say(f'row.{row.memory_format}', wording)}", row.figures) for row in worst)
    return _section("families", wording, (), _errors("family", rows, wording), count=len(worst))


def _worst_steps(found: Accuracy, wording: Wording) -> Section:
    columns = ("model", "memory_format", "batch", "measured", "predicted")
    rows = tuple(
        (
            step.model,
            _say(f"row.{step.memory_format}", wording),
            wording.value("batch", step.batch_size),
            wording.value("measured_s", step.measured_s),
            wording.value("predicted_s", step.predicted_s),
        )
        for step in found.worst
    )
    names = tuple(_say(f"column.{column}", wording) for column in columns)
    table = Table(names, rows, (False, False, True, True, True))
    return _section("steps", wording, (), table, count=len(rows))


def _memory(memory: MemoryCalibration, wording: Wording) -> Section:
    """Errors of models held out by kind of training, and how verdicts did on timm's batch ladder."""
    share = wording.counted_share
    rows = tuple(
        (
            _say(f"kind.{kind}", wording),
            wording.value("cases", errors["cases"]),
            share(errors.get("median_error")),
            share(errors.get("p90_error")),
            share(errors.get("coverage_90")),
        )
        for kind, errors in memory.errors.items()
    )
    names = tuple(_say(f"column.{name}", wording) for name in ("kind", "peaks", "median", "p90", "coverage"))
    ladders = tuple(
        _say(
            "memory_ladder",
            wording,
            rungs=wording.value("rungs", errors["rungs"]),
            right=share(errors["rungs_right"]),
            wrong_yes=share(errors["rungs_wrong_yes"]),
        )
        for errors in memory.errors.values()
        if "rungs" in errors
    )
    table = Table(names, rows, (False, True, True, True, True))
    return _section("memory", wording, (_say("memory_note", wording), *ladders), table)
