"""One lens from several views of a board."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_board import view_of
from drawn_rings import moved, ring_points

from calibration.board import BoardSpec
from calibration.camera import Camera
from calibration.fit import BoardFit, fit_rings
from calibration.lens import combine_lenses
from calibration.lens_prior import LensPrior
from calibration.pose import View

PRIOR = LensPrior(
    focal_px=960.0, focal_log_sigma=0.12, centre_px=(599.5, 449.5), centre_sigma_px=12.0
)
#: Focal length of ``view_of``'s lens.
TRUE_FOCAL_PX = 900.0


def fit_of(view: View, seed: int) -> BoardFit:
    evidence = ring_points(view, BoardSpec(), noise_px=0.3, seed=seed)
    return fit_rings(evidence, moved(view, 5.0), BoardSpec().line_radii_mm, PRIOR)


def zoomed(view: View, factor: float) -> View:
    camera = view.camera
    longer = Camera(
        fx_px=camera.fx_px * factor,
        fy_px=camera.fy_px * factor,
        cx_px=camera.cx_px,
        cy_px=camera.cy_px,
        k1=camera.k1,
    )
    return View(camera=longer, cam_from_board=view.cam_from_board)


VIEWS = [view_of(tilt, roll_deg=roll, k1=-0.04) for tilt, roll in ((35, 0), (30, 90), (40, 200))]


def test_the_lens_of_one_view_is_that_of_its_fit() -> None:
    fit = fit_of(VIEWS[0], 1)
    lens = combine_lenses([fit], PRIOR)
    assert lens.camera.fx_px == pytest.approx(fit.view.camera.fx_px)
    assert lens.covariance == pytest.approx(fit.covariance[6:, 6:], rel=1e-6)


def test_several_views_narrow_the_lens_with_an_honest_sigma() -> None:
    errors, gains = [], []
    for seed in range(8):
        fits = [fit_of(view, 10 * seed + k) for k, view in enumerate(VIEWS)]
        lens = combine_lenses(fits, PRIOR)
        assert lens.used == (0, 1, 2)
        away = np.log(lens.camera.fx_px / TRUE_FOCAL_PX)
        errors.append(away / lens.focal_log_sigma)
        gains.append(lens.focal_log_sigma / fits[0].focal_log_sigma)
    assert np.abs(errors).max() < 3.0
    assert max(gains) < 0.8


def test_the_prior_counts_once_for_any_number_of_uninformative_views() -> None:
    flat = view_of(0.0)
    fits = [fit_of(flat, seed) for seed in range(6)]
    lens = combine_lenses(fits, PRIOR)
    assert lens.focal_log_sigma > 0.5 * PRIOR.focal_log_sigma


def test_a_view_taken_at_another_zoom_is_left_out() -> None:
    fits = [fit_of(view, 3) for view in (*VIEWS, zoomed(VIEWS[1], 1.4))]
    assert combine_lenses(fits, PRIOR).used == (0, 1, 2)


def test_no_views_are_an_error() -> None:
    with pytest.raises(ValueError, match="one view"):
        combine_lenses([], PRIOR)
