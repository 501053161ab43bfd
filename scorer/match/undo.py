"""Undo: which events of a match's log are still in force, and the events that an undo removed.

An undoing is an event, too, and takes back the last entry that is in force. Nothing leaves the log.
"""

from __future__ import annotations

from collections.abc import Sequence

from scorer.match.events import CameraSaw, Event, MatchError, RoundScored, Undone


def find_events_in_force(log: Sequence[Event]) -> list[int]:
    """Indices in a log of the events still in force, after all undoing."""
    places: list[int] = []
    for place, event in enumerate(log):
        if not isinstance(event, Undone):
            places.append(place)
        elif (undone := _find_last_entry([log[each] for each in places])) is not None:
            del places[undone]
        else:
            raise MatchError("There is nothing to undo yet.")
    return places


def find_undoable(log: Sequence[Event]) -> int | None:
    """Index in a log of the event that undoing takes back; None where there is nothing."""
    places = find_events_in_force(log)
    last = _find_last_entry([log[place] for place in places])
    return None if last is None else places[last]


def _find_last_entry(in_force: Sequence[Event]) -> int | None:
    """Index of the last event that can be undone, which no sighting that was left out can."""
    return next(
        (
            k
            for k in range(len(in_force) - 1, 0, -1)
            if not (isinstance(each := in_force[k], CameraSaw) and each.is_left_out)
        ),
        None,
    )


def find_round_taken_back(log: Sequence[Event]) -> RoundScored | None:
    """The score that the round in play had before it was taken back; None where it had none."""
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
    """The event that the last one of a log took back; None where it took none back."""
    if not log or not isinstance(log[-1], Undone):
        return None
    place = find_undoable(log[:-1])
    return None if place is None else log[place]


def _count_rounds(events: Sequence[Event]) -> int:
    return sum(isinstance(event, RoundScored) for event in events)
