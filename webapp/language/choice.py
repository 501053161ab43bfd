"""The language of a page: from the address, the browser's cookie, or the browser's request.

``?lang=`` is for screens that nobody can touch, such as a stream's overlay.
"""

from __future__ import annotations

from flask import g, has_request_context, request
from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header

#: Languages of the pages, by their codes (BCP 47), each by its own name.
LANGUAGES = {"en": "English", "fr": "Français", "de": "Deutsch"}
DEFAULT_LANGUAGE = "en"

#: The cookie that keeps the choice, for a year.
LANGUAGE_COOKIE = "crokinole_language"
COOKIE_LIFE_S = 365 * 24 * 3600


#: Number of a browser's languages that are examined: more than anybody reads.
_MOST_LANGUAGES = 8


def choose_language() -> str:
    """The code of the language for the answer: from the address, otherwise the cookie, otherwise
    the browser.

    Chosen once per request, because every sentence of a page needs it.
    """
    if not has_request_context():
        return DEFAULT_LANGUAGE
    if "language" not in g:
        g.language = _choose()
    return str(g.language)


def _choose() -> str:
    chosen = (request.args.get("lang"), request.cookies.get(LANGUAGE_COOKIE))
    wanted = next((code for code in chosen if code in LANGUAGES), None)
    if wanted is not None:
        return wanted
    listed = request.headers.get("Accept-Language", "").split(",", _MOST_LANGUAGES)
    known = parse_accept_header(",".join(listed[:_MOST_LANGUAGES]), LanguageAccept)
    return known.best_match(LANGUAGES) or DEFAULT_LANGUAGE
