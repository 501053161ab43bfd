"""The number of sides on a board, from the colours of discs in any light."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_discs import BLACK_BGR, RED_BGR, board_fit, draw, view_at
from paths import STILLS

from vision.discs.find_discs import find_discs
from vision.discs.teams.appearances import measure_apart_in_any_light
from vision.discs.teams.grouping import group_colours
from vision.discs.teams.team_colours import bgr_to_weighted_lab
from vision.io.frame import Frame, read_frame
from vision.read_photo import read_photo

#: sRGB, red first, of real discs.
COLOURS = {
    "natural": (204, 166, 115),
    "cream": (230, 214, 178),
    "red": (158, 20, 20),
    "blue": (26, 48, 115),
    "green": (50, 120, 65),
    "yellow": (225, 195, 60),
    "black": (13, 13, 14),
    "white": (224, 224, 217),
    "brown": (69, 46, 31),
}
WHITE_BGR, BLUE_BGR = (220, 225, 225), (170, 90, 35)


def faces(name: str, count: int, *, light: float = 1.0, mirrored: float = 0.0) -> np.ndarray:
    """Weighted Lab (count, 3) of discs of a colour, with the given light and reflection."""
    linear = (np.array(COLOURS[name]) / 255) ** 2.2
    varied = np.random.default_rng(3).normal(light, 0.03 * light, (count, 1))
    levels = 255 * np.clip(linear * varied + mirrored, 0, 1) ** (1 / 2.2)
    return bgr_to_weighted_lab(levels[:, ::-1].astype(np.float32))


@pytest.mark.parametrize(
    ("counts", "sizes"),
    [
        ({"red": 4, "black": 5}, [4, 5]),
        ({"red": 5, "white": 5, "black": 1}, [5, 5, 1]),
        ({"natural": 6, "black": 6, "red": 2}, [6, 2, 6]),
        ({"red": 5, "green": 5, "blue": 5, "black": 5}, [5, 5, 5, 5]),
        ({"yellow": 2, "white": 1, "blue": 3, "red": 1}, [1, 2, 1, 3]),
        ({"natural": 1, "brown": 1}, [1, 1]),
        ({"blue": 7}, [7]),
    ],
    ids=str,
)
def test_a_colour_is_a_side_however_few_discs_show_it(
    counts: dict[str, int], sizes: list[int]
) -> None:
    groups = group_colours(np.concatenate([faces(*count) for count in counts.items()]))
    assert sorted(np.bincount(groups.member)) == sorted(sizes)
    expected = np.repeat(np.arange(len(counts)), list(counts.values()))
    assert len(set(zip(groups.member, expected, strict=True))) == len(counts)
    assert not groups.is_open


@pytest.mark.parametrize("light", [0.4, 0.5, 1.0])
def test_a_side_that_lies_half_in_the_dark_is_one(light: float) -> None:
    dark = faces("red", 3, light=light)
    groups = group_colours(np.concatenate([faces("red", 4), dark, faces("black", 5)]))
    assert len(groups.centres) == 2


@pytest.mark.parametrize("mirrored", [0.02, 0.05, 0.1])
def test_a_black_disc_that_mirrors_a_window_stays_black(mirrored: float) -> None:
    shiny = faces("black", 1, mirrored=mirrored)
    groups = group_colours(np.concatenate([faces("red", 4), faces("black", 4), shiny]))
    assert len(groups.centres) == 2
    assert groups.member[-1] == groups.member[-2] != groups.member[0]


def test_two_woods_ten_grey_levels_apart_are_two_sides_and_open() -> None:
    noise_grey = np.array([[0.0], [1.0], [1.0], [2.0]])
    darker = bgr_to_weighted_lab(np.array((160.0, 205.0, 240.0)) + noise_grey)
    lighter = bgr_to_weighted_lab(np.array((171.0, 215.0, 249.0)) - noise_grey)
    groups = group_colours(np.concatenate([darker, lighter]))
    assert groups.member.tolist() == [1] * 4 + [0] * 4
    assert groups.is_open


def test_discs_in_light_that_fades_across_the_board_are_one_side() -> None:
    fading = np.concatenate([faces("natural", 1, light=light) for light in np.linspace(0.5, 1, 9)])
    groups = group_colours(fading)
    assert len(groups.centres) == 1
    assert not groups.is_open


@pytest.mark.parametrize("name", COLOURS)
def test_shade_and_gloss_explain_more_than_another_colour(name: str) -> None:
    lit = np.concatenate([faces(name, 1, light=0.5), faces(name, 1, mirrored=0.05)])
    others = np.concatenate([faces(other, 1) for other in COLOURS if other != name])
    own = measure_apart_in_any_light(lit, faces(name, 1))
    assert (own[:, 0] < measure_apart_in_any_light(lit, others).min(axis=1)).all()


def test_no_discs_are_no_group() -> None:
    groups = group_colours(np.zeros((0, 3)))
    assert groups.centres.shape == (0, 3)
    assert not groups.is_open


def test_one_disc_of_a_third_colour_is_a_side_of_its_own_and_a_person_is_asked_whose() -> None:
    placed = [(150.0, 30.0, RED_BGR), (60.0, -230.0, RED_BGR), (-120.0, 200.0, WHITE_BGR)]
    placed += [(-200.0, -20.0, WHITE_BGR), (-40.0, -150.0, BLACK_BGR)]
    view = view_at(20.0)
    reading = find_discs(draw(view, placed), board_fit(view), is_single=True)
    assert [team.colour_name for team in reading.teams] == ["white", "red", "black"]
    unclear = [disc for disc in reading.discs if not disc.has_clear_team]
    assert [reading.teams[disc.team].colour_name for disc in unclear] == ["black"]


def test_four_colours_are_four_sides() -> None:
    colours = (RED_BGR, WHITE_BGR, BLACK_BGR, BLUE_BGR)
    places = np.array([[150, 30], [60, -230], [-120, 200], [-200, -20], [-40, -150], [90, 120]])
    placed = [
        (float(x), float(y), colours[(i + k) % 4])
        for k, turn in enumerate((1, -1))
        for i, (x, y) in enumerate(places[:4] * turn + 25 * k)
    ]
    view = view_at(20.0)
    reading = find_discs(draw(view, placed), board_fit(view), is_single=True)
    assert len(reading.teams) == 4
    assert sorted(np.bincount([disc.team for disc in reading.discs])) == [2, 2, 2, 2]
    assert all(disc.has_clear_team for disc in reading.discs)


def test_discs_that_a_lamp_bleaches_stay_their_sides_and_are_asked_about() -> None:
    frame = read_frame(STILLS / "near_lines_on_both_sides.jpg")
    assert isinstance(frame, Frame)
    reading = read_photo(frame)
    assert np.bincount([disc.team for disc in reading.discs]).tolist() == [7, 5]
    unclear = [disc.team for disc in reading.discs if not disc.has_clear_team]
    assert unclear == [1, 1]
