"""Places for event streams, shared among addresses once all are taken.

While there is room, one address, such as a club's router, may take any number. After that, a new
stream replaces the newest one of the address with the most streams. Only for the event loop's
thread.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass


@dataclass(eq=False, kw_only=True)
class StreamPlace:
    """A stream's place; ``ready`` wakes it when another stream takes the place."""

    sender: str
    ready: asyncio.Event
    is_lost: bool = False


class StreamPlaces:
    """A number of places, ``most`` at once."""

    def __init__(self, most: int) -> None:
        """All places are free."""
        self._most = most
        self._places: dict[str, list[StreamPlace]] = {}

    def take(self, sender: str, ready: asyncio.Event) -> StreamPlace | None:
        """A place for one more stream of an address; None if it has its share."""
        own = self._places.get(sender, [])
        if sum(map(len, self._places.values())) >= self._most:
            largest = max(self._places.values(), key=len)
            if len(largest) <= len(own) + 1:
                return None
            lost = largest[-1]
            lost.is_lost = True
            lost.ready.set()
            self.leave(lost)
        place = StreamPlace(sender=sender, ready=ready)
        self._places.setdefault(sender, []).append(place)
        return place

    def leave(self, place: StreamPlace) -> None:
        """Free a place."""
        own = self._places.get(place.sender, [])
        if place not in own:
            return
        own.remove(place)
        if not own:
            del self._places[place.sender]
