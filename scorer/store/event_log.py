"""The log of a match, a tournament or a practice in its table.

Events are appended and the log is read back whole. A log is stored only if it can be folded; a log
that can no longer be folded is damaged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sqlalchemy import Column, Connection, insert, select

from calibration.phrase import Phrase
from scorer.store.database import MAX_ID, Database, read_time
from scorer.store.errors import DamagedMatchError, StoreError
from scorer.texts import quote

_Event = TypeVar("_Event")
_State = TypeVar("_State")


@dataclass(frozen=True, slots=True, kw_only=True)
class EventLog(Generic[_Event, _State]):
    """The event logs of one kind, in a database.

    owner    the column that names the match, tournament or practice of a row
    kind     the kind of log, such as ``Match``
    missing  the sentence for a number without a log, with a placeholder for the number
    read     parses an event's JSON; raises ``ValueError`` or ``TypeError``
    write    formats an event as ASCII JSON, which every database's encoding can hold
    fold     computes the state after a log; raises ``ValueError`` if it is impossible
    """

    database: Database
    owner: Column[Any]
    kind: str
    missing: Phrase
    read: Callable[[Any], _Event]
    write: Callable[[_Event], str]
    fold: Callable[[Sequence[_Event]], _State]

    def load(self, connection: Connection, number: int) -> tuple[tuple[_Event, ...], _State]:
        """A log and its state. Raises ``StoreError`` and ``DamagedMatchError``."""
        bodies = self.list_bodies(connection, [number] if 0 < number <= MAX_ID else [])
        if number not in bodies:
            raise StoreError(self.missing.put(number=quote(number)))
        return self.parse(number, bodies[number])

    def parse(self, number: int, bodies: dict[int, str]) -> tuple[tuple[_Event, ...], _State]:
        """A log and its state, from its events by place. Raises ``DamagedMatchError``."""
        remedy = Phrase("restore %(database)s from a backup.", database=self.database.name)
        if list(bodies) != list(range(len(bodies))):
            raise DamagedMatchError(
                Phrase(
                    "%(kind)s %(number)s is missing some events; %(remedy)s",
                    kind=self.kind,
                    number=number,
                    remedy=remedy,
                )
            )
        try:
            log = tuple(map(self.read, bodies.values()))
            return log, self.fold(log)
        except (ValueError, TypeError, RecursionError) as error:
            raise DamagedMatchError(
                Phrase(
                    "%(kind)s %(number)s cannot be read (%(error)s); %(remedy)s",
                    kind=self.kind,
                    number=number,
                    error=error,
                    remedy=remedy,
                )
            ) from None

    def list_bodies(
        self, connection: Connection, numbers: Sequence[int]
    ) -> dict[int, dict[int, str]]:
        """The stored events of some logs, in order, by log and place."""
        events = self.owner.table.c
        query = select(self.owner, events.number, events.body).order_by(self.owner, events.number)
        bodies: dict[int, dict[int, str]] = {}
        for number, place, body in connection.execute(query.where(self.owner.in_(numbers))):
            bodies.setdefault(number, {})[place] = body
        return bodies

    def list_times(self, connection: Connection, number: int) -> tuple[str, ...]:
        """The storage times of a log's events, in order; empty if there is no such log."""
        events = self.owner.table.c
        query = select(events.recorded).where(self.owner == number).order_by(events.number)
        return tuple(map(read_time, connection.execute(query).scalars()))

    def add(
        self,
        connection: Connection,
        number: int,
        place: int,
        events: Sequence[_Event],
        times: Sequence[str],
        **others: str | None,
    ) -> None:
        """Store events at the given place of a log and after it, with the values of other
        columns.
        """
        rows = [
            {
                self.owner.name: number,
                "number": place + k,
                "recorded": time,
                "body": self.write(event),
                **others,
            }
            for k, (event, time) in enumerate(zip(events, times, strict=True))
        ]
        if rows:
            connection.execute(insert(self.owner.table), rows)
