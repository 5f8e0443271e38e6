"""How fast the window answers; measured with --benchmark-only, otherwise only run once."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from planner.messages import load_messages
from planner.pipeline import evaluate
from ui.i18n import wording
from ui.parts import Parts
from ui.window import MainWindow


@pytest.fixture
def shipped_words(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real engine speaks of reasons that the hand-made words of the other tests do not know."""
    monkeypatch.setattr("planner.messages.load_messages", load_messages)
    wording.cache_clear()


@pytest.mark.parametrize("page", ["workload", "answer"])
def test_that_a_keystroke_is_answered_on_the_screen(
    benchmark: Callable[..., Any],
    qapp: QApplication,
    window: MainWindow,
    shipped_words: None,
    parts: Parts,
    page: str,
) -> None:
    parts.store.set_engine(evaluate)
    parts.store.recompute()
    window.show_page(page)
    numbers = count(1)

    def type_and_draw() -> None:
        parts.plan.type_text("batch_size", str(next(numbers)))
        parts.store.recompute()
        qapp.processEvents()

    benchmark(type_and_draw)
    assert not parts.store.answer.stale


def test_that_the_theme_changes_at_once(
    benchmark: Callable[..., Any], qapp: QApplication, window: MainWindow, parts: Parts
) -> None:
    for page in ("benchmark", "workload", "answer", "report"):
        window.show_page(page)
    dark = count()

    def switch() -> None:
        parts.theme.choose("dark" if next(dark) % 2 == 0 else "light")
        qapp.processEvents()

    benchmark(switch)
