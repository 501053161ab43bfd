"""Discs in and on the 20-hole, drawn and read: twenties, leaners, paint, and questions."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from drawn_discs import (
    BLACK_BGR,
    DISC,
    RED_BGR,
    SCATTERED,
    WOOD_BGR,
    Drawn,
    Leaner,
    board_fit,
    draw,
    leaner_at,
    view_at,
)

from calibration.board import BoardSpec
from calibration.placed_disc import DiscState, PlacedDisc
from scorer import zones
from vision.discs.detector_input import prepare_detector_input
from vision.discs.find_discs import DiscReading, _resolve_hole_duplicates, find_discs
from vision.discs.hole.appearance import HoleAppearance, measure_hole
from vision.discs.hole.empty_hole import HoleFloor, describe_floor
from vision.discs.hole.hole_classifier import is_sure_leaner
from vision.discs.hole.hole_pose_matcher import HoleMatch
from vision.discs.hole.pose_templates import (
    pose_in_hole,
    pose_leaners,
    pose_on_surface,
    render_masks,
)
from vision.discs.outline.contour import DiscGeometry
from vision.discs.teams.team_colours import bgr_to_weighted_lab
from vision.reading import UnexplainedReason

SHAPE = DiscGeometry(radius_mm=DISC.radius_mm, height_mm=DISC.height_mm)
HOLE_MM = BoardSpec().hole_radius_mm
Colour = tuple[int, int, int]
DARK_BGR = (12, 14, 16)


def over_hole(reading: DiscReading) -> list[PlacedDisc]:
    return [disc for disc in reading.discs if np.hypot(*disc.centre_mm) < 20]


def read(
    tilt_deg: float,
    *,
    hole_bgr: Colour = DARK_BGR,
    sunk: Drawn | None = None,
    leaner: Leaner | None = None,
) -> DiscReading:
    view = view_at(tilt_deg)
    inside = None if sunk is None else [sunk]
    image = draw(view, SCATTERED, hole_bgr=hole_bgr, sunk=inside, leaner=leaner)
    return find_discs(image, board_fit(view))


def test_a_disc_in_the_hole_with_a_gap_round_it_is_surely_a_twenty_of_its_team() -> None:
    (disc,) = over_hole(read(15.0, sunk=(0.5, -0.3, RED_BGR)))
    assert (disc.state, disc.team) == (DiscState.IN_HOLE, 0)
    assert disc.confidence >= zones.PARAMS.min_confidence


def test_discs_have_the_numbers_of_known_teams_even_if_one_is_missing() -> None:
    view = view_at(15.0)
    image = draw(view, SCATTERED, sunk=[(0.5, -0.3, RED_BGR)])
    first = find_discs(image, board_fit(view))
    known = tuple(replace(team, number=2 * team.number + 1) for team in first.teams)
    reading = find_discs(image, board_fit(view), known=known)
    assert [team.number for team in reading.teams] == [1, 3]
    assert [disc.team for disc in reading.discs] == [2 * disc.team + 1 for disc in first.discs]
    assert DiscState.IN_HOLE in {disc.state for disc in reading.discs}


def test_a_disc_in_the_hole_whose_gap_does_not_show_is_a_twenty_to_confirm() -> None:
    shaded_red = tuple(int(0.9 * c) for c in RED_BGR)  # the gap, nearly closed by glow and blur
    (disc,) = over_hole(read(15.0, hole_bgr=(75, 110, 165), sunk=(0.5, -0.3, shaded_red)))
    assert disc.state is DiscState.IN_HOLE
    assert disc.confidence < zones.PARAMS.min_confidence


def test_an_empty_holes_grey_floor_in_a_dark_ring_is_never_surely_a_grey_teams_twenty() -> None:
    view, grey, ring = view_at(12.0), (80, 80, 82), (55, 55, 57)
    discs = [(x, y, grey if colour == BLACK_BGR else colour) for x, y, colour in SCATTERED]
    image = draw(view, discs, hole_bgr=ring, sunk=[(0.0, 0.0, (83, 83, 85))])
    reading = find_discs(image, board_fit(view))
    assert len(reading.discs) >= len(SCATTERED)
    assert all(disc.confidence < zones.PARAMS.min_confidence for disc in over_hole(reading))


@pytest.mark.parametrize("colour", [RED_BGR, BLACK_BGR, (60, 70, 80)])
def test_an_empty_hole_is_no_disc_even_in_a_teams_colour(colour: Colour) -> None:
    assert over_hole(read(15.0, hole_bgr=colour)) == []


@pytest.mark.parametrize("red", [RED_BGR, (45, 58, 190)])
def test_a_hole_full_of_nearly_a_teams_colour_is_asked_about(red: Colour) -> None:
    told = read(15.0, hole_bgr=red).unexplained
    assert any(item.reason is UnexplainedReason.HOLE for item in told)


@pytest.mark.parametrize("sunk", [None, (0.5, -0.3, BLACK_BGR)])
def test_a_hole_as_black_as_a_teams_discs_is_asked_about_unless_it_is_known_empty(
    sunk: Drawn | None,
) -> None:
    view = view_at(30.0, 1200.0)
    image = draw(view, SCATTERED, hole_bgr=BLACK_BGR, sunk=[sunk] if sunk else None)
    alone = find_discs(image, board_fit(view))
    assert [spot.reason for spot in alone.unexplained] == [UnexplainedReason.DARK_HOLE]
    floor = HoleFloor(floor_bgr=np.array([BLACK_BGR], float), surface_bgr=np.array(WOOD_BGR))
    known = find_discs(image, board_fit(view), empty_hole=describe_floor(floor))
    assert known.unexplained == ()


@pytest.mark.parametrize("lit_red", [(50, 45, 200), (60, 55, 225), (70, 80, 235)])
def test_a_disc_in_the_hole_under_a_lamp_is_a_twenty_to_confirm(lit_red: Colour) -> None:
    (disc,) = over_hole(read(15.0, sunk=(0.5, -0.3, lit_red)))
    assert (disc.state, disc.team) == (DiscState.IN_HOLE, 0)
    assert disc.confidence < zones.PARAMS.min_confidence


def test_a_disc_of_no_teams_colour_in_the_hole_is_asked_about() -> None:
    reading = read(15.0, sunk=(0.5, -0.3, (150, 190, 255)))
    assert over_hole(reading) == []
    assert any(item.reason is UnexplainedReason.HOLE for item in reading.unexplained)


def test_a_disc_in_the_hole_in_light_of_its_own_is_a_twenty_to_confirm() -> None:
    (disc,) = over_hole(read(15.0, sunk=(0.5, -0.3, (95, 105, 245))))
    assert (disc.state, disc.team) == (DiscState.IN_HOLE, 0)
    assert disc.confidence < zones.PARAMS.min_confidence


def test_a_disc_in_the_hole_in_such_light_whose_gap_does_not_show_is_to_confirm_too() -> None:
    (disc,) = over_hole(read(15.0, hole_bgr=(95, 130, 190), sunk=(0.5, -0.3, (70, 80, 235))))
    assert (disc.state, disc.team) == (DiscState.IN_HOLE, 0)
    assert disc.confidence < zones.PARAMS.min_confidence


def test_a_gap_that_a_disc_before_it_hides_is_judged_by_the_rest() -> None:
    view = view_at(45.0)
    before_mm = np.array([[0.0, -(HOLE_MM + DISC.radius_mm + 1.0)]])
    discs = [*SCATTERED, (*before_mm[0], BLACK_BGR)]
    image = draw(view, discs, hole_bgr=DARK_BGR, sunk=[(0.5, -0.3, RED_BGR)])
    picture = prepare_detector_input(image, board_fit(view), None).picture
    teams_lab = bgr_to_weighted_lab(np.float32([RED_BGR, BLACK_BGR]))
    known, unknown = (
        measure_hole(picture, BoardSpec(), SHAPE, teams_lab, places_mm)
        for places_mm in (before_mm, np.zeros((0, 2)))
    )
    assert known.has_gap_all_round
    assert not unknown.has_gap_all_round


def test_a_bright_teams_colour_behind_a_faint_gap_is_a_twenty_to_confirm() -> None:
    faint_gap = tuple(int(0.78 * level) for level in RED_BGR)
    (disc,) = over_hole(read(15.0, hole_bgr=faint_gap, sunk=(0.5, -0.3, RED_BGR)))
    assert (disc.state, disc.team) == (DiscState.IN_HOLE, 0)
    assert disc.confidence < zones.PARAMS.min_confidence


@pytest.mark.parametrize("others", [[], [(-120.0, 60.0, BLACK_BGR)]], ids=["none", "black"])
@pytest.mark.parametrize(
    "over", [{"sunk": [(0.5, -0.3, RED_BGR)]}, {"leaner": (26.0, 30.0, RED_BGR)}], ids=str
)
def test_the_first_disc_of_its_side_is_asked_about_over_the_hole(others, over) -> None:
    view = view_at(15.0)
    image = draw(view, others, hole_bgr=DARK_BGR, **over)
    reading = find_discs(image, board_fit(view))
    assert len(reading.discs) == len(others)
    assert any(np.hypot(*spot.centre_mm) < 20 for spot in reading.unexplained)


@pytest.mark.parametrize("others", [[], [(-120.0, 60.0, RED_BGR)]], ids=["none", "red"])
def test_an_empty_hole_is_not_asked_about_before_both_sides_were_seen(others) -> None:
    view = view_at(15.0)
    reading = find_discs(draw(view, others, hole_bgr=DARK_BGR), board_fit(view))
    assert len(reading.discs) == len(others)
    assert reading.unexplained == ()


@pytest.mark.parametrize("view_deg", [0.0, 35.0])
def test_a_dark_hole_out_of_focus_is_no_disc_of_the_black_team(view_deg: float) -> None:
    view = view_at(view_deg)
    image = cv2.GaussianBlur(draw(view, SCATTERED, hole_bgr=(30, 30, 33)), (0, 0), 1.2)
    assert over_hole(find_discs(image, board_fit(view))) == []


@pytest.mark.parametrize("view_deg", [0.0, 20.0, 45.0])
@pytest.mark.parametrize("leaner", [(26.0, 30.0, RED_BGR), (33.0, 250.0, RED_BGR)])
def test_a_disc_that_leans_on_the_holes_edge_is_no_twenty(view_deg: float, leaner: Leaner) -> None:
    (disc,) = over_hole(read(view_deg, leaner=leaner))
    assert (disc.state, disc.team) == (DiscState.LEANING, 0)
    assert np.hypot(*(disc.centre_mm - leaner_at(leaner).base_mm[0, :2])) < 4.0


@pytest.mark.parametrize("turn_deg", [0.0, 120.0, 240.0])
def test_a_disc_that_leans_a_little_is_never_surely_a_twenty(turn_deg: float) -> None:
    (disc,) = over_hole(read(10.0, leaner=(17.0, turn_deg, RED_BGR)))
    is_sure = disc.confidence >= zones.PARAMS.min_confidence
    assert disc.state is DiscState.LEANING or not is_sure


@pytest.mark.parametrize(("gap_share", "is_sure"), [(0.38, False), (0.6, True)])
def test_from_above_the_wall_of_a_disc_that_leans_a_little_is_no_sure_gap(
    gap_share: float, is_sure: bool
) -> None:
    appearance = HoleAppearance(
        team=0,
        colour_distance=4.0,
        lab=np.array([20.0, 0.0, 0.0]),
        gap_darkness=12.0,
        gap_share=gap_share,
        gap_coverage=1.0,
        parallax_mm=1.0,
    )
    assert appearance.shows_gap_all_round
    assert appearance.is_surely_disc == is_sure


@pytest.mark.parametrize(("gap_darkness", "is_asked"), [(8.8, False), (14.0, True)])
def test_a_gap_blacker_than_a_holes_shade_may_be_one_on_most_sides_alone(
    gap_darkness: float, is_asked: bool
) -> None:
    appearance = HoleAppearance(
        team=0,
        colour_distance=34.0,
        lab=np.array([49.0, 30.0, 17.0]),
        gap_darkness=gap_darkness,
        gap_share=0.4,
        gap_coverage=0.73,
    )
    assert not appearance.has_black_gap
    assert appearance.may_show_black_gap == is_asked


def test_a_flat_disc_that_reaches_over_the_hole_is_no_leaner() -> None:
    view = view_at(40.0)
    image = draw(view, [*SCATTERED, (21.0, 6.0, RED_BGR)], hole_bgr=RED_BGR)
    (disc,) = [d for d in find_discs(image, board_fit(view)).discs if np.hypot(*d.centre_mm) < 30]
    assert disc.state is DiscState.FLAT


def match_leaner(leaner_score: float) -> HoleMatch:
    """A match that a leaning disc explains best, by the given margin."""
    return HoleMatch(
        team=0,
        leaner_score=leaner_score,
        flat_score=3.0,
        paint_score=2.9,
        empty_score=2.5,
        base_mm=np.array([7.0, 0.0]),
    )


@pytest.mark.parametrize(("gap_cover", "is_sure"), [(0.6, True), (0.96, False)])
def test_a_disc_with_a_gap_all_round_never_surely_leans(gap_cover: float, is_sure: bool) -> None:
    appearance = HoleAppearance(
        team=0,
        colour_distance=9.0,
        lab=np.array([30.0, 0.0, 0.0]),
        gap_darkness=17.0,
        gap_share=0.5,
        gap_coverage=gap_cover,
    )
    assert is_sure_leaner(appearance, match_leaner(3.3)) == is_sure


@pytest.mark.parametrize(
    ("distance_lab", "may_be_shade", "leaner_score", "is_sure"),
    [
        (9.0, False, 3.3, True),
        (14.0, False, 3.4, False),
        (9.0, True, 3.3, False),
        (14.0, True, 3.6, True),
    ],
    ids=["its colour", "another colour", "black in the hole's shade", "half a face more"],
)
def test_a_leaner_that_the_holes_middle_does_not_show_is_sure_by_far_more(
    distance_lab: float, may_be_shade: bool, leaner_score: float, is_sure: bool
) -> None:
    appearance = HoleAppearance(
        team=0,
        colour_distance=distance_lab,
        lab=np.array([3.0, 0.0, 0.0]),
        gap_darkness=0.1,
        gap_share=0.03,
        gap_coverage=0.3,
    )
    hole_match = match_leaner(leaner_score)
    assert is_sure_leaner(appearance, hole_match, may_be_shade=may_be_shade) == is_sure


@pytest.mark.parametrize(
    ("flat_mm", "leaner_mm", "left"),
    [
        ((7.0, 14.0), (8.0, 12.0), [DiscState.LEANING]),
        ((21.0, 6.0), (11.0, 4.0), [DiscState.FLAT]),
        ((40.0, 6.0), (8.0, 3.0), [DiscState.FLAT, DiscState.LEANING]),
    ],
    ids=["over the hole", "beside it", "two discs"],
)
def test_a_disc_that_was_read_twice_is_one(
    flat_mm: tuple[float, float], leaner_mm: tuple[float, float], left: list[DiscState]
) -> None:
    view = view_at(15.0)
    inputs = prepare_detector_input(draw(view, SCATTERED), board_fit(view), None)
    flat, leaner = (
        PlacedDisc(
            centre_mm=np.array(place), covariance_mm2=np.eye(2), team=0, state=state, confidence=1.0
        )
        for place, state in ((flat_mm, DiscState.FLAT), (leaner_mm, DiscState.LEANING))
    )
    assert [
        duplicate.state for duplicate in _resolve_hole_duplicates([flat], (leaner,), inputs)
    ] == left


def test_a_leaner_touches_the_floor_and_stays_within_the_hole_below_the_surface() -> None:
    tilts, turns = np.radians([12.0, 24.0, 36.0]), np.radians([0.0, 75.0])
    lying, pose = pose_leaners(tilts, turns, HOLE_MM, SHAPE)
    assert {round(float(turn), 6) for turn in pose[:, 1]} == {0.0, round(float(turns[1]), 6)}
    angle = np.linspace(0, 2 * np.pi, 721)
    for base, axis in zip(lying.base_mm, lying.axis, strict=True):
        across = np.cross(axis, (0.0, 0.0, 1.0)) / np.linalg.norm(np.cross(axis, (0.0, 0.0, 1.0)))
        rim = SHAPE.radius_mm * (
            np.cos(angle)[:, None] * across + np.sin(angle)[:, None] * np.cross(axis, across)
        )
        edge = base + rim
        assert -10.0 < edge[:, 2].min() < -5.0  # the floor of some holes
        assert np.hypot(*edge[edge[:, 2] < 0, :2].T).max() < HOLE_MM + 0.9


def test_from_straight_above_a_flat_disc_covers_its_own_circle_and_no_more() -> None:
    place = np.stack(np.meshgrid(np.arange(-25.0, 26.0), np.arange(-25.0, 26.0)), axis=-1)
    place = place.reshape(-1, 2)
    above = np.array([0.0, 0.0, 5000.0])
    (shown,) = render_masks(above, place, pose_on_surface(np.array([[3.0, 4.0]])), SHAPE, HOLE_MM)
    inside = np.hypot(*(place - (3.0, 4.0)).T) < SHAPE.radius_mm
    assert (shown == inside).mean() > 0.99


def test_a_disc_in_the_hole_is_hidden_by_the_holes_edge_in_a_flat_view() -> None:
    place = np.stack(np.meshgrid(np.arange(-25.0, 26.0), np.arange(-25.0, 26.0)), axis=-1)
    place = place.reshape(-1, 2)
    camera_mm = np.array([0.0, -1000.0, 600.0])
    deep = pose_in_hole(HOLE_MM, DiscGeometry(radius_mm=SHAPE.radius_mm, height_mm=4.0))
    shown = render_masks(
        camera_mm, place, deep, DiscGeometry(radius_mm=SHAPE.radius_mm, height_mm=4.0), HOLE_MM
    )
    assert not shown[:, np.hypot(*place.T) > HOLE_MM].any()
    assert shown.any(axis=1).all()
