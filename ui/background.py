"""While the window is in the background: progress in its title, and a word when the benchmark has ended."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QMainWindow, QSystemTrayIcon

from ui.controllers.benchmark import BenchmarkController
from ui.icons import app_icon

_SHOWN_MS = 10_000


class BackgroundHerald(QObject):
    """Task bars and docks show a window's title: it carries the progress on every system."""

    def __init__(self, window: QMainWindow, benchmark: BenchmarkController) -> None:
        super().__init__(window)
        self._window, self._benchmark = window, benchmark
        self._was_running = False
        self._tray: QSystemTrayIcon | None = None
        benchmark.changed.connect(self._look)

    def progress_title(self, title: str) -> str:
        """``title`` with how far the benchmark is."""
        share = benchmark_share(self._benchmark)
        return title if share is None else f"{100 * share:.0f} % – {title}"

    def _look(self) -> None:
        running = self._benchmark.is_running
        ended, self._was_running = self._was_running and not running, running
        if ended and not self._window.isActiveWindow():
            QApplication.alert(self._window)
            self._tell()

    def _tell(self) -> None:
        if not QSystemTrayIcon.isSystemTrayAvailable():
            return
        if self._tray is None:
            self._tray = QSystemTrayIcon(app_icon(), self)
            self._tray.activated.connect(self._window.activateWindow)
            self._tray.messageClicked.connect(self._window.activateWindow)
        self._tray.show()
        text = self.tr("The benchmark has ended. The answer now rests on it, as far as it got.")
        self._tray.showMessage("GPU Planner", text, app_icon(), _SHOWN_MS)


def benchmark_share(benchmark: BenchmarkController) -> float | None:
    """How much of the running benchmark is done; None: nothing runs, or it cannot be told yet."""
    left_s = benchmark.left_s if benchmark.is_running else None
    if left_s is None:
        return None
    whole_s = benchmark.elapsed_s + left_s
    return benchmark.elapsed_s / whole_s if whole_s > 0 else None
