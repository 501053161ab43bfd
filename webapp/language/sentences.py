"""English sentences of the program in another language, found by the shape they were made from.

What the referee, the rules and the match say is made as English where it is found out, and stays
so in events, JSON and logs. A catalogue holds each shape, such as ``%(name)s has %(twenties)s
20s.``, with its translation; a sentence is matched to the shape that shares most letters with it,
and its parts are translated in turn. A part that fits nothing, such as a name, stays as it is, and
so does a sentence that no shape fits. ``static/js/words.js`` does the same in a browser.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

_PLACEHOLDER = re.compile(r"%\((\w+)\)s|%%")
#: Where a text falls into parts that may be said apart, the coarsest first.
_BREAKS = tuple(
    re.compile(each) for each in (r"(?<=[.!?;:]) ", r"(?<=,) ", r"(?<= and) | (?=and )")
)
_ENDS = ".!?;:,"
_DECIMAL = re.compile(r"(?<![\w.])(\d+)\.(\d+)(?![\w.]|\.\d)")
_MAX_LETTERS = 1200


@dataclass(frozen=True, slots=True)
class Shape:
    """A sentence with gaps, and how it reads in another language.

    letters  how many letters stand outside its gaps
    """

    pattern: re.Pattern[str]
    translation: str
    letters: int


class SentenceTranslator:
    """Sentences in one language, from shapes (``%(name)s`` is a gap) and their translations."""

    def __init__(self, shapes: Mapping[str, str], *, decimal_sign: str = ".") -> None:
        self._exact = {
            _fill(each, {}): _fill(words, {})
            for each, words in shapes.items()
            if not re.search(r"%\(", each)
        }
        found = [make_shape(each, words) for each, words in shapes.items() if "%(" in each]
        self._shapes = sorted(found, key=lambda each: -each.letters)
        self._decimal_sign = decimal_sign
        self.translate = lru_cache(maxsize=2048)(self._translate)

    def _translate(self, text: str) -> str:
        """The text in this language, with its decimal sign; what fits no shape stays."""
        if len(text) > _MAX_LETTERS or not text.strip():
            return text
        whole = self._find(text)
        said = whole if whole is not None else self._translate_parts(text)
        return _DECIMAL.sub(rf"\1{self._decimal_sign}\2", said)

    def _translate_parts(self, text: str) -> str:
        for between in _BREAKS:
            parts = between.split(text)
            if len(parts) > 1:
                return " ".join(self.translate(each) for each in parts)
        return text

    def _find(self, text: str) -> str | None:
        """The text by a shape that fits all of it, whatever its capital and its end; or None."""
        for body, end in _endings(text):
            for tried in dict.fromkeys((body, body[:1].lower() + body[1:])):
                said = self._exact.get(tried)
                said = said if said is not None else self._fit(tried)
                if said is not None:
                    said = said if tried == body else said[:1].upper() + said[1:]
                    return said + end
        return None

    def _fit(self, text: str) -> str | None:
        for shape in self._shapes:
            found = shape.pattern.fullmatch(text)
            if found:
                parts = {name: self.translate(each) for name, each in found.groupdict().items()}
                return _fill(shape.translation, parts)
        return None


def make_shape(template: str, translation: str) -> Shape:
    """A shape that texts can be matched to."""
    literal, pattern, at = "", "", 0
    for gap in _PLACEHOLDER.finditer(template):
        before = template[at : gap.start()]
        at = gap.end()
        literal += before
        pattern += re.escape(before) + (f"(?P<{gap[1]}>.+?)" if gap[1] else "%")
    literal += template[at:]
    pattern += re.escape(template[at:])
    letters = sum(each.isalpha() for each in literal)
    return Shape(re.compile(pattern, re.DOTALL), translation, letters)


def _endings(text: str) -> Iterator[tuple[str, str]]:
    yield text, ""
    if text[-1] in _ENDS:
        yield text[:-1], text[-1]
    else:  # a shape may be a whole sentence of which the text is a clause
        yield text + ".", ""


def _fill(template: str, parts: Mapping[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda gap: parts[gap[1]] if gap[1] else "%", template)
