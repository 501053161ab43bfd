"""Matches in a database: made, appended to and read back, each as the log of its events.

What ``append`` returned is on the disk. Writers of several processes take turns, and one that waits
too long gets a ``StoreError``. An event is stored only when the log folds with it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from sqlalchemy import Connection, bindparam, func, insert, select, update

from scorer.match.entry import check_entry, check_log_entry
from scorer.match.events import (
    Event,
    MatchMoved,
    MatchStarted,
    Undone,
    event_from_json,
    event_json,
)
from scorer.match.fold import check_board_is_free, enter_event, fold
from scorer.match.state import MatchState
from scorer.store.database import LOCK_TIMEOUT_S, MAX_ID, Database, read_time
from scorer.store.errors import DamagedMatchError, StoreError
from scorer.store.message_store import announce
from scorer.store.schema import EVENTS, KEYS, MATCHES, MIGRATIONS, Migration
from scorer.texts import quote

_TIMES = (
    select(EVENTS.c.recorded)
    .where(EVENTS.c.match_id == bindparam("match"))
    .order_by(EVENTS.c.number)
)
#: The order in which matches came to their boards.
_CAME = func.coalesce(MATCHES.c.came, MATCHES.c.id)
_NO_MATCH = "There is no match {}; `crokinole match list` lists them."


#: An entry's event, made from the log as it is when it is written, and the places of entries by
#: their keys; None where there is nothing to enter.
MakeEntry = Callable[[Sequence[Event], Mapping[str, int]], Event | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMatch:
    """A match in the database: its number, when it was made, and how many events it has."""

    id: int
    created: str
    events: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedMatch:
    """A match in the database with how it stands, or with what is damaged: one of both."""

    stored: StoredMatch
    state: MatchState | None = None
    damage: str | None = None


class Store:
    """A database of matches. Every method raises ``StoreError`` for trouble outside the rules."""

    def __init__(
        self,
        url: str,
        *,
        migrations: Sequence[Migration] = MIGRATIONS,
        lock_timeout_s: float = LOCK_TIMEOUT_S,
        announces: bool = False,
    ) -> None:
        """Open the database that a URL or a file's path names, as ``Database``."""
        self.database = Database(
            url, migrations=migrations, lock_timeout_s=lock_timeout_s, announces=announces
        )
        self._name = self.database.name

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the database's connections."""
        self.database.close()

    def create(self, setup: MatchStarted, *, now: str) -> int:
        """The number of a new match. Raises ``MatchError`` when it cannot begin."""
        return self.import_log([setup], now=now)

    def import_log(self, log: Sequence[Event], *, now: str, times: Sequence[str] = ()) -> int:
        """The number of a match with a whole log, wholly stored. Raises ``MatchError``.

        times  when its events were entered, one each; ``now`` for all where none are given
        """
        check_log_entry(log)
        board = fold(log).setup.at_board
        times = times or (now,) * len(log)
        with self.database.write_transaction() as connection:
            made = connection.execute(
                insert(MATCHES).values(created=times[0], board=board, came=_next_place(connection))
            )
            assert made.inserted_primary_key is not None
            match_id = int(made.inserted_primary_key[0])
            entries = enumerate(zip(log, times, strict=True))
            rows = [_row(match_id, number, each, time) for number, (each, time) in entries]
            connection.execute(insert(EVENTS), rows)
            self._announce(connection, board, match_id, log[0])
        return match_id

    def append(self, match_id: int, new: Event, *, now: str) -> MatchState:
        """The state once ``new`` is stored for good. Raises ``MatchError`` when it cannot be."""
        check_entry(new)
        with self.database.write_transaction() as connection:
            log = self._read_log(connection, match_id)
            state = enter_event(log, new)
            connection.execute(insert(EVENTS), [_row(match_id, len(log), new, now)])
            board = self._leave_board(connection, match_id, state, new)
            self._announce(connection, board, match_id, new)
        return state

    def enter(self, match_id: int, make: MakeEntry, *, key: str, now: str) -> Event | None:
        """The event that was stored for good; None where ``key`` was entered before, or nothing is.

        What ``make`` raises ends it, and nothing is stored. Raises ``MatchError`` as ``append``.
        """
        with self.database.write_transaction() as connection:
            log, keys = self._read_log(connection, match_id), _read_keys(connection, match_id)
            new = None if key in keys else make(log, keys)
            if new is None:
                return None
            check_entry(new)
            state = enter_event(log, new)
            connection.execute(insert(EVENTS), [_row(match_id, len(log), new, now)])
            row = {"match_id": match_id, "key": key, "number": len(log)}
            connection.execute(insert(KEYS), [row])
            board = self._leave_board(connection, match_id, state, new)
            self._announce(connection, board, match_id, new)
        return new

    def log(self, match_id: int) -> tuple[Event, ...]:
        """All events of a match, in order."""
        with self.database.read_transaction() as connection:
            return self._read_log(connection, match_id)

    def times(self, match_id: int) -> tuple[str, ...]:
        """When each event of a match was stored, in order; empty where there is no such match."""
        with self.database.read_transaction() as connection:
            recorded = connection.execute(_TIMES, {"match": match_id}).scalars()
            return tuple(read_time(each) for each in recorded)

    def matches(self) -> tuple[StoredMatch, ...]:
        """All matches, the newest last."""
        query = (
            select(MATCHES.c.id, MATCHES.c.created, func.count(EVENTS.c.number))
            .join(EVENTS, EVENTS.c.match_id == MATCHES.c.id)
            .group_by(MATCHES.c.id, MATCHES.c.created)
            .order_by(MATCHES.c.id)
        )
        with self.database.read_transaction() as connection:
            return tuple(
                StoredMatch(id=match_id, created=read_time(created), events=count)
                for match_id, created, count in connection.execute(query)
            )

    def setups(self) -> tuple[tuple[StoredMatch, MatchStarted | None], ...]:
        """All matches with their setups, the newest first; None where one is damaged."""
        query = select(EVENTS.c.match_id, EVENTS.c.body).where(EVENTS.c.number == 0)
        with self.database.read_transaction() as connection:
            bodies = {each.match_id: each.body for each in connection.execute(query)}
        return tuple((each, _read_setup(bodies.get(each.id))) for each in self.matches()[::-1])

    def recent_setups(self, most: int) -> tuple[MatchStarted, ...]:
        """The setups of the newest matches, the newest first; damaged ones are left out."""
        return tuple(setup for _, setup in self.setups()[:most] if setup is not None)

    def list_states(self) -> tuple[ListedMatch, ...]:
        """All matches with how each stands, the newest last; a damaged one harms no other."""
        return self.list_states_of(self.matches())

    def list_states_of(self, matches: Sequence[StoredMatch]) -> tuple[ListedMatch, ...]:
        """How some matches stand; a damaged one harms no other."""
        return tuple(self._list_state(each) for each in matches)

    def newest_sound(self, board: int = 1) -> int | None:
        """The number of a board's newest match; None where it is damaged, or there is none.

        No older match stands in for a damaged one: what is entered would land in the wrong match.
        """
        newest = self._newest(board)
        if newest is None:
            return None
        try:
            self.log(newest)
        except DamagedMatchError:
            return None
        return newest

    def read_newest(self, board: int) -> tuple[int, tuple[Event, ...], tuple[str, ...]] | None:
        """The number of ``newest_sound``, with its events and when each was stored."""
        newest = self._newest(board)
        if newest is None:
            return None
        try:
            with self.database.read_transaction() as connection:
                log = self._read_log(connection, newest)
                recorded = connection.execute(_TIMES, {"match": newest}).scalars()
                return newest, log, tuple(read_time(each) for each in recorded)[: len(log)]
        except DamagedMatchError:
            return None

    def find_newest_log(self, board: int = 1) -> tuple[int, int] | None:
        """A board's newest match, and how many events its log has; None where there is none."""
        with self.database.read_transaction() as connection:
            newest = _find_newest(connection, board)
            count = select(func.count()).where(EVENTS.c.match_id == newest)
            return None if newest is None else (newest, connection.execute(count).scalar_one())

    def board_of(self, match_id: int) -> int | None:
        """The number of the board at which a match is played; None where there is no such match."""
        if not 0 < match_id <= MAX_ID:
            return None
        query = select(MATCHES.c.board).where(MATCHES.c.id == match_id)
        with self.database.read_transaction() as connection:
            return connection.execute(query).scalar()

    def _announce(self, connection: Connection, board: int, match_id: int, new: Event) -> None:
        content = {"kind": "match", "match": match_id, "event": event_json(new)}
        announce(self.database, connection, content, board)

    def _leave_board(
        self, connection: Connection, match_id: int, state: MatchState, new: Event
    ) -> int:
        """The board at which the match was until ``new``; its row then says where it is now.

        Raises ``MatchError`` where the match at the other board is not over.
        """
        if not isinstance(new, MatchMoved | Undone):
            return state.setup.at_board
        row = MATCHES.c.id == match_id
        board, now = _read_board(connection, match_id), state.setup.at_board
        if board != now:
            self._check_free(connection, now)
            came = _next_place(connection)
            connection.execute(update(MATCHES).where(row).values(board=now, came=came))
        return board

    def _check_free(self, connection: Connection, board: int) -> None:
        newest = _find_newest(connection, board)
        if newest is None:
            return
        try:
            state = fold(self._read_log(connection, newest))
        except DamagedMatchError:
            return
        check_board_is_free(state, board)

    def _newest(self, board: int) -> int | None:
        with self.database.read_transaction() as connection:
            return _find_newest(connection, board)

    def _list_state(self, stored: StoredMatch) -> ListedMatch:
        try:
            return ListedMatch(stored=stored, state=fold(self.log(stored.id)))
        except DamagedMatchError as error:
            return ListedMatch(stored=stored, damage=str(error))

    def _read_log(self, connection: Connection, match_id: int) -> tuple[Event, ...]:
        bodies = self.database.read_bodies(connection, EVENTS.c.match_id, match_id, "Match")
        if not bodies:
            raise StoreError(_NO_MATCH.format(quote(match_id)))
        try:
            log = tuple(event_from_json(json.loads(body)) for body in bodies)
            fold(log)
        except (ValueError, TypeError, RecursionError) as error:
            raise DamagedMatchError(
                f"Match {match_id} cannot be read ({error}); restore {self._name}."
            ) from None
        return log


def _find_newest(connection: Connection, board: int) -> int | None:
    """The number of the match that came to a board last."""
    has_events = select(EVENTS.c.number).where(EVENTS.c.match_id == MATCHES.c.id).exists()
    query = select(MATCHES.c.id).where(MATCHES.c.board == board, has_events)
    newest_first = query.order_by(_CAME.desc(), MATCHES.c.id.desc())
    return connection.execute(newest_first.limit(1)).scalar()


def _next_place(connection: Connection) -> int:
    """The next number in the order in which matches come to boards."""
    return int(connection.execute(select(func.max(_CAME))).scalar() or 0) + 1


def _read_board(connection: Connection, match_id: int) -> int:
    """The board that a match's row names."""
    return int(
        connection.execute(select(MATCHES.c.board).where(MATCHES.c.id == match_id)).scalar_one()
    )


def _read_keys(connection: Connection, match_id: int) -> dict[str, int]:
    """The places of a match's entries by their keys."""
    query = select(KEYS.c.key, KEYS.c.number).where(KEYS.c.match_id == match_id)
    return {each.key: each.number for each in connection.execute(query)}


def _read_setup(body: Any) -> MatchStarted | None:
    """The setup that a row holds; None where it is damaged, or cannot be played."""
    try:
        setup = event_from_json(json.loads(body))
        fold([setup])
    except (ValueError, TypeError, RecursionError):
        return None
    return setup if isinstance(setup, MatchStarted) else None


def _row(match_id: int, number: int, new_event: Event, now: str) -> dict[str, Any]:
    body = json.dumps(event_json(new_event))  # ASCII, which every database's encoding holds
    return {"match_id": match_id, "number": number, "recorded": now, "body": body}
