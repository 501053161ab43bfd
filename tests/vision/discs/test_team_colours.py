"""Teams' colours in different light."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.placed_disc import Team
from vision.discs.teams.team_colours import (
    bgr_to_weighted_lab,
    find_new_colours,
    merge_known_teams,
    weighted_lab_to_bgr,
)

#: sRGB, red first, of real discs.
COLOURS = {
    "natural": (204, 166, 115),
    "cream": (230, 214, 178),
    "red": (158, 20, 20),
    "blue": (26, 48, 115),
    "black": (13, 13, 14),
    "white": (224, 224, 217),
    "brown": (69, 46, 31),
}


def lab(*names: str, light: float = 1.0) -> np.ndarray:
    """Weighted Lab (n, 3) of colours, with the light multiplied by a factor."""
    rgb = np.array([COLOURS[name] for name in names]) / 255
    levels = 255 * np.clip(rgb**2.2 * light, 0, 1) ** (1 / 2.2)
    return bgr_to_weighted_lab(levels[:, ::-1].astype(np.float32))


@pytest.mark.parametrize("light", [0.55, 1.0, 1.8])
@pytest.mark.parametrize("name", ["natural", "red", "blue", "black", "brown"])
def test_a_disc_in_the_shade_or_the_sun_is_of_its_own_team(name: str, light: float) -> None:
    assert not find_new_colours(lab(name, light=light), lab(name)).any()


@pytest.mark.parametrize(
    ("known", "other"),
    [
        ("natural", "cream"),
        ("black", "brown"),
        ("white", "cream"),
        ("natural", "brown"),
        ("black", "white"),
        ("blue", "black"),
    ],
)
def test_the_second_team_may_have_nearly_the_first_ones_colour(known: str, other: str) -> None:
    assert find_new_colours(lab(other), lab(known)).all()


def test_a_third_team_must_differ_more_than_a_second_one() -> None:
    assert not find_new_colours(lab("cream"), lab("natural", "black")).any()
    assert find_new_colours(lab("red"), lab("natural", "black")).all()
    assert find_new_colours(np.zeros((0, 3)), lab("natural")).shape == (0,)


@pytest.mark.parametrize(("seen", "count"), [(["black", "white", "red"], 3), (["black"], 2)])
def test_a_new_team_has_a_disc_whose_colour_is_its_own(seen: list[str], count: int) -> None:
    """The mean of several colours may resemble none of them, and would give a team without a
    disc.
    """
    known = tuple(
        Team(number=i, colour_rgb=COLOURS[name], colour_name=name)
        for i, name in enumerate(("black", "white"))
    )
    assert len(merge_known_teams(lab("red"), known, lab(*seen))) == count


def test_weighted_lab_and_srgb_are_each_others_inverse() -> None:
    bgr = np.array([[r, g, b] for r in (0, 3, 90, 255) for g in (0, 128, 255) for b in (2, 200)])
    there = bgr_to_weighted_lab(bgr.astype(np.float32))
    assert weighted_lab_to_bgr(there) == pytest.approx(bgr, abs=0.02)
