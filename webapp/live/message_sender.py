"""Sends a referee's observations to servers of the same database, without delaying the referee.

Messages that come faster than the database accepts them are sent together, in order. A message that
cannot be sent is logged and dropped, because the next message has the state again.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor, wait

from scorer.store import StoreError
from scorer.store.message_store import MessageStore
from webapp.http.logs import LOG

#: Longest wait for posted messages, s; after it, the database is considered unavailable.
_PATIENCE_S = 5.0


class MessageSender:
    """Sends in its own thread, which runs from the first message on."""

    def __init__(self, messages: MessageStore) -> None:
        """Starts without messages."""
        self._messages, self._waiting = messages, deque[tuple[int, dict[str, object]]]()
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="sender")
        self._last: Future[None] | None = None

    def post(self, board: int, content: dict[str, object]) -> None:
        """Send a message about a board soon."""
        self._waiting.append((board, content))
        self._last = self._thread.submit(self._send)

    def flush(self) -> None:
        """Return once all messages so far are sent or dropped."""
        if self._last is not None:
            wait([self._last], _PATIENCE_S)

    def close(self) -> None:
        """Send the waiting messages, then stop."""
        self.flush()
        self._thread.shutdown(wait=False)

    def _send(self) -> None:
        """Send all waiting messages together."""
        batch = [self._waiting.popleft() for _ in range(len(self._waiting))]
        try:
            if batch:
                self._messages.send_all(batch)
        except StoreError as error:
            LOG.warning("other servers not informed", extra={"what": str(error)})
