"""The plan file: all inputs of an answer as JSON, with the headline numbers it gave, so that it can be checked."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planner import __version__
from planner.decide.types import Recommendation
from planner.door import InvalidInputError, Problem, parse_json, plain, validated
from planner.evidence import Range
from planner.pipeline import PlanInputs, evaluate
from planner.report.files import write_file

SCHEMA_VERSION = 1
SIZE_LIMIT_BYTES = 50 * 2**20
# Old version → function that gives the plain data of the next version. Pure; none is needed yet.
MIGRATIONS: Mapping[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}
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
    schema_version: int = SCHEMA_VERSION

    __pydantic_config__ = _STRICT

    @property
    def edited_since_saved(self) -> bool:
        return self.inputs_sha256 != plan_hash(self.inputs)


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
    canonical = plain(validated(PlanInputs, plain(inputs), "plan"))
    text = json.dumps(canonical, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def save_plan(
    path: Path, inputs: PlanInputs, recommendation: Recommendation | None = None, name: str = ""
) -> None:
    """Write a plan file, with the headline numbers of ``recommendation`` where there is one.

    Raises OSError with a clear reason (disk full, read-only, …); ``path`` is then as it was.
    """
    saved = SavedPlan(
        inputs=inputs,
        inputs_sha256=plan_hash(inputs),
        name=name,
        headline=headline(recommendation) if recommendation else None,
        saved_by=__version__,
    )
    text = json.dumps(plain(saved), indent=2, ensure_ascii=True, allow_nan=False)
    write_file(path, (text + "\n").encode("ascii"))


def read_plan(path: Path) -> SavedPlan:
    """A plan file's content.

    Raises InvalidInputError for a file that is cut, garbled, too large, of a newer version or has wrong fields,
    and OSError when it cannot be read at all.
    """
    source = path.name
    with path.open("rb") as file:
        content = file.read(SIZE_LIMIT_BYTES + 1)
    if len(content) > SIZE_LIMIT_BYTES:
        limit = f"larger than {SIZE_LIMIT_BYTES // 2**20} MiB: this is not a plan file"
        raise InvalidInputError(source, (Problem("", limit),))
    data = parse_json(content, source)
    not_finite = tuple(Problem(where, "is not a finite number") for where in _not_finite(data, ""))
    if not_finite:
        raise InvalidInputError(source, not_finite)
    return validated(SavedPlan, _migrated(data, source), source)


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
