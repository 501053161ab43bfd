"""The state of a board for its viewers: its newest match, and its referee's view.

Every change is published to the event broker, a match's only after it is stored, so a crash cannot
undo a displayed score.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from threading import RLock

from scorer.board_names import default_name
from scorer.match.events import Event, MatchMoved, MatchStarted, Undone, event_json
from scorer.match.state import MatchState
from scorer.store import MakeEntries, MakeEntry, Store
from scorer.store.board_store import NamedBoard
from scorer.store.player_store import PlayerStore
from webapp.http.event_broker import EventBroker
from webapp.live.live_state import (
    LiveState,
    Status,
    drop_ended_board,
    drop_past_verdict,
    room_state,
)
from webapp.live.match_summary import Match, summarise_match
from webapp.live.pairings import BoardPairing
from webapp.live.spoken_calls import Call, call_live_event, call_match_event, say_partners

#: An event of the referee's, of a match or of a tournament, as JSON.
Published = dict[str, object]
_FIRST = NamedBoard(number=1, name=default_name(1))


@dataclass(frozen=True, slots=True, kw_only=True)
class RefereeStanding:
    """The state of the referee itself."""

    status: Status
    reason: str | None
    advice: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Everything on a scoreboard, and the state of the referee itself.

    For a match scored by hand, ``live`` is off if the referee sees nothing. ``pairing`` is a
    tournament's next match at this board, ``playing`` the current one. ``pictures`` holds the keys
    of the players' pictures, by name.
    """

    board: NamedBoard
    match: Match | None
    pairing: BoardPairing | None
    playing: BoardPairing | None
    live: LiveState
    referee: RefereeStanding
    call: Call | None
    now: str
    pictures: dict[str, str]


class Scoreboard:
    """A board's newest match and its referee's state; every change is published."""

    def __init__(
        self,
        store: Store,
        broker: EventBroker,
        board: NamedBoard = _FIRST,
        *,
        find_pairing: Callable[[], BoardPairing | None] = lambda: None,
        on_change: Callable[[State], None] = lambda _state: None,
        on_match: Callable[[Match], None] = lambda _match: None,
        share_live: Callable[[Published | None, LiveState], None] = lambda _event, _live: None,
        on_move: Callable[[int, Event], object] = lambda _match, _event: None,
    ) -> None:
        """The state at the server's start.

        find_pairing  finds the tournament's match to be played here
        on_change     called with every new state; on_match: called with a match that has changed
        share_live    sends this server's referee observations to other servers
        on_move       called with an event after which its match may be at another board
        """
        self._on_move = on_move
        self._board, self._find_pairing = board, find_pairing
        self._on_change, self._on_match, self._share_live = on_change, on_match, share_live
        self._event_listeners: list[Callable[[Published], None]] = []
        self._store, self._broker, self._lock = store, broker, RLock()
        self._live = LiveState()
        self._match: Match | None = None
        self._pictures: dict[str, str] = {}
        self._call: Call | None = None
        self._asked_shot: str | None = None
        self.refresh()

    @property
    def state(self) -> State:
        """The state of the board; ``live`` without parts of a finished round or match."""
        live, match = self._live, self._match
        pairing = self._find_pairing()
        has_begun = (
            pairing is not None
            and match is not None
            and match.tournament == (pairing.tournament, pairing.match)
        )
        return State(
            board=self._board,
            match=match,
            pairing=None if has_begun else pairing,
            playing=pairing if has_begun else None,
            live=drop_past_verdict(drop_ended_board(room_state(live, match), match), match),
            referee=RefereeStanding(status=live.status, reason=live.reason, advice=live.advice),
            call=self._call,
            now=now(),
            pictures=self._pictures,
        )

    @property
    def board(self) -> int:
        """The board's number."""
        return self._board.number

    def add_listener(self, listener: Callable[[Published], None]) -> None:
        """Also call this function with every event from now on; it must return at once."""
        self._event_listeners.append(listener)

    def match_id(self) -> int | None:
        """The number of the board's newest match; None if there is none, or it is damaged."""
        return self._store.newest_sound(self._board.number)

    def begin(self, setup: MatchStarted, key: str | None = None) -> int:
        """The number of a new match at this board, which is published. Raises ``MatchError``.

        key  of the match; a repeated key begins nothing
        """
        setup = replace(setup, at_board=self._board.number)
        with self._lock:
            newest = self._store.newest() or 0
            number = self._store.create(setup, now=now(), key=key)
            if number > newest:  # a repeated key begins nothing
                self.announce(number, setup)
        return number

    def take_in(
        self, log: Sequence[Event], times: Sequence[str] = (), key: str | None = None
    ) -> int:
        """The number of an imported match, with its times. Raises ``MatchError``.

        key  as for ``begin``
        """
        with self._lock:
            newest = self._store.newest() or 0
            number = self._store.import_log(log, now=now(), times=times, key=key)
            if number > newest:
                self.announce(number, log[0])
        return number

    def append(self, match_id: int, event: Event) -> None:
        """Store an event, and publish it. Raises ``MatchError``."""
        self.enter(match_id, lambda *_: event)

    def record(self, match_id: int, make: MakeEntries) -> tuple[Sequence[Event], MatchState]:
        """Store all entries from one observation at once; returns the state after it.

        Raises ``MatchError``.
        """
        with self._lock:
            key = secrets.token_hex(8)
            entered, state = self._store.record(match_id, make, key=key, now=now())
            for event in entered:
                self.announce(match_id, event)
        return entered, state

    def enter(self, match_id: int, make: MakeEntry, key: str | None = None) -> None:
        """Store the event that ``make`` returns for the log, and publish it; a key enters once.

        Raises ``MatchError``, and the errors of ``make``.
        """
        with self._lock:
            key = key or secrets.token_hex(8)
            event = self._store.enter(match_id, make, key=key, now=now())
            if event is not None:
                self.announce(match_id, event)

    def publish_live(self, event: Published | None, live: LiveState) -> None:
        """Publish the referee's observation, and its state after it."""
        self.announce_live(event, live)
        self._share_live(event, live)

    def announce_live(self, event: Published | None, live: LiveState) -> None:
        """Publish an observation of a referee in another process, and its state after it."""
        with self._lock:
            self._live = live
            if event is not None:
                call = call_live_event(event, room_state(live, self._match), self._match)
                self._make_call(call)
                if call is not None and call.kind == "question" and live.verdict is not None:
                    self._asked_shot = live.verdict.shot
            self._publish(event)

    def publish_aside(self, event: Published) -> None:
        """Publish events from elsewhere, and the current state, to the viewers."""
        with self._lock:
            self._broker.publish(event, self.state)
            self._on_change(self.state)

    def rename(self, name: str) -> None:
        """Give the board another name, and publish it."""
        with self._lock:
            if name != self._board.name:
                self._board = replace(self._board, name=name)
                self._publish(None)

    def publish_practice(self, number: int) -> None:
        """Publish that a practice has changed, so its page reloads it."""
        self.publish_aside({"type": "practice", "practice": number})

    def refresh(self) -> None:
        """Read the match again, and publish the state."""
        with self._lock:
            self._match = self._read()
            self._publish(None)

    def announce(self, match_id: int, event: Event) -> None:
        """Publish an event of a match that is in the store, whichever process stored it."""
        with self._lock:
            self._match = self._read()
            if self._match is not None and self._match.id == match_id:
                self._on_match(self._match)
                self._make_call(call_match_event(event, self._match, self._asked_shot))
            if isinstance(event, MatchMoved | Undone):
                self._on_move(match_id, event)
            self._publish({"type": "match", "match": event_json(event)})

    def _make_call(self, call: Call | None) -> None:
        """Keep a call under a unique name, so that no page speaks it twice."""
        if call is not None:
            spoken = say_partners(call.spoken)
            self._call = replace(call, id=secrets.token_hex(6), at=now(), spoken=spoken)
            self._asked_shot = None

    def _publish(self, event: Published | None) -> None:
        state = self.state
        self._broker.publish(event, state)
        self._on_change(state)
        if event is not None:
            for listener in self._event_listeners:
                listener(event)

    def _read(self) -> Match | None:
        newest = self._store.read_newest(self._board.number)
        if newest is None:
            return None
        match = summarise_match(*newest)
        self._pictures = PlayerStore(self._store.database).find_pictures(match.players)
        return match


def now() -> str:
    """The time of day in the store's form."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
