"""The arguments of ``crokinole match`` as events of the match.

Players, sides, discs and fouls are read as typed in a terminal. Unreadable input raises
``MatchError`` with one sentence, or ``UsageError`` if no match could make it valid.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

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
    TeamsNamed,
    TimeRanOut,
)
from scorer.match.fold import fold
from scorer.match.sighting_entries import end_as_seen
from scorer.match.state import MatchSetup, MatchState
from scorer.match.turns import list_starters, sides_of
from scorer.rules.choices import CalledFoul, FirstStarter, Format
from scorer.rules.fault_codes import FaultCode
from scorer.texts import quote
from webapp.cli.argument_values import refuse_if
from webapp.cli.match_report import format_amounts

if TYPE_CHECKING:
    from scorer.photo.round_points import RoundPoints

_FORMATS = {2: Format.TWO, 3: Format.THREE_SETS, 4: Format.TEAMS}


def build_setup(
    players: tuple[str, ...],
    rules: str,
    seating: str | None,
    options: Sequence[str],
    starter: str | None,
    games: int,
    colours: tuple[str, ...],
    teams: tuple[str, ...],
) -> tuple[MatchStarted, list[str]]:
    """The setup of ``match new``, and notes on the starter.

    Raises ``UsageError``, because only the arguments decide whether a match can begin.
    """
    refuse_if(
        *(
            ("=" not in option, f"--option {option} has no value. Use NAME=VALUE.")
            for option in options
        )
    )
    pairs = [option.partition("=") for option in options]
    setup = MatchStarted(
        rules=rules,
        format=Format(seating or _FORMATS.get(len(players), Format.TWO)),  # type: ignore[call-arg]
        players=players,
        options=tuple((name.strip(), value.strip()) for name, _, value in pairs),
        games=games,
        colours=colours,
        teams=teams,
    )
    try:
        return _choose_starter(setup, starter)
    except MatchError as error:
        raise click.UsageError(str(error)) from None


def _choose_starter(setup: MatchStarted, wanted: str | None) -> tuple[MatchStarted, list[str]]:
    options, names = fold([setup]).setup.options, setup.players
    able = list_starters(setup.format, options)
    if wanted is None:
        is_draw = options.first_starter is FirstStarter.DRAW
        hint = (
            "In these rules, a draw decides who starts. Enter its winner with "
            "`crokinole match add --starter PLAYER`."
        )
        return setup, [hint] if is_draw else []
    if wanted.lower() == "draw" and wanted not in names:
        drawn = secrets.choice(able)
        return replace(setup, starter=drawn), [f"The draw: {names[drawn]} starts."]
    starter = find_player(names, wanted)
    if starter not in able:
        raise MatchError(
            f"{wanted} plays alone and shoots after each opponent, so "
            f"{' or '.join(names[k] for k in able)} must start."
        )
    return replace(setup, starter=starter), []


def parse_faults(verdict: str, given: Sequence[str]) -> tuple[str, ...]:
    """The rules that a shot broke, by name; none for a legal shot that sent a disc out."""
    codes = [text.strip().lower().replace(" ", "_").replace("-", "_") for text in given]
    refuse_if(
        *(
            (
                code not in set(FaultCode),
                f"There is no fault {quote(text)}. Choose from {', '.join(FaultCode)}.",
            )
            for text, code in zip(given, codes, strict=True)
        ),
        (
            verdict == "legal" and set(codes) - {FaultCode.OUT_OF_BOUNDS},
            (
                "A legal shot can only have the fault out_of_bounds. Enter foul, or leave the "
                "fault out."
            ),
        ),
    )
    return tuple(codes)


def find_player(names: Sequence[str], name: str) -> int:
    """The player with this name."""
    if name in names:
        return list(names).index(name)
    raise MatchError(f"{name} is not a player in this match. Choose from {', '.join(names)}.")


def parse_board_disc(setup: MatchSetup, text: str) -> DiscInZone:
    """The disc of DISC:SIDE:ZONE."""
    name, _, rest = text.partition(":")
    side, _, zone = rest.rpartition(":")
    if not (name and side and zone.isascii() and zone.isdigit()):
        raise click.UsageError(f"{text} is not a disc. Use DISC:SIDE:ZONE, such as a1:Ann:15.")
    return DiscInZone(id=name, side=find_side(setup, side), zone=int(zone))


def find_side(setup: MatchSetup, name: str) -> int:
    """The side with this name, with this player, or with discs of this colour."""
    for names in (setup.sides, setup.colours):
        if name in names:
            return names.index(name)
    for side, players in enumerate(sides_of(setup.format)):
        if name in (setup.players[player] for player in players):
            return side
    raise MatchError(
        f"{name} is not a side. Choose from {', '.join((*setup.sides, *setup.colours))}."
    )


def build_ruling(
    setup: MatchSetup,
    dispute: int,
    decision: str,
    disc: str | None,
    twenty: str | None,
    zone: int | None,
    side: str | None,
) -> Ruled:
    """The ruling of ``match rule``."""
    for_side = None if twenty is None else find_side(setup, twenty)
    twenties = (
        () if for_side is None else tuple(int(side == for_side) for side in range(len(setup.sides)))
    )
    return Ruled(
        dispute=dispute,
        decision=decision,
        disc=disc,
        zone=zone,
        side=None if side is None else find_side(setup, side),
        twenties=twenties,
    )


def build_entry(
    state: MatchState,
    points: tuple[int, ...],
    twenties: tuple[int, ...],
    photo: str | None,
    colours: tuple[str, ...],
    profile: Path | None,
    correct: int | None,
    **other: object,
) -> tuple[Event, list[str]]:
    """The event of ``match add``, and notes on a picture: a round's score, or another entry.

    Raises ``MatchError`` if the match does not allow it, and ``UsageError``.
    """
    if other.pop("over"):
        return end_as_seen(state), []
    for name, value in other.items():
        if value and photo is not None:
            raise click.UsageError("A photo gives only a round's points. Leave out --photo.")
        if value:
            return _OTHER_EVENTS[name](state.setup, value), []
    given, source, notes = twenties, ScoreSource.HAND, list[str]()
    if photo is not None:
        wanted = not points
        read, notes = _read_photo(state, photo, points, twenties, colours, profile, correct)
        if read is not None and wanted:
            points, twenties, source = read.points, read.twenties, ScoreSource.PHOTO
    twenties = twenties or (0,) * len(points)
    if correct is not None:
        if source is ScoreSource.HAND and not given:
            is_played = 1 <= correct <= len(state.rounds)
            twenties = state.rounds[correct - 1].twenties if is_played else twenties
        event: Event = RoundCorrected(
            round=correct, points=points, twenties=twenties, source=source
        )
    elif points:
        event = RoundScored(points=points, twenties=twenties, source=source)
    elif state.round.shot_count:
        event = RoundScored(source=ScoreSource.SHOTS)
    else:
        raise MatchError("Enter the sides' points, such as `crokinole match add 60 45`.")
    return event, notes


def _read_photo(
    state: MatchState,
    photo: str,
    points: tuple[int, ...],
    twenties: tuple[int, ...],
    colours: tuple[str, ...],
    profile: Path | None,
    correct: int | None,
) -> tuple[RoundPoints | None, list[str]]:
    """The points and 20s in the picture, and notes on it.

    Points typed by hand need no picture.
    """
    from scorer.photo.round_points import score_round_photo  # this loads all that reads pictures

    counted = () if points or correct else state.round.twenties
    try:
        read = score_round_photo(
            photo,
            state.setup,
            colours=colours,
            twenties_aside=() if points else twenties,
            twenties_counted=counted,
            profile=profile,
        )
    except MatchError as error:
        if not points:
            raise
        return None, [str(error), "Your points were entered instead."]
    shown = f"{photo} shows {format_amounts(state.setup.sides, read.points)}"
    if points:
        return read, [f"{shown}.", "Your points were entered instead."]
    if not twenties and any(counted):
        return read, [f"{shown}, including the 20s counted during the round."]
    aside = "with" if twenties else "without"
    return read, [f"{shown}, {aside} 20s beside the board (--twenties)."]


def _build_foul(names: Sequence[str], player: str, foul: str) -> FoulCalled:
    plain = foul.strip().lower().replace("_", "-").replace(" ", "-")
    if plain not in set(CalledFoul):
        raise click.UsageError(f"There is no foul {foul}. Choose from {', '.join(CalledFoul)}.")
    called = CalledFoul(plain)  # type: ignore[call-arg]
    return FoulCalled(player=find_player(names, player), foul=called)


#: What ``match add`` can add besides a round's score, by option.
_OTHER_EVENTS: dict[str, Callable[[MatchSetup, Any], Event]] = {
    "shootout": lambda _, twenties: ShootoutPlayed(twenties=twenties),
    "starter": lambda setup, name: StarterChosen(player=find_player(setup.players, name)),
    "plays": lambda setup, given: ColoursChosen(
        colours=choose_colour(setup, find_side(setup, given[1]), given[0])
    ),
    "teams": lambda _, teams: TeamsNamed(teams=teams),
    "started": lambda setup, given: StarterCorrected(
        round=given[0], player=find_player(setup.players, given[1])
    ),
    "dispute": lambda _, about: Disputed(about=about),
    "ruling": lambda _, given: Ruled(dispute=given[0], decision=given[1]),
    "time": lambda *_: TimeRanOut(),
    "foul": lambda setup, given: _build_foul(setup.players, *given),
}
