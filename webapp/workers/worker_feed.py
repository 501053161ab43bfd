"""What workers see, published by a server: it follows their messages, and says where none is left.

A camera whose lease stands still is said to be refereed by nobody, until a worker goes on.
"""

from __future__ import annotations

from collections.abc import Iterable
from threading import Event, Thread
from time import monotonic

from scorer.match.events import event_from_json
from scorer.store import Store, StoreError
from scorer.store.camera_store import LEASE_S, CameraStore, WatchedCamera
from scorer.store.message_store import BoardMessage, MessageStore
from webapp.boards.live_boards import LiveBoards
from webapp.http.logs import LOG
from webapp.runtime.live_state import Status, make_starting_state, mark_stopped

_PERIOD_S = 1.0
#: Longer than a lease, so that another worker is given the time to take over.
_SILENCE_S = LEASE_S + 2.0
_GONE = "No worker referees this board."
_ADVICE = "Start one with `crokinole worker`; it goes on by itself."


class WorkerFeed:
    """Follows the workers of a database for one server, in a thread of its own."""

    def __init__(self, store: Store, boards: LiveBoards) -> None:
        """It follows from ``start`` on."""
        self._cameras, self._messages = CameraStore(store.database), MessageStore(store.database)
        self._boards, self._stop = boards, Event()
        self._seen: dict[int, tuple[str | None, int, int, float]] = {}
        self._told: set[int] = set()
        self._last: int | None = None
        self._thread = Thread(target=self._run, name="workers", daemon=True)

    def start(self) -> None:
        """Follow from now on."""
        self._thread.start()

    def close(self) -> None:
        """Follow no more."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        self._messages.close()

    def step(self, wait_s: float = 0.0) -> None:
        """Publish what has come. Raises ``StoreError``."""
        if self._last is None:
            self._last = self._recall()
        if wait_s:
            self._messages.wait(wait_s, self._stop)
        for message in self._messages.read_after(self._last):
            self._publish(message)
            self._last = message.number
        self._tell_silence(self._cameras.list_cameras())

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self.step(_PERIOD_S)
            except StoreError as error:
                LOG.warning("workers are not heard", extra={"what": str(error)})
                self._stop.wait(_PERIOD_S)

    def _recall(self) -> int:
        """How each refereed board stood before this server ran; the newest message's number."""
        watched = {each.board for each in self._cameras.list_cameras()}
        messages = self._messages.read_after(0)
        newest = {each.board: each for each in messages if each.content["kind"] == "live"}
        for board, message in newest.items():
            if board in watched:
                self._boards.get(board).scoreboard.publish_live(None, message.content["live"])
        return messages[-1].number if messages else self._messages.find_newest()

    def _publish(self, message: BoardMessage) -> None:
        board, content = self._boards.get(message.board).scoreboard, message.content
        self._told.discard(message.board)
        if content["kind"] == "live":
            board.publish_live(content["event"], content["live"])
        elif content["kind"] == "match":
            board.announce(int(content["match"]), event_from_json(content["event"]))

    def _tell_silence(self, cameras: Iterable[WatchedCamera]) -> None:
        now_s = monotonic()
        for each in cameras:
            state = (each.worker, each.beat, each.revision)
            seen = self._seen.get(each.board)
            if seen is None or seen[:3] != state:
                self._seen[each.board] = (*state, now_s)
                continue
            if now_s - seen[3] >= _SILENCE_S and each.board not in self._told:
                self._told.add(each.board)
                out = mark_stopped(
                    make_starting_state(each.source), Status.NOT_REFEREEING, _GONE, _ADVICE
                )
                event = {"type": "referee", "status": "not_refereeing", "reason": _GONE}
                self._boards.get(each.board).scoreboard.publish_live(event, out)
