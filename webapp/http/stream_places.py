"""Places for event streams, shared among addresses once all are taken.

While there is room, one address, such as a club's router, may take any number. After that, a new
stream replaces the newest one of the address with the most streams. Only for the event loop's
thread.
"""

from __future__ import annotations

import asyncio
from collections import Counter
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
        self._most, self._places = most, list[StreamPlace]()

    def take(self, sender: str, ready: asyncio.Event) -> StreamPlace | None:
        """A place for one more stream of an address; None if it has its share."""
        if len(self._places) >= self._most:
            held = Counter(place.sender for place in self._places)
            largest, most = held.most_common(1)[0]
            if most <= held[sender] + 1:
                return None
            lost = next(place for place in reversed(self._places) if place.sender == largest)
            lost.is_lost = True
            lost.ready.set()
            self.leave(lost)
        place = StreamPlace(sender=sender, ready=ready)
        self._places.append(place)
        return place

    def leave(self, place: StreamPlace) -> None:
        """Free a place."""
        if place in self._places:
            self._places.remove(place)
