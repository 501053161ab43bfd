"""Places where a lamp's reflection hides the playing surface.

A board mirrors lamps and windows. Their light is added to the light from paint, wood and discs.
Where the sum exceeds the sensor's range, nothing of the surface is left. Before that, details fade:
a level rises with a power of light below one half, so a given step shows less the more light there
is (``washed_out``). One test covers both: a lowest level for every channel, computed from the light
that usually comes from the board. The amount of added light is not known, but it rises inwards no
more steeply than at the edge. Under a soft highlight even a black disc would show, so nothing is
asked (``_mask_hidden``); on a dark board a white disc would show. A white disc may be missed there
if no rim or shadow shows. This fails on a nearly white board, where saturated pixels are the board
itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from calibration.camera import FloatArray
from calibration.fit import BoardFit
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import PlacedDisc
from vision.discs.detector_input import DetectorInput
from vision.discs.radius_estimate import NOMINAL_DISC
from vision.reading import UnexplainedObject, UnexplainedReason
from vision.rectify.birds_eye import BirdsEyeImage, warp_birds_eye
from vision.rectify.luminance import PARAMS as LUMINANCE
from vision.rectify.luminance import decode_gamma, encode_gamma


class UnseenSurfaceParameters(StageParameters):
    """Parameters of ``unseen_surface``."""

    #: With this many times the board's usual light, less than half of a disc's contrast remains.
    washed_out: float = parameter(
        3.3,
        unit="",
        source="computed: grey values grow with the light to the power of 0.55, so their slope"
        " is then 0.52 of the usual",
    )
    #: A disc may be overlooked if this share of its face would be hidden.
    hidden_share: float = parameter(
        0.4,
        unit="share",
        source="measured with painted reflections: discs are missed where half or more is "
        "hidden; reflections in photographs that hide no disc have at most 0.28, or "
        "else 0.5 and more",
    )
    #: A lamp's light rises inwards by no more than it does over this distance outside.
    slope_mm: float = parameter(
        4.0,
        unit="mm",
        source="measured with painted reflections: with 4 or more, all missed discs are asked "
        "about; not with 3",
    )
    #: A black disc differs from the board by at least this step in one channel.
    least_contrast: float = parameter(
        26.0,
        unit="grey value",
        source="measured with painted reflections: at 24, a disc was missed without a question",
    )
    #: Light of a white disc, as a share of the light that saturates.
    white_light: float = parameter(
        0.6, unit="share", source="chosen: white discs usually have a grey value of 200"
    )
    #: The reading of a disc is uncertain if this share of its face is saturated.
    saturated_share: float = parameter(
        0.25,
        unit="share",
        source="measured on discs in 123 pictures without a lamp's reflection: at most 0.06",
    )


PARAMS = UnseenSurfaceParameters()
#: Resolution at which a preview is searched for reflections.
_COARSE_MM = 2.0


def is_white(usual_bgr: FloatArray) -> bool:
    """Whether a board's usual colour (3,) is so close to white that saturation does not indicate a
    lamp.
    """
    return bool(np.min(usual_bgr) > LUMINANCE.white_board_grey)


def find_least_unseen_bgr(usual_bgr: FloatArray) -> FloatArray:
    """The levels (3,) above which, in all channels, a pixel hides the surface of a board whose
    usual colour is (3,); more than 255 if no level does.
    """
    if is_white(usual_bgr):
        return np.full(3, 256.0)
    washed_out = encode_gamma(PARAMS.washed_out * decode_gamma(usual_bgr))
    return np.minimum(washed_out, LUMINANCE.saturated_grey)


def mask_unseen(image: np.ndarray, usual_bgr: FloatArray) -> np.ndarray:
    """Pixels (h, w) bool of an image (h, w, 3) uint8 BGR of a board that show nothing of the
    surface.
    """
    return np.asarray((image >= find_least_unseen_bgr(usual_bgr)).all(axis=-1))


def find_unseen(
    inputs: DetectorInput, discs: Sequence[PlacedDisc]
) -> tuple[UnexplainedObject, ...]:
    """Places where a disc that counts may be hidden, away from ``discs``, one per reflection; and
    the discs that a reflection covers or imitates.
    """
    rectified, wood_bgr = inputs.rectified, inputs.wood_bgr
    known_mm = np.reshape([disc.centre_mm for disc in discs], (-1, 2))
    unseen = mask_unseen(rectified.image, wood_bgr) & rectified.inside
    hidden = _find_hiding_places(unseen, inputs, known_mm) if unseen.any() else []
    flagged = [
        replace(_flag(place, UnexplainedReason.REFLECTION), hides_mm2=area_mm2)
        for place, area_mm2 in hidden
    ]
    flagged += [
        _flag(disc.centre_mm, UnexplainedReason.REFLECTION_ON_DISC)
        for disc in discs
        if _measure_saturated_share(rectified, disc.centre_mm, inputs.shape.radius_mm)
        > PARAMS.saturated_share
    ]
    return tuple(flagged)


def _flag(place_mm: FloatArray, reason: UnexplainedReason) -> UnexplainedObject:
    return UnexplainedObject(centre_mm=place_mm, reason=reason)


def _find_hiding_places(
    unseen: np.ndarray, inputs: DetectorInput, known_mm: FloatArray
) -> list[tuple[FloatArray, float]]:
    """Middles (2,) and areas, mm², of the regions in which the centre of a disc that counts would
    be hidden, away from the discs at ``known_mm`` (n, 2). A region with a hole, such as a ring, has
    its nearest place instead.
    """
    rectified, radius_px = inputs.rectified, inputs.shape.radius_mm / inputs.rectified.mm_per_px
    hidden = _mask_hidden(unseen, rectified, inputs.wood_bgr)
    share = measure_covered_share(hidden, radius_px)
    counting_mm = inputs.spec.line_radii_mm[2] - inputs.shape.radius_mm
    may_lie = (share > PARAMS.hidden_share) & (rectified.radius_mm() < counting_mm)
    taken = np.zeros(unseen.shape, np.uint8)
    reach_px = round(inputs.min_separation_mm / rectified.mm_per_px)
    for place_mm in known_mm:
        x, y = np.rint(rectified.to_px(place_mm)).astype(int).tolist()
        cv2.circle(taken, (x, y), reach_px, 1, cv2.FILLED)
    may_lie &= taken == 0
    return _find_middles(may_lie, rectified)


def _mask_hidden(unseen: np.ndarray, rectified: BirdsEyeImage, usual_bgr: FloatArray) -> np.ndarray:
    """Pixels (h, w) bool of the ``unseen`` ones (h, w) where a lamp may add so much light to a
    board of that usual colour (3,) that neither a black nor a white disc would show.
    """
    usual = decode_gamma(usual_bgr)
    last = int(np.argmin(usual))  # the channel that saturates last is the best measure of the light
    least_light = float(decode_gamma(find_least_unseen_bgr(usual_bgr))[last] - usual[last])
    light = decode_gamma(rectified.image[..., last]) - np.float32(usual[last])
    seen_light = np.where(unseen | ~rectified.inside, np.float32(least_light), light)
    reach_px = max(round(PARAMS.slope_mm / rectified.mm_per_px), 1)
    rise = least_light - cv2.erode(seen_light, _make_kernel(2 * reach_px + 1))
    inner = cv2.erode(unseen.view(np.uint8), np.ones((3, 3), np.uint8)) > 0
    edge = unseen & ~inner
    away_px, label = cv2.distanceTransformWithLabels(
        (~edge).view(np.uint8), cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL
    )
    rise_at = np.zeros(label.max() + 1, np.float32)
    rise_at[label[edge]] = np.maximum(rise[edge], 0.0)
    # The slope at the edge is an average that blur flattens: it is used from half its reach
    # outside.
    risen = rise_at[label[unseen]] * (away_px[unseen] / reach_px + 0.5)
    most = np.maximum(least_light + risen, light[unseen])[:, None]
    black, board, white = (
        encode_gamma(np.minimum(most + own, 1.0)) for own in (0.0, usual, PARAMS.white_light)
    )
    contrast = np.maximum(board - black, white - board).max(axis=-1)
    hidden = np.zeros_like(unseen)
    hidden[unseen] = contrast < PARAMS.least_contrast
    return hidden


def find_reflections(image: np.ndarray, fit: BoardFit) -> list[FloatArray]:
    """Middles (2,), board mm, of saturated regions in an ``image`` (h, w, 3) uint8 BGR of a board
    that would hide a countable disc; none on a nearly white board.
    """
    counting_mm = fit.spec.line_radii_mm[2] - NOMINAL_DISC.radius_mm
    rectified = warp_birds_eye(
        image, fit.view, z_mm=0.0, half_side_mm=fit.spec.surface_radius_mm, mm_per_px=_COARSE_MM
    )
    about = rectified.radius_mm()
    on_board = rectified.inside & (about < fit.spec.line_radii_mm[2])
    if not on_board.any() or is_white(np.median(rectified.image[on_board], axis=0)):
        return []
    saturated = (rectified.image >= LUMINANCE.saturated_grey).all(axis=-1) & rectified.inside
    share = measure_covered_share(saturated, NOMINAL_DISC.radius_mm / _COARSE_MM)
    hidden = _find_middles((share > PARAMS.hidden_share) & (about < counting_mm), rectified)
    return [place for place, _ in hidden]


def _find_middles(where: np.ndarray, rectified: BirdsEyeImage) -> list[tuple[FloatArray, float]]:
    """For every region (h, w) bool, the place (2,) in it nearest to its middle, with its area, mm²;
    the largest region first.
    """
    count, label, stats, middle_px = cv2.connectedComponentsWithStats(where.view(np.uint8))
    places = []
    for number in sorted(range(1, count), key=lambda k: -stats[k, cv2.CC_STAT_AREA]):
        rows, columns = np.nonzero(label == number)
        away_px = np.hypot(columns - middle_px[number, 0], rows - middle_px[number, 1])
        nearest = int(np.argmin(away_px))
        area_mm2 = len(rows) * rectified.mm_per_px**2
        places.append((rectified.to_mm([[columns[nearest], rows[nearest]]])[0], area_mm2))
    return places


def _make_kernel(side_px: float) -> np.ndarray:
    side = max(round(side_px), 1)
    return cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))


def measure_covered_share(mask: np.ndarray, radius_px: float) -> np.ndarray:
    """The covered share of a disc around every pixel, given a mask (h, w) bool: (h, w) float32."""
    reach = int(np.ceil(radius_px))
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    disc = (np.hypot(x, y) <= radius_px).astype(np.float32)
    return cv2.filter2D(
        mask.astype(np.float32), -1, disc / disc.sum(), borderType=cv2.BORDER_CONSTANT
    )


def _measure_saturated_share(
    rectified: BirdsEyeImage, base_mm: FloatArray, radius_mm: float
) -> float:
    """The saturated share of the face of a disc of that radius at a place (2,)."""
    part = rectified.cut(base_mm - radius_mm, base_mm + radius_mm)
    row, column = np.nonzero(part.inside)
    away_mm = np.linalg.norm(part.to_mm(np.stack([column, row], axis=-1)) - base_mm, axis=-1)
    face = part.image[row, column][away_mm < radius_mm]
    saturated = (face >= LUMINANCE.saturated_grey).all(axis=-1)
    return float(saturated.mean()) if len(face) else 0.0
