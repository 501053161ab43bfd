"""Gap test: whether the disc over the hole lies flat in it, by its outline against the empty hole.

A disc flat in the hole shows a round face in the hole's middle; one that leans on the edge lies to
one side of it and looks flattened. Knows one outline. Refuses to know colours' owners. A disc that
leans by less than about 20 degrees looks like one that lies flat, at a pixel a millimetre.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.camera import FloatArray
from calibration.fit import BoardFit
from vision.rectify.frame_rectifier import RECTIFIED_HEIGHT_MM, FrameRectifier
from vision.track.background.background_model import BackgroundModel, NormalisedFrame

#: The top of a disc in the hole stands about this high over the surface, mm.
_TOP_MM = 1.5
#: The outline is looked for this far around the hole's middle, mm, on a grid this fine, mm, and
#: smoothed by this, mm: frames have about a pixel a millimetre.
_REACH_MM, _STEP_MM, _SMOOTH_MM = 21.0, 0.5, 0.6
#: The face's colour is taken from this far around the middle, mm, and must differ this much from
#: the empty hole, grey levels over all channels, for an outline to be seen.
_FACE_MM, _LEAST_CONTRAST = 9.0, 25.0
#: Where more than this share of the hole, this far around its middle, mm, is as light as the face,
#: what is seen of the outline is only a part.
_WITHIN_MM, _MOST_FAINT = 15.0, 0.2
#: Between these shares of the way from board to face a pixel goes from none to all of the disc.
_NONE, _ALL = 0.2, 0.8
#: A pixel is of the face as long as it is no further from its colour than this share of the face's
#: own brightness (and so many levels more), and none from so many times that: a wall that is seen,
#: and the dark beside a raised edge, are not.
_SAME_SHARE, _SAME_LEVELS, _OTHER_TIMES = 0.075, 20.0, 3.0
#: ... nor than so many levels, which a black disc's face needs.
_LEAST_SAME = 9.0
#: A face has no bays: grooves narrower than this many steps, and gloss within its outline, belong
#: to it, and a pixel is of it when so much of it is. Slivers beside it then count, too.
_GROOVE, _FACE_SHARE = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (7, 7)), 0.5
#: A face darker than this, grey levels over all channels, ends where the hole's shadow begins: it
#: must differ this much from the empty hole.
_DARK, _DARK_CONTRAST = 60.0, 80.0
#: 33 discs of our renderer that lay flat in the hole were seen up to 2.8 mm off its middle, and at
#: least 0.94 as broad as long (black 0.92); of 35 that leaned by 12 to 35 degrees 24 are beyond the
#: first limit and 3 more beyond the second.
_LEANING_MM, _LEANING_ASPECT = 3.3, 0.9
_DOUBTFUL_MM, _DOUBTFUL_ASPECT = 2.95, 0.93


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Outline:
    """What the disc over the hole looks like from above.

    offset_mm  (2,) from where a disc flat in the hole is seen
    aspect  of its axes, the shorter over the longer
    """

    offset_mm: FloatArray
    aspect: float

    @property
    def is_leaning(self) -> bool:
        """Whether it leans on the hole's edge."""
        return float(np.hypot(*self.offset_mm)) > _LEANING_MM or self.aspect < _LEANING_ASPECT

    @property
    def is_doubtful(self) -> bool:
        """Whether it may lean, though it need not."""
        away = float(np.hypot(*self.offset_mm)) > _DOUBTFUL_MM or self.aspect < _DOUBTFUL_ASPECT
        return away and not self.is_leaning


def measure_hole_outline(
    image: np.ndarray,
    fit: BoardFit,
    rectifier: FrameRectifier,
    background: BackgroundModel,
    frame: NormalisedFrame,
) -> Outline | None:
    """The outline of what lies over the hole in a frame (BGR) that ``frame`` shows laid flat.

    None where it hardly differs from the empty hole.
    """
    across = np.arange(-_REACH_MM, _REACH_MM + _STEP_MM / 2, _STEP_MM)
    place_mm = np.stack(np.meshgrid(across, -across), axis=-1)
    hole_mm = np.array(fit.spec.hole_centre_mm)
    px = fit.view.project_plane((hole_mm + place_mm).reshape(-1, 2), _TOP_MM)
    above_mm = fit.view.unproject_plane(px, RECTIFIED_HEIGHT_MM)[:, :2]
    now = _sample_colours(image, px, len(across)) / frame.gain
    empty = _sample_colours(background.image, rectifier.to_px(above_mm), len(across))
    share = _estimate_coverage(now, empty, np.linalg.norm(place_mm, axis=-1))
    if share is None:
        return None
    outlines = (_fit_outline(place_mm, each) for each in (share, _fill_concavities(share)))
    return max(outlines, key=lambda each: each.aspect)  # what misleads either makes it less round


def _fit_outline(place_mm: FloatArray, share: FloatArray) -> Outline:
    """The outline of a face of which pixels at ``place_mm`` (n, n, 2) show these shares (n, n)."""
    weight = share / share.sum()
    off_mm = (place_mm * weight[..., None]).sum(axis=(0, 1))
    arm = place_mm - off_mm
    spread = np.einsum("ijk,ijl,ij->kl", arm, arm, weight)
    short, long = np.sqrt(np.linalg.eigvalsh(spread))
    return Outline(offset_mm=off_mm, aspect=float(short / long))


def _fill_concavities(share: FloatArray) -> FloatArray:
    """The shares with all that the largest piece of the face encloses, its grooves closed."""
    seen = cv2.morphologyEx(share, cv2.MORPH_CLOSE, _GROOVE) > _FACE_SHARE
    _, label, stats, _ = cv2.connectedComponentsWithStats(seen.view(np.uint8))
    if len(stats) == 1:
        return share
    row, column = np.nonzero(label == 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA])))
    hull = cv2.convexHull(np.stack([column, row], axis=-1).astype(np.int32))
    whole = np.zeros(share.shape, np.uint8)
    cv2.fillConvexPoly(whole, hull, 1)
    return whole.astype(np.float64)


def _sample_colours(image: np.ndarray, px: FloatArray, side: int) -> FloatArray:
    """Colours (side, side, 3) at pixels (side * side, 2), smoothed."""
    grid = px.reshape(side, side, 2).astype(np.float32)
    seen = cv2.remap(image, grid[..., 0], grid[..., 1], cv2.INTER_LINEAR)
    smooth = cv2.GaussianBlur(seen.astype(np.float64), (0, 0), _SMOOTH_MM / _STEP_MM)
    return np.asarray(smooth, dtype=np.float64)


def _estimate_coverage(
    now: FloatArray, empty: FloatArray, away_mm: FloatArray
) -> FloatArray | None:
    """How much of each pixel (n, n) is of the disc, 0 to 1; None where it does not stand out."""
    face = np.median(now[away_mm < _FACE_MM], axis=0)
    contrast = np.linalg.norm(face - empty, axis=-1)
    is_dark = float(np.linalg.norm(face)) < _DARK
    least = _DARK_CONTRAST if is_dark else _LEAST_CONTRAST
    if np.median(contrast[away_mm < _FACE_MM]) < least:
        return None
    if np.mean(contrast[away_mm < _WITHIN_MM] < _LEAST_CONTRAST) > _MOST_FAINT:
        return None
    along = ((now - empty) * (face - empty)).sum(axis=-1) / np.maximum(contrast, 1.0) ** 2
    same = max(_SAME_SHARE * (float(np.linalg.norm(face)) + _SAME_LEVELS), _LEAST_SAME)
    unlike = np.linalg.norm(now - face, axis=-1) / same
    share = np.clip((along - _NONE) / (_ALL - _NONE), 0.0, 1.0)
    share *= np.clip((_OTHER_TIMES - unlike) / (_OTHER_TIMES - 1.0), 0.0, 1.0)
    share[(away_mm > _REACH_MM) | (contrast < _LEAST_CONTRAST)] = 0.0
    return share if share.sum() > 0 else None
