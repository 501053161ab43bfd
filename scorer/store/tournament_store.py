"""Tournaments in a database that also holds matches, as logs of events.

An event is on the disk when ``append`` returns. It is stored only if the log can be folded with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select

from calibration.phrase import Phrase
from scorer.store.database import MAX_ID, Database, insert_row, read_time
from scorer.store.errors import DamagedMatchError
from scorer.store.event_log import EventLog
from scorer.store.message_store import announce
from scorer.store.schema import TOURNAMENT_EVENTS, TOURNAMENTS
from scorer.tournament.events import (
    TournamentError,
    TournamentEvent,
    TournamentStarted,
    read_event,
    write_event,
)
from scorer.tournament.fold import fold
from scorer.tournament.state import TournamentState


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTournament:
    """A tournament with its state: its number, its creation time, its log with times.

    damage  the reason why it cannot be read; it then has neither log nor state
    """

    id: int
    created: str
    log: tuple[TournamentEvent, ...] = ()
    recorded: tuple[str, ...] = ()
    state: TournamentState | None = None
    damage: str | None = None

    @property
    def events(self) -> int:
        """Number of its events."""
        return len(self.log)


class TournamentStore:
    """The tournaments of a database. All methods raise ``StoreError`` if it fails."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._events = EventLog(
            database=database,
            owner=TOURNAMENT_EVENTS.c.tournament_id,
            kind=Phrase("Tournament"),
            missing=Phrase(
                "There is no tournament %(number)s. `/tournaments` shows all tournaments."
            ),
            read=read_event,
            write=write_event,
            fold=fold,
        )

    def create(
        self,
        setup: TournamentStarted,
        events: Sequence[TournamentEvent] = (),
        *,
        now: str,
        recorded: Sequence[str] = (),
    ) -> int:
        """The number of a new tournament with its first events. Raises ``TournamentError``.

        recorded  the times of recording, if not now
        """
        log = (setup, *events)
        fold(log)
        with self._database.write_transaction() as connection:
            number = insert_row(connection, TOURNAMENTS, created=recorded[0] if recorded else now)
            self._events.add(connection, number, 0, log, recorded or (now,) * len(log))
            self._announce(connection, number)
        return number

    def has(self, number: int) -> bool:
        """Whether there is a tournament of that number."""
        if not 0 < number <= MAX_ID:
            return False
        query = select(TOURNAMENTS.c.id).where(TOURNAMENTS.c.id == number)
        return self._database.read_value(query) is not None

    def append(
        self,
        number: int,
        make_events: Callable[[TournamentState], Sequence[TournamentEvent]],
        *,
        now: str,
        expected: int | None = None,
    ) -> TournamentState:
        """The state after storing the resulting events durably, all or none.

        expected  number of the log's events, if they come from a page read before
        Raises ``TournamentError`` if one is impossible, or if the log has grown since.
        """
        with self._database.write_transaction() as connection:
            log, before = self._events.load(connection, number)
            if expected is not None and expected != len(log):
                raise TournamentError(
                    Phrase("Someone else changed the tournament. Check it, then try again.")
                )
            events = tuple(make_events(before))
            state = fold((*log, *events))
            self._events.add(connection, number, len(log), events, (now,) * len(events))
            if events:
                self._announce(connection, number)
        return state

    def read(self, number: int) -> StoredTournament:
        """A tournament with its state. Raises ``DamagedMatchError`` if it cannot be read."""
        with self._database.read_transaction() as connection:
            log, state = self._events.load(connection, number)
            created = connection.execute(
                select(TOURNAMENTS.c.created).where(TOURNAMENTS.c.id == number)
            ).scalar()
            times = self._events.list_times(connection, number)
        return StoredTournament(
            id=number,
            created=read_time(created),
            log=log,
            recorded=times,
            state=state,
        )

    def list_tournaments(self) -> tuple[StoredTournament, ...]:
        """All tournaments, the newest last; a damaged one does not affect others."""
        query = select(TOURNAMENTS.c.id, TOURNAMENTS.c.created).order_by(TOURNAMENTS.c.id)
        rows = self._database.read_rows(query)
        return tuple(self._list_one(number, read_time(created)) for number, created in rows)

    def _announce(self, connection: Connection, number: int) -> None:
        announce(self._database, connection, {"kind": "tournament", "tournament": number})

    def _list_one(self, number: int, created: str) -> StoredTournament:
        try:
            return self.read(number)
        except DamagedMatchError as error:
            return StoredTournament(id=number, created=created, damage=str(error))
