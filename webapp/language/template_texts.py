"""Gives an application's templates their language: gettext, and filters for texts and numbers.

``_("…")`` is a page's own text, ``text|translate`` a text of the program, ``number|decimal(1)``
a number with its decimals, and ``share|percent`` a share in percent.
"""

from __future__ import annotations

import re

from flask import Flask

from scorer.rules.option_labels import OPTION_WORDS, list_values
from scorer.rules.sets import rule_set
from webapp.language.catalogue import Words, load_words
from webapp.language.choice import LANGUAGES, choose_language

#: An option of the rules as the command line takes it, such as ``reshoot=none``.
_OPTION = re.compile(r"\b([a-z_]+)=([\w-]+)")
_QUOTES = {"fr": "« {} »", "de": "„{}“"}


def words_at_hand() -> Words:
    """The texts in the language of the current request."""
    return load_words(choose_language())


def translate_sentence(text: str) -> str:
    """A sentence of the program in the language of the page; empty for an empty one.

    Options of the rules have the names that the form of a new match gives them.
    """
    language = choose_language()

    def name_option(found: re.Match[str]) -> str:
        option, value = found.groups()
        if option not in OPTION_WORDS:
            return found[0]
        choices = {
            str(choice): choice.words for choice in list_values(rule_set("nca").options, option)
        }
        words = (OPTION_WORDS[option], choices.get(value, value))
        label, chosen = (translate_into(language, text) for text in words)
        return _QUOTES.get(language, "“{}”").format(f"{upper_first(label)}: {chosen}")

    return _OPTION.sub(name_option, translate_into(language, text or ""))


def translate_into(language: str, text: str) -> str:
    """A sentence of the program in a language, as players say it."""
    return load_words(language).word(text)


def format_decimal(number: float, places: int) -> str:
    """A number with that many decimals, the page's decimal sign, and a minus as wide as a plus."""
    return f"{number:.{places}f}".replace(".", words_at_hand().decimal_sign).replace("-", "−")


def format_percent(share: float) -> str:
    """A share from 0 to 1 in percent, in the page language's style."""
    return f"{100 * share:.0f}{words_at_hand().percent_sign}"


def upper_first(text: str) -> str:
    """A text with a capital first letter; the rest is unchanged, because German nouns have
    capitals.
    """
    return text[:1].upper() + text[1:]


def register_language(app: Flask) -> None:
    """Let an application's templates use the language of the request."""
    app.jinja_env.add_extension("jinja2.ext.i18n")
    app.jinja_env.install_gettext_callables(  # type: ignore[attr-defined]  # of the extension
        gettext=lambda text: words_at_hand().messages.gettext(text),
        ngettext=lambda one, many, n: words_at_hand().messages.ngettext(one, many, n),
        newstyle=True,
    )
    app.jinja_env.filters.update(
        translate=translate_sentence,
        decimal=format_decimal,
        percent=format_percent,
        upper_first=upper_first,
    )

    @app.context_processor
    def _give_language() -> dict[str, object]:
        language = choose_language()
        return {
            "language": language,
            "languages": LANGUAGES,
            "words_version": load_words(language).version,
        }
