"""English sentences of the program in another language, found by their pattern.

Sentences of the referee, the rules and the match are made in English, and stay English in events,
JSON and logs. A catalogue holds a translation for every pattern, such as ``%(name)s has
%(twenties)s 20s.``. A sentence is matched to the pattern that shares most letters with it, and its
parts are translated in turn. A part without a match, such as a name, is unchanged, and so is a
sentence without a matching pattern. ``static/js/words.js`` does the same in a browser.
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
#: Who did it: a name, and no clause.
_SUBJECT = r"(?P<subject>(?:[^.;:,]|\.(?! ))+?) "
#: A shape is tried before a text falls apart if it has so many letters, or fewer at its beginning.
_SURE_LETTERS, _SURE_LETTERS_FIRST = 5, 3
#: One with so many, or fewer at its beginning, may have somebody's own words in its gaps.
_TELLING_LETTERS, _TELLING_LETTERS_FIRST = 20, 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A sentence with gaps, and its translation.

    pattern          a regular expression with a group per gap
    letters          number of letters outside its gaps
    has_gap          whether there is any
    begins_with_gap  whether a gap comes first; such patterns are tried last
    is_sure          whether it is specific enough to be tried on more than one sentence
    is_telling       whether it is so specific that its gaps may contain anything
    is_predicate     whether it is a person's action, such as ``left the chair``
    """

    pattern: str
    translation: str
    letters: int
    has_gap: bool
    begins_with_gap: bool
    is_sure: bool
    is_telling: bool
    is_predicate: bool


class SentenceTranslator:
    """Sentences in one language, from patterns (``%(name)s`` is a gap) and their translations."""

    def __init__(
        self, shapes: Mapping[str, str], *, decimal_sign: str = ".", percent_sign: str = "%"
    ) -> None:
        self._exact = {
            _fill(each): _fill(words) for each, words in shapes.items() if not _has_gap(each)
        }
        made = [make_shape(each, words) for each, words in shapes.items()]
        by_letters = sorted(made, key=lambda shape: (shape.begins_with_gap, -shape.letters))
        with_gaps = [shape for shape in by_letters if shape.has_gap and shape.letters]
        self._sure = [gap for gap in with_gaps if gap.is_sure]
        self._unsure = [gap for gap in with_gaps if not gap.is_sure]
        self._predicates = [shape for shape in by_letters if shape.is_predicate]
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
            lambda tried: self._fill_first(self._predicates, tried, _SUBJECT),
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

    def _fill_first(self, shapes: Sequence[Shape], text: str, subject: str = "") -> str | None:
        """The text by the first matching pattern; ``subject`` is for a person's action."""
        for shape in shapes:
            found = re.fullmatch(subject + shape.pattern, text, re.DOTALL)
            if not found:
                continue
            gaps = found.groupdict()
            parts = {name: self.translate(gap) for name, gap in gaps.items()}
            if shape.is_telling or all(_is_likely_part(gaps[name], parts[name]) for name in gaps):
                who = f"{parts['subject']} " if subject else ""
                return who + _fill(shape.translation, parts)
        return None


def make_shape(template: str, translation: str) -> Shape:
    """A pattern that texts can be matched with."""
    literal, pattern, at = "", "", 0
    for gap in _PLACEHOLDER.finditer(template):
        before = template[at : gap.start()]
        at = gap.end()
        literal += before
        pattern += re.escape(before) + (f"(?P<{gap[1]}>.*?)" if gap[1] else "%")
    literal += template[at:]
    pattern += re.escape(template[at:])
    letters = sum(each.isalpha() for each in literal)
    begins_with_gap = template.startswith("%(")
    enough = _SURE_LETTERS if begins_with_gap else _SURE_LETTERS_FIRST
    return Shape(
        pattern=pattern,
        translation=translation,
        letters=letters,
        has_gap=_has_gap(template),
        begins_with_gap=begins_with_gap,
        is_sure=letters >= enough,
        is_telling=letters >= (_TELLING_LETTERS if begins_with_gap else _TELLING_LETTERS_FIRST),
        is_predicate=bool(_PREDICATE.match(template)),
    )


def _is_likely_part(text: str, said: str) -> bool:
    """Whether it is a name or an amount, or was translated, and not invented words."""
    words = text.split()
    capital = sum(not word[0].islower() for word in words)
    return said != text or len(words) <= 1 or 2 * capital >= len(words)


def _has_gap(template: str) -> bool:
    return "%(" in template


def _endings(text: str) -> Iterator[tuple[str, str]]:
    yield text, ""
    if text[-1] in _ENDS:
        yield text[:-1], text[-1]
    else:  # a shape may be a whole sentence of which the text is a clause
        yield text + ".", ""


def _fill(template: str, parts: Mapping[str, str] = MappingProxyType({})) -> str:
    return _PLACEHOLDER.sub(lambda gap: parts[gap[1]] if gap[1] else "%", template)
