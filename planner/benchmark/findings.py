"""What a finished run's readings mean: notes for the reader, each a message code with its values.

Sentences: resources/i18n/en/bench.toml, "note.<code>".
"""

from __future__ import annotations

from collections.abc import Iterable

from planner.benchmark.result import BenchmarkResult, Conditions, Note, ProbeKind
from planner.hardware.throttle import EXPLAINING, HARDWARE, Throttle
from planner.messages import Messages

SLOW_CLOCK_SHARE = 0.75  # of the highest clock: below, something holds the card back
_CAP_BELOW_LIMIT = 0.9  # a power cap at less than this share of the limit is not the card's own
_WORTH_TELLING = 1.05  # slowdown between the first and the last third of the sustained load


def note(what: str, **values: object) -> Note:
    return Note(f"bench.note.{what}", tuple((key, str(value)) for key, value in values.items()))


def probe_name(name: str, messages: Messages) -> str:
    """A probe or a stage in words; another version's under its own name."""
    codes = (f"bench.probe.{name}", f"bench.stage.{name}")
    return next((messages.say(code) for code in codes if messages.knows(code)), name)


def in_words(one: Note, messages: Messages) -> str:
    """The note's sentence; a probe is called by its name for people."""
    values = dict(one.values)
    return messages.say(one.code, probe=probe_name(values.get("name", ""), messages), **values)


def _under_load(result: BenchmarkResult) -> list[Conditions]:
    busy = {probe.name for probe in result.probes if probe.kind in (ProbeKind.FLOPS, ProbeKind.STEP)}
    return [one for one in result.conditions if one.name in busy or one.name == "sustained"]


def _heat(conditions: Iterable[Conditions]) -> list[Note]:
    hottest = max((one.temperature_c for one in conditions if one.temperature_c is not None), default=None)
    reasons = Throttle(0)
    for one in conditions:
        reasons |= Throttle(one.throttle_reasons)
    degrees = "?" if hottest is None else f"{hottest:.0f}"
    if reasons & HARDWARE:
        return [note("hardware_slowdown", temperature=degrees)]
    return [note("thermal", temperature=degrees)] if reasons & Throttle.THERMAL else []


def _power_cap(result: BenchmarkResult, conditions: Iterable[Conditions]) -> list[Note]:
    """A cap far below the limit comes from outside the card: the server's firmware, a weak supply."""
    limit_w = result.power_limit_under_load_w or result.power_limit_w
    capped = [one.power_w for one in conditions if one.throttle_reasons & Throttle.POWER_CAP and one.power_w]
    if limit_w is None or not capped or max(capped) >= _CAP_BELOW_LIMIT * limit_w:
        return []
    return [note("capped_from_outside", power=f"{max(capped):.0f}", limit=f"{limit_w:.0f}")]


def _clock(conditions: Iterable[Conditions], max_sm_clock_mhz: float | None) -> list[Note]:
    unexplained = [
        one.sm_clock_mhz
        for one in conditions
        if one.sm_clock_mhz is not None and not one.throttle_reasons & EXPLAINING
    ]
    if max_sm_clock_mhz is None or not unexplained or max(unexplained) >= SLOW_CLOCK_SHARE * max_sm_clock_mhz:
        return []
    return [note("slow_clock", clock=f"{max(unexplained):.0f}", most=f"{max_sm_clock_mhz:.0f}")]


def _link(result: BenchmarkResult) -> list[Note]:
    link = result.pcie_under_load
    if link is None or None in (link.max_generation, link.max_width):
        return []
    if (link.generation, link.width) == (link.max_generation, link.max_width):
        return []
    now, most = f"{link.generation}.0 ×{link.width}", f"{link.max_generation}.0 ×{link.max_width}"
    return [note("narrow_link", now=now, most=most)]


def _sustained(result: BenchmarkResult) -> list[Note]:
    curve = result.curve("sustained")
    if curve is None or curve.slowdown is None:
        return []
    percent = f"{100 * (curve.slowdown - 1):.0f}"
    if curve.slowdown > _WORTH_TELLING:
        return [note("slows_down", percent=percent, seconds=f"{curve.elapsed_s[-1]:.0f}")]
    return [note("still_slowing")] if curve.is_still_slowing else []


def notes_on(
    result: BenchmarkResult, max_sm_clock_mhz: float | None = None, default_limit_w: float | None = None
) -> tuple[Note, ...]:
    """All that is worth telling about a run's readings.

    That the device stayed cool is never claimed: the driver shows no reading of the hottest part, the memory of
    cards with GDDR6X.
    """
    busy = _under_load(result)
    limit_w = result.power_limit_w
    lowered = limit_w is not None and default_limit_w is not None and limit_w < default_limit_w - 1
    return (
        *([note("lowered_limit", limit=f"{limit_w:.0f}", default=f"{default_limit_w:.0f}")] if lowered else ()),
        *_heat(busy),
        *_power_cap(result, busy),
        *_clock(busy, max_sm_clock_mhz),
        *_link(result),
        *_sustained(result),
        *([note("battery")] if result.on_battery else ()),
    )
