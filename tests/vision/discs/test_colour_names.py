"""The names that people give to colours of discs, in any light."""

from __future__ import annotations

import numpy as np
import pytest

from vision.discs.teams.colour_names import name_teams

#: sRGB, red first, of real discs.
COLOURS = {
    "cream": (230, 214, 178),
    "red": (158, 20, 20),
    "black": (13, 13, 14),
    "white": (224, 224, 217),
}


@pytest.mark.parametrize("light", [0.55, 0.75, 1.0])
@pytest.mark.parametrize("name", ["white", "cream", "red", "black"])
def test_white_is_white_in_dim_light_too(name: str, light: float) -> None:
    rgb = 255 * np.clip((np.array(COLOURS[name]) / 255) ** 2.2 * light, 0, 1) ** (1 / 2.2)
    assert name_teams([rgb])[0].colour_name == name


def test_a_new_team_takes_no_number_that_another_has() -> None:
    known = name_teams([np.array([230.0, 230.0, 230.0]), np.array([20.0, 20.0, 20.0])])[1:]
    assert [team.number for team in name_teams([np.array([200.0, 30.0, 30.0])], known)] == [1, 2]


@pytest.mark.parametrize("light", [0.5, 1.0, 1.8])
@pytest.mark.parametrize("name", ["red", "black"])
def test_a_face_that_mirrors_the_room_keeps_its_name(name: str, light: float) -> None:
    mirrored = (np.array(COLOURS[name]) / 255) ** 2.2 * light + 0.07
    assert name_teams([255 * mirrored ** (1 / 2.2)])[0].colour_name == name


def test_two_teams_of_one_colour_have_two_names() -> None:
    names = {team.colour_name for team in name_teams([np.array([75.0, 52.0, 38.0])] * 2)}
    assert len(names) == 2
    assert "brown" in names
