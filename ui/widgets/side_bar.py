"""The side bar: the pages in the order of the data, each with its state in words."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QButtonGroup, QPushButton, QVBoxLayout, QWidget

from ui.icons import pixmap
from ui.progress import PageState, State
from ui.theme import GRID, Theme
from ui.widgets.basic import label

WIDTH = 184
_MARKS = {State.DONE: "✓", State.STALE: "↻", State.NEEDS_YOU: "!", State.WORKING: "…", State.WAITING: ""}


class PageButton(QPushButton):
    """One page: icon, name, and below it the state."""

    def __init__(self, page: str, title: str, number: int, theme: Theme) -> None:
        super().__init__(title)
        self._page = page
        self._theme = theme
        self._state = PageState(State.WAITING, "")
        self.setCheckable(True)
        self.setShortcut(f"Ctrl+{number}")
        self.setToolTip(f"{title} (Ctrl+{number})")
        self.setAccessibleName(title)

    def set_state(self, state: PageState) -> None:
        if state == self._state:
            return
        self._state = state
        self.setAccessibleDescription(state.note)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(WIDTH - 2 * GRID, 7 * GRID)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        if self.isChecked() or self.underMouse():
            painter.setBrush(QColor(tokens.tint if self.isChecked() else tokens.border))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawRoundedRect(area, 6, 6)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(tokens.accent), 2))
            painter.drawRoundedRect(area, 6, 6)
        icon_colour = tokens.accent if self.isChecked() else tokens.quiet
        painter.drawPixmap(12, (self.height() - 20) // 2, pixmap(self._page, icon_colour))
        self._paint_texts(painter)

    def _paint_texts(self, painter: QPainter) -> None:
        tokens = self._theme.tokens
        left, width = 44, self.width() - 52
        font = QFont(self.font())
        font.setWeight(QFont.Weight.DemiBold if self.isChecked() else QFont.Weight.Normal)
        painter.setFont(font)
        painter.setPen(QColor(tokens.ink))
        top = QRectF(left, 8, width, 20)
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(top, flags, self.text())
        small = QFont(self.font())
        small.setPointSizeF(self.font().pointSizeF() - 1)
        painter.setFont(small)
        colours = {State.DONE: tokens.good, State.STALE: tokens.warning, State.NEEDS_YOU: tokens.warning}
        painter.setPen(QColor(colours.get(self._state.state, tokens.quiet)))
        text = f"{_MARKS[self._state.state]} {self._state.note}".strip()
        text = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, width)
        painter.drawText(QRectF(left, 28, width, 18), flags, text)


class SideBar(QWidget):
    """Emits ``chosen`` with a page's name."""

    chosen = Signal(str)

    def __init__(self, titles: dict[str, str], theme: Theme) -> None:
        super().__init__()
        self.setProperty("role", "side")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedWidth(WIDTH)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GRID, 2 * GRID, GRID, GRID)
        layout.setSpacing(GRID // 2)
        name = label("GPU Planner", "heading")
        name.setContentsMargins(12, 0, 0, GRID)
        layout.addWidget(name)
        self._group = QButtonGroup(self)
        self.buttons: dict[str, PageButton] = {}
        for number, (page, title) in enumerate(titles.items(), start=1):
            item = PageButton(page, title, number, theme)
            item.clicked.connect(lambda _checked, page=page: self.chosen.emit(page))
            self._group.addButton(item)
            layout.addWidget(item)
            self.buttons[page] = item
        layout.addStretch(1)

    def mark_current(self, page: str) -> None:
        self.buttons[page].setChecked(True)

    def set_states(self, states: dict[str, PageState]) -> None:
        for page, state in states.items():
            self.buttons[page].set_state(state)
