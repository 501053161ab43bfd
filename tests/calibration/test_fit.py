"""Ring points → pose, camera and line shapes."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_board import view_of
from drawn_rings import moved, ring_points

from calibration.board import BoardSpec
from calibration.fit import fit_rings
from calibration.lens_prior import LensPrior
from calibration.pose import View
from calibration.ring_residuals import RingPoints

#: A prior that knows the lens about as well as for a phone's picture without EXIF.
PRIOR = LensPrior(
    focal_px=900.0, focal_log_sigma=0.12, centre_px=(599.5, 449.5), centre_sigma_px=12.0
)


def worst_mm(found: View, true: View, radius_mm: float = 300.0) -> float:
    """Largest error of the distance from the board's centre, at all azimuths."""
    azimuths = np.linspace(0, 2 * np.pi, 40)
    ring = radius_mm * np.stack([np.cos(azimuths), np.sin(azimuths)], axis=-1)
    distance = np.linalg.norm(found.unproject_plane(true.project_plane(ring)), axis=-1)
    return float(np.abs(distance - radius_mm).max())


@pytest.mark.parametrize("tilt_deg", [0.0, 15.0, 45.0, 60.0])
def test_exact_points_give_the_exact_board_back(tilt_deg: float) -> None:
    true = view_of(tilt_deg)
    radii = BoardSpec().line_radii_mm
    fit = fit_rings(ring_points(true, BoardSpec()), moved(true, 6.0), radii, PRIOR)
    assert worst_mm(fit.view, true) < 0.02
    assert fit.spec.line_radii_mm == pytest.approx(radii, abs=0.02)


def test_a_third_of_outliers_changes_nothing() -> None:
    true = view_of(35.0)
    evidence = ring_points(true, BoardSpec(), noise_px=0.2, outliers=0.33)
    fit = fit_rings(evidence, moved(true, 6.0), BoardSpec().line_radii_mm, PRIOR)
    assert worst_mm(fit.view, true) < 0.3


def test_lines_of_a_home_made_board_are_measured_and_not_assumed() -> None:
    home_made = BoardSpec(line_radii_mm=(95.6, 203.2, 282.0), surface_radius_mm=306.0)
    true = view_of(25.0)
    start = moved(true, 3.0)
    fit = fit_rings(ring_points(true, home_made, noise_px=0.1), start, (97.0, 203.2, 285.0), PRIOR)
    assert fit.spec.line_radii_mm == pytest.approx(home_made.line_radii_mm, abs=0.4)


@pytest.mark.parametrize("radii_mm", [(104.8, 203.2, 301.0), (102.7, 203.2, 299.8)])
def test_a_board_that_is_nearly_nominal_is_measured(
    radii_mm: tuple[float, float, float],
) -> None:
    stray = BoardSpec(line_radii_mm=radii_mm)
    true = view_of(25.0)
    seemed = BoardSpec().line_radii_mm
    fit = fit_rings(ring_points(true, stray, noise_px=0.1), moved(true, 3.0), seemed, PRIOR)
    assert fit.spec.line_radii_mm == pytest.approx(stray.line_radii_mm, abs=0.4)
    assert fit.residual_px < 0.2


def test_oval_rings_off_centre_are_distinguished_from_tilt() -> None:
    crooked = BoardSpec(
        line_centres_mm=((0.4, -0.2), (0.0, 0.0), (-0.3, 0.3)), ovality=(0.002, -0.001)
    )
    true = view_of(12.0)
    evidence = ring_points(true, crooked, noise_px=0.05)
    fit = fit_rings(evidence, moved(true, 3.0), crooked.line_radii_mm, PRIOR)
    azimuths = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    for line in range(3):
        beside = 0.98 * crooked.line_points_mm(line, azimuths)
        lifted = fit.view.unproject_plane(true.project_plane(beside))
        expected = crooked.inside_line_mm(line, beside)
        assert fit.spec.inside_line_mm(line, lifted) == pytest.approx(expected, abs=0.15)


def test_the_focal_length_of_a_tilted_view_is_solved_and_its_sigma_is_honest() -> None:
    true = view_of(45.0)
    loose = LensPrior(
        focal_px=1050.0, focal_log_sigma=0.3, centre_px=(599.5, 449.5), centre_sigma_px=5.0
    )
    errors = []
    for seed in range(12):
        evidence = ring_points(true, BoardSpec(), noise_px=0.3, seed=seed)
        fit = fit_rings(evidence, moved(true, 5.0), BoardSpec().line_radii_mm, loose)
        log_error = np.log(fit.view.camera.fx_px / true.camera.fx_px)
        errors.append(log_error / fit.focal_log_sigma)
    # Sigmas allow for errors shared by neighbouring points, so independent noise stays well inside.
    assert np.abs(errors).max() < 3.0


def test_a_turned_fit_is_the_same_board() -> None:
    spec = BoardSpec(line_centres_mm=((0.5, 0.0), (0.0, 0.0), (0.0, 0.5)), ovality=(0.003, 0.001))
    true = view_of(30.0)
    fit = fit_rings(ring_points(true, spec), moved(true, 2.0), spec.line_radii_mm, PRIOR)
    turned = fit.rotate(0.7)
    px = true.project_plane([[200.0, 60.0], [-90.0, 20.0]])
    for line in range(3):
        before = fit.spec.inside_line_mm(line, fit.view.unproject_plane(px))
        after = turned.spec.inside_line_mm(line, turned.view.unproject_plane(px))
        assert after == pytest.approx(before, abs=1e-9)


def test_known_sizes_set_the_scale() -> None:
    true = view_of(30.0)
    fit = fit_rings(ring_points(true, BoardSpec()), moved(true, 2.0), (101.6, 203.2, 304.8), PRIOR)
    small = BoardSpec(
        line_radii_mm=(50.8, 101.6, 152.4), hole_radius_mm=8.7, surface_radius_mm=165.0
    )
    known = fit.rescale_to_spec(small)
    px = true.project_plane([[100.0, 0.0]])
    assert known.view.unproject_plane(px) == pytest.approx(fit.view.unproject_plane(px) / 2)


def test_too_few_points_are_refused() -> None:
    evidence = ring_points(view_of(), BoardSpec())
    few = RingPoints(
        points_px=evidence.points_px[:0], ring=evidence.ring[:0], px_per_mm=evidence.px_per_mm[:0]
    )
    with pytest.raises(ValueError, match="points"):
        fit_rings(few, view_of(), BoardSpec().line_radii_mm, PRIOR)
