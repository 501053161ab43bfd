"""The discs of a round in play: their number, and the events that change them."""

from __future__ import annotations

from dataclasses import replace

from calibration.phrase import Phrase
from scorer.match.events import DiscInZone, MatchError
from scorer.match.scoring import Amounts
from scorer.match.state import MatchSetup, RoundState
from scorer.match.turns import player_to_shoot, sides_of
from scorer.zone_values import ZONES


def add_twenties(one: Amounts, other: Amounts, setup: MatchSetup) -> Amounts:
    """The sum of two counts of 20s, by side. Raises ``MatchError``."""
    if len(other) != len(setup.sides) or min(other) < 0:
        raise MatchError(Phrase("Enter each side's 20s for this shot, 0 or more."))
    return tuple(a + b for a, b in zip(one, other, strict=True))


def replace_twenties(setup: MatchSetup, play: RoundState, twenties: Amounts) -> RoundState:
    """The round with those 20s by side, if its discs can make them.

    Raises ``MatchError``. If no shots are entered, they are limited only by the number of a side's
    discs.
    """
    for name, most, twenty in zip(setup.sides, setup.discs, twenties, strict=True):
        if twenty not in range(most + 1):
            raise MatchError(
                Phrase("%(name)s: 20s in a round must be from 0 to %(most)s.", name=name, most=most)
            )
    changed = replace(play, twenties=twenties)
    return replace_board(setup, changed, play.board) if play.shot_count else changed


def replace_board(setup: MatchSetup, play: RoundState, board: tuple[DiscInZone, ...]) -> RoundState:
    """The round with that board, if the discs that were shot can make it."""
    if len({disc.id for disc in board}) != len(board):
        raise MatchError(Phrase("A disc is listed twice. List each disc once."))
    for disc in board:
        if disc.side not in range(len(setup.sides)):
            raise MatchError(
                Phrase(
                    "Disc %(id)s is assigned to side %(side)s, which does not exist. "
                    "Choose a side of this match.",
                    id=disc.id,
                    side=disc.side,
                )
            )
        if disc.zone not in ZONES:
            raise MatchError(
                Phrase(
                    "Disc %(id)s is in zone %(zone)s. Choose 15, 10, 5 or 0.",
                    id=disc.id,
                    zone=disc.zone,
                )
            )
    for side, players in enumerate(sides_of(setup.format)):
        shot = sum(play.shots[player] for player in players)
        present = sum(disc.side == side for disc in board) + play.twenties[side]
        if present > shot:
            raise MatchError(
                Phrase(
                    "%(side)s: %(discs)s counted, but only %(shots)s shot. "
                    "Correct the board, or enter the missing shots first.",
                    side=setup.sides[side],
                    discs=Phrase("1 disc")
                    if present == 1
                    else Phrase("%(count)s discs", count=present),
                    shots=shot,
                )
            )
    return replace(play, board=board)


def skip_shots(setup: MatchSetup, play: RoundState, count: int) -> RoundState:
    """The round with the given number of further shots, in the order of turns, without details."""
    shots = list(play.shots)
    for shot in range(play.shot_count, play.shot_count + count):
        shots[player_to_shoot(setup.format, play.starter, shot)] += 1
    return replace(play, shots=tuple(shots))


def change_disc(
    board: tuple[DiscInZone, ...], disc: str, zone: int | None, side: int | None
) -> tuple[DiscInZone, ...]:
    """The board with a disc in another zone, or of another side. Raises ``MatchError``."""
    if all(placed.id != disc for placed in board):
        raise MatchError(
            Phrase("Disc %(disc)s cannot be corrected, because it is not on the board.", disc=disc)
        )
    return tuple(
        placed
        if placed.id != disc
        else replace(
            placed,
            zone=placed.zone if zone is None else zone,
            side=placed.side if side is None else side,
        )
        for placed in board
    )
