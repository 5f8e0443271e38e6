"""Every sentence exists in every language, says the same things, and is told in the language that was chosen."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest

from planner.messages import FALLBACK_LANGUAGE, languages, load_messages, read_topics, use_language
from planner.paths import RESOURCES

OTHERS = [language for language in languages() if language != FALLBACK_LANGUAGE]


def placeholders(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name}


def test_that_english_and_vietnamese_are_shipped():
    assert languages() == ("en", "vi")


@pytest.mark.parametrize("language", OTHERS)
def test_that_every_sentence_is_translated(language: str):
    english, translated = read_topics(FALLBACK_LANGUAGE), read_topics(language)
    assert sorted(english.keys() - translated.keys()) == [], f"missing in resources/i18n/{language}"
    assert sorted(translated.keys() - english.keys()) == [], f"no longer in English, but in {language}"


@pytest.mark.parametrize("language", OTHERS)
def test_that_a_translation_keeps_every_placeholder(language: str):
    english, translated = read_topics(FALLBACK_LANGUAGE), read_topics(language)
    wrong = {
        code: (placeholders(english[code]), placeholders(text))
        for code, text in translated.items()
        if code in english and placeholders(text) != placeholders(english[code])
    }
    assert wrong == {}


@pytest.mark.parametrize("language", OTHERS)
def test_that_a_translation_keeps_its_ends(language: str):
    """A colon, full stop or space at the end joins the sentence with what follows it."""
    english, translated = read_topics(FALLBACK_LANGUAGE), read_topics(language)
    ends = [code for code, text in translated.items() if text[-1] in " :" or english[code][-1] in " :"]
    assert [code for code in ends if translated[code][-1] != english[code][-1]] == []


def test_that_no_sentence_of_vietnamese_is_still_english():
    english, vietnamese = read_topics("en"), read_topics("vi")
    same = [code for code, text in vietnamese.items() if text == english.get(code)]
    assert [code for code in same if len(_words(english[code])) > 4] == []


def _words(text: str) -> list[str]:
    """Without placeholders, numbers and signs: formulas read alike in every language."""
    return re.findall(r"[^\W\d_]{2,}", re.sub(r"\{.*?\}", "", text))


def test_that_every_language_has_the_same_files():
    topics = {file.name for file in (RESOURCES / "i18n" / "en").glob("*.toml")}
    for language in OTHERS:
        assert {file.name for file in Path(RESOURCES / "i18n" / language).glob("*.toml")} == topics


def test_that_a_language_that_is_not_shipped_is_refused():
    with pytest.raises(FileNotFoundError, match="xx"):
        load_messages("xx")


def test_that_a_language_is_chosen_once_for_the_whole_process():
    use_language("vi")
    try:
        assert load_messages().language == "vi"
        assert load_messages("en").language == "en"
        with pytest.raises(FileNotFoundError):
            use_language("xx")
        assert load_messages().language == "vi"
    finally:
        use_language(FALLBACK_LANGUAGE)
    assert load_messages().language == "en"


def test_that_numbers_carry_the_marks_of_their_language():
    assert load_messages("en").marked("-1,234.5") == "−1,234.5"
    assert load_messages("vi").marked("-1,234.5") == "−1.234,5"
