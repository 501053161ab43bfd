"""Gives an application's templates their language: gettext, and filters for what comes in English.

``_("…")`` is a page's own text, ``text|translate`` a sentence of the program, and
``number|decimal(1)`` a number with its tenths, ``share|percent`` a share in percent.
"""

from __future__ import annotations

from typing import Any

from babel.support import NullTranslations
from flask import Flask
from flask_babel import Babel, Domain

from webapp.language.catalogue import Words, load_words
from webapp.language.choice import DEFAULT_LANGUAGE, LANGUAGES, choose_language


class _Catalogues(Domain):
    """The catalogues of ``webapp.language.catalogue``."""

    def get_translations(self) -> NullTranslations:
        return words_at_hand().messages


def words_at_hand() -> Words:
    """The words of the language in which the request at hand is answered."""
    return load_words(choose_language())


def translate_sentence(text: str) -> str:
    """A sentence of the program in the language of the page; nothing of nothing."""
    return words_at_hand().sentences.translate(str(text or ""))


def format_decimal(number: float, places: int) -> str:
    """A number with so many places behind the page's decimal sign."""
    return f"{number:.{places}f}".replace(".", words_at_hand().decimal_sign)


def format_percent(share: float) -> str:
    """A share from 0 to 1 in percent, as the page's language writes it."""
    return f"{100 * share:.0f}{words_at_hand().percent_sign}"


def upper_first(text: str) -> str:
    """A text with a capital; the rest stays, such as German nouns."""
    return text[:1].upper() + text[1:]


def register_language(app: Flask) -> None:
    """Let an application's templates speak the language of whoever asks."""
    babel = Babel(app, default_locale=DEFAULT_LANGUAGE, locale_selector=choose_language)
    babel.domain_instance = _Catalogues()
    app.jinja_env.filters.update(
        translate=translate_sentence,
        decimal=format_decimal,
        percent=format_percent,
        upper_first=upper_first,
    )

    @app.context_processor
    def _give_language() -> dict[str, Any]:
        language = choose_language()
        return {
            "language": language,
            "languages": LANGUAGES,
            "words_version": load_words(language).version,
        }
