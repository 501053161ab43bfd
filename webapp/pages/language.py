"""The choice of a page's language, and the texts that a page's scripts fetch."""

from __future__ import annotations

import gzip

from flask import Blueprint, Response, abort, redirect, request
from flask.typing import ResponseReturnValue

from webapp.auth import allow_anyone
from webapp.http.redirects import safe_redirect_target
from webapp.language.catalogue import load_words
from webapp.language.choice import COOKIE_LIFE_S, LANGUAGE_COOKIE, LANGUAGES
from webapp.services import services

BLUEPRINT = Blueprint("language", __name__)


@BLUEPRINT.post("/language")
@allow_anyone
def choose() -> ResponseReturnValue:
    """Store the chosen language in the browser, and go back."""
    wanted = request.form.get("language", "")
    if wanted not in LANGUAGES:
        abort(400)
    answer = redirect(safe_redirect_target(request.form.get("back", "")), 303)
    answer.set_cookie(
        LANGUAGE_COOKIE,
        wanted,
        max_age=COOKIE_LIFE_S,
        httponly=True,
        samesite="Lax",
        secure=services().config.tls or request.is_secure,
        path=request.script_root or "/",
    )
    return answer


@BLUEPRINT.get("/static/words/<language>-<version>.json")
def words(language: str, version: str) -> Response:
    """The texts of scripts in a language, as JSON; browsers may cache it."""
    if language not in LANGUAGES or not (known := load_words(language)).for_scripts:
        abort(404)
    is_compressed = "gzip" in request.accept_encodings
    content = known.for_scripts if is_compressed else gzip.decompress(known.for_scripts)
    answer = Response(content, content_type="application/json")
    answer.headers["Vary"] = "Accept-Encoding"
    if is_compressed:
        answer.headers["Content-Encoding"] = "gzip"
    kept = "public, max-age=31536000, immutable" if version == known.version else "no-store"
    answer.headers["Cache-Control"] = kept
    return answer
