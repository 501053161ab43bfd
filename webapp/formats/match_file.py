"""A match as a file for other programs: JSON, CSV or Crokinole Match Notation."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version

from scorer.match.events import Event
from scorer.match.exchange import match_as_cmn, match_as_csv, match_as_json
from scorer.store import Store

#: The formats in which a match can be written, with their media types for browsers.
KINDS = {"json": "application/json", "csv": "text/csv; charset=utf-8", "cmn": "application/json"}


def write_match(store: Store, number: int, log: Sequence[Event], kind: str) -> str:
    """The text of a match's file; ``kind`` is one of ``KINDS``, ``log`` the match's log."""
    created = store.created(number)
    if kind == "json":
        return match_as_json(log, store.times(number)[: len(log)])
    if kind == "csv":
        return match_as_csv(log, created)
    return match_as_cmn(log, created=created, version=version("crokinole-referee"))
