"""A referee whose events are JSON objects, as the program prints them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from scorer.referee.events import Event, to_json
from scorer.referee.live_referee import LiveReferee
from vision.track.events import TrackerEvent


class JsonReferee:
    """A live referee that returns JSON."""

    def __init__(self, *arguments: Any) -> None:
        self.referee = LiveReferee(*arguments)

    def handle_event(self, tracker_event: TrackerEvent) -> Iterator[dict[str, Any]]:
        return map(to_json, self.referee.handle_event(tracker_event))

    def end(self, t_s: float, *, is_film_over: bool = False) -> Iterator[dict[str, Any]]:
        return map(to_json, self.referee.end(t_s, is_film_over=is_film_over))


def keep_json(events: list[dict[str, Any]]) -> Callable[[Event], None]:
    """A callback that keeps the JSON of events."""
    return lambda event: events.append(to_json(event))
