"""Which known team a disc is of that looks like none."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_frame import grained_board, sheet_from_above

from calibration.disc import DiscSpec
from calibration.placed_disc import DiscState, PlacedDisc, Team
from vision.discs.find_discs import DiscReading
from vision.track.at_rest.known_teams import (
    match_moved,
    replace_mistaken_team,
    split_one_team,
)

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
    (read,) = match_moved([ended], (*known, looks), known, [np.array(end_mm)])
    assert read.team == team


@pytest.mark.parametrize(
    ("sights", "state", "others", "teams"),
    [
        ({0: 9, 1: 1}, DiscState.FLAT, [], [0, 1]),
        ({0: 9, 1: 3}, DiscState.FLAT, [], [0, 1, 2]),
        ({0: 2, 1: 1}, DiscState.FLAT, [], [0, 1, 2]),  # either may be the one
        ({0: 9, 1: 1}, DiscState.FLAT, [BLACK], [0, 1, 2]),
        ({0: 9, 1: 1}, DiscState.IN_HOLE, [], [0, 1, 2]),  # the hole's own colour
    ],
    ids=["seen once", "seen often", "both seen little", "lies there", "in the hole"],
)
def test_a_side_that_was_seen_under_fingers_has_the_third_ones_colour(
    sights: dict[int, int], state: DiscState, others: list[Team], teams: list[int]
) -> None:
    lie = [
        PlacedDisc(
            centre_mm=np.zeros(2), covariance_mm2=np.eye(2), team=each.number, state=each_state
        )
        for each, each_state in ((BLUE, state), *((other, DiscState.FLAT) for other in others))
    ]
    discs, found = replace_mistaken_team(lie, (RED, BLACK, BLUE), (RED, BLACK), sights)
    assert [each.number for each in found] == teams
    assert discs[0].team == teams[-1]
    assert found[discs[0].team].colour_name == "blue"


@pytest.mark.parametrize(
    ("greys", "shade", "teams"),
    [
        ((20, 68, 70), 1.0, [0, 1, 1]),  # a colourless film of black and red discs
        ((20, 68), 1.0, [0, 0]),  # as when the team was learned
        ((20, 44, 70), 1.0, [0, 0, 0]),  # no two heaps
        ((22, 24, 60), 0.4, [0, 0, 0]),  # two of the same lie in a shadow
    ],
)
def test_one_team_of_two_colours_is_two(
    greys: tuple[int, ...], shade: float, teams: list[int]
) -> None:
    sheet = sheet_from_above()
    image = grained_board(sheet, np.array([150.0, 150.0, 150.0]), 3, 2).astype(np.float64)
    places = [(-120.0, 40.0), (-60.0, 150.0), (130.0, -50.0)][: len(greys)]
    for grey, place in zip(greys, places, strict=True):
        image[sheet.disc_mask(np.array([place]), 15.9) > 0] = grey
    image[:, : image.shape[1] // 2] *= shade
    if shade < 1:
        image[sheet.disc_mask(np.array(places[:2]), 15.9) > 0] = 60 * shade
    known = Team(number=0, colour_rgb=(37, 37, 37), colour_name="black")
    discs = [
        PlacedDisc(centre_mm=np.array(each), covariance_mm2=np.eye(2), team=0, state=DiscState.FLAT)
        for each in places
    ]
    reading = DiscReading(teams=(known,), discs=tuple(discs), disc=DiscSpec())
    told = split_one_team(reading, (known,), sheet, image.astype(np.uint8))
    assert [disc.team for disc in told.discs] == teams
    assert len(told.teams) == 1 + max(teams)
