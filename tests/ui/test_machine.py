"""Detection and telemetry from the window, on the real NVML path with the mock library."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from planner.hardware.demo import DemoUnavailableError
from tests.report.fixtures import recommendations
from ui.app import _catch_faults
from ui.notices import Severity
from ui.parts import Parts
from ui.settings import CHOSEN_PYTHON, THEME, Settings
from ui.theme import DARK, LIGHT, Theme
from ui.window import MainWindow

NvmlEnv = Callable[[str], dict[str, str]]


@pytest.fixture
def quick_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """No Python is tried: each would import torch."""
    monkeypatch.setattr("planner.hardware.detect.find_candidates", lambda _chosen: ())


@pytest.mark.usefixtures("quick_look")
def test_that_two_gpus_are_shown_and_the_other_can_be_chosen(
    qtbot: QtBot, window: MainWindow, parts: Parts, nvml_env: NvmlEnv
) -> None:
    parts.detect.nvml_env = nvml_env("two_gpus")
    parts.detect.refresh()
    assert parts.detect.is_busy
    qtbot.waitUntil(lambda: not parts.detect.is_busy, timeout=30_000)
    assert parts.store.snapshot is not None
    assert [gpu.name for gpu in parts.store.snapshot.gpus] == [
        "NVIDIA GeForce RTX 4070",
        "NVIDIA GeForce RTX 3090",
    ]
    assert parts.store.gpu == parts.store.snapshot.gpus[0]
    parts.detect.choose_gpu(parts.store.snapshot.gpus[1].uuid)
    assert parts.store.gpu == parts.store.snapshot.gpus[1]
    parts.detect.nvml_env = nvml_env("healthy_3090")
    parts.detect.refresh()
    qtbot.waitUntil(lambda: not parts.detect.is_busy, timeout=30_000)
    assert len(parts.store.snapshot.gpus) == 1
    assert parts.store.gpu == parts.store.snapshot.gpus[0]


@pytest.mark.usefixtures("quick_look")
def test_that_detection_which_ends_after_a_plan_was_opened_leaves_the_plans_machine(
    qtbot: QtBot, parts: Parts, nvml_env: NvmlEnv
) -> None:
    parts.detect.nvml_env = nvml_env("healthy_3090")
    parts.detect.refresh()
    parts.store.set_snapshot(recommendations.snapshot(), from_plan=True)
    qtbot.waitUntil(lambda: not parts.detect.is_busy, timeout=30_000)
    assert parts.store.snapshot == recommendations.snapshot()


def test_that_telemetry_of_a_gpu_arrives_and_its_child_ends_with_the_window(
    qtbot: QtBot, window: MainWindow, parts: Parts, nvml_env: NvmlEnv
) -> None:
    snapshot = recommendations.snapshot()
    uuid = "GPU-5a1b7c2e-3090-4d5e-8f90-0123456789ab"  # of the scenario
    parts.detect.nvml_env = nvml_env("demo")
    parts.store.set_snapshot(replace(snapshot, gpus=(replace(snapshot.gpus[0], uuid=uuid),)))
    with qtbot.waitSignal(parts.telemetry.sample, timeout=20_000) as read:
        window.show_page("benchmark")
    assert read.args[0].power_w > 0
    assert 0 <= read.args[0].utilisation_percent <= 100
    assert parts.telemetry.reads_gpu
    watching = [child for child in psutil.Process().children() if "--watch" in child.cmdline()]
    assert len(watching) == 1
    window.close()
    assert not watching[0].is_running() or watching[0].status() == psutil.STATUS_ZOMBIE


def test_that_a_demonstration_which_cannot_run_says_why(
    qtbot: QtBot, parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unavailable() -> dict[str, str]:
        raise DemoUnavailableError("check.demo.no_compiler")

    monkeypatch.setattr("planner.hardware.demo.demo_environment", unavailable)
    monkeypatch.setattr(parts.detect, "_demo", True)
    monkeypatch.setattr("planner.hardware.detect.find_candidates", lambda _chosen: ())
    parts.detect.refresh()
    qtbot.waitUntil(lambda: bool(parts.notices.shown), timeout=10_000)
    assert "C compiler" in parts.notices.shown[0].text
    qtbot.waitUntil(lambda: not parts.detect.is_busy, timeout=30_000)
    assert parts.store.snapshot is not None


def test_that_the_theme_of_the_system_is_followed_live(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    theme = Theme()
    assert theme.tokens is LIGHT
    monkeypatch.setattr(theme, "_system_is_dark", lambda: True)
    with qtbot.waitSignal(theme.changed):
        QGuiApplication.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    assert theme.tokens is DARK
    theme.choose("light")
    assert theme.tokens is LIGHT
    QGuiApplication.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    assert theme.tokens is LIGHT


def test_that_a_fault_is_told_inline_and_the_window_stays(
    window: MainWindow, parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.excepthook", sys.__excepthook__)
    _catch_faults(parts.notices)
    sys.excepthook(ValueError, ValueError("inner"), None)
    shown = parts.notices.shown[-1]
    assert (shown.name, shown.severity) == ("fault", Severity.ERROR)
    assert "inner" in shown.details
    assert window.isVisible()


def test_that_settings_survive_and_nonsense_counts_as_not_there(tmp_path: Path) -> None:
    file = tmp_path / "settings.ini"
    settings = Settings(file)
    settings.set(CHOSEN_PYTHON, "/opt/python")
    del settings
    assert Settings(file).get(CHOSEN_PYTHON) == "/opt/python"
    assert Settings(file).get(THEME) == "system"
    file.write_text("[General]\nschema_version=abc\n[appearance]\ntheme=7\n", encoding="utf-8")
    assert Settings(file).get(THEME) == "system"
