"""The track record of earlier plans: how often their ranges held what came."""

from __future__ import annotations

from planner.evidence import Range
from planner.ledger import Entry, Ledger, TrackRecord, costs, held, times, track_record
from planner.report.types import Section, Table
from planner.report.wording import Wording

_MOST_ROWS = 12  # the latest


def track_record_section(ledger: Ledger | None, wording: Wording) -> tuple[Section, ...]:
    """What the ledger holds, or that it holds nothing yet; no section where no ledger was looked at."""
    if ledger is None:
        return ()
    say = wording.messages.say
    sentences = [say("ledger.none")]
    if ledger.entries:
        sentences = [say("ledger.note"), *summary(ledger, wording)]
    if ledger.problems:
        sentences.append(wording.say("ledger.unreadable", count=len(ledger.problems)))
    tables = (entries_table(ledger.entries[-_MOST_ROWS:], wording),) if ledger.entries else ()
    return (Section("track_record", say("ledger.title"), tuple(sentences), tables),)


def summary(ledger: Ledger, wording: Wording) -> tuple[str, ...]:
    """One sentence for the times and one for the costs."""
    found = (("time", track_record(times(ledger.entries))), ("cost", track_record(costs(ledger.entries))))
    return tuple(sentence for what, record in found for sentence in _sentences(what, record, wording))


def _sentences(what: str, record: TrackRecord, wording: Wording) -> list[str]:
    if not record.count:
        return []
    sentences = [
        wording.say(
            f"ledger.{what}",
            count=record.count,
            held=record.held,
            held_share=record.share,
            ratio=record.median_ratio,
        )
    ]
    if record.widening is not None:
        sentences.append(wording.say(f"ledger.widening_{what}", factor=record.widening))
    return sentences


def entries_table(entries: tuple[Entry, ...], wording: Wording) -> Table:
    """One row for each job, the latest first."""
    say = wording.messages.say
    columns = ("date", "plan", "option", "time", "time_came", "cost", "cost_came")
    rows = tuple(
        (
            entry.recorded_at[:10],
            entry.plan_name or entry.model,
            wording.value("option", entry.option),
            _predicted("time_s", entry.predicted_time_s, wording),
            _came("time_s", entry.predicted_time_s, entry.measured_time_s, wording),
            _predicted("cost_usd", entry.predicted_cost_usd, wording),
            _came("cost_usd", entry.predicted_cost_usd, entry.measured_cost_usd, wording),
        )
        for entry in reversed(entries)
    )
    numeric = (False, False, False, True, True, True, True)
    return Table(tuple(say(f"ledger.column.{column}") for column in columns), rows, numeric)


def _predicted(name: str, value: Range | None, wording: Wording) -> str:
    return "–" if value is None else wording.value(name, value)


def _came(name: str, predicted: Range | None, measured: float | None, wording: Wording) -> str:
    """The real value, marked where the range did not hold it."""
    if measured is None:
        return "–"
    text = wording.value(name, measured)
    if predicted is None or held(predicted, measured):
        return text
    return wording.messages.say(
        "ledger.missed_high" if measured > predicted.high else "ledger.missed_low", value=text
    )
