"""A phrase is its English text, and knows its template and arguments for other languages."""

from __future__ import annotations

import pickle

import pytest

from calibration.json_text import load_json, store_json
from calibration.phrase import DiscName, Phrase, finish, join, term

GERMAN = {
    "%(name)s has %(share).1f%% of %(colour)s discs": "%(share).1f %% von %(colour)s hat %(name)s",
    "red": "Rot",
    " and ": " und ",
    "no contact": "keine Berührung",
}


def word(phrase: Phrase) -> str:
    return phrase.word(lambda template: GERMAN.get(template, template), ",")


SHARE = Phrase(
    "%(name)s has %(share).1f%% of %(colour)s discs", name="red", share=12.34, colour=term("red")
)


def test_phrase_is_its_english_text() -> None:
    assert SHARE == "red has 12.3% of red discs"
    assert str(SHARE) is SHARE


def test_phrase_is_worded_with_its_arguments_and_names_stay() -> None:
    assert word(SHARE) == "12,3 % von Rot hat red"


@pytest.mark.parametrize(
    ("phrase", "english", "german"),
    [
        pytest.param(join(" and ", []), "", "", id="nothing"),
        pytest.param(join(Phrase(" and "), ["a", term("red")]), "a and red", "a und Rot", id="and"),
        pytest.param(join(", ", ["100%", "b"]), "100%, b", "100%, b", id="own words"),
        pytest.param(
            finish(Phrase("no contact")), "No contact.", "Keine Berührung.", id="a sentence"
        ),
        pytest.param(finish("Done."), "Done.", "Done.", id="a finished sentence"),
        pytest.param(Phrase("%(gap)+.2f mm", gap=1.5), "+1.50 mm", "+1,50 mm", id="sign"),
        pytest.param(Phrase("of %(it)s").put(it=2), "of 2", "of 2", id="filled later"),
        pytest.param(Phrase("of %(it)s"), "of %(it)s", "of %(it)s", id="a gap without argument"),
    ],
)
def test_phrases_are_put_together(phrase: Phrase, english: str, german: str) -> None:
    assert phrase == english
    assert word(phrase) == german


def test_name_of_a_disc_is_plain_but_its_colour_is_a_word_of_a_phrase() -> None:
    gone = Phrase("%(disc)s is out", disc=DiscName("red 2"))
    assert (gone, word(gone)) == ("red 2 is out", "Rot 2 is out")
    assert not isinstance(load_json(store_json({"id": DiscName("red 2")}))["id"], Phrase)
    assert word(Phrase("%(disc)s", disc=DiscName("red x"))) == "red x"


def test_error_and_copy_of_a_phrase_keep_it() -> None:
    assert str(ValueError(SHARE)) is SHARE
    assert word(pickle.loads(pickle.dumps(SHARE))) == word(SHARE)


def test_stored_phrase_is_read_back_and_plain_text_stays() -> None:
    stored = {"about": join("; ", [SHARE, "own"]), "names": ["red", finish("no")], "n": 1}
    read = load_json(store_json(stored))
    assert read == stored
    assert word(read["about"]) == word(stored["about"])
    assert isinstance(read["names"][1], Phrase)
    assert not isinstance(read["names"][0], Phrase)


@pytest.mark.parametrize("phrases", ['[{"path": ["x"]}]', '[{"path": [], "template": "x"}]', "[1]"])
def test_damaged_phrases_are_refused(phrases: str) -> None:
    with pytest.raises((ValueError, TypeError)):
        load_json(f'{{"about": "x", "phrases": {phrases}}}')


def test_changed_text_is_not_replaced_by_its_former_phrase() -> None:
    text = store_json({"about": Phrase("no contact")}).replace('"about": "no', '"about": "a')
    assert not isinstance(load_json(text)["about"], Phrase)
