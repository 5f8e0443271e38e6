"""The report: PDF and HTML, written on a thread from the recommendation, never from the screen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QImage

from ui.jobs.thread import Task, Tasks
from ui.notices import Notices, Severity
from ui.state import Store

if TYPE_CHECKING:
    from planner.report.types import Report

_NOTICE = "report"


class ReportController(QObject):
    """``progress(page, pages)`` while a PDF is written; ``busy_changed`` at its begin and end."""

    progress = Signal(int, int)
    busy_changed = Signal()

    def __init__(self, store: Store, tasks: Tasks, notices: Notices, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store, self._tasks, self._notices = store, tasks, notices
        self._task: Task | None = None
        self._preview: Task | None = None
        self.name = ""
        self.last_file: Path | None = None

    @property
    def is_busy(self) -> bool:
        return self._task is not None

    def report(self) -> Report | None:
        """The report of the present answer; None while there is none, or while it is out of date."""
        answer = self._store.answer
        if answer.recommendation is None or answer.inputs is None or answer.stale:
            return None
        from planner.report.sections import build_report
        from ui.i18n import wording

        plan_name = self._store.plan_path.name if self._store.plan_path else "plan.json"
        return build_report(answer.inputs, answer.recommendation, wording(), self.name, plan_name)

    def export_pdf(self, path: Path) -> None:
        from ui.report.fonts import report_font_family

        report_font_family()  # registers the bundled font, here on the GUI thread

        def write(report: Report, cancelled: Callable[[], bool]) -> None:
            from ui.report.pdf import write_pdf

            write_pdf(report, path, self.progress.emit, cancelled)

        self._export(path, write)

    def export_html(self, path: Path) -> None:
        def write(report: Report, _cancelled: Callable[[], bool]) -> None:
            from planner.report.files import write_file
            from planner.report.html import html_page

            write_file(path, html_page(report).encode("utf-8"))

        self._export(path, write)

    def cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None
            self._notices.show(_NOTICE, Severity.INFORMATION, self.tr("Export cancelled; nothing was written."))
            self.busy_changed.emit()

    def paint_pages(self, width_px: int, on_done: Callable[[list[QImage]], None]) -> None:
        """Pictures of the report's pages, painted on a thread; none while there is no up-to-date answer."""
        from ui.report.fonts import report_font_family

        if self._preview is not None:
            self._preview.cancel()
        report = self.report()
        if report is None:
            on_done([])
            return
        report_font_family()

        def work(cancelled: Callable[[], bool]) -> list[QImage]:
            from ui.pages.report_preview import page_images

            return page_images(report, width_px, cancelled)

        def done(images: list[QImage] | None, error: Exception | None) -> None:
            self._preview = None
            if images is None:
                text = self.tr("The preview could not be painted; the export may still work.")
                self._notices.show("preview", Severity.WARNING, text, repr(error))
            else:
                on_done(images)

        self._preview = self._tasks.run(work, done)

    def open_folder(self) -> None:
        if self.last_file is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self.last_file.parent)))

    def _export(self, path: Path, write: Callable[[Report, Callable[[], bool]], None]) -> None:
        report = self.report()
        if report is None:
            text = self.tr(
                "There is no up-to-date answer to report: correct the marked fields on the page Workload."
            )
            self._notices.show(_NOTICE, Severity.WARNING, text)
            return

        def done(_result: Any, error: Exception | None) -> None:
            self._task = None
            if error is not None:
                self._notices.show(_NOTICE, Severity.ERROR, str(error))
            else:
                self.last_file = path
                self._notices.show(_NOTICE, Severity.INFORMATION, self.tr("Written: {0}").format(path))
            self.busy_changed.emit()

        self._task = self._tasks.run(lambda cancelled: write(report, cancelled), done)
        self.busy_changed.emit()
