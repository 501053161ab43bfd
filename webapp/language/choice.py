"""Which language a page is in: of the address, kept by the browser, or asked for by it.

``?lang=`` is for screens that nobody can touch, such as a stream's overlay.
"""

from __future__ import annotations

from flask import has_request_context, request

#: Languages of the pages, by their codes (BCP 47), each by its own name.
LANGUAGES = {"en": "English", "fr": "Français", "de": "Deutsch"}
DEFAULT_LANGUAGE = "en"

#: The cookie that keeps the choice, for a year.
LANGUAGE_COOKIE = "crokinole_language"
COOKIE_LIFE_S = 365 * 24 * 3600


def choose_language() -> str:
    """The code of the language to answer in: of the address, else the cookie, else the browser."""
    if not has_request_context():
        return DEFAULT_LANGUAGE
    chosen = (request.args.get("lang"), request.cookies.get(LANGUAGE_COOKIE))
    wanted = next((each for each in chosen if each in LANGUAGES), None)
    return wanted or request.accept_languages.best_match(LANGUAGES) or DEFAULT_LANGUAGE
