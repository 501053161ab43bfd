"""Lanes for requests: a limited number at once per lane, with senders taking turns.

Health checks and the scorer have lanes that spectators cannot fill. Slow pages have their own lane,
so only they wait. Waiting addresses take turns in a lane: an address that requests a thousand pages
is not preferred to one that requests two. Only for the event loop's thread.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable
from enum import Enum
from typing import TypeVar

View = TypeVar("View", bound=Callable[..., object])

_LANE = "_lane"


class LaneName(Enum):
    """The kind of requests in a lane, and its number of threads; together fewer than database
    connections.
    """

    HEALTH = 1
    SCORER = 3
    PAGES = 5
    LONG = 2


class LaneFullError(Exception):
    """So many requests are waiting that another one would never be served in time."""


class Lane:
    """A number of places, and the requests waiting for one.

    most_waiting   of all senders together
    most_of_one    of one sender, such as a club's router for 200 phones
    """

    def __init__(self, places: int, *, most_waiting: int = 2000, most_of_one: int = 500) -> None:
        """An empty lane."""
        self._free = places
        self._most_waiting, self._most_of_one = most_waiting, most_of_one
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    async def enter(self, sender: str, *, is_first: bool = False) -> None:
        """Return once this sender has a place, which it must leave later. Raises ``LaneFullError``.

        is_first  to go before all other waiting senders
        """
        if self._free and not self._waiting:
            self._free -= 1
            return
        own = self._waiting.setdefault(sender, deque())
        waiting = sum(map(len, self._waiting.values()))
        if waiting >= self._most_waiting or len(own) >= self._most_of_one:
            self._drop_if_empty(sender)
            raise LaneFullError
        turn = asyncio.get_running_loop().create_future()
        own.append(turn)
        if is_first:
            self._waiting.move_to_end(sender, last=False)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                self.leave()  # the turn came just as the request was cancelled
            elif turn in own:
                own.remove(turn)
                self._drop_if_empty(sender)
            raise

    def leave(self) -> None:
        """Give the place to the next sender in turn."""
        while self._waiting:
            sender, turns = self._waiting.popitem(last=False)
            turn = turns.popleft()
            if turns:
                self._waiting[sender] = turns
            if not turn.done():  # otherwise the request was cancelled
                turn.set_result(None)
                return
        self._free += 1

    def _drop_if_empty(self, sender: str) -> None:
        if not self._waiting.get(sender, True):
            del self._waiting[sender]


def answer_in(lane: LaneName) -> Callable[[View], View]:
    """Mark a view that has its own lane."""

    def mark(view: View) -> View:
        setattr(view, _LANE, lane)
        return view

    return mark


def lane_of(view: object) -> LaneName:
    """The lane of a view."""
    lane: LaneName = getattr(view, _LANE, LaneName.PAGES)
    return lane
