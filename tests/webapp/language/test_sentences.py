"""English sentences are found by their shape, and what is no part of one stays as it is."""

from __future__ import annotations

import pytest

from webapp.language.sentences import SentenceTranslator

GERMAN = SentenceTranslator(
    {
        "%(name)s starts": "%(name)s beginnt",
        "%(name)s has %(made)s discs.": "%(name)s hat %(made)s Scheiben.",
        "%(name)s won the match.": "%(name)s hat gewonnen.",
        "Remove %(colours)s.": "Wegnehmen: %(colours)s.",
        "%(far)s mm clear": "%(far)s mm frei",
        "no contact": "keine Berührung",
        "Foul": "Foul",
        "It is 100%% sure.": "Es ist zu 100%% sicher.",
        "red": "rot",
        "and": "und",
    },
    decimal_sign=",",
    percent_sign=" %",
)


@pytest.mark.parametrize(
    ("english", "german"),
    [
        pytest.param("no contact", "keine Berührung", id="a phrase"),
        pytest.param("No contact.", "Keine Berührung.", id="with a capital and an end"),
        pytest.param("Ann starts", "Ann beginnt", id="with a gap"),
        pytest.param("Ann starts.", "Ann beginnt.", id="with a gap and an end"),
        pytest.param("Ann has 3 discs", "Ann hat 3 Scheiben.", id="without its end"),
        pytest.param("1.2 mm clear", "1,2 mm frei", id="decimal sign"),
        pytest.param("Ann has 8% discs", "Ann hat 8 % Scheiben.", id="percent in a gap"),
        pytest.param("Remove red.", "Wegnehmen: rot.", id="a part is translated"),
        pytest.param("Remove red and blue.", "Wegnehmen: rot und blue.", id="parts are joined"),
        pytest.param("Foul. Remove red.", "Foul. Wegnehmen: rot.", id="two sentences"),
        pytest.param("It is 100% sure.", "Es ist zu 100 % sicher.", id="percent sign"),
        pytest.param("Ann & Bob", "Ann & Bob", id="names stay"),
        pytest.param("rtsp://192.168.1.20/live", "rtsp://192.168.1.20/live", id="addresses stay"),
        pytest.param("Did one say it has 3 discs?", "Did one say it has 3 discs?", id="own words"),
        pytest.param("one and the other", "one and the other", id="own words are not joined"),
        pytest.param("", "", id="nothing"),
    ],
)  # fmt: skip
def test_sentence_is_found_by_its_shape(english: str, german: str) -> None:
    assert GERMAN.translate(english) == german


def test_shape_with_most_letters_is_chosen() -> None:
    assert GERMAN.translate("Ann starts has 3 discs.") == "Ann beginnt hat 3 Scheiben."


def test_long_text_stays_as_it_is() -> None:
    text = "Ann has 3 discs. " * 100
    assert GERMAN.translate(text) == text
