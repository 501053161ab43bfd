"""Sends a referee's observations to servers of the same database, without delaying the referee.

Messages that come faster than the database accepts them are sent together, in order. A message that
cannot be sent is logged and dropped, because the next message has the state again.
"""

from __future__ import annotations

from threading import Condition, Thread

from scorer.store import StoreError
from scorer.store.message_store import MessageStore
from webapp.http.logs import LOG

#: Who waits for what was posted goes on after this, s: the database is away.
_PATIENCE_S = 5.0


class MessageSender:
    """Sends in its own thread, which runs from the first message on."""

    def __init__(self, messages: MessageStore) -> None:
        """Starts without messages."""
        self._messages, self._changed = messages, Condition()
        self._waiting: list[tuple[int, dict[str, object]]] = []
        self._posted = self._done = 0
        self._is_over = False
        self._thread: Thread | None = None

    def post(self, board: int, content: dict[str, object]) -> None:
        """Send a message about a board soon."""
        with self._changed:
            self._waiting.append((board, content))
            self._posted += 1
            if self._thread is None and not self._is_over:
                self._thread = Thread(target=self._run, name="sender", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def flush(self) -> None:
        """Return once all messages so far are sent, or given up."""
        with self._changed:
            posted = self._posted
            self._changed.wait_for(lambda: self._done >= posted or self._is_over, _PATIENCE_S)

    def close(self) -> None:
        """Send the waiting messages, then stop."""
        with self._changed:
            self._is_over = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(_PATIENCE_S)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: bool(self._waiting) or self._is_over)
                batch, self._waiting = self._waiting, []
            if not batch:
                return
            try:
                self._messages.send_all(batch)
            except StoreError as error:
                LOG.warning("servers were not told", extra={"what": str(error)})
            with self._changed:
                self._done += len(batch)
                self._changed.notify_all()
