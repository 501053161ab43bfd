"""A match's log in words, for people.

Knows how each event reads. Refuses to know what it does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from scorer.match import fold, held
from scorer.match_events import (
    DiscCorrected,
    Disputed,
    Event,
    FoulCalled,
    MatchStarted,
    RoundCorrected,
    RoundScored,
    RoundStarted,
    Ruled,
    ShootoutPlayed,
    ShotPlayed,
    StarterChosen,
    TimeRanOut,
    TwentyCounted,
    Undone,
)
from scorer.match_state import Setup


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of a log: when, what, and whether it still holds."""

    time: str
    words: str
    holds: bool


def entries(log: Sequence[Event], times: Sequence[str]) -> list[Entry]:
    """The log, newest first."""
    setup, holding = fold(log).setup, set(held(log))
    told = [
        Entry(
            time=time,
            words=event_words(setup, event),
            holds=place in holding or isinstance(event, Undone),
        )
        for place, (event, time) in enumerate(zip(log, times, strict=True))
    ]
    return told[::-1]


def undoable(log: Sequence[Event]) -> str | None:
    """What would be taken back by undoing; None where there is nothing."""
    places = held(log)
    return event_words(fold(log).setup, log[places[-1]]) if len(places) > 1 else None


def event_words(setup: Setup, event: Event) -> str:
    """An event in a few words."""
    return _WORDS[type(event)](setup, event)


def amounts(setup: Setup, values: Sequence[int]) -> str:
    """A number for each side."""
    return ", ".join(f"{name} {each}" for name, each in zip(setup.sides, values, strict=True))


def _shot(setup: Setup, event: ShotPlayed) -> str:
    faults = f" ({'; '.join(event.faults)})" if event.faults else ""
    twenties = f", 20s: {amounts(setup, event.twenties)}" if any(event.twenties) else ""
    what = {"legal": "shot", "foul": "foul"}.get(event.verdict, event.verdict)
    return f"{setup.players[event.player]}: {what}{faults}{twenties}"


def _scored(setup: Setup, event: RoundScored) -> str:
    if event.points is None:
        return "Round scored from its shots"
    return f"Round scored: {amounts(setup, event.points)} ({event.source})"


def _changed(setup: Setup, event: DiscCorrected | Ruled) -> str:
    zone = "" if event.zone is None else f" counts {event.zone}"
    side = "" if event.side is None else f" is {setup.sides[event.side]}'s"
    return f"disc {event.disc}{zone}{side}" if event.disc else ""


def _ruled(setup: Setup, event: Ruled) -> str:
    changed = _changed(setup, event)
    more = f"; {changed}" if changed and (event.zone is not None or event.side is not None) else ""
    return f"Ruling on dispute {event.dispute}: {event.decision}{more}"


def _twenty(setup: Setup, event: TwentyCounted) -> str:
    return f"{setup.sides[event.side]}: {'one 20 more' if event.change > 0 else 'one 20 less'}"


def _round_started(_setup: Setup, event: RoundStarted) -> str:
    return "Round started" + ("" if event.minutes is None else f", {event.minutes} minutes")


_WORDS: dict[type[Any], Callable[[Setup, Any], str]] = {
    MatchStarted: lambda setup, _event: f"Match: {' against '.join(setup.sides)}",
    StarterChosen: lambda setup, event: f"{setup.players[event.player]} starts the round",
    RoundStarted: _round_started,
    ShotPlayed: _shot,
    TwentyCounted: _twenty,
    FoulCalled: lambda setup, event: (
        f"Foul called on {setup.players[event.player]}: {event.foul.words}"
    ),
    RoundScored: _scored,
    RoundCorrected: lambda setup, event: (
        f"Round {event.round} corrected: {amounts(setup, event.points)}"
    ),
    DiscCorrected: lambda setup, event: f"Corrected: {_changed(setup, event)}",
    Disputed: lambda _setup, event: f"Dispute: {event.about}",
    Ruled: _ruled,
    TimeRanOut: lambda _setup, _event: "Time ran out",
    ShootoutPlayed: lambda setup, event: f"Shoot-out, 20s: {amounts(setup, event.twenties)}",
    Undone: lambda _setup, _event: "Undone",
}
