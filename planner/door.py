"""The door: everything read from outside is checked here, all problems at once, each with its field."""

from __future__ import annotations

import json
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with an input. ``where`` is a field path ("job.epochs.low") or "line 3"."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}" if self.where else self.what


class InvalidInputError(ValueError):
    """An input that cannot be used, with every problem found in it."""

    def __init__(self, source: str, problems: tuple[Problem, ...]) -> None:
        self.source = source
        self.problems = problems
        super().__init__(f"{source}: " + "; ".join(map(str, problems)))


@cache
def _cached_adapter(kind: Hashable) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter  # 0.15 s: only when something is read

    return TypeAdapter(cast(type[Any], kind))


def _adapter(kind: type[Any]) -> TypeAdapter[Any]:
    return _cached_adapter(cast(Hashable, kind))


def _reject_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    seen = dict(pairs)
    if len(seen) != len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(k for k in keys if keys.count(k) > 1)!r} appears twice")
    return seen


def parse_json(text: str | bytes, source: str) -> Any:
    """JSON to plain objects. Raises InvalidInputError with line and column, also for duplicate keys."""
    try:
        return json.loads(text, object_pairs_hook=_reject_duplicates)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise InvalidInputError(source, (Problem(where, f"not valid JSON ({error.msg})"),)) from None
    except (ValueError, RecursionError) as error:  # duplicate keys, wrong encoding, absurd nesting
        raise InvalidInputError(source, (Problem("", str(error)),)) from None


def validated(kind: type[T], data: Any, source: str) -> T:
    """``data`` (plain objects) as an instance of the dataclass ``kind``.

    Raises InvalidInputError naming every field that is missing, unknown or of the wrong kind.
    """
    from pydantic import ValidationError

    try:
        return cast(T, _adapter(kind).validate_python(data))
    except ValidationError as error:
        problems = tuple(
            Problem(".".join(map(str, item["loc"])), item["msg"].removeprefix("Value error, "))
            for item in error.errors(include_url=False, include_context=False)
        )
        raise InvalidInputError(source, problems) from None


def plain(value: Any) -> Any:
    """A frozen dataclass as plain JSON objects, the inverse of ``validated``."""
    return _adapter(type(value)).dump_python(value, mode="json")
