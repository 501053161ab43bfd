"""Verdicts on boards with a disc that was not seen arriving."""

from __future__ import annotations

from dataclasses import replace

import pytest
from json_referee import JsonReferee
from rest_boards import BLACK, WHITE, disc, rested, track, verdicts

from calibration.placed_disc import PlacedDisc, Team
from scorer.rules.sets import rule_set
from vision.track.events import BoardAtRest

MISSED = track([(0.0, -304.0 + 33.0 * i) for i in range(9)], name="1")
BROWN = Team(number=2, colour_rgb=(110, 70, 40), colour_name="brown")


def lie(x_mm: float, y_mm: float, team: Team, confidence: float) -> PlacedDisc:
    """An object on the first board that looks like a disc with that confidence."""
    return replace(disc(x_mm, y_mm, team), confidence=confidence)


def with_brown(board: BoardAtRest) -> BoardAtRest:
    """The board, on which brown counts as a colour of discs."""
    return replace(board, board=replace(board.board, teams=(WHITE, BLACK, BROWN)))


def test_no_verdict_hangs_on_a_disc_that_nobody_saw_come() -> None:
    ghost, waiting = disc(60, 150, BLACK), disc(0, -304)
    referee = JsonReferee(rule_set("nca"))
    came, shot = verdicts(
        referee,
        rested([], []),
        rested([], [ghost]),
        rested([ghost], [ghost, waiting]),
        rested([ghost, waiting], [ghost, disc(0, -40)], [MISSED]),
    )
    assert came["verdict"] == "needs_review"
    assert shot["verdict"] == "needs_review"
    assert shot["doubts"] == ["black 1 is not a disc (it was not seen arriving)"]
    assert "If so, the shot is legal. If not, it is a foul" in shot["question"]


def test_a_disc_that_nobody_saw_come_is_one_once_it_was_seen_to_be_struck() -> None:
    ghost, struck, waiting = disc(60, 150, BLACK), disc(140, 190, BLACK), disc(0, -304)
    way = track([(60.0, 150.0), (100.0, 170.0), (140.0, 190.0)], name="0", t_s=1.1)
    striker = track([(0.0, -304.0), (20.0, -150.0), (40.0, 0.0), (50.0, 120.0)], name="1")
    referee = JsonReferee(rule_set("nca"))
    shots = verdicts(
        referee,
        rested([], []),
        rested([], [ghost]),
        rested([ghost], [ghost, waiting]),
        rested([ghost, waiting], [struck, disc(50, 120)], [striker, way]),
        rested([struck, disc(50, 120)], [struck]),
        rested([struck], [struck, waiting]),
        rested([struck, waiting], [struck, disc(0, -40)], [MISSED]),
    )
    assert shots[-1]["verdict"] == "foul"


def test_a_disc_that_lay_there_from_the_start_counts_like_any_other() -> None:
    lying, waiting = disc(60, 150, BLACK), disc(0, -304)
    (shot,) = verdicts(
        JsonReferee(rule_set("nca")),
        rested([], [lying, waiting]),
        rested([lying, waiting], [lying, disc(0, -40)], [MISSED]),
    )
    assert shot["verdict"] == "foul"


@pytest.mark.parametrize(
    ("confidences", "verdict"),
    [((0.98,), "needs_review"), ((0.98, 0.97), "foul"), ((0.8, 0.7), "needs_review")],
)
def test_a_foul_does_not_depend_on_what_lay_there_from_the_start_and_may_be_stains(
    confidences: tuple[float, ...], verdict: str
) -> None:
    """One printed disc may look like a real one; two discs that look certain are discs."""
    stains = [lie(60, 150 - 80 * i, BLACK, confidence) for i, confidence in enumerate(confidences)]
    mine, waiting = lie(-90, 40, WHITE, 0.98), disc(0, -304)
    missed = replace(MISSED, name=str(len(stains) + 1))
    (shot,) = verdicts(
        JsonReferee(rule_set("nca")),
        rested([], [*stains, mine, waiting]),
        rested([*stains, mine, waiting], [*stains, mine, disc(0, -40)], [missed]),
    )
    assert shot["verdict"] == verdict
    assert shot["faults"][0]["code"] == "no_contact"


def test_a_foul_does_not_depend_on_an_object_of_neither_sides_colour() -> None:
    """However much a print looks like a disc, neither side shoots discs of its colour."""
    stain, white, black = disc(60, 150, BROWN), disc(0, -304), disc(0, 304, BLACK)
    sunk = track([(0.0, -304.0 + 33.0 * i) for i in range(9)], name="1")
    back = track([(0.0, 304.0 - 33.0 * i) for i in range(9)], name="1")
    one, other = verdicts(
        JsonReferee(rule_set("nca")),
        *map(
            with_brown,
            [
                rested([], [stain, white]),
                rested([stain, white], [stain], [sunk]),
                rested([stain], [stain, black]),
                rested([stain, black], [stain, disc(0, 40, BLACK)], [back]),
            ],
        ),
    )
    assert (one["team"], other["team"]) == (WHITE.number, BLACK.number)
    assert other["verdict"] == "needs_review"
    assert other["doubts"] == ["brown 1 is not a disc (it was not seen arriving)"]


def test_a_stain_that_stays_does_not_keep_a_round_from_its_end() -> None:
    stain, white, black = lie(60, 150, BROWN, 0.7), disc(30, -80), disc(80, 60, BLACK)
    referee = JsonReferee(rule_set("nca"))
    boards = [rested([], [stain, white, black]), rested([stain, white, black], [stain])]
    first, *events = [
        event for board in boards for event in referee.handle_event(with_brown(board))
    ]
    assert first["type"] == "board"
    assert [event["type"] for event in events] == ["removal", "round"]
    assert events[1]["doubts"] == ["it is not clear whether brown 1 is a disc"]


@pytest.mark.parametrize(
    ("rules", "y_mm", "verdict"),
    [("nca", 307.0, "legal"), ("nca", 285.0, "foul"), ("traditional", 307.0, "foul")],
)
def test_the_other_sides_disc_that_waits_on_the_line_lies_not_on_the_board(
    rules: str, y_mm: float, verdict: str
) -> None:
    """The same holds for a light at the edge that looks like a disc; a disc completely inside the
    line counts, and a disc that the rules allow there may count.
    """
    opponent, waiting = disc(0, y_mm, BLACK), disc(0, -304)
    (shot,) = verdicts(
        JsonReferee(rule_set(rules)),
        rested([], [opponent, waiting]),
        rested([opponent, waiting], [opponent, disc(0, -40)], [MISSED]),
    )
    assert shot["verdict"] == verdict
    assert shot["remove"] == [] or verdict == "foul"


@pytest.mark.parametrize(
    ("x_mm", "y_mm", "verdict"),
    [(31.0, -307.0, "foul"), (52.0, -326.0, "foul"), (31.0, -285.0, "needs_review")],
    ids=["on the line", "over the edge", "inside"],
)
def test_to_send_off_what_lay_on_the_line_beside_the_disc_that_was_shot_is_no_contact(
    x_mm: float, y_mm: float, verdict: str
) -> None:
    """A finger there may look like the other side's disc and disappears with the flick; a disc
    completely inside the line may have been on the board.
    """
    finger, waiting = disc(x_mm, y_mm, BLACK), disc(0, -304)
    shot_out = track([(0.0, -304.0 + 30.0 * i) for i in range(7)] + [(0.0, -130.0)] * 3, name="1")
    (shot,) = verdicts(
        JsonReferee(rule_set("nca")),
        rested([], [finger, waiting]),
        rested([finger, waiting], [disc(0, -130)], [shot_out]),
    )
    assert shot["verdict"] == verdict


def test_what_ended_on_the_edge_and_lies_there_still_leaves_the_board_open() -> None:
    """It does not count, whether it is a disc that should have been removed or a light that looks
    like one.
    """
    theirs, mine = disc(40, -302, BLACK), disc(0, -304)
    ended = disc(40, 312, BLACK)
    crossed = track([(40.0, -302.0 + 30.7 * i) for i in range(21)], name="0")
    one, other = verdicts(
        JsonReferee(rule_set("nca")),
        rested([], [theirs]),
        rested([theirs], [ended], [crossed]),
        rested([ended], [ended, mine]),
        rested([ended, mine], [ended, disc(0, -40)], [MISSED]),
    )
    assert [row["id"] for row in one["remove"]] == ["black 1"]
    assert other["verdict"] == "legal"
