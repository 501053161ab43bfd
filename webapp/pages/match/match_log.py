"""A match's log as text, one line per event, with whether it is still in force."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from calibration.phrase import Phrase
from scorer.match.descriptions import describe_event
from scorer.match.events import (
    BoardCorrected,
    ColoursChosen,
    DiscCorrected,
    DiscInZone,
    Disputed,
    Event,
    FoulCalled,
    RoundCorrected,
    RoundScored,
    Ruled,
    ShootoutPlayed,
    ShotPlayed,
    TeamsNamed,
    Undone,
)
from scorer.match.fold import fold
from scorer.match.undo import find_events_in_force, find_undoable

#: Short names for a button, of entries whose text is a question, or has a colon or several names.
_BRIEF: dict[type[Event], str] = {
    BoardCorrected: Phrase("Board scored as it is"),
    ColoursChosen: Phrase("Disc colours"),
    DiscCorrected: Phrase("Disc corrected"),
    Disputed: "Dispute",
    FoulCalled: Phrase("Foul called"),
    RoundCorrected: Phrase("Round corrected"),
    RoundScored: Phrase("Round scored"),
    Ruled: Phrase("Ruling"),
    ShootoutPlayed: Phrase("Shoot-out"),
    ShotPlayed: Phrase("Shot"),
    TeamsNamed: Phrase("Team names"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """One line of a log: the time, the event, and whether it is in force."""

    time: str
    words: str
    is_in_force: bool


def build_entries(log: Sequence[Event], times: Sequence[str]) -> list[LogEntry]:
    """The log, newest first."""
    setup, holding = fold(log).setup, set(find_events_in_force(log))
    lines = [
        LogEntry(
            time=time,
            words=describe_event(setup, event, _board_before(log, place)),
            is_in_force=place in holding or isinstance(event, Undone),
        )
        for place, (event, time) in enumerate(zip(log, times, strict=True))
    ]
    return lines[::-1]


def describe_undo(log: Sequence[Event]) -> str | None:
    """The entry that undo would take back, briefly; None if there is none."""
    place = find_undoable(log)
    if place is None:
        return None
    last = log[place]
    return _BRIEF.get(type(last)) or describe_event(
        fold(log).setup, last, _board_before(log, place)
    )


def _board_before(log: Sequence[Event], place: int) -> Sequence[DiscInZone]:
    """The discs before an entry that names one of them; empty before other entries."""
    event = log[place]
    names_disc = isinstance(event, DiscCorrected | Ruled) and event.disc
    return fold(log[:place]).round.board if names_disc else ()
