"""The number of unseen shots, from the turn and from the discs on the board."""

from __future__ import annotations

from played_matches import start

from scorer.match.events import DiscInZone
from scorer.match.fold import fold
from scorer.match.missed_shots import ask_about_missed, count_missed_shots, fit_board
from scorer.match.state import MatchState

STATE: MatchState = fold([start("nca", "two")])
STARTER = STATE.round.starter


def disc(name: str, side: int, zone: int = 10) -> DiscInZone:
    return DiscInZone(id=name, side=side, zone=zone)


def test_a_shot_of_the_side_whose_turn_it_is_missed_none() -> None:
    assert count_missed_shots(STATE, STARTER, (), (disc("1", STARTER),)) == 0


def test_a_shot_of_the_other_side_shows_that_the_first_was_missed() -> None:
    assert count_missed_shots(STATE, 1 - STARTER, (), (disc("1", 1 - STARTER),)) == 1


def test_discs_on_the_board_show_how_many_were_shot_before() -> None:
    before = (disc("1", STARTER), disc("2", STARTER))
    assert count_missed_shots(STATE, 1 - STARTER, before, before) == 3


def test_more_discs_than_anybody_has_fit_no_number_of_shots() -> None:
    many = tuple(disc(str(k), STARTER) for k in range(9))
    assert count_missed_shots(STATE, STARTER, many, many) is None


def test_discs_that_wait_on_the_starting_line_are_left_out_of_the_board() -> None:
    waiting = disc("2", STARTER, zone=0)
    assert fit_board(STATE, 1, (disc("1", STARTER), waiting)) == (disc("1", STARTER),)


def test_the_question_names_who_shot_and_counts_several() -> None:
    names = STATE.setup.players
    one, three = (ask_about_missed(STATE, count, "before shot 4") for count in (1, 3))
    assert names[STARTER] in one
    assert f"{names[STARTER]} 2, {names[1 - STARTER]} 1" in three
