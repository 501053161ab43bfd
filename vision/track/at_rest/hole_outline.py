"""Gap test: whether the disc over the hole is flat in it, by its outline against the empty hole.

A disc flat in the hole shows a round face in the hole's middle. A disc that leans on the edge is
off the middle and looks flattened. The outline's centroid and second moments measure both. At a
pixel per millimetre, a disc that leans by less than about 20 degrees looks like a flat one. In a
grazing view, a face that is a little higher or lower than usual appears shifted towards or away
from the camera. A shift that the height may explain does not count as leaning.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.camera import FloatArray
from calibration.fit import BoardFit
from calibration.parameters import StageParameters, parameter
from vision.rectify.frame_rectifier import RECTIFIED_HEIGHT_MM, FrameRectifier
from vision.track.background.background_model import BackgroundModel, NormalisedFrame


class HoleOutlineParameters(StageParameters):
    """Parameters of ``hole_outline``."""

    #: Height of the top of a disc in the hole above the surface.
    top_mm: float = parameter(
        1.5, unit="mm", source="chosen: discs are a little higher than holes are deep"
    )
    #: The top may be higher or lower by this. Seen at a slant, it then appears farther away: by the
    #: error times the distance that a line of sight travels per mm of descent. Up to this slope,
    #: the limits below allow for it.
    top_slack_mm: float = parameter(
        2.5,
        unit="mm",
        source="chosen: discs of 8.5 to 10.5 mm in holes of 7.5 to 9.5 mm, and 0.5 mm of wear",
    )
    usual_slope: float = parameter(
        1.0,
        unit="",
        source="chosen: a slope of 45°; the limits were measured on clips seen from higher up",
    )
    #: The outline is searched for this far around the hole's middle, on a grid of this step, and
    #: smoothed by this: frames have about a pixel per millimetre.
    reach_mm: float = parameter(
        21.0, unit="mm", source="chosen: the hole's radius of 17.5 mm, with its edge and blur"
    )
    step_mm: float = parameter(0.5, unit="mm", source="chosen: half a pixel of the frame")
    smooth_mm: float = parameter(
        0.6, unit="mm", source="chosen: the blur of a pixel of one millimetre"
    )
    #: The face's colour is measured within this radius around the middle. An outline is seen only
    #: if it differs from the empty hole by this many grey levels over all channels.
    face_mm: float = parameter(
        9.0, unit="mm", source="chosen: inside the face of a disc that is a few mm off the middle"
    )
    least_contrast: float = parameter(
        25.0,
        unit="grey value",
        source="chosen: twice as much as noise and compression cause in all channels together",
    )
    #: If more than this share of the hole, within this radius, is as light as the face, the visible
    #: outline is only a part.
    within_mm: float = parameter(
        15.0, unit="mm", source="chosen: inside the hole's 17.5 mm, without its edge"
    )
    most_faint: float = parameter(0.2, unit="share", source="chosen: grooves and glints cover less")
    #: Between these shares of the colour change from board to face, a pixel goes from showing no
    #: disc to showing only disc.
    none: float = parameter(
        0.2, unit="share", source="chosen: noise and blur alone can cause as much"
    )
    #: A pixel belongs to the face if its distance from the face's colour is at most this share of
    #: the face's brightness (plus this many levels); beyond this many times that, it does not. This
    #: excludes a visible wall, and the dark area beside a raised edge.
    same_share: float = parameter(
        0.075, unit="share", source="chosen: shading varies by as much within one face"
    )
    same_levels: float = parameter(
        20.0,
        unit="grey value",
        source="chosen: added to a face's brightness, for dark faces",
    )
    other_times: float = parameter(
        3.0, unit="", source="chosen: a wall and a shadow differ by more"
    )
    #: ... or at most this many levels, which the face of a black disc needs.
    least_same: float = parameter(
        9.0,
        unit="grey value",
        source="chosen: the variation that noise and compression cause on a black face",
    )
    #: ... or at most this share of the variation in the middle of the face, which grain, print and
    #: glare make uneven, up to this multiple of the limit above.
    spread_share: float = parameter(
        0.9, unit="share", source="chosen: one pixel in ten may be a glint"
    )
    most_spread: float = parameter(
        1.5, unit="", source="chosen: a wall beside a face differs by at least twice that"
    )
    #: A face darker than this, in grey levels over all channels, ends where the hole's shadow
    #: begins: it must differ by this much from the empty hole.
    dark: float = parameter(
        60.0,
        unit="grey value",
        source="chosen: faces of black discs have 35 per channel in the hole's shade",
    )
    dark_contrast: float = parameter(
        80.0,
        unit="grey value",
        source="chosen: more than the difference between shadow and black face",
    )
    #: A disc's shadow leaves at least this share of the light on the board beside the hole.
    darkest_shade: float = parameter(
        0.5, unit="share", source="chosen: contact shadows of discs in photographs leave 0.6 to 0.9"
    )
    #: In our renders, 33 discs that were flat in the hole appeared up to 2.8 mm off its middle, and
    #: at least 0.94 times as wide as long (black ones 0.92). Of 35 discs that leaned by 12 to 35
    #: degrees, 24 exceed the first limit and 3 more are below the second.
    leaning_mm: float = parameter(
        3.3,
        unit="mm",
        source="measured: 33 rendered flat discs are at most 2.8 mm off; 24 of 35 leaning ones"
        " more",
    )
    leaning_aspect: float = parameter(
        0.85,
        unit="",
        source="measured: flat discs in films made from photographs, whose outlines are broken"
        " by grain and glare, have at least 0.86; of 36 rendered leaning discs, 21 fail"
        " either test and 10 more are uncertain",
    )
    uncertain_mm: float = parameter(
        2.95, unit="mm", source="chosen: just beyond the 2.8 mm of rendered flat discs"
    )
    uncertain_aspect: float = parameter(
        0.93,
        unit="",
        source="chosen: just below the 0.94 of rendered flat discs that are not black",
    )


PARAMS = HoleOutlineParameters()
#: A face has no concavities: grooves narrower than this many steps, and gloss inside the outline,
#: belong to it. A pixel belongs to it if this share of it does, so slivers next to it count too.
_GROOVE, _FACE_SHARE = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (7, 7)), 0.5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Outline:
    """The outline of the disc over the hole, seen from above.

    offset_mm  (2,) from the visible place of a disc flat in the hole, minus the part that its
               height explains
    aspect  the shorter axis over the longer one
    """

    offset_mm: FloatArray
    aspect: float

    @property
    def is_leaning(self) -> bool:
        """Whether it leans on the hole's edge."""
        off_mm = float(np.hypot(*self.offset_mm))
        return off_mm > PARAMS.leaning_mm or self.aspect < PARAMS.leaning_aspect

    @property
    def is_uncertain(self) -> bool:
        """Whether it may be leaning or flat."""
        away = (
            float(np.hypot(*self.offset_mm)) > PARAMS.uncertain_mm
            or self.aspect < PARAMS.uncertain_aspect
        )
        return away and not self.is_leaning


def measure_hole_outline(
    image: np.ndarray,
    fit: BoardFit,
    rectifier: FrameRectifier,
    background: BackgroundModel,
    frame: NormalisedFrame,
) -> Outline | None:
    """The outline of the disc over the hole in ``image`` (h, w, 3 uint8 BGR).

    ``frame`` is the same picture rectified and normalised. None if the object there hardly differs
    from the empty hole, or only part of it does.
    """
    across = np.arange(-PARAMS.reach_mm, PARAMS.reach_mm + PARAMS.step_mm / 2, PARAMS.step_mm)
    place_mm = np.stack(np.meshgrid(across, -across), axis=-1)
    hole_mm = np.array(fit.spec.hole_centre_mm)
    px = fit.view.project_plane((hole_mm + place_mm).reshape(-1, 2), PARAMS.top_mm)
    above_mm = fit.view.unproject_plane(px, RECTIFIED_HEIGHT_MM)[:, :2]
    now = _sample_colours(image, px, len(across)) / frame.gain
    empty = _sample_colours(background.image, rectifier.to_px(above_mm), len(across))
    away_mm = np.linalg.norm(place_mm, axis=-1)
    share = _estimate_coverage(now, empty, away_mm)
    if share is None:
        return None
    share[_find_shadow(now, empty) & (away_mm > fit.spec.hole_radius_mm)] = 0.0
    outlines = (_fit_outline(place_mm, coverage) for coverage in (share, _fill_concavities(share)))
    # Disturbances make the outline less round.
    outline = max(outlines, key=lambda candidate: candidate.aspect)
    return _discount_height(outline, fit.view.cam_from_board.shift_per_mm(hole_mm))


def _discount_height(outline: Outline, shift_per_mm: FloatArray) -> Outline:
    """An outline without the part of its offset that is explained by a face higher or lower than
    usual.
    """
    slope = float(np.linalg.norm(shift_per_mm))
    if slope < PARAMS.usual_slope:
        return outline
    away, slack_mm = shift_per_mm / slope, PARAMS.top_slack_mm * (slope - PARAMS.usual_slope)
    by_height_mm = away * np.clip(outline.offset_mm @ away, -slack_mm, slack_mm)
    return replace(outline, offset_mm=outline.offset_mm - by_height_mm)


def _fit_outline(place_mm: FloatArray, share: FloatArray) -> Outline:
    """The outline of a face, from the shares (n, n) of the pixels at ``place_mm`` (n, n, 2) that
    show it.
    """
    weight = share / share.sum()
    off_mm = (place_mm * weight[..., None]).sum(axis=(0, 1))
    arm = place_mm - off_mm
    spread = np.einsum("ijk,ijl,ij->kl", arm, arm, weight)
    short, long = np.sqrt(np.linalg.eigvalsh(spread))
    return Outline(offset_mm=off_mm, aspect=float(short / long))


def _find_shadow(now: FloatArray, empty: FloatArray) -> np.ndarray:
    """Pixels (n, n bool) where the empty board, in some shade, looks as it does now."""
    light = (now * empty).sum(axis=-1) / np.maximum((empty * empty).sum(axis=-1), 1.0)
    shade = np.clip(light, PARAMS.darkest_shade, 1.0)[..., None] * empty
    return np.asarray(np.linalg.norm(now - shade, axis=-1) < PARAMS.least_contrast)


def _fill_concavities(share: FloatArray) -> FloatArray:
    """The shares, with the area enclosed by the largest piece of the face filled and its grooves
    closed.
    """
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
    smooth = cv2.GaussianBlur(seen.astype(np.float64), (0, 0), PARAMS.smooth_mm / PARAMS.step_mm)
    return np.asarray(smooth, dtype=np.float64)


def _estimate_coverage(
    now: FloatArray, empty: FloatArray, away_mm: FloatArray
) -> FloatArray | None:
    """The disc's share (n, n) of the pixels, 0 to 1; None if it does not stand out."""
    face = np.median(now[away_mm < PARAMS.face_mm], axis=0)
    contrast = np.linalg.norm(face - empty, axis=-1)
    is_dark = float(np.linalg.norm(face)) < PARAMS.dark
    least = PARAMS.dark_contrast if is_dark else PARAMS.least_contrast
    if np.median(contrast[away_mm < PARAMS.face_mm]) < least:
        return None
    if np.mean(contrast[away_mm < PARAMS.within_mm] < PARAMS.least_contrast) > PARAMS.most_faint:
        return None
    along = ((now - empty) * (face - empty)).sum(axis=-1) / np.maximum(contrast, 1.0) ** 2
    same = max(
        PARAMS.same_share * (float(np.linalg.norm(face)) + PARAMS.same_levels), PARAMS.least_same
    )
    off = np.linalg.norm(now - face, axis=-1)
    spread = float(np.quantile(off[away_mm < PARAMS.face_mm], PARAMS.spread_share))
    unlike = off / np.clip(spread, same, PARAMS.most_spread * same)
    share = np.clip((along - PARAMS.none) / (1 - 2 * PARAMS.none), 0.0, 1.0)
    share *= np.clip((PARAMS.other_times - unlike) / (PARAMS.other_times - 1.0), 0.0, 1.0)
    share[(away_mm > PARAMS.reach_mm) | (contrast < PARAMS.least_contrast)] = 0.0
    return share if share.sum() > 0 else None
