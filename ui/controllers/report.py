"""The report: PDF and HTML, written on a thread from the recommendation, never from the screen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QImage

from ui.controllers.presentation import PresentationController
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

    def __init__(
        self,
        store: Store,
        tasks: Tasks,
        notices: Notices,
        look: PresentationController,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._store, self._tasks, self._notices, self._look = store, tasks, notices, look
        self._task: Task | None = None
        self._preview: Task | None = None
        self.name = ""
        self.last_file: Path | None = None

    @property
    def is_busy(self) -> bool:
        return self._task is not None

    def report(self) -> Report | None:
        """The present answer as the team wants it; None while there is none, or while it is out of date."""
        from planner.report.presentation import presented

        whole = self._whole_report()
        return presented(whole, self._look.value) if whole else None

    def section_titles(self) -> tuple[tuple[str, str], ...]:
        """Key and title of every section that the present answer has, switched off or not."""
        whole = self._whole_report()
        return tuple((section.key, section.title) for section in whole.sections) if whole else ()

    def _plan(self) -> bytes | None:
        """The plan file of the present answer, to be attached."""
        from planner.report.plan_file import plan_text

        answer = self._store.answer
        if answer.inputs is None or answer.recommendation is None:
            return None
        return plan_text(answer.inputs, answer.recommendation, self.name, self._look.value)

    def _whole_report(self) -> Report | None:
        answer = self._store.answer
        if answer.recommendation is None or answer.inputs is None or answer.stale:
            return None
        from planner.ledger import ledger_at_hand
        from planner.report.sections import build_report
        from ui.i18n import wording

        plan_name = self._store.plan_path.name if self._store.plan_path else "plan.json"
        ledger = ledger_at_hand()
        return build_report(answer.inputs, answer.recommendation, wording(), self.name, plan_name, ledger)

    def export_pdf(self, path: Path) -> None:
        from ui.report.fonts import report_font_family

        report_font_family()  # registers the bundled font, here on the GUI thread
        plan = self._plan()

        def write(report: Report, cancelled: Callable[[], bool]) -> None:
            from ui.report.pdf import write_pdf

            write_pdf(report, path, self.progress.emit, cancelled, plan=plan)

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

    def stop_preview(self) -> None:
        """Nobody looks any longer."""
        if self._preview is not None:
            self._preview.cancel()
            self._preview = None

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
