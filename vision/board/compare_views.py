"""Two views of one board: how far the board shifted between them, and by how many quarter turns.

Knows fits. Refuses to know what moved the camera.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from calibration.fit import BoardFit
from calibration.parameters import StageParameters, parameter


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareViewsParameters(StageParameters):
    """What ``compare_views`` takes for granted."""

    stage: ClassVar[str] = "board.compare_views"

    #: A camera that was bumped sees the board within these of where it was: of its breadth in the
    #: picture, and of its size.
    max_shift_share: float = parameter(0.25, unit="share", source="")
    max_scale_change: float = parameter(0.1, unit="", source="")
    #: Points on a ring that tell one view from another.
    ring_points: int = parameter(12, unit="", source="")


PARAMS = CompareViewsParameters.active()


def rotate_to_match(fit: BoardFit, before: BoardFit) -> BoardFit:
    """The fit turned by quarters so that its axes point as they did before the camera moved."""
    old = before.view.cam_from_board.rotation

    def rotation_distance(turned: BoardFit) -> float:
        return -float(np.trace(old.T @ turned.view.cam_from_board.rotation))

    return min((fit.rotate(quarter * np.pi / 2) for quarter in range(4)), key=rotation_distance)


def measure_shift_mm(before: BoardFit, now: BoardFit) -> float | None:
    """How far the board has shifted, mm on it; None when it is another view of it."""
    azimuths = np.arange(PARAMS.ring_points) * (2 * np.pi / PARAMS.ring_points)
    ring_mm = before.spec.line_points_mm(2, azimuths)
    old_px, new_px = (each.view.project_plane(ring_mm) for each in (before, now))
    breadth_px = float(np.linalg.norm(np.ptp(old_px, axis=0))) / np.sqrt(2)
    scale = float(np.linalg.norm(np.ptp(new_px, axis=0))) / np.sqrt(2) / breadth_px
    shift_px = float(np.median(np.linalg.norm(new_px - old_px, axis=1)))
    if shift_px > PARAMS.max_shift_share * breadth_px or abs(scale - 1) > PARAMS.max_scale_change:
        return None
    return shift_px * before.view.mm_per_px()
