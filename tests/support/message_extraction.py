"""Collects the texts to translate into the catalogues: ``make messages``.

The texts are those in ``_("…")`` in templates and scripts, in ``Phrase("…")`` in Python code, and
the words of ``plain_words``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.pofile import write_po
from paths import ROOT
from plain_words import PLAIN_WORDS

from webapp.language.catalogue import catalogue_path, read_catalogue
from webapp.language.choice import DEFAULT_LANGUAGE, LANGUAGES

_TEMPLATE_OPTIONS = {"trim_blocks": "true", "lstrip_blocks": "true", "silent": "false"}
#: Texts may be inside template strings, too: `${_("open")}`. A text with placeholders must not,
#: because Babel takes its first brace for the end of the expression.
_SCRIPT_OPTIONS = {"parse_template_string": "true"}
_TEMPLATES = (".html", ".svg")
_KEYWORDS: dict[str, tuple[int, ...] | None] = {"_": None, "ngettext": (1, 2)}
_GAP = re.compile(r"%\(\w+\)[+.\d]*[sSdfg]")
_FLOORS = ("calibration", "vision", "scorer", "webapp")


def extract_messages() -> Catalog:
    """All texts to translate, with the files that contain them."""
    catalogue = Catalog(project="Crokinole Referee", charset="utf-8")
    webapp = ROOT / "webapp"
    for path in sorted(p for p in webapp.glob("pages/**/*") if p.suffix in _TEMPLATES):
        _add_marked(catalogue, "jinja2.ext:babel_extract", path, _TEMPLATE_OPTIONS)
    for path in sorted(webapp.glob("static/js/**/*.js")):
        _add_marked(catalogue, "javascript", path, _SCRIPT_OPTIONS)
    for text in PLAIN_WORDS:
        catalogue.add(text, locations=[("tests/support/plain_words.py", 0)])
    for path in (path for floor in _FLOORS for path in sorted((ROOT / floor).rglob("*.py"))):
        for text in list_phrases(path.read_text(encoding="utf-8")):
            catalogue.add(text, locations=[(_name_file(path), 0)])
    return catalogue


def _add_marked(catalogue: Catalog, method: str, path: Path, options: dict[str, str]) -> None:
    found = extract_from_file(
        method, path, keywords=_KEYWORDS, options=dict(options), strip_comment_tags=True
    )
    for _line, message, comments, _context in found:
        catalogue.add(message, locations=[(_name_file(path), 0)], auto_comments=comments)


def _name_file(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def list_phrases(source: str) -> Iterator[str]:
    """The templates of the phrases of a Python file, in order; those without words or a colon are
    left out.
    """
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Name(id="Phrase"), args=[ast.Constant(value=str(template))]):
                if re.search(r"[^\W\d_]|:", _GAP.sub("", template)):
                    yield template


def update_catalogues() -> None:
    """Update every language's catalogue to the texts to translate; new ones have empty
    translations.
    """
    template = extract_messages()
    for language in LANGUAGES:
        if language == DEFAULT_LANGUAGE:
            continue
        path = catalogue_path(language)
        catalogue = read_catalogue(language) if path.exists() else Catalog(locale=language)
        catalogue.update(template, no_fuzzy_matching=True)
        catalogue.obsolete.clear()
        catalogue.fuzzy = False
        catalogue.header_comment = f"# {LANGUAGES[language]}: the words of the pages."
        catalogue.revision_date = catalogue.creation_date = datetime(2026, 1, 1)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            write_po(file, catalogue, width=0, include_lineno=False, omit_header=False)
        missing = sum(
            not message.string or not any(message.string) for message in catalogue if message.id
        )
        print(f"{LANGUAGES[language]}: {len(catalogue)} texts, {missing} not translated.")


if __name__ == "__main__":
    update_catalogues()
