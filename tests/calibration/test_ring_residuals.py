"""Distances of ring points from rings, and their Jacobian."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_board import view_of
from drawn_rings import ring_points

from calibration.board import BoardSpec
from calibration.ring_residuals import compute_residuals, decode_model


def test_zero_parameters_are_the_start_view() -> None:
    view = view_of(40.0, k1=-0.05)
    x = np.zeros(18)
    x[10:12] = np.log([101.6, 304.8])
    model = decode_model(x, view)
    assert model.view.project_plane([[120.0, -40.0]]) == pytest.approx(
        view.project_plane([[120.0, -40.0]])
    )
    assert model.radii_mm == pytest.approx([101.6, 203.2, 304.8])


def test_points_on_the_rings_have_no_residual() -> None:
    view = view_of(40.0, k1=-0.05)
    x = np.zeros(18)
    x[10:12] = np.log(np.array(BoardSpec().line_radii_mm)[[0, 2]])
    residuals, _ = compute_residuals(x, ring_points(view, BoardSpec()), view)
    assert residuals == pytest.approx(np.zeros(len(residuals)), abs=1e-5)


def test_the_jacobian_is_the_slope_of_the_residuals() -> None:
    view = view_of(40.0, k1=-0.05)
    evidence = ring_points(view, BoardSpec())
    x = np.zeros(18)
    x[:6] = 0.01, -0.02, 0.015, 3.0, -2.0, 10.0
    x[6:10] = 0.03, 0.02, 4.0, -3.0
    x[10:12] = np.log([101.0, 305.5])
    x[12:16] = 0.3, -0.2, 0.1, 0.4
    _, jacobian = compute_residuals(x, evidence, view)
    for k in range(len(x)):
        step = np.zeros(len(x))
        step[k] = 1e-6
        ahead, behind = (
            compute_residuals(x + step, evidence, view),
            compute_residuals(x - step, evidence, view),
        )
        slope = (ahead[0] - behind[0]) / 2e-6
        # the second-order part of the ovality is left out of the Jacobian: a hundredth at most
        assert jacobian[:, k] == pytest.approx(slope, abs=0.02 * np.abs(slope).max())
