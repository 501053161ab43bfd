"""All boards of a running server, and the room's stream: one row per board for the wall.

Events of a match are published to viewers of its board, and the board's row to viewers of all
boards. A match that is moved to another board is published there from then on. A tournament's
changes are published to all viewers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from threading import RLock

from calibration.json_text import to_plain
from calibration.phrase import Phrase
from scorer.board_names import default_name
from scorer.match.events import Event, MatchError, MatchMoved, MatchStarted
from scorer.match.fold import enter_event, fold
from scorer.store import Store, StoreError
from scorer.store.board_store import BoardStore, NamedBoard
from scorer.store.message_store import MessageStore
from scorer.store.practice_store import PracticeStore
from scorer.store.tournament_store import TournamentStore
from scorer.tournament.boards import assign_free_boards
from scorer.tournament.events import TournamentError, TournamentEvent
from scorer.tournament.fold import apply_events
from scorer.tournament.state import TournamentState
from webapp.http.event_broker import EventBroker
from webapp.http.logs import LOG
from webapp.live.board_row import BoardRow, build_board_row
from webapp.live.clip_store import ClipStore
from webapp.live.live_board import LiveBoard
from webapp.live.live_state import LiveState
from webapp.live.match_recorder import MatchRecorder
from webapp.live.match_summary import Match
from webapp.live.message_sender import MessageSender
from webapp.live.pairings import BoardPairing, find_move, find_pairings, find_result
from webapp.live.practice_recorder import PracticeRecorder
from webapp.live.scoreboard import Published, Scoreboard, State, now
from webapp.live.supervisor import RefereeSupervisor

#: The default board, which always exists.
FIRST_BOARD = 1

MakeSupervisor = Callable[[int, MatchRecorder], RefereeSupervisor]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomState:
    """All boards, in the order of their numbers."""

    boards: tuple[BoardRow, ...]
    now: str


class LiveBoards:
    """The boards; all threads may use them. ``room`` publishes the rows of all.

    names  of all boards, by their numbers
    """

    def __init__(
        self,
        store: Store,
        tournaments: TournamentStore,
        practices: PracticeStore,
        shots: ClipStore,
        make_supervisor: MakeSupervisor = lambda _number, recorder: RefereeSupervisor(recorder),
    ) -> None:
        """All boards in their state at the server's start.

        make_supervisor  made from a board's number and its recorder
        """
        self._make_supervisor = make_supervisor
        self._store, self._tournaments, self._shots = store, tournaments, shots
        self._practices = practices
        self._named, self._is_shared = BoardStore(store.database), store.database.announces
        self._sender = MessageSender(MessageStore(store.database))
        self._event_listeners: list[Callable[[Published], None]] = []
        self._making, self._row_lock = RLock(), RLock()
        self._boards: dict[int, LiveBoard] = {}
        self._rows: dict[int, BoardRow] = {}
        self._pairings: dict[int, dict[int, BoardPairing]] = {}
        self.names: tuple[NamedBoard, ...] = ()
        self._reporter = ThreadPoolExecutor(max_workers=1, thread_name_prefix="results")
        self.room = EventBroker()
        self._read_pairings()
        self.reload_names()

    @property
    def are_several(self) -> bool:
        """Whether there is more than one."""
        return len(self.names) > 1

    @property
    def state(self) -> RoomState:
        """The wall: the rows of all boards."""
        with self._row_lock:
            rows = [self._rows[name.number] for name in self.names if name.number in self._rows]
        return RoomState(boards=tuple(rows), now=now())

    def all(self) -> list[LiveBoard]:
        """The boards by their numbers."""
        return [self.get(name.number) for name in self.names]

    def has(self, number: int) -> bool:
        """Whether there is a board of that number."""
        return any(name.number == number for name in self.names)

    def get(self, number: int) -> LiveBoard:
        """The board with this number, even a removed one that has matches."""
        with self._making:
            if number not in self._boards:
                self._boards[number] = self._make(number)
            return self._boards[number]

    def first(self) -> LiveBoard:
        """The board used if none is named."""
        return self.get(FIRST_BOARD)

    def of_match(self, match_id: int) -> LiveBoard:
        """The board of a match."""
        return self.get(self._store.board_of(match_id) or FIRST_BOARD)

    def take_in(
        self,
        log: Sequence[Event],
        times: Sequence[str] = (),
        *,
        board: int | None = None,
        key: str | None = None,
    ) -> int:
        """The number of an imported match. Raises ``MatchError``.

        key    of the import; a repeated key imports nothing
        board  its board, whatever its log says; None for the log's board
        """
        if board is None:
            places = [
                event.at_board for event in log if isinstance(event, MatchStarted | MatchMoved)
            ]
            board = places[-1] if places and self.has(places[-1]) else FIRST_BOARD
        placed = [_place_at(board, event) for event in log]
        return self.get(board).scoreboard.take_in(placed, times, key)

    def move_match(self, match_id: int, number: int, key: str | None = None) -> None:
        """Move a match to another board, in its tournament too. Raises ``MatchError``.

        Raises ``TournamentError`` if its tournament plays another match there.

        key  of the entry; a repeated key enters nothing
        """
        if key is not None and self._store.has_key(match_id, key):
            return
        if not self.has(number):
            raise MatchError(
                Phrase("There is no board %(number)s. Boards are numbered from 1.", number=number)
            )
        moved = MatchMoved(at_board=number)
        after = enter_event(self._store.log(match_id), moved)
        if after.setup.tournament and self._tournaments.has(after.setup.tournament[0]):
            state = self._tournaments.read(after.setup.tournament[0]).state
            event = None if state is None else find_move(after, state)
            if state is not None and event is not None:
                apply_events(state, [event])
        self.of_match(match_id).scoreboard.enter(match_id, lambda *_: moved, key)
        self.get(number).scoreboard.refresh()
        if after.setup.tournament:
            self._report(match_id)

    def find_begun(self, tournament: int, number: int) -> int | None:
        """The unfinished match at a board that was started for a tournament's match; or None."""
        for board in self.all():
            match = board.scoreboard.state.match
            if match and match.tournament == (tournament, number) and not match.is_over:
                return match.id
        return None

    def add_listener(self, listener: Callable[[Published], None]) -> None:
        """Call this function with every board's events from now on; it must return at once."""
        self._event_listeners.append(listener)

    def add_board(self, name: str) -> NamedBoard:
        """A new board. Raises ``MatchError``."""
        added = self._named.add(name)
        self.reload_names()
        return added

    def rename_board(self, number: int, name: str) -> None:
        """Give a board another name. Raises ``MatchError``."""
        self._named.rename(number, name)
        self.reload_names()

    def remove_board(self, number: int) -> None:
        """Remove a board; its matches stay. Raises ``MatchError``."""
        self._named.remove(number)
        self.get(number).supervisor.stop()
        self.reload_names()

    def provide(self, names: Sequence[str]) -> None:
        """Make sure that boards 1, 2, … exist, for a tournament played at them."""
        if len(names) > 1:
            self._named.provide(names)
            self.reload_names()

    def publish_tournament(self, number: int) -> None:
        """Publish that a tournament has changed, so pages reload it."""
        pairings = find_pairings(self._tournaments.read(number))
        known = self._pairings.get(number, {})
        self._pairings = self._pairings | {number: pairings}
        for at_board, pairing in pairings.items():
            before = known.get(at_board)
            if not before or (before.match, before.sides) != (pairing.match, pairing.sides):
                self._announce(at_board, {"type": "pairing", **to_plain(pairing)})
        event = {"type": "tournament", "tournament": number}
        for board in self.all():
            board.scoreboard.publish_aside(event)
        self.room.publish(event, self.state)

    def publish_practice(self, number: int) -> None:
        """Publish that a practice has changed, so its page reloads it."""
        for board in self.all():
            board.scoreboard.publish_practice(number)

    def reload(self) -> None:
        """Read everything that another process may have written, and publish it."""
        self._read_pairings()
        self.reload_names()
        for board in list(self._boards.values()):
            board.scoreboard.refresh()

    def reload_names(self) -> None:
        """Read the list of boards again, and publish it."""
        self.names = self._named.list_boards()
        for name in self.names:
            self.get(name.number).scoreboard.rename(name.name)
        self.room.publish(None, self.state)

    def close(self) -> None:
        """End the referees, and disconnect all listeners."""
        self.room.close()
        for board in list(self._boards.values()):
            board.close()
        self._reporter.shutdown()
        self._sender.close()

    def close_streams(self) -> None:
        """Disconnect all listeners; they return in the next run."""
        self.room.close()
        for board in list(self._boards.values()):
            board.broker.close()

    @property
    def listeners(self) -> int:
        """Number of viewers of all boards together."""
        boards = list(self._boards.values())
        return self.room.listeners + sum(board.broker.listeners for board in boards)

    def find_broker(self, wanted: str) -> EventBroker | None:
        """The stream of a board by its number as text, ``all`` for the room's; None for any other
        name.
        """
        if wanted == "all":
            return self.room
        if not wanted:
            return self.first().broker
        is_number = wanted.isascii() and wanted.isdigit() and len(wanted) < 6
        return self.get(int(wanted)).broker if is_number and self.has(int(wanted)) else None

    def _read_pairings(self) -> None:
        stored = self._tournaments.list_tournaments()
        self._pairings = {tournament.id: find_pairings(tournament) for tournament in stored}

    def _make(self, number: int) -> LiveBoard:
        name = next((board.name for board in self.names if board.number == number), "")
        broker = EventBroker()
        scoreboard = Scoreboard(
            self._store,
            broker,
            NamedBoard(number=number, name=name or default_name(number)),
            find_pairing=lambda: self._find_pairing(number),
            on_change=lambda state: self._take_row(number, state),
            on_match=self._on_match,
            share_live=partial(self._share_live, number),
            on_move=lambda match_id, event: self._reporter.submit(
                self._report_move, number, match_id, event
            ),
        )
        scoreboard.add_listener(lambda event: self._announce(number, event))
        practice = PracticeRecorder(scoreboard, self._practices)
        recorder = MatchRecorder(scoreboard, self._store, self._shots, practice)
        return LiveBoard(
            number=number,
            broker=broker,
            scoreboard=scoreboard,
            recorder=recorder,
            practice=practice,
            supervisor=self._make_supervisor(number, recorder),
        )

    def _share_live(self, number: int, event: Published | None, live: LiveState) -> None:
        """Send this server's referee observations to other servers."""
        if self._is_shared:
            self._sender.post(number, {"kind": "live", "event": event, "live": to_plain(live)})

    def _announce(self, number: int, event: Published) -> None:
        for listener in self._event_listeners:
            listener(event | {"at_board": number})

    def _find_pairing(self, number: int) -> BoardPairing | None:
        """The newest tournament's match at a board."""
        newest_first = sorted(self._pairings.items(), reverse=True)
        return next((boards[number] for _, boards in newest_first if number in boards), None)

    def _take_row(self, number: int, state: State) -> None:
        row = build_board_row(state)
        with self._row_lock:
            if self._rows.get(number) == row:
                return
            self._rows[number] = row
            self.room.publish(None, self.state)

    def _on_match(self, match: Match) -> None:
        """Report a match that is over to its tournament, soon and in order."""
        if match.tournament and match.is_over:
            self._reporter.submit(self._report, match.id)

    def _report_move(self, number: int, match_id: int, event: Event) -> None:
        """Publish a move at the other board and to the tournament.

        This is done later, because boards hold locks.
        """
        board = self._store.board_of(match_id)
        if board is None or board == number:
            return
        self.get(board).scoreboard.announce(match_id, event)
        if fold(self._store.log(match_id)).setup.tournament:
            self._report(match_id)

    def _report(self, match_id: int) -> None:
        try:
            played = fold(self._store.log(match_id))
            number = played.setup.tournament[0]
            if not self._tournaments.has(number):
                return

            def follow(state: TournamentState) -> Sequence[TournamentEvent]:
                change = find_result(played, state) or find_move(played, state)
                return () if change is None else free_boards(state, [change])

            self._tournaments.append(number, follow, now=now())
            self.publish_tournament(number)
        except (TournamentError, StoreError) as error:
            LOG.warning("result not reported", extra={"what": f"match {match_id}: {error}"})


def _place_at(board: int, event: Event) -> Event:
    """An event of another database's match, changed to a board of this one."""
    # the tournament's number belongs to another tournament here
    if isinstance(event, MatchStarted):
        return replace(event, at_board=board, tournament=())
    return replace(event, at_board=board) if isinstance(event, MatchMoved) else event


def free_boards(
    state: TournamentState, events: Iterable[TournamentEvent]
) -> Sequence[TournamentEvent]:
    """Events after which boards may be free, and the matches that get them."""
    known = list(events)
    return [*known, *assign_free_boards(apply_events(state, known))]
