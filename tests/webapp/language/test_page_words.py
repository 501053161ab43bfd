"""Words that pages have and contracts have not."""

from __future__ import annotations

from pathlib import Path

from flask import Flask

from webapp.config import Config
from webapp.factory import close_app, create_app
from webapp.language.page_words import translate_sentence


def make_app(folder: Path) -> Flask:
    return create_app(Config(database=str(folder / "m.db"), profiles=folder / "profiles"))


def test_discs_without_paint_are_light_wood_for_people(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    try:
        with app.test_request_context():
            assert translate_sentence("Remove natural.") == "Remove light wood."
            assert translate_sentence("Natural has shot.") == "Light wood has shot."
            assert translate_sentence("Ann Naturalis starts.") == "Ann Naturalis starts."
        with app.test_request_context(headers={"Accept-Language": "de"}):
            assert translate_sentence("natural") == "helles Holz"
    finally:
        close_app(app)
