"""Undo: the events of a match's log that are still in force, and those that were undone.

An undo is also an event, and takes back the last entry in force. Nothing is removed from the log.
"""

from __future__ import annotations

from collections.abc import Sequence

from calibration.phrase import Phrase
from scorer.match.events import CameraSaw, Event, MatchError, RoundScored, Undone


def find_events_in_force(log: Sequence[Event]) -> list[int]:
    """Indices in a log of the events in force, after all undos."""
    places: list[int] = []
    for place, event in enumerate(log):
        if not isinstance(event, Undone):
            places.append(place)
        elif (undone := _find_last_entry([log[place] for place in places])) is not None:
            del places[undone]
        else:
            raise MatchError(Phrase("There is nothing to undo yet."))
    return places


def find_undoable(log: Sequence[Event]) -> int | None:
    """Index in a log of the event that an undo would revert; None if there is none."""
    places = find_events_in_force(log)
    last = _find_last_entry([log[place] for place in places])
    return None if last is None else places[last]


def _find_last_entry(in_force: Sequence[Event]) -> int | None:
    """Index of the last event that can be undone, which excludes sightings that were left out."""
    return next(
        (
            k
            for k in range(len(in_force) - 1, 0, -1)
            if not (isinstance(event := in_force[k], CameraSaw) and event.is_left_out)
        ),
        None,
    )


def find_round_taken_back(log: Sequence[Event]) -> RoundScored | None:
    """The score of the current round before it was undone; None if it had none."""
    in_force: list[Event] = []
    taken: dict[int, RoundScored] = {}
    for event in log:
        if not isinstance(event, Undone):
            in_force.append(event)
        elif (last := _find_last_entry(in_force)) is not None:
            undone = in_force.pop(last)
            if isinstance(undone, RoundScored):
                taken[_count_rounds(in_force)] = undone
    return taken.get(_count_rounds(in_force))


def find_entry_taken_back(log: Sequence[Event]) -> Event | None:
    """The event that the last event of a log undid; None if it is not an undo."""
    if not log or not isinstance(log[-1], Undone):
        return None
    place = find_undoable(log[:-1])
    return None if place is None else log[place]


def _count_rounds(events: Sequence[Event]) -> int:
    return sum(isinstance(event, RoundScored) for event in events)
