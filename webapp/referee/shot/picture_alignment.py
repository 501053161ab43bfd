"""A board's later picture laid over its earlier one, by what of the bare board both show.

A camera that trembles by a tenth of a pixel seems to move every disc alike. The shift and turn
between the pictures are found by maximising their enhanced correlation coefficient (Evangelidis and
Psarakis 2008, OpenCV's ``findTransformECC``) on the playing surface without the discs. Where that
finds nothing, as on a board without texture, the picture is left as it is.
"""

from __future__ import annotations

from typing import ClassVar

import cv2
import numpy as np

from calibration.board import FloatArray
from calibration.circle import circle_mm
from calibration.parameters import StageParameters, parameter
from vision.track.events import BoardAtRest


class PictureAlignmentParameters(StageParameters):
    """What ``picture_alignment`` takes for granted."""

    stage: ClassVar[str] = "referee.shot.picture_alignment"

    #: Discs, their shadows and their blur reach this far about their feet.
    disc_reach_mm: float = parameter(26.0, unit="mm", source="a radius and a disc's height")
    #: The pictures are compared at this share of their size.
    scale: float = parameter(
        0.5, unit="share", source="chosen for speed: shifts are found to a hundredth of a pixel"
    )
    rounds: int = parameter(20, unit="", source="chosen: it takes five to ten")
    precision: float = parameter(
        1e-4, unit="", source="a hundredth of what a disc's shift is worth"
    )
    blur_px: int = parameter(3, unit="px", source="chosen: the grain of a camera")
    #: A larger shift is a camera that was moved, which is told elsewhere.
    most_px: float = parameter(4.0, unit="px", source="chosen: beyond any tremble")


PARAMS = PictureAlignmentParameters.active()
_RIM_POINTS = 48


def align_picture(earlier: BoardAtRest, now: BoardAtRest) -> np.ndarray:
    """The picture (h, w, 3) of ``now`` laid over that of ``earlier``; both are of one view."""
    try:
        _, warp = cv2.findTransformECC(
            _shrink(earlier.image),
            _shrink(now.image),
            np.eye(2, 3, dtype=np.float32),
            cv2.MOTION_EUCLIDEAN,
            (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, PARAMS.rounds, PARAMS.precision),
            _mask_bare_board(earlier, now),
            PARAMS.blur_px,
        )
    except cv2.error:  # nothing to compare: it says so by this alone
        return now.image
    whole = warp.astype(np.float64)
    # A pixel's centre is at a half of it: (x + 0.5) * scale - 0.5 in the small picture.
    middle = (1 - PARAMS.scale) / 2
    whole[:, 2] = (warp[:, 2] + warp[:, :2] @ [-middle, -middle] + middle) / PARAMS.scale
    centre = earlier.fit.view.project_plane(np.zeros((1, 2)))[0]
    if np.hypot(*(whole[:, :2] @ centre + whole[:, 2] - centre)) > PARAMS.most_px:
        return now.image
    height, width = now.image.shape[:2]
    return cv2.warpAffine(
        now.image,
        whole,
        (width, height),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )


def _shrink(image: np.ndarray) -> np.ndarray:
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    return cv2.resize(grey, None, fx=PARAMS.scale, fy=PARAMS.scale, interpolation=cv2.INTER_AREA)


def _mask_bare_board(earlier: BoardAtRest, now: BoardAtRest) -> np.ndarray:
    """Where (h, w) of the shrunk picture both show the surface and no disc."""
    height, width = now.image.shape[:2]
    mask = np.zeros((height, width), np.uint8)
    _fill_circle(mask, now, np.zeros(2), now.fit.spec.surface_radius_mm, 1)
    for each in (*earlier.board.discs, *now.board.discs):
        _fill_circle(mask, now, each.centre_mm, PARAMS.disc_reach_mm, 0)
    return cv2.resize(mask, None, fx=PARAMS.scale, fy=PARAMS.scale, interpolation=cv2.INTER_NEAREST)


def _fill_circle(
    mask: np.ndarray, now: BoardAtRest, centre_mm: FloatArray, radius_mm: float, value: int
) -> None:
    rim_px = now.fit.view.project_plane(circle_mm(centre_mm, radius_mm, _RIM_POINTS))
    cv2.fillConvexPoly(mask, np.rint(rim_px).astype(np.int32), value)
