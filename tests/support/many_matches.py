"""Databases of many matches, written at once as if each had been entered through the store."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from match_database import ROUND, SETUP
from sqlalchemy import insert

from scorer.match.events import event_json
from scorer.match.fold import fold
from scorer.match.summary import summarise_match, write_summary
from scorer.practice.events import (
    Drill,
    Outcome,
    PracticeShot,
    PracticeStarted,
    write_practice_event,
)
from scorer.store import Store
from scorer.store.match_store import _checksum
from scorer.store.schema import (
    EVENTS,
    MATCH_PLAYERS,
    MATCH_SUMMARIES,
    MATCHES,
    PLAYERS,
    PRACTICE_EVENTS,
    PRACTICES,
    make_words,
)

_BEGAN = datetime(2020, 1, 1, tzinfo=UTC)
_BATCH = 2000


def fill_with_matches(
    store: Store, count: int, *, players: int = 200, rounds: Sequence[int] = (2, 4, 8, 24)
) -> list[str]:
    """Write matches 1 to ``count`` into an empty database; returns the names of their players."""
    dice = random.Random(1)
    names = [f"Player {number:04}" for number in range(players)]
    logs = [(SETUP, *(ROUND,) * number) for number in rounds]
    states = [(log, summarise_match(log, fold(log))) for log in logs]
    tails = [[json.dumps(event_json(event)) for event in log[1:]] for log in logs]
    played: Counter[str] = Counter()
    for first in range(1, count + 1, _BATCH):
        matches, events, summaries, seats = [], [], [], []
        for number in range(first, min(first + _BATCH, count + 1)):
            pair = tuple(dice.sample(names, 2))
            played.update(pair)
            kind = dice.randrange(len(logs))
            created = (_BEGAN + timedelta(minutes=20 * number)).isoformat(timespec="milliseconds")
            bodies = [json.dumps(event_json(replace(SETUP, players=pair))), *tails[kind]]
            summary = replace(states[kind][1], players=pair, sides=pair)
            matches.append(
                {
                    "id": number,
                    "created": created,
                    "board": 1,
                    "came": number,
                    "words": make_words(pair, created),
                }
            )
            events += [
                {"match_id": number, "number": k, "recorded": created, "body": body}
                for k, body in enumerate(bodies)
            ]
            summaries.append(
                {"match_id": number, "crc": _checksum(bodies), "body": write_summary(summary)}
            )
            seats += [
                {"match_id": number, "seat": seat, "name": name} for seat, name in enumerate(pair)
            ]
        with store.database.write_transaction() as connection:
            connection.execute(insert(MATCHES), matches)
            connection.execute(insert(EVENTS), events)
            connection.execute(insert(MATCH_SUMMARIES), summaries)
            connection.execute(insert(MATCH_PLAYERS), seats)
    with store.database.write_transaction() as connection:
        rows = [{"name": name, "matches": number} for name, number in played.items()]
        connection.execute(insert(PLAYERS), rows)
    return names


def fill_with_practices(store: Store, count: int, names: Sequence[str]) -> None:
    """Write practices 1 to ``count`` of these players into a database without practices."""
    shots = [PracticeShot(outcome=Outcome.TWENTY), PracticeShot(outcome=Outcome.OFF_BOARD)] * 6
    tail = [write_practice_event(shot) for shot in shots]
    for first in range(1, count + 1, _BATCH):
        practices, events = [], []
        for number in range(first, min(first + _BATCH, count + 1)):
            name = names[number % len(names)]
            created = (_BEGAN + timedelta(minutes=20 * number)).isoformat(timespec="milliseconds")
            setup = PracticeStarted(player=name, drill=Drill.OPEN_TWENTIES)
            practices.append({"id": number, "created": created, "player": name})
            events += [
                {"practice_id": number, "number": k, "recorded": created, "body": body}
                for k, body in enumerate([write_practice_event(setup), *tail])
            ]
        with store.database.write_transaction() as connection:
            connection.execute(insert(PRACTICES), practices)
            connection.execute(insert(PRACTICE_EVENTS), events)
