"""Tables of the report as Qt item models: text as formatted, numbers to the right, the recommended row bold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont

if TYPE_CHECKING:
    from planner.report.types import Table

Index = QModelIndex | QPersistentModelIndex
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class TableModel(QAbstractTableModel):
    """Shows one ``Table``; ``set_table`` replaces it."""

    def __init__(self, table: Table | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._table = table

    @property
    def table(self) -> Table | None:
        return self._table

    def set_table(self, table: Table) -> None:
        """Rows that only change their text keep their selection."""
        old = self._table
        if old is not None and (old.columns, len(old.rows)) == (table.columns, len(table.rows)):
            self._table = table
            if table.rows:
                last = self.index(len(table.rows) - 1, len(table.columns) - 1)
                self.dataChanged.emit(self.index(0, 0), last)
            return
        self.beginResetModel()
        self._table = table
        self.endResetModel()

    def key(self, row: int) -> str | None:
        """The option a row is about; None for one that cannot be chosen."""
        keys = self._table.keys if self._table else ()
        return (keys[row] or None) if 0 <= row < len(keys) else None

    def row_of(self, key: str | None) -> int | None:
        keys = self._table.keys if self._table else ()
        return keys.index(key) if key in keys else None

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() or self._table is None else len(self._table.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() or self._table is None else len(self._table.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if self._table is None or not index.isValid():
            return None
        text = self._table.rows[index.row()][index.column()]
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.ToolTipRole:
                return text
            case Qt.ItemDataRole.TextAlignmentRole:
                return RIGHT if self._table.numeric[index.column()] else LEFT
            case Qt.ItemDataRole.FontRole if index.row() < len(self._table.emphasis):
                font = QFont()
                font.setBold(self._table.emphasis[index.row()])
                return font
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if self._table is None or orientation != Qt.Orientation.Horizontal:
            return None
        if not 0 <= section < len(self._table.columns):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._table.columns[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if self._table.numeric[section] else LEFT
        return None
