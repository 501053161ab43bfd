"""Teams of nearly one colour: distinguished if another picture of the match showed them."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_discs import board_fit, draw, view_at

from vision.discs.find_discs import find_discs

#: Two woods that differ by 10 grey levels, blue first.
CREAM_BGR, NATURAL_BGR = (160, 200, 228), (150, 190, 218)
PLACES_MM = (
    (0, 60),
    (-140, -40),
    (120, 90),
    (60, -200),
    (-60, 150),
    (150, -90),
    (-200, 120),
    (10, -120),
)


def draw_discs(colours: tuple[tuple[int, int, int], ...], gain: float = 1.0) -> np.ndarray:
    discs = [(*at, colours[k % len(colours)]) for k, at in enumerate(PLACES_MM)]
    image = draw(view_at(25.0), discs, noise_grey=1.0)
    return np.clip(image * gain, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("gain", [1.0, 0.9, 1.05])
def test_two_woods_of_an_earlier_picture_are_told_apart_without_a_question(gain: float) -> None:
    fit = board_fit(view_at(25.0))
    first = find_discs(draw_discs((CREAM_BGR, NATURAL_BGR)), fit, is_single=True)
    assert len(first.teams) == 2
    # it is not known yet that two sides play
    assert not all(disc.has_clear_team for disc in first.discs)
    image = draw_discs((CREAM_BGR, NATURAL_BGR), gain)
    again = find_discs(image, fit, is_single=True, earlier=first.teams)
    assert [team.colour_name for team in again.teams] == [team.colour_name for team in first.teams]
    assert not again.has_open_teams
    assert all(disc.has_clear_team for disc in again.discs)
    team_at = {tuple(np.rint(disc.centre_mm / 10)): disc.team for disc in again.discs}
    assert len(team_at) == len(PLACES_MM)
    light = {team_at[x // 10, y // 10] for x, y in PLACES_MM[::2]}
    dark = {team_at[x // 10, y // 10] for x, y in PLACES_MM[1::2]}
    assert (len(light), len(dark), light & dark) == (1, 1, set())


def test_one_wood_alone_stays_one_team_whatever_an_earlier_picture_showed() -> None:
    fit = board_fit(view_at(25.0))
    first = find_discs(draw_discs((CREAM_BGR, NATURAL_BGR)), fit, is_single=True)
    alone = find_discs(draw_discs((CREAM_BGR,)), fit, is_single=True, earlier=first.teams)
    assert len(alone.teams) == 1


@pytest.mark.parametrize("scoring", [1, 2])
def test_how_many_sides_play_is_asked_only_where_two_discs_score(scoring: int) -> None:
    away = [(-318.0, 20.0), (225.0, 225.0), (20.0, -318.0), (-225.0, -225.0), (318.0, 20.0)]
    places = [*PLACES_MM[:scoring], *away]
    colours = (CREAM_BGR, NATURAL_BGR)
    discs = [(x, y, colours[k % 2]) for k, (x, y) in enumerate(places)]
    image = draw(view_at(25.0), discs, noise_grey=1.0)
    reading = find_discs(image, board_fit(view_at(25.0)), is_single=True)
    assert len(reading.discs) == len(discs)
    assert reading.has_open_teams == (scoring > 1)
