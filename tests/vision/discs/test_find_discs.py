"""Discs drawn exactly on a board, found again to a fraction of a millimetre."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from drawn_discs import (
    BLACK_BGR,
    DISC,
    PALE_BGR,
    RED_BGR,
    SCATTERED,
    SIZE_PX,
    WOOD_BGR,
    Drawn,
    board_fit,
    draw,
    view_at,
)

from calibration.disc import DiscSpec
from calibration.placed_disc import DiscState, PlacedDisc
from calibration.pose import View
from scorer import zones
from vision.discs.classification import PARAMS as CLASSIFICATION
from vision.discs.classification import classify_discs
from vision.discs.detector_input import (
    BoardPart,
    OtherPictures,
    Proposals,
    prepare_detector_input,
)
from vision.discs.disc_hypotheses import (
    find_disc_hypotheses,
    select_sure_discs,
)
from vision.discs.find_discs import (
    DiscReading,
    find_discs,
    find_unexplained_regions,
)
from vision.discs.radius_estimate import SharpCircles, estimate_radius
from vision.discs.teams.team_colours import bgr_to_weighted_lab
from vision.reading import UnexplainedReason


def read(view: View, discs: list[Drawn]) -> DiscReading:
    return find_discs(draw(view, discs), board_fit(view))


@pytest.mark.parametrize("tilt_deg", [0.0, 20.0, 40.0, 55.0])
def test_feet_are_found_to_a_fraction_of_a_millimetre_at_any_tilt(tilt_deg: float) -> None:
    reading = read(view_at(tilt_deg), SCATTERED)
    assert len(reading.discs) == len(SCATTERED)
    for x, y, _ in SCATTERED:
        error = min(np.hypot(*(d.centre_mm - (x, y))) for d in reading.discs)
        assert error < 0.7


def test_discs_of_one_colour_are_one_team_and_the_lighter_team_comes_first() -> None:
    reading = read(view_at(15.0), SCATTERED)
    assert [team.colour_name for team in reading.teams] == ["red", "black"]
    for x, y, colour in SCATTERED:
        nearest = min(reading.discs, key=lambda d: float(np.hypot(*(d.centre_mm - (x, y)))))
        assert nearest.team == (0 if colour == RED_BGR else 1)


def test_discs_of_another_set_in_the_ditch_are_no_team() -> None:
    """Otherwise the black disc would count as one of the brown ones, with their colour."""
    white, brown, ditch_mm = (225, 230, 230), (50, 75, 95), 365.0
    turns = np.radians(np.arange(100.0, 220.0, 20.0))
    spare = [(float(ditch_mm * np.cos(t)), float(ditch_mm * np.sin(t)), brown) for t in turns]
    played = [(50.0, 60.0, white), (-90.0, 40.0, white), (40.0, -110.0, BLACK_BGR)]
    reading = read(view_at(0.0), [*played, *spare])
    shown = {disc.team for disc in reading.discs}
    teams = [np.array(team.colour_rgb) for team in reading.teams if team.number in shown]
    assert len(teams) == 2
    assert np.abs(teams[1] - BLACK_BGR[::-1]).max() < 10


def test_touching_discs_stay_apart() -> None:
    row = [(100.0 + 2 * DISC.radius_mm * k, 120.0, RED_BGR) for k in range(4)]
    reading = read(view_at(30.0), row)
    assert len(reading.discs) == 4


def test_an_empty_board_has_no_discs_and_no_teams() -> None:
    reading = read(view_at(25.0), [])
    assert reading.discs == ()
    assert reading.teams == ()


def test_a_disc_over_the_edge_of_the_surface_is_overhanging() -> None:
    reading = read(view_at(10.0), [*SCATTERED, (0.0, 322.0, RED_BGR)])
    states = [d.state for d in reading.discs if d.centre_mm[1] > 300]
    assert states == [DiscState.OVERHANGING]


def test_a_picture_of_one_flat_colour_has_no_discs() -> None:
    image = np.full((SIZE_PX[1], SIZE_PX[0], 3), 127, np.uint8)
    assert find_discs(image, board_fit(view_at(10.0))).discs == ()


def test_discs_of_the_woods_own_brightness_are_found_by_their_hue() -> None:
    pale = [(x, y, PALE_BGR) for x, y, _ in SCATTERED]
    assert len(read(view_at(10.0), pale).discs) == len(pale)


WIDE = DiscSpec(radius_mm=20.0, height_mm=11.0)


def test_home_made_discs_are_found_by_the_radius_that_their_circles_share() -> None:
    view = view_at(10.0)
    inputs = prepare_detector_input(draw(view, SCATTERED, disc=WIDE), board_fit(view), None)
    assert inputs.shape.radius_mm == pytest.approx(WIDE.radius_mm, abs=0.7)
    assert len(select_sure_discs(find_disc_hypotheses(inputs), inputs)) == len(SCATTERED)


@pytest.mark.parametrize(("surest", "count"), [(2.6, 0), (3.4, len(SCATTERED))])
def test_discs_are_sure_only_where_one_of_them_is_very_sure(surest: float, count: int) -> None:
    view = view_at(10.0)
    inputs = prepare_detector_input(draw(view, SCATTERED), board_fit(view), None)
    found = find_disc_hypotheses(inputs)
    is_disc = found.rim_scores.log_odds > 2.2
    capped = np.where(is_disc, 2.4, found.rim_scores.log_odds)
    capped[np.argmax(found.rim_scores.log_odds)] = surest
    doubtful = replace(found, rim_scores=replace(found.rim_scores, log_odds=capped))
    assert len(select_sure_discs(doubtful, inputs)) == count


def test_the_radius_is_the_one_that_most_circles_share() -> None:
    radius = np.array([20.03, 20.03, 20.03, 14.0])
    circles = SharpCircles(base_mm=np.zeros((4, 2)), radius_mm=radius, quality=np.ones(4))
    shared = estimate_radius(circles)
    assert shared == pytest.approx(20.03, abs=0.01)  # the grid of trial radii is ten times coarser


def test_a_hard_shadow_neither_moves_its_disc_nor_becomes_one() -> None:
    view = view_at(12.0)
    reading = find_discs(draw(view, SCATTERED, shadow_mm=(7.0, 4.0)), board_fit(view))
    assert len(reading.discs) == len(SCATTERED)
    for x, y, _ in SCATTERED:
        assert min(np.hypot(*(d.centre_mm - (x, y))) for d in reading.discs) < 1.0


def test_the_error_that_is_claimed_covers_the_error_that_is_made() -> None:
    reading = read(view_at(35.0), SCATTERED)
    for x, y, _ in SCATTERED:
        nearest = min(reading.discs, key=lambda d: float(np.hypot(*(d.centre_mm - (x, y)))))
        error = nearest.centre_mm - (x, y)
        assert error @ np.linalg.solve(nearest.covariance_mm2, error) < 9.2  # 99% of chi2(2)


def test_a_disc_of_another_colour_than_the_only_team_seen_is_asked_about() -> None:
    view = view_at(15.0)
    discs = [(-120.0, 60.0, PALE_BGR), (150.0, 40.0, RED_BGR)]
    inputs = prepare_detector_input(draw(view, discs), board_fit(view), None)
    hypotheses = find_disc_hypotheses(inputs)
    pale_lab = bgr_to_weighted_lab(np.array([PALE_BGR], dtype=np.float32))
    found = classify_discs(hypotheses, inputs, pale_lab, CLASSIFICATION.team_lead_lab)
    accepted_mm = hypotheses.outlines.base_mm[found.accepted]
    assert [round(x / 10) for x, _ in accepted_mm] == [-12]
    assert min(np.hypot(*(found.possible_mm - (150.0, 40.0)).T)) < 5.0


@pytest.mark.parametrize(
    ("colour", "kept", "counts"),
    [((190, 180, 205), 0.69, True), ((75, 105, 125), 0.6, False)],
    ids=["pink", "brown"],
)
def test_a_lone_disc_whose_rim_hardly_shows_counts_to_be_confirmed_or_may_be_a_knot(
    colour: tuple[int, int, int], kept: float, counts: bool
) -> None:
    view, place_mm = view_at(20.0), (120.0, 60.0)
    picture, without = (draw(view, discs) for discs in ([(*place_mm, colour)], []))
    lose_rim(picture, without, view, place_mm, kept=kept)
    assert not find_discs(picture, board_fit(view)).discs
    reading = find_discs(picture, board_fit(view), is_single=True)
    assert len(reading.discs) == counts
    assert all(disc.confidence < zones.PARAMS.min_confidence for disc in reading.discs)
    maybe = [spot for spot in reading.unexplained if spot.reason is UnexplainedReason.MAYBE_DISC]
    (told,) = (*reading.discs, *maybe)
    assert np.hypot(*(told.centre_mm - place_mm)) < 5.0


@pytest.mark.parametrize(("on_wood", "is_clear"), [(1.0, True), (0.3, False)])
def test_a_dark_disc_in_a_reflection_that_the_wood_lacks_may_be_the_light_sides(
    on_wood: float, is_clear: bool
) -> None:
    view = view_at(10.0)
    natural, brown = (104, 152, 196), (40, 46, 62)
    discs = [(x, y, natural if k % 2 else brown) for k, (x, y, _) in enumerate(SCATTERED)]
    glossy_mm = next((x, y) for x, y, colour in discs if colour == brown)
    middle = np.round(view.project_plane(np.array([glossy_mm]))[0]).astype(int).tolist()
    spot = cv2.circle(np.zeros(SIZE_PX[::-1], np.float32), middle, 60, on_wood, -1)
    spot = cv2.circle(cv2.GaussianBlur(spot, (0, 0), 15), middle, 19, 1.0, -1)
    light = (draw(view, discs) / 255.0) ** 2.2 + 0.25 * spot[..., None] * (0.5, 0.75, 1.0)
    reading = find_discs(np.uint8(255 * np.clip(light, 0, 1) ** (1 / 2.2)), board_fit(view))
    assert len(reading.discs) == len(discs)
    for disc in reading.discs:
        is_glossy = np.hypot(*(disc.centre_mm - glossy_mm)) < DISC.radius_mm
        assert (disc.confidence >= 0.9) == (is_clear or not is_glossy)


def draw_lost_rims(view: View, colour: tuple[int, int, int]) -> np.ndarray:
    """Black discs, and others of the given colour whose rims are broken by the wood's grain."""
    black = [(x, y, BLACK_BGR) for x, y, _ in SCATTERED[::2]]
    others = [(x, y, colour) for x, y, _ in SCATTERED[1::2]]
    sunk = [(0.5, -0.3, colour)]
    without, picture = (draw(view, discs, sunk=sunk) for discs in (black, black + others))
    for x, y, _ in others:
        lose_rim(picture, without, view, (x, y), kept=0.5)
    return picture


def lose_rim(
    picture: np.ndarray, without: np.ndarray, view: View, place_mm: tuple[float, float], kept: float
) -> None:
    """Leave eight pieces of a disc's rim, with the given share of it; elsewhere, the picture
    ``without`` the disc.
    """
    x_px, y_px = np.meshgrid(*(np.arange(side) for side in SIZE_PX))
    middle = view.project(np.array([[*place_mm, DISC.height_mm / 2]]))[0]
    turn = np.arctan2(y_px - middle[1], x_px - middle[0]) / (2 * np.pi)
    is_rim = np.abs(np.hypot(x_px - middle[0], y_px - middle[1]) - 27) < 13
    is_lost = is_rim & ((8 * turn) % 1 > kept)
    picture[is_lost] = without[is_lost]


def test_discs_like_the_wood_whose_rims_hardly_show_are_said_to_be_faint() -> None:
    view = view_at(20.0)
    natural = tuple(int(0.92 * level) for level in WOOD_BGR)
    reading = find_discs(draw_lost_rims(view, natural), board_fit(view), is_single=True)
    assert len(reading.discs) < len(SCATTERED) + 1
    assert reading.has_faint_team


@pytest.mark.parametrize("tilt_deg", [20.0, 50.0])
@pytest.mark.parametrize(("grey", "is_faint"), [(12, True), (70, False)])
def test_black_discs_of_a_side_that_is_not_seen_may_be_missed_on_a_black_board(
    tilt_deg: float, grey: int, is_faint: bool
) -> None:
    view = view_at(tilt_deg)
    light = [(x, y, (190, 215, 225)) for x, y, _ in SCATTERED[::2]]
    picture = draw(view, light)
    is_wood = (np.abs(picture.astype(int) - WOOD_BGR) < 30).all(axis=-1)
    picture[is_wood] = grey + np.random.default_rng(1).integers(-2, 3, (is_wood.sum(), 1))
    reading = find_discs(picture, board_fit(view), is_single=True)
    assert len(reading.teams) == 1
    assert reading.has_faint_team == is_faint


def propose(discs: list[Drawn]) -> Proposals:
    """The proposals of a learned detector that certainly sees these discs, a millimetre off."""
    base_mm = np.array([(x + 1.0, y) for x, y, _ in discs])
    return Proposals.of_likely(base_mm, np.full(len(discs), 4.0))


def test_discs_whose_rims_hardly_show_are_found_where_a_learned_detector_sees_them() -> None:
    view = view_at(20.0)
    picture = draw_lost_rims(view, tuple(int(0.92 * level) for level in WOOD_BGR))
    on_board = [disc for disc in SCATTERED if np.hypot(*disc[:2]) < 300]
    found = [
        find_discs(picture, board_fit(view), is_single=True, proposals=proposals).discs
        for proposals in (None, propose(on_board))
    ]
    missed = [
        sum(
            min(np.hypot(*(disc.centre_mm - (x, y))) for disc in discs) > 1.5
            for x, y, _ in on_board
        )
        for discs in found
    ]
    assert missed[0] > missed[1] == 0


def test_discs_unlike_the_wood_are_not_faint() -> None:
    view = view_at(20.0)
    reading = find_discs(draw_lost_rims(view, RED_BGR), board_fit(view), is_single=True)
    assert not reading.has_faint_team


def test_two_sides_of_too_few_discs_to_be_told_apart_are_to_be_confirmed() -> None:
    view, white, green = view_at(15.0), (205, 225, 230), (50, 110, 40)
    colours = [RED_BGR, RED_BGR, white, white, green]
    discs = [(x, y, colour) for (x, y, _), colour in zip(SCATTERED, colours, strict=True)]
    reading = read(view, discs)
    assert len(reading.teams) == 2
    for disc in reading.discs:
        drawn = min(discs, key=lambda drawn: float(np.hypot(*(disc.centre_mm - drawn[:2]))))
        is_certain = disc.confidence >= zones.PARAMS.min_confidence
        assert is_certain == (drawn[2] != green)


@pytest.mark.parametrize("is_single", [False, True])
def test_what_may_be_a_disc_of_a_third_colour_is_asked_about_in_a_single_picture(
    is_single: bool,
) -> None:
    view, place_mm = view_at(15.0), SCATTERED[0][:2]
    without = draw(view, SCATTERED[1:])
    picture = draw(view, [*SCATTERED[1:], (*place_mm, (150, 60, 30))])
    lose_rim(picture, without, view, place_mm, kept=0.6)
    reading = find_discs(picture, board_fit(view), is_single=is_single)
    assert len(reading.discs) == len(SCATTERED) - 1
    asked = [spot for spot in reading.unexplained if spot.reason is UnexplainedReason.MAYBE_DISC]
    assert any(np.hypot(*(place.centre_mm - place_mm)) < 5 for place in asked) == is_single


@pytest.mark.parametrize(
    ("gain", "log_odds", "is_told"),
    [(0.5, -2.0, True), (0.35, 2.0, True), (0.35, -2.0, False), (0.2, 2.0, False)],
    ids=["half a disc", "a third with a rim", "a third without one", "a rim of nothing"],
)
def test_a_part_of_a_disc_is_asked_about_from_the_side_where_its_rim_shows(
    gain: float, log_odds: float, is_told: bool
) -> None:
    view = view_at(65.0)
    inputs = prepare_detector_input(draw(view, [(40.0, 150.0, RED_BGR)]), board_fit(view), None)
    found = find_disc_hypotheses(inputs)
    every = np.ones(len(found.region_gain))
    rims = replace(found.rim_scores, log_odds=log_odds * every)
    found = replace(found, region_gain=gain * every, rim_scores=rims)
    regions = find_unexplained_regions(found, inputs, np.zeros((0, 2)))
    assert any(np.hypot(*(region - (40.0, 150.0))) < 3 for region in regions) == is_told


@pytest.mark.parametrize("tilt_deg", [0.0, 25.0])
@pytest.mark.parametrize("off_mm", [(0.0, 12.5), (-9.0, 9.0), (12.5, 0.0)])
def test_a_disc_that_lies_flat_over_the_holes_edge_is_read_where_it_lies_in_a_film(
    tilt_deg: float, off_mm: tuple[float, float]
) -> None:
    """It tips no nearer than about 10 mm off the hole's middle, whose radius is 17 mm."""
    fit = board_fit(view_at(tilt_deg))
    others = [(60.0, 60.0, BLACK_BGR), (-80.0, 40.0, RED_BGR)]
    reading = find_discs(draw(fit.view, [*others, (*off_mm, RED_BGR)]), fit, DISC)
    assert len(reading.discs) == 3
    nearest = min(reading.discs, key=lambda disc: float(np.linalg.norm(disc.centre_mm)))
    assert nearest.centre_mm == pytest.approx(off_mm, abs=0.6)
    assert len(find_discs(draw(fit.view, others), fit, DISC).discs) == 2


def test_a_part_of_a_board_is_searched_and_what_stayed_is_fitted_again() -> None:
    view, came_mm = view_at(30.0), np.array(SCATTERED[0][:2])
    image = draw(view, SCATTERED)
    whole = find_discs(image, board_fit(view), DISC)
    others = [disc for disc in whole.discs if np.hypot(*(disc.centre_mm - came_mm)) > 2.0]
    unknown, *stayed = (replace(other, centre_mm=other.centre_mm + 0.5) for other in others)
    part = BoardPart(
        low_mm=came_mm - DISC.radius_mm, high_mm=came_mm + DISC.radius_mm, stayed=tuple(stayed)
    )
    reading = find_discs(image, board_fit(view), DISC, whole.teams, others=OtherPictures(part=part))
    assert len(reading.discs) == len(SCATTERED) - 1
    for disc in reading.discs:
        assert np.hypot(*(disc.centre_mm - unknown.centre_mm)) > DISC.radius_mm
        errors = [np.hypot(*(disc.centre_mm - one.centre_mm)) for one in whole.discs]
        assert min(errors) < 0.1


def test_a_view_that_is_steep_for_discs_as_high_as_these_is_read_as_a_whole() -> None:
    view, high = view_at(52.0), replace(DISC, height_mm=14.0)
    image = draw(view, SCATTERED, disc=high)
    assert not prepare_detector_input(image, board_fit(view), DISC).is_oblique
    assert prepare_detector_input(image, board_fit(view), high).is_oblique
    part = BoardPart(low_mm=np.full(2, 100.0), high_mm=np.full(2, 140.0), stayed=())
    reading = find_discs(image, board_fit(view), high, others=OtherPictures(part=part))
    assert len(reading.discs) == len(SCATTERED)


@pytest.mark.parametrize("reaches_hole", [True, False])
def test_what_lies_in_the_hole_stays_as_it_was_unless_something_changed_there(
    reaches_hole: bool,
) -> None:
    view, far = view_at(20.0), np.array([150.0, 150.0])
    twenty = PlacedDisc(
        centre_mm=np.zeros(2), covariance_mm2=np.eye(2), team=0, state=DiscState.IN_HOLE
    )
    low_mm = np.array([-20.0, -20.0]) if reaches_hole else far
    part = BoardPart(low_mm=low_mm, high_mm=far + 30.0, stayed=(twenty,))
    reading = find_discs(
        draw(view, SCATTERED), board_fit(view), DISC, others=OtherPictures(part=part)
    )
    assert any(disc is twenty for disc in reading.discs) is not reaches_hole
