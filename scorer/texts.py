"""Texts that people and programs enter: whether they can be shown, and how sentences quote them.

A text of a match goes to terminals, pages, databases and files. A text that one of them cannot hold
is refused on entry: halves of surrogate pairs, which have no UTF-8 bytes; control characters; and
marks that change the direction of the text around them (UAX 9).
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping

from calibration.phrase import Phrase

#: Longer names do not fit a scoreboard, and longer remarks no list.
MAX_NAME_LETTERS, MAX_REMARK_LETTERS = 40, 500
#: Longest part of an entered text that a sentence repeats.
_QUOTED_LETTERS = 60
#: No sentence needs more letters: a longer one repeats an entered text.
_MAX_SENTENCE_LETTERS = 600

#: Unicode's categories of control characters, half surrogate pairs, line and paragraph separators.
_UNSHOWN_CATEGORIES = frozenset({"Cc", "Cs", "Zl", "Zp"})
#: Embeddings, overrides and isolates of the bidirectional algorithm (UAX 9).
_DIRECTION_MARKS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def is_encodable(text: str) -> bool:
    """Whether a text can be encoded in UTF-8: whether it contains no half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def strip_accents(text: str) -> str:
    """A text in lower case without accents, as searches compare it."""
    letters = unicodedata.normalize("NFD", text.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def describe_text_fault(text: str, most: int) -> str | None:
    """The fault of a text of at most ``most`` letters, as the end of a sentence; or None."""
    if len(text) > most:
        return Phrase(
            "has %(characters)s characters. The limit is %(most)s", characters=len(text), most=most
        )
    for character in text:
        if character in _DIRECTION_MARKS or unicodedata.category(character) in _UNSHOWN_CATEGORIES:
            return Phrase(
                "contains the character U+%(character)s, which cannot be shown. Remove it",
                character=f"{ord(character):04X}",
            )
    return None


def check_name(text: str) -> str:
    """The name without spaces around it. Raises ``ValueError`` for a name that cannot be shown."""
    name = text.strip()
    fault = describe_text_fault(name, MAX_NAME_LETTERS) if name else Phrase("is empty. Enter one")
    if fault is not None:
        raise ValueError(Phrase("A name %(fault)s.", fault=fault))
    return name


def quote(value: object) -> str:
    """A value as quoted in a sentence, like JSON: texts in quotation marks, and kept short."""
    match value:
        case str():
            shown = repr(value[: _QUOTED_LETTERS + 1])
        case None | bool():
            shown = json.dumps(value)
        case list() | tuple() | set() | frozenset():
            shown = Phrase("a list")
        case Mapping():
            shown = Phrase("an object")
        case int() if abs(value) >= 10**_QUOTED_LETTERS:  # Python refuses to print long numbers
            shown = Phrase("a very large number")
        case _:
            shown = repr(value)
    shown = shown if is_encodable(shown) else ascii(shown)
    return shown if len(shown) <= _QUOTED_LETTERS else f"{shown[: _QUOTED_LETTERS - 1]}…"


def bound_sentence(sentence: str) -> str:
    """A sentence that can be shown anywhere, shortened in the middle if it is very long."""
    if len(sentence) <= _MAX_SENTENCE_LETTERS and is_encodable(sentence):
        return sentence
    text = sentence.encode("utf-8", "backslashreplace").decode()
    if len(text) <= _MAX_SENTENCE_LETTERS:
        return text
    half = _MAX_SENTENCE_LETTERS // 2
    return f"{text[:half]} … {text[-half:]}"


def shorten(text: str, most: int) -> str:
    """The text, or its first ``most`` letters."""
    return text if len(text) <= most else text[:most]


def guard_cell(text: str) -> str:
    """A text for a CSV file that no spreadsheet reads as a formula."""
    return f"'{text}" if text[:1] in "=+-@\t\r" and text else text
