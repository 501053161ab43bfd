"""Connections under bounds: how long one may take to ask, and how many an address may hold.

uvicorn waits without end for a request that is half sent, and has no bound on connections, so that
one machine could take every file handle. Here a connection that does not ask in time is closed, as
is one that does not read what it asked for. Of too many from one address that have asked nothing
yet, the oldest goes first: a machine that sends halves of requests closes its own, and never
somebody else's.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from webapp.process_limits import raise_open_files

#: A request's head comes within this time: a phone's on a poor network takes a second.
_HEAD_S = 10.0
#: What is sent is read within this time: 2 MB of a replay over a slow phone network.
_READ_S = 120.0
#: No head of a browser is half as large.
_HEAD_BYTES = 32 * 1024


@dataclass(kw_only=True)
class ConnectionBounds:
    """The open connections of one server; for its event loop's thread alone.

    most           at once: a hall's, and what the machine has handles for
    most_of_one    of one address: a club's phones behind one router, with a stream and some
                   requests each
    most_waiting   of one address, that have not sent a whole request
    """

    most: int = 4096
    most_of_one: int = 1500
    most_waiting: int = 128
    _open: Counter[str] = field(default_factory=Counter)
    _waiting: dict[str, OrderedDict[BoundedProtocol, None]] = field(default_factory=dict)

    def admit(self, connection: BoundedProtocol) -> bool:
        """Whether a new connection may stay; an older one that asks nothing may go for it."""
        if self._open[connection.address] >= self.most_of_one:
            return False
        if self._open.total() >= self.most and not self._close_longest_waiting():
            return False
        self._open[connection.address] += 1
        self.wait(connection)
        return True

    def wait(self, connection: BoundedProtocol) -> None:
        """Count a connection as one that has not sent a whole request."""
        waiting = self._waiting.setdefault(connection.address, OrderedDict())
        waiting[connection] = None
        if len(waiting) > self.most_waiting:
            next(iter(waiting)).close_now()

    def serve(self, connection: BoundedProtocol) -> None:
        """Count a connection as one that is being answered."""
        waiting = self._waiting.get(connection.address, OrderedDict())
        waiting.pop(connection, None)
        if not waiting:
            self._waiting.pop(connection.address, None)

    def leave(self, connection: BoundedProtocol) -> None:
        """Count a connection no more."""
        self.serve(connection)
        self._open[connection.address] -= 1
        if self._open[connection.address] <= 0:
            del self._open[connection.address]

    def _close_longest_waiting(self) -> bool:
        """Close the oldest waiting connection of the address that has most of them."""
        if not self._waiting:
            return False
        most = max(self._waiting, key=lambda address: len(self._waiting[address]))
        next(iter(self._waiting[most])).close_now()
        return True


class BoundedProtocol(HttpToolsProtocol):
    """One connection, as uvicorn speaks HTTP/1.1 on it, within its server's bounds."""

    def __init__(self, bounds: ConnectionBounds, **settings: Any) -> None:
        """A connection of that server; uvicorn gives the settings."""
        super().__init__(**settings)
        self.address = ""
        self._bounds, self._is_counted = bounds, False
        self._head_timer: asyncio.TimerHandle | None = None
        self._write_timer: asyncio.TimerHandle | None = None
        self._head_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request, unless there are too many connections."""
        super().connection_made(transport)
        self.address = self.client[0] if self.client else ""
        self._is_counted = self._bounds.admit(self)
        if self._is_counted:
            self._expect_head()
        else:
            self.close_now()

    def connection_lost(self, exc: Exception | None) -> None:
        """Count this connection no more."""
        self._stop_timer()
        self._stop_write_timer()
        if self._is_counted:
            self._is_counted = False
            self._bounds.leave(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on, unless the head has no end."""
        if self.transport.is_closing():
            return
        if self._is_between_requests() and self._head_timer is None:
            self._expect_head()
        self._head_bytes += len(data)
        super().data_received(data)
        # A head that is complete has stopped its timer; what came with it is the body.
        is_open = self._head_timer is not None and not self.transport.is_closing()
        if is_open and self._head_bytes > _HEAD_BYTES:
            self.send_400_response("The head of the request is too long.")

    def on_headers_complete(self) -> None:
        """The head is here: its time stops."""
        self._stop_timer()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """The whole request is here."""
        if self._is_counted:
            self._bounds.serve(self)
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """The next request may come."""
        if self._is_counted:
            self._bounds.wait(self)
        super().on_response_complete()

    def pause_writing(self) -> None:
        """What was sent is not read so far: its time begins."""
        self._stop_write_timer()
        self._write_timer = self.loop.call_later(_READ_S, self.close_now)
        super().pause_writing()

    def resume_writing(self) -> None:
        """It is read: its time stops."""
        self._stop_write_timer()
        super().resume_writing()

    def timeout_keep_alive_handler(self) -> None:
        """Close a connection that asks no more, whether or not it has read the last of it."""
        self.close_now()

    def close_now(self) -> None:
        """Close, whatever was sent so far."""
        if self._is_counted:
            self._is_counted = False
            self._bounds.leave(self)
        if not self.transport.is_closing():
            self.transport.abort()

    def _is_between_requests(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _expect_head(self) -> None:
        self._stop_timer()
        self._head_bytes = 0
        self._head_timer = self.loop.call_later(_HEAD_S, self.close_now)

    def _stop_write_timer(self) -> None:
        if self._write_timer is not None:
            self._write_timer.cancel()
            self._write_timer = None

    def _stop_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None


#: File handles that are not connections: the database, pipes, the log, pictures.
_OTHER_HANDLES = 256


def raise_handle_limit(wanted: int) -> int:
    """How many connections there are file handles for, at most ``wanted``, once all are allowed."""
    allowed = raise_open_files(wanted + _OTHER_HANDLES)
    if allowed is None:
        return wanted
    return min(wanted, max(allowed - _OTHER_HANDLES, allowed // 2))
