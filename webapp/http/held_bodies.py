"""Limits on request bodies while they arrive: total bytes, and a share per sender.

If all senders together hold too much, the sender that holds most loses its oldest body, so a small
upload always gets through. The scorer's bodies are counted separately. Only for the event loop's
thread.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field

from webapp.http.asgi_messages import Receive
from webapp.http.logs import LOG

#: A body must arrive within this time: 32 MB over a slow phone network.
BODY_S = 60.0
#: Largest total size of all bodies: 18 photos of 14 MB.
MOST_BYTES = 256 * 1024 * 1024
_TOO_MUCH_AT_ONCE = "Too many uploads at once. Try again in a minute."


class BodyRefusedError(Exception):
    """The reason why a body is refused: a status and a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status, self.sentence = status, sentence


@dataclass(eq=False, kw_only=True)
class HeldBody:
    """A body that is arriving, or being answered; dropped if others need its place."""

    sender: str
    content: bytearray = field(default_factory=bytearray)
    reader: asyncio.Future[None] | None = None
    is_dropped: bool = False


class HeldBodies:
    """The bodies of a server's requests, or of its scorers'.

    All together may hold the bytes of the eight largest, but at most ``MOST_BYTES``. One sender may
    hold a quarter of that, and one body of any accepted size.
    """

    def __init__(self, largest: int) -> None:
        """Starts without bodies; none is larger than ``largest`` bytes."""
        self._largest, self._most = largest, max(largest, min(8 * largest, MOST_BYTES))
        self._most_of_one = max(largest, self._most // 4)
        self._too_large = f"The file is larger than {largest // 1024**2} MB. Send a smaller one."
        self._bodies: list[HeldBody] = []

    async def read(self, receive: Receive, sender: str, declared: int) -> HeldBody:
        """The whole body of a request, held until ``release``. Raises ``BodyRefusedError``."""
        if declared > self._largest:
            raise BodyRefusedError(413, self._too_large)
        body = HeldBody(sender=sender)
        self._bodies.append(body)
        body.reader = asyncio.ensure_future(self._fill(body, receive))
        try:
            await asyncio.wait_for(body.reader, BODY_S)
        except TimeoutError:
            self.release(body)
            raise BodyRefusedError(408, "The upload took too long. Send it again.") from None
        except asyncio.CancelledError:
            self.release(body)
            if not body.is_dropped:
                raise
            raise BodyRefusedError(503, _TOO_MUCH_AT_ONCE) from None
        except BaseException:
            self.release(body)
            raise
        return body

    def release(self, body: HeldBody) -> None:
        """Stop holding a body."""
        if body in self._bodies:
            self._bodies.remove(body)

    async def _fill(self, body: HeldBody, receive: Receive) -> None:
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise BodyRefusedError(400, "The upload was interrupted. Send it again.")
            piece = message.get("body", b"")
            if len(body.content) + len(piece) > self._largest:
                raise BodyRefusedError(413, self._too_large)
            self._make_room(body, len(piece))
            body.content += piece
            if not message.get("more_body", False):
                return

    def _make_room(self, body: HeldBody, size: int) -> None:
        """Drop bodies to make room for more bytes. Raises ``BodyRefusedError`` if that is ``body``
        itself.
        """
        if self._count()[body.sender] + size > self._most_of_one:
            _log_refusal("upload limit of a sender reached", body.sender)
            raise BodyRefusedError(503, _TOO_MUCH_AT_ONCE)
        while (held := self._count()).total() + size > self._most:
            unread = (other for other in self._bodies if other.reader and not other.reader.done())
            # the oldest body of the sender with the most bytes
            dropped = max(unread, key=lambda other: held[other.sender])
            _log_refusal("upload dropped to make room for others", dropped.sender)
            if dropped is body or dropped.reader is None:
                raise BodyRefusedError(503, _TOO_MUCH_AT_ONCE)
            dropped.is_dropped = True
            self.release(dropped)
            dropped.reader.cancel()

    def _count(self) -> Counter[str]:
        """The bytes that senders hold."""
        held = Counter[str]()
        for body in self._bodies:
            held[body.sender] += len(body.content)
        return held


def _log_refusal(what: str, sender: str) -> None:
    LOG.warning("limit", extra={"what": what, "who": sender})
