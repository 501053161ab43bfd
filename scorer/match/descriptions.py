"""Events of a match described as players say them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from scorer.clock_hour import find_clock_hour
from scorer.match.events import (
    BoardCorrected,
    CameraSaw,
    ColoursChosen,
    DiscCorrected,
    DiscInZone,
    Disputed,
    Event,
    FoulCalled,
    MatchMoved,
    MatchStarted,
    RoundCorrected,
    RoundScored,
    RoundStarted,
    Ruled,
    ScoreSource,
    ShootoutPlayed,
    ShotPlayed,
    StarterChosen,
    StarterCorrected,
    StarterSeen,
    TeamsNamed,
    TimeRanOut,
    TwentyCounted,
    Undone,
)
from scorer.match.scoring import winning_total
from scorer.match.sighting import SightingKind
from scorer.match.state import MatchSetup
from scorer.rules.choices import GameEnd
from scorer.rules.fault_codes import call_fault

#: The source of a round's score.
SOURCE_WORDS = {
    ScoreSource.HAND: "counted by hand",
    ScoreSource.PHOTO: "from a photo",
    ScoreSource.SHOTS: "from the recorded shots",
}


def describe_event(setup: MatchSetup, event: Event, board: Sequence[DiscInZone] = ()) -> str:
    """An event in a few words; ``board``, if known, holds the discs before it."""
    if isinstance(event, DiscCorrected | Ruled) and event.disc:
        event = replace(event, disc=name_disc(event.disc, board))
    return _DESCRIBERS[type(event)](setup, event)


def name_disc(disc: str, board: Sequence[DiscInZone]) -> str:
    """A disc by its place, such as ``9 cm out at 2 o'clock``; its id if no camera measured it."""
    place_mm = next((placed.place_mm for placed in board if placed.id == disc), None)
    if place_mm is None:
        return disc
    away_cm, hour = math.hypot(*place_mm) / 10, find_clock_hour(*place_mm)
    return f"{away_cm:.0f} cm out at {hour} o'clock"


def describe_goal(setup: MatchSetup) -> str:
    """The end of a game, such as ``first to 100``."""
    options, sides = setup.options, len(setup.sides)
    return {
        GameEnd.POINTS: f"first to {winning_total(options, sides)}",
        GameEnd.ROUNDS: "one round"
        if options.game_rounds == 1
        else f"{options.game_rounds} rounds",
        GameEnd.BEST_OF: (
            "one round" if options.best_of == 1 else f"best of {options.best_of} rounds"
        ),
    }[options.game_end]


def format_amounts(setup: MatchSetup, values: Sequence[int]) -> str:
    """A value for each side, such as ``Ann 45, Bob 20``."""
    return ", ".join(f"{name} {value}" for name, value in zip(setup.sides, values, strict=True))


def _describe_shot(setup: MatchSetup, event: ShotPlayed) -> str:
    faults = f" ({'; '.join(map(call_fault, event.faults))})" if event.faults else ""
    twenties = f", 20s: {format_amounts(setup, event.twenties)}" if any(event.twenties) else ""
    what = {"legal": "shot", "foul": "foul"}.get(event.verdict, event.verdict)
    return f"{setup.players[event.player]}: {what}{faults}{twenties}"


def _describe_round_score(setup: MatchSetup, event: RoundScored) -> str:
    if event.points is None:
        return "Round scored from the recorded shots"
    return f"Round scored: {format_amounts(setup, event.points)} ({SOURCE_WORDS[event.source]})"


def _describe_change(setup: MatchSetup, event: DiscCorrected | Ruled) -> str:
    zone = None if event.zone is None else f"is worth {event.zone}"
    side = None if event.side is None else f"is {setup.sides[event.side]}'s"
    change = " and ".join(filter(None, (zone, side)))
    return f"disc {event.disc} {change}".rstrip() if event.disc else ""


def _describe_ruling(setup: MatchSetup, event: Ruled) -> str:
    changed = _describe_change(setup, event)
    more = f"; {changed}" if changed and (event.zone is not None or event.side is not None) else ""
    if any(event.twenties):
        more += f"; 20s: {format_amounts(setup, event.twenties)}"
    return f"Ruling on dispute {event.dispute}: {event.decision}{more}"


def _describe_twenty(setup: MatchSetup, event: TwentyCounted) -> str:
    return f"{setup.sides[event.side]}: {'a 20 added' if event.change > 0 else 'a 20 removed'}"


def _describe_round_start(_setup: MatchSetup, event: RoundStarted) -> str:
    if event.minutes is None:
        return "Round started"
    return (
        "Round started, 1 minute"
        if event.minutes == 1
        else f"Round started, {event.minutes} minutes"
    )


def _describe_sighting(_setup: MatchSetup, event: CameraSaw) -> str:
    seen = event.sighting
    if seen.what is SightingKind.SHOT:
        return f"Shot {seen.number}, {seen.colour} (camera)"
    if seen.what is SightingKind.TWENTY:
        return f"20, {seen.colour} (camera)"
    if seen.is_over:
        return "Round over (the camera's score counts)"
    return "End of round (camera)"


def _describe_colours(setup: MatchSetup, event: ColoursChosen) -> str:
    known = [
        f"{name}: {colour}"
        for name, colour in zip(setup.sides, event.colours, strict=False)
        if colour
    ]
    colours = ", ".join(known) or "unknown"
    if event.round == 1:
        return f"Disc colours: {colours}"
    return f"Disc colours from round {event.round} on: {colours}"


_DESCRIBERS: dict[type[Any], Callable[[MatchSetup, Any], str]] = {
    MatchStarted: lambda setup, _event: f"Match: {' against '.join(setup.sides)}",
    StarterChosen: lambda setup, event: f"{setup.players[event.player]} starts the round",
    RoundStarted: _describe_round_start,
    ShotPlayed: _describe_shot,
    TwentyCounted: _describe_twenty,
    FoulCalled: lambda setup, event: (
        f"Foul called on {setup.players[event.player]}: {event.foul.words}"
    ),
    RoundScored: _describe_round_score,
    RoundCorrected: lambda setup, event: (
        f"Round {event.round} corrected: {format_amounts(setup, event.points)}"
    ),
    DiscCorrected: lambda setup, event: f"Corrected: {_describe_change(setup, event)}",
    BoardCorrected: lambda _setup, event: f"Board scored as it is: {event.about}",
    Disputed: lambda _setup, event: f"Dispute: {event.about}",
    Ruled: _describe_ruling,
    TimeRanOut: lambda _setup, _event: "Time ran out",
    ShootoutPlayed: lambda setup, event: f"Shoot-out, 20s: {format_amounts(setup, event.twenties)}",
    MatchMoved: lambda _setup, event: f"Moved to board {event.at_board}",
    CameraSaw: _describe_sighting,
    ColoursChosen: _describe_colours,
    StarterSeen: lambda setup, event: (
        f"{setup.players[event.player]} started the round (shot first)"
    ),
    StarterCorrected: lambda setup, event: (
        f"{setup.players[event.player]} started round {event.round}"
    ),
    TeamsNamed: lambda _setup, event: (
        f"Team names: {' and '.join(filter(None, event.teams))}"
        if any(event.teams)
        else "Team names removed"
    ),
    Undone: lambda _setup, _event: "Undone",
}
