"""The steps of the memory ladder in words."""

from __future__ import annotations

from planner.evidence import Range
from planner.messages import Messages
from planner.predict.ladder import Rung
from planner.units import format_bytes


def bytes_range(value: Range) -> str:
    """ "12 GiB (11 GiB – 14 GiB)": likely, low and high."""
    return f"{format_bytes(value.likely)} ({format_bytes(value.low)} – {format_bytes(value.high)})"


def rung_title(rung: Rung, messages: Messages) -> str:
    """What is set to what."""
    recipe = rung.recipe
    values = {
        "batch": str(recipe.batch_size),
        "steps": str(recipe.accumulation_steps),
        "gpus": str(rung.gpus),
        "rank": recipe.adapter.partition(":")[2],
        "host": "" if rung.memory.host_bytes is None else bytes_range(rung.memory.host_bytes),
    }
    return ", ".join(messages.say(f"memory.change.{code}", **values) for code in rung.codes)


def rung_cost(rung: Rung, messages: Messages) -> str:
    """What it saves and what it costs in time."""
    return messages.say(
        "memory.cost",
        gain=format_bytes(rung.gain_bytes),
        time=f"{rung.time_ratio.likely - 1:+.0%}",
        fits=messages.say(f"memory.fits.{rung.memory.fits.value}"),
    )
