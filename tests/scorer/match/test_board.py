"""A round's board is one that the discs shot so far can make, and corrections keep it so."""

from __future__ import annotations

import pytest
from played_matches import played, shot

from scorer.match.board import (
    add_twenties,
    change_disc,
    replace_board,
    replace_twenties,
    skip_shots,
)
from scorer.match.events import DiscInZone, MatchError

ANN, BOB = DiscInZone(id="a", side=0, zone=15), DiscInZone(id="b", side=1, zone=5)
#: One shot by each of two players.
STATE = played(shot(0, ANN), shot(1, ANN, BOB))
SETUP, ROUND = STATE.setup, STATE.round


def disc(name: str, side: int = 0, zone: int = 10) -> DiscInZone:
    return DiscInZone(id=name, side=side, zone=zone)


@pytest.mark.parametrize(
    "board",
    [
        (disc("a"), disc("a", side=1)),
        (disc("a", side=2),),
        (disc("a", zone=20),),
        (disc("a"), disc("c")),
    ],
    ids=["a disc twice", "no such side", "no such zone", "more discs than were shot"],
)
def test_a_board_that_cannot_be_is_refused(board: tuple[DiscInZone, ...]) -> None:
    with pytest.raises(MatchError):
        replace_board(SETUP, ROUND, board)


def test_a_board_that_can_be_replaces_the_one_that_was() -> None:
    assert replace_board(SETUP, ROUND, (BOB,)).board == (BOB,)


@pytest.mark.parametrize(
    ("twenties", "may_be"), [((0, 0), True), ((1, 0), False), ((13, 0), False), ((-1, 0), False)]
)
def test_twenties_and_discs_together_are_at_most_the_shots(
    twenties: tuple[int, int], may_be: bool
) -> None:
    if may_be:
        assert replace_twenties(SETUP, ROUND, twenties).twenties == twenties
    else:
        with pytest.raises(MatchError):
            replace_twenties(SETUP, ROUND, twenties)


@pytest.mark.parametrize("other", [(1,), (1, -1)])
def test_twenties_that_are_added_are_of_every_side_and_not_negative(other: tuple[int, ...]) -> None:
    assert add_twenties((1, 2), (0, 3), SETUP) == (1, 5)
    with pytest.raises(MatchError):
        add_twenties((1, 2), other, SETUP)


@pytest.mark.parametrize(("count", "shots"), [(0, (1, 1)), (1, (2, 1)), (3, (3, 2))])
def test_skipped_shots_are_the_players_in_turn(count: int, shots: tuple[int, int]) -> None:
    assert skip_shots(SETUP, ROUND, count).shots == shots


def test_a_corrected_disc_keeps_what_was_not_corrected() -> None:
    assert change_disc((ANN, BOB), "b", 10, None) == (ANN, disc("b", side=1, zone=10))
    assert change_disc((ANN, BOB), "b", None, 0) == (ANN, disc("b", side=0, zone=5))
    with pytest.raises(MatchError):
        change_disc((ANN, BOB), "c", 10, None)
