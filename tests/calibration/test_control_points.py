"""Four handles on the outer ring → a rough view."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_board import view_of

from calibration.board import BoardSpec
from calibration.pose import View
from calibration.wizard.control_points import (
    InvalidControlPoints,
    control_points_mm,
    default_control_points_px,
    fit_view_to_control_points,
)

SPEC = BoardSpec()


def handles_in(view: View) -> np.ndarray:
    return view.project_plane(control_points_mm(SPEC))


def worst_px(found: View, true: View) -> float:
    """Largest error on the outer ring, up to the quarter turn that four handles leave open."""
    azimuths = np.arange(60) * (2 * np.pi / 60)
    seen = found.project_plane(SPEC.line_points_mm(2, azimuths))
    expected = true.project_plane(SPEC.line_points_mm(2, azimuths))
    turns = (
        np.linalg.norm(seen - np.roll(expected, 15 * k, axis=0), axis=1).max() for k in range(4)
    )
    return float(min(turns))


@pytest.mark.parametrize("tilt_deg", [0.0, 20.0, 45.0, 65.0])
@pytest.mark.parametrize("roll_deg", [0.0, 70.0])
def test_exact_handles_give_the_exact_view(tilt_deg: float, roll_deg: float) -> None:
    true = view_of(tilt_deg, 12.0, roll_deg=roll_deg, k1=-0.05)
    found = fit_view_to_control_points(handles_in(true), SPEC, true.camera)
    assert isinstance(found, View)
    assert worst_px(found, true) < 0.1


def test_the_order_of_the_handles_does_not_matter() -> None:
    true = view_of(30.0)
    shuffled = handles_in(true)[[2, 0, 3, 1]]
    found = fit_view_to_control_points(shuffled, SPEC, true.camera)
    assert isinstance(found, View)
    assert worst_px(found, true) < 0.1


def test_handles_placed_by_a_finger_give_a_view_that_is_nearly_right() -> None:
    true = view_of(35.0)
    rng = np.random.default_rng(4)
    found = fit_view_to_control_points(
        handles_in(true) + rng.normal(0, 4.0, (4, 2)), SPEC, true.camera
    )
    assert isinstance(found, View)
    assert worst_px(found, true) < 20.0


def test_default_handles_show_a_board_seen_from_above_in_the_middle() -> None:
    true = view_of(0.0)
    resting = fit_view_to_control_points(default_control_points_px(1200, 900), SPEC, true.camera)
    assert isinstance(resting, View)
    assert resting.cam_from_board.tilt_deg < 1.0


@pytest.mark.parametrize(
    ("handles", "words"),
    [
        ([[0, 0], [400, 0], [0, 400], [120, 120]], "inside the shape"),
        ([[0, 0], [400, 0], [400, 400]], "four handles"),
        ([[0, 0], [400, 0], [400, 400], [float("nan"), 2]], "four handles"),
        ([[0, 0], [900, 2], [450, 3], [452, 0]], "place"),
        ([[5, 5], [5, 5], [5, 5], [5, 5]], "place"),
    ],
    ids=["inside", "three", "nowhere", "on a line", "all in one place"],
)
def test_handles_that_no_board_could_show_are_refused(handles: list, words: str) -> None:
    refused = fit_view_to_control_points(np.array(handles, dtype=float), SPEC, view_of().camera)
    assert isinstance(refused, InvalidControlPoints)
    assert words in refused.reason
