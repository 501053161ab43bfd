"""Shared parts of the pages about matches: their blueprint, and a match's log."""

from __future__ import annotations

from flask import Blueprint, abort

from scorer.match.events import Event
from webapp.services import services

BLUEPRINT = Blueprint("match", __name__)


def get_log(number: int) -> tuple[Event, ...]:
    """A match's log; 404 if there is no such match."""
    store = services().store
    if not store.has(number):
        abort(404)
    return store.log(number)
