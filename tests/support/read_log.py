"""Reads the log of the only match in an exported text."""

from __future__ import annotations

from scorer.match.events import Event
from scorer.match.exchange import read_matches


def match_from_json(text: str) -> tuple[Event, ...]:
    """The log from JSON. Raises ``MatchError``."""
    return _read_log(text, "match.json")


def match_from_csv(text: str) -> tuple[Event, ...]:
    """The log from CSV. Raises ``MatchError``."""
    return _read_log(text, "match.csv")


def _read_log(text: str, name: str) -> tuple[Event, ...]:
    (match,) = read_matches(text, name)
    return match.log
