"""The prices: an editable, dated table. A typed price becomes a quote of today."""

from __future__ import annotations

from PySide6.QtCore import QSortFilterProxyModel, Qt
from PySide6.QtWidgets import QAbstractItemView, QCheckBox, QHBoxLayout, QLineEdit

from planner.offers.offer import Offer
from ui.controllers.plan import PlanController
from ui.models.offers_model import PRICE_COLUMN, OffersModel
from ui.notices import Notices, Severity
from ui.state import Store
from ui.theme import GRID
from ui.widgets.basic import Card, DataTable, button, label


class _Filter(QSortFilterProxyModel):
    """All words must appear in the row; optionally only what the decision weighs: RTX 3090."""

    def __init__(self, parent: OffersCard) -> None:
        super().__init__(parent)
        self._words: list[str] = []
        self._only_3090 = True

    def set_words(self, text: str) -> None:
        self.beginFilterChange()
        self._words = text.lower().split()
        self.endFilterChange()

    def set_only_3090(self, only: bool) -> None:
        self.beginFilterChange()
        self._only_3090 = only
        self.endFilterChange()

    def filterAcceptsRow(self, row: int, _parent: object) -> bool:
        model = self.sourceModel()
        texts = [str(model.index(row, column).data()) for column in range(model.columnCount())]
        if self._only_3090 and "3090" not in texts[1]:
            return False
        line = " ".join(texts).lower()
        return all(word in line for word in self._words)


class OffersCard(Card):
    """Shows the store's offers; what is typed goes to the controller. Undo brings the last price back."""

    def __init__(self, store: Store, plan: PlanController, notices: Notices) -> None:
        super().__init__("")
        self._store, self._plan, self._notices = store, plan, notices
        self._before: list[tuple[Offer, ...]] = []
        self.setAccessibleName(self.tr("Prices"))
        self.body.addWidget(
            label(
                self.tr(
                    "iRender sells packages of 1, 2, 4 and 6 cards and wants to be asked: type your quote into "
                    "the column Price per hour. Other offers give the range until then. Prices move weekly; older "
                    "than 14 days is marked stale."
                ),
                "quiet",
                wrap=True,
            )
        )
        self.search = QLineEdit()
        self.search.setPlaceholderText(self.tr("Filter: provider, kind, source…"))
        self.search.setAccessibleName(self.tr("Filter the prices"))
        self.search.setClearButtonEnabled(True)
        self.only = QCheckBox(self.tr("RTX 3090 only"))
        self.only.setChecked(True)
        self.only.setAccessibleName(self.only.text())
        self.undo = button(self.tr("&Undo"), self._undo, tip=self.tr("Bring the last price back"))
        line = QHBoxLayout()
        line.setSpacing(GRID)
        line.addWidget(self.search, 1)
        line.addWidget(self.only)
        line.addWidget(self.undo)
        self.body.addLayout(line)
        self.model = OffersModel(self)
        self._filter = _Filter(self)
        self._filter.setSourceModel(self.model)
        self.table = DataTable(self._filter, self.tr("Offers"), elastic=7)
        self.table.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.EditKeyPressed
            | QAbstractItemView.EditTrigger.AnyKeyPressed
        )
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)
        self.table.setMinimumHeight(320)
        self.table.setSortingEnabled(True)
        self.table.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        self.body.addWidget(self.table, 1)
        self.search.textChanged.connect(self._filter.set_words)
        self.only.toggled.connect(self._filter.set_only_3090)
        self.model.edited.connect(self._edited)
        self.model.refused.connect(self._refused)
        store.offers_changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        self.model.set_offers(self._store.offers)
        self.undo.setEnabled(bool(self._before))

    def edit_price(self, row: int) -> None:
        """Open the price of a visible row for typing."""
        self.table.edit(self._filter.index(row, PRICE_COLUMN))

    def _edited(self, offers: tuple[Offer, ...]) -> None:
        self._before.append(self._store.offers)
        self._notices.clear("price")
        self._plan.set_offers(offers)

    def _undo(self) -> None:
        if self._before:
            self._plan.set_offers(self._before.pop())
            self.refresh()

    def _refused(self, why: str) -> None:
        self._notices.show("price", Severity.WARNING, why)
