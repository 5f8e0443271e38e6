"""The strongest case against the recommendation, made from its own numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from planner.decide.types import Option, Recommendation
from planner.evidence import Evidence
from planner.pipeline import PlanInputs
from planner.report.types import Section
from planner.report.uncertainty_section import grade_of, shares_of_spread
from planner.report.wording import Wording

_MOST = 8
_WIDE = 2.0  # a high end so many times the likely value is an argument


@dataclass(frozen=True, slots=True)
class Argument:
    """A sentence with its weight: roughly the chance that it makes the recommendation wrong."""

    weight: float
    sentence: str


def against_section(inputs: PlanInputs, recommendation: Recommendation, wording: Wording) -> tuple[Section, ...]:
    """What a sceptic would say, the strongest first; nothing where nothing is recommended."""
    if recommendation.chosen is None:
        return ()
    chosen = recommendation.option(recommendation.chosen)
    found = [
        *_of_futures(recommendation, chosen, wording),
        *_of_evidence(inputs, recommendation, chosen, wording),
        *_of_kind(inputs, recommendation, chosen, wording),
    ]
    ordered = sorted(found, key=lambda argument: -argument.weight)[:_MOST]
    sentences = tuple(f"{number}. {argument.sentence}" for number, argument in enumerate(ordered, start=1))
    note = wording.say("report.against.note", option=wording.named(chosen))
    return (Section("against", wording.messages.say("report.section.against"), (note, *sentences)),)


def _of_futures(recommendation: Recommendation, chosen: Option, wording: Wording) -> Iterator[Argument]:
    """Arguments that the simulation itself makes."""

    def argue(weight: float, code: str, **values: object) -> Argument:
        return Argument(weight, wording.say(f"report.against.{code}", **values))

    wrong = 1 - recommendation.confidence
    if recommendation.runner_up is not None:
        other = recommendation.option(recommendation.runner_up)
        yield argue(
            wrong,
            "other_best" if wrong > 0 else "other_near",
            other_share=wrong,
            option=wording.option(other),
            time_s=other.time_s,
            cost_usd=other.cost_usd,
        )
    if chosen.p_on_time is not None and chosen.p_on_time < 1:
        yield argue(1 - chosen.p_on_time, "late", late_share=1 - chosen.p_on_time)
    if chosen.cost_usd is not None and chosen.cost_usd.high > _WIDE * chosen.cost_usd.likely:
        yield argue(0.3, "dear", likely_usd=chosen.cost_usd.likely, high_usd=chosen.cost_usd.high)
    if chosen.time_s is not None and chosen.time_s.high > _WIDE * chosen.time_s.likely:
        yield argue(0.25, "slow", likely_s=chosen.time_s.likely, high_s=chosen.time_s.high)
    if recommendation.regret_usd:
        yield argue(0.05, "regret", regret_usd=recommendation.regret_usd)


def _of_evidence(
    inputs: PlanInputs, recommendation: Recommendation, chosen: Option, wording: Wording
) -> Iterator[Argument]:
    """Arguments from what nobody measured."""
    shares = shares_of_spread(recommendation.sensitivities)
    guessed = {
        code: share for code, share in shares.items() if grade_of(code, chosen, recommendation) is Evidence.ASSUMED
    }
    if guessed:
        code = max(guessed, key=lambda name: guessed[name])
        source = wording.messages.say(f"input.{code}")
        yield Argument(
            guessed[code] * 0.5, wording.say("report.against.guessed", source=source, spread_share=guessed[code])
        )
    price = chosen.price
    if price is not None and price.usd_per_hour is None:
        yield Argument(0.6, wording.say("report.against.unpriced", option=wording.option(chosen)))
    elif price is not None and not price.is_quote:
        yield Argument(
            0.28,
            wording.say("report.against.no_quote", count=price.comparable_count, usd_per_h=price.usd_per_hour),
        )
    if chosen.memory is not None and chosen.memory.fits.value == "unsure":
        sentence = wording.say(
            "report.against.memory",
            needed_bytes=chosen.memory.total_bytes,
            available_bytes=chosen.memory.available_bytes,
        )
        yield Argument(0.4, sentence)
    if inputs.benchmark is None and chosen.kind == "local":
        yield Argument(0.22, wording.say("report.against.not_measured"))
    if chosen.kind == "rent" and chosen.step is not None and chosen.step.evidence > Evidence.MEASURED_JOB:
        yield Argument(0.15, wording.say("report.against.not_tried"))
    if recommendation.options[0].time_s is None and inputs.snapshot is None:
        yield Argument(0.35, wording.say("report.against.machine_unknown"))


def _of_kind(
    inputs: PlanInputs, recommendation: Recommendation, chosen: Option, wording: Wording
) -> Iterator[Argument]:
    """Arguments against renting, or against staying."""
    if chosen.kind == "local":
        if inputs.terms.blocked_usd_per_h == 0:
            yield Argument(0.12, wording.say("report.against.blocked", time_s=chosen.time_s))
        if inputs.terms.waiting_cost_usd_per_h == 0:
            yield Argument(0.1, wording.say("report.against.waiting"))
        return
    for gate in recommendation.gates:
        if gate.answer == "failed":
            name = wording.messages.say(f"gate.{gate.code}.name")
            yield Argument(0.5, wording.say("report.against.gate", question=name))
    asked = [
        wording.messages.say(f"gate.{gate.code}.name") for gate in recommendation.gates if gate.answer == "ask"
    ]
    if asked:
        yield Argument(0.14, wording.say("report.against.asked", questions=", ".join(asked)))
    overhead = sum(phase.duration_s.likely for phase in chosen.phases if phase.code not in ("run", "interrupted"))
    if chosen.time_s is not None and overhead > 0.2 * chosen.time_s.likely:
        yield Argument(0.13, wording.say("report.against.overhead", overhead_s=overhead, time_s=chosen.time_s))
