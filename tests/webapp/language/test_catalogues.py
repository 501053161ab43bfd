"""Every text of the pages is translated into every language, with the same placeholders."""

from __future__ import annotations

import re
from functools import cache

import pytest
from babel.messages.catalog import Catalog
from message_extraction import extract_messages, list_phrases

from webapp.language.catalogue import catalogue_path, load_words, read_catalogue
from webapp.language.choice import DEFAULT_LANGUAGE, LANGUAGES

TRANSLATED = [language for language in LANGUAGES if language != DEFAULT_LANGUAGE]
GAP = re.compile(r"%\(\w+\)[+.\d]*[sSdfg]|%%|%(?!\()")


@cache
def template() -> Catalog:
    return extract_messages()


def texts(words: str | tuple[str, ...] | list[str]) -> list[str]:
    return [words] if isinstance(words, str) else list(words)


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_text_is_translated(language: str) -> None:
    catalogue = read_catalogue(language)
    known = {texts(message.id)[0]: message for message in catalogue if message.id}
    wanted = [texts(message.id)[0] for message in template() if message.id]
    missing = [
        text
        for text in wanted
        if text not in known or known[text].fuzzy or not all(texts(known[text].string or ""))
    ]
    assert missing == [], "run `make messages`, and translate what is empty"
    assert sorted(known) == sorted(wanted), "run `make messages`"


@pytest.mark.parametrize("language", TRANSLATED)
def test_translations_have_the_gaps_of_their_texts(language: str) -> None:
    wrong = []
    for message in read_catalogue(language):
        gaps = {gap for text in texts(message.id) for gap in GAP.findall(text)}
        for words in texts(message.string or ""):
            if words and not gaps >= set(GAP.findall(words)):
                wrong.append((message.id, words))
            if words and isinstance(message.id, str) and set(GAP.findall(words)) != gaps:
                wrong.append((message.id, words))
    assert wrong == []


def test_french_punctuation_keeps_a_no_break_space_to_its_word() -> None:
    """With a plain space, a line could begin with ``:``; without a space, it would not be
    French.
    """
    without_codes = re.compile(r"&#?\w+;|\w+://")
    plain = re.compile(r"[^\u00a0\u202f:;!?][:;!?»]|«[^\u00a0\u202f]")
    wrong = [
        words
        for message in read_catalogue("fr")
        if message.id
        for words in texts(message.string or "")
        if plain.search(without_codes.sub("", words))
    ]
    assert wrong == []


def test_no_text_of_one_language_is_in_the_catalogue_of_another() -> None:
    """Two languages share only names and units, so a text of four words belongs to only one of
    them.
    """
    catalogues = [read_catalogue(language) for language in TRANSLATED]
    shared = [
        words
        for message in catalogues[0]
        if message.id
        for words in texts(message.string or "")
        if len(GAP.sub("", words).split()) > 3
        and any(
            words in texts(catalogue.get(texts(message.id)[0]).string)
            for catalogue in catalogues[1:]
        )
    ]
    assert shared == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_catalogue_states_its_plural_forms_and_has_all_of_them(language: str) -> None:
    catalogue = read_catalogue(language)
    plural_forms = f'"Plural-Forms: {catalogue.plural_forms}\\n"'
    assert plural_forms in catalogue_path(language).read_text(encoding="utf-8")
    plurals = [message for message in catalogue if message.pluralizable]
    assert plurals
    assert [plural.id for plural in plurals if len(plural.string) != catalogue.num_plurals] == []


@pytest.mark.parametrize("language", TRANSLATED)
@pytest.mark.parametrize("count", [0, 1, 2, 7, 1_000_000])
def test_plural_text_is_translated_for_every_count(language: str, count: int) -> None:
    one, many = "%(num)s disc left", "%(num)s discs left"
    forms = read_catalogue(language).get(one).string
    is_one = count == 1 or (language == "fr" and count == 0)
    said = load_words(language).messages.ngettext(one, many, count)
    assert said == forms[0 if is_one else 1]
    assert said not in (one, many)


def test_phrases_of_a_file_are_found_with_their_gaps() -> None:
    source = '''
"""A docstring is for programmers, and so is "a constant"."""
WORDS = {"key": Phrase("A foul was called.")}
def say(names, side, count):
    if side:
        show(Phrase("%(name)s: %(action)s", name=names[side], action=Phrase("The round is over.")))
    return Phrase("%(name)s has " "%(share).1f discs a round", name=names[side], share=count / 2)
'''
    assert sorted(list_phrases(source)) == [
        "%(name)s has %(share).1f discs a round",
        "%(name)s: %(action)s",
        "A foul was called.",
        "The round is over.",
    ]
