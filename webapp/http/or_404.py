"""What a page asks for, or the answer that there is no such thing."""

from __future__ import annotations

from typing import TypeVar

from flask import abort

Thing = TypeVar("Thing")


def or_404(thing: Thing | None) -> Thing:
    """The thing itself; the request ends with 404 where there is none."""
    if thing is None:
        abort(404)
    return thing
