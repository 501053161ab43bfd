"""The object that a page asks for, or a 404 answer."""

from __future__ import annotations

from typing import TypeVar

from flask import abort

Thing = TypeVar("Thing")


def or_404(thing: Thing | None) -> Thing:
    """The object itself; the request ends with 404 if there is none."""
    if thing is None:
        abort(404)
    return thing
