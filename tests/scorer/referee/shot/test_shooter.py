"""The owner of a shot disc that was not seen at rest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from rest_boards import BLACK, INWARD, WHITE, disc, ready, rested, track

from calibration.placed_disc import Team
from scorer.referee.disc_identities import DiscNamer, NamedDisc
from scorer.referee.shot.flick import Flick
from scorer.referee.shot.shooter import find_shooter
from scorer.referee.shot.shot_evidence import KnownBoard, collect_evidence
from vision.discs.teams.team_colours import bgr_to_weighted_lab

WOOD_BGR = np.array([130.0, 180.0, 210.0])


@pytest.mark.parametrize("team", [BLACK, WHITE])
def test_a_disc_that_nobody_saw_at_rest_is_of_the_team_it_looks_like_and_is_asked_about(
    team: Team,
) -> None:
    bgr = 0.9 * np.array(team.colour_rgb[::-1]) + 0.1 * WOOD_BGR
    flown = replace(track(INWARD), lab=bgr_to_weighted_lab(bgr))
    found = find_shooter(
        rested([], [], [flown]), Flick(track=flown, start=0), [], [WHITE, BLACK], DiscNamer()
    )
    assert found.disc.disc.team == team.number
    assert found.is_team_doubtful


@pytest.mark.parametrize(
    ("lay_mm", "was_placed"), [((-90.0, -292.0), True), ((292.0, 90.0), False)]
)
def test_a_fast_disc_is_the_one_that_lay_ready_about_there_and_is_gone(
    lay_mm: tuple[float, float], was_placed: bool
) -> None:
    """It was too blurred to show its colour, and was first seen more than two diameters from
    there.
    """
    grey = bgr_to_weighted_lab(0.1 * np.array(BLACK.colour_rgb[::-1]) + 0.9 * WOOD_BGR)
    flown = replace(track([(20.0, -298.0), (45.0, -150.0), (70.0, -20.0)]), lab=grey)
    found = find_shooter(
        rested([disc(*lay_mm)], [], [flown]),
        Flick(track=flown, start=0),
        [ready(*lay_mm)],
        [WHITE, BLACK],
        DiscNamer(),
    )
    assert found.was_placed is was_placed
    assert found.is_team_doubtful is not was_placed


@pytest.mark.parametrize(
    ("ends_mm", "team", "is_doubtful"),
    [((0.0, -40.0), BLACK, False), ((90.0, -40.0), WHITE, True)],
    ids=["it lies where its track ends", "it is gone"],
)
def test_a_disc_of_no_clear_team_is_of_the_team_that_it_shows_where_it_comes_to_lie(
    ends_mm: tuple[float, float], team: Team, is_doubtful: bool
) -> None:
    waited = replace(disc(*INWARD[0]), has_clear_team=False)
    flown = track(INWARD, name="0")
    board = rested([waited], [disc(*ends_mm, BLACK)], [flown])
    lay = [NamedDisc(name="white 1", disc=waited)]
    found = find_shooter(board, Flick(track=flown, start=0), lay, [WHITE, BLACK], DiscNamer())
    assert found.disc.name == "white 1"
    assert (found.disc.disc.team, found.is_team_doubtful) == (team.number, is_doubtful)


@pytest.mark.parametrize(("last", "is_doubtful"), [(BLACK, False), (WHITE, True), (None, True)])
def test_a_disc_of_no_clear_team_that_left_is_of_the_team_that_it_seemed_if_it_is_its_turn(
    last: Team | None, is_doubtful: bool
) -> None:
    waited = replace(disc(*INWARD[0]), has_clear_team=False)
    flown = track(INWARD, name="0")
    known = KnownBoard(
        discs=[NamedDisc(name="white 1", disc=waited)],
        teams=[WHITE, BLACK],
        previous=None,
        last=None if last is None else last.number,
    )
    flick = Flick(track=flown, start=0)
    shot = collect_evidence(rested([waited], [], [flown]), flick, known, DiscNamer())
    assert shot.is_team_doubtful is is_doubtful
