"""A tournament as a file: its log with the times of its events, written and read without loss."""

from __future__ import annotations

import json
from collections.abc import Sequence

from calibration.phrase import Phrase
from scorer.match.exchange.record import read_time
from scorer.tournament.events import (
    TournamentError,
    TournamentEvent,
    TournamentStarted,
    read_event,
    write_event,
)
from scorer.tournament.fold import fold


def write_log(log: Sequence[TournamentEvent], recorded: Sequence[str]) -> list[dict[str, object]]:
    """The events as JSON values, with their times of recording."""
    return [
        {"recorded": time, **json.loads(write_event(event))}
        for event, time in zip(log, recorded, strict=True)
    ]


def read_file(
    text: str,
) -> tuple[tuple[TournamentStarted, *tuple[TournamentEvent, ...]], tuple[str, ...]]:
    """The log of an exported tournament, and its times. Raises ``TournamentError``."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise TournamentError(
            Phrase("This is not a JSON file. Export the tournament again.")
        ) from None
    entries = content.get("log") if isinstance(content, dict) else None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise TournamentError(Phrase("This file does not contain a tournament. Export it as JSON."))
    times = tuple(read_time(entry.pop("recorded", None)) for entry in entries)
    events = [read_event(json.dumps(entry)) for entry in entries]
    if not events or not isinstance(events[0], TournamentStarted):
        raise TournamentError(Phrase("This file does not contain a tournament. Export it as JSON."))
    fold(events)
    return (events[0], *events[1:]), times
