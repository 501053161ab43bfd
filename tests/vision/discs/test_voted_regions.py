"""Discs of another colour than the surface at places with votes for rims, drawn and scored."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from drawn_discs import DISC, RED_BGR, board_fit, draw, view_at

from vision.discs.detector_input import prepare_detector_input
from vision.discs.outline.contour import FlatDiscs
from vision.discs.outline.outline_fit import fit_outlines
from vision.discs.region import scored_regions
from vision.discs.region.region_search import prepare_region_scorer
from vision.discs.region.scored_regions import compute_region_log_odds
from vision.discs.region.silhouettes import SilhouetteScores
from vision.discs.region.voted_regions import _is_mirrored, score_voted_regions

#: A disc behind a post, and places next to it, at its mirror image, and on empty wood.
BEHIND_POST, BESIDE = (-39.0, -70.0), (-30.0, -78.0)
MIRRORED, BARE, OVERHANGING = (-39.0, -100.0), (200.0, 120.0), (-236.0, 220.0)


def score(
    places: list[tuple[float, float]], sure: list[tuple[float, float]]
) -> tuple[np.ndarray, np.ndarray]:
    view = view_at(70.0, 1400.0)
    image = draw(view, [(*BEHIND_POST, RED_BGR), (*OVERHANGING, RED_BGR)], with_posts=True)
    inputs = prepare_detector_input(image, board_fit(view), DISC)
    scorer = prepare_region_scorer(image, view, inputs.spec, inputs.shape)
    rims, shares = np.full(len(places), 3.0), np.full(len(places), 0.2)
    known = np.reshape(sure, (-1, 2))
    return score_voted_regions(np.array(places), rims, shares, scorer, known, inputs)


def test_of_places_about_a_disc_the_one_that_explains_it_counts_and_its_mirror_image_does_not() -> (
    None
):
    log_odds, gain = score([BESIDE, MIRRORED, BEHIND_POST, BARE], [])
    assert np.isfinite(log_odds).tolist() == [False, False, True, False]
    assert gain[2] > 0.4
    assert gain[[0, 1, 3]].tolist() == [0.0, 0.0, 0.0]


def test_no_place_counts_about_a_disc_that_a_region_shows_or_over_the_surfaces_edge() -> None:
    assert np.isneginf(score([BEHIND_POST, OVERHANGING], [BEHIND_POST])[0]).all()


@pytest.mark.parametrize(
    ("share", "contrast", "counts"), [(0.2, 0.6, 1 / 0.6), (0.2, 0.1, 2.0), (0.1, 0.6, 1.0)]
)
def test_a_region_of_little_contrast_fits_as_well_as_any_where_a_rim_is_voted_for(
    share: float, contrast: float, counts: float
) -> None:
    parameters = scored_regions.PARAMS
    one = [np.array([each]) for each in (0.4, 0.8, 0.0, contrast)]
    gain, visible, spilling, level = one
    scores = SilhouetteScores(gain=gain, visible=visible, spilling=spilling, contrast=level)
    (log_odds,) = compute_region_log_odds(scores, np.array([share]))
    fit = 0.5 * counts - parameters.usual_region_fit
    hidden = 0.2 * parameters.per_hidden_share
    assert log_odds == pytest.approx(parameters.per_region_fit * fit - hidden)


def test_contrast_is_that_of_the_foreign_part_of_a_silhouette() -> None:
    view = view_at(70.0, 1400.0)
    image = draw(view, [(150.0, 30.0, RED_BGR)], noise_grey=0.0)
    inputs = prepare_detector_input(image, board_fit(view), DISC)
    scorer = prepare_region_scorer(image, view, inputs.spec, inputs.shape)
    nothing = np.zeros(scorer.foreign_map.foreign.shape, np.uint8)
    on_it, half_off, empty = scorer.score(
        np.array([(150.0, 30.0), (162.0, 30.0), (200.0, 120.0)]), nothing
    ).contrast
    assert on_it == pytest.approx(1.0, abs=0.02)
    assert half_off == pytest.approx(1.0, abs=0.05)
    assert empty == 0.0


@pytest.mark.parametrize(
    ("nearer_mm", "aside_mm", "is_there"),
    [
        (25.0, 0.0, True),
        (50.0, 8.0, True),
        (5.0, 0.0, False),
        (70.0, 0.0, False),
        (25.0, 14.0, False),
    ],
)
def test_below_a_disc_lies_its_mirror_image(
    nearer_mm: float, aside_mm: float, is_there: bool
) -> None:
    view = view_at(70.0, 1400.0)
    inputs = prepare_detector_input(draw(view, []), board_fit(view), None)
    disc, to_camera = np.array([0.0, 50.0]), np.array([0.0, -1.0])
    place = disc + nearer_mm * to_camera + (aside_mm, 0.0)
    assert _is_mirrored(place[None], disc[None], inputs)[0] == is_there


def test_an_outline_is_left_where_it_is_in_a_picture_without_a_step() -> None:
    view = view_at(62.0, 1400.0)
    inputs = prepare_detector_input(draw(view, []), board_fit(view), None)
    white = replace(inputs.picture, image=np.full_like(inputs.picture.image, 255))
    fitted = fit_outlines(white, FlatDiscs.of_shape(np.array([BEHIND_POST, BARE]), inputs.shape))
    assert fitted.base_mm == pytest.approx(np.array([BEHIND_POST, BARE]))
    assert np.isfinite(fitted.sigma_mm).all()
