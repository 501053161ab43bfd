"""Practices in a database that also holds matches, as logs of events.

An event is on the disk when ``append`` returns. It is stored only if the log can be folded with it.
A damaged practice is left out of lists and does not affect others.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, delete, func, insert, select, update

from calibration.phrase import Phrase
from scorer.practice.events import (
    PracticeError,
    PracticeEvent,
    PracticeStarted,
    read_practice_event,
    write_practice_event,
)
from scorer.practice.fold import PracticeState, fold_practice
from scorer.store.database import MAX_ID, Database, insert_row, read_time
from scorer.store.errors import DamagedMatchError
from scorer.store.event_log import EventLog
from scorer.store.message_store import announce
from scorer.store.player_store import count_players
from scorer.store.schema import COUNTED_PRACTICES, PRACTICE_EVENTS, PRACTICES


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPractice:
    """A practice with its state: its number, its start, its number of events."""

    id: int
    created: str
    events: int
    state: PracticeState


class PracticeStore:
    """The practices of a database. All methods raise ``StoreError`` if it fails."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._events = EventLog(
            database=database,
            owner=PRACTICE_EVENTS.c.practice_id,
            kind=Phrase("Practice"),
            missing=Phrase("There is no practice session %(number)s."),
            read=read_practice_event,
            write=write_practice_event,
            fold=fold_practice,
        )

    def create(self, setup: PracticeStarted, *, now: str, key: str | None = None) -> int:
        """The number of a new practice.

        key  starts one practice: the same key again returns that practice's number
        """
        with self._database.write_transaction() as connection:
            begun = _find_entered(connection, key, PRACTICE_EVENTS.c.number == 0)
            if begun is not None:
                return begun
            number = insert_row(connection, PRACTICES, created=now, player=setup.player)
            self._events.add(connection, number, 0, (setup,), (now,), key=key)
            count_players(connection, [setup.player], 0)
            self._announce(connection, number)
        return number

    def find_begun(self, key: str | None) -> int | None:
        """The practice that was started with a key; None if there is none."""
        with self._database.read_transaction() as connection:
            return _find_entered(connection, key, PRACTICE_EVENTS.c.number == 0)

    def append(
        self,
        number: int,
        event: PracticeEvent,
        *,
        now: str,
        expected: int | None = None,
        key: str | None = None,
    ) -> PracticeState:
        """The state after storing an event permanently.

        key       of the event; a repeated key enters nothing
        expected  number of the log's events, if the event comes from a page read before
        Raises ``PracticeError`` if it is impossible, or if the log has grown since.
        """
        with self._database.write_transaction() as connection:
            log, before = self._events.load(connection, number)
            events = PRACTICE_EVENTS.c
            if _find_entered(connection, key, events.practice_id == number, events.number > 0):
                return before
            if expected is not None and expected != len(log):
                raise PracticeError(
                    Phrase(
                        "Someone entered a shot in the meantime. "
                        "Check, then enter any missing shots."
                    )
                )
            state = fold_practice((*log, event))
            self._events.add(connection, number, len(log), (event,), (now,), key=key)
            self._announce(connection, number)
        return state

    def count_at(self, board: int, number: int, *, now: str) -> None:
        """From now on, count the shots seen by a board's camera for this practice only."""
        with self._database.write_transaction() as connection:
            connection.execute(delete(COUNTED_PRACTICES).where(COUNTED_PRACTICES.c.board == board))
            row = {"board": board, "practice_id": number, "since": now}
            connection.execute(insert(COUNTED_PRACTICES), [row])
            self._announce(connection, number)

    def stop_counting_at(self, board: int) -> None:
        """Stop counting a board's camera for any practice."""
        if self.find_counted(board) is None:
            return
        self._database.write(delete(COUNTED_PRACTICES).where(COUNTED_PRACTICES.c.board == board))

    def find_counted(self, board: int) -> tuple[int, str] | None:
        """The practice that a board's camera counts, and the time of its last event."""
        counted, events = COUNTED_PRACTICES.c, PRACTICE_EVENTS.c
        query = (
            select(counted.practice_id, counted.since, func.max(events.recorded))
            .outerjoin(PRACTICE_EVENTS, events.practice_id == counted.practice_id)
            .where(counted.board == board)
            .group_by(counted.practice_id, counted.since)
        )
        found = [
            (number, max(read_time(since), read_time(recorded)))
            for number, since, recorded in self._database.read_rows(query)
        ]
        return found[0] if found else None

    def find_board(self, number: int) -> int | None:
        """The board whose camera counts a practice; None if there is none."""
        counted = COUNTED_PRACTICES.c
        query = select(counted.board).where(counted.practice_id == number).order_by(counted.board)
        return self._database.read_value(query)

    def get(self, number: int) -> StoredPractice | None:
        """A practice with its state; None if there is none. Raises ``DamagedMatchError``."""
        if not 0 < number <= MAX_ID:
            return None
        query = select(PRACTICES.c.created).where(PRACTICES.c.id == number)
        with self._database.read_transaction() as connection:
            created = connection.execute(query).scalar()
            if created is None:
                return None
            log, state = self._events.load(connection, number)
        return StoredPractice(id=number, created=read_time(created), events=len(log), state=state)

    def count(self, player: str | None = None) -> int:
        """The number of practices, or of a player's practices."""
        query = select(func.count()).select_from(PRACTICES).where(*_is_of(player))
        return self._database.read_value(query) or 0

    def list_newest(
        self, most: int, *, skipped: int = 0, player: str | None = None
    ) -> tuple[StoredPractice, ...]:
        """Readable practices (or a player's), the newest first, without the first ``skipped``."""
        query = select(PRACTICES.c.id, PRACTICES.c.created).where(*_is_of(player))
        return self._list(query.order_by(PRACTICES.c.id.desc()).offset(skipped).limit(most))

    def list_of(self, player: str) -> tuple[StoredPractice, ...]:
        """A player's practices, the newest last."""
        query = select(PRACTICES.c.id, PRACTICES.c.created).where(*_is_of(player))
        return self._list(query.order_by(PRACTICES.c.id))

    def _list(self, query: Select[Any]) -> tuple[StoredPractice, ...]:
        with self._database.read_transaction() as connection:
            times = {number: read_time(created) for number, created in connection.execute(query)}
            bodies = self._events.list_bodies(connection, list(times))
        listed = []
        for number, created in times.items():
            with suppress(DamagedMatchError):
                log, state = self._events.parse(number, bodies.get(number, {}))
                listed.append(
                    StoredPractice(id=number, created=created, events=len(log), state=state)
                )
        return tuple(listed)

    def _announce(self, connection: Connection, number: int) -> None:
        announce(self._database, connection, {"kind": "practice", "practice": number})


def _is_of(player: str | None) -> list[ColumnElement[bool]]:
    return [] if player is None else [PRACTICES.c.player == player]


def _find_entered(
    connection: Connection, key: str | None, *place: ColumnElement[bool]
) -> int | None:
    """The practice that has an event with this key at this place."""
    events = PRACTICE_EVENTS.c
    query = select(events.practice_id).where(events.key == key, *place)
    return None if key is None else connection.execute(query).scalar()


def rename_in_practices(connection: Connection, old: str, new: str) -> None:
    """Give a player another name in all practices."""
    events, is_first = PRACTICE_EVENTS.c, PRACTICE_EVENTS.c.number == 0
    own = select(events.practice_id, events.body).join(PRACTICES).where(is_first)
    for number, body in connection.execute(own.where(PRACTICES.c.player == old)).all():
        renamed = write_practice_event(read_practice_event(json.loads(body) | {"player": new}))
        row = update(PRACTICE_EVENTS).where(events.practice_id == number, is_first)
        connection.execute(row.values(body=renamed))
    connection.execute(update(PRACTICES).where(PRACTICES.c.player == old).values(player=new))
