"""Machine: the GPUs, the computer, what works and what does not, and which Python runs the benchmark."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from ui.controllers.detect import DetectController
from ui.i18n import tr
from ui.pages.machine_parts import CheckCard, GpuCard, HostCard, PythonCard
from ui.settings import Settings
from ui.state import Store
from ui.theme import GRID
from ui.widgets.basic import Page, button


class MachinePage(Page):
    """Shows the store's snapshot."""

    def __init__(self, store: Store, detect: DetectController, settings: Settings) -> None:
        super().__init__(
            tr("MachinePage", "This machine"),
            tr("MachinePage", "What is built in, and whether it is ready to be measured."),
        )
        self._detect = detect
        self.refresh_button = button(self.tr("&Refresh"), detect.refresh, tip=self.tr("Look again (F5)"))
        self.refresh_button.setShortcut("F5")
        self.top.addWidget(self.refresh_button)
        columns = QHBoxLayout()
        columns.setSpacing(2 * GRID)
        left, right = QVBoxLayout(), QVBoxLayout()
        for column in (left, right):
            column.setSpacing(2 * GRID)
        left.addWidget(GpuCard(store, detect))
        left.addStretch(1)
        right.addWidget(PythonCard(store, detect, settings))
        right.addWidget(CheckCard(store))
        self._columns = (left, right)
        self._host = HostCard(store)
        right.addStretch(1)
        columns.addLayout(left, 5)
        columns.addLayout(right, 4)
        self.body.addLayout(columns)
        self.body.addStretch(1)
        self._store = store
        store.snapshot_changed.connect(self._place_host)
        self._place_host()
        detect.busy_changed.connect(self._update_busy)
        self._update_busy()

    def _place_host(self) -> None:
        """The computer's card stands in the column that has room: a table of GPUs fills the left one."""
        beside_gpus = bool(self._store.snapshot and self._store.snapshot.gpus)
        left, right = self._columns
        left.removeWidget(self._host)
        right.removeWidget(self._host)
        column = right if beside_gpus else left
        column.insertWidget(column.count() - 1, self._host)  # above the stretch

    def _update_busy(self) -> None:
        self.refresh_button.setText(self.tr("Looking…") if self._detect.is_busy else self.tr("&Refresh"))
        self.refresh_button.setShortcut("F5")
