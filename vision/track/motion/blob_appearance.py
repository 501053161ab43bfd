"""Blob appearance: centroid, colour and roundness of discs' faces about given rectified pixels.

A face's pixels are those that are nearer to its median colour than to the board's; their centroid
is where the disc is, to about a millimetre, and their share inside the rim less that around it says
how round and alone it is. All blobs are measured at once, which is quicker than one by one. A hand
of the disc's colour that touches it draws the centroid away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import cv2
import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from vision.rectify.frame_rectifier import RECTIFIED_MM_PER_PX
from vision.track.background.background_model import BackgroundModel, NormalisedFrame

#: The face is judged inside its rim, and its surroundings in a ring outside it, mm.
INSIDE_RIM_MM, RING_MM = 2.0, (2.0, 7.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class BlobAppearanceParameters(StageParameters):
    """What ``blob_appearance`` takes for granted."""

    stage: ClassVar[str] = "track.motion.blob_appearance"

    #: A pixel is of the disc when its colour is nearer to the face's than this share of the face's
    #: own distance from the board: shadow and fingers are not.
    alike_share: float = parameter(
        0.6,
        unit="share",
        source="chosen: nearer to the face than to the board, which is at 0.5, and noise",
    )
    #: A face is centred on its own colour so many times, and moves no farther than this.
    #: One disc's face differs by less than this from frame to frame, and from its team's colour.
    same_colour_lab: float = parameter(
        30.0, unit="weighted Lab", source="chosen: beyond what shade and motion blur change"
    )
    centrings: int = parameter(2, unit="", source="chosen: the second moves by less than a pixel")
    centred_mm: float = parameter(8.0, unit="mm", source="chosen: half a radius")


PARAMS = BlobAppearanceParameters.active()
#: Grooves of a face are narrower than this many pixels. On wood of nearly its colour, no farther
#: from it than so many grey levels over all channels, they stand out as much as the disc does.
_GROOVE, _FAINT = np.ones((3, 3), np.uint8), 70.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BlobAppearance:
    """Appearance of n blobs' faces.

    centre_px  (n, 2) rectified pixels
    roundness  (n,) share that is of the disc inside less that around: 1 for a disc alone
    colour_bgr (n, 3) median, in the background's light
    """

    centre_px: FloatArray
    roundness: FloatArray
    colour_bgr: FloatArray


def measure_appearance(
    background: BackgroundModel, frame: NormalisedFrame, places_px: FloatArray, radius_mm: float
) -> BlobAppearance:
    """The appearance of blobs of ``radius_mm`` about rectified pixels (n, 2); n may be 0."""
    if len(places_px) == 0:
        return BlobAppearance(
            centre_px=np.zeros((0, 2)), roundness=np.zeros(0), colour_bgr=np.zeros((0, 3))
        )
    reach = int(np.ceil((radius_mm + RING_MM[1] + PARAMS.centred_mm) / RECTIFIED_MM_PER_PX))
    corner = _place_windows(places_px, reach, frame.image)
    image, difference = (
        _cut_windows(each, corner, reach) for each in (frame.image, frame.difference)
    )
    image, difference = _split_channels(image), difference > background.threshold
    centre, is_face = places_px, np.ones(len(places_px), dtype=bool)
    for _ in range(PARAMS.centrings):
        colour, board = _measure_colours((frame.image, background.image), centre, radius_mm)
        apart2 = ((colour - board) ** 2).sum(axis=1)
        alike = difference & (
            _squared_colour_distance(image, colour) < PARAMS.alike_share**2 * apart2[:, None, None]
        )
        body = alike & (
            _squared_distance_mm2(centre - corner, reach) < (radius_mm + INSIDE_RIM_MM) ** 2
        )
        is_face &= body.any(axis=(1, 2))
        centre = np.where(is_face[:, None], corner + _find_centroids(body), centre)
    away2 = _squared_distance_mm2(centre - corner, reach)
    is_round = _measure_roundness(alike, away2, radius_mm)
    faint = apart2 < _FAINT**2
    whole = difference[faint] & _close_grooves(alike[faint])
    is_round[faint] = np.maximum(
        is_round[faint], _measure_roundness(whole, away2[faint], radius_mm)
    )
    return BlobAppearance(
        centre_px=centre, roundness=np.where(is_face, is_round, 0.0), colour_bgr=colour
    )


def _place_windows(places_px: FloatArray, reach: int, image: np.ndarray) -> np.ndarray:
    """Corners (n, 2) of the windows about pixels (n, 2), none of which leaves the image."""
    most = len(image) - (2 * reach + 1)
    return np.clip(np.rint(places_px).astype(np.intp) - reach, 0, most)


def _cut_windows(image: np.ndarray, corner: np.ndarray, reach: int) -> np.ndarray:
    """Squares (n, side, side, ...) of an image, ``2 * reach + 1`` long, from corners (n, 2) on."""
    side = 2 * reach + 1
    return np.array([image[y : y + side, x : x + side] for x, y in corner])


def _split_channels(windows: np.ndarray) -> np.ndarray:
    """Windows (n, side, side, 3) as (n, 3, side, side) float32, which is quicker to sum over."""
    return np.moveaxis(windows, -1, 1).astype(np.float32, order="C")


def _squared_distance_mm2(centre: FloatArray, reach: int) -> FloatArray:
    """Squared distances (n, side, side) of windows' pixels from points (n, 2) of them."""
    step = np.arange(2 * reach + 1) - centre[..., None]
    x2, y2 = ((RECTIFIED_MM_PER_PX * step.astype(np.float32)) ** 2).transpose(1, 0, 2)
    return y2[:, :, None] + x2[:, None, :]


def _measure_colours(
    images: tuple[np.ndarray, np.ndarray], centre: FloatArray, radius_mm: float
) -> FloatArray:
    """Median colours (2, n, 3) of two images' pixels within half a radius of points (n, 2)."""
    reach = int(np.ceil(radius_mm / 2 / RECTIFIED_MM_PER_PX))
    corner = _place_windows(centre, reach, images[0])
    core = _squared_distance_mm2(centre - corner, reach) < (radius_mm / 2) ** 2
    seen = np.array([_cut_windows(each, corner, reach) for each in images])
    behind = np.where(core[..., None], seen, np.uint8(255))  # what is not seen is sorted last
    ordered = np.sort(behind.reshape(2, len(core), -1, 3), axis=2, kind="stable")
    count, every = np.count_nonzero(core, axis=(1, 2)), np.arange(len(core))
    low, high = (ordered[:, every, i].astype(np.float32) for i in ((count - 1) // 2, count // 2))
    return 0.5 * (low + high)


def _squared_colour_distance(windows: np.ndarray, colour: FloatArray) -> FloatArray:
    """Squared distances (n, side, side) of the colours of windows (n, 3, side, side)."""
    off = windows - colour[..., None, None]
    return np.asarray((off * off).sum(axis=1))


def _find_centroids(bodies: np.ndarray) -> FloatArray:
    """Centroids (n, 2) of masks (n, side, side); anything where there is none."""
    along = np.stack([bodies.sum(axis=1), bodies.sum(axis=2)], axis=1)
    return along @ np.arange(bodies.shape[1]) / np.maximum(along.sum(axis=2), 1)


def _measure_roundness(alike: np.ndarray, away2_mm2: FloatArray, radius_mm: float) -> FloatArray:
    """The share (n,) of each face that is alike, less that of the ring around it."""
    face, inner, outer = (
        away2_mm2 < (radius_mm + edge_mm) ** 2 for edge_mm in (-INSIDE_RIM_MM, *RING_MM)
    )
    return _measure_share(alike, face) - _measure_share(alike, outer & ~inner)


def _measure_share(masks: np.ndarray, where: np.ndarray) -> FloatArray:
    """The shares (n,) of ``where`` that the masks (n, side, side) cover."""
    return (masks & where).sum(axis=(1, 2)) / where.sum(axis=(1, 2))


def _close_grooves(alike: np.ndarray) -> np.ndarray:
    """The masks (n, side, side), with the grooves and rings of a disc's face between them."""
    closed = [cv2.morphologyEx(each.view(np.uint8), cv2.MORPH_CLOSE, _GROOVE) for each in alike]
    return np.array(closed, dtype=bool).reshape(alike.shape)
