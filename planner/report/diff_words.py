"""The difference between two plans in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from planner.decide.types import Recommendation
from planner.report.diff import Change, PlanDiff, Trial, chosen_option
from planner.report.types import Table
from planner.report.wording import Wording


def input_sentences(found: PlanDiff, wording: Wording) -> tuple[str, ...]:
    """One for each input that differs."""
    return tuple(_change(change, wording) for change in found.changes) or (wording.say("diff.same_inputs"),)


def outcome_sentences(found: PlanDiff, wording: Wording) -> tuple[str, ...]:
    """Choice, firmness, time, cost, chance to be on time and confidence, those that differ."""
    return tuple(_outcome(found, wording))


def reason_sentences(found: PlanDiff, wording: Wording) -> tuple[str, ...]:
    """Which inputs alone lead from the first choice to the second; nothing where the inputs are the same."""
    return tuple(_reasons(found, wording)) if found.changes else ()


def trial_table(found: PlanDiff, wording: Wording) -> Table:
    """The first plan, the first plan with one group of the second's inputs at a time, and the second plan."""
    say = wording.messages.say
    rows = [(say("diff.first"), *_answer_cells(found.before, wording))]
    for trial in found.groups:
        name = say("diff.first_with", group=say(f"diff.group.{trial.group}"))
        cells = _answer_cells(trial.answer, wording) if trial.answer else (say("diff.impossible"), "–", "–")
        rows.append((name, *cells))
    rows.append((say("diff.second"), *_answer_cells(found.after, wording)))
    columns = tuple(say(f"diff.column.{column}") for column in ("plan", "choice", "time", "cost"))
    return Table(columns, tuple(rows), (False, False, True, True))


def field_name(name: str, wording: Wording) -> str:
    """What a person calls an input."""
    for code in (f"diff.field.{name}", f"assumption.{name}"):
        if wording.messages.knows(code):
            return wording.messages.say(code)
    return name


def _change(change: Change, wording: Wording) -> str:
    say = wording.messages.say
    if change.kind.startswith("offer_"):
        before, after = (_price(price, wording) for price in (change.before, change.after))
        return say(f"diff.{change.kind}", offer=change.what, before=before, after=after, names=change.after)
    what = say("diff.rate", currency=change.what) if change.kind == "rate" else field_name(change.what, wording)
    before, after = (_value(change.what, value, wording) for value in (change.before, change.after))
    return say("diff.again" if change.kind == "again" else "diff.changed", what=what, before=before, after=after)


def _value(name: str, value: object, wording: Wording) -> str:
    if value is None or value == "":
        return wording.say("diff.none")
    return str(value) if name in ("seed", "today", "taken_at") else wording.value(name, value)


def _price(price: object, wording: Wording) -> str:
    if price is None:
        return wording.say("report.price.ask")
    return price if isinstance(price, str) else wording.value("usd_per_h", price)


def _choice(answer: Recommendation, wording: Wording) -> str:
    option = chosen_option(answer)
    return wording.named(option) if option else wording.say("diff.nothing")


def _answer_cells(answer: Recommendation, wording: Wording) -> tuple[str, str, str]:
    option = chosen_option(answer)
    if option is None:
        return wording.say("diff.nothing"), "–", "–"
    return (
        wording.named(option),
        wording.value("time_s", option.time_s),
        wording.value("cost_usd", option.cost_usd),
    )


def _outcome(found: PlanDiff, wording: Wording) -> Iterator[str]:
    before, after = _choice(found.before, wording), _choice(found.after, wording)
    if found.choice_changed:
        yield wording.messages.say("diff.other_choice", before=before, after=after)
    else:
        yield wording.messages.say("diff.same_choice", option=after)
    if found.before.verdict != found.after.verdict:
        words = (wording.say(f"diff.verdict.{code}") for code in (found.before.verdict, found.after.verdict))
        yield wording.messages.say("diff.verdict_changed", **dict(zip(("before", "after"), words, strict=True)))
    was, now = chosen_option(found.before), chosen_option(found.after)
    numbers = (
        ("time_s", was and was.time_s, now and now.time_s),
        ("cost_usd", was and was.cost_usd, now and now.cost_usd),
        ("on_time_share", was and was.p_on_time, now and now.p_on_time),
        ("confidence_share", found.before.confidence, found.after.confidence),
    )
    for name, old, new in numbers:
        none = "diff.no_deadline" if name == "on_time_share" else "format.unknown"
        texts = [wording.say(none) if value is None else wording.value(name, value) for value in (old, new)]
        if texts[0] != texts[1]:
            yield wording.messages.say(f"diff.number.{name}", before=texts[0], after=texts[1])


def _reasons(found: PlanDiff, wording: Wording) -> Iterator[str]:
    if not found.choice_changed:
        others = [t for t in found.groups if t.answer and t.answer.chosen != found.after.chosen]
        yield wording.say("diff.why.no_change") if not others else wording.say("diff.why.cancel")
        for trial in others:
            yield _would_give(trial, wording)
        return
    new = _choice(found.after, wording)
    alone = [trial for trial in found.groups if found.makes_the_choice(trial)]
    for trial in alone:
        group = wording.say(f"diff.group.{trial.group}")
        yield wording.messages.say("diff.why.alone", group=group, option=new)
        fields = [t for t in found.singles if t.group == trial.group]
        enough = [field_name(t.what, wording) for t in fields if found.makes_the_choice(t)]
        if enough:
            yield wording.messages.say("diff.why.fields", names="; ".join(enough))
        elif fields:
            yield wording.messages.say("diff.why.no_field", group=group)
    if not alone:
        yield wording.messages.say("diff.why.together", option=new)
    for trial in found.groups:
        if trial.answer is None:
            group = wording.say(f"diff.group.{trial.group}")
            yield wording.messages.say("diff.why.impossible", group=group, problem=trial.problem)
        elif trial.answer.chosen not in (found.before.chosen, found.after.chosen):
            yield _would_give(trial, wording)


def _would_give(trial: Trial, wording: Wording) -> str:
    assert trial.answer is not None
    group = wording.say(f"diff.group.{trial.group}")
    return wording.messages.say("diff.why.other", group=group, option=_choice(trial.answer, wording))
