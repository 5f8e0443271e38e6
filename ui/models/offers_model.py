"""The offers as a table: prices and what packages hold can be typed; a typed price becomes a quote of today."""

from __future__ import annotations

import datetime
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from planner.offers.offer import Offer
from planner.offers.price import is_stale
from ui.models.offer_columns import COLUMNS, price_text, with_price
from ui.models.table_model import LEFT, RIGHT

Index = QModelIndex | QPersistentModelIndex
PRICE_COLUMN = 3
_FIRST_DETAIL = 8  # columns from here on are those of ``COLUMNS``
_NUMERIC = {2, 3, 4, *(index for index, column in enumerate(COLUMNS, _FIRST_DETAIL) if column.numeric)}


def _is_editable(column: int) -> bool:
    return column == PRICE_COLUMN or column >= _FIRST_DETAIL


class OffersModel(QAbstractTableModel):
    """``edited`` brings the whole new tuple of offers; ``refused`` why a typed price was not taken."""

    edited = Signal(object)
    refused = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._offers: tuple[Offer, ...] = ()
        self.today = datetime.datetime.now(datetime.UTC).date()

    def set_offers(self, offers: tuple[Offer, ...]) -> None:
        if len(offers) == len(self._offers) and offers:
            self._offers = offers
            self.dataChanged.emit(self.index(0, 0), self.index(len(offers) - 1, self.columnCount() - 1))
            return
        self.beginResetModel()
        self._offers = offers
        self.endResetModel()

    def _columns(self) -> tuple[str, ...]:
        return (
            self.tr("Provider"),
            self.tr("GPU"),
            self.tr("GPUs"),
            self.tr("Price per hour ✎"),
            self.tr("Per GPU and hour"),
            self.tr("Kind"),
            self.tr("Price of"),
            self.tr("Source"),
            self.tr("vCPUs ✎"),
            self.tr("RAM, GB ✎"),
            self.tr("Disk, GB ✎"),
            self.tr("Region ✎"),
            self.tr("Interconnect ✎"),
            self.tr("OS ✎"),
            self.tr("Start, min ✎"),
            self.tr("Billing step, min ✎"),
            self.tr("Least, min ✎"),
            self.tr("Upload billed ✎"),
            self.tr("Discount ✎"),
            self.tr("Points ✎"),
            self.tr("Storage, USD/GB and month ✎"),
            self.tr("Egress, USD/GB ✎"),
        )

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self._offers)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else _FIRST_DETAIL + len(COLUMNS)

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsEditable if _is_editable(index.column()) else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        offer = self._offers[index.row()]
        column = index.column()
        if role == Qt.ItemDataRole.EditRole and column == PRICE_COLUMN:
            in_usd = "" if offer.price_usd_per_hour is None else f"{offer.price_usd_per_hour:g}"
            return in_usd if offer.price_per_hour is None else f"{offer.price_per_hour:g} {offer.currency}"
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return self._texts(offer)[column]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if column in _NUMERIC else LEFT
        if role == Qt.ItemDataRole.ToolTipRole:
            return "\n".join(filter(None, (offer.source, offer.source_url, offer.notes, offer.licence)))
        return None

    def _texts(self, offer: Offer) -> tuple[str, ...]:
        return (
            offer.provider,
            offer.gpu,
            str(offer.gpu_count),
            price_text(offer) or self.tr("ask for quote"),
            price_text(offer, 1 / offer.gpu_count),
            offer.pricing,
            self._date(offer),
            offer.source,
            *(column.text(offer) for column in COLUMNS),
        )

    def _date(self, offer: Offer) -> str:
        if not offer.price_date:
            return ""
        return self.tr("{0} – stale").format(offer.price_date) if is_stale(offer, self.today) else offer.price_date

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.EditRole or not index.isValid() or not _is_editable(index.column()):
            return False
        offer = self._offers[index.row()]
        try:
            changed = self._changed(offer, index.column(), str(value))
        except ValueError as error:
            self.refused.emit(str(error))
            return False
        if changed != offer:
            self._offers = (*self._offers[: index.row()], changed, *self._offers[index.row() + 1 :])
            self.dataChanged.emit(self.index(index.row(), 0), self.index(index.row(), self.columnCount() - 1))
            self.edited.emit(self._offers)
        return True

    def _changed(self, offer: Offer, column: int, text: str) -> Offer:
        """The offer with what was typed; a price is then a quote of today. Raises ValueError with a sentence."""
        if column != PRICE_COLUMN:
            return COLUMNS[column - _FIRST_DETAIL].changed(offer, text)
        priced = with_price(offer, text)
        if priced == offer:
            return offer
        is_known = priced.price_usd_per_hour is not None or priced.price_per_hour is not None
        return replace(
            priced,
            price_date=self.today.isoformat() if is_known else None,
            pricing="quote",
            source=self.tr("typed by you"),
            source_url="",
        )

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < self.columnCount():
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._columns()[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if section in _NUMERIC else LEFT
        return None
