"""The log since the start, below the pages: read it, copy it, close it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from ui.log import SessionLog
from ui.theme import GRID
from ui.widgets.basic import button


class LogView(QDockWidget):
    """Follows the log while it is open."""

    def __init__(self, log: SessionLog) -> None:
        super().__init__()
        self.setWindowTitle(self.tr("Log since the start"))
        self.setObjectName("log")  # the window's state is kept by this name
        self.setAllowedAreas(Qt.DockWidgetArea.BottomDockWidgetArea)
        self._log = log
        inside = QWidget()
        layout = QVBoxLayout(inside)
        layout.setContentsMargins(GRID, 0, GRID, GRID)
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setMaximumBlockCount(2000)
        self.text.setAccessibleName(self.tr("Log since the start"))
        layout.addWidget(self.text)
        line = QHBoxLayout()
        line.addStretch(1)
        line.addWidget(button(self.tr("Copy the log"), self.copy, "flat"))
        line.addWidget(button(self.tr("Close the log"), self.hide, "flat"))
        layout.addLayout(line)
        self.setWidget(inside)
        log.added.connect(self._added, Qt.ConnectionType.QueuedConnection)  # may come from any thread
        self.hide()

    def open_log(self) -> None:
        self.text.setPlainText("\n".join(self._log.lines))
        self.show()
        self.text.setFocus()

    def copy(self) -> None:
        QGuiApplication.clipboard().setText("\n".join(self._log.lines))

    def _added(self, line: str) -> None:
        if self.isVisible():
            self.text.appendPlainText(line)
