"""Twenties with a profile that knows the empty hole: certain discs, questions, and empty holes."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest
from drawn_discs import BLACK_BGR, RED_BGR, SCATTERED, WOOD_BGR, Drawn, board_fit, draw, view_at

from calibration.board import EmptyHole
from calibration.placed_disc import DiscState, PlacedDisc
from calibration.pose import View
from scorer import zones
from vision.discs.find_discs import DiscReading, find_discs, measure_empty_hole
from vision.discs.hole.empty_hole import HoleFloor, compare_floor, describe_floor
from vision.discs.teams.team_colours import bgr_to_weighted_lab
from vision.reading import UnexplainedReason

Colour = tuple[int, int, int]
BROWN_BGR = (30, 45, 75)
#: A picture's gains for blue, green and red, and the power of its tone curve.
LIGHTS = [
    ((1.0, 1.0, 1.0), 1.0),
    ((0.55, 0.6, 0.65), 1.0),
    ((0.7, 0.9, 1.05), 1.0),
    ((1, 1, 1), 1.12),
]


def in_light(image: np.ndarray, gains: tuple[float, float, float], power: float) -> np.ndarray:
    return np.clip(255 * (image / 255 * gains) ** power, 0, 255).astype(np.uint8)


def measure(image: np.ndarray, view: View) -> EmptyHole | None:
    fit = board_fit(view)
    return measure_empty_hole(image, fit, find_discs(image, fit))


@cache
def picture(hole_bgr: Colour, sunk: Drawn | None, tilt_deg: float) -> np.ndarray:
    return draw(
        view_at(tilt_deg), SCATTERED, hole_bgr=hole_bgr, sunk=None if sunk is None else [sunk]
    )


@cache
def hole_of(hole_bgr: Colour) -> EmptyHole | None:
    """The stored appearance of an empty hole of the given colour."""
    return measure(picture(hole_bgr, None, 15.0), view_at(15.0))


def read(
    known: EmptyHole | None,
    hole_bgr: Colour,
    sunk: Drawn | None = None,
    *,
    tilt_deg: float = 25.0,
    light: tuple[tuple[float, float, float], float] = LIGHTS[0],
) -> DiscReading:
    image = in_light(picture(hole_bgr, sunk, tilt_deg), *light)
    return find_discs(image, board_fit(view_at(tilt_deg)), empty_hole=known)


def over_hole(reading: DiscReading) -> list[PlacedDisc]:
    return [disc for disc in reading.discs if np.hypot(*disc.centre_mm) < 20]


def is_asked(reading: DiscReading) -> bool:
    return any(item.reason is UnexplainedReason.HOLE for item in reading.unexplained)


@pytest.mark.parametrize("light", LIGHTS, ids=["as then", "dimmer", "warmer", "more contrast"])
def test_a_disc_in_a_known_hole_of_another_colour_is_surely_a_twenty(light) -> None:
    hole_bgr = (16, 20, 30)
    sunk = (0.4, -0.3, (48, 43, 188))  # a lamp's light on it
    (disc,) = over_hole(read(hole_of(hole_bgr), hole_bgr, sunk, light=light, tilt_deg=15.0))
    assert (disc.state, disc.team) == (DiscState.IN_HOLE, 0)
    assert disc.confidence >= zones.PARAMS.min_confidence


def test_the_same_disc_is_asked_about_where_nobody_knows_the_empty_hole() -> None:
    (disc,) = over_hole(read(None, (16, 20, 30), (0.4, -0.3, (48, 43, 188)), tilt_deg=15.0))
    assert disc.confidence < zones.PARAMS.min_confidence


@pytest.mark.parametrize(("known", "is_told"), [(True, True), (False, False)])
def test_a_disc_without_a_gap_that_nothing_shows_but_the_known_hole_is_asked_about(
    known: bool, is_told: bool
) -> None:
    hole_bgr, sunk = (75, 105, 150), (30, 30, 130)
    profile = hole_of(hole_bgr) if known else None
    reading = read(profile, sunk)  # a hole full of a shaded red, without a gap
    assert is_asked(reading) is is_told


@pytest.mark.parametrize("light", LIGHTS, ids=["as then", "dimmer", "warmer", "more contrast"])
@pytest.mark.parametrize("hole_bgr", [BROWN_BGR, (90, 60, 30), (75, 120, 150)])
def test_a_known_hole_that_is_empty_is_neither_a_disc_nor_asked_about(hole_bgr, light) -> None:
    reading = read(hole_of(hole_bgr), hole_bgr, light=light)
    assert over_hole(reading) == []
    assert not is_asked(reading)


def test_a_disc_of_the_holes_own_colour_is_never_certain_by_the_profile() -> None:
    hole_bgr = tuple(int(0.8 * c) for c in BLACK_BGR)
    reading = read(hole_of(hole_bgr), hole_bgr, (0.4, -0.3, BLACK_BGR))
    assert all(disc.confidence < zones.PARAMS.min_confidence for disc in over_hole(reading))


def test_a_disc_that_lies_in_the_hole_while_calibrating_is_not_kept_as_the_empty_hole() -> None:
    view = view_at(15.0)
    image = draw(view, SCATTERED, hole_bgr=(12, 14, 16), sunk=[(0.5, -0.3, RED_BGR)])
    assert measure(image, view) is None


def test_a_lone_disc_in_the_hole_of_an_empty_board_is_not_kept_either() -> None:
    view = view_at(15.0)
    image = draw(view, [], hole_bgr=(12, 14, 16), sunk=[(0.5, -0.3, RED_BGR)])
    assert measure(image, view) is None


def test_a_hole_seen_flat_or_from_afar_is_not_kept() -> None:
    image = draw(view_at(70.0), SCATTERED, hole_bgr=BROWN_BGR)
    assert measure(image, view_at(70.0)) is None
    view = view_at(15.0)
    small = cv2.resize(draw(view, SCATTERED), None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    assert measure(small, view.rescale(0.5)) is None


def test_what_looks_like_the_empty_hole_is_never_surely_a_twenty_of_its_colour() -> None:
    grey, ring = (80, 80, 82), (25, 25, 27)
    view = view_at(30.0)
    discs = [(x, y, grey if colour == BLACK_BGR else colour) for x, y, colour in SCATTERED]
    image = draw(view, discs, hole_bgr=ring, sunk=[(0.0, 0.0, (83, 83, 85))])
    surface_bgr = np.array(WOOD_BGR, float)
    floor = HoleFloor(floor_bgr=np.full((96, 3), 82.0), surface_bgr=surface_bgr)
    sure, asked = (
        over_hole(find_discs(image, board_fit(view), empty_hole=known))
        for known in (None, describe_floor(floor))
    )
    assert sure[0].confidence >= zones.PARAMS.min_confidence > asked[0].confidence


def test_light_changes_a_known_floor_and_discs_do_not_look_like_it() -> None:
    surface_bgr = np.array(WOOD_BGR, float)
    floor = HoleFloor(floor_bgr=np.tile([40.0, 55.0, 90.0], (96, 1)), surface_bgr=surface_bgr)
    known, teams = describe_floor(floor), bgr_to_weighted_lab(np.array([RED_BGR, BLACK_BGR]))
    for gains, power in LIGHTS:
        lit = HoleFloor(
            floor_bgr=in_light(floor.floor_bgr, gains, power).astype(float),
            surface_bgr=in_light(surface_bgr, gains, power).astype(float),
        )
        told = compare_floor(lit, known, teams)
        assert (told.is_like_empty, told.is_covered, told.may_be_disc) == (True, False, False)
    disc = replace(floor, floor_bgr=np.tile(np.array(RED_BGR, float), (96, 1)))
    told = compare_floor(disc, known, teams)
    assert (told.is_like_empty, told.is_covered, told.may_be_disc) == (False, True, True)
