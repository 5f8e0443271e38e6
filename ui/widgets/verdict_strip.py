"""The answer at a glance, above every page: what to do, when, for how much, how sure, and what decides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout

from ui.i18n import wording
from ui.state import Store
from ui.theme import GRID
from ui.widgets.basic import ElidedLabel, label

if TYPE_CHECKING:
    from planner.decide.types import Recommendation


class _Metric(QFrame):
    """A caption, a value and its range."""

    def __init__(self, caption: str) -> None:
        super().__init__()
        self._caption = caption
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(label(caption, "caption"))
        self.value = label("–", "value")
        layout.addWidget(self.value)
        self.spread = label("", "caption")
        layout.addWidget(self.spread)

    def show_value(self, text: str, spread: str = "") -> None:
        self.value.setText(text)
        self.spread.setText(spread)
        self.setAccessibleName(f"{self._caption}: {text} {spread}".strip())


class VerdictStrip(QFrame):
    """Always visible; marks an answer that is out of date."""

    def __init__(self, store: Store) -> None:
        super().__init__()
        self._store = store
        self.setProperty("role", "strip")
        self.setFixedHeight(11 * GRID - 4)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(3 * GRID, GRID, 3 * GRID, GRID)
        layout.setSpacing(3 * GRID)
        texts = QVBoxLayout()
        texts.setSpacing(2)
        first = QHBoxLayout()
        first.setSpacing(GRID)
        self.headline = label("", "headline")
        first.addWidget(self.headline)
        self.chip = label(self.tr("out of date"), "chip")
        first.addWidget(self.chip)
        first.addStretch(1)
        texts.addStretch(1)
        texts.addLayout(first)
        self.hinge = ElidedLabel("quiet")
        texts.addWidget(self.hinge)
        texts.addStretch(1)
        layout.addLayout(texts, 1)
        self.time = _Metric(self.tr("Time to the result"))
        self.cost = _Metric(self.tr("Cost"))
        self.confidence = _Metric(self.tr("Best choice in"))
        for metric in (self.time, self.cost, self.confidence):
            layout.addWidget(metric)
        store.answer_changed.connect(self.refresh)
        for signal in (store.draft_changed, store.snapshot_changed, store.offers_changed, store.benchmark_changed):
            signal.connect(self._mark_stale)
        self.refresh()

    def _mark_stale(self) -> None:
        self.chip.setVisible(self._store.answer.stale)

    def refresh(self) -> None:
        recommendation = self._store.answer.recommendation
        for metric in (self.time, self.cost, self.confidence):
            metric.setVisible(recommendation is not None)
        self._mark_stale()
        if recommendation is None:
            self.headline.setText(self.tr("No answer yet"))
            problems = self._store.answer.problems
            waiting = self.tr("The first answer is being worked out.")
            self.hinge.set_full_text(next(iter(problems.values()), waiting))
            self.setAccessibleName(self.headline.text())
            return
        self._show(recommendation)

    def _show(self, recommendation: Recommendation) -> None:
        words = wording()
        self.setAccessibleName(words.verdict(recommendation))
        self.headline.setText(self._advice(recommendation))
        problems = self._store.answer.problems
        if problems:
            self.hinge.set_full_text(
                self.tr("Not for what is typed now: {0}").format(next(iter(problems.values())))
            )
        elif recommendation.reasons:
            self.hinge.set_full_text(words.reason(recommendation.reasons[0]))
        else:
            self.hinge.set_full_text("")
        chosen = recommendation.option(recommendation.chosen) if recommendation.chosen else None
        self.time.show_value(*_split_range("time_s", chosen.time_s if chosen else None))
        self.cost.show_value(*_split_range("cost_usd", chosen.cost_usd if chosen else None))
        share = words.value("confidence_share", recommendation.confidence)
        self.confidence.show_value(share if chosen else "–", self.tr("of simulated cases"))

    def _advice(self, recommendation: Recommendation) -> str:
        if recommendation.chosen is None:
            return self.tr("No option can do this job as described")
        option = recommendation.option(recommendation.chosen)
        name = wording().option(option)
        where = self.tr("Stay on this machine") if option.kind == "local" else self.tr("Rent {0}").format(name)
        if recommendation.verdict == "measure_first":
            return self.tr("Measure first – present favourite: {0}").format(name)
        if recommendation.verdict == "either":
            return self.tr("{0} – nothing else is clearly better").format(where)
        return where

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.refresh()


def _split_range(name: str, value: object) -> tuple[str, str]:
    """ "17 h (8–28 h)" → "17 h", "8–28 h": the value large, its range below."""
    text = wording().value(name, value)
    likely, bracket, spread = text.partition(" (")
    return (likely, spread.removesuffix(")")) if bracket else (text, "")
