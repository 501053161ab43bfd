"""Words that belong on pages, and words of contracts that do not."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask import Flask

from calibration.phrase import Phrase, term
from scorer.rules.options import RulesError
from scorer.rules.sets import rule_set
from webapp.config import Config
from webapp.factory import close_app, create_app
from webapp.language.template_texts import format_decimal, translate_sentence


def make_app(folder: Path) -> Flask:
    return create_app(Config(database=str(folder / "m.db"), profiles=folder / "profiles"))


def test_discs_without_paint_are_light_wood_for_people(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    remove = Phrase("Remove %(discs)s.", discs=term("natural"))
    shot = Phrase("%(colour)S has shot.", colour=term("natural"))
    try:
        with app.test_request_context():
            assert translate_sentence(remove) == "Remove light wood."
            assert translate_sentence(shot) == "Light wood has shot."
            assert translate_sentence(Phrase("%(name)s starts.", name="natural")) == (
                "natural starts."
            )
        with app.test_request_context(headers={"Accept-Language": "de"}):
            assert translate_sentence("natural") == "helles Holz"
    finally:
        close_app(app)


def test_numbers_have_the_languages_decimal_sign_and_a_true_minus(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    with app.test_request_context(headers={"Accept-Language": "de"}):
        assert [format_decimal(number, 1) for number in (-4.5, 4.5)] == ["−4,5", "4,5"]
    close_app(app)


@pytest.mark.parametrize(
    ("language", "named"),
    [
        ("en", "“When a beginner can shoot again: never”"),
        ("de", "„Wann"),
        ("fr", "« Quand"),
    ],
)
def test_pages_name_options_of_the_rules_as_their_form_does(
    tmp_path: Path, language: str, named: str
) -> None:
    app = make_app(tmp_path)
    try:
        with pytest.raises(RulesError) as refused:
            rule_set("nca", {"reshoot_limit": 2})
        with app.test_request_context(headers={"Accept-Language": language}):
            said = translate_sentence(str(refused.value))
            assert named in said
            assert "reshoot" not in said
            assert translate_sentence("a=b") == "a=b"
    finally:
        close_app(app)
