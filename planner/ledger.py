"""The ledger: what earlier plans promised and what really came, one JSON object a line.

It changes no answer: a plan gives the same numbers on every machine. It says how far to trust them.
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from planner.door import InvalidInputError, Problem, parse_json, plain, validated
from planner.evidence import Range, check_number
from planner.paths import data_dir
from planner.storage import write_atomically

SCHEMA_VERSION = 1
SIZE_LIMIT_BYTES = 20 * 2**20
PROMISED_SHARE = 0.9  # of the real values that a range is to hold
_LONGEST_TEXT = 500


@dataclass(frozen=True, slots=True)
class Entry:
    """One job that was planned and then done. None: not predicted, or not told."""

    recorded_at: str  # ISO 8601, UTC
    plan_sha256: str
    plan_name: str
    planned_on: str  # ISO date of the plan
    model: str
    option: str  # key: "local", "rent-4"
    predicted_time_s: Range | None = None  # from the start to the result in hand
    measured_time_s: float | None = None
    predicted_cost_usd: Range | None = None
    measured_cost_usd: float | None = None
    note: str = ""
    saved_by: str = ""  # version of the program that predicted
    schema_version: int = SCHEMA_VERSION

    __pydantic_config__ = {"extra": "forbid", "allow_inf_nan": False}

    def __post_init__(self) -> None:
        if self.measured_time_s is None and self.measured_cost_usd is None:
            raise ValueError("neither a time nor a cost was measured")
        if self.measured_time_s is not None:
            check_number("measured_time_s", self.measured_time_s, more_than=0, at_most=1e10)
        if self.measured_cost_usd is not None:
            check_number("measured_cost_usd", self.measured_cost_usd, at_most=1e12)
        if any(len(text) > _LONGEST_TEXT for text in (self.plan_name, self.note, self.model, self.option)):
            raise ValueError(f"texts may have up to {_LONGEST_TEXT} characters each")


@dataclass(frozen=True, slots=True)
class Ledger:
    """``entries`` in the order they were written; ``problems``: lines that could not be read, which stay."""

    entries: tuple[Entry, ...] = ()
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class TrackRecord:
    """How often ranges held what came. ``widening``: see ``widening_of``."""

    count: int
    held: int
    median_ratio: float | None  # measured over likely; None: nothing to compare
    widening: float | None

    @property
    def share(self) -> float | None:
        return self.held / self.count if self.count else None


def ledger_file() -> Path:
    return data_dir() / "ledger.jsonl"


def read_ledger() -> Ledger:
    """All entries; nothing where there is no ledger yet. Raises OSError, and InvalidInputError for a huge file."""
    file = ledger_file()
    if not file.exists():
        return Ledger()
    entries: list[Entry] = []
    problems: list[Problem] = []
    for number, line in enumerate(_content(file).split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            entries.append(_entry(line, f"line {number}"))
        except InvalidInputError as error:
            problems += [Problem(f"line {number}", str(problem)) for problem in error.problems]
    return Ledger(tuple(entries), tuple(problems))


def ledger_at_hand() -> Ledger:
    """All entries for a report, which a ledger that cannot be read does not stop. Read again when it changed."""
    try:
        state = ledger_file().stat()
        return _remembered(ledger_file(), state.st_mtime_ns, state.st_size)
    except FileNotFoundError:
        return Ledger()
    except (OSError, InvalidInputError) as error:
        return Ledger(problems=(Problem("", str(error)),))


@lru_cache(maxsize=1)
def _remembered(_file: Path, _written_ns: int, _size: int) -> Ledger:
    return read_ledger()


def add_entry(entry: Entry) -> None:
    """Write one more line; earlier ones, readable or not, stay as they are. Raises OSError."""
    file = ledger_file()
    before = _content(file) if file.exists() else b""
    if before and not before.endswith(b"\n"):
        before += b"\n"
    line = json.dumps(plain(entry), ensure_ascii=True, allow_nan=False).encode("ascii")
    write_atomically(file, before + line + b"\n")


def _content(file: Path) -> bytes:
    with file.open("rb") as opened:
        content = opened.read(SIZE_LIMIT_BYTES + 1)
    if len(content) > SIZE_LIMIT_BYTES:
        what = f"larger than {SIZE_LIMIT_BYTES // 2**20} MiB: move it away to begin a new one"
        raise InvalidInputError(str(file), (Problem("", what),))
    return content


def _entry(line: bytes, source: str) -> Entry:
    data = parse_json(line, source)
    version = data.get("schema_version") if isinstance(data, dict) else None
    if isinstance(version, int) and version > SCHEMA_VERSION:
        what = f"written by a newer version of this program (format {version}, this one reads {SCHEMA_VERSION})"
        raise InvalidInputError(source, (Problem("schema_version", what),))
    return validated(Entry, data, source)


Pair = tuple[Range, float]


def times(entries: Iterable[Entry]) -> tuple[Pair, ...]:
    """Predicted and measured seconds of those that have both."""
    pairs = ((entry.predicted_time_s, entry.measured_time_s) for entry in entries)
    return tuple((predicted, measured) for predicted, measured in pairs if predicted and measured is not None)


def costs(entries: Iterable[Entry]) -> tuple[Pair, ...]:
    """Predicted and measured USD of those that have both."""
    pairs = ((entry.predicted_cost_usd, entry.measured_cost_usd) for entry in entries)
    return tuple((predicted, measured) for predicted, measured in pairs if predicted and measured is not None)


def held(predicted: Range, measured: float) -> bool:
    return predicted.low <= measured <= predicted.high


def track_record(pairs: tuple[Pair, ...]) -> TrackRecord:
    """The record of one kind of number."""
    ratios = [measured / predicted.likely for predicted, measured in pairs if predicted.likely > 0]
    return TrackRecord(
        count=len(pairs),
        held=sum(held(*pair) for pair in pairs),
        median_ratio=statistics.median(ratios) if ratios else None,
        widening=widening_of(pairs),
    )


def widening_of(pairs: tuple[Pair, ...]) -> float | None:
    """How many times as wide, in logarithm, the ranges would have had to be to hold what they promise.

    The split-conformal quantile: the ⌈(n + 1) · 0.9⌉-th smallest distance from the likely value, in units of the
    range's own half on that side. None below nine jobs, which support no such number (Vovk et al. 2005; Lei et
    al., JASA 2018), and where a range has no width.
    """
    rank = math.ceil((len(pairs) + 1) * PROMISED_SHARE)
    if rank > len(pairs):
        return None
    distances = sorted(_distance(*pair) for pair in pairs)
    found = distances[rank - 1]
    return found if math.isfinite(found) else None


def _distance(predicted: Range, measured: float) -> float:
    """0 at the likely value, 1 at either end."""
    if measured == predicted.likely:
        return 0.0
    end = predicted.high if measured > predicted.likely else predicted.low
    if measured <= 0 or end <= 0 or predicted.likely <= 0 or end == predicted.likely:
        return 0.0 if held(predicted, measured) else math.inf
    return math.log(measured / predicted.likely) / math.log(end / predicted.likely)
