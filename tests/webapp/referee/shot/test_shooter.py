"""Whose disc was shot where nobody saw it lie still."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from rest_boards import BLACK, INWARD, WHITE, rested, track

from calibration.placed_disc import Team
from vision.discs.team_colours import bgr_to_weighted_lab
from webapp.referee.disc_identities import DiscNamer
from webapp.referee.shot.flick import Flick
from webapp.referee.shot.shooter import find_shooter

WOOD_BGR = np.array([130.0, 180.0, 210.0])


@pytest.mark.parametrize(
    ("team", "share", "is_doubtful"),
    [(BLACK, 0.9, False), (BLACK, 0.35, False), (WHITE, 0.9, False), (BLACK, 0.08, True)],
)
def test_a_disc_blurred_in_flight_is_of_the_team_whose_mixture_with_the_board_it_shows(
    team: Team, share: float, is_doubtful: bool
) -> None:
    bgr = share * np.array(team.colour_rgb[::-1]) + (1 - share) * WOOD_BGR
    flown = replace(track(INWARD), lab=bgr_to_weighted_lab(bgr))
    found = find_shooter(
        rested([], [], [flown]), Flick(track=flown, start=0), [], [WHITE, BLACK], DiscNamer()
    )
    assert found.is_team_doubtful is is_doubtful
    assert is_doubtful or found.disc.disc.team == team.number
