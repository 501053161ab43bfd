"""Matches in a database: created, appended to and read back as logs of events.

Events are on the disk when ``append`` returns. Writers in several processes take turns; a wait that
is too long raises ``StoreError``. An event is stored only if the log can be folded with it.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Self

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    String,
    cast,
    delete,
    func,
    insert,
    select,
    update,
)

from calibration.json_text import load_json, store_json
from calibration.phrase import Phrase
from scorer.match.entry_bounds import check_entry, check_log_entry
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
from scorer.match.summary import MatchSummary, read_summary, summarise_match, write_summary
from scorer.store.database import LOCK_TIMEOUT_S, MAX_ID, Database, insert_row, read_time
from scorer.store.errors import DamagedMatchError
from scorer.store.event_log import EventLog
from scorer.store.message_store import announce
from scorer.store.player_store import PlayerStore, count_players, rename_picture
from scorer.store.schema import (
    EVENTS,
    KEYS,
    MATCH_PLAYERS,
    MATCH_SUMMARIES,
    MATCHES,
    MIGRATIONS,
    PLAYERS,
    Migration,
    make_words,
)
from scorer.texts import strip_accents

#: Number of matches read at once to list all.
_BATCH = 500
#: A search counts up to this many matches as it finds them, so that 100,000 matches are searched
#: once, not twice.
_COUNTED = 3_000


#: Makes an entry's event from the log at the time of writing and the places of entries by their
#: keys; None if there is nothing to enter.
MakeEntry = Callable[[Sequence[Event], Mapping[str, int]], Event | None]
#: Makes the entries that follow from an observation, from the log at the time of writing.
MakeEntries = Callable[[Sequence[Event]], Sequence[Event]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedMatch:
    """A match in the database with its summary, or with its damage."""

    id: int
    created: str
    summary: MatchSummary | None = None
    damage: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundMatches:
    """A page of the matches found by a search.

    page, pages  this page's number, from 1, and the number of pages
    total        number of matches found
    """

    matches: tuple[ListedMatch, ...]
    page: int
    pages: int
    total: int


class Store:
    """A database of matches. All methods raise ``StoreError`` if the database fails."""

    def __init__(
        self,
        url: str,
        *,
        migrations: Sequence[Migration] = MIGRATIONS,
        lock_timeout_s: float = LOCK_TIMEOUT_S,
        announces: bool = False,
    ) -> None:
        """Open the database at a URL or a file's path, like ``Database``."""
        self.database = Database(
            url, migrations=migrations, lock_timeout_s=lock_timeout_s, announces=announces
        )
        self._events = EventLog(
            database=self.database,
            owner=EVENTS.c.match_id,
            kind=Phrase("Match"),
            missing=Phrase(
                "There is no match %(number)s. `crokinole match list` shows all matches."
            ),
            read=_read_event,
            write=_write_event,
            fold=fold,
        )

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

    def create(self, setup: MatchStarted, *, now: str, key: str | None = None) -> int:
        """The number of a new match. Raises ``MatchError`` if it cannot begin.

        key  starts one match: a repeated key returns that match's number
        """
        players = PlayerStore(self.database).spell(setup.players)
        return self.import_log([replace(setup, players=players)], now=now, key=key, begins=True)

    def import_log(
        self,
        log: Sequence[Event],
        *,
        now: str,
        times: Sequence[str] = (),
        key: str | None = None,
        begins: bool = False,
    ) -> int:
        """The number of a match created with a whole log. Raises ``MatchError``.

        times   the times of its events; ``now`` for all if none are given
        key     as for ``create``
        begins  whether it is played now, as its board's newest match; otherwise it is that only if
                it is not over, and its board is free
        """
        check_log_entry(log)
        state = fold(log)
        board, names = state.setup.at_board, state.setup.players
        times = times or (now,) * len(log)
        with self.database.write_transaction() as connection:
            key = None if key is None else f"begin {key}"  # a key that no entry can have
            begun = None if key is None else _find_begun(connection, key)
            if begun is not None:
                return begun
            there = None if begins else self._read_newest_state(connection, board)
            is_aside = not begins and (state.is_over or (there is not None and not there.is_over))
            came = 0 if is_aside else _next_place(connection)
            row = {"created": times[0], "board": board, "came": came}
            match_id = insert_row(connection, MATCHES, **row)
            self._events.add(connection, match_id, 0, log, times)
            seats = [{"match_id": match_id, "seat": k, "name": n} for k, n in enumerate(names)]
            connection.execute(insert(MATCH_PLAYERS), seats)
            count_players(connection, names, 1)
            if key is not None:
                _keep_key(connection, match_id, key, 0)
            self._keep_summary(connection, match_id, log, state)
            self._announce(connection, board, match_id, log[0])
        return match_id

    def append(self, match_id: int, new: Event, *, now: str) -> MatchState:
        """The state after storing ``new`` durably. Raises ``MatchError`` if it is impossible."""
        check_entry(new)
        with self.database.write_transaction() as connection:
            log, _ = self._events.load(connection, match_id)
            return self._enter(connection, match_id, log, new, now)

    def enter(self, match_id: int, make: MakeEntry, *, key: str, now: str) -> Event | None:
        """The event that was stored durably; None if ``key`` was entered before, or ``make``
        returned none.

        If ``make`` raises, nothing is stored. Raises ``MatchError`` like ``append``.
        """
        with self.database.write_transaction() as connection:
            log, _ = self._events.load(connection, match_id)
            keys = _read_keys(connection, match_id)
            new = None if key in keys else make(log, keys)
            if new is None:
                return None
            check_entry(new)
            self._enter(connection, match_id, log, new, now)
            _keep_key(connection, match_id, key, len(log))
        return new

    def has_key(self, match_id: int, key: str) -> bool:
        """Whether an entry of a match was made with a key."""
        with self.database.read_transaction() as connection:
            return key in _read_keys(connection, match_id)

    def record(
        self, match_id: int, make: MakeEntries, *, key: str, now: str
    ) -> tuple[Sequence[Event], MatchState]:
        """The result of ``make`` for the current log, stored durably, all or nothing; and the state
        after it. Stores nothing if ``key`` was entered before. Raises ``MatchError``.
        """
        with self.database.write_transaction() as connection:
            log, state = self._events.load(connection, match_id)
            new = () if key in _read_keys(connection, match_id) else tuple(make(log))
            if not new:
                return new, state
            state = fold((*log, *new))
            for event in new:
                check_entry(event)
                self._announce(connection, state.setup.at_board, match_id, event)
            self._events.add(connection, match_id, len(log), new, (now,) * len(new))
            self._keep_summary(connection, match_id, (*log, *new), state)
            _keep_key(connection, match_id, key, len(log))
        return new, state

    def rename_player(self, old: str, new: str) -> None:
        """Give a player another name in all matches and practices.

        A player who already has that name becomes the same player. Raises ``MatchError`` if both
        play in one match, or the name is not allowed.
        """
        with self.database.write_transaction() as connection:
            played = select(MATCH_PLAYERS.c.match_id).where(MATCH_PLAYERS.c.name == old)
            matches = connection.execute(played).scalars().all()
            for number in matches:
                (setup, *rest), _ = self._events.load(connection, number)
                assert isinstance(setup, MatchStarted)
                names = tuple(new if name == old else name for name in setup.players)
                setup = replace(setup, players=names)
                check_entry(setup)
                state = fold((setup, *rest))
                begun = update(EVENTS).where(EVENTS.c.match_id == number, EVENTS.c.number == 0)
                connection.execute(begun.values(body=_write_event(setup)))
                self._keep_summary(connection, number, (setup, *rest), state)
            seats = update(MATCH_PLAYERS).where(MATCH_PLAYERS.c.name == old)
            connection.execute(seats.values(name=new))
            # The check of practices takes longer to import than a match takes to be shown.
            from scorer.store.practice_store import rename_in_practices

            rename_in_practices(connection, old, new)
            connection.execute(delete(PLAYERS).where(PLAYERS.c.name == old))
            rename_picture(connection, old, new)
            count_players(connection, [new], len(matches))

    def log(self, match_id: int) -> tuple[Event, ...]:
        """All events of a match, in order."""
        with self.database.read_transaction() as connection:
            return self._events.load(connection, match_id)[0]

    def times(self, match_id: int) -> tuple[str, ...]:
        """The storage times of a match's events, in order; empty if there is no such match."""
        with self.database.read_transaction() as connection:
            return self._events.list_times(connection, match_id)

    def has(self, match_id: int) -> bool:
        """Whether there is a match with that number."""
        return self.board_of(match_id) is not None

    def created(self, match_id: int) -> str:
        """The creation time of a match; "" if there is none."""
        if not 0 < match_id <= MAX_ID:
            return ""
        query = select(MATCHES.c.created).where(MATCHES.c.id == match_id)
        return read_time(self.database.read_value(query))

    def newest(self) -> int | None:
        """The number of the match created last; None if there is none."""
        return self.database.read_value(select(func.max(MATCHES.c.id)))

    def recent_setups(self, most: int) -> tuple[MatchStarted, ...]:
        """The setups of the newest matches, the newest first, without damaged ones."""
        newest = select(MATCHES.c.id).order_by(MATCHES.c.id.desc()).limit(most).subquery()
        query = (
            select(EVENTS.c.body)
            .join(newest, newest.c.id == EVENTS.c.match_id)
            .where(EVENTS.c.number == 0)
            .order_by(EVENTS.c.match_id.desc())
        )
        setups = (_read_setup(row.body) for row in self.database.read_rows(query))
        return tuple(setup for setup in setups if setup is not None)

    def count(self, *, until: int = MAX_ID) -> int:
        """The number of matches up to a given one."""
        with self.database.read_transaction() as connection:
            return _count(connection, [MATCHES.c.id <= until])

    def search(self, words: Sequence[str], *, page: int, size: int) -> FoundMatches:
        """A page of the matches that contain every word in their names, number or date, without
        regard to capitals and accents.

        The newest come first. A page number past the end gives the last page.
        """
        found = [_has_word(strip_accents(word)) for word in words]
        query = select(MATCHES.c.id).where(*found).order_by(MATCHES.c.id.desc())
        with self.database.read_transaction() as connection:
            # For a rare word all matches are searched once; a frequent word is soon found.
            numbers = connection.execute(query.limit(_COUNTED + 1)).scalars().all()
            is_all = len(numbers) <= _COUNTED
            total = len(numbers) if is_all else _count(connection, found)
            pages = max(1, -(-total // size))
            page = min(max(page, 1), pages)
            skipped = size * (page - 1)
            if is_all:
                shown = numbers[skipped : skipped + size]
            else:
                shown = connection.execute(query.offset(skipped).limit(size)).scalars().all()
            listed = self._list(connection, shown)
        return FoundMatches(matches=listed[::-1], page=page, pages=pages, total=total)

    def list_after(self, match_id: int, most: int) -> tuple[ListedMatch, ...]:
        """The matches created after a given one, the oldest first."""
        query = select(MATCHES.c.id).where(MATCHES.c.id > match_id).order_by(MATCHES.c.id)
        return self._list_query(query.limit(most))

    def list_of(self, player: str) -> tuple[ListedMatch, ...]:
        """The matches of a player, the newest last."""
        return self._list_query(
            select(MATCH_PLAYERS.c.match_id).where(MATCH_PLAYERS.c.name == player)
        )

    def list_states(self) -> Iterator[ListedMatch]:
        """All matches with their states, the newest last; a damaged one does not affect others."""
        last = 0
        while batch := self.list_after(last, _BATCH):
            yield from batch
            last = batch[-1].id

    def newest_sound(self, board: int = 1) -> int | None:
        """The number of a board's newest match; None if that match is damaged, or there is none.

        An older match does not replace a damaged one, because entries would then go into the wrong
        match.
        """
        found = self.read_newest(board)
        return None if found is None else found[0]

    def read_newest(self, board: int) -> tuple[int, tuple[Event, ...], tuple[str, ...]] | None:
        """The number of ``newest_sound``, with its events and their storage times."""
        with self.database.read_transaction() as connection:
            newest = _find_newest(connection, board)
            if newest is None:
                return None
            try:
                log, _ = self._events.load(connection, newest)
            except DamagedMatchError:
                return None
            return newest, log, self._events.list_times(connection, newest)[: len(log)]

    def find_newest_log(self, board: int = 1) -> tuple[int, int] | None:
        """A board's newest match, and the number of its events; None if there is none."""
        with self.database.read_transaction() as connection:
            newest = _find_newest(connection, board)
            count = select(func.count()).where(EVENTS.c.match_id == newest)
            return None if newest is None else (newest, connection.execute(count).scalar_one())

    def board_of(self, match_id: int) -> int | None:
        """The number of the board where a match is played; None if there is no such match."""
        if not 0 < match_id <= MAX_ID:
            return None
        query = select(MATCHES.c.board).where(MATCHES.c.id == match_id)
        return self.database.read_value(query)

    def _enter(
        self,
        connection: Connection,
        match_id: int,
        log: Sequence[Event],
        new: Event,
        now: str,
    ) -> MatchState:
        """The state after adding ``new`` to a log; updates everything that depends on it."""
        state = enter_event(log, new)
        self._events.add(connection, match_id, len(log), (new,), (now,))
        self._keep_summary(connection, match_id, (*log, new), state)
        board = self._leave_board(connection, match_id, state, new)
        self._announce(connection, board, match_id, new)
        return state

    def _announce(self, connection: Connection, board: int, match_id: int, new: Event) -> None:
        content = {"kind": "match", "match": match_id, "event": event_json(new)}
        announce(self.database, connection, content, board)

    def _leave_board(
        self, connection: Connection, match_id: int, state: MatchState, new: Event
    ) -> int:
        """The board of the match before ``new``; its row is updated to the new board.

        Raises ``MatchError`` if the match at the other board is not over.
        """
        if not isinstance(new, MatchMoved | Undone):
            return state.setup.at_board
        row = MATCHES.c.id == match_id
        board = int(connection.execute(select(MATCHES.c.board).where(row)).scalar_one())
        now = state.setup.at_board
        if board != now:
            if (there := self._read_newest_state(connection, now)) is not None:
                check_board_is_free(there, now)
            came = _next_place(connection)
            connection.execute(update(MATCHES).where(row).values(board=now, came=came))
        return board

    def _read_newest_state(self, connection: Connection, board: int) -> MatchState | None:
        """The state of a board's newest match; None if that match is damaged, or there is none."""
        newest = _find_newest(connection, board)
        with suppress(DamagedMatchError):
            return None if newest is None else self._events.load(connection, newest)[1]
        return None

    def _keep_summary(
        self, connection: Connection, match_id: int, log: Sequence[Event], state: MatchState
    ) -> None:
        """Store the summary of a match, and its text for searches, after its log in its present
        form.
        """
        bodies = self._events.list_bodies(connection, [match_id])[match_id]
        body = write_summary(summarise_match(log, state))
        row = {"crc": _checksum(bodies.values()), "body": body}
        is_kept = MATCH_SUMMARIES.c.match_id == match_id
        if not connection.execute(update(MATCH_SUMMARIES).where(is_kept).values(**row)).rowcount:
            connection.execute(insert(MATCH_SUMMARIES), [{"match_id": match_id, **row}])
        is_match, names = MATCHES.c.id == match_id, (*state.setup.players, *state.setup.teams)
        created = connection.execute(select(MATCHES.c.created).where(is_match)).scalar_one()
        is_other = MATCHES.c.words != (words := make_words(names, read_time(created)))
        connection.execute(update(MATCHES).where(is_match, is_other).values(words=words))

    def _list_query(self, query: Select[Any]) -> tuple[ListedMatch, ...]:
        with self.database.read_transaction() as connection:
            return self._list(connection, connection.execute(query).scalars().all())

    def _list(self, connection: Connection, numbers: Sequence[int]) -> tuple[ListedMatch, ...]:
        """Matches by number, the newest last, from their stored summaries or otherwise from their
        logs.
        """
        kept = (
            select(MATCHES.c.id, MATCHES.c.created, MATCH_SUMMARIES.c.crc, MATCH_SUMMARIES.c.body)
            .outerjoin(MATCH_SUMMARIES, MATCH_SUMMARIES.c.match_id == MATCHES.c.id)
            .order_by(MATCHES.c.id)
        )
        listed, numbers = [], sorted(numbers)
        for first in range(0, len(numbers), _BATCH):
            some = numbers[first : first + _BATCH]
            rows = connection.execute(kept.where(MATCHES.c.id.in_(some))).all()
            logs = self._events.list_bodies(connection, some)
            listed += [self._list_one(row, logs.get(row.id, {})) for row in rows]
        return tuple(listed)

    def _list_one(self, row: Any, bodies: dict[int, str]) -> ListedMatch:
        listed = ListedMatch(id=row.id, created=read_time(row.created))
        summary = read_summary(row.body) if row.crc == _checksum(bodies.values()) else None
        if summary is not None:
            return replace(listed, summary=summary)
        try:
            log, state = self._events.parse(row.id, bodies)
        except DamagedMatchError as error:
            return replace(listed, damage=str(error))
        return replace(listed, summary=summarise_match(log, state))


def _has_word(word: str) -> ColumnElement[bool]:
    """Whether a match has a word, without capitals and accents, in its names, its date or its
    number.
    """
    found = MATCHES.c.words.contains(word, autoescape=True)
    return found | cast(MATCHES.c.id, String).contains(word) if word.isdecimal() else found


def _count(connection: Connection, found: Sequence[ColumnElement[bool]]) -> int:
    return connection.execute(select(func.count(MATCHES.c.id)).where(*found)).scalar_one()


def _checksum(bodies: Iterable[Any]) -> int:
    return zlib.crc32("\n".join(map(str, bodies)).encode(errors="surrogateescape"))


def _find_newest(connection: Connection, board: int) -> int | None:
    """The number of the match that came last to a board."""
    has_events = select(EVENTS.c.number).where(EVENTS.c.match_id == MATCHES.c.id).exists()
    query = select(MATCHES.c.id).where(MATCHES.c.board == board, has_events)
    newest_first = query.order_by(MATCHES.c.came.desc(), MATCHES.c.id.desc())
    return connection.execute(newest_first.limit(1)).scalar()


def _next_place(connection: Connection) -> int:
    """The next number in the order in which matches come to boards."""
    return int(connection.execute(select(func.max(MATCHES.c.came))).scalar() or 0) + 1


def _find_begun(connection: Connection, key: str) -> int | None:
    """The match that was started with a key."""
    query = select(KEYS.c.match_id).where(KEYS.c.key == key, KEYS.c.number == 0)
    return connection.execute(query).scalar()


def _read_keys(connection: Connection, match_id: int) -> dict[str, int]:
    """The places of a match's entries, by key."""
    query = select(KEYS.c.key, KEYS.c.number).where(KEYS.c.match_id == match_id)
    return {row.key: row.number for row in connection.execute(query)}


def _keep_key(connection: Connection, match_id: int, key: str, number: int) -> None:
    """Store the key of the entry at a place of a log."""
    connection.execute(insert(KEYS), [{"match_id": match_id, "key": key, "number": number}])


def _read_setup(body: Any) -> MatchStarted | None:
    """The setup in a row; None if it is damaged or cannot be played."""
    try:
        setup = _read_event(body)
        fold([setup])
    except (ValueError, TypeError, RecursionError):
        return None
    return setup if isinstance(setup, MatchStarted) else None


def _read_event(body: str) -> Event:
    return event_from_json(load_json(body))


def _write_event(event: Event) -> str:
    return store_json(event_json(event))
