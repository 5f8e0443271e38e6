"""The offers as a table: prices can be typed, everything else is as published, with its date and source."""

from __future__ import annotations

import datetime
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from planner.offers.offer import MOST_USD_PER_HOUR, Offer
from planner.offers.price import is_stale
from planner.units import format_money, parse_count
from ui.i18n import say
from ui.models.table_model import LEFT, RIGHT

Index = QModelIndex | QPersistentModelIndex
PRICE_COLUMN = 3
_NUMERIC = (2, 3, 4)


def parse_price(text: str) -> float | None:
    """Dollars per hour as typed; empty: no price. Raises ValueError with a sentence."""
    stripped = text.strip().removeprefix("$").strip()
    if not stripped:
        return None
    try:
        value = parse_count(stripped)
    except ValueError:
        raise ValueError(say("form.price.not_a_price", text=text.strip())) from None
    if not 0 <= value <= MOST_USD_PER_HOUR:
        raise ValueError(say("form.price.not_a_price", text=text.strip()))
    return value


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
        )

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self._offers)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else 8

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsEditable if index.column() == PRICE_COLUMN else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        offer = self._offers[index.row()]
        column = index.column()
        if role == Qt.ItemDataRole.EditRole and column == PRICE_COLUMN:
            return "" if offer.price_usd_per_hour is None else f"{offer.price_usd_per_hour:g}"
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return self._texts(offer)[column]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if column in _NUMERIC else LEFT
        if role == Qt.ItemDataRole.ToolTipRole:
            return "\n".join(filter(None, (offer.source, offer.source_url, offer.notes, offer.licence)))
        return None

    def _texts(self, offer: Offer) -> tuple[str, ...]:
        price = offer.price_usd_per_hour
        return (
            offer.provider,
            offer.gpu,
            str(offer.gpu_count),
            self.tr("ask for quote") if price is None else format_money(price),
            "" if price is None else format_money(price / offer.gpu_count),
            offer.pricing,
            self._date(offer),
            offer.source,
        )

    def _date(self, offer: Offer) -> str:
        if not offer.price_date:
            return ""
        return self.tr("{0} – stale").format(offer.price_date) if is_stale(offer, self.today) else offer.price_date

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.EditRole or not index.isValid() or index.column() != PRICE_COLUMN:
            return False
        try:
            price = parse_price(str(value))
        except ValueError as error:
            self.refused.emit(str(error))
            return False
        offer = self._offers[index.row()]
        if price != offer.price_usd_per_hour:
            changed = replace(
                offer,
                price_usd_per_hour=price,
                price_date=None if price is None else self.today.isoformat(),
                pricing="quote",
                source=self.tr("typed by you"),
                source_url="",
            )
            self._offers = (*self._offers[: index.row()], changed, *self._offers[index.row() + 1 :])
            self.dataChanged.emit(self.index(index.row(), 0), self.index(index.row(), self.columnCount() - 1))
            self.edited.emit(self._offers)
        return True

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
