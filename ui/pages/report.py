"""Report: export it, save and open plans, and read it before it is printed."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QImage, QPixmap, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QProgressBar, QScrollArea, QVBoxLayout, QWidget

from ui.controllers.presentation import PresentationController
from ui.controllers.report import ReportController
from ui.i18n import tr
from ui.pages.report_look import LookCard
from ui.state import Store
from ui.theme import GRID
from ui.widgets.basic import Card, Page, button, label

_PAGE_PX = 680
_PREVIEW_DELAY_MS = 150  # typing a name must not lay the report out at every key


class _Pages(QScrollArea):
    """The pages below each other, as wide as there is room: up and down only."""

    resized = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # Always: a bar that comes with the pages would take the room they were painted for.
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.resized.emit()


class ReportPage(Page):
    """Buttons left, the report's pages right. ``actions``: open plan, save plan, PDF, HTML."""

    def __init__(
        self,
        store: Store,
        report: ReportController,
        look: PresentationController,
        *actions: Callable[[], object],
    ) -> None:
        super().__init__(
            tr("ReportPage", "Report"),
            tr("ReportPage", "For your team to check and sign: verdict, charts, assumptions with their evidence."),
        )
        self._store, self._report = store, report
        open_plan, save_plan, export_pdf, export_html = actions
        columns = QHBoxLayout()
        columns.setSpacing(2 * GRID)
        left = QVBoxLayout()
        left.setSpacing(2 * GRID)
        left.addWidget(self._export_card(export_pdf, export_html))
        self.look = LookCard(report, look)
        left.addWidget(self.look)
        left.addWidget(self._plan_card(open_plan, save_plan))
        left.addStretch(1)
        columns.addLayout(left, 2)
        columns.addWidget(self._preview_card(), 5)
        self.body.addLayout(columns, 1)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_PREVIEW_DELAY_MS)
        self._timer.timeout.connect(self._paint_preview)
        self.pages.resized.connect(self._timer.start)
        store.answer_changed.connect(self.refresh)
        store.plan_changed.connect(self.refresh)
        report.busy_changed.connect(self.refresh)
        look.changed.connect(self.refresh)
        report.progress.connect(self._show_progress)
        self.refresh()

    def _export_card(self, export_pdf: Callable[[], object], export_html: Callable[[], object]) -> Card:
        card = Card(self.tr("Export"))
        caption = label(self.tr("&Title of the report"), "quiet")
        self.name = QLineEdit()
        self.name.setPlaceholderText(self.tr("GPU plan"))
        self.name.setAccessibleName(self.tr("Title of the report"))
        self.name.textEdited.connect(self._named)
        caption.setBuddy(self.name)
        self.pdf = button(self.tr("Export &PDF…"), export_pdf, "primary")
        self.html = button(self.tr("Export HTM&L…"), export_html)
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(self.tr("Progress of the export"))
        self.cancel = button(self.tr("Cancel"), self._report.cancel)
        self.folder = button(self.tr("Open fol&der"), self._report.open_folder, "flat")
        for widget in (caption, self.name, self.pdf, self.html, self.progress, self.cancel, self.folder):
            card.body.addWidget(widget)
        return card

    def _plan_card(self, open_plan: Callable[[], object], save_plan: Callable[[], object]) -> Card:
        card = Card(self.tr("Plan file"))
        card.body.addWidget(
            label(
                self.tr(
                    "All inputs as JSON. Opened again it gives the same numbers; gpu-plan replay checks them."
                ),
                "quiet",
                wrap=True,
            )
        )
        self.path = label("", wrap=True)
        card.body.addWidget(self.path)
        card.body.addWidget(button(self.tr("&Save plan…"), save_plan))
        card.body.addWidget(button(self.tr("&Open plan…"), open_plan))
        return card

    def _preview_card(self) -> Card:
        card = Card(self.tr("Preview"))
        self.pages = _Pages()
        self.pages.setAccessibleName(self.tr("Preview of the report's pages"))
        self.pages.setMinimumHeight(400)
        inside = QWidget()
        inside.setProperty("role", "page")
        self._page_column = QVBoxLayout(inside)
        self._page_column.setSpacing(GRID)
        self.empty = label("", "quiet", wrap=True)
        self._page_column.addWidget(self.empty)
        self._page_labels: list[QLabel] = []
        self._page_column.addStretch(1)
        self.pages.setWidget(inside)
        card.body.addWidget(self.pages, 1)
        return card

    def _named(self, text: str) -> None:
        self._report.name = text
        self._timer.start()

    def showEvent(self, _event: object) -> None:
        self.refresh()

    def hideEvent(self, _event: object) -> None:
        self._report.stop_preview()

    def refresh(self) -> None:
        answer = self._store.answer
        ready = answer.recommendation is not None and not answer.stale
        busy = self._report.is_busy
        self.pdf.setEnabled(ready and not busy)
        self.html.setEnabled(ready and not busy)
        self.progress.setVisible(busy)
        self.cancel.setVisible(busy)
        if busy:
            self.progress.setRange(0, 0)
        self.folder.setVisible(self._report.last_file is not None and not busy)
        path = self._store.plan_path
        self.path.setText(str(path) if path else self.tr("Not saved yet."))
        if self.isVisible():
            self.look.refresh()
            self._timer.start()

    def _show_progress(self, page: int, pages: int) -> None:
        self.progress.setRange(0, pages)
        self.progress.setValue(page)

    def _paint_preview(self) -> None:
        """Paint the pages of the present answer on a thread; what is under way is dropped."""
        if not self.isVisible():
            return
        width = min(_PAGE_PX, self.pages.viewport().width() - 4 * GRID)
        self._report.paint_pages(round(width * self.devicePixelRatioF()), self._show_pages)

    def _show_pages(self, images: list[QImage]) -> None:
        self.empty.setVisible(not images)
        self.empty.setText(self.tr("There is no up-to-date answer to report yet."))
        while len(self._page_labels) < len(images):
            page = QLabel()
            page.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            self._page_column.insertWidget(self._page_column.count() - 1, page)
            self._page_labels.append(page)
        for number, page in enumerate(self._page_labels):
            page.setVisible(number < len(images))
            if number < len(images):
                picture = QPixmap.fromImage(images[number])
                picture.setDevicePixelRatio(self.devicePixelRatioF())
                page.setPixmap(picture)
                page.setAccessibleName(self.tr("Page {0} of {1}").format(number + 1, len(images)))
