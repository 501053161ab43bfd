"""Events of a match described as players say them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from calibration.phrase import Phrase, join, term
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
    ScoreSource.HAND: Phrase("counted by hand"),
    ScoreSource.PHOTO: Phrase("from a photo"),
    ScoreSource.SHOTS: Phrase("from the recorded shots"),
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
    return Phrase("%(away_cm).0f cm out at %(hour)s o'clock", away_cm=away_cm, hour=hour)


def describe_goal(setup: MatchSetup) -> str:
    """The end of a game, such as ``first to 100``."""
    options, sides = setup.options, len(setup.sides)
    return {
        GameEnd.POINTS: Phrase("first to %(points)s", points=winning_total(options, sides)),
        GameEnd.ROUNDS: Phrase("one round")
        if options.game_rounds == 1
        else Phrase("%(game_rounds)s rounds", game_rounds=options.game_rounds),
        GameEnd.BEST_OF: (
            Phrase("one round")
            if options.best_of == 1
            else Phrase("best of %(best_of)s rounds", best_of=options.best_of)
        ),
    }[options.game_end]


def format_amounts(setup: MatchSetup, values: Sequence[int]) -> str:
    """A number for each side, such as ``Ann 45, Bob 20``."""
    return join_amounts(setup.sides, values)


def join_amounts(names: Iterable[str], values: Iterable[int]) -> Phrase:
    """Names with their numbers, such as ``Ann 45, Bob 20``."""
    pairs = zip(names, values, strict=True)
    return join(
        ", ", (Phrase("%(name)s %(amount)s", name=name, amount=value) for name, value in pairs)
    )


def _describe_shot(setup: MatchSetup, event: ShotPlayed) -> str:
    what = {"legal": Phrase("shot"), "foul": Phrase("foul")}.get(event.verdict, event.verdict)
    if event.faults:
        faults = join("; ", map(call_fault, event.faults))
        what = Phrase("%(action)s (%(faults)s)", action=what, faults=faults)
    if any(event.twenties):
        twenties = format_amounts(setup, event.twenties)
        what = Phrase("%(action)s, 20s: %(twenties)s", action=what, twenties=twenties)
    return Phrase("%(name)s: %(action)s", name=setup.players[event.player], action=what)


def _describe_round_score(setup: MatchSetup, event: RoundScored) -> str:
    if event.points is None:
        return Phrase("Round scored from the recorded shots")
    return Phrase(
        "Round scored: %(points)s (%(source)s)",
        points=format_amounts(setup, event.points),
        source=SOURCE_WORDS[event.source],
    )


def _describe_change(setup: MatchSetup, event: DiscCorrected | Ruled) -> str:
    zone = None if event.zone is None else Phrase("is worth %(zone)s", zone=event.zone)
    side = None if event.side is None else Phrase("is %(side)s's", side=setup.sides[event.side])
    change = join(Phrase(" and "), filter(None, (zone, side)))
    return Phrase("disc %(disc)s %(change)s", disc=event.disc, change=change) if event.disc else ""


def _describe_ruling(setup: MatchSetup, event: Ruled) -> str:
    changed = _describe_change(setup, event)
    said = [event.decision]
    if changed and (event.zone is not None or event.side is not None):
        said.append(changed)
    if any(event.twenties):
        said.append(Phrase("20s: %(twenties)s", twenties=format_amounts(setup, event.twenties)))
    return Phrase(
        "Ruling on dispute %(dispute)s: %(decision)s",
        dispute=event.dispute,
        decision=join("; ", said),
    )


def _describe_twenty(setup: MatchSetup, event: TwentyCounted) -> str:
    what = (
        Phrase("20 added for %(name)s") if event.change > 0 else Phrase("20 removed for %(name)s")
    )
    return what.put(name=setup.sides[event.side])


def _describe_round_start(_setup: MatchSetup, event: RoundStarted) -> str:
    if event.minutes is None:
        return Phrase("Round started")
    return (
        Phrase("Round started, 1 minute")
        if event.minutes == 1
        else Phrase("Round started, %(minutes)s minutes", minutes=event.minutes)
    )


def _describe_sighting(_setup: MatchSetup, event: CameraSaw) -> str:
    seen = event.sighting
    if seen.what is SightingKind.SHOT:
        return Phrase(
            "Shot %(number)s, %(colour)s (camera)", number=seen.number, colour=term(seen.colour)
        )
    if seen.what is SightingKind.TWENTY:
        return Phrase("20, %(colour)s (camera)", colour=term(seen.colour))
    if seen.is_over:
        return Phrase("Round over (the camera's score counts)")
    return Phrase("End of round (camera)")


def _describe_colours(setup: MatchSetup, event: ColoursChosen) -> str:
    known = [
        Phrase("%(name)s: %(colour)s", name=name, colour=term(colour))
        for name, colour in zip(setup.sides, event.colours, strict=False)
        if colour
    ]
    colours = join(", ", known) or Phrase("unknown")
    if event.round == 1:
        return Phrase("Disc colours: %(colours)s", colours=colours)
    return Phrase(
        "Disc colours from round %(round)s on: %(colours)s", round=event.round, colours=colours
    )


_DESCRIBERS: dict[type[Any], Callable[[MatchSetup, Any], str]] = {
    MatchStarted: lambda setup, _event: Phrase(
        "Match: %(sides)s", sides=join(Phrase(" against "), setup.sides)
    ),
    StarterChosen: lambda setup, event: Phrase(
        "%(player)s starts the round", player=setup.players[event.player]
    ),
    RoundStarted: _describe_round_start,
    ShotPlayed: _describe_shot,
    TwentyCounted: _describe_twenty,
    FoulCalled: lambda setup, event: Phrase(
        "Foul called on %(player)s: %(foul)s",
        player=setup.players[event.player],
        foul=event.foul.words,
    ),
    RoundScored: _describe_round_score,
    RoundCorrected: lambda setup, event: Phrase(
        "Round %(round)s corrected: %(points)s",
        round=event.round,
        points=format_amounts(setup, event.points),
    ),
    DiscCorrected: lambda setup, event: Phrase(
        "Corrected: %(change)s", change=_describe_change(setup, event)
    ),
    BoardCorrected: lambda _setup, event: Phrase(
        "Board scored as it is: %(about)s", about=event.about
    ),
    Disputed: lambda _setup, event: Phrase("Dispute: %(about)s", about=event.about),
    Ruled: _describe_ruling,
    TimeRanOut: lambda _setup, _event: Phrase("Time ran out"),
    ShootoutPlayed: lambda setup, event: Phrase(
        "Shoot-out, 20s: %(twenties)s", twenties=format_amounts(setup, event.twenties)
    ),
    MatchMoved: lambda _setup, event: Phrase(
        "Moved to board %(at_board)s", at_board=event.at_board
    ),
    CameraSaw: _describe_sighting,
    ColoursChosen: _describe_colours,
    StarterSeen: lambda setup, event: Phrase(
        "%(player)s started the round (shot first)", player=setup.players[event.player]
    ),
    StarterCorrected: lambda setup, event: Phrase(
        "%(player)s started round %(round)s",
        player=setup.players[event.player],
        round=event.round,
    ),
    TeamsNamed: lambda _setup, event: (
        Phrase("Team names: %(names)s", names=join(Phrase(" and "), filter(None, event.teams)))
        if any(event.teams)
        else Phrase("Team names removed")
    ),
    Undone: lambda _setup, _event: Phrase("Undone"),
}
