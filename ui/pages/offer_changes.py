"""What an import would change, to be looked at before prices are replaced."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QVBoxLayout, QWidget

from planner.report.types import Table
from ui.models.offer_columns import price_text
from ui.models.table_model import TableModel
from ui.theme import GRID
from ui.widgets.basic import DataTable, button, label, row

if TYPE_CHECKING:
    from planner.offers.difference import OfferChange


class OfferChangesDialog(QDialog):
    """``on_accept`` is called with the changes when the user takes them."""

    def __init__(
        self,
        changes: tuple[OfferChange, ...],
        on_accept: Callable[[tuple[OfferChange, ...]], None],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Changes to the prices"))
        self.setModal(True)
        self.resize(860, 520)
        self._changes, self._on_accept = changes, on_accept
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        layout.setSpacing(GRID)
        text = self.tr("{0} offers would change or be new. Nothing is replaced before you take them.")
        layout.addWidget(label(text.format(len(changes)), wrap=True))
        self.table = DataTable(TableModel(self._table(), self), self.tr("Changes to the prices"), elastic=1)
        layout.addWidget(self.table, 1)
        self.take = button(self.tr("&Take these prices"), self._take, "primary")
        self.leave = button(self.tr("&Leave everything as it is"), self.reject)
        layout.addLayout(row(None, self.leave, self.take))

    def _table(self) -> Table:
        kinds = {"new": self.tr("new"), "changed": self.tr("changed"), "dated": self.tr("same price, newer")}
        columns = (
            self.tr("Provider"), self.tr("Package"), self.tr("Kind"), self.tr("Before"), self.tr("Now"),
            self.tr("Change"), self.tr("What"),
        )  # fmt: skip
        rows = tuple(
            (
                change.after.provider,
                f"{change.after.gpu_count} × {change.after.gpu}",
                change.after.pricing,
                price_text(change.before) if change.before else "",
                price_text(change.after),
                "" if change.share is None else f"{change.share:+.0%}",
                kinds[change.kind],
            )
            for change in self._changes
        )
        return Table(columns, rows, (False, False, False, True, True, True, False))

    def _take(self) -> None:
        self._on_accept(self._changes)
        self.accept()
