"""Disc blobs of a normalised frame, moving or not: round differences from the background.

The difference mask is correlated with a disc minus the ring around it. Its peaks are centred on
their own colour (``blob_appearance``), and overlapping ones are suppressed. Places are correct to a
millimetre, enough to follow a disc but not to call a line. Two discs joined by a hand are missed,
and so is a disc blurred to twice its length.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, cached_by_settings, parameter
from vision.discs.hough_votes import suppress_non_maxima
from vision.rectify.frame_rectifier import RECTIFIED_MM_PER_PX, FrameRectifier
from vision.track.background.background_model import BackgroundModel, NormalisedFrame
from vision.track.motion.blob_appearance import (
    CLEAR_ROUNDNESS,
    FREE_ROUNDNESS,
    INSIDE_RIM_MM,
    MIN_ROUNDNESS,
    RING_MM,
    ROUND_ROUNDNESS,
    BlobAppearance,
    measure_appearance,
)


class DiscBlobsParameters(StageParameters):
    """Parameters of ``disc_blobs``."""

    #: A disc differs from the board everywhere; a blob must differ in at least this share of its
    #: area.
    min_coverage: float = parameter(
        0.8, unit="share", source="chosen: a disc with a finger on it has less"
    )
    #: Discs are never closer than two radii; blobs closer than this many radii are one.
    apart_radii: float = parameter(
        1.6, unit="radii", source="chosen: two radii, less the error of two blobs' middles"
    )
    blurred_radii: float = parameter(
        1.85, unit="radii", source="chosen: two radii, less a blob's error: 2 mm of 15"
    )
    beside_radii: float = parameter(
        1.0, unit="radii", source="chosen: a disc's shadow reaches this far in low light"
    )


PARAMS = DiscBlobsParameters()
#: Blobs are searched for on every second pixel, and then centred using all pixels, for speed: only
#: a quarter of the pixels are examined.
_COARSE = 2
#: Most blobs: all 24 discs of a round, and some pieces of hands.
_MOST_BLOBS = 30
_AROUND = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DiscBlobs:
    """n blobs of discs.

    centre_mm  (n, 2)
    roundness  (n,) share that differs inside minus that around: 1 for a separate disc
    colour_bgr (n, 3) median of the face, in the background's light
    """

    centre_mm: FloatArray
    roundness: FloatArray
    colour_bgr: FloatArray

    @property
    def free(self) -> np.ndarray:
        """Whether no hand holds the blobs: (n,) bool."""
        return self.roundness > FREE_ROUNDNESS


def find_disc_blobs(
    rectifier: FrameRectifier, background: BackgroundModel, frame: NormalisedFrame, radius_mm: float
) -> DiscBlobs:
    """The disc blobs of ``radius_mm`` on the surface, or over its edge, that differ from the
    background: at most ``most_blobs``, the roundest first.
    """
    full = _COARSE**2  # so that means over coarse pixels are whole numbers
    mask = cv2.threshold(frame.difference, background.threshold, full, cv2.THRESH_BINARY)[1]
    side = rectifier.side_px // _COARSE
    coarse = cv2.resize(mask, (side, side), interpolation=cv2.INTER_AREA)
    away_mm = rectifier.radius_mm[::_COARSE, ::_COARSE]
    near_mm = rectifier.surface_radius_mm + radius_mm
    places = (_find_peaks(coarse, full, radius_mm, away_mm, near_mm) + 0.5) * _COARSE - 0.5
    faces = _look_beside(
        background, frame, measure_appearance(background, frame, places, radius_mm), radius_mm
    )
    order = np.argsort(-faces.roundness, kind="stable")
    apart_px = PARAMS.apart_radii * radius_mm / RECTIFIED_MM_PER_PX
    kept = order[suppress_non_maxima(faces.centre_px[order], apart_px)]
    kept = kept[~_is_blurred(faces.centre_px[kept], faces.roundness[kept], radius_mm)]
    return DiscBlobs(
        centre_mm=rectifier.to_mm(faces.centre_px[kept]),
        roundness=faces.roundness[kept],
        colour_bgr=faces.colour_bgr[kept],
    )


def _look_beside(
    background: BackgroundModel, frame: NormalisedFrame, faces: BlobAppearance, radius_mm: float
) -> BlobAppearance:
    """The faces, and those found around hardly round ones. If a finger touches a disc, the largest
    difference may be beside the disc, with its shadow.
    """
    unclear = faces.centre_px[faces.roundness < CLEAR_ROUNDNESS]
    step_px = PARAMS.beside_radii * radius_mm / RECTIFIED_MM_PER_PX
    beside = (unclear[:, None] + step_px * _AROUND).reshape(-1, 2)
    more = measure_appearance(background, frame, beside, radius_mm)
    found = more.roundness >= CLEAR_ROUNDNESS
    return BlobAppearance(
        centre_px=np.concatenate([faces.centre_px, more.centre_px[found]]),
        roundness=np.concatenate([faces.roundness, more.roundness[found]]),
        colour_bgr=np.concatenate([faces.colour_bgr, more.colour_bgr[found]]),
    )


def _is_blurred(centre_px: FloatArray, roundness: FloatArray, radius_mm: float) -> np.ndarray:
    """Whether blobs (n,) bool, roundest first, are remains of a blurred disc before them."""
    gap_px = np.linalg.norm(centre_px[:, None] - centre_px[None], axis=-1)
    rank = np.arange(len(centre_px))
    near = gap_px < PARAMS.blurred_radii * radius_mm / RECTIFIED_MM_PER_PX
    near &= rank[None] < rank[:, None]
    return near.any(axis=1) & (roundness < ROUND_ROUNDNESS)


def _find_peaks(
    mask: np.ndarray, full: int, radius_mm: float, away_mm: np.ndarray, near_mm: float
) -> np.ndarray:
    """Coarse pixels (n, 2) that are most like a disc's middle in their neighbourhood, best first.

    ``mask`` (side, side) uint8 is 0 to ``full``. Discs never overlap. None is farther ``away_mm``
    (side, side) than ``near_mm``.
    """
    share = mask.astype(np.float32)  # bytes would be filtered three times slower
    coverage, around = (
        cv2.filter2D(share, cv2.CV_32F, kernel / full, borderType=cv2.BORDER_CONSTANT)
        for kernel in _make_kernels(radius_mm)
    )
    can_be = (coverage > PARAMS.min_coverage) & (away_mm <= near_mm)
    score = np.where(can_be, coverage - around, np.float32(0.0))
    reach = round(1.5 * radius_mm / (_COARSE * RECTIFIED_MM_PER_PX) / 2)
    highest = cv2.dilate(score, np.ones((2 * reach + 1, 2 * reach + 1), np.uint8))
    row, column = np.nonzero((score == highest) & (score > MIN_ROUNDNESS))
    best = np.argsort(-score[row, column], kind="stable")[: 4 * _MOST_BLOBS]
    places = np.column_stack([column, row])[best].astype(np.float64)
    return places[suppress_non_maxima(places, reach + 0.5)][:_MOST_BLOBS]


@cached_by_settings(maxsize=2)
def _make_kernels(radius_mm: float) -> tuple[np.ndarray, np.ndarray]:
    """Weights that average a face, and the ring around it."""
    face = _mark_ring(0.0, radius_mm - INSIDE_RIM_MM).astype(np.float32)
    ring = _mark_ring(radius_mm + RING_MM[0], radius_mm + RING_MM[1]).astype(np.float32)
    return face / face.sum(), ring / ring.sum()


def _mark_ring(inner_mm: float, outer_mm: float) -> np.ndarray:
    """The ring between two radii, no larger than necessary, because small kernels are fast."""
    mm_per_px = _COARSE * RECTIFIED_MM_PER_PX
    reach = int(outer_mm / mm_per_px)
    step = np.arange(-reach, reach + 1) * mm_per_px
    away = np.hypot(step[:, None], step[None, :])
    return (away >= inner_mm) & (away < outer_mm)
