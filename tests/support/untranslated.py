"""A test language, and the texts of a page that are not translated.

In this language every translated text is between ⟦ and ⟧. Other text on a page that is neither a
name nor a number was not translated.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

from babel.messages.catalog import Catalog
from message_extraction import extract_messages

GAP = re.compile(r"(%\(\w+\)[+.\d]*[sSdfg])")
MARKED = ("aria-label", "alt", "title", "placeholder", "data-label")
#: Elements without the page's own words: scripts, input fields and times.
SILENT = ("script", "style", "code", "pre", "time")
VOID = ("meta", "link", "input", "img", "br")
#: Names, units, and words that are the same in every language.
ALLOWED = re.compile(
    r"Crokinole Referee|Ann|Bob|Cid|Dee|Red Night|Evening|P\d+|Browser|"
    r"JSON|CSV|\b(mm|px|d\d|s)\b|https?://\S+|rtsp://\S+|\b(EN|FR|DE)\b|English|Français|Deutsch|"
    r"nobody|count\d_\d+"
)


def disguise(text: str) -> str:
    """The text in the test language, without its placeholders."""
    return "⟦" + GAP.sub(r"⟧\1⟦", text) + "⟧"


def make_disguise() -> Catalog:
    """The catalogue of the test language, under the name of French."""
    made = Catalog(locale="fr")
    for message in extract_messages():
        if message.id:
            if isinstance(message.id, str):
                said: str | list[str] = disguise(message.id)
            else:  # one form for 1, and the same form for all other numbers
                one, many = map(disguise, message.id)
                said = [one, *[many] * (made.num_plurals - 1)]
            made.add(message.id, said, locations=message.locations)
    return made


class Texts(HTMLParser):
    """The texts of a page outside ⟦ and ⟧, including those of some attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.depth, self.found, self.silent = 0, list[str](), list[str]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        is_english = values.get("lang") == "en" and tag not in ("html", "button")
        if not self.silent:
            for name in MARKED:
                self.note(re.sub("⟦[^⟧]*⟧", "", values.get(name) or ""))
        if (self.silent or is_english or tag in SILENT) and tag not in VOID:
            self.silent.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.silent and tag not in VOID:
            self.silent.pop()

    def handle_data(self, data: str) -> None:
        if self.silent:
            return
        for part in re.split("([⟦⟧])", data):
            if part in ("⟦", "⟧"):
                self.depth += 1 if part == "⟦" else -1
            elif not self.depth:
                self.note(part)

    def note(self, text: str) -> None:
        left = ALLOWED.sub("", text)
        if re.search(r"[^\W\d_]{2,}", left):
            self.found.append(" ".join(text.split()))


def find_untranslated(page: str) -> list[str]:
    texts = Texts()
    texts.feed(page)
    return texts.found
