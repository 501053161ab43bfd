"""Publish-subscribe for all viewers: numbered messages in order and without a gap.

Every message carries the whole state after it. Its id is ``RUN-NUMBER``; a run is one life of the
server. The latest messages stay in a ring. A listener that returns with an id still in the ring
gets all later messages; with any other id it gets the newest state. A listener has a limited queue.
When it is full, the newest state replaces it, so a slow listener delays nobody. The meaning of a
message, and its transport (``asgi``), do not matter here.
"""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

from calibration.json_text import format_json, to_plain
from calibration.phrase import list_phrases

#: Number of messages that a listener can catch up with: a round has some 200, so this is several
#: rounds.
RING_MESSAGES = 1024
#: Number of messages that may wait for a listener before it gets the state instead: a minute of a
#: round.
QUEUE_MESSAGES = 128

STATE = "state"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One server-sent event: its number in this run, its bytes on the wire, and its phrases.

    phrases  JSON of ``calibration.phrase.list_phrases``
    """

    number: int
    encoded: bytes
    phrases: str


class Listener:
    """A listener and its waiting messages; ``on_ready`` is called from any thread."""

    def __init__(self, on_ready: Callable[[], None]) -> None:
        """A listener without messages."""
        self.on_ready = on_ready
        self.waiting: deque[Message] = deque()
        self.is_closed = False


class EventBroker:
    """Publishes messages to listeners; all threads may use it."""

    def __init__(self, *, ring: int = RING_MESSAGES, queue: int = QUEUE_MESSAGES) -> None:
        """A new run; its state is empty until one is published."""
        self._run, self._queue = secrets.token_hex(4), queue
        self._number, self._lock = 0, Lock()
        self._ring: deque[Message] = deque(maxlen=ring)
        self._listeners: set[Listener] = set()
        self._state = self._message(STATE, {})
        self._is_closed = False

    @property
    def listeners(self) -> int:
        """Number of listeners."""
        return len(self._listeners)

    def publish(self, event: dict[str, object] | None, state: object) -> None:
        """Send all listeners an event (None: only the state), with the state after it."""
        with self._lock:
            self._number += 1
            self._state = self._message(STATE, {"state": state})
            message = self._state
            if event is not None:
                message = self._message("event", {"event": event, "state": state})
            self._ring.append(message)
            ready = [listener for listener in self._listeners if self._enqueue(listener, message)]
        for listener in ready:
            listener.on_ready()

    def listen(self, on_ready: Callable[[], None], last_id: str | None = None) -> Listener:
        """A new listener, with the messages missed since that one; otherwise with the newest
        state.
        """
        listener = Listener(on_ready)
        with self._lock:
            listener.waiting.extend(self._messages_since(last_id))
            listener.is_closed = self._is_closed
            self._listeners.add(listener)
        return listener

    def leave(self, listener: Listener) -> None:
        """Forget a listener."""
        with self._lock:
            self._listeners.discard(listener)

    def take(self, listener: Listener) -> list[Message]:
        """All waiting messages of a listener, oldest first."""
        with self._lock:
            taken = list(listener.waiting)
            listener.waiting.clear()
        return taken

    def close(self) -> None:
        """Disconnect every listener; they return in the next run."""
        with self._lock:
            self._is_closed = True
            everybody = list(self._listeners)
            for listener in everybody:
                listener.is_closed = True
        for listener in everybody:
            listener.on_ready()

    def _enqueue(self, listener: Listener, message: Message) -> bool:
        """Whether the listener had no waiting messages and must be woken."""
        is_idle = not listener.waiting
        if len(listener.waiting) >= self._queue:
            listener.waiting.clear()
            message = self._state
        listener.waiting.append(message)
        return is_idle

    def _messages_since(self, last_id: str | None) -> list[Message]:
        number = self._resumable_number(last_id)
        if number is None:
            return [self._state]
        return [message for message in self._ring if message.number > number]

    def _resumable_number(self, message_id: str | None) -> int | None:
        """The number of a message after which the ring has no gap; None for any other id."""
        run, _, digits = (message_id or "").partition("-")
        if run != self._run or not (digits.isascii() and digits.isdigit()) or len(digits) > 12:
            return None
        number = int(digits)
        oldest = self._ring[0].number if self._ring else self._number + 1
        return number if oldest - 1 <= number <= self._number else None

    def _message(self, kind: str, content: dict[str, object]) -> Message:
        plain = to_plain(content)
        body = format_json(plain, separators=(",", ":"), ensure_ascii=False)
        text = f"id: {self._run}-{self._number}\nevent: {kind}\ndata: {body}\n\n"
        phrases = format_json([*list_phrases(plain)])
        return Message(number=self._number, encoded=text.encode(), phrases=phrases)
