"""The window's parts without the world: no detection starts by itself, settings are the test's own."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QProcess, QThreadPool
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from planner.decide.types import Terms
from planner.offers.offer import Offer
from planner.pipeline import PlanInputs
from planner.workload.presets import PRESETS, preset_info
from tests.report.conftest import hand_made_messages
from tests.report.fixtures import recommendations
from ui.controllers.plan import Engine
from ui.parts import Parts, build_parts
from ui.settings import Settings
from ui.window import MainWindow

OFFERS = (
    *(Offer("irender", "rtx-3090", count, None) for count in (1, 2, 4, 6)),
    Offer("vast.ai", "rtx-3090", 1, 0.22, "2026-02-20", "community", "gpurentalprices.com"),
)


def hand_made_engine() -> Engine:
    """An engine that answers with round numbers, whatever it is asked."""

    def evaluate(_inputs: PlanInputs) -> object:
        return recommendations.recommendation()

    return Engine(evaluate, tuple(map(preset_info, PRESETS)), OFFERS, Terms())


@pytest.fixture
def parts(qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Parts]:
    """All parts, closed afterwards; fails when a child or a thread outlives them."""
    monkeypatch.setattr("planner.messages.load_messages", lambda _language="en": hand_made_messages())
    from ui.i18n import wording

    wording.cache_clear()
    qapp.setStyle("Fusion")
    made = build_parts(qapp, Settings(tmp_path / "settings.ini"))
    made.theme.choose("light")
    made.theme.apply()
    yield made
    made.close()
    wording.cache_clear()
    running = [one for one in qapp.findChildren(QProcess) if one.state() != QProcess.ProcessState.NotRunning]
    assert not running, "a child outlived the window"
    assert QThreadPool.globalInstance().activeThreadCount() == 0
    for part in (made.store, made.notices, made.tasks, made.detect, made.benchmark, made.telemetry):
        part.deleteLater()
    qapp.setStyleSheet("")
    gc.collect()


@pytest.fixture
def window(parts: Parts, qtbot: QtBot) -> Iterator[MainWindow]:
    """The window at the smallest promised screen, with an answer."""
    made = MainWindow(parts)
    qtbot.addWidget(made)
    made.resize(1280, 720)
    made.show()
    parts.plan.use(hand_made_engine())
    parts.store.recompute()
    yield made
    made.close()
