"""Evidence of a board → its pose, camera and sizes, or a reason why not.

Knows least squares on ring, hole, post and quadrant-line evidence. Refuses to know how the evidence
was found in an image.
"""

from __future__ import annotations

from dataclasses import dataclass

from calibration.board import BoardSpec
from calibration.camera import FloatArray
from calibration.pose import View


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoardFit:
    """A board that was found: the view of it, its measured sizes, and how well both are known.

    view         in pixels of the image that was fitted
    spec         this board's measured sizes
    residual_px  robust standard deviation of the ring evidence about the fit
    covariance   of (rotation vector rad (3,), translation mm (3,), log focal length, k1): (8, 8)
    """

    view: View
    spec: BoardSpec
    residual_px: float
    covariance: FloatArray
