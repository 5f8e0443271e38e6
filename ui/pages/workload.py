"""Workload: which model, how it is trained, on what, and what time and money mean; and the prices."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QTabWidget, QVBoxLayout, QWidget

from ui.controllers.offers import OffersController
from ui.controllers.plan import PlanController
from ui.i18n import tr
from ui.notices import Notices
from ui.pages.memory_line import MemoryLine
from ui.pages.offers_card import OffersCard
from ui.pages.presets_card import PresetsCard
from ui.pages.workload_form import WorkloadForm
from ui.settings import Settings
from ui.state import Store
from ui.theme import GRID
from ui.widgets.basic import Page


class WorkloadPage(Page):
    """The form and the prices, one tab each."""

    def __init__(
        self, store: Store, plan: PlanController, offers: OffersController, notices: Notices, settings: Settings
    ) -> None:
        super().__init__(
            tr("WorkloadPage", "Workload"),
            tr(
                "WorkloadPage",
                "Describe the job. What you leave alone stays an assumption; the answer follows as you type.",
            ),
        )
        tabs = QTabWidget()
        tabs.setAccessibleName(self.tr("Parts of the workload"))
        tabs.setDocumentMode(True)
        tabs.tabBar().setDrawBase(False)
        tabs.addTab(self._job_tab(store, plan), self.tr("&Job"))
        tabs.addTab(self._price_tab(OffersCard(store, plan, offers, notices, settings)), self.tr("&Prices"))
        self.tabs = tabs
        self.body.addWidget(tabs)
        self.body.addStretch(1)

    def _price_tab(self, card: OffersCard) -> QWidget:
        tab = QWidget()
        tab.setProperty("role", "page")
        layout = QVBoxLayout(tab)
        layout.setContentsMargins(0, 2 * GRID, 0, 0)
        self.offers = card
        layout.addWidget(self.offers)
        return tab

    def _job_tab(self, store: Store, plan: PlanController) -> QWidget:
        tab = QWidget()
        tab.setProperty("role", "page")
        layout = QHBoxLayout(tab)
        layout.setContentsMargins(0, 2 * GRID, 0, 0)
        layout.setSpacing(2 * GRID)
        self.presets = PresetsCard(store, plan)
        left = QVBoxLayout()
        left.addWidget(self.presets, 1)
        layout.addLayout(left, 2)
        right = QVBoxLayout()
        right.setSpacing(2 * GRID)
        self.memory = MemoryLine(store)
        self.form = WorkloadForm(store, plan)
        right.addWidget(self.memory)
        right.addWidget(self.form)
        right.addStretch(1)
        layout.addLayout(right, 5)
        return tab
