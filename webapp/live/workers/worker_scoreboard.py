"""A board's scoreboard inside a worker: its messages reach the servers through the database.

While the database is unavailable, an entry is retried with a key that counts once, so a broken
connection neither loses nor doubles it.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from threading import Event as Signal
from time import monotonic

from calibration.json_text import to_plain
from scorer.board_names import default_name
from scorer.match.events import Event
from scorer.match.state import MatchState
from scorer.store import MakeEntries, Store, StoreError
from scorer.store.board_store import NamedBoard
from webapp.http.event_broker import EventBroker
from webapp.http.logs import LOG
from webapp.live.live_state import LiveState
from webapp.live.message_sender import MessageSender
from webapp.live.scoreboard import Published, Scoreboard, now

#: How long an entry is retried, s: a restarted database is back by then.
_PATIENCE_S, _PAUSE_S = 60.0, 0.5


class WorkerScoreboard(Scoreboard):
    """Sends the events at a board to the servers."""

    def __init__(self, store: Store, sender: MessageSender, board: int, stop: Signal) -> None:
        """``stop`` ends the retries."""
        self._sender, self._number, self._stop = sender, board, stop
        super().__init__(store, EventBroker(), NamedBoard(number=board, name=default_name(board)))

    def record(self, match_id: int, make: MakeEntries) -> tuple[Sequence[Event], MatchState]:
        """Like ``Scoreboard.record``, once the database is available; entered once in spite of
        retries. Raises ``StoreError``.
        """
        key, until_s = secrets.token_hex(8), monotonic() + _PATIENCE_S
        self._sender.flush()  # the observation must be sent before the entries made from it
        while True:
            try:
                return self._store.record(match_id, make, key=key, now=now())
            except StoreError as error:
                if monotonic() > until_s or self._stop.wait(_PAUSE_S):
                    raise
                LOG.warning("entry tried again", extra={"what": str(error)})

    def publish_live(self, event: Published | None, live: LiveState) -> None:
        """Send the referee's observation, and its state after it."""
        self._sender.post(self._number, {"kind": "live", "event": event, "live": to_plain(live)})
