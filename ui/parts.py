"""What the window is made of, put together once: store, jobs, controllers."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject

from ui.controllers.benchmark import BenchmarkController
from ui.controllers.detect import DetectController
from ui.controllers.models import ModelsController
from ui.controllers.offers import OffersController
from ui.controllers.plan import PlanController
from ui.controllers.presentation import PresentationController
from ui.controllers.recovery import RecoveryController
from ui.controllers.report import ReportController
from ui.controllers.telemetry import TelemetryController
from ui.controllers.undo import UndoController
from ui.jobs.thread import Tasks
from ui.log import SessionLog
from ui.notices import Notices
from ui.settings import Settings
from ui.state import Store
from ui.theme import Theme


@dataclass(frozen=True)
class Parts:
    """Everything a page may need. Pages get the parts they use, never the whole."""

    store: Store
    theme: Theme
    settings: Settings
    notices: Notices
    tasks: Tasks
    detect: DetectController
    benchmark: BenchmarkController
    telemetry: TelemetryController
    plan: PlanController
    offers: OffersController
    report: ReportController
    look: PresentationController
    models: ModelsController
    undo: UndoController
    recovery: RecoveryController
    log: SessionLog

    def close(self) -> None:
        """End every child and thread, so that nothing outlives the window."""
        self.benchmark.close()
        self.telemetry.close()
        self.tasks.close()
        self.recovery.keep_and_wait()
        self.log.close()


def build_parts(parent: QObject, settings: Settings, demo: bool = False) -> Parts:
    store, tasks, notices = Store(parent), Tasks(parent), Notices(parent)
    look = PresentationController(settings, tasks, notices, parent)
    detect = DetectController(store, tasks, notices, settings, demo, parent)
    return Parts(
        store=store,
        theme=Theme(parent),
        settings=settings,
        notices=notices,
        tasks=tasks,
        detect=detect,
        benchmark=BenchmarkController(store, detect, tasks, notices, parent),
        telemetry=TelemetryController(store, detect, parent),
        plan=PlanController(store, tasks, notices, look, parent),
        offers=OffersController(store, tasks, notices, parent),
        report=ReportController(store, tasks, notices, look, parent),
        look=look,
        models=ModelsController(store, tasks, notices, parent),
        undo=UndoController(store, parent),
        recovery=RecoveryController(store, tasks, notices, parent),
        log=SessionLog(parent),
    )
