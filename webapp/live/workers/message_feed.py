"""Messages of workers and other servers of the same database, published by a server.

Messages are read once, in order. If the database was unavailable for so long that messages are
gone, everything is read again. A server's own messages are skipped, because it has published them
already. A camera whose lease is not renewed is shown as not refereed until a worker continues.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import inf
from threading import Event, Thread
from time import monotonic

from calibration.json_text import from_plain
from calibration.phrase import Phrase
from scorer.match.events import event_from_json
from scorer.store import Store, StoreError
from scorer.store.camera_store import LEASE_S, CameraStore, WatchedCamera
from scorer.store.message_store import BoardMessage, MessageStore
from vision.io.sources import name_source
from webapp.http.logs import LOG
from webapp.live.live_boards import LiveBoards
from webapp.live.live_state import LiveState, Status, mark_stopped
from webapp.live.scoreboard import Published

_PERIOD_S = 1.0
#: Longer than a lease, so that another worker has time to take over.
_SILENCE_S = LEASE_S + 2.0
_GONE = Phrase("No program is refereeing this board.")
_ADVICE = Phrase("Start one with `crokinole worker`. Refereeing then resumes automatically.")
#: A person's commands for a board's camera; the latest decides which server has the board.
_TAKEN = frozenset({str(Status.STARTING), str(Status.PAUSED), str(Status.OFF)})


class MessageFeed:
    """Follows a database for one server, in its own thread."""

    def __init__(
        self, store: Store, boards: LiveBoards, *, on_files: Iterable[Callable[[], None]] = ()
    ) -> None:
        """It follows after ``start``.

        on_files  are called when another server changed the data folder's secrets or webhooks
        """
        self._cameras, self._messages = CameraStore(store.database), MessageStore(store.database)
        self._boards, self._on_files, self._stop = boards, on_files, Event()
        self._has_servers, self._has_locks = store.database.announces, store.database.is_postgresql
        self._seen: dict[int, tuple[str | None, int, int, float]] = {}
        self._told: set[int] = set()
        self._looked_s = -inf
        self._last: int | None = None
        self._thread = Thread(target=self._run, name="messages", daemon=True)

    @property
    def is_speaker(self) -> bool:
        """Whether this is the one server that informs other programs about the hall."""
        return not self._has_locks or self._messages.has_lock

    def start(self) -> None:
        """Start to follow."""
        self._thread.start()

    def close(self) -> None:
        """Stop following."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        self._messages.close()

    def step(self, wait_s: float = 0.0) -> None:
        """Publish the new messages. Raises ``StoreError``."""
        if self._last is None:
            self._last = self._recall()
        if wait_s:
            self._messages.wait(wait_s, self._stop)
        if self._has_locks:
            self._messages.try_lock()
        messages = self._messages.read_after(self._last)
        first = messages[0].number if messages else self._last
        if first > self._last + 1 and self._messages.find_oldest() >= first:
            self._last = self._recall()  # some messages may have been deleted before they were read
            return
        for message in messages:
            if not message.is_own:
                self._publish(message)
            self._last = message.number
        if monotonic() - self._looked_s >= _PERIOD_S:
            self._report_silence(self._cameras.list_cameras())

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self.step(_PERIOD_S)
            except StoreError as error:
                LOG.warning("other servers' messages not received", extra={"what": str(error)})
                self._stop.wait(_PERIOD_S)

    def _recall(self) -> int:
        """Read the whole state; returns the newest message's number."""
        newest = self._messages.find_newest()
        if self._has_servers:
            self._boards.reload()
        watched = {camera.board for camera in self._cameras.list_cameras()}
        messages = self._messages.read_after(0)
        newest_live = {
            board_message.board: board_message
            for board_message in messages
            if board_message.content["kind"] == "live"
        }
        for board, message in newest_live.items():
            if board in watched:
                self._boards.get(board).scoreboard.announce_live(
                    None, from_plain(LiveState, message.content["live"])
                )
        return messages[-1].number if messages else newest

    def _publish(self, message: BoardMessage) -> None:
        content = message.content
        match content["kind"]:
            case "live":
                self._publish_live(message)
            case "match":
                self._told.discard(message.board)
                board = self._boards.get(message.board).scoreboard
                board.announce(int(content["match"]), event_from_json(content["event"]))
            case "tournament":
                self._boards.publish_tournament(int(content["tournament"]))
            case "practice":
                self._boards.publish_practice(int(content["practice"]))
            case "boards":
                self._boards.reload_names()
            case "files":
                for read_again in self._on_files:
                    read_again()

    def _publish_live(self, message: BoardMessage) -> None:
        board, content = self._boards.get(message.board), message.content
        self._told.discard(message.board)
        event = content["event"]
        if event is not None and event["type"] == "referee" and event["status"] in _TAKEN:
            board.supervisor.close()  # a phone that films for this server only
        board.scoreboard.announce_live(event, from_plain(LiveState, content["live"]))

    def _report_silence(self, cameras: Iterable[WatchedCamera]) -> None:
        now_s = self._looked_s = monotonic()
        for camera in cameras:
            state = (camera.worker, camera.beat, camera.revision)
            seen = self._seen.get(camera.board)
            if seen is None or seen[:3] != state:
                self._seen[camera.board] = (*state, now_s)
                continue
            if now_s - seen[3] >= _SILENCE_S and camera.board not in self._told:
                self._told.add(camera.board)
                out = mark_stopped(
                    LiveState(status=Status.STARTING, source=name_source(camera.source)),
                    Status.NOT_REFEREEING,
                    _GONE,
                    _ADVICE,
                )
                event: Published = {
                    "type": "referee",
                    "status": "not_refereeing",
                    "reason": _GONE,
                }
                self._boards.get(camera.board).scoreboard.announce_live(event, out)
