"""Which known team a disc is of that looks like none."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.placed_disc import DiscState, PlacedDisc, Team
from vision.track.at_rest.known_teams import match_slid

RED = Team(number=0, colour_rgb=(113, 31, 26), colour_name="red")
BLACK = Team(number=1, colour_rgb=(37, 25, 25), colour_name="black")
LIT_RED = Team(number=2, colour_rgb=(154, 2, 6), colour_name="orange")
BLUE = Team(number=2, colour_rgb=(40, 60, 150), colour_name="blue")


@pytest.mark.parametrize(
    ("looks", "end_mm", "team"),
    [
        (LIT_RED, (91.0, -60.0), 0),  # red, in the light of a window
        (LIT_RED, (-120.0, 40.0), 2),  # nobody saw it come
        (BLUE, (91.0, -60.0), 2),  # no more like one than like the other
    ],
)
def test_a_disc_that_slid_is_of_the_team_that_it_clearly_looks_most_like(
    looks: Team, end_mm: tuple[float, float], team: int
) -> None:
    ended = PlacedDisc(
        centre_mm=np.array([93.0, -64.0]),
        covariance_mm2=np.eye(2),
        team=looks.number,
        state=DiscState.FLAT,
    )
    known = (RED, BLACK)
    (read,) = match_slid([ended], (*known, looks), known, [np.array(end_mm)])
    assert read.team == team
