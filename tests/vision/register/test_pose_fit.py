"""A frame's pose from visible places of a known board, and from the board's lines."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_board import view_of
from drawn_rings import ring_points
from hand_held_film import sway_views

from calibration.board import BoardSpec
from calibration.pose import View
from calibration.ring_residuals import RingPoints
from vision.register.pose_fit import MatchedPlaces, fit_pose

#: A board with unusual lines: a third wider, not concentric, not quite round.
SPEC = BoardSpec(
    line_radii_mm=(135.0, 270.0, 405.0),
    surface_radius_mm=440.0,
    line_centres_mm=((0.8, -0.4), (0.0, 0.0), (-0.5, 0.9)),
    ovality=(0.002, -0.001),
)
START = view_of(40.0, k1=-0.05)
#: Its neighbour in a film, two frames on.
TRUE = sway_views(START, 3, 14.0, seed=4)[2]
CORNERS_MM = np.random.default_rng(3).uniform(-250, 250, (60, 2))
NO_LINES = RingPoints(points_px=np.zeros((0, 2)), ring=np.zeros(0, int), px_per_mm=np.zeros(0))


def see_places(count: int) -> MatchedPlaces:
    places_mm = CORNERS_MM[:count]
    return MatchedPlaces(places_mm=places_mm, points_px=TRUE.project_plane(places_mm))


def measure_shift_mm(view: View) -> float:
    """The largest error, mm, of 60 places of the board as seen by the view."""
    seen_mm = view.unproject_plane(TRUE.project_plane(CORNERS_MM))
    return float(np.linalg.norm(seen_mm - CORNERS_MM, axis=-1).max())


@pytest.mark.parametrize(
    ("places", "lines"),
    [(see_places(60), NO_LINES), (see_places(4), ring_points(TRUE, SPEC))],
    ids=["places alone", "lines and four places"],
)
def test_the_pose_is_that_of_the_frame(places: MatchedPlaces, lines: RingPoints) -> None:
    assert measure_shift_mm(START) > 5
    fitted = fit_pose(START, places, lines, SPEC)
    assert fitted is not None
    assert measure_shift_mm(fitted.view) < 0.01


def test_wrong_places_are_outvoted() -> None:
    places = see_places(60)
    places.points_px[:15] += 40.0
    fitted = fit_pose(START, places, NO_LINES, SPEC)
    assert fitted is not None
    assert measure_shift_mm(fitted.view) < 0.01


def test_lines_alone_tell_no_turn_about_the_boards_middle() -> None:
    round_board = BoardSpec()
    assert fit_pose(START, see_places(0), ring_points(TRUE, round_board), round_board) is None


def test_too_few_points_tell_nothing() -> None:
    assert fit_pose(START, see_places(11), NO_LINES, SPEC) is None
