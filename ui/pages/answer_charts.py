"""The charts of the answer, two at a time: a tab for each question. Only what is seen is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from ui.charts.card import ChartCard
from ui.i18n import wording
from ui.jobs.thread import Tasks
from ui.notices import Notices
from ui.pages.what_if_card import WhatIfCard
from ui.settings import Settings
from ui.state import Answer, Store
from ui.theme import GRID, Theme

if TYPE_CHECKING:
    from planner.report.types import ChartSpec


WHAT_IF = "what_if"


class AnswerCharts(QWidget):
    """Tabs of charts; ``cards`` by the key of their ChartSpec."""

    def __init__(self, store: Store, tasks: Tasks, theme: Theme, settings: Settings, notices: Notices) -> None:
        super().__init__()
        self._answer, self._selection = Answer(), store.selection
        self._drawn: set[str] = set()  # tabs that show the present answer
        self.cards: dict[str, ChartCard] = {}
        self.tabs = QTabBar()
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setAccessibleName(self.tr("Charts"))
        self._stack = QStackedWidget()
        self._specs: dict[str, Callable[[], Iterator[ChartSpec]]] = {}
        titles = {
            "time": self.tr("Time to the result"),
            "cost_time": self.tr("Cost against time"),
            "speedup": self.tr("Speed-up"),
            "efficiency": self.tr("Efficiency of more GPUs"),
            "roofline": self.tr("Roofline"),
            "break_even": self.tr("Buy or rent"),
            "memory": self.tr("Memory"),
            "sensitivity": self.tr("What moves the cost"),
        }
        for key, title in titles.items():
            self.cards[key] = ChartCard(title, theme, settings, notices)
            self.cards[key].selected.connect(store.select)
        self._add("cost", self.tr("Time and cost"), self._cost_specs, "time", "cost_time")
        self._add("scaling", self.tr("More GPUs"), self._scaling_specs, "speedup", "efficiency")
        self._add("device", self.tr("Memory and speed"), self._device_specs, "memory", "roofline")
        self._add("money", self.tr("Buy or rent"), self._money_specs, "break_even", "sensitivity")
        self.what_if = WhatIfCard(store, tasks, theme, settings, notices)
        self.tabs.setTabData(self.tabs.addTab(self.tr("What if")), WHAT_IF)
        self._stack.addWidget(self.what_if)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addWidget(self.tabs)
        layout.addWidget(self._stack)
        self.tabs.currentChanged.connect(self._turn)

    def _add(self, tab: str, title: str, specs: Callable[[], Iterator[ChartSpec]], *keys: str) -> None:
        page = QWidget()
        line = QHBoxLayout(page)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(2 * GRID)
        for key in keys:
            line.addWidget(self.cards[key], 1)
        self._specs[tab] = specs
        self.tabs.setTabData(self.tabs.addTab(title), tab)
        self._stack.addWidget(page)

    def _turn(self, index: int) -> None:
        self._stack.setCurrentIndex(index)
        self._draw()

    def show_tab(self, tab: str) -> None:
        self.tabs.setCurrentIndex([*self._specs, WHAT_IF].index(tab))

    def show_answer(self, answer: Answer, selection: str | None) -> None:
        self._answer, self._selection = answer, selection
        self._drawn.clear()
        self._draw()

    def _draw(self) -> None:
        """The charts of the tab in sight; one that has nothing to show gives its room to the other."""
        tab = str(self.tabs.tabData(self.tabs.currentIndex()))
        if tab in self._drawn or self._answer.recommendation is None or self._answer.inputs is None:
            return
        self._drawn.add(tab)
        if tab == WHAT_IF:
            self.what_if.show_answer(self._answer, self._selection)
            return
        found = {spec.key: spec for spec in self._specs[tab]()}
        page = self._stack.currentWidget()
        for key, card in self.cards.items():
            if page.isAncestorOf(card):
                card.setVisible(key in found)
                if key in found:
                    card.show_spec(found[key], self._selection)

    # What the tabs show

    def _cost_specs(self) -> Iterator[ChartSpec]:
        from planner.report.charts import cost_time_chart, time_chart

        recommendation, inputs = self._answer.recommendation, self._answer.inputs
        assert recommendation is not None
        assert inputs is not None
        yield time_chart(recommendation, inputs.terms, wording())
        yield cost_time_chart(recommendation, inputs.terms, wording())

    def _scaling_specs(self) -> Iterator[ChartSpec]:
        from planner.pipeline import larger_hosts
        from planner.report.scaling_charts import efficiency_chart, speedup_chart

        assert self._answer.recommendation is not None
        assert self._answer.inputs is not None
        larger = larger_hosts(self._answer.inputs)
        yield speedup_chart(self._answer.recommendation, wording(), larger)
        yield efficiency_chart(self._answer.recommendation, wording(), larger)

    def _device_specs(self) -> Iterator[ChartSpec]:
        from planner.pipeline import roofline
        from planner.report.memory_chart import memory_chart
        from planner.report.roofline_chart import roofline_chart

        recommendation, inputs = self._answer.recommendation, self._answer.inputs
        assert recommendation is not None
        assert inputs is not None
        yield memory_chart(recommendation, wording())
        option = recommendation.option(self._selection or recommendation.options[0].key)
        found = roofline(inputs, option)  # None: the GPU is not known
        if found is not None:
            yield roofline_chart(found, wording())

    def _money_specs(self) -> Iterator[ChartSpec]:
        from planner.report.break_even_chart import break_even_chart
        from planner.report.decision_sections import sensitivity_chart

        recommendation, inputs = self._answer.recommendation, self._answer.inputs
        assert recommendation is not None
        assert inputs is not None
        pays = break_even_chart(recommendation, inputs.terms, wording())
        moves = sensitivity_chart(recommendation, wording())
        yield from (spec for spec in (pays, moves) if spec is not None)  # None: not known
