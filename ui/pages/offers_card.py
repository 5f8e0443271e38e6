"""The prices: an editable, dated table that can be imported and refreshed; every change can be undone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSortFilterProxyModel, Qt
from PySide6.QtWidgets import QAbstractItemView, QCheckBox, QHBoxLayout, QLineEdit

from planner.offers.currency import rates_text, typed_rates
from planner.offers.offer import Offer
from ui.controllers.offers import OffersController
from ui.controllers.plan import PlanController
from ui.files import ask_open
from ui.models.offers_model import PRICE_COLUMN, OffersModel
from ui.notices import Notices, Severity
from ui.pages.offer_changes import OfferChangesDialog
from ui.settings import Settings
from ui.state import Store
from ui.theme import GRID
from ui.widgets.basic import Card, DataTable, button, label, row

if TYPE_CHECKING:
    from planner.offers.difference import OfferChange


_RATES_WIDTH = 280  # three currencies: one cut off in front reads as another number


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
    """Shows the store's offers; what is typed or taken goes to the controller. Undo brings the last table back."""

    def __init__(
        self, store: Store, plan: PlanController, offers: OffersController, notices: Notices, settings: Settings
    ) -> None:
        super().__init__("")
        self._store, self._plan, self._notices = store, plan, notices
        self._offers, self._settings = offers, settings
        self._before: list[tuple[Offer, ...]] = []
        self.setAccessibleName(self.tr("Prices"))
        self.body.addWidget(
            label(
                self.tr(
                    "iRender sells packages of 1, 2, 4 and 6 cards and wants to be asked: type your quote into "
                    "the column Price per hour, in USD or as in 60000 VND. Until then other offers give "
                    "the range. Prices move weekly: older than 14 days is stale. Columns with ✎ can be edited."
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
        self.undo = button(self.tr("&Undo"), self._undo, tip=self.tr("Bring the last table back"))
        self.import_file = button(
            self.tr("&Import…"),
            self._import,
            tip=self.tr("Prices from gpuhunt's or SkyPilot's catalogue, or from a CSV or JSON table of your own"),
        )
        self.fetch = button(self.tr("Fetch pri&ces"), self._fetch)
        self.progress = label("", "quiet")
        line = QHBoxLayout()
        line.setSpacing(GRID)
        line.addWidget(self.search, 1)
        line.addWidget(self.only)
        for widget in (self.progress, self.import_file, self.fetch, self.undo):
            line.addWidget(widget)
        self.body.addLayout(line)
        self.body.addLayout(self._rates_line())
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
        offers.found.connect(self._ask)
        offers.busy_changed.connect(self._show_busy)
        offers.progress.connect(self._show_progress)
        self.refresh()
        self._show_busy()

    def refresh(self) -> None:
        self.model.set_offers(self._store.offers)
        self.undo.setEnabled(bool(self._before))
        rates = self._store.rates
        if not self.rates.hasFocus():
            self.rates.setText(rates_text(rates))
        self.rates.setToolTip("\n".join(f"{rate.currency}: {rate.date}, {rate.source}" for rate in rates))

    def _rates_line(self) -> QHBoxLayout:
        """What a dollar buys: for prices in other currencies."""
        self.rates = QLineEdit()
        self.rates.setMinimumWidth(_RATES_WIDTH)
        self.rates.setAccessibleName(self.tr("Exchange rates: what one US dollar buys"))
        self.rates.setPlaceholderText(self.tr("0.86 EUR, 26300 VND"))
        self.rates.editingFinished.connect(self._rates_typed)
        caption = label(self.tr("One US dollar buys"), "quiet")
        caption.setBuddy(self.rates)
        return row(caption, self.rates, None)

    def _rates_typed(self) -> None:
        today = self.model.today.isoformat()
        try:
            rates = typed_rates(self.rates.text(), self._store.rates, today, self.tr("typed by you"))
        except ValueError as error:
            self._notices.show("rates", Severity.WARNING, str(error))
            return
        self._notices.clear("rates")
        if rates != self._store.rates:
            self._plan.set_rates(rates)

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

    def _import(self) -> None:
        kinds = self.tr("Tables of prices (*.csv *.json);;All files (*)")
        path = ask_open(self, self._settings, self.tr("Import prices"), kinds)
        if path is not None:
            self._offers.import_file(path)

    def _fetch(self) -> None:
        if self._offers.is_busy:
            self._offers.cancel()
        else:
            self._offers.refresh()

    def _show_busy(self) -> None:
        busy = self._offers.is_busy
        self.import_file.setEnabled(not busy)
        self.fetch.setText(self.tr("&Stop") if busy else self.tr("Fetch pri&ces"))
        tip = self.tr("From gpuhunt's catalogues on the internet; nothing is sent, nothing replaced unasked")
        self.fetch.setToolTip("" if busy else tip)
        self.progress.setText(self.tr("Reading prices…") if busy else "")

    def _show_progress(self, done: int, count: int, provider: str) -> None:
        if provider and self._offers.is_busy:
            self.progress.setText(self.tr("Asking {0}, {1} of {2}…").format(provider, done + 1, count))

    def _ask(self, changes: tuple[OfferChange, ...]) -> None:
        """Show what would change; take it when the user says so."""
        self.dialog = OfferChangesDialog(changes, self._take, self)
        self.dialog.open()

    def _take(self, changes: tuple[OfferChange, ...]) -> None:
        from planner.offers.difference import merged

        self._edited(merged(self._store.offers, changes))

    def _refused(self, why: str) -> None:
        self._notices.show("price", Severity.WARNING, why)
