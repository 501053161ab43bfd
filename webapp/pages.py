"""What pages about pictures share: how a form is sent back, and what is said of what is gone.

Knows sentences and addresses. Refuses to know what the pages are about.
"""

from __future__ import annotations

from typing import Any, NoReturn

from flask import abort, flash, redirect

_GONE = "{what} is not held any more: the server was started again, or others came since. {again}"


def back_with(problem: str, address: str) -> Any:
    """Send somebody to a page that then says what went wrong."""
    flash(problem, "problem")
    return redirect(address, 303)


def gone(what: str, again: str, begin: str) -> NoReturn:
    """End the request where such things begin, with a sentence that says why and what to do."""
    abort(back_with(_GONE.format(what=what, again=again), begin))
