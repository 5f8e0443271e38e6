"""The team's own report from the window: form, paper, sections, comments, name and logo, kept and printed."""

from __future__ import annotations

from pathlib import Path

import pytest
from pypdf import PdfReader
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFileDialog, QLabel
from pytestqt.qtbot import QtBot

from planner.report.plan_file import plan_hash, read_plan
from planner.report.presentation import ALWAYS, SHORT_FORM, Presentation
from tests.ui.test_plan_and_report import notice, wait_for
from ui.controllers.presentation import PRESENTATION, PresentationController
from ui.pages.report_look import LookCard
from ui.parts import Parts
from ui.window import MainWindow


@pytest.fixture
def card(window: MainWindow, parts: Parts) -> LookCard:
    window.show_page("report")
    return window.pages["report"].look


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    path = tmp_path / "logo.png"
    image = QImage(60, 20, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.darkBlue)
    assert image.save(str(path))
    return path


def item_of(card: LookCard, key: str):
    return next(item for item in card._items() if item.data(Qt.ItemDataRole.UserRole) == key)


def test_that_a_short_letter_report_is_two_choices(card: LookCard, parts: Parts):
    card.form.setCurrentIndex(card.form.findData("short"))
    card.paper.setCurrentIndex(card.paper.findData("letter"))
    report = parts.report.report()
    assert report is not None
    assert report.paper == "letter"
    assert {section.key for section in report.sections} <= set(SHORT_FORM)
    assert {item.data(Qt.ItemDataRole.UserRole) for item in card._items()} <= set(SHORT_FORM)


def test_that_sections_are_switched_off_but_not_the_verdict_and_the_sign_off(card: LookCard, parts: Parts):
    item_of(card, "memory").setCheckState(Qt.CheckState.Unchecked)
    keys = {section.key for section in parts.report.report().sections}
    assert "memory" not in keys
    for key in ALWAYS:
        assert not item_of(card, key).flags() & Qt.ItemFlag.ItemIsUserCheckable
        assert key in keys
    item_of(card, "memory").setCheckState(Qt.CheckState.Checked)
    assert "memory" in {section.key for section in parts.report.report().sections}


def test_that_every_section_has_its_own_comment(qtbot: QtBot, card: LookCard, parts: Parts):
    card.sections.setCurrentItem(item_of(card, "options"))
    qtbot.keyClicks(card.comment, "Ask Lan first.")
    card.sections.setCurrentItem(item_of(card, "memory"))
    assert card.comment.toPlainText() == ""
    qtbot.keyClicks(card.comment, "Measured twice.")
    card.sections.setCurrentItem(item_of(card, "options"))
    assert card.comment.toPlainText() == "Ask Lan first."
    comments = {section.key: section.comment for section in parts.report.report().sections if section.comment}
    assert comments == {"options": "Ask Lan first.", "memory": "Measured twice."}
    card.comment.clear()
    assert dict(parts.look.value.comments) == {"memory": "Measured twice."}


def test_that_an_essay_is_refused_in_words_and_the_last_comment_stays(card: LookCard, parts: Parts):
    card.comment.setPlainText("short")
    card.comment.setPlainText("x" * 2001)
    assert not card.problem.isHidden()
    assert "2,000" in card.problem.text()
    assert [text for _key, text in parts.look.value.comments] == ["short"]
    card.comment.setPlainText("short again")
    assert card.problem.isHidden()


def test_that_the_look_is_remembered_and_nonsense_in_the_settings_is_not(card: LookCard, parts: Parts):
    parts.look.change(team="Đội AI", paper="letter", left_out=("memory",))
    again = PresentationController(parts.settings, parts.tasks, parts.notices)
    assert again.value == Presentation(team="Đội AI", paper="letter", left_out=("memory",))
    parts.settings.set(PRESENTATION, '{"paper": "papyrus"}')
    assert PresentationController(parts.settings, parts.tasks, parts.notices).value == Presentation()
    parts.settings.set(PRESENTATION, "{")
    assert PresentationController(parts.settings, parts.tasks, parts.notices).value == Presentation()


def test_that_a_logo_is_chosen_and_removed(
    qtbot: QtBot, card: LookCard, parts: Parts, picture: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_arguments: (str(picture), ""))
    card.choose_logo()
    qtbot.waitUntil(lambda: bool(parts.look.value.logo), timeout=5000)
    assert parts.report.report().logo == picture.read_bytes()
    assert not card.no_logo.isHidden()
    card.no_logo.click()
    assert parts.report.report().logo == b""


@pytest.mark.parametrize("content", [b"GIF89a", bytes(300_000), None])
def test_that_what_is_no_logo_is_told(
    qtbot: QtBot, card: LookCard, parts: Parts, tmp_path: Path, content: bytes | None
):
    path = tmp_path / "picture.png"
    if content is not None:
        path.write_bytes(content)
    parts.look.take_logo(path)
    told = wait_for(qtbot, parts, "presentation")
    assert "picture.png" in told.text
    assert parts.look.value.logo == ""


def test_that_a_plan_keeps_its_look_and_its_comments(qtbot: QtBot, card: LookCard, parts: Parts, tmp_path: Path):
    path = tmp_path / "plan.json"
    parts.look.change(team="Team 7", comments=(("verdict", "Agreed."),))
    parts.plan.save_plan(path)
    wait_for(qtbot, parts, "plan")
    assert read_plan(path).presentation == parts.look.value
    parts.plan.new_plan()
    assert parts.look.value == Presentation(team="Team 7")
    parts.look.change(team="Other")
    with qtbot.waitSignal(parts.plan.open_ended):
        parts.plan.open_plan(path)
    assert parts.look.value == Presentation(team="Team 7", comments=(("verdict", "Agreed."),))
    assert card.team.text() == "Team 7"


def test_that_the_pdf_of_the_window_carries_its_plan_and_the_team(
    qtbot: QtBot, card: LookCard, parts: Parts, tmp_path: Path
):
    path = tmp_path / "report.pdf"
    qtbot.keyClicks(card.team, "Team 7")
    parts.report.name = "Autumn"
    parts.report.export_pdf(path)
    qtbot.waitUntil(lambda: parts.report.last_file == path, timeout=20_000)
    assert notice(parts, "report") is not None
    saved = read_plan(path)
    assert saved.inputs_sha256 == plan_hash(parts.store.answer.inputs)
    assert (saved.name, saved.presentation.team) == ("Autumn", "Team 7")
    reader = PdfReader(path)
    assert reader.metadata.author == "Team 7"
    assert "Team 7" in " ".join(reader.pages[0].extract_text().split())


@pytest.mark.parametrize(("paper", "ratio"), [("a4", 11.69 / 8.27), ("letter", 11 / 8.5)])
def test_that_the_preview_has_the_paper_that_is_printed(
    qtbot: QtBot, window: MainWindow, card: LookCard, parts: Parts, paper: str, ratio: float
):
    parts.look.change(paper=paper)

    def first_page_has_the_paper() -> bool:
        size = next(
            (page.pixmap().size() for page in window.pages["report"].pages.findChildren(QLabel) if page.pixmap()),
            None,
        )
        return size is not None and size.height() / size.width() == pytest.approx(ratio, rel=0.01)

    qtbot.waitUntil(first_page_has_the_paper, timeout=20_000)
