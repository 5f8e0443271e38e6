"""The one window: side bar, verdict, messages, pages. Pages are built when they are first shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QCloseEvent, QDragEnterEvent, QDropEvent, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QMenu, QStackedWidget, QVBoxLayout, QWidget

from ui.background import BackgroundHerald, benchmark_share
from ui.controllers.models import is_model_config
from ui.files import ask_open, ask_save
from ui.i18n import NAMES
from ui.notices import Severity
from ui.parts import Parts
from ui.progress import page_states
from ui.recent import forget_files, recent_files, remember_file
from ui.settings import LANGUAGE, THEME, Option
from ui.theme import GRID
from ui.widgets.job_line import Job, JobLine
from ui.widgets.log_view import LogView
from ui.widgets.messages import MessageArea
from ui.widgets.side_bar import SideBar
from ui.widgets.tour import TourBar
from ui.widgets.verdict_strip import VerdictStrip

TOUR_SEEN = Option("help/tour_seen", False)
SMALLEST = (1160, 600)
FIRST_SIZE = (1264, 680)  # with the window's frame within 1280×720


class MainWindow(QMainWindow):
    """Shows the parts; owns none of their truth."""

    language_chosen = Signal(str)  # "system" or a code; it is in the settings already

    def __init__(self, parts: Parts) -> None:
        super().__init__()
        self._parts = parts
        self.setWindowTitle("GPU Planner")
        self.setMinimumSize(*SMALLEST)
        self.resize(*FIRST_SIZE)
        self.setAcceptDrops(True)
        titles = {
            "machine": self.tr("Machine"),
            "benchmark": self.tr("Benchmark"),
            "workload": self.tr("Workload"),
            "answer": self.tr("Answer"),
            "report": self.tr("Report"),
            "accuracy": self.tr("Accuracy"),
        }
        self._builders: dict[str, Callable[[], QWidget]] = {
            "machine": self._machine_page,
            "benchmark": self._benchmark_page,
            "workload": self._workload_page,
            "answer": self._answer_page,
            "report": self._report_page,
            "accuracy": self._accuracy_page,
        }
        self.pages: dict[str, QWidget] = {}
        self.side_bar = SideBar(titles, parts.theme)
        self.side_bar.chosen.connect(self.show_page)
        self.stack = QStackedWidget()
        self._lay_out()
        self._add_menus(titles)
        self.job_line = JobLine()
        self.statusBar().addPermanentWidget(self.job_line)
        self._herald = BackgroundHerald(self, parts.benchmark)
        self.statusBar().setSizeGripEnabled(False)
        self._connect()
        parts.settings.restore_geometry(self)
        self.show_page("machine")
        self.refresh_states()

    def _lay_out(self) -> None:
        centre = QWidget()
        centre.setProperty("role", "page")
        beside = QHBoxLayout(centre)
        beside.setContentsMargins(0, 0, 0, 0)
        beside.setSpacing(0)
        beside.addWidget(self.side_bar)
        column = QVBoxLayout()
        column.setSpacing(0)
        self.verdict = VerdictStrip(self._parts.store)
        column.addWidget(self.verdict)
        column.addWidget(MessageArea(self._parts.notices))
        self.tour = TourBar()
        self.tour.page_wanted.connect(self.show_page)
        self.tour.sample_wanted.connect(self._parts.plan.sample_plan)
        self.tour.ended.connect(lambda: self._parts.settings.set(TOUR_SEEN, True))
        inset = QHBoxLayout()
        inset.setContentsMargins(3 * GRID, GRID, 3 * GRID, 0)
        inset.addWidget(self.tour)
        column.addLayout(inset)
        column.addWidget(self.stack, 1)
        beside.addLayout(column, 1)
        self.setCentralWidget(centre)
        self.log_view = LogView(self._parts.log)
        self.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, self.log_view)
        self.log_view.hide()

    def _connect(self) -> None:
        parts, store = self._parts, self._parts.store
        for signal in (
            store.snapshot_changed, store.benchmark_changed, store.draft_changed, store.offers_changed,
            store.answer_changed, store.plan_changed, parts.detect.busy_changed, parts.benchmark.changed,
            parts.report.busy_changed,
        ):  # fmt: skip
            signal.connect(self.refresh_states)
        parts.models.busy_changed.connect(self.refresh_states)
        parts.offers.busy_changed.connect(self.refresh_states)
        store.plan_changed.connect(self._remember_plan)
        parts.theme.changed.connect(self.side_bar.update)

    def _show_title(self) -> None:
        path = self._parts.store.plan_path
        title = "GPU Planner" if path is None else f"{path.name} – GPU Planner"
        self.setWindowTitle(self._herald.progress_title(title))

    def _remember_plan(self) -> None:
        if self._parts.store.plan_path is not None:
            remember_file(self._parts.settings, self._parts.store.plan_path)

    def refresh_states(self) -> None:
        """Side bar and status line from the store and the running jobs."""
        parts = self._parts
        jobs = [job for busy, job in self._all_jobs() if busy]
        self.side_bar.set_states(page_states(parts.store, frozenset(job.page for job in jobs)))
        self.job_line.show_jobs(jobs)
        self._show_title()

    def _all_jobs(self) -> tuple[tuple[bool, Job], ...]:
        parts = self._parts
        share = benchmark_share(parts.benchmark)
        cancel = parts.benchmark.cancel
        return (
            (parts.detect.is_busy, Job("machine", self.tr("Looking at this machine…"), None, parts.detect.cancel)),
            (parts.benchmark.is_running, Job("benchmark", self.tr("Benchmark runs…"), share, cancel)),
            (parts.models.is_busy, Job("workload", self.tr("Tracing the model…"), None, parts.models.cancel)),
            (parts.offers.is_busy, Job("workload", self.tr("Reading prices…"), None, parts.offers.cancel)),
            (parts.report.is_busy, Job("report", self.tr("Writing the report…"), None, parts.report.cancel)),
        )

    # Pages

    def show_page(self, page: str) -> None:
        """Build the page on its first visit, then show it."""
        if page not in self.pages:
            self.pages[page] = self._builders[page]()
            self.stack.addWidget(self.pages[page])
        self.stack.setCurrentWidget(self.pages[page])
        self.side_bar.mark_current(page)
        if self.focusWidget() in self.side_bar.buttons.values():
            self.side_bar.buttons[page].setFocus()

    def continue_from(self, other: MainWindow) -> None:
        """Stand where the other window stands, at its page."""
        self.restoreGeometry(other.saveGeometry())
        if not self.isMaximized():
            self.setGeometry(other.geometry())
        self.show_page(next(name for name, page in other.pages.items() if page is other.stack.currentWidget()))
        if other.log_view.isVisible():
            self.log_view.open_log()
        if other.tour.isVisible():
            self.tour.start(other.tour.step)

    def _machine_page(self) -> QWidget:
        from ui.pages.machine import MachinePage

        return MachinePage(self._parts.store, self._parts.detect, self._parts.settings)

    def _benchmark_page(self) -> QWidget:
        from ui.pages.benchmark import BenchmarkPage

        parts = self._parts
        return BenchmarkPage(parts.store, parts.detect, parts.benchmark, parts.telemetry, parts.theme)

    def _workload_page(self) -> QWidget:
        from ui.pages.workload import WorkloadPage

        parts = self._parts
        return WorkloadPage(parts.store, parts.plan, parts.offers, parts.notices, parts.settings)

    def _answer_page(self) -> QWidget:
        from ui.pages.answer import AnswerPage

        parts = self._parts
        return AnswerPage(parts.store, parts.tasks, parts.theme, parts.settings, parts.notices)

    def _report_page(self) -> QWidget:
        from ui.pages.report import ReportPage

        parts = self._parts
        actions = (self.open_plan, self.save_plan, self.export_pdf, self.export_html)
        return ReportPage(parts.store, parts.report, parts.look, *actions)

    def _accuracy_page(self) -> QWidget:
        from ui.pages.accuracy import AccuracyPage

        return AccuracyPage()

    # Menus

    def _add_menus(self, titles: dict[str, str]) -> None:
        file = self.menuBar().addMenu(self.tr("&File"))
        plan = self._parts.plan
        self._add(file, self.tr("&New plan"), plan.new_plan, QKeySequence.StandardKey.New)
        self._add(file, self.tr("&Open plan…"), self.open_plan, QKeySequence.StandardKey.Open)
        self._recent = file.addMenu(self.tr("Open &recent"))
        self._recent.aboutToShow.connect(self._fill_recent)
        self._add(file, self.tr("&Save plan"), self.save_plan_again, QKeySequence.StandardKey.Save)
        self._add(file, self.tr("Save plan &as…"), self.save_plan, QKeySequence("Ctrl+Shift+S"))
        self._add(file, self.tr("&Duplicate plan"), plan.duplicate_plan, QKeySequence("Ctrl+D"))
        self._add(file, self.tr("&Compare with plan…"), self.compare_plan, None)
        file.addSeparator()
        self._add(file, self.tr("&Import a model's config.json…"), self.import_model, QKeySequence("Ctrl+I"))
        file.addSeparator()
        self._add(file, self.tr("Export &PDF…"), self.export_pdf, QKeySequence("Ctrl+E"))
        self._add(file, self.tr("Export &HTML…"), self.export_html, None)
        file.addSeparator()
        self._add(file, self.tr("&Quit"), self.close, QKeySequence.StandardKey.Quit)
        self._add_edit_menu()
        view = self.menuBar().addMenu(self.tr("&View"))
        for page, title in titles.items():  # the shortcuts Ctrl+1 … Ctrl+6 belong to the side bar
            self._add(view, title, lambda page=page: self.show_page(page), None)
        view.addSeparator()
        themes = {
            "system": self.tr("Colours of the s&ystem"),
            "light": self.tr("Li&ght"),
            "dark": self.tr("&Dark"),
        }
        self._add_choice(view, THEME, themes, self._parts.theme.choose)
        spoken = view.addMenu(self.tr("&Language (Ngôn ngữ)"))
        names = {"system": self.tr("&As the system"), **NAMES}
        self._add_choice(spoken, LANGUAGE, names, self.language_chosen.emit)
        run = self.menuBar().addMenu(self.tr("&Actions"))
        parts = self._parts
        self._add(run, self.tr("&Look at this machine again"), parts.detect.refresh, QKeySequence("Ctrl+R"))
        self._add(run, self.tr("&Benchmark"), self._run_benchmark, QKeySequence("Ctrl+B"))
        self._add(run, self.tr("&Cancel the benchmark"), parts.benchmark.cancel, QKeySequence("Ctrl+."))

        help_menu = self.menuBar().addMenu(self.tr("&Help"))
        self._add(help_menu, self.tr("&Tour"), self.tour.start, None)
        self._add(help_menu, self.tr("&Sample plan"), self.show_sample, None)
        self._add(help_menu, self.tr("&Log since the start"), self.log_view.open_log, QKeySequence("F12"))
        self._add(help_menu, self.tr("&Keyboard shortcuts"), self.show_shortcuts, QKeySequence("F1"))

    def _add_edit_menu(self) -> None:
        edit, undo = self.menuBar().addMenu(self.tr("&Edit")), self._parts.undo
        self._undo = self._add(edit, self.tr("&Undo"), undo.undo, QKeySequence.StandardKey.Undo)
        self._redo = self._add(edit, self.tr("&Redo"), undo.redo, QKeySequence.StandardKey.Redo)
        undo.changed.connect(self._show_undo)
        self._show_undo()

    def _show_undo(self) -> None:
        self._undo.setEnabled(self._parts.undo.can_undo)
        self._redo.setEnabled(self._parts.undo.can_redo)

    def _fill_recent(self) -> None:
        settings = self._parts.settings
        self._recent.clear()
        files = recent_files(settings)
        for path in files:
            self._recent.addAction(str(path), lambda path=path: self._parts.plan.open_plan(path))
        if files:
            self._recent.addSeparator()
            self._recent.addAction(self.tr("Forget these files"), lambda: forget_files(settings))
        else:
            self._recent.addAction(self.tr("No plan was opened or saved yet")).setEnabled(False)

    def show_sample(self) -> None:
        """A whole plan to look around in, at its answer."""
        self._parts.plan.sample_plan()
        self.show_page("answer")

    def show_shortcuts(self) -> None:
        """All of them, in one line each, in the details of a message."""
        lines = [f"{item.shortcut().toString()}\t{item.text()}" for item in self.side_bar.buttons.values()]
        lines += [
            f"{action.shortcut().toString()}\t{action.text().replace('&', '')}"
            for action in self.findChildren(QAction)
            if not action.shortcut().isEmpty()
        ]
        lines.append(self.tr("F5\tRefresh, on the page Machine"))
        lines.append(self.tr("Alt + the underlined letter\tits field or button"))
        text = self.tr("Every action has a key: the list is in the details.")
        self._parts.notices.show("shortcuts", Severity.INFORMATION, text, "\n".join(lines))

    def _add(
        self,
        menu: QMenu,
        text: str,
        act: Callable[[], object],
        key: QKeySequence | QKeySequence.StandardKey | None,
    ) -> QAction:
        action = QAction(text, self)
        if key is not None:
            action.setShortcut(key)
        action.triggered.connect(lambda _checked: act())
        menu.addAction(action)
        return action

    def _add_choice(
        self, menu: QMenu, option: Option[str], choices: dict[str, str], act: Callable[[str], object]
    ) -> None:
        """One of several, remembered in the settings."""
        settings, group = self._parts.settings, QActionGroup(self)

        def choose(code: str) -> None:
            settings.set(option, code)
            act(code)

        for code, text in choices.items():
            action = QAction(text, self, checkable=True)
            action.setChecked(settings.get(option) == code)
            action.triggered.connect(lambda _checked, code=code: choose(code))
            group.addAction(action)
            menu.addAction(action)

    # Actions

    def _run_benchmark(self) -> None:
        self.show_page("benchmark")
        self._parts.benchmark.start()

    def open_plan(self) -> None:
        path = ask_open(self, self._parts.settings, self.tr("Open plan"), self.tr("Plans (*.json)"))
        if path is not None:
            self._parts.plan.open_plan(path)

    def compare_plan(self) -> None:
        from ui.pages.compare_plans import ask_and_compare

        ask_and_compare(self, self._parts)

    def import_model(self) -> None:
        """Plan with a Hugging Face model; dropping its config.json on the window does the same."""
        kinds = self.tr("Configurations (*.json)")
        path = ask_open(self, self._parts.settings, self.tr("Import a model"), kinds)
        if path is None:
            return
        if is_model_config(path):
            self.take_file(path)
        else:
            text = self.tr("{0} is not a model's config.json: it has neither model_type nor architectures.")
            self._parts.notices.show("model", Severity.WARNING, text.format(path.name))

    def save_plan(self) -> None:
        path = ask_save(self, self._parts.settings, self.tr("Save plan"), self.tr("Plans (*.json)"), "plan.json")
        if path is not None:
            self._parts.plan.save_plan(path)

    def save_plan_again(self) -> None:
        """To the file it came from; the first time it asks where."""
        path = self._parts.store.plan_path
        if path is None:
            self.save_plan()
        else:
            self._parts.plan.save_plan(path)

    def export_pdf(self) -> None:
        path = ask_save(self, self._parts.settings, self.tr("Export PDF"), self.tr("PDF (*.pdf)"), "gpu-plan.pdf")
        if path is not None:
            self._parts.report.export_pdf(path)

    def export_html(self) -> None:
        path = ask_save(
            self, self._parts.settings, self.tr("Export HTML"), self.tr("HTML (*.html)"), "gpu-plan.html"
        )
        if path is not None:
            self._parts.report.export_html(path)

    # Events

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        urls = event.mimeData().urls()
        if len(urls) == 1 and urls[0].isLocalFile():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        self.take_file(Path(event.mimeData().urls()[0].toLocalFile()))

    def take_file(self, path: Path) -> None:
        """A file that was dropped: a model's configuration, a table of prices, else a plan."""
        if is_model_config(path):
            self._parts.models.take_config(path)
            self.show_page("workload")
        elif path.suffix.lower() == ".csv":
            self.show_page("workload")  # where what would change is shown
            self._parts.offers.import_file(path)
        else:
            self._parts.plan.open_plan(path)

    def closeEvent(self, event: QCloseEvent) -> None:
        self._parts.settings.save_geometry(self)
        self._parts.close()
        super().closeEvent(event)
