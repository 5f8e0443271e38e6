"""The table of all options as the screen shows it: likely values with their ranges, the reasons on selection."""

from __future__ import annotations

from planner.decide.types import Option, Recommendation
from planner.report.types import Table
from planner.report.wording import Wording
from ui.i18n import say, tr


def options_table(recommendation: Recommendation, words: Wording) -> Table:
    """One row per option, in the order of the recommendation."""
    return Table(
        columns=(
            tr("Options", "Option"),
            tr("Options", "Time to the result"),
            tr("Options", "Cost"),
            tr("Options", "On time"),
            tr("Options", "Memory"),
            tr("Options", "Speed-up"),
            tr("Options", "Best in"),
            tr("Options", "State"),
        ),
        rows=tuple(_row(option, recommendation, words) for option in recommendation.options),
        numeric=(False, True, True, True, False, True, True, False),
        keys=tuple(option.key for option in recommendation.options),
        emphasis=tuple(option.key == recommendation.chosen for option in recommendation.options),
    )


def _row(option: Option, recommendation: Recommendation, words: Wording) -> tuple[str, ...]:
    return (
        words.option(option),
        words.value("time_s", option.time_s),
        words.value("cost_usd", option.cost_usd),
        "–" if option.p_on_time is None else words.value("p_share", option.p_on_time),
        say(f"memory.fits.{option.memory.fits.value}") if option.memory else words.value("memory", None),
        words.value("speedup", option.speedup),
        words.value("p_share", option.p_best),
        _state(option, recommendation),
    )


def _state(option: Option, recommendation: Recommendation) -> str:
    if option.key == recommendation.chosen:
        return tr("Options", "recommended")
    if option.rejected:
        return tr("Options", "ruled out")
    return tr("Options", "runner-up") if option.key == recommendation.runner_up else ""
