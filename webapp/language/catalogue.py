"""The texts of a language, read from ``translations/LANGUAGE/LC_MESSAGES/messages.po``.

A catalogue is read on first use of its language, so nothing has to be compiled when the program is
installed. The catalogue's header defines the plural forms. Templates and phrases of the program
(``calibration.phrase``) use gettext. Scripts fetch the messages whose source is a ``.js`` file.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
from dataclasses import dataclass
from functools import cache
from gettext import GNUTranslations, NullTranslations
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from calibration.phrase import Phrase
from webapp.language.choice import DEFAULT_LANGUAGE

FOLDER = Path(__file__).parents[1] / "translations"
#: As German and French write them: per cent behind a space at which no line ends.
_DECIMAL_SIGN = ","
_PERCENT_SIGN = "\N{NO-BREAK SPACE}%"


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """A language's texts.

    messages      for templates, in gettext's form
    for_scripts   JSON of the scripts' texts, compressed by gzip; b"" if they need none
    version       of ``for_scripts``, so browsers cache it until it changes
    decimal_sign  between a number and its decimals
    percent_sign  after a number, with the space that the language puts there
    """

    messages: NullTranslations
    for_scripts: bytes
    version: str
    decimal_sign: str
    percent_sign: str

    def word(self, text: str) -> str:
        """A text of the program in this language; a text without a translation is unchanged."""
        if isinstance(text, Phrase):
            return text.word(self._find, self.decimal_sign)
        return self._find(text)

    def _find(self, template: str) -> str:
        return self.messages.gettext(template) if template else ""


class EnglishNames(NullTranslations):
    """English, as players say it: unpainted discs, ``natural`` in events and JSON, are light wood.

    Catalogues of other languages have their own word.
    """

    def gettext(self, message: str) -> str:
        """The message, or the players' word."""
        return "light wood" if message == "natural" else message


@cache
def load_words(language: str) -> Words:
    """The texts of a language; English needs no catalogue."""
    if language == DEFAULT_LANGUAGE:
        return Words(
            messages=EnglishNames(),
            for_scripts=b"",
            version="",
            decimal_sign=".",
            percent_sign="%",
        )
    return make_words(read_catalogue(language))


def read_catalogue(language: str) -> Catalog:
    """A language's catalogue from its file."""
    with catalogue_path(language).open("rb") as file:
        return read_po(file, locale=language)


def catalogue_path(language: str) -> Path:
    """The file of a language's catalogue."""
    return FOLDER / language / "LC_MESSAGES" / "messages.po"


def make_words(catalogue: Catalog) -> Words:
    """The texts of a catalogue for pages and scripts."""
    compiled = io.BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    for_scripts = json.dumps(
        {
            "decimal": _DECIMAL_SIGN,
            "percent": _PERCENT_SIGN,
            "words": _list_translated(catalogue, ".js"),
        },
        ensure_ascii=False,
        separators=(",", ":"),
    )
    return Words(
        messages=GNUTranslations(compiled),
        for_scripts=gzip.compress(for_scripts.encode(), mtime=0),
        version=hashlib.sha256(for_scripts.encode()).hexdigest()[:12],
        decimal_sign=_DECIMAL_SIGN,
        percent_sign=_PERCENT_SIGN,
    )


def _list_translated(catalogue: Catalog, ending: str) -> dict[str, str]:
    """The messages from files with an ending, with their translations."""
    return {
        str(message.id): str(message.string)
        for message in catalogue
        if message.string and _is_from(message, ending)
    }


def _is_from(message: Message, ending: str) -> bool:
    places: list[tuple[object, ...]] = list(message.locations)
    return isinstance(message.id, str) and any(str(place[0]).endswith(ending) for place in places)
