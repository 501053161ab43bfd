"""The arguments of ``crokinole match`` as events of the match.

Players, sides, discs and fouls are read as a person writes them in a terminal. Whatever cannot be
read raises ``MatchError`` with one sentence, and ``UsageError`` where no match could make it right.
"""

from __future__ import annotations

import argparse
import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from scorer.match.colours import choose_colour
from scorer.match.events import (
    ColoursChosen,
    DiscInZone,
    Disputed,
    Event,
    FoulCalled,
    MatchError,
    MatchStarted,
    RoundCorrected,
    RoundScored,
    Ruled,
    ScoreSource,
    ShootoutPlayed,
    StarterChosen,
    StarterCorrected,
    TimeRanOut,
)
from scorer.match.fold import fold
from scorer.match.state import MatchSetup, MatchState
from scorer.match.turns import list_starters, sides_of
from scorer.rules.choices import CalledFoul, FirstStarter, Format
from scorer.rules.fault_codes import FaultCode
from scorer.texts import quote
from webapp.cli.argument_values import UsageError
from webapp.cli.match_report import format_amounts

if TYPE_CHECKING:
    from scorer.photo.round_points import RoundPoints


def parse_option(text: str) -> tuple[str, str]:
    """The name and the value of NAME=VALUE."""
    name, sign, value = text.partition("=")
    if not sign:
        raise UsageError(f"--option {text} has no value; write NAME=VALUE.")
    return name.strip(), value.strip()


def build_setup(arguments: argparse.Namespace) -> tuple[MatchStarted, list[str]]:
    """The setup of ``match new``, and notes on who starts.

    Raises ``UsageError``: nothing but the arguments decides whether a match can begin so.
    """
    try:
        return _build_setup(arguments)
    except MatchError as error:
        raise UsageError(str(error)) from None


def _build_setup(arguments: argparse.Namespace) -> tuple[MatchStarted, list[str]]:
    names = tuple(arguments.players)
    by_count = {2: Format.TWO, 3: Format.THREE_SETS, 4: Format.TEAMS}
    format_ = Format(  # type: ignore[call-arg]  # by value, which the enum's metaclass allows
        arguments.format or by_count.get(len(names), Format.TWO)
    )
    setup = MatchStarted(
        rules=arguments.rules,
        format=format_,
        players=names,
        options=tuple(parse_option(each) for each in arguments.option),
        games=arguments.games,
        colours=tuple(arguments.colours),
    )
    options = fold([setup]).setup.options
    wanted, able = (
        arguments.starter,
        list_starters(format_, options),
    )
    if wanted is None:
        is_draw = options.first_starter is FirstStarter.DRAW
        hint = "By these rules a draw says who starts: `--starter draw` draws."
        return setup, [hint] if is_draw else []
    if wanted.lower() == "draw" and wanted not in names:
        drawn = secrets.choice(able)
        return replace(setup, starter=drawn), [f"The draw: {names[drawn]} starts."]
    starter = find_player(names, wanted)
    if starter not in able:
        starting = " or ".join(names[k] for k in able)
        raise MatchError(
            f"{wanted} plays alone and shoots after each of the others; name {starting}."
        )
    return replace(setup, starter=starter), []


def parse_faults(verdict: str, given: Sequence[str]) -> tuple[str, ...]:
    """The rules that a shot broke, by their names; a legal shot broke none but sent a disc out."""
    codes = [each.strip().lower().replace(" ", "_").replace("-", "_") for each in given]
    for text, code in zip(given, codes, strict=True):
        if code not in set(FaultCode):
            raise UsageError(
                f"There is no fault {quote(text)}; choose from {', '.join(FaultCode)}."
            )
    if verdict == "legal" and set(codes) - {FaultCode.OUT_OF_BOUNDS}:
        raise UsageError("A legal shot has no fault but out_of_bounds; say foul, or leave it out.")
    return tuple(codes)


def find_player(names: Sequence[str], name: str) -> int:
    """Which of the players has this name."""
    if name in names:
        return list(names).index(name)
    raise MatchError(f"{name} does not play; choose from {', '.join(names)}.")


def parse_board_disc(setup: MatchSetup, text: str) -> DiscInZone:
    """The disc of DISC:SIDE:ZONE."""
    name, _, rest = text.partition(":")
    side, _, zone = rest.rpartition(":")
    if not (name and side and zone.isascii() and zone.isdigit()):
        raise UsageError(f"{text} is no disc; write DISC:SIDE:ZONE, such as a1:Ann:15.")
    return DiscInZone(id=name, side=_find_side(setup, side), zone=int(zone))


def _find_side(setup: MatchSetup, name: str) -> int:
    """The side by its name, one of its players or the colour of its discs."""
    for names in (setup.sides, setup.colours):
        if name in names:
            return names.index(name)
    for side, players in enumerate(sides_of(setup.format)):
        if name in (setup.players[player] for player in players):
            return side
    raise MatchError(f"{name} is no side; choose from {', '.join((*setup.sides, *setup.colours))}.")


def find_side(setup: MatchSetup, name: str | None) -> int | None:
    """The side of that name; None where none is given."""
    return None if name is None else _find_side(setup, name)


def read_round_photo(
    arguments: argparse.Namespace, state: MatchState
) -> tuple[RoundPoints | None, list[str]]:
    """The round that the picture shows, and notes on it; points given by hand need no picture."""
    if arguments.photo is None:
        return None, []
    other = ("shootout", "starter", "plays", "started", "foul", "dispute", "ruling", "time")
    if any(getattr(arguments, name) for name in other):
        raise UsageError("A picture tells a round's points and nothing else; leave --photo out.")
    setup, by_hand = state.setup, tuple(arguments.points)
    counted = () if by_hand or arguments.correct else state.round.twenties
    from scorer.photo.round_points import score_round_photo  # all that reads pictures comes with it

    try:
        photo = score_round_photo(
            arguments.photo,
            setup,
            colours=arguments.colours,
            twenties_aside=() if by_hand else arguments.twenties or (),
            twenties_counted=counted,
            profile=arguments.profile,
        )
    except MatchError as error:
        if not by_hand:
            raise
        return None, [str(error), "The points are entered as given."]
    points_text = f"{arguments.photo} tells {format_amounts(setup.sides, photo.points)}"
    if by_hand:
        return photo, [f"{points_text}.", "The points are entered as given."]
    if not arguments.twenties and any(counted):
        return photo, [f"{points_text}, with the 20s that were counted in the round."]
    aside = "with" if arguments.twenties else "without"
    return photo, [f"{points_text}, {aside} 20s beside the board (--twenties)."]


def build_event(
    arguments: argparse.Namespace,
    state: MatchState,
    photo: RoundPoints | None,
) -> Event:
    """The event of ``match add``: a round, or what else happened."""
    names, has_shots = state.setup.players, state.round.shot_count > 0
    points = tuple(arguments.points)
    twenties = tuple(arguments.twenties or [0] * len(points))
    source = ScoreSource.HAND
    if photo is not None and not points:
        points, twenties, source = photo.points, photo.twenties, ScoreSource.PHOTO
    if arguments.shootout:
        return ShootoutPlayed(twenties=tuple(arguments.shootout))
    if arguments.starter:
        return StarterChosen(player=find_player(names, arguments.starter))
    if arguments.foul:
        return _build_foul(names, *arguments.foul)
    if arguments.plays:
        colour, name = arguments.plays
        side = _find_side(state.setup, name)
        return ColoursChosen(colours=choose_colour(state.setup, side, colour))
    if arguments.started:
        number, name = arguments.started
        return StarterCorrected(round=_parse_round(number), player=find_player(names, name))
    if arguments.dispute:
        return Disputed(about=arguments.dispute)
    if arguments.ruling:
        return _build_ruling(*arguments.ruling)
    if arguments.time:
        return TimeRanOut()
    if arguments.correct is not None:
        if source is ScoreSource.HAND and arguments.twenties is None:
            twenties = _twenties_of_round(state, arguments.correct) or twenties
        return RoundCorrected(
            round=arguments.correct, points=points, twenties=twenties, source=source
        )
    if not points and has_shots:
        return RoundScored(source=ScoreSource.SHOTS)
    if not points:
        raise MatchError("Give each side's points, such as `crokinole match add 60 45`.")
    return RoundScored(points=points, twenties=twenties, source=source)


def _twenties_of_round(state: MatchState, number: int) -> tuple[int, ...] | None:
    """The 20s that a round has; None where there is no such round."""
    return state.rounds[number - 1].twenties if 1 <= number <= len(state.rounds) else None


def _parse_round(number: str) -> int:
    if not (number.isascii() and number.isdigit()):
        raise UsageError(f"{number} is no number of a round; rounds are numbered from 1.")
    return int(number)


def _build_ruling(number: str, decision: str) -> Ruled:
    if not (number.isascii() and number.isdigit()):
        raise UsageError(f"{number} is no dispute's number; `crokinole match show` tells them.")
    return Ruled(dispute=int(number), decision=decision)


def _build_foul(names: Sequence[str], player: str, foul: str) -> FoulCalled:
    plain = foul.strip().lower().replace("_", "-").replace(" ", "-")
    if plain not in set(CalledFoul):
        raise UsageError(f"There is no foul {foul}; choose from {', '.join(CalledFoul)}.")
    called = CalledFoul(plain)  # type: ignore[call-arg]
    return FoulCalled(player=find_player(names, player), foul=called)
