"""Plans and reports from the window: whole files or none, and problems in words."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from planner.report.plan_file import read_plan
from tests.report.fixtures import recommendations
from ui.notices import Notice, Severity
from ui.parts import Parts
from ui.window import MainWindow


def notice(parts: Parts, name: str) -> Notice | None:
    return next((one for one in parts.notices.shown if one.name == name), None)


def wait_for(qtbot: QtBot, parts: Parts, name: str) -> Notice:
    qtbot.waitUntil(lambda: notice(parts, name) is not None, timeout=10_000)
    found = notice(parts, name)
    assert found is not None
    return found


@pytest.fixture
def described(window: MainWindow, parts: Parts) -> Parts:
    """A plan with a machine, a benchmark and something typed."""
    parts.store.set_snapshot(recommendations.snapshot())
    parts.store.set_benchmark(recommendations.benchmark())
    parts.plan.type_text("batch_size", "32")
    parts.plan.type_text("deadline", "2d 6h")
    parts.store.recompute()
    return parts


def test_that_a_saved_plan_opens_as_the_same_inputs(qtbot: QtBot, described: Parts, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    inputs = described.store.inputs()
    described.plan.save_plan(path)
    assert wait_for(qtbot, described, "plan").severity is Severity.INFORMATION
    assert read_plan(path).inputs == inputs
    described.plan.type_text("batch_size", "999")
    described.notices.clear("plan")
    described.plan.open_plan(path)
    wait_for(qtbot, described, "plan")
    assert described.store.inputs() == inputs
    assert described.store.plan_path == path
    assert notice(described, "plan.differs") is None


def test_that_half_a_plan_file_is_refused_in_words_and_nothing_here_changes(
    qtbot: QtBot, described: Parts, tmp_path: Path
) -> None:
    path = tmp_path / "plan.json"
    described.plan.save_plan(path)
    wait_for(qtbot, described, "plan")
    path.write_bytes(path.read_bytes()[:300])
    described.notices.clear("plan")
    before = described.store.inputs()
    described.plan.open_plan(path)
    told = wait_for(qtbot, described, "plan")
    assert told.severity is Severity.ERROR
    assert "plan.json" in told.text
    assert "line" in told.details
    assert described.store.inputs() == before


def test_that_a_plan_with_problems_in_the_form_is_not_saved(described: Parts, tmp_path: Path) -> None:
    described.plan.type_text("batch_size", "many")
    described.plan.save_plan(tmp_path / "plan.json")
    told = notice(described, "plan")
    assert told is not None
    assert "Workload" in told.text
    assert not (tmp_path / "plan.json").exists()


def test_that_a_full_disk_is_told_and_leaves_the_old_file(
    qtbot: QtBot, described: Parts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "plan.json"
    path.write_text("old", encoding="utf-8")

    def full(_path: Path, _data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("planner.report.files.write_atomically", full)
    described.plan.save_plan(path)
    told = wait_for(qtbot, described, "plan")
    assert told.severity is Severity.ERROR
    assert "full" in told.text
    assert path.read_text(encoding="utf-8") == "old"


@pytest.mark.parametrize("kind", ["pdf", "html"])
def test_that_the_report_is_written(qtbot: QtBot, described: Parts, tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"report.{kind}"
    pages: list[tuple[int, int]] = []
    described.report.progress.connect(lambda page, count: pages.append((page, count)))
    getattr(described.report, f"export_{kind}")(path)
    assert described.report.is_busy
    told = wait_for(qtbot, described, "report")
    assert (told.severity, str(path) in told.text) == (Severity.INFORMATION, True)
    assert path.stat().st_size > 1000
    assert not described.report.is_busy
    assert kind == "html" or pages[-1][0] == pages[-1][1] > 0


def test_that_an_answer_out_of_date_is_not_reported(described: Parts, tmp_path: Path) -> None:
    described.plan.type_text("batch_size", "many")
    described.store.recompute()
    described.report.export_pdf(tmp_path / "report.pdf")
    assert not described.report.is_busy
    assert notice(described, "report") is not None


def test_that_a_typed_price_counts_and_is_kept(qtbot: QtBot, window: MainWindow, described: Parts) -> None:
    from planner.offers.catalogue import user_file

    window.show_page("workload")
    card = window.pages["workload"].offers  # type: ignore[attr-defined]
    before = described.store.offers
    card.model.setData(card.model.index(0, 3), "0.80")
    assert described.store.offers[0].price_usd_per_hour == 0.8
    qtbot.waitUntil(user_file().exists, timeout=5000)
    card.undo.click()
    assert described.store.offers == before


def test_that_the_preview_shows_every_page_of_the_pdf(
    qtbot: QtBot, window: MainWindow, described: Parts, tmp_path: Path
) -> None:
    counts: list[int] = []
    described.report.progress.connect(lambda _page, count: counts.append(count))
    described.report.export_pdf(tmp_path / "report.pdf")
    wait_for(qtbot, described, "report")
    window.show_page("report")
    page = window.pages["report"]
    qtbot.waitUntil(lambda: len(page._page_labels) > 0, timeout=10_000)  # type: ignore[attr-defined]
    labels = page._page_labels  # type: ignore[attr-defined]
    assert len(labels) == counts[-1]
    picture = labels[0].pixmap().toImage()
    colours = {picture.pixelColor(x, y).name() for x in range(0, picture.width(), 3) for y in range(0, 400, 3)}
    assert len(colours) > 5
    described.plan.type_text("batch_size", "many")
    described.store.recompute()
    qtbot.waitUntil(lambda: not labels[0].isVisible(), timeout=5000)
    assert "no up-to-date answer" in page.empty.text()  # type: ignore[attr-defined]


def test_that_a_price_table_which_cannot_be_read_is_told_and_set_aside_not_destroyed(
    qtbot: QtBot, parts: Parts
) -> None:
    from planner.offers.catalogue import user_file

    user_file().parent.mkdir(parents=True)
    user_file().write_text("provider,colour\nme,red\n", encoding="utf-8")
    parts.plan.start()
    told = wait_for(qtbot, parts, "offers")
    assert "colour" in told.details
    assert parts.store.offers
    parts.plan.set_offers(parts.store.offers[1:])
    aside = user_file().with_name("offers-unreadable.csv")
    qtbot.waitUntil(lambda: aside.exists() and user_file().exists(), timeout=5000)
    assert "colour" in aside.read_text(encoding="utf-8")
