"""The window in the chosen language: another language is a new window over the same parts."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QObject, Qt

from ui.i18n import language, speak, wanted_language
from ui.parts import Parts
from ui.window import MainWindow


class Shell(QObject):
    """Makes the window, and makes it again when another language is chosen. ``window`` is the present one."""

    def __init__(self, application: QCoreApplication, parts: Parts) -> None:
        super().__init__(application)
        self._application, self._parts = application, parts
        self.window = self._made()

    def _made(self) -> MainWindow:
        window = MainWindow(self._parts)
        # Queued: the menu that was clicked is a child of the window that goes.
        window.language_chosen.connect(self.speak, Qt.ConnectionType.QueuedConnection)
        return window

    def speak(self, choice: str) -> None:
        """Go on in another language at the same page; nothing but the window is made anew."""
        code = wanted_language(choice)
        if code == language():
            return
        old = self.window
        speak(self._application, code)
        store = self._parts.store
        store.restore({})  # reads the form again: what is wrong in it is told in words
        store.recompute()
        self.window = self._made()
        self.window.continue_from(old)
        old.centralWidget().hide()  # first: what reads live stops here and begins again there
        self.window.show()
        old.hide()
        old.deleteLater()
