"""The PDF: the report's numbers as text, vectors and embedded fonts, whole or not there."""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from pypdf import PdfReader
from PySide6.QtCore import QBuffer, QByteArray, QRectF, QSizeF
from PySide6.QtGui import QFont, QFontMetricsF, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from planner.door import InvalidInputError
from planner.report.charts import build_charts
from planner.report.plan_file import plan_content, plan_text, read_plan, save_plan
from planner.report.presentation import Presentation, as_logo, presented
from planner.report.sections import build_report
from planner.report.svg import HEIGHT, WIDTH, svg_chart
from planner.report.text_width import text_width
from planner.report.types import Report, Section, Table
from planner.report.wording import Wording
from tests.report.conftest import hand_made_messages
from tests.report.fixtures import recommendations as made
from ui.report.document import ReportDocument
from ui.report.fonts import report_font_family
from ui.report.pagination import pages_of
from ui.report.pdf import ExportCancelledError, paint_page, write_pdf

needs_poppler = pytest.mark.skipif(
    shutil.which("pdftotext") is None, reason="poppler's pdftotext is not installed"
)
pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture
def report() -> Report:
    return build_report(made.inputs(), made.recommendation(), Wording(hand_made_messages()), "Kế hoạch ResNet-50")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "report.pdf"


def poppler(tool: str, *arguments: str | Path) -> str:
    return subprocess.run([tool, *map(str, arguments)], capture_output=True, text=True, check=True).stdout


def words_of(pdf: Path) -> str:
    return "".join(poppler("pdftotext", "-layout", pdf, "-").split())


def long_report(report: Report, rows: int, cell: str = "cell") -> Report:
    table = Table(
        ("Number", "Words"), tuple((f"row{n:03d}", f"{cell} end{n:03d}") for n in range(rows)), (False, False)
    )
    return replace(report, sections=(Section("long", "Long table", tables=(table,)),))


@needs_poppler
def test_that_the_text_of_the_pdf_is_the_text_of_the_report(report, path):
    write_pdf(report, path)
    between_header_and_footer = ("-x", "0", "-y", "66", "-W", "596", "-H", "710")
    text = "".join(poppler("pdftotext", "-raw", *between_header_and_footer, path, "-").split())
    for section in report.sections:
        for paragraph in (section.title, *section.paragraphs):
            assert "".join(paragraph.split()) in text
        for table in section.tables:
            for row in table.rows:
                for cell in row:
                    assert all("".join(word.split()) in text for word in cell.split())
    assert "".join(report.verdict.split()) in text
    assert "Kếhoạch" in text


@needs_poppler
def test_that_every_page_names_the_plan_its_hash_and_its_number(report, path):
    pages = write_pdf(report, path)
    for page in range(1, pages + 1):
        text = poppler("pdftotext", "-f", str(page), "-l", str(page), "-layout", path, "-")
        assert "Kế hoạch ResNet-50" in text
        assert report.plan_hash[:16] in text
        assert f"Page {page} of {pages}" in text


def test_that_two_independent_readers_find_the_bookmarks_the_plan_and_the_metadata(report, path):
    plan = plan_text(made.inputs(), made.recommendation(), "Kế hoạch")
    pages = write_pdf(replace(report, team="Đội AI"), path, plan=plan)
    reader = PdfReader(path)
    assert len(reader.pages) == pages
    assert [mark.title for mark in reader.outline] == [section.title for section in report.sections]
    assert reader.get_destination_page_number(reader.outline[1]) == 1  # page 1 stands alone
    assert (reader.metadata.title, reader.metadata.author) == ("Kế hoạch ResNet-50", "Đội AI")
    assert report.plan_hash in reader.metadata["/Keywords"]
    assert plan_content(path) == plan
    assert read_plan(path).inputs == made.inputs()
    if shutil.which("pdfinfo"):
        about = poppler("pdfinfo", path)
        assert "Đội AI" in about
        assert f"Pages:           {pages}\n" in about
        poppler("pdfdetach", "-save", "1", "-o", path.with_suffix(".json"), path)
        assert path.with_suffix(".json").read_bytes() == plan


def test_that_a_pdf_without_a_plan_or_cut_in_two_is_refused_in_words(report, path):
    write_pdf(report, path)
    with pytest.raises(InvalidInputError, match=r"no plan\.json is attached"):
        read_plan(path)
    path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(InvalidInputError, match=r"damaged|attached"):
        read_plan(path)


def test_that_the_short_form_is_two_pages_on_either_paper(path):
    full = build_report(made.inputs(), made.recommendation(), Wording(hand_made_messages()))
    for paper in ("a4", "letter"):
        assert write_pdf(presented(full, Presentation(form="short", paper=paper)), path) == 2
        size = PdfReader(path).pages[0].mediabox
        assert (round(size.width), round(size.height)) == {"a4": (595, 842), "letter": (612, 792)}[paper]


def test_that_a_logo_is_the_only_picture_and_a_comment_is_printed(report, path):
    picture, out = QImage(60, 20, QImage.Format.Format_RGB32), QBuffer()
    picture.fill(0xFF0B3C7A)
    picture.save(out, "PNG")
    wish = Presentation(logo=as_logo(out.data().data()), comments=(("options", "Ask Lan first."),))
    write_pdf(presented(report, wish), path)
    drawn = [page["/Resources"].get("/XObject", {}) for page in PdfReader(path).pages]
    assert sum(one.get_object()["/Subtype"] == "/Image" for page in drawn for one in page.values()) == 1
    if shutil.which("pdftotext"):
        assert "AskLanfirst." in words_of(path)


@needs_poppler
def test_that_fonts_are_embedded_and_charts_are_vectors(report, path):
    write_pdf(report, path)
    fonts = poppler("pdffonts", path).splitlines()[2:]
    assert fonts
    for font in fonts:
        assert "DejaVuSansCondensed" in font
        assert re.search(r"\byes\s+(yes|no)\s+yes\b", font)
    assert len(poppler("pdfimages", "-list", path).splitlines()) == 2
    assert "Kế hoạch ResNet-50" in poppler("pdfinfo", path)
    assert path.stat().st_size < 600_000


@needs_poppler
def test_that_a_long_table_repeats_its_head_and_splits_no_row(report, path):
    pages = write_pdf(long_report(report, 120, "several words that need more than one line " * 8), path)
    assert pages > 2
    starts, ends = {}, {}
    for page in range(1, pages + 1):
        text = poppler("pdftotext", "-f", str(page), "-l", str(page), "-raw", path, "-")
        assert re.search(r"Number\s+Words", text)
        starts |= dict.fromkeys(re.findall(r"row(\d{3})", text), page)
        ends |= dict.fromkeys(re.findall(r"end(\d{3})", text), page)
    assert len(starts) == 120
    assert starts == ends


@pytest.mark.parametrize(
    "case", [made.without_local_gpu, made.without_prices, made.nothing_fits, made.measure_first]
)
def test_that_the_edge_cases_print(case, path):
    report = build_report(made.inputs(), case(), Wording(hand_made_messages()))
    assert write_pdf(report, path) >= 2


@pytest.mark.parametrize("name", ["<b>bold</b>&nbsp;", "\u202egnp.exe", "💥" * 300, "خطة", "\ud800", "../x\x00y"])
def test_that_a_hostile_name_prints_as_text(name, path):
    report = build_report(made.inputs(), made.recommendation(), Wording(hand_made_messages()), name)
    assert write_pdf(report, path) >= 2
    if shutil.which("pdftotext") and name.startswith("<b>"):
        assert "<b>bold</b>&nbsp;" in words_of(path)


def test_that_a_full_disk_leaves_the_old_file_and_says_so(report, path, monkeypatch):
    path.write_bytes(b"old")

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="the disk is full"):
        write_pdf(report, path)
    assert path.read_bytes() == b"old"
    assert list(path.parent.glob(".*")) == []


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_that_a_read_only_folder_is_named_as_the_reason(report, path):
    path.parent.chmod(stat.S_IRUSR | stat.S_IXUSR)
    with pytest.raises(OSError, match="read-only"):
        write_pdf(report, path)


def test_that_a_cancelled_export_writes_nothing(report, path):
    seen: list[tuple[int, int]] = []
    with pytest.raises(ExportCancelledError):
        write_pdf(report, path, progress=lambda *step: seen.append(step), cancelled=lambda: len(seen) == 2)
    assert [page for page, _ in seen] == [1, 2]
    assert not path.exists()


def test_that_progress_counts_every_page(report, path):
    seen: list[tuple[int, int]] = []
    pages = write_pdf(report, path, progress=lambda *step: seen.append(step))
    assert seen == [(page, pages) for page in range(1, pages + 1)]


def test_that_a_preview_is_painted_by_the_same_code_and_always_light(report):
    laid_out = ReportDocument(report, QSizeF(498, 720))
    image = QImage(498, 760, QImage.Format.Format_RGB32)
    image.fill(0xFFFFFFFF)
    painter = QPainter(image)
    paint_page(painter, laid_out, report, 0, 20, hand_made_messages())
    painter.end()
    dark = sum(image.pixelColor(x, y).lightness() < 90 for x in range(0, 498, 3) for y in range(0, 760, 3))
    assert 100 < dark < 5000


def test_that_no_heading_is_left_alone_at_the_foot_of_a_page(report):
    for height in range(420, 800, 40):
        document = ReportDocument(report, QSizeF(498, height)).document
        titles = []
        block = document.begin()
        while block.isValid():
            following = block.next()
            if block.blockFormat().headingLevel() and following.isValid():
                assert max(pages_of(document, block)) == min(pages_of(document, following)), block.text()
                titles.append(block.text())
            block = following
        assert titles == [section.title for section in report.sections]


def test_that_qt_draws_every_chart_and_its_text_in_the_bundled_font():
    assert report_font_family() == "DejaVu Sans Condensed"
    for chart in build_charts(made.recommendation(), made.inputs().terms, Wording(hand_made_messages())):
        renderer = QSvgRenderer(QByteArray(svg_chart(chart).encode()))
        assert renderer.isValid()
        image = QImage(int(WIDTH), int(HEIGHT), QImage.Format.Format_RGB32)
        image.fill(0xFFFFFFFF)
        painter = QPainter(image)
        renderer.render(painter, QRectF(0, 0, WIDTH, HEIGHT))
        painter.end()
        drawn = sum(image.pixelColor(x, y).lightness() < 200 for x in range(0, 700, 2) for y in range(0, 340, 2))
        assert drawn > 500
        edge = [image.pixelColor(x, y).lightness() for x in (0, int(WIDTH) - 1) for y in range(int(HEIGHT))]
        assert min(edge) > 200


@pytest.mark.parametrize(
    "text", ["4 × RTX 3090 (ruled out)", "deadline 24 h", "Đặng Thị Hường", "$2.30 ($1.10–5.00)"]
)
@pytest.mark.parametrize("bold", [False, True])
def test_that_texts_are_as_wide_as_the_svg_writer_thinks(text, bold):
    font = QFont(report_font_family())
    font.setPixelSize(100)
    font.setBold(bold)
    assert text_width(text, 100, bold) == pytest.approx(QFontMetricsF(font).horizontalAdvance(text), rel=0.06)


def run_module(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if "DISPLAY" not in name}
    environment.pop("QT_QPA_PLATFORM")
    return subprocess.run(
        [sys.executable, "-m", "ui.report", *map(str, arguments)],
        capture_output=True, text=True, env=environment, check=False, timeout=120,
    )  # fmt: skip


def test_that_a_wrong_plan_is_status_2_and_one_line(tmp_path, path):
    plan = tmp_path / "plan.json"
    plan.write_text('{"schema_version": 99}')
    done = run_module(plan, path)
    assert done.returncode == 2
    assert "newer GPU Planner" in done.stderr
    assert "Traceback" not in done.stderr
    assert not path.exists()


@needs_poppler
def test_that_a_plan_is_printed_without_a_display(tmp_path, path):
    plan = tmp_path / "plan.json"
    save_plan(plan, made.inputs(), name="From the command line")
    done = run_module(plan, path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Fromthecommandline" in words_of(path)
    assert run_module(plan, tmp_path).returncode == 1
    assert run_module(tmp_path / "missing.json", path).returncode == 2
