"""Shift of the board between two views of it, and the quarter turns between them.

The same points of the 5-line are projected by both fits. A board that moved too far or changed its
size is another view, without a shift.
"""

from __future__ import annotations

import numpy as np

from calibration.fit import BoardFit
from calibration.parameters import StageParameters, parameter


class CompareViewsParameters(StageParameters):
    """Parameters of ``compare_views``."""

    #: Largest shift of the board from a bumped camera, as a share of its breadth, and largest
    #: change of its size.
    max_shift_share: float = parameter(
        0.25, unit="share", source="chosen: a larger shift means that the camera was set up again"
    )
    max_scale_change: float = parameter(
        0.1,
        unit="share",
        source="chosen: a larger change means a zoom, or that the camera was set up again",
    )


PARAMS = CompareViewsParameters()
#: Points of a ring at which two views are compared: they differ smoothly.
_RING_POINTS = 12


def rotate_to_match(fit: BoardFit, before: BoardFit) -> BoardFit:
    """The fit turned by quarter turns so that its axes are nearest to those of ``before``."""
    old = before.view.cam_from_board.rotation

    def rotation_distance(turned: BoardFit) -> float:
        return -float(np.trace(old.T @ turned.view.cam_from_board.rotation))

    return min((fit.rotate(quarter * np.pi / 2) for quarter in range(4)), key=rotation_distance)


def measure_shift_mm(before: BoardFit, now: BoardFit) -> float | None:
    """Median shift of the 5-line in the picture, as mm on the board; None for another view."""
    azimuths = np.arange(_RING_POINTS) * (2 * np.pi / _RING_POINTS)
    ring_mm = before.spec.line_points_mm(2, azimuths)
    old_px, new_px = (fit.view.project_plane(ring_mm) for fit in (before, now))
    breadth_px = float(np.linalg.norm(np.ptp(old_px, axis=0))) / np.sqrt(2)
    scale = float(np.linalg.norm(np.ptp(new_px, axis=0))) / np.sqrt(2) / breadth_px
    shift_px = float(np.median(np.linalg.norm(new_px - old_px, axis=1)))
    if shift_px > PARAMS.max_shift_share * breadth_px or abs(scale - 1) > PARAMS.max_scale_change:
        return None
    return shift_px * before.view.mm_per_px()
