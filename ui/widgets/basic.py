"""Labels, cards, buttons and tables as the theme styles them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QAbstractItemModel, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from ui.theme import GRID

ROW_HEIGHT = 28
_READABLE_PX = 160  # narrower, an elastic column is not squeezed


def label(text: str = "", role: str = "", *, wrap: bool = False) -> QLabel:
    """A text that the user can select with the mouse when it wraps (messages, paths)."""
    result = QLabel(text)
    result.setTextFormat(Qt.TextFormat.PlainText)
    if role:
        result.setProperty("role", role)
    if wrap:
        result.setWordWrap(True)
        result.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return result


def set_role(widget: QWidget, role: str) -> None:
    """Change a widget's role; the style sheet looks at it again."""
    if widget.property("role") != role:
        widget.setProperty("role", role)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def button(text: str, on_click: Callable[[], object], role: str = "", tip: str = "") -> QPushButton:
    result = QPushButton(text)
    result.setAccessibleName(text.replace("&", ""))
    if role:
        result.setProperty("role", role)
    if tip:
        result.setToolTip(tip)
    result.clicked.connect(lambda _checked: on_click())
    return result


class ElidedLabel(QLabel):
    """One line that ends in "…" when it is too long; the whole is in its tool tip."""

    def __init__(self, role: str) -> None:
        super().__init__()
        self.setProperty("role", role)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setMinimumWidth(80)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.full_text = ""

    def set_full_text(self, text: str) -> None:
        self.full_text = text
        self.setAccessibleName(text)
        self._elide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        shown = self.fontMetrics().elidedText(self.full_text, Qt.TextElideMode.ElideRight, self.width())
        self.setText(shown)
        self.setToolTip("" if shown == self.full_text else self.full_text)


class Card(QFrame):
    """A titled surface. Fill ``body``; ``header`` holds the title and what stands to its right."""

    def __init__(self, title: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        outer = QVBoxLayout(self)
        outer.setContentsMargins(2 * GRID, GRID + 4, 2 * GRID, 2 * GRID)
        outer.setSpacing(GRID)
        self.header = QHBoxLayout()
        self.header.setSpacing(GRID)
        self.title = ElidedLabel("heading")
        self.title.set_full_text(title)
        if title:
            self.header.addWidget(self.title, 1)
            outer.addLayout(self.header)
        self.body = QVBoxLayout()
        self.body.setSpacing(GRID)
        outer.addLayout(self.body, 1)


class Page(QScrollArea):
    """A page that may scroll up and down, never sideways. Fill ``body``."""

    def __init__(self, title: str, subtitle: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(title)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        inside = QWidget()
        inside.setProperty("role", "page")
        self.setWidget(inside)
        self.body = QVBoxLayout(inside)
        self.body.setContentsMargins(3 * GRID, 2 * GRID, 3 * GRID, 3 * GRID)
        self.body.setSpacing(2 * GRID)
        self.top = QHBoxLayout()
        self.top.setSpacing(GRID)
        titles = QVBoxLayout()
        titles.setSpacing(2)
        titles.addWidget(label(title, "title"))
        if subtitle:
            titles.addWidget(label(subtitle, "quiet", wrap=True))
        self.top.addLayout(titles, 1)
        self.body.addLayout(self.top)


class DataTable(QTableView):
    """A read-only table; ``fit_height`` shows all rows so that only the page scrolls.

    ``elastic``: the column that takes what the others leave. It stays readable: where that is too narrow, the
    table scrolls sideways. Without one the last column fills what is left. ``even_columns``: all share the width.
    """

    def __init__(
        self,
        model: QAbstractItemModel,
        name: str,
        *,
        fit_height: bool = False,
        elastic: int | None = None,
        even_columns: bool = False,
    ) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self._fit_height = fit_height
        self.elastic = elastic
        self._even_columns = even_columns
        self.setModel(model)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)  # Tab leaves the table; the arrows move in it
        self.verticalHeader().setVisible(False)
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setStretchLastSection(True)
        self.setHorizontalScrollBarPolicy(
            Qt.ScrollBarPolicy.ScrollBarAlwaysOff if fit_height else Qt.ScrollBarPolicy.ScrollBarAsNeeded
        )
        model.modelReset.connect(self.fit)
        for changed in (model.dataChanged, model.rowsInserted, model.rowsRemoved):
            changed.connect(self._fit_if_seen)

    def _fit_if_seen(self) -> None:
        if self.isVisible():
            self.fit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit_if_seen()

    def fit(self) -> None:
        """Columns as wide as their contents; all rows visible where asked."""
        header_view = self.horizontalHeader()
        scrolls = False
        if self._even_columns:
            header_view.setStretchLastSection(False)  # it would widen the last one past the edge
            header_view.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        elif self.elastic is None:
            header_view.setStretchLastSection(False)
            self.resizeColumnsToContents()
            header_view.setStretchLastSection(header_view.length() < self.viewport().width() or self._fit_height)
        else:
            scrolls = self._fit_elastic(self.elastic)
        if self._fit_height:
            rows = self.model().rowCount()
            header = self.horizontalHeader().sizeHint().height() if self.horizontalHeader().isVisible() else 0
            bar = self.horizontalScrollBar().sizeHint().height() if scrolls else 0
            self.setFixedHeight(header + max(rows, 1) * ROW_HEIGHT + bar + 6)
            self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def _fit_elastic(self, elastic: int) -> bool:
        """Give the elastic column what the others leave; returns whether the table must scroll sideways."""
        header_view = self.horizontalHeader()
        header_view.setStretchLastSection(False)
        header_view.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        if elastic >= header_view.count():
            return False
        wanted = [
            max(self.sizeHintForColumn(column), header_view.sectionSizeHint(column))
            for column in range(header_view.count())
        ]
        least = min(wanted[elastic], _READABLE_PX)
        scrolls = sum(wanted) - wanted[elastic] + least > self.viewport().width()
        mode = QHeaderView.ResizeMode.Fixed if scrolls else QHeaderView.ResizeMode.Stretch
        header_view.setSectionResizeMode(elastic, mode)
        if scrolls:
            header_view.resizeSection(elastic, least)
        if self._fit_height:
            policy = Qt.ScrollBarPolicy
            self.setHorizontalScrollBarPolicy(policy.ScrollBarAlwaysOn if scrolls else policy.ScrollBarAlwaysOff)
        return scrolls


def row(*widgets: QWidget | None, spacing: int = GRID) -> QHBoxLayout:
    """Widgets beside each other; None is a stretch."""
    result = QHBoxLayout()
    result.setSpacing(spacing)
    for widget in widgets:
        if widget is None:
            result.addStretch(1)
        else:
            result.addWidget(widget)
    return result
