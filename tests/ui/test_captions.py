"""Every caption of the window in every language: translated, with its placeholders, and compiled."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtCore import QLibraryInfo, QTranslator

from planner.messages import FALLBACK_LANGUAGE, languages
from ui.captions import OF_QT, SOURCES, all_captions, captions_of, read_translations, ts_file
from ui.i18n import captions_file

OTHERS = [language for language in languages() if language != FALLBACK_LANGUAGE]


def placeholders(text: str) -> list[str]:
    return sorted(re.findall(r"\{[^}]*\}|%\d", text))


def test_that_every_caption_is_written_out_where_it_is_used():
    """``tr(variable)`` cannot be found by the translators, nor an f-string."""
    unreadable = {file.name: lines for file in SOURCES.rglob("*.py") if (lines := captions_of(file)[1])}
    assert unreadable == {}


def test_that_captions_are_found_in_classes_and_in_functions(tmp_path: Path):
    source = tmp_path / "page.py"
    source.write_text(
        'class Page:\n    def f(self):\n        return self.tr("in a class"), self.tr(self.name)\n'
        'def g():\n    return tr("Form", "in a function")\n'
    )
    assert captions_of(source) == ([("Page", "in a class"), ("Form", "in a function")], [3])


@pytest.mark.parametrize("language", OTHERS)
def test_that_every_caption_is_translated(language: str):
    """Otherwise: translate what ``python -m ui.captions`` prints in the .ts file, then run it again."""
    translated = read_translations(ts_file(language)).keys()
    captions = set(all_captions())
    assert sorted(captions - translated) == [], f"to be translated in {ts_file(language).name}"
    assert sorted(translated - captions) == [], "no longer in the window; `python -m ui.captions` drops them"


@pytest.mark.parametrize("language", OTHERS)
def test_that_a_caption_keeps_its_placeholders_and_its_ends(language: str):
    wrong = {
        text: translation
        for (_, text), translation in read_translations(ts_file(language)).items()
        if placeholders(text) != placeholders(translation)
        or text.endswith("…") != translation.endswith("…")
        or text.endswith(".") != translation.endswith(".")
        or text[0].isspace() != translation[0].isspace()
        or text.count("\t") != translation.count("\t")
    }
    assert wrong == {}


@pytest.mark.parametrize("language", OTHERS)
def test_that_a_caption_keeps_its_underlined_letter_on_the_plain_alphabet(language: str):
    """A letter with an accent may need several keys, so Alt with it cannot be pressed."""
    wrong = {
        text: translation
        for (_, text), translation in read_translations(ts_file(language)).items()
        if text.count("&") != translation.count("&") or re.search(r"&(?![A-Za-z])", translation)
    }
    assert wrong == {}


@pytest.mark.parametrize("language", OTHERS)
def test_that_the_compiled_captions_are_those_of_the_source(language: str):
    """Otherwise: run ``python -m ui.captions``."""
    translator = QTranslator()
    assert translator.load(str(captions_file(language)))
    expected = read_translations(ts_file(language))
    assert {key: translator.translate(*key) for key in expected} == expected


def test_that_the_words_of_qt_are_spelled_as_qt_spells_them():
    """Qt looks them up by their English text: one that Qt does not know would never be shown."""
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    german = QTranslator()
    if not german.load(f"{folder}/qtbase_de.qm"):
        pytest.skip("this Qt comes without translations")
    unknown = {
        (context, text)
        for context, texts in OF_QT.items()
        for text in texts
        if not german.translate(context, text)
    }
    assert unknown == set()


def test_that_no_sentence_of_vietnamese_is_still_english():
    same = [text for (_, text), translation in read_translations(ts_file("vi")).items() if text == translation]
    assert [text for text in same if len(re.findall(r"[^\W\d_]{2,}", text)) > 3] == []
