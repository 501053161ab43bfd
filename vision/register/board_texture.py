"""The texture of a board seen from above, matched with other frames.

Corners of a reference frame's bird's-eye image are tracked into a frame (pyramidal Lucas-Kanade,
Bouguet 2000). The frame was resampled with a rough view, so only the error of that view remains.
Both images are normalised to a local mean and deviation, because the light and a phone's exposure
change. Standing objects are left out of the reference; a robust fit rejects other wrong matches.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.board import BoardSpec, FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.pose import View
from vision.rectify.birds_eye import BirdsEyeImage, warp_birds_eye
from vision.register.pose_fit import MatchedPlaces


class BoardTextureParameters(StageParameters):
    """Parameters of ``board_texture``."""

    #: Bird's-eye images have the frame's resolution in the middle, within these bounds.
    mm_per_px: tuple[float, float] = parameter(
        (0.7, 1.4), unit="mm", source="chosen: half of the thinnest line, 1.2 mm, up to all of it"
    )
    corner_quality: float = parameter(
        0.003,
        unit="share",
        source="chosen low, because lines and posts have far more contrast than grain",
    )
    apart_mm: float = parameter(
        12.0, unit="mm", source="chosen: corners are then spread all over the board"
    )
    #: The local mean and deviation are computed over this length.
    normalised_mm: float = parameter(40.0, unit="mm", source="chosen: wider than a disc")
    floor_grey: float = parameter(
        4.0, unit="grey value", source="chosen: the noise and compression of a plain patch"
    )
    #: A match is rejected if tracking it backwards misses its start by more than this.
    return_px: float = parameter(
        0.4, unit="px", source="chosen: several times the error of a correct match"
    )
    #: Posts and discs with their shadows are masked out to this distance.
    clear_of_posts_mm: float = parameter(
        14.0, unit="mm", source="chosen: a post's radius and half of its height"
    )
    clear_of_discs_mm: float = parameter(
        32.0, unit="mm", source="chosen: a disc's radius, its height and its shadow"
    )


PARAMS = BoardTextureParameters()
#: Most corners: many more than the six unknowns need.
_MAX_CORNERS = 300
#: Size of the matching window (the default of Bouguet's implementation).
_WINDOW_PX = 21
#: Number of times the image is halved (the default of Bouguet's implementation): matches within
#: some 60 px are found.
_PYRAMID_LEVELS = 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoardTexture:
    """A board's surface from above, in a reference frame.

    image       (side, side) uint8, normalised, with ``mm_per_px``
    corners_px  (n, 1, 2) float32: points in it that differ from their surroundings
    """

    image: np.ndarray
    mm_per_px: float
    half_side_mm: float
    corners_px: np.ndarray

    def match(self, frame: np.ndarray, view: View) -> MatchedPlaces:
        """Positions of the corners in a frame (h, w, 3) uint8 BGR, given a rough ``view`` of it."""
        above = _view_from_above(frame, view, self.half_side_mm, self.mm_per_px)
        now = _normalise(above, self.mm_per_px)
        found, is_found = _follow(self.image, now, self.corners_px)
        back, is_back = _follow(now, self.image, found)
        error_px = np.linalg.norm((back - self.corners_px)[:, 0], axis=-1)
        kept = is_found & is_back & (error_px < PARAMS.return_px)
        at = np.clip(np.rint(found[:, 0]).astype(int), 0, above.inside.shape[0] - 1)
        kept &= above.inside[at[:, 1], at[:, 0]]
        return MatchedPlaces(
            places_mm=above.to_mm(self.corners_px[kept, 0]),
            points_px=view.project_plane(above.to_mm(found[kept, 0])),
        )


def learn_texture(
    frame: np.ndarray, view: View, spec: BoardSpec, discs_mm: FloatArray
) -> BoardTexture:
    """The texture of a reference ``frame`` (h, w, 3) uint8 BGR, with discs at ``discs_mm`` (n, 2).

    A board without any texture has no corners.
    """
    finest, coarsest = PARAMS.mm_per_px
    mm_per_px = min(max(view.mm_per_px(), finest), coarsest)
    above = _view_from_above(frame, view, spec.surface_radius_mm, mm_per_px)
    image = _normalise(above, mm_per_px)
    corners = cv2.goodFeaturesToTrack(
        image,
        _MAX_CORNERS,
        PARAMS.corner_quality,
        PARAMS.apart_mm / mm_per_px,
        mask=_mask_empty_surface(above, spec, discs_mm),
    )
    return BoardTexture(
        image=image,
        mm_per_px=mm_per_px,
        half_side_mm=spec.surface_radius_mm,
        corners_px=np.zeros((0, 1, 2), np.float32) if corners is None else corners,
    )


def _view_from_above(
    frame: np.ndarray, view: View, half_side_mm: float, mm_per_px: float
) -> BirdsEyeImage:
    return warp_birds_eye(frame, view, z_mm=0.0, half_side_mm=half_side_mm, mm_per_px=mm_per_px)


def _normalise(above: BirdsEyeImage, mm_per_px: float) -> np.ndarray:
    """The image in grey, uint8, with the same local mean and deviation everywhere."""
    grey = cv2.cvtColor(above.image, cv2.COLOR_BGR2GRAY).astype(np.float32)
    reach = (round(PARAMS.normalised_mm / mm_per_px),) * 2
    off = grey - cv2.blur(grey, reach)
    variance = np.maximum(cv2.blur(off * off, reach), 0.0)  # running sums can round to below zero
    deviation = cv2.sqrt(variance) + PARAMS.floor_grey
    return np.asarray(np.clip(off / deviation * 40.0 + 128.0, 0, 255), dtype=np.uint8)


def _mask_empty_surface(above: BirdsEyeImage, spec: BoardSpec, discs_mm: FloatArray) -> np.ndarray:
    """Mask (side, side) uint8 of pixels at which the frame shows the surface without a standing
    object.
    """
    mask = ((above.radius_mm() < spec.surface_radius_mm) & above.inside).astype(np.uint8)
    angles = np.pi * (2 * np.arange(spec.post_count) + 1) / spec.post_count
    posts = spec.post_ring_radius_mm * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    for places, reach_mm in (
        (posts, PARAMS.clear_of_posts_mm),
        (discs_mm, PARAMS.clear_of_discs_mm),
        (np.array([spec.hole_centre_mm]), spec.hole_radius_mm + PARAMS.clear_of_posts_mm / 2),
    ):
        for x, y in np.rint(above.to_px(np.reshape(places, (-1, 2)))).astype(int):
            cv2.circle(mask, (int(x), int(y)), round(reach_mm / above.mm_per_px), 0, -1)
    return mask


def _follow(
    before: np.ndarray, now: np.ndarray, points_px: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Positions in another image of the points (n, 1, 2) of an image, and whether each was found
    (n,).
    """
    if len(points_px) == 0:
        return points_px, np.zeros(0, dtype=bool)
    found, status, _ = cv2.calcOpticalFlowPyrLK(
        before,
        now,
        points_px,
        points_px.copy(),
        winSize=(_WINDOW_PX, _WINDOW_PX),
        maxLevel=_PYRAMID_LEVELS,
    )
    return found, status[:, 0] == 1
