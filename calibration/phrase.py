"""English texts of the program as values: a template and the arguments that fill its gaps.

A text is made where its reason is known: ``Phrase("%(name)s starts", name=name)``. A phrase is a
string, its English text, so logs, JSON and the terminal can use it directly. A page shows it in the
reader's language, with that language's template (``webapp.language``).

A gap is ``%(name)s``, with decimals ``%(name).1f``, and with a capital first letter ``%(name)S``;
``%%`` is a per cent sign.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any, Self

Argument = str | float
_GAP = re.compile(r"%%|%\((\w+)\)([+]?(?:\.\d)?[sSdfg])")


class Phrase(str):
    """An English text with its template and the arguments of its gaps: names, numbers, phrases."""

    __slots__ = ("arguments", "template")
    template: str
    arguments: Mapping[str, Argument]

    def __new__(cls, template: str, /, **arguments: object) -> Self:
        """A phrase; an enum's member is replaced by its value, and an error by its text."""
        given = {name: _as_argument(value) for name, value in arguments.items()}
        phrase = super().__new__(cls, _fill(template, given))
        phrase.template, phrase.arguments = template, given
        return phrase

    def __str__(self) -> str:
        """The phrase itself, so that an error made from a phrase keeps it as its text."""
        return self

    def __getnewargs_ex__(self) -> tuple[tuple[str], Mapping[str, Argument]]:
        return (self.template,), self.arguments

    def put(self, **arguments: object) -> Phrase:
        """The phrase with its gaps filled, for a phrase that was made without arguments."""
        return Phrase(self.template, **arguments)

    def word(self, translate: Callable[[str], str], decimal_sign: str = ".") -> str:
        """The text in a language, from that language's templates; a name among the arguments is
        kept.
        """
        return _fill(translate(self.template), self.arguments, translate, decimal_sign)


class DiscName(str):
    """A disc's name, its colour and a number: plain in JSON, with its colour's word in a phrase."""

    __slots__ = ()

    @property
    def words(self) -> str:
        """Its colour as a word, and its number; a name of another kind is unchanged."""
        colour, _, number = self.rpartition(" ")
        if not (colour and number.isdecimal()):
            return str(self)
        return Phrase("%(colour)s %(number)s", colour=term(colour), number=number)


def term(word: str) -> Phrase:
    """A phrase of one word or term, such as a colour."""
    return word if isinstance(word, Phrase) else Phrase(word.replace("%", "%%"))


def swap(words: str, old: str, new: str) -> str:
    """The words with another argument, such as a file's name instead of its path."""
    given = words.arguments.items() if isinstance(words, Phrase) else ()
    swapped = {name: new if value == old else value for name, value in given}
    return words.put(**swapped) if isinstance(words, Phrase) else words.replace(old, new)


def finish(words: str) -> Phrase:
    """The words as a sentence: with a capital letter and a full stop."""
    return Phrase("%(words)S" if words.endswith(".") else "%(words)S.", words=words)


def join(between: str, parts: Iterable[object]) -> Phrase:
    """The parts as one phrase; a phrase ``between`` them, such as " and ", is translated too."""
    given = {f"part{number}": part for number, part in enumerate(parts)}
    template = ("%(between)s").join(f"%({name})s" for name in given)
    return Phrase(template, between=between, **given)


def list_phrases(content: Any, path: tuple[str | int, ...] = ()) -> Iterator[dict[str, Any]]:
    """The templates and arguments of the phrases in plain JSON, with their paths, as JSON."""
    if isinstance(content, Phrase):
        arguments = dict(content.arguments)
        inner = list(list_phrases(arguments))
        yield {
            "path": list(path),
            "template": content.template,
            "arguments": arguments,
            **({"phrases": inner} if inner else {}),
        }
    elif isinstance(content, dict):
        for name, value in content.items():
            yield from list_phrases(value, (*path, name))
    elif isinstance(content, list | tuple):
        for number, value in enumerate(content):
            yield from list_phrases(value, (*path, number))


def put_phrases(content: Any, phrases: Iterable[Mapping[str, Any]]) -> Any:
    """Put phrases that ``list_phrases`` listed back into JSON, where it has their English text."""
    for listed in phrases:
        arguments = put_phrases(dict(listed["arguments"]), listed.get("phrases", ()))
        phrase, place = Phrase(listed["template"], **arguments), content
        *way, last = listed["path"]
        for step in way:
            place = place[step]
        if place[last] == phrase:
            place[last] = phrase
    return content


def _as_argument(value: object) -> Argument:
    if isinstance(value, DiscName):
        return value.words
    if isinstance(value, StrEnum):
        return _as_argument(value.value)
    return value if isinstance(value, str | int | float) else str(value)


def _fill(
    template: str,
    arguments: Mapping[str, Argument],
    translate: Callable[[str], str] = str,
    decimal_sign: str = ".",
) -> str:
    def put(gap: re.Match[str]) -> str:
        if gap[0] == "%%":
            return "%"
        value = arguments.get(gap[1], gap[0])
        if isinstance(value, Phrase):
            said = value.word(translate, decimal_sign)
        elif isinstance(value, str):
            said = str(value)
        else:
            said = (f"%{gap[2].lower()}" % value).replace(".", decimal_sign)
        return said[:1].upper() + said[1:] if gap[2] == "S" else said

    return _GAP.sub(put, template)
