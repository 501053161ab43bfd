"""A board's later picture, aligned with its earlier one by the empty board in both.

A camera that trembles by a tenth of a pixel seems to move all discs in the same way. The shift and
turn between the pictures maximise their enhanced correlation coefficient (Evangelidis and Psarakis
2008, OpenCV's ``findTransformECC``) on the playing surface without the discs. In a second step
misfits are left out, because a hand over the board shifts the whole picture. The warp that fits
most of the board is used. If none is found, as on a board without texture, the picture stays
unchanged. A hand over most of the board misleads it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import cv2
import numpy as np

from calibration.board import FloatArray
from calibration.circle import circle_mm
from calibration.numerics.least_squares import MAD_TO_SIGMA
from calibration.parameters import StageParameters, parameter
from vision.track.events import BoardAtRest


class PictureAlignmentParameters(StageParameters):
    """Parameters of ``picture_alignment``."""

    stage: ClassVar[str] = "referee.shot.picture_alignment"

    #: Discs, their shadows and their blur reach this far about their bases.
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
    #: Pixels that differ by more robust sigmas than this, and by more grey levels, show different
    #: things, with so many around them in the shrunk picture.
    differs_sigmas: float = parameter(5.0, unit="σ", source="chosen: beyond any noise")
    differs_levels: float = parameter(
        8.0, unit="grey levels", source="chosen: films of still boards are compressed to 2 or 3"
    )
    around_px: int = parameter(3, unit="px", source="chosen: an edge's blur")
    #: What shows different things is left out so many times.
    passes: int = parameter(2, unit="", source="chosen: more change a warp by under 0.01 px")
    #: A larger shift is a camera that was moved, which is told elsewhere.
    most_px: float = parameter(4.0, unit="px", source="chosen: beyond any tremble")


PARAMS = PictureAlignmentParameters()
_RIM_POINTS = 48
_NO_WARP = np.eye(2, 3, dtype=np.float32)


def align_picture(earlier: BoardAtRest, now: BoardAtRest) -> np.ndarray:
    """The picture (h, w, 3) of ``now``, aligned with that of ``earlier``; both are of one view."""
    pair, corner_px = _cut_board(
        _shrink(earlier.image), _shrink(now.image), _mask_empty_board(earlier, now)
    )
    warp = _find_warp(pair)
    whole = warp.astype(np.float64)
    # A pixel's centre is at a half of it: (x + 0.5) * scale - 0.5 in the small picture.
    off = corner_px + (1 - PARAMS.scale) / 2
    whole[:, 2] = (warp[:, 2] - warp[:, :2] @ off + off) / PARAMS.scale
    centre = earlier.fit.view.project_plane(np.zeros((1, 2)))[0]
    off_px = float(np.hypot(*(whole[:, :2] @ centre + whole[:, 2] - centre)))
    if off_px > PARAMS.most_px or np.array_equal(warp, _NO_WARP):
        return now.image
    height, width = now.image.shape[:2]
    return cv2.warpAffine(
        now.image,
        whole,
        (width, height),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _PicturePair:
    """Two reduced grey pictures (h, w), and the pixels (h, w) where both show the empty board."""

    one: np.ndarray
    other: np.ndarray
    empty: np.ndarray


def _cut_board(
    one: np.ndarray, other: np.ndarray, empty: np.ndarray
) -> tuple[_PicturePair, FloatArray]:
    """The pictures around the ``bare`` part of the board, and the place (2,) of their first
    pixel.
    """
    x, y, width, height = cv2.boundingRect(empty)
    beside = math.ceil(PARAMS.most_px) + PARAMS.blur_px
    left, top = max(x - beside, 0), max(y - beside, 0)
    box = slice(top, y + height + beside), slice(left, x + width + beside)
    return _PicturePair(one[box], other[box], empty[box]), np.array([left, top], dtype=np.float64)


def _find_warp(pair: _PicturePair) -> np.ndarray:
    """The shift and turn (2, 3) that aligns most of the other picture.

    Parts that fit badly in the best result so far, such as a hand's outline, are left out of the
    next round's search.
    """
    best = _measure_misfit(pair, _NO_WARP)
    explained = pair.empty
    for _ in range(1 + PARAMS.passes):
        warp = _maximise_correlation(pair, explained, best.warp)
        if warp is not None:
            best = min(best, _measure_misfit(pair, warp), key=lambda misfit: misfit.levels)
        explained = np.where(best.differs, 0, pair.empty).astype(np.uint8)
    return best.warp


def _maximise_correlation(
    pair: _PicturePair, mask: np.ndarray, start: np.ndarray
) -> np.ndarray | None:
    """The warp (2, 3) found from a first one, within the ``mask`` (h, w); or none."""
    try:
        _, warp = cv2.findTransformECC(
            pair.one,
            pair.other,
            start.copy(),
            cv2.MOTION_EUCLIDEAN,
            (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, PARAMS.rounds, PARAMS.precision),
            mask,
            PARAMS.blur_px,
        )
    except cv2.error:  # nothing to compare: it says so by this alone
        return None
    return np.asarray(warp)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Misfit:
    """The misfit of two pictures after a warp (2, 3).

    levels   mean difference of the bare parts, in grey levels; a pixel's difference is limited to
             one that clearly shows something else
    differs  pixels (h, w bool) that show different things, with their surroundings
    """

    warp: np.ndarray
    levels: float
    differs: np.ndarray


def _measure_misfit(pair: _PicturePair, warp: np.ndarray) -> _Misfit:
    height, width = pair.one.shape
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    laid = cv2.warpAffine(
        pair.other, warp, (width, height), flags=flags, borderMode=cv2.BORDER_REPLICATE
    )
    blur = (PARAMS.blur_px, PARAMS.blur_px)
    one, other = (cv2.blur(each, blur).astype(np.float32) for each in (pair.one, laid))
    on_board = pair.empty > 0
    if not on_board.any():
        return _Misfit(warp=warp, levels=0.0, differs=~on_board)
    gain = float(np.median(other[on_board])) / max(float(np.median(one[on_board])), 1.0)
    change = np.abs(other - gain * one)
    sigma = MAD_TO_SIGMA * float(np.median(change[on_board]))
    most = max(PARAMS.differs_sigmas * sigma, PARAMS.differs_levels)
    around_px = 2 * PARAMS.around_px + 1
    differs = cv2.dilate((change > most).astype(np.uint8), np.ones((around_px, around_px)))
    levels = float(np.minimum(change[on_board], PARAMS.differs_levels).mean())
    return _Misfit(warp=warp, levels=levels, differs=differs > 0)


def _shrink(image: np.ndarray) -> np.ndarray:
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    return cv2.resize(grey, None, fx=PARAMS.scale, fy=PARAMS.scale, interpolation=cv2.INTER_AREA)


def _mask_empty_board(earlier: BoardAtRest, now: BoardAtRest) -> np.ndarray:
    """Pixels (h, w) of the reduced picture where both show the surface without a disc."""
    height, width = now.image.shape[:2]
    mask = np.zeros((height, width), np.uint8)
    _fill_circle(mask, now, np.zeros(2), now.fit.spec.surface_radius_mm, 1)
    for disc in (*earlier.board.discs, *now.board.discs):
        _fill_circle(mask, now, disc.centre_mm, PARAMS.disc_reach_mm, 0)
    return cv2.resize(mask, None, fx=PARAMS.scale, fy=PARAMS.scale, interpolation=cv2.INTER_NEAREST)


def _fill_circle(
    mask: np.ndarray, now: BoardAtRest, centre_mm: FloatArray, radius_mm: float, value: int
) -> None:
    rim_px = now.fit.view.project_plane(circle_mm(centre_mm, radius_mm, _RIM_POINTS))
    cv2.fillConvexPoly(mask, np.rint(rim_px).astype(np.int32), value)
