"""Colour edges are on rims, point to the brighter side, and are measured in units of the wood's
grain.
"""

from __future__ import annotations

import numpy as np
import pytest

from calibration.board import BoardSpec
from vision.discs.edges_above_grain import estimate_grain_whitening, find_colour_edges
from vision.discs.hough_votes import accumulate_votes, find_peaks, orient_edges
from vision.rectify.birds_eye import BirdsEyeImage

SIDE_PX = 700
CENTRE_MM, RADIUS_MM = np.array([120.0, -60.0]), 16.0
WOOD_BGR = (120.0, 170.0, 205.0)
#: Above the board's middle, high enough that top rim and base appear at nearly the same place.
EYE_MM = np.array([0.0, 0.0, 5000.0])


def make_rectified(image: np.ndarray, *, in_sight: bool = True) -> BirdsEyeImage:
    return BirdsEyeImage(
        image=image, inside=np.full((SIDE_PX, SIDE_PX), in_sight), mm_per_px=1.0, z_mm=9.5
    )


def board_with_disc(disc_bgr: tuple[float, float, float], grain: float = 2.0) -> BirdsEyeImage:
    """Grainy wood with one disc, drawn with soft edges."""
    index = np.arange(SIDE_PX)
    column, row = np.meshgrid(index, index)
    middle = (SIDE_PX - 1) / 2
    away = np.hypot(column - middle - CENTRE_MM[0], middle - row - CENTRE_MM[1])
    share = np.clip(RADIUS_MM + 0.5 - away, 0, 1)[..., None]
    noise = np.random.default_rng(4).normal(0, grain, (SIDE_PX, SIDE_PX, 1))
    image = (1 - share) * WOOD_BGR + share * disc_bgr + noise
    return make_rectified(np.clip(np.rint(image), 0, 255).astype(np.uint8))


@pytest.mark.parametrize(
    ("disc_bgr", "sign"),
    [
        pytest.param((35.0, 35.0, 38.0), 1.0, id="dark disc: outward"),
        pytest.param((250.0, 250.0, 250.0), -1.0, id="light disc: inward"),
    ],
)
def test_edges_of_a_rim_lie_on_it_and_point_to_its_brighter_side(
    disc_bgr: tuple[float, float, float], sign: float
) -> None:
    rectified = board_with_disc(disc_bgr)
    edges = find_colour_edges(rectified, np.eye(3) / 2.0, 340.0)
    arm = edges.place_px - rectified.to_px(CENTRE_MM)
    away = np.linalg.norm(arm, axis=-1)
    rim = (np.abs(away - RADIUS_MM) < 1.5) & (edges.weight > 0.5)
    assert rim.sum() > 0.8 * 2 * np.pi * RADIUS_MM
    outward = (arm[rim] / away[rim, None] * edges.normal[rim]).sum(axis=-1)
    assert np.median(sign * outward) > 0.95
    assert (sign * outward > 0).mean() > 0.98


def test_grain_has_unit_variance_in_whitened_colours() -> None:
    rectified = board_with_disc(WOOD_BGR, grain=6.0)
    whitening = estimate_grain_whitening(rectified, BoardSpec())
    grey = np.ones(3) * 6.0  # one standard deviation of grain that changes all channels alike
    assert 0.7 < np.linalg.norm(whitening @ grey) < 1.5
    hue = np.array([6.0, -3.0, -3.0])  # as large, along colours that the grain never has
    assert np.linalg.norm(whitening @ hue) > 5


def test_a_disc_of_the_woods_brightness_has_its_peak_of_votes_by_its_hue() -> None:
    rectified = board_with_disc((150.0, 165.0, 200.0), grain=4.0)
    whitening = estimate_grain_whitening(rectified, BoardSpec())
    edges = orient_edges(rectified, find_colour_edges(rectified, whitening, 340.0), EYE_MM)
    votes = accumulate_votes(rectified, edges, RADIUS_MM)
    (first, *_) = find_peaks(votes.total, rectified, min_distance_mm=4.0, min_share=0.2)
    assert np.linalg.norm(first[:2] - CENTRE_MM) < 1.5
    assert 0.6 < first[2] < 1.2


def test_hardly_any_surface_in_sight_is_taken_for_noisy_wood() -> None:
    unseen = make_rectified(board_with_disc(WOOD_BGR).image, in_sight=False)
    assert np.array_equal(estimate_grain_whitening(unseen, BoardSpec()), np.eye(3) / 4.0)
    assert len(find_colour_edges(unseen, np.eye(3), 340.0).weight) == 0


def test_a_part_has_the_edges_and_votes_that_the_whole_has_there() -> None:
    rectified, whitening = board_with_disc((35.0, 35.0, 38.0)), np.eye(3) / 2.0
    part = rectified.cut(CENTRE_MM - 70.0, CENTRE_MM + 80.0)
    np.testing.assert_array_equal(part.radius_mm(), _cut_same(rectified, part))
    peaks = []
    for image in (rectified, part):
        edges = find_colour_edges(image, whitening, 340.0)
        votes = accumulate_votes(image, orient_edges(image, edges, EYE_MM), RADIUS_MM)
        peaks.append(find_peaks(votes.total, image, min_distance_mm=4.0, min_share=0.5))
    assert len(peaks[0]) == 1
    np.testing.assert_allclose(peaks[1], peaks[0], atol=1e-6)


def _cut_same(whole: BirdsEyeImage, part: BirdsEyeImage) -> np.ndarray:
    """Distances from the centre in the whole image, at the place of the part."""
    left, top = np.rint(whole.to_px(part.to_mm([[0.0, 0.0]]))[0]).astype(int)
    height, width = part.inside.shape
    return whole.radius_mm()[top : top + height, left : left + width]
