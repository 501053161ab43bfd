"""What the arguments of ``crokinole match`` tell, as events of the match.

Knows how a person writes players, sides, discs and fouls in a terminal, and when a picture tells a
round. Whatever cannot be read raises ``MatchError`` with one sentence.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from scorer.match_events import (
    BoardDisc,
    Disputed,
    Event,
    FoulCalled,
    MatchError,
    RoundCorrected,
    RoundScored,
    Ruled,
    ShootoutPlayed,
    Source,
    StarterChosen,
    TimeRanOut,
)
from scorer.match_state import Setup
from scorer.match_turns import sides_of
from scorer.rules.options import CalledFoul
from webapp.match_photo import PhotoRound, round_of_photo
from webapp.match_report import amounts


def option(text: str) -> tuple[str, str]:
    """The name and the value that NAME=VALUE tells."""
    name, sign, value = text.partition("=")
    if not sign:
        raise MatchError(f"--option {text} has no value; write NAME=VALUE.")
    return name.strip(), value.strip()


def player_number(names: Sequence[str], name: str) -> int:
    """Which of the players has this name."""
    if name in names:
        return list(names).index(name)
    raise MatchError(f"{name} does not play; choose from {', '.join(names)}.")


def board_disc(setup: Setup, text: str) -> BoardDisc:
    """The disc that DISC:SIDE:ZONE tells."""
    name, _, rest = text.partition(":")
    side, _, zone = rest.rpartition(":")
    if not (name and side and zone.isascii() and zone.isdigit()):
        raise MatchError(f"{text} is no disc; write DISC:SIDE:ZONE, such as a1:Ann:15.")
    return BoardDisc(id=name, side=_side(setup, side), zone=int(zone))


def _side(setup: Setup, name: str) -> int:
    """The side that a name, one of its players or the colour of its discs tells."""
    for names in (setup.sides, setup.colours):
        if name in names:
            return names.index(name)
    for side, players in enumerate(sides_of(setup.format)):
        if name in (setup.players[player] for player in players):
            return side
    raise MatchError(f"{name} is no side; choose from {', '.join((*setup.sides, *setup.colours))}.")


def side_or_none(setup: Setup, name: str | None) -> int | None:
    """The side of that name; None where none is told."""
    return None if name is None else _side(setup, name)


def photographed(
    arguments: argparse.Namespace, setup: Setup
) -> tuple[PhotoRound | None, list[str]]:
    """What the picture tells, and what to say of it; points given by hand need no picture."""
    if arguments.photo is None:
        return None, []
    other = ("shootout", "starter", "foul", "dispute", "ruling", "time")
    if any(getattr(arguments, name) for name in other):
        raise MatchError("A picture tells a round's points and nothing else; leave --photo out.")
    by_hand = tuple(arguments.points)
    try:
        seen = round_of_photo(
            arguments.photo,
            setup,
            colours=arguments.colours,
            twenties_aside=() if by_hand else arguments.twenties or (),
            profile=arguments.profile,
        )
    except MatchError as error:
        if not by_hand:
            raise
        return None, [str(error), "The points are entered as given."]
    told = f"{arguments.photo} tells {amounts(setup.sides, seen.points)}"
    if by_hand:
        return seen, [f"{told}.", "The points are entered as given."]
    aside = "with" if arguments.twenties else "without"
    return seen, [f"{told}, {aside} 20s beside the board (--twenties)."]


def event_told(
    arguments: argparse.Namespace,
    names: Sequence[str],
    seen: PhotoRound | None,
    *,
    has_shots: bool,
) -> Event:
    """What ``match add`` tells: a round, or what else happened."""
    points = tuple(arguments.points)
    twenties = tuple(arguments.twenties or [0] * len(points))
    source = Source.HAND
    if seen is not None and not points:
        points, twenties, source = seen.points, seen.twenties, Source.PHOTO
    if arguments.shootout:
        return ShootoutPlayed(twenties=tuple(arguments.shootout))
    if arguments.starter:
        return StarterChosen(player=player_number(names, arguments.starter))
    if arguments.foul:
        return _called(names, *arguments.foul)
    if arguments.dispute:
        return Disputed(about=arguments.dispute)
    if arguments.ruling:
        return _ruled(*arguments.ruling)
    if arguments.time:
        return TimeRanOut()
    if arguments.correct is not None:
        return RoundCorrected(
            round=arguments.correct, points=points, twenties=twenties, source=source
        )
    if not points and has_shots:
        return RoundScored(source=Source.SHOTS)
    if not points:
        raise MatchError("Give each side's points, such as `crokinole match add 60 45`.")
    return RoundScored(points=points, twenties=twenties, source=source)


def _ruled(number: str, decision: str) -> Ruled:
    if not (number.isascii() and number.isdigit()):
        raise MatchError(f"{number} is no dispute's number; `crokinole match show` tells them.")
    return Ruled(dispute=int(number), decision=decision)


def _called(names: Sequence[str], player: str, foul: str) -> FoulCalled:
    if foul not in set(CalledFoul):
        raise MatchError(f"There is no foul {foul}; choose from {', '.join(CalledFoul)}.")
    called = CalledFoul(foul)  # type: ignore[call-arg]
    return FoulCalled(player=player_number(names, player), foul=called)
