"""Inline messages: what happened, in words, with details to copy. Never a modal box."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from ui.notices import Notice, Notices, Severity
from ui.theme import GRID
from ui.widgets.basic import button, label


class MessageBar(QFrame):
    """One notice."""

    def __init__(self, notice: Notice, notices: Notices) -> None:
        super().__init__()
        self.setProperty("role", "bar")
        self.setProperty("severity", notice.severity.value)
        words = {
            Severity.INFORMATION: self.tr("Information"),
            Severity.WARNING: self.tr("Warning"),
            Severity.ERROR: self.tr("Error"),
        }
        word = words[notice.severity]
        self.setAccessibleName(f"{word}: {notice.text}")
        outer = QVBoxLayout(self)
        outer.setContentsMargins(2 * GRID, GRID // 2, GRID, GRID // 2)
        line = QHBoxLayout()
        line.setSpacing(GRID)
        roles = {Severity.INFORMATION: "quiet", Severity.WARNING: "warning", Severity.ERROR: "bad"}
        line.addWidget(label(word, roles[notice.severity]))
        line.addWidget(label(notice.text, wrap=True), 1)
        outer.addLayout(line)
        if notice.details:
            self._add_details(notice, outer, line)
        line.addWidget(button(self.tr("Dismiss"), lambda: notices.clear(notice.name), "flat"))

    def _add_details(self, notice: Notice, outer: QVBoxLayout, line: QHBoxLayout) -> None:
        box = QPlainTextEdit(notice.details)
        box.setReadOnly(True)
        box.setMaximumHeight(120)
        box.setAccessibleName(self.tr("Details"))
        box.setTabChangesFocus(True)
        box.hide()
        copy = button(self.tr("Copy details"), lambda: QGuiApplication.clipboard().setText(notice.details), "flat")
        line.addWidget(button(self.tr("Details"), lambda: box.setVisible(box.isHidden()), "flat"))
        line.addWidget(copy)
        outer.addWidget(box)


class MessageArea(QWidget):
    """All notices that are on, one below the other; takes no room when there are none."""

    def __init__(self, notices: Notices) -> None:
        super().__init__()
        self._notices = notices
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(3 * GRID, GRID, 3 * GRID, 0)
        self._layout.setSpacing(GRID // 2)
        self._bars: dict[Notice, MessageBar] = {}
        notices.changed.connect(self._update)
        self._update()

    def _update(self) -> None:
        shown = self._notices.shown
        for notice in [notice for notice in self._bars if notice not in shown]:
            bar = self._bars.pop(notice)
            bar.hide()
            bar.deleteLater()
        for notice in shown:
            if notice not in self._bars:
                self._bars[notice] = MessageBar(notice, self._notices)
                self._layout.addWidget(self._bars[notice])
        self.setVisible(bool(shown))
