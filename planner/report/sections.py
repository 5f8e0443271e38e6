"""Inputs and recommendation → the report's sections. All of it from the domain, nothing from the screen."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from planner.decide.types import Option, Recommendation
from planner.hardware.catalogue import by_id
from planner.ledger import Ledger
from planner.offers.offer import STALE_AFTER_DAYS, PackagePrice, parse_date
from planner.pipeline import PlanInputs, larger_hosts
from planner.report.accuracy_section import accuracy_section
from planner.report.against_section import against_section
from planner.report.charts import build_charts, on_time_text
from planner.report.decision_sections import gates_section, key_numbers, sensitivity_section
from planner.report.machine_section import machine_section
from planner.report.markup import one_line
from planner.report.method_section import method_section
from planner.report.plan_file import plan_hash
from planner.report.track_record import track_record_section
from planner.report.types import ChartSpec, Report, Section, Table
from planner.report.uncertainty_section import uncertainty_section
from planner.report.wording import Wording, short_device

_PRICE_ROWS = 15  # on paper; the plan file holds every offer
_REASONS_ON_PAGE_1 = 8  # the weightiest; a decision-maker reads one page
_EXCLUSIONS = ("people", "accuracy", "queue", "failures", "tax", "storage", "owning")


def build_report(
    inputs: PlanInputs,
    recommendation: Recommendation,
    wording: Wording,
    name: str = "",
    plan_file_name: str = "plan.json",
    ledger: Ledger | None = None,
) -> Report:
    """The whole report of a plan in the language of ``wording``. ``name`` is the user's name of the plan.

    ``ledger``: how earlier plans did; it changes no number.
    """
    drawn = build_charts(recommendation, inputs.terms, wording, larger_hosts(inputs))
    charts = {chart.key: chart for chart in drawn}
    digest = plan_hash(inputs)
    chosen = recommendation.option(recommendation.chosen) if recommendation.chosen else None
    sections = (
        _verdict(inputs, recommendation, chosen, wording),
        *_more_reasons(recommendation, wording),
        *gates_section(recommendation, wording),
        _options(recommendation, wording),
        _charts(charts, wording),
        *((_bill(chosen, wording),) if chosen else ()),
        *uncertainty_section(recommendation, wording),
        *sensitivity_section(recommendation, wording),
        _memory(charts["memory"], wording),
        _assumptions(recommendation, wording),
        machine_section(inputs, wording),
        *method_section(inputs, recommendation, wording),
        accuracy_section(inputs.job.recipe, wording),
        *track_record_section(ledger, wording),
        _limits(inputs, recommendation, wording),
        *against_section(inputs, recommendation, wording),
        _signoff(chosen, digest, plan_file_name, parse_date(inputs.today), wording),
    )
    return Report(
        title=one_line(name) or wording.messages.say("report.title"),
        subtitle=_subtitle(inputs, wording),
        plan_hash=digest,
        created_at=inputs.today,
        verdict=wording.verdict(recommendation),
        sections=sections,
        language=wording.messages.language,
    )


def _subtitle(inputs: PlanInputs, wording: Wording) -> str:
    recipe = inputs.job.recipe
    return wording.say(
        "report.subtitle" if inputs.today else "report.subtitle_undated",
        model=recipe.model,
        mode=recipe.mode,
        batch=recipe.batch_size,
        epochs=inputs.job.epochs,
        today=inputs.today,
    )


def _title(key: str, wording: Wording) -> str:
    return wording.messages.say(f"report.section.{key}")


def _verdict(
    inputs: PlanInputs, recommendation: Recommendation, chosen: Option | None, wording: Wording
) -> Section:
    say = wording.messages.say
    reasons = tuple(f"• {wording.reason(reason)}" for reason in recommendation.reasons[:_REASONS_ON_PAGE_1])
    return Section(
        key="verdict",
        title=_title("verdict", wording),
        paragraphs=(
            *((say("report.verdict.reasons"), *reasons) if reasons else ()),
            _runner_up(recommendation, wording),
            *_what_would_change(inputs, recommendation, chosen, wording),
            wording.say(
                "report.verdict.simulated", samples=recommendation.sample_count, seed=str(recommendation.seed)
            ),
        ),
        tables=(_key_numbers(inputs, recommendation, chosen, wording),),
    )


def _more_reasons(recommendation: Recommendation, wording: Wording) -> tuple[Section, ...]:
    """The reasons that page 1 has no room for; nothing where it has room for all."""
    more = tuple(f"• {wording.reason(reason)}" for reason in recommendation.reasons[_REASONS_ON_PAGE_1:])
    return (Section("more_reasons", _title("more_reasons", wording), more),) if more else ()


def _key_numbers(
    inputs: PlanInputs, recommendation: Recommendation, chosen: Option | None, wording: Wording
) -> Table:
    say, value, terms = wording.messages.say, wording.value, inputs.terms
    none = say("report.key.not_asked")
    deadline = none if terms.deadline_h is None else value("deadline_h", terms.deadline_h)
    budget = none if terms.budget_usd is None else value("budget_usd", terms.budget_usd)
    if chosen is None:
        rows = [(say("report.key.choice"), say("report.key.nothing"))]
    else:
        firm = recommendation.verdict != "measure_first"
        on_time = none if chosen.p_on_time is None else value("p_share", chosen.p_on_time)
        rows = [
            (say("report.key.choice" if firm else "report.key.favourite"), wording.option(chosen)),
            (say("report.key.time"), value("time_s", chosen.time_s)),
            (say("report.key.cost"), value("cost_usd", chosen.cost_usd)),
            (say("report.key.on_time"), on_time),
            (say("report.key.confidence"), value("confidence_share", recommendation.confidence)),
            (say("report.key.evidence"), wording.grade(chosen.evidence)),
        ]
        saved = _price_of_an_hour(recommendation, chosen)
        if saved is not None:
            rows.append((say("report.key.hour_saved"), value("usd_per_h", saved)))
    rows += key_numbers(recommendation, chosen, wording)
    rows += [(say("report.key.deadline"), deadline), (say("report.key.budget"), budget)]
    return Table((say("report.key.what"), say("report.key.value")), tuple(rows), (False, False))


def _price_of_an_hour(recommendation: Recommendation, chosen: Option) -> float | None:
    """What the dearer and faster of choice and runner-up costs for each hour it is faster, from likely values."""
    if recommendation.runner_up is None:
        return None
    other = recommendation.option(recommendation.runner_up)
    if not (chosen.time_s and other.time_s and chosen.cost_usd and other.cost_usd):
        return None
    hours = (other.time_s.likely - chosen.time_s.likely) / 3600
    price = (chosen.cost_usd.likely - other.cost_usd.likely) / hours if hours else 0.0
    return price if price > 0 else None


def _runner_up(recommendation: Recommendation, wording: Wording) -> str:
    if recommendation.runner_up is None:
        return wording.say("report.verdict.no_runner_up")
    option = recommendation.option(recommendation.runner_up)
    return wording.say(
        "report.verdict.runner_up",
        option=wording.option(option),
        time_s=option.time_s,
        cost_usd=option.cost_usd,
        best_share=option.p_best,
    )


def _what_would_change(
    inputs: PlanInputs, recommendation: Recommendation, chosen: Option | None, wording: Wording
) -> tuple[str, ...]:
    sentences = [wording.say("report.verdict.flip")]
    if chosen is not None and recommendation.confidence < 1:
        sentences.append(wording.say("report.verdict.flip_edge", other_share=1 - recommendation.confidence))
    if any(option.sold and option.price and not option.price.is_quote for option in recommendation.options):
        sentences.append(wording.say("report.verdict.flip_price"))
    if inputs.benchmark is None:
        sentences.append(wording.say("report.verdict.flip_measure"))
    return tuple(sentences)


def _options(recommendation: Recommendation, wording: Wording) -> Section:
    """The options, and in a table of their own, because reasons are long, why some are ruled out."""
    full, say = options_table(recommendation, wording), wording.messages.say
    short = replace(
        full, columns=full.columns[:-1], rows=tuple(row[:-1] for row in full.rows), numeric=full.numeric[:-1]
    )
    rejected = Table(
        (say("report.option.name"), say("report.option.rejected")),
        tuple((row[0], row[-1]) for row in full.rows if row[-1]),
        (False, False),
    )
    return Section("options", _title("options", wording), tables=(short, *((rejected,) if rejected.rows else ())))


def options_table(recommendation: Recommendation, wording: Wording) -> Table:
    """Every option and a newer card in one row: sold, fits, times, cost, chances, and why it is ruled out."""
    say = wording.messages.say
    columns = ("name", "sold", "fits", "step", "time", "cost", "on_time", "best", "rejected")
    shown = (*recommendation.options, *((recommendation.newer,) if recommendation.newer else ()))
    return Table(
        tuple(say(f"report.option.{column}") for column in columns),
        tuple(_option_row(option, wording) for option in shown),
        (False, False, False, True, True, True, True, True, False),
        keys=tuple(option.key for option in shown),
        emphasis=tuple(option.key == recommendation.chosen for option in shown),
    )


def _option_row(option: Option, wording: Wording) -> tuple[str, ...]:
    say, value = wording.messages.say, wording.value
    unknown = say("format.unknown")
    return (
        wording.option(option),
        _sold(option, wording),
        say(f"memory.fits.{option.memory.fits.value}") if option.memory else unknown,
        value("step_total_s", option.step_total_s),
        value("time_s", option.time_s),
        value("cost_usd", option.cost_usd),
        on_time_text(option, wording),
        value("p_share", option.p_best),
        " ".join(wording.reason(reason) for reason in option.rejected),
    )


def _sold(option: Option, wording: Wording) -> str:
    if option.kind == "local":
        return "–"
    if not option.sold:
        return wording.messages.say("report.option.computed")
    if option.price is None or option.price.usd_per_hour is None:
        return wording.messages.say("report.option.no_price")
    return wording.messages.say("report.option.quoted" if option.price.is_quote else "report.option.comparable")


def _charts(charts: dict[str, ChartSpec], wording: Wording) -> Section:
    drawn = tuple(charts[key] for key in ("time", "cost_time", "speedup"))
    return Section("charts", _title("charts", wording), charts=drawn)


def _memory(chart: ChartSpec, wording: Wording) -> Section:
    return Section("memory", _title("memory", wording), tables=(chart.table,), charts=(chart,))


def _bill(option: Option, wording: Wording) -> Section:
    """Time and money of the chosen option, phase by phase and part by part."""
    say = wording.messages.say
    return Section(
        "bill",
        f"{_title('bill', wording)}: {wording.option(option)}",
        paragraphs=(say("report.phase.note"), *(_price_sentences(option.price, wording) if option.price else ())),
        tables=(_phase_table(option, wording), _cost_table(option, wording)),
    )


def _phase_table(option: Option, wording: Wording) -> Table:
    say = wording.messages.say
    rows = [
        (
            say(f"report.phase.{phase.code}"),
            wording.value("duration_s", phase.duration_s),
            wording.value("billed", phase.billed),
        )
        for phase in option.phases
    ]
    rows.append((say("report.phase.total"), wording.value("time_s", option.time_s), ""))
    columns = tuple(say(f"report.phase.{column}") for column in ("name", "duration", "billed"))
    return Table(columns, tuple(rows), (False, True, False), emphasis=(*(False for _ in option.phases), True))


def _cost_table(option: Option, wording: Wording) -> Table:
    say = wording.messages.say
    rows = [(say(f"report.cost.{part.code}"), wording.value("usd", part.usd)) for part in option.cost]
    total = say("report.cost.missing") if option.cost_usd is None else wording.value("usd", option.cost_usd)
    rows.append((say("report.cost.total"), total))
    return Table(
        (say("report.cost.name"), say("report.cost.usd")),
        tuple(rows),
        (False, True),
        emphasis=(*(False for _ in option.cost), True),
    )


def _price_sentences(price: PackagePrice, wording: Wording) -> tuple[str, ...]:
    if price.usd_per_hour is None:
        return (wording.say("report.cost.missing"),)
    kind = "price_quote" if price.is_quote else "price_comparable"
    origin = wording.say(f"report.cost.{kind}", count=price.comparable_count)
    sentences = [wording.say("report.cost.price", usd_per_h=price.usd_per_hour, origin=origin)]
    if price.oldest_price_date is not None:
        sentences.append(wording.say("report.cost.price_oldest", date=price.oldest_price_date.isoformat()))
    return tuple(sentences)


def _assumptions(recommendation: Recommendation, wording: Wording) -> Section:
    say = wording.messages.say
    columns = ("name", "value", "grade", "source", "edited")
    rows = tuple(
        (
            say(f"assumption.{assumption.code.removeprefix('assumption.')}"),
            wording.value(assumption.code, assumption.value),
            assumption.evidence.value,
            wording.source(assumption.source),
            say("report.assumption.edited_mark") if assumption.edited else "",
        )
        for assumption in recommendation.assumptions
    )
    table = Table(
        tuple(say(f"report.assumption.{column}") for column in columns),
        rows,
        (False, True, False, False, False),
        emphasis=tuple(assumption.edited for assumption in recommendation.assumptions),
    )
    return Section("assumptions", _title("assumptions", wording), (say("report.assumption.grades"),), (table,))


def _limits(inputs: PlanInputs, recommendation: Recommendation, wording: Wording) -> Section:
    """What the numbers leave out, the driver licence, and where prices come from."""
    say = wording.messages.say
    exclusions = tuple(f"• {say(f'report.exclusion.{code}')}" for code in _EXCLUSIONS)
    more = len(inputs.offers) - _PRICE_ROWS
    return Section(
        "limits",
        _title("limits", wording),
        (
            say("report.exclusion.heading"),
            *exclusions,
            say("report.licence.geforce"),
            *(() if inputs.offers else (say("report.price.none"),)),
            *((wording.say("report.price.more", count=more),) if more > 0 else ()),
        ),
        tables=(_price_table(inputs, recommendation, wording),) if inputs.offers else (),
    )


def _price_table(inputs: PlanInputs, recommendation: Recommendation, wording: Wording) -> Table:
    """The weighed packages come first, then other offers of the same GPU, then the rest."""
    say = wording.messages.say
    gpus = {option.price.offer.gpu for option in recommendation.options if option.price and option.price.offer}
    first = sorted(inputs.offers, key=lambda offer: (offer.gpu not in gpus, offer.provider != inputs.provider))
    rows = tuple(
        (
            offer.provider,
            wording.say("format.option.rent", count=offer.gpu_count, device=_gpu_name(offer.gpu)),
            say("report.price.ask")
            if offer.price_usd_per_hour is None
            else wording.value("usd", offer.price_usd_per_hour),
            offer.price_date or "",
            " ".join(filter(None, (offer.source, offer.source_url))),
            offer.licence,
        )
        for offer in first[:_PRICE_ROWS]
    )
    columns = ("provider", "package", "usd_per_h", "date", "source", "licence")
    names = tuple(say(f"report.price.{column}") for column in columns)
    return Table(names, rows, (False, False, True, False, False, False))


def _gpu_name(gpu: str) -> str:
    spec = by_id(gpu)
    return short_device(spec.name) if spec else gpu


def _validity(chosen: Option | None, today: date | None, wording: Wording) -> str:
    """Until when the prices behind the chosen option may be relied on, or that they no longer may."""
    dated = chosen.price.oldest_price_date if chosen and chosen.price else None
    if dated is None:
        return wording.messages.say("report.signoff.valid_unknown")
    until = dated + timedelta(days=STALE_AFTER_DAYS)
    code = "expired" if today and today > until else "valid"
    days = str(STALE_AFTER_DAYS)
    return wording.say(f"report.signoff.{code}", date=until.isoformat(), days=days)


def _signoff(
    chosen: Option | None, digest: str, plan_file_name: str, today: date | None, wording: Wording
) -> Section:
    say = wording.messages.say
    roles = tuple(
        (say(f"report.signoff.{role}"), "", "", "") for role in ("prepared", "checked", "approved", "cap")
    )
    columns = tuple(say(f"report.signoff.{column}") for column in ("role", "name", "date", "signature"))
    return Section(
        "signoff",
        _title("signoff", wording),
        (
            say("report.signoff.hash", hash=digest),
            say("report.signoff.replay", file=plan_file_name),
            _validity(chosen, today, wording),
        ),
        (Table(columns, roles, (False, False, False, False)),),
    )
