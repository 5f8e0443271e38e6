"""Where the width of the cost comes from: each uncertain input with its grade and its share of the spread."""

from __future__ import annotations

from planner.decide.types import Option, Recommendation, Sensitivity
from planner.evidence import Evidence, weakest
from planner.report.types import Section, Table
from planner.report.wording import Wording

# Input of the simulation → the assumptions it is drawn from; "{count}" is the chosen option's.
_DRAWN_FROM = {
    "bus_bandwidth": ("bus_{count}_gbs",),
    "price": ("price_{count}_usd_per_h",),
    "epochs": ("epochs",),
    "upload": ("upload_mbit_per_s",),
    "electricity": ("electricity_usd_per_kwh",),
    "overheads": ("boot_h", "setup_h", "idle_h"),
    "start": ("failed_start_share",),
    "interruptions": ("interrupted_every_h",),
}
_OF_STEP = ("step_model", "step_local", "step_rented")


def grade_of(code: str, option: Option, recommendation: Recommendation) -> Evidence:
    """How well an input of the simulation is known for this option; D where nothing says so."""
    if code in _OF_STEP:
        return option.step.evidence if option.step else Evidence.ASSUMED
    wanted = {name.format(count=option.gpu_count) for name in _DRAWN_FROM.get(code, ())}
    grades = [line.evidence for line in recommendation.assumptions if line.code in wanted]
    return weakest(*grades) if grades else Evidence.ASSUMED


def shares_of_spread(found: tuple[Sensitivity, ...]) -> dict[str, float]:
    """Squared swing of each input over the sum of all: what it would take off the variance to know it.

    Exact for a cost that is a sum of independent inputs; products (price times hours) make it an approximation.
    """
    total = sum(one.swing_usd**2 for one in found)
    return {one.code: one.swing_usd**2 / total if total else 0.0 for one in found}


def uncertainty_section(recommendation: Recommendation, wording: Wording) -> tuple[Section, ...]:
    """The budget by source, the largest first, and by grade; nothing where no cost is known."""
    found = recommendation.sensitivities
    if not found or recommendation.chosen is None:
        return ()
    option = recommendation.option(recommendation.chosen)
    shares = shares_of_spread(found)
    grades = {one.code: grade_of(one.code, option, recommendation) for one in found}
    by_grade = {grade: sum(share for code, share in shares.items() if grades[code] is grade) for grade in Evidence}
    say = wording.messages.say
    rows = tuple(
        (
            say(f"input.{one.code}"),
            grades[one.code].value,
            wording.value("swing_usd", one.swing_usd),
            wording.value("spread_share", shares[one.code]),
        )
        for one in found
    )
    columns = tuple(say(f"report.uncertainty.{column}") for column in ("source", "grade", "swing", "share"))
    sums = tuple(
        (wording.grade(grade), wording.value("spread_share", share)) for grade, share in by_grade.items() if share
    )
    heads = (say("report.uncertainty.by_grade"), say("report.uncertainty.share"))
    return (
        Section(
            "uncertainty",
            say("report.section.uncertainty"),
            (
                wording.say("report.uncertainty.range", cost_usd=option.cost_usd),
                say("report.uncertainty.note"),
            ),
            (Table(columns, rows, (False, False, True, True)), Table(heads, sums, (False, True))),
        ),
    )
