"""The window in another language: at the start, and changed while it runs."""

from __future__ import annotations

import gc
import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QLocale
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QMenu, QWidget
from pytestqt.qtbot import QtBot

from planner.messages import FALLBACK_LANGUAGE, languages, load_messages
from planner.pipeline import evaluate
from planner.report.ticks import tick_text
from tests.ui.conftest import hand_made_engine
from ui import app
from ui.i18n import NAMES, language, speak, wanted_language, wording, written
from ui.parts import Parts
from ui.progress import PAGES
from ui.settings import LANGUAGE, Settings
from ui.shell import Shell


@pytest.fixture
def shell(parts: Parts, qapp: QApplication, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    monkeypatch.setattr(
        "planner.messages.load_messages", load_messages
    )  # the shipped sentences, in every language
    made = Shell(qapp, parts)
    made.window.show()
    parts.plan.use(hand_made_engine())
    parts.store.set_engine(evaluate)
    parts.store.recompute()
    yield made
    made.window.close()
    made.window.deleteLater()
    speak(qapp, FALLBACK_LANGUAGE)
    made.deleteLater()
    qapp.processEvents()
    gc.collect()


def texts(widget: QWidget) -> str:
    return "\n".join(label.text() for label in widget.findChildren(QLabel) if label.isVisible())


def test_that_every_language_has_a_name_in_the_menu():
    assert set(NAMES) == set(languages())


@pytest.mark.parametrize(
    ("of_system", "choice", "expected"),
    [
        (["de-DE", "de", "vi-VN", "vi"], "system", "vi"),
        (["vi-VN", "vi"], "system", "vi"),
        (["vi-VN", "vi"], "en", "en"),
        (["fr-FR", "fr"], "system", "en"),
        (["C"], "system", "en"),
        (["C"], "vi", "vi"),
        (["vi"], "a choice of a later version", "vi"),
    ],
)
def test_that_the_language_is_the_chosen_one_or_the_systems(
    monkeypatch: pytest.MonkeyPatch, of_system: list[str], choice: str, expected: str
):
    class System(QLocale):
        def uiLanguages(self) -> list[str]:
            return of_system

    monkeypatch.setattr("ui.i18n.QLocale.system", System)
    assert wanted_language(choice) == expected


def test_that_an_unknown_language_is_refused_at_the_start(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as ended:
        app.main(["--language", "xx"])
    assert ended.value.code == 2
    assert "vi" in capsys.readouterr().err


def test_that_the_menu_changes_the_language_and_keeps_page_place_and_work(
    shell: Shell, parts: Parts, qapp: QApplication, qtbot: QtBot
):
    shell.window.show_page("workload")
    shell.window.resize(1300, 700)
    parts.plan.type_text("batch_size", "48")
    old, answer = shell.window, parts.store.answer
    parts.settings.set(LANGUAGE, "vi")
    old.language_chosen.emit("vi")
    qtbot.waitUntil(lambda: shell.window is not old)
    qapp.processEvents()
    new = shell.window
    assert language() == wording().messages.language == "vi"
    assert new.isVisible()
    assert new.stack.currentWidget() is new.pages["workload"]
    assert (new.width(), new.height()) == (1300, 700)
    assert new.side_bar.buttons["machine"].text() == "Máy"
    assert "Kích thước batch mỗi GPU" in texts(new).replace("&", "")
    assert parts.store.draft is not None
    assert parts.store.draft.texts["batch_size"] == "48"
    assert answer.recommendation is not None
    assert parts.store.answer.recommendation is not None
    assert not parts.store.answer.stale
    shell.speak("en")
    assert shell.window.side_bar.buttons["machine"].text() == "Machine"
    assert (
        "Stay" in texts(shell.window.verdict)
        or "Rent" in texts(shell.window.verdict)
        or "–" in texts(shell.window.verdict)
    )


def test_that_the_choice_is_remembered(shell: Shell, parts: Parts, qtbot: QtBot):
    old = shell.window
    chosen = next(
        action for action in old.actions() + old.findChildren(type(old._undo)) if action.text() == "Tiếng Việt"
    )
    chosen.trigger()
    qtbot.waitUntil(lambda: shell.window is not old)
    assert parts.settings.get(LANGUAGE) == "vi"


def test_that_what_is_wrong_in_the_form_is_told_in_the_new_language(shell: Shell, parts: Parts):
    parts.plan.type_text("batch_size", "")
    parts.store.recompute()
    shell.speak("vi")
    assert parts.store.answer.problems["batch_size"] == load_messages("vi").say("form.empty")


def test_that_a_window_that_is_gone_hears_nothing_more(shell: Shell, parts: Parts, qapp: QApplication):
    """Each page of the old window was connected to the store: none may answer after it is gone."""
    for page in PAGES:
        shell.window.show_page(page)
    qapp.processEvents()
    shell.speak("vi")
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    qapp.processEvents()
    gc.collect()
    for signal in ("snapshot", "gpu", "benchmark", "draft", "offers", "answer", "selection", "plan"):
        getattr(parts.store, f"{signal}_changed").emit()
    for changed in (parts.undo.changed, parts.benchmark.changed, parts.detect.busy_changed, parts.theme.changed):
        changed.emit()
    parts.notices.changed.emit()
    qapp.processEvents()  # pytest-qt fails on an exception in a slot


def test_that_another_language_is_there_at_once(
    benchmark: Callable[..., Any], shell: Shell, qapp: QApplication
) -> None:
    """Measured with --benchmark-only: under 0.4 s on the slowest page."""
    shell.window.show_page("answer")
    codes = cycle(("vi", "en"))

    def switch() -> None:
        shell.speak(next(codes))
        qapp.processEvents()

    benchmark(switch)


def _underlined(widget: QWidget) -> Iterator[str]:
    """Letters that Alt reaches: of fields (their labels) and buttons that can be seen."""
    for one in widget.findChildren(QWidget):
        if isinstance(one, QAbstractButton | QLabel) and one.isVisible():
            text = one.text()
            if isinstance(one, QLabel) and one.buddy() is None:
                continue
            found = re.search(r"&([^&\s])", text)
            if found:
                yield found.group(1).lower()


@pytest.mark.parametrize("code", languages())
def test_that_no_two_fields_or_menus_share_an_underlined_letter(shell: Shell, qapp: QApplication, code: str):
    shell.speak(code)
    window = shell.window
    bar = [re.findall(r"&(\w)", action.text())[0].lower() for action in window.menuBar().actions()]
    assert max(Counter(bar).values()) == 1
    for menu in window.findChildren(QMenu):
        letters = [re.findall(r"&(\w)", one.text())[0].lower() for one in menu.actions() if "&" in one.text()]
        assert [letter for letter, count in Counter(letters).items() if count > 1] == [], menu.title()
    for page in PAGES:
        window.show_page(page)
        qapp.processEvents()
        letters = bar + list(_underlined(window.pages[page]))
        assert [letter for letter, count in Counter(letters).items() if count > 1] == [], page


def test_that_the_setting_begins_with_the_systems_language(tmp_path: Path):
    assert Settings(tmp_path / "settings.ini").get(LANGUAGE) == "system"


def test_that_one_window_writes_all_numbers_alike(shell: Shell, parts: Parts):
    """ "1,000" on an axis beside "1.100 USD" in a table would be read as one."""
    shell.speak("vi")
    assert written(1234.5, 5) == wording().messages.marked("1,234.5") == "1.234,5"
    assert tick_text(1000.0) == "1.000"
    parts.plan.choose_preset("resnet50")
    shell.window.show_page("workload")
    assert "1.281.167 mẫu" in texts(shell.window)


def test_that_a_comma_for_decimals_is_refused_with_the_way_out(shell: Shell, parts: Parts):
    shell.speak("vi")
    parts.plan.type_text("budget", "1,5")
    assert "Không đọc được “1,5”" in parts.store.reading.problems["budget"]
    assert "2.50" in parts.store.reading.problems["budget"]
