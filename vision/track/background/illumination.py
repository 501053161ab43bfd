"""Illumination changes: sharp patches of light that come onto the board or leave it (sun, a lamp).

In a patch of light the wood's grain and lines remain visible, brighter by one factor. An object
over the board hides them. A patch is a piece that differs, stayed in place for two frames, shows
the board's texture (correlation in tiles) and has a sharp outline. A gain and an offset per channel
are fitted to it. If the light saturates the grain, or the board has none, a patch cannot be
distinguished from an object. Soft, moving shadows are instead removed from every frame
(``background_model``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.camera import FloatArray
from calibration.disc import DiscSpec
from calibration.numerics.medians import column_medians
from calibration.parameters import StageParameters, parameter
from vision.rectify.frame_rectifier import RECTIFIED_MM_PER_PX, FrameRectifier
from vision.rectify.luminance import PARAMS as LUMINANCE
from vision.track.background.background_model import PARAMS as BACKGROUND
from vision.track.background.background_model import (
    BackgroundModel,
    NormalisedFrame,
    subtract_images,
)
from vision.track.background.connected_components import find_components
from vision.track.background.texture_match import MIN_TEXTURE, extract_texture, find_box


class IlluminationParameters(StageParameters):
    """Parameters of ``illumination``."""

    #: A patch of light matters if it covers at least this area of the surface.
    least_patch_mm2: float = parameter(1500.0, unit="mm²", source="chosen: two discs of 790 mm²")
    #: Where light has almost gone, an averaged difference counts from this share of the usual
    #: threshold on.
    faint: float = parameter(
        0.6, unit="share", source="chosen: low enough to include half-shadow, once smoothed"
    )
    #: Share of a patch that must already have differed at the last check, because hands move on.
    stays: float = parameter(
        0.85, unit="share", source="chosen: light moves slowly, and a hand leaves its place"
    )
    #: The board's own texture is recognised by this correlation with the background in half of the
    #: tiles that have texture; behind a hand or a cup there is none. With fewer tiles than this, a
    #: match may be chance.
    same_texture: float = parameter(
        0.5, unit="", source="chosen: behind a hand or a cup it is about 0"
    )
    fewest_pieces: int = parameter(5, unit="", source="chosen: with fewer tiles a match is chance")
    #: At this distance inside the outline, the change of light must be at least this share of that
    #: in the middle; in the shadow of a person walking past it is 0.4.
    near_outline_mm: tuple[float, float] = parameter(
        (12.0, 20.0),
        unit="mm",
        source="chosen: beyond the half-shadow, and still within a small patch",
    )
    sharp: float = parameter(
        0.65, unit="", source="measured: the edge of the shadow of a person walking past has 0.4"
    )
    #: Least share of a tile that must be inside the patch.
    mostly: float = parameter(0.7, unit="share", source="chosen: more than two thirds")
    #: Light multiplies grey levels by factors within these bounds; if the levels spread by less
    #: than this, it is purely a factor.
    gain_bounds: tuple[float, float] = parameter(
        (0.3, 3.5),
        unit="",
        source="chosen: a little more than the change in brightness that a whole frame may have",
    )
    min_spread: float = parameter(
        2.0, unit="grey value", source="chosen: a smaller spread may be noise"
    )
    #: If less than this share is unsaturated, all pixels are used.
    least_unsaturated: float = parameter(
        0.1, unit="share", source="chosen: too few pixels give no reliable median"
    )
    #: A remaining difference below the first value is the board; where grain was saturated, below
    #: the second.
    board_tolerance: int = parameter(
        15,
        unit="grey value",
        source="chosen: above least_difference, because the light is only fitted",
    )
    saturated_tolerance: int = parameter(
        45,
        unit="grey value",
        source="chosen: three times the usual tolerance, because levels above 255 are lost",
    )


PARAMS = IlluminationParameters()
#: Differences are averaged over this many pixels: the mean has a fifth of the noise.
_SMOOTH_PX = (5, 5)
#: Side of the tiles in which a patch is compared: 16 mm, a disc's radius.
_PIECE_PX = 8
#: The edges of a patch are not grain, so this many pixels inside its outline are left out.
_RIM = np.ones((5, 5), np.uint8)
#: Half-light at a patch's edges reaches this many pixels beyond them.
_EDGE = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (9, 9))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Patch:
    """Pixels (side, side bool) where the light has changed, and the change: levels times the first
    row of ``light`` (2, 3), plus its second; blue first.
    """

    where: np.ndarray
    light: FloatArray


class IlluminationAdapter:
    """Adapts a background to patches of light that stay in place between frames.

    Remembers the differences of the last call.
    """

    def __init__(self) -> None:
        self._before: np.ndarray | None = None

    def adapt(
        self,
        background: BackgroundModel,
        rectifier: FrameRectifier,
        frame: NormalisedFrame,
        discs_mm: FloatArray,
        radius_mm: float,
    ) -> BackgroundModel | None:
        """The background in the light of ``frame``, with discs at ``discs_mm`` (n, 2).

        None if no patch of light came or went since the last call.
        """
        before, self._before = self._before, None
        if frame.is_shaded:
            return None  # a soft shadow, which is removed from every frame
        if not _is_large((frame.difference > background.threshold) & rectifier.surface):
            return None
        free = rectifier.disc_mask(discs_mm, radius_mm + BACKGROUND.around_disc_mm) == 0
        difference = (
            cv2.blur(frame.difference, _SMOOTH_PX) > PARAMS.faint * background.threshold
        ) & free
        self._before = difference
        if before is None:
            return None
        lit = background
        components = find_components(difference, PARAMS.least_patch_mm2)
        for number in np.flatnonzero(components.measure_shares(before) >= PARAMS.stays):
            patch = _find_patch(lit.image, frame.image, components.mask(int(number)), rectifier)
            if patch is not None:
                lit = _relight(lit, frame.image, patch, free)
        return None if lit is background else lit


def _is_large(difference: np.ndarray) -> bool:
    """Whether enough differs for a patch."""
    return bool(np.count_nonzero(difference) * RECTIFIED_MM_PER_PX**2 > PARAMS.least_patch_mm2)


def _find_patch(
    board_image: np.ndarray, image_now: np.ndarray, where: np.ndarray, rectifier: FrameRectifier
) -> _Patch | None:
    """The patch of light in this part of the rectified frame, if there is one."""
    over = where & rectifier.surface
    if np.count_nonzero(over) * RECTIFIED_MM_PER_PX**2 < PARAMS.least_patch_mm2:
        return None
    if not _has_same_texture(board_image, image_now, where) or not _is_sharp(
        board_image, image_now, over
    ):
        return None
    return _Patch(where=where, light=_fit_gain_offset(board_image, image_now, over))


def _has_same_texture(board_image: np.ndarray, image_now: np.ndarray, where: np.ndarray) -> bool:
    """Whether the board's grain shows everywhere there, in the channel that shows it best."""
    box = find_box(where)
    inner = (cv2.erode(where[box].view(np.uint8), _RIM) > 0).astype(np.float32)[..., None]
    one, other = (extract_texture(picture[box]) * inner for picture in (board_image, image_now))
    pieces = (max(1, inner.shape[1] // _PIECE_PX), max(1, inner.shape[0] // _PIECE_PX))

    def mean(levels: np.ndarray) -> np.ndarray:
        return cv2.resize(levels, pieces, interpolation=cv2.INTER_AREA)

    share = mean(inner).reshape(*pieces[::-1], 1)
    spread = np.sqrt(mean(one**2)), np.sqrt(mean(other**2))
    alike = mean(one * other) / np.maximum(spread[0] * spread[1], 1e-6)
    shows = (share > PARAMS.mostly) & (spread[0] > MIN_TEXTURE)
    return any(
        np.count_nonzero(shows[..., channel]) >= PARAMS.fewest_pieces
        and float(np.median(alike[..., channel][shows[..., channel]])) > PARAMS.same_texture
        for channel in range(3)
    )


def _is_sharp(board_image: np.ndarray, image_now: np.ndarray, where: np.ndarray) -> bool:
    """Whether the light changes at the outline, and not slowly across the patch as in soft
    shadows.
    """
    deep = cv2.distanceTransform(where.view(np.uint8), cv2.DIST_L2, 3) * RECTIFIED_MM_PER_PX
    near = (deep > PARAMS.near_outline_mm[0]) & (deep < PARAMS.near_outline_mm[1])
    inner = deep >= PARAMS.near_outline_mm[1]
    if not inner.any():
        inner = near
    if not near.any():
        return False
    outside, inside = (
        np.abs(np.log(_estimate_gain(board_image, image_now, mask))).max() for mask in (near, inner)
    )
    return bool(outside > PARAMS.sharp * inside)


def _estimate_gain(board_image: np.ndarray, image_now: np.ndarray, where: np.ndarray) -> FloatArray:
    """The change of the light (3,), from pixels that are saturated in neither picture."""
    board, seen = _select_unsaturated(board_image, image_now, where)
    return column_medians(
        (seen + np.float32(BACKGROUND.floor)) / (board + np.float32(BACKGROUND.floor))
    )


def _fit_gain_offset(
    board_image: np.ndarray, image_now: np.ndarray, where: np.ndarray
) -> FloatArray:
    """The change of the light (2, 3): the factor of the levels, and the addition.

    Sun multiplies, a window's reflection adds; the spread of the grain shows which it is.
    """
    board, seen = _select_unsaturated(board_image, image_now, where)
    spread = [np.maximum(levels.std(axis=0), 1e-3) for levels in (board, seen)]
    middle = [levels.mean(axis=0) for levels in (board, seen)]
    times = np.clip(spread[1] / spread[0], *PARAMS.gain_bounds)
    ratio = (middle[1] + BACKGROUND.floor) / (middle[0] + BACKGROUND.floor)
    times = np.where(np.minimum(*spread) > PARAMS.min_spread, times, ratio)
    return np.stack([times, middle[1] - times * middle[0]])


def _select_unsaturated(
    board_image: np.ndarray, image_now: np.ndarray, where: np.ndarray
) -> tuple[FloatArray, FloatArray]:
    """Levels (n, 3) of both pictures there, without saturated ones, unless all are saturated."""
    board, seen = board_image[where].astype(np.float64), image_now[where].astype(np.float64)
    whole = (np.maximum(seen, board) < LUMINANCE.burnt_out_grey).all(axis=1)
    if whole.mean() < PARAMS.least_unsaturated:
        whole[:] = True
    return board[whole], seen[whole]


def _apply_light(image: np.ndarray, light: FloatArray) -> np.ndarray:
    levels = image * light[0].astype(np.float32) + light[1].astype(np.float32)
    return np.clip(np.rint(levels), 0, 255).astype(np.uint8)


def _relight(
    background: BackgroundModel, image_now: np.ndarray, patch: _Patch, free: np.ndarray
) -> BackgroundModel:
    """The background with the patch's light; saturated and half-lit parts are taken from the frame.

    Under discs (outside ``free``) the background is estimated from the light around them.
    """
    image, out = background.image, background.image.copy()
    around = cv2.dilate(patch.where.view(np.uint8), _EDGE) > 0
    filled = cv2.morphologyEx(patch.where.view(np.uint8), cv2.MORPH_CLOSE, _make_disc_kernel()) > 0
    out[filled] = _apply_light(image[filled], patch.light)
    still = subtract_images(out, image_now) < np.where(
        _mask_saturated(image) | _mask_saturated(image_now),
        PARAMS.saturated_tolerance,
        PARAMS.board_tolerance,
    )
    edge = around & ~cv2.erode(patch.where.view(np.uint8), _EDGE).astype(bool)
    between = _is_between(image_now, image, _apply_light(image, patch.light))
    take = free & ((filled & still) | (edge & between))
    out[take] = image_now[take]
    board_image = background.valid_mask & ~_find_touched_discs(~free, around | filled)
    return replace(background, image=out, valid_mask=board_image)


def _mask_saturated(image: np.ndarray) -> np.ndarray:
    """Pixels (side, side) with a saturated channel."""
    return np.asarray((image >= LUMINANCE.burnt_out_grey).any(axis=-1))


def _find_touched_discs(discs: np.ndarray, by: np.ndarray) -> np.ndarray:
    """The surroundings (side, side) of all discs that a patch reaches."""
    _, label = cv2.connectedComponents(discs.view(np.uint8))
    return np.asarray(discs & np.isin(label, np.unique(label[discs & by])))


def _is_between(image_now: np.ndarray, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Pixels (side, side) whose channels are all between two pictures, within the noise."""
    low, high = np.minimum(one, other), np.maximum(one, other)
    slack = np.int16(PARAMS.board_tolerance)
    seen = image_now.astype(np.int16)
    return ((seen > low - slack) & (seen < high + slack)).all(axis=-1)


def _make_disc_kernel() -> np.ndarray:
    """A kernel of the size of a disc with its shadow."""
    reach = round((DiscSpec().radius_mm + BACKGROUND.around_disc_mm) / RECTIFIED_MM_PER_PX)
    return cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1, 2 * reach + 1))
