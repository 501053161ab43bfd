"""Discs in views so oblique that their outlines are as much side wall as face, drawn and read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from drawn_discs import BLACK_BGR, DISC, PALE_BGR, RED_BGR, Drawn, board_fit, draw, view_at

from calibration.board import BoardSpec
from calibration.placed_disc import DiscState, PlacedDisc
from calibration.pose import View
from vision.discs.classification import PARAMS as CLASSIFICATION
from vision.discs.classification import classify_discs
from vision.discs.detector_input import Proposals, prepare_detector_input
from vision.discs.disc_hypotheses import find_disc_hypotheses
from vision.discs.find_discs import DiscReading, find_discs
from vision.discs.hole.standing_height import measure_standing_height
from vision.discs.outline.bundle_fit import _average_agreeing, fit_bundle
from vision.discs.outline.contour import DiscGeometry
from vision.discs.outline.posed_image import PosedImage
from vision.discs.outline.range_map import make_range_map
from vision.discs.region import scored_regions
from vision.discs.region.region_search import find_disc_regions, prepare_region_scorer
from vision.discs.region.silhouettes import prepare_scorer
from vision.discs.region.surface_colours import map_foreign_pixels
from vision.discs.teams.team_colours import bgr_to_weighted_lab
from vision.reading import UnexplainedReason

SHAPE = DiscGeometry(radius_mm=DISC.radius_mm, height_mm=DISC.height_mm)
SPEC = BoardSpec()
#: Two teams, with one disc behind a post.
APART = [
    (150.0, 30.0, RED_BGR),
    (-120.0, 210.0, RED_BGR),
    (60.0, -230.0, BLACK_BGR),
    (-39.0, -70.0, BLACK_BGR),
    (20.0, 60.0, RED_BGR),
]
#: A disc mostly hidden by two discs side by side.
BEHIND = (-220.0, 30.0, RED_BGR)


@pytest.mark.parametrize(("log_odds", "asked"), [(1.8, 1), (1.0, 0)])
def test_a_likely_disc_of_the_side_not_seen_yet_is_asked_about(log_odds: float, asked: int) -> None:
    place = np.array([-60.0, -120.0])
    placed = [(150.0, 30.0, BLACK_BGR), (-160.0, -150.0, BLACK_BGR), (*place, (110, 158, 190))]
    view = view_at(74.0)
    inputs = replace(
        prepare_detector_input(draw(view, placed), board_fit(view), None),
        proposals=Proposals.of_likely(place[None], np.array([0.1])),
        is_single=True,
    )
    hypotheses = find_disc_hypotheses(inputs)
    is_there = np.linalg.norm(hypotheses.outlines.base_mm - place, axis=1) < DISC.radius_mm
    region = np.where(
        is_there, log_odds - 0.1 - hypotheses.rim_scores.log_odds, hypotheses.region_log_odds
    )
    unclear = replace(hypotheses, region_log_odds=region)
    black_lab = bgr_to_weighted_lab(np.array([BLACK_BGR], np.float32))
    found = classify_discs(unclear, inputs, black_lab, CLASSIFICATION.team_lead_lab)
    away_mm = np.linalg.norm(found.possible_mm - place, axis=1)
    assert (away_mm < DISC.radius_mm).sum() == asked
    assert len(found.accepted) == 2


def oblique(tilt_deg: float) -> View:
    return view_at(tilt_deg, 1400.0)


def read(tilt_deg: float, discs: list[Drawn], **more: object) -> DiscReading:
    view = oblique(tilt_deg)
    image = draw(view, discs, with_posts=True, **more)  # type: ignore[arg-type]
    return find_discs(image, board_fit(view))


def nearest(reading: DiscReading, place: tuple[float, float]) -> PlacedDisc:
    return min(reading.discs, key=lambda disc: float(np.linalg.norm(disc.centre_mm - place)))


@pytest.mark.parametrize("tilt_deg", [62.0, 70.0, 76.0, 79.0])
def test_discs_are_found_each_once_and_as_far_off_as_their_covariance_says(tilt_deg: float) -> None:
    reading = read(tilt_deg, APART)
    assert len(reading.discs) == len(APART)
    for x, y, colour in APART:
        disc = nearest(reading, (x, y))
        error = disc.centre_mm - (x, y)
        assert error @ np.linalg.inv(disc.covariance_mm2) @ error < 12  # 99.7% of normal ones
        assert disc.team == (0 if colour == RED_BGR else 1)


def test_a_place_is_less_sure_in_depth_than_across_and_in_a_steeper_view() -> None:
    spread = [
        np.sqrt(np.diag(nearest(read(tilt_deg, APART), (20.0, 60.0)).covariance_mm2))
        for tilt_deg in (62.0, 76.0)
    ]
    assert spread[0][1] > 1.5 * spread[0][0]
    assert spread[1][1] > 1.3 * spread[0][1]


def test_shadows_on_the_viewers_side_draw_no_disc_of_nearly_the_surfaces_colour_nearer() -> None:
    pale = [(x, y, PALE_BGR) for x, y, _ in APART]
    reading = read(70.0, pale, shadow_mm=(5.0, -5.0))
    assert len(reading.discs) == len(pale)
    for x, y, _ in pale:
        assert np.linalg.norm(nearest(reading, (x, y)).centre_mm - (x, y)) < 1.5


def test_a_foot_fitted_alone_is_averaged_with_the_bundles_only_where_they_agree() -> None:
    alone, together = np.array([(0.0, 0.0), (9.0, 9.0)]), np.array([(0.4, -2.0), (9.0, 6.0)])
    base_mm, covariance_mm2 = _average_agreeing(alone, together)
    assert base_mm.tolist() == [[0.2, -1.0], [9.0, 9.0]]
    assert covariance_mm2 == pytest.approx(
        np.array([[[0.04, -0.2], [-0.2, 1]], [[0, 0], [0, 2.25]]])
    )


@pytest.mark.parametrize("gap_mm", [34.0, 40.0, 60.0])
def test_a_disc_that_another_hides_in_part_is_found_behind_it(gap_mm: float) -> None:
    row = [*APART, (-220.0, 0.0, RED_BGR), (-220.0, gap_mm, RED_BGR)]
    reading = read(72.0, row)
    assert len(reading.discs) == len(row)
    assert np.linalg.norm(nearest(reading, (-220.0, gap_mm)).centre_mm - (-220.0, gap_mm)) < 6


def test_what_nearer_discs_and_posts_hide_is_not_visible_and_what_farther_ones_cover_is() -> None:
    in_front = make_range_map(oblique(72.0), (720, 1280))
    in_front.add_discs(np.array([(-220.0, 0.0), (150.0, 40.0)]), SHAPE)
    bases = np.array([(-220.0, 34.0), (150.0, 6.0)])
    middle = np.insert(bases, 2, SHAPE.height_mm / 2, axis=1)[:, None]
    ends = middle + np.array([[0.0, SHAPE.radius_mm, 0.0], [0.0, -SHAPE.radius_mm, -3.0]])
    assert in_front.find_visible(ends, bases).tolist() == [[True, False], [True, True]]
    in_front.add_posts(SPEC)
    behind_post = np.array([(-38.9, 120.0)])
    assert not in_front.find_visible(np.array([[[-38.9, 104.0, 1.0], [0, 200, 0]]]), behind_post)[
        0, 0
    ]


def test_a_disc_behind_two_of_its_own_colour_is_found_by_what_is_seen_of_it() -> None:
    reading = read(70.0, [*APART, (-236.0, 0.0, RED_BGR), (-204.0, 0.0, RED_BGR), BEHIND])
    behind = nearest(reading, BEHIND[:2])
    assert np.linalg.norm(behind.centre_mm - BEHIND[:2]) < 8
    assert behind.team == 0


def test_a_disc_at_the_far_edge_is_no_ditch_disc_seen_askew() -> None:
    reading = read(77.0, [*APART, (30.0, 286.0, RED_BGR)])
    assert np.linalg.norm(nearest(reading, (30.0, 286.0)).centre_mm - (30.0, 286.0)) < 8


def test_an_empty_board_with_posts_has_no_discs() -> None:
    assert read(75.0, []).discs == ()


@pytest.mark.parametrize("colour", [RED_BGR, BLACK_BGR])
@pytest.mark.parametrize("tilt_deg", [65.0, 75.0])
def test_a_disc_that_stands_out_of_the_hole_is_a_twenty(
    tilt_deg: float, colour: tuple[int, int, int]
) -> None:
    reading = read(tilt_deg, APART, sunk=[(0.0, 0.0, colour)], standing_mm=3.0)
    twenties = [disc for disc in reading.discs if disc.state is DiscState.IN_HOLE]
    assert len(twenties) == 1
    assert twenties[0].team == (0 if colour == RED_BGR else 1)
    assert len(reading.discs) == len(APART) + 1


def test_a_hole_flush_with_a_teams_colour_is_a_twenty_that_a_person_confirms() -> None:
    reading = read(75.0, APART, sunk=[(0.0, 0.0, RED_BGR)])
    (twenty,) = (disc for disc in reading.discs if disc.state is DiscState.IN_HOLE)
    assert twenty.team == 0
    assert twenty.confidence < 1.0


@pytest.mark.parametrize(
    ("colour", "is_sure"),
    [((70, 120, 160), True), ((85, 140, 180), False)],
    ids=["darker", "alike"],
)
def test_a_twenty_of_nearly_the_surfaces_colour_is_never_sure(
    colour: tuple[int, int, int], is_sure: bool
) -> None:
    others = [(x, y, colour if bgr == RED_BGR else bgr) for x, y, bgr in APART]
    reading = read(70.0, others, sunk=[(0.0, 0.0, colour)], standing_mm=3.0)
    (twenty,) = (disc for disc in reading.discs if disc.state is DiscState.IN_HOLE)
    assert (twenty.confidence == 1.0) == is_sure


@pytest.mark.parametrize("lean_deg", [0.0, 180.0])
def test_a_disc_that_stands_out_of_the_hole_on_one_side_leans(lean_deg: float) -> None:
    reading = read(75.0, APART[:-1], leaner=(15.0, lean_deg, RED_BGR))
    (leaner,) = (disc for disc in reading.discs if np.linalg.norm(disc.centre_mm) < 12)
    assert leaner.state is DiscState.LEANING
    assert leaner.confidence < 1.0


@pytest.mark.parametrize("hole_bgr", [(12, 14, 16), BLACK_BGR, (60, 70, 80)])
def test_an_empty_hole_of_any_colour_is_no_twenty_for_nothing_stands_out_of_it(
    hole_bgr: tuple[int, int, int],
) -> None:
    reading = read(75.0, APART, hole_bgr=hole_bgr)
    assert len(reading.discs) == len(APART)
    assert all(disc.state is DiscState.FLAT for disc in reading.discs)
    reasons = [spot.reason for spot in reading.unexplained]
    assert (UnexplainedReason.DARK_HOLE in reasons) == (max(hole_bgr) < 40)


def test_a_disc_over_the_holes_edge_leans_and_is_no_twenty() -> None:
    reading = read(72.0, [*APART, (-14.0, 0.0, BLACK_BGR)])
    assert len(reading.discs) == len(APART) + 1
    assert nearest(reading, (-14.0, 0.0)).state is DiscState.LEANING


@pytest.mark.parametrize("standing_mm", [0.0, 2.0, 4.0])
def test_how_far_a_disc_stands_out_of_the_hole_is_measured_to_a_millimetre(
    standing_mm: float,
) -> None:
    view = oblique(74.0)
    image = draw(view, [], sunk=[(0.0, 0.0, RED_BGR)], standing_mm=standing_mm)
    picture = PosedImage(image=image, view=view, whitening=np.eye(3))
    standing = measure_standing_height(picture, SPEC, np.zeros((0, 2)), SHAPE)
    assert standing is not None
    assert abs(standing.height_mm - standing_mm) < 1.0
    assert standing.lean_mm < 1.0


def test_a_hole_that_discs_hide_tells_nothing() -> None:
    view = oblique(76.0)
    in_front = [(-16.0, -36.0, RED_BGR), (16.0, -36.0, RED_BGR)]
    picture = PosedImage(image=draw(view, in_front), view=view, whitening=np.eye(3))
    bases = np.array([disc[:2] for disc in in_front])
    assert measure_standing_height(picture, SPEC, bases, SHAPE) is None


def test_shadows_that_all_discs_stand_in_make_them_look_less_high_in_a_steep_view() -> None:
    view = oblique(76.0)
    image = draw(view, APART[:3], shadow_mm=(0.0, -3.0))
    picture = PosedImage(image=image, view=view, whitening=np.eye(3))
    bases = np.array([disc[:2] for disc in APART[:3]])
    as_seen, steeply = (
        fit_bundle(picture, bases, SHAPE, (0.3, 0.4), is_oblique=is_oblique)
        for is_oblique in (False, True)
    )
    assert SHAPE.height_mm < steeply.shape.height_mm < as_seen.shape.height_mm
    assert steeply.size_sigma_mm[1] > 1.5 * as_seen.size_sigma_mm[1]


@pytest.mark.parametrize("tilt_deg", [64.0, 70.0, 76.0])
def test_bases_that_two_fits_agree_on_are_no_less_certain_for_the_walls(tilt_deg: float) -> None:
    view = oblique(tilt_deg)
    picture = PosedImage(image=draw(view, APART[:3]), view=view, whitening=np.eye(3))
    true_mm = np.array([disc[:2] for disc in APART[:3]])
    by_bundle, by_both = (
        fit_bundle(picture, true_mm, SHAPE, (0.3, 0.4), is_oblique=True, keeps_bases=keeps)
        for keeps in (False, True)
    )
    depth_mm2 = by_both.covariance_mm2[:, 1, 1]
    assert (depth_mm2 < 0.7 * by_bundle.covariance_mm2[:, 1, 1]).all()
    assert (np.abs(by_both.base_mm - true_mm)[:, 1] < 3 * np.sqrt(depth_mm2)).all()


@pytest.mark.parametrize("place", [(0.0, -42.0), (-12.0, -38.0), (10.0, 36.0)])
def test_a_disc_beside_an_empty_hole_makes_no_twenty_of_it(place: tuple[float, float]) -> None:
    beside = [disc for disc in APART if abs(disc[0]) > 30]
    reading = read(69.0, [*beside, (*place, BLACK_BGR)], hole_bgr=(20, 22, 25))
    assert len(reading.discs) == len(beside) + 1
    assert all(disc.state is DiscState.FLAT for disc in reading.discs)


def test_something_large_that_is_no_disc_is_told_of() -> None:
    view = oblique(72.0)
    image = draw(view, APART)
    left, top = np.rint(view.project_plane([[-240.0, 20.0]])[0]).astype(int)
    image[top - 30 : top + 8, left - 12 : left + 12] = (120, 60, 20)
    reading = find_discs(image, board_fit(view))
    assert len(reading.discs) == len(APART)
    away = [np.linalg.norm(spot.centre_mm - (-240.0, 20.0)) for spot in reading.unexplained]
    assert min(away) < 60


def test_only_steep_views_are_read_by_regions() -> None:
    tilts = (0.0, 45.0, 55.0, 65.0, 75.0)
    inputs = (
        prepare_detector_input(draw(view, []), board_fit(view), None)
        for view in map(view_at, tilts)
    )
    assert [one.is_oblique for one in inputs] == [False, False, False, True, True]


def test_a_disc_whose_shade_draws_its_region_nearer_is_placed_where_a_detector_sees_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    view = oblique(62.0)
    image, fit = draw(view, APART), board_fit(view)
    inputs = prepare_detector_input(image, fit, None)
    scorer = prepare_region_scorer(inputs.picture.image, view, SPEC, inputs.shape)
    regions = find_disc_regions(scorer, SPEC)
    nearer = replace(regions, base_mm=regions.base_mm - (0.0, 12.0))
    monkeypatch.setattr(scored_regions, "find_disc_regions", lambda *_: nearer)
    seen_mm = np.array([(x, y) for x, y, _ in APART])
    proposals = Proposals.of_likely(seen_mm + 2.0, np.full(len(seen_mm), 4.0))
    reading = find_discs(image, fit, proposals=proposals)
    assert len(reading.discs) == len(APART)
    for place in APART:
        assert np.linalg.norm(nearest(reading, place[:2]).centre_mm - place[:2]) < 1.0


def test_what_other_discs_explain_explains_no_other_disc() -> None:
    view = oblique(72.0)
    image = draw(view, APART)
    base = np.array([APART[0][:2]])
    scorer = prepare_scorer(view, SPEC, SHAPE, map_foreign_pixels(image, view, SPEC))
    taken = np.zeros(scorer.foreign_map.foreign.shape, np.uint8)
    assert scorer.score(base, taken).gain[0] > 0.9
    scorer.draw(base[0], taken)
    assert scorer.score(base, taken).gain[0] < 0.1
    behind = base + np.array([0.0, 27.0])  # where the side wall would count as a face
    assert scorer.score(behind, taken).gain[0] < 0.0


def test_a_picture_of_one_colour_has_no_regions() -> None:
    image = np.full((960, 1280, 3), 127, np.uint8)
    scorer = prepare_region_scorer(image, oblique(75.0), SPEC, SHAPE)
    assert len(find_disc_regions(scorer, SPEC).base_mm) == 0
