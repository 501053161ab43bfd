"""Oblique stills drawn from seeds, and the errors of the base centres read in them."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_discs import view_at
from example_reading import disc, frame, reading

from bench.tilted_views import measure_base_errors
from calibration.disc import DiscSpec
from sample_images.clip_maker.make_still import make_still
from sample_images.renderer.picture_truth import TrueDisc, Truth
from scorer.photo.score import score_reading
from vision.discs.outline.bundle_fit import predict_base_covariance


def truth_of(*places: tuple[float, float]) -> Truth:
    discs = tuple(TrueDisc(team="a", zone=10, place=place, is_flat=True) for place in places)
    return Truth(discs=discs, totals={}, has_board=True, is_metric=True, gate=14.0)


def test_errors_across_and_in_depth_are_told_apart_whichever_way_the_board_is_turned() -> None:
    picture = frame()  # seen from -y, so depth is y
    score = score_reading(picture, reading(picture, (disc(0.0, 150.0), disc(1.0, -120.0))))
    upright, turned = truth_of((0.0, 153.0), (0.0, -120.0)), truth_of((153.0, 0.0), (-120.0, 0.0))
    for truth in (upright, turned):
        errors = measure_base_errors(truth, score)
        assert np.abs(errors[:, :2]).max(axis=0) == pytest.approx((1.0, 3.0), abs=0.05)
        assert errors[:, 2:] == pytest.approx(np.full((2, 2), 0.1))


def test_a_still_is_seen_as_it_was_asked_for_and_shows_the_discs_of_its_truth() -> None:
    still = make_still(3, 66.0, size=(320, 180))
    assert still.image.shape == (180, 320, 3)
    assert still.view.cam_from_board.tilt_deg == pytest.approx(66.0, abs=2.0)
    px = still.view.project_plane([placed.place for placed in still.truth.discs])
    assert ((px > 0) & (px < (320, 180))).all()


def test_depth_is_the_less_sure_the_flatter_the_view_and_width_is_not() -> None:
    covariances = [
        predict_base_covariance(view_at(tilt_deg), np.zeros((1, 2)), DiscSpec())[0]
        for tilt_deg in (60.0, 78.0)
    ]
    across, depth = np.sqrt([np.linalg.eigvalsh(covariance) for covariance in covariances]).T
    assert depth[1] > 2 * depth[0]
    assert across[1] < 1.3 * across[0]
