"""The plan file: all inputs of an answer as JSON, with the headline numbers it gave, so that it can be checked.

A report's PDF carries its plan file inside: wherever a plan is read, such a PDF will do.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from planner import __version__
from planner.decide.types import Recommendation
from planner.door import InvalidInputError, Problem, parse_json, plain, validated
from planner.evidence import Range
from planner.pipeline import PlanInputs, evaluate
from planner.report.files import write_file
from planner.report.pdf_plan import is_pdf, plan_in_pdf
from planner.report.presentation import Presentation

SCHEMA_VERSION = 2
SIZE_LIMIT_BYTES = 50 * 2**20
# Old version → function that gives the plain data of the next version. Pure.
# 1 → 2: version 2 knows earlier runs and how the report is presented; in a plan of version 1 there are none.
MIGRATIONS: Mapping[int, Callable[[dict[str, Any]], dict[str, Any]]] = {
    1: lambda data: {**data, "presentation": {}},
}
_PLAIN = Presentation()
_SAME = 1e-9  # relative: last-digit differences between processors are no difference
_STRICT = {"extra": "forbid", "allow_inf_nan": False}


@dataclass(frozen=True, slots=True)
class OptionHeadline:
    """What one option came to."""

    key: str
    step_total_s: Range | None
    memory_bytes: Range | None
    time_s: Range | None
    cost_usd: Range | None
    p_on_time: float | None
    p_best: float

    __pydantic_config__ = _STRICT


@dataclass(frozen=True, slots=True)
class Headline:
    """The numbers of a recommendation that a replay must give again."""

    verdict: str
    chosen: str | None
    options: tuple[OptionHeadline, ...]

    __pydantic_config__ = _STRICT


@dataclass(frozen=True, slots=True)
class SavedPlan:
    """A plan file's whole content."""

    inputs: PlanInputs
    inputs_sha256: str  # as written by the program that saved it
    name: str = ""
    headline: Headline | None = None
    saved_by: str = ""  # program version
    presentation: Presentation = Presentation()
    edited_since_saved: bool = False  # found out on reading; never written
    schema_version: int = SCHEMA_VERSION

    __pydantic_config__ = _STRICT


@dataclass(frozen=True, slots=True)
class Difference:
    """One number that a replay gave differently; None: not known."""

    where: str  # "verdict", "rent-4.time_s.likely"
    saved: str | float | None
    now: str | float | None


def headline(recommendation: Recommendation) -> Headline:
    return Headline(
        verdict=recommendation.verdict,
        chosen=recommendation.chosen,
        options=tuple(
            OptionHeadline(
                key=option.key,
                step_total_s=option.step_total_s,
                memory_bytes=option.memory.total_bytes if option.memory else None,
                time_s=option.time_s,
                cost_usd=option.cost_usd,
                p_on_time=option.p_on_time,
                p_best=option.p_best,
            )
            for option in recommendation.options
        ),
    )


def plan_hash(inputs: PlanInputs) -> str:
    """SHA-256 of the inputs' canonical JSON: the same for a plan before saving and after opening."""
    # Through the door once, so that a whole number in a float field reads 100.0 as it will after opening.
    return _hash_of(plain(validated(PlanInputs, plain(inputs), "plan")))


def _hash_of(canonical: Any) -> str:
    text = json.dumps(canonical, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def plan_text(
    inputs: PlanInputs,
    recommendation: Recommendation | None = None,
    name: str = "",
    presentation: Presentation = _PLAIN,
) -> bytes:
    """A plan file's content, with the headline numbers of ``recommendation`` where there is one."""
    data = plain(
        SavedPlan(
            inputs=validated(PlanInputs, plain(inputs), "plan"),  # 100.0 for 100, as it will be read
            inputs_sha256=plan_hash(inputs),
            name=name,
            headline=headline(recommendation) if recommendation else None,
            saved_by=__version__,
            presentation=presentation,
        )
    )
    del data["edited_since_saved"]
    return (json.dumps(data, indent=2, ensure_ascii=True, allow_nan=False) + "\n").encode("ascii")


def save_plan(
    path: Path,
    inputs: PlanInputs,
    recommendation: Recommendation | None = None,
    name: str = "",
    presentation: Presentation = _PLAIN,
) -> None:
    """Write a plan file: see ``plan_text``.

    Raises OSError with a clear reason (disk full, read-only, …); ``path`` is then as it was.
    """
    write_file(path, plan_text(inputs, recommendation, name, presentation))


def plan_content(path: Path) -> bytes:
    """The text of a plan file, or of the one inside a report's PDF; raises as ``read_plan``."""
    with path.open("rb") as file:
        content = file.read(SIZE_LIMIT_BYTES + 1)
    if len(content) > SIZE_LIMIT_BYTES:
        limit = f"larger than {SIZE_LIMIT_BYTES // 2**20} MiB: this is not a plan file"
        raise InvalidInputError(path.name, (Problem("", limit),))
    return plan_in_pdf(content, path.name) if is_pdf(content) else content


def read_plan(path: Path) -> SavedPlan:
    """What a plan file holds, or the one inside a report's PDF.

    Raises InvalidInputError for a file that is cut, garbled, too large, of a newer version or has wrong fields,
    and OSError when it cannot be read at all.
    """
    source = path.name
    data = parse_json(plan_content(path), source)
    not_finite = tuple(Problem(where, "is not a finite number") for where in _not_finite(data, ""))
    if not_finite:
        raise InvalidInputError(source, not_finite)
    saved = validated(SavedPlan, _migrated(data, source), source)
    # As written first: what was added to the inputs since then is no edit. Then as read: 100 for 100.0 is none.
    untouched = saved.inputs_sha256 in (_hash_of(data["inputs"]), plan_hash(saved.inputs))
    return replace(saved, edited_since_saved=not untouched)


def load_plan(path: Path) -> PlanInputs:
    """The inputs of a plan file; raises as ``read_plan``."""
    return read_plan(path).inputs


def replay(path: Path) -> Recommendation:
    """The answer to a plan file's inputs, worked out again; raises as ``read_plan`` and ``evaluate``."""
    return evaluate(load_plan(path))


def compare_with_saved(saved: SavedPlan, recommendation: Recommendation) -> tuple[Difference, ...]:
    """What a replay gave differently from the saved headline; empty: the same numbers. No headline: empty too."""
    if saved.headline is None:
        return ()
    before = dict(_numbers(saved.headline))
    now = dict(_numbers(headline(recommendation)))
    return tuple(
        Difference(where, before.get(where), now.get(where))
        for where in dict.fromkeys([*before, *now])
        if not _same(before.get(where), now.get(where))
    )


def _numbers(saved: Headline) -> Iterator[tuple[str, str | float | None]]:
    """Every number of a headline with its place."""
    yield "verdict", saved.verdict
    yield "chosen", saved.chosen
    for option in saved.options:
        for field in ("step_total_s", "memory_bytes", "time_s", "cost_usd"):
            value: Range | None = getattr(option, field)
            for bound in ("low", "likely", "high"):
                yield f"{option.key}.{field}.{bound}", getattr(value, bound) if value else None
        yield f"{option.key}.p_on_time", option.p_on_time
        yield f"{option.key}.p_best", option.p_best


def _same(before: str | float | None, now: str | float | None) -> bool:
    if isinstance(before, float | int) and isinstance(now, float | int):
        return math.isclose(before, now, rel_tol=_SAME, abs_tol=1e-12)
    return before == now


def _not_finite(data: Any, where: str) -> Iterator[str]:
    """Places of NaN and infinities, which JSON readers accept and JSON does not have."""
    if isinstance(data, float) and not math.isfinite(data):
        yield where
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from _not_finite(value, f"{where}.{key}" if where else key)
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from _not_finite(value, f"{where}.{index}" if where else str(index))


def _migrated(data: Any, source: str) -> dict[str, Any]:
    """``data`` brought to the current schema version."""
    version = data.get("schema_version") if isinstance(data, dict) else None
    if type(version) is not int or version < 1:
        what = "missing or not a whole number from 1 up: this is not a plan file of GPU Planner"
        raise InvalidInputError(source, (Problem("schema_version", what),))
    if version > SCHEMA_VERSION:
        what = (
            f"the file has version {version}, this program reads up to {SCHEMA_VERSION}: "
            "it was saved by a newer GPU Planner, update to open it"
        )
        raise InvalidInputError(source, (Problem("schema_version", what),))
    for step in range(version, SCHEMA_VERSION):
        data = MIGRATIONS[step](data)
    return {**data, "schema_version": SCHEMA_VERSION}
