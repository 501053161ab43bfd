"""English sentences of the program in another language, found by their pattern.

Sentences of the referee, the rules and the match are made in English, and stay English in events,
JSON and logs. A catalogue holds a translation for every pattern, such as ``%(name)s has
%(twenties)s 20s.``. A sentence is matched to the pattern that shares most letters with it, and its
parts are translated in turn. A part without a match, such as a name, is unchanged, and so is a
sentence without a matching pattern.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

_PLACEHOLDER = re.compile(r"%\((\w+)\)s|%%")
#: Where a text falls into sentences, and these into clauses.
_BREAKS = tuple(re.compile(each) for each in (r"(?<=[.!?]) ", r"(?<=[;:]) ", r"(?<=,) "))
#: Where a part of a sentence falls into names and amounts.
_JOINS = tuple(
    re.compile(each)
    for each in (r"(?<= against) | (?=against )", r"(?<= and) | (?=and )", r"(?<=^\d) |(?<=^\d\d) ")
)
_ENDS = ".!?;:,"
_DECIMAL = re.compile(r"(?<![\w.])(\d+)\.(\d+)(?![\w.]|\.\d)")
_PERCENT = re.compile(r"(?<=\d)%")
#: Longer texts are no sentences of the program.
_MAX_LETTERS = 1200
#: What players and discs did or are, as ``webapp.live.ruling_messages`` and ``describe_event`` say.
_PREDICATE = re.compile(
    r"(did|missed|was|were|sent|left|touched|moved|used|shot|held|placed)"
    r" .+|(is|has|must|counts|lies) .+"
)
#: Who did it: a name, and no clause. It stands before a predicate.
_SUBJECT = r"(?P<subject>(?:[^.;:,]|\.(?! ))+?) "
#: A shape is tried before a text falls apart if it has so many letters, or fewer at its beginning.
_SURE_LETTERS, _SURE_LETTERS_FIRST = 5, 3
#: One with so many, or fewer at its beginning, may have somebody's own words in its gaps.
_TELLING_LETTERS, _TELLING_LETTERS_FIRST = 20, 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A sentence with gaps, and its translation.

    pattern     with a group for each gap
    is_telling  whether it says so much that anything may stand in its gaps
    """

    pattern: re.Pattern[str]
    translation: str
    is_telling: bool


class SentenceTranslator:
    """Sentences in one language, from patterns (``%(name)s`` is a gap) and their translations."""

    def __init__(
        self, shapes: Mapping[str, str], *, decimal_sign: str = ".", percent_sign: str = "%"
    ) -> None:
        self._exact = {
            _fill(each): _fill(words) for each, words in shapes.items() if "%(" not in each
        }
        by_letters = sorted(shapes, key=lambda each: (each.startswith("%("), -_count_letters(each)))
        with_gaps = [each for each in by_letters if "%(" in each and _count_letters(each)]
        sure = [each for each in with_gaps if _is_long(each, _SURE_LETTERS, _SURE_LETTERS_FIRST)]
        self._sure = [_make_shape(each, shapes[each]) for each in sure]
        self._unsure = [_make_shape(each, shapes[each]) for each in with_gaps if each not in sure]
        self._predicates = [
            _make_shape(each, f"%(subject)s {shapes[each]}", _SUBJECT)
            for each in by_letters
            if _PREDICATE.match(each)
        ]
        self._decimal_sign = decimal_sign
        self._percent_sign = percent_sign
        self.translate = lru_cache(maxsize=2048)(self._translate)

    def _translate(self, text: str) -> str:
        """The text in this language, with its number signs; a text without a match is unchanged."""
        if len(text) > _MAX_LETTERS or not text.strip():
            return text
        said = self._find_words(text)
        said = _DECIMAL.sub(rf"\1{self._decimal_sign}\2", said)
        return _PERCENT.sub(self._percent_sign, said)

    def _find_words(self, text: str) -> str:
        for first in re.finditer("[,:] ", text):  # what is said of a sentence, and the sentence
            rest = self._exact.get(text[first.end() :])
            if rest is not None and text.endswith("."):
                return f"{self.translate(text[: first.start()])}{first[0]}{rest}"
        whole = self._find_whole(text)
        if whole is not None:
            return whole
        for between in _BREAKS:
            if between.search(text):
                return " ".join(self.translate(each) for each in between.split(text))
        unsure = self._find(text, lambda tried: self._fill_first(self._unsure, tried))
        if unsure is not None:
            return unsure
        for between in _JOINS:
            parts = between.split(text)
            said = [self.translate(part) for part in parts] if len(parts) > 1 else []
            if said and all(map(_is_likely_part, parts, said)):
                return " ".join(said)
        return text

    def _find_whole(self, text: str) -> str | None:
        """The text by a sure match of all of it; otherwise None."""
        ways: tuple[Callable[[str], str | None], ...] = (
            self._exact.get,
            lambda tried: self._fill_first(self._sure, tried),
            lambda tried: self._fill_first(self._predicates, tried),
        )
        said = (self._find(text, way) for way in ways)
        return next((each for each in said if each is not None), None)

    def _find(self, text: str, fit: Callable[[str], str | None]) -> str | None:
        """The text by any match, ignoring its capital and its end; or None."""
        for body, end in _endings(text):
            for tried in dict.fromkeys((body, body[:1].lower() + body[1:])):
                said = fit(tried)
                if said is not None:
                    return (said if tried == body else said[:1].upper() + said[1:]) + end
        return None

    def _fill_first(self, shapes: Sequence[Shape], text: str) -> str | None:
        """The text by the first shape that fits."""
        for shape in shapes:
            found = shape.pattern.fullmatch(text)
            if not found:
                continue
            gaps = found.groupdict()
            parts = {name: self.translate(gap) for name, gap in gaps.items()}
            if shape.is_telling or all(_is_likely_part(gaps[name], parts[name]) for name in gaps):
                return _fill(shape.translation, parts)
        return None


def _make_shape(template: str, translation: str, subject: str = "") -> Shape:
    """A shape that texts can be matched to; behind who did it, for a person's action."""
    gaps = _PLACEHOLDER.split(template)
    gaps[::2] = map(re.escape, gaps[::2])
    gaps[1::2] = [f"(?P<{name}>.*?)" if name else "%" for name in gaps[1::2]]
    return Shape(
        pattern=re.compile(subject + "".join(gaps), re.DOTALL),
        translation=translation,
        is_telling=_is_long(template, _TELLING_LETTERS, _TELLING_LETTERS_FIRST),
    )


def _count_letters(template: str) -> int:
    """How many letters stand outside its gaps."""
    return sum(letter.isalpha() for letter in _PLACEHOLDER.sub("", template))


def _is_long(template: str, least: int, least_first: int) -> bool:
    """Whether it has so many letters, or fewer where it begins with them and not with a gap."""
    return _count_letters(template) >= (least if template.startswith("%(") else least_first)


def _is_likely_part(text: str, said: str) -> bool:
    """Whether it is a name, an amount or a translated text, rather than invented words."""
    words = text.split()
    capital = sum(not word[0].islower() for word in words)
    return said != text or len(words) <= 1 or 2 * capital >= len(words)


def _endings(text: str) -> Iterator[tuple[str, str]]:
    yield text, ""
    if text[-1] in _ENDS:
        yield text[:-1], text[-1]
    else:  # a shape may be a whole sentence of which the text is a clause
        yield text + ".", ""


def _fill(template: str, parts: Mapping[str, str] = MappingProxyType({})) -> str:
    return _PLACEHOLDER.sub(lambda gap: parts[gap[1]] if gap[1] else "%", template)
