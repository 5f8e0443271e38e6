"""Adapters that are trained in place of a model: "none", "lora:RANK", "qlora:RANK"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from planner.door import InvalidInputError, Problem

HIGHEST_RANK = 4096
FORMS = "none, lora:RANK or qlora:RANK"


@dataclass(frozen=True, slots=True)
class Adapter:
    """Low-rank products beside the frozen linear layers; with "qlora" their weights are kept in 4 bits."""

    kind: Literal["lora", "qlora"]
    rank: int


def parse_adapter(text: str) -> Adapter | None:
    """Read an adapter; None for "none". Raises InvalidInputError that says what is accepted."""
    kind, _, rank = text.partition(":")
    if text == "none":
        return None
    if (
        kind not in ("lora", "qlora")
        or not (rank.isascii() and rank.isdecimal())
        or not 1 <= int(rank) <= HIGHEST_RANK
    ):
        what = f"{text!r} is not accepted: write {FORMS}, the rank from 1 to {HIGHEST_RANK}, such as lora:16"
        raise InvalidInputError(text, (Problem("adapter", what),))
    return Adapter(cast(Literal["lora", "qlora"], kind), int(rank))
