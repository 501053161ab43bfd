"""Redirects after invalid forms: back to the form with the error, or to the first page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from flask import abort, flash, redirect
from werkzeug.wrappers import Response

from calibration.phrase import Phrase
from webapp.language.template_texts import translate_sentence

#: Longest part of a typed text that is put into an address.
_MOST_LETTERS = 300
_GONE_SENTENCE = Phrase(
    "%(upload)s is no longer available, because the server was restarted or newer uploads "
    "replaced it. %(remedy)s"
)


def show_note(text: str, kind: str) -> None:
    """Show a text on the next page, in the language of this one."""
    flash(translate_sentence(text), kind)


def redirect_with_problem(problem: str, address: str) -> Response:
    """Redirect to a page that then shows the error."""
    show_note(problem, "problem")
    return redirect(address, 303)


def keep_typed(form: Mapping[str, str], *names: str) -> dict[str, Any]:
    """The typed values of these fields, for the address of the page with the error."""
    return {name: form[name][:_MOST_LETTERS] for name in names if form.get(name)}


def abort_gone(what: str, again: str, begin: str) -> NoReturn:
    """End the request with a redirect to the page where such actions begin, with the reason and the
    remedy in one sentence.
    """
    abort(redirect_with_problem(_GONE_SENTENCE.put(upload=what, remedy=again), begin))
