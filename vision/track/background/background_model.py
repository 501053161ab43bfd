"""Background model of the empty board, updated while discs come and go, and background subtraction.

The light's brightness and colour drift and flicker over the whole board at once. A gain per channel
(the median ratio) removes this from a frame before the comparison. A saturated pixel gives no
ratio, because it was at least as bright as it looks. Soft shadows are removed as a smooth field of
log ratios, equal in all channels. The background is a running average (exponential, by
``learning_rate``) of still frames, at places without a disc. It fails if more than half of the
board is covered, because then the gain is that of the covering object.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.numerics.medians import column_medians
from calibration.parameters import StageParameters, parameter
from vision.rectify.frame_rectifier import TILE_PX, FrameRectifier, average_tiles
from vision.rectify.luminance import PARAMS as LUMINANCE
from vision.track.kernels.image_differences import find_largest_differences

#: Light can be distinguished from objects as long as they cover less than half of the board.
#: Factors outside these bounds mean a covered lens or a switched lamp, not flicker.
GAIN_BOUNDS = (0.4, 2.5)


class BackgroundModelParameters(StageParameters):
    """Parameters of ``background_model``."""

    #: Learning rate of the background under slow change of the light, a still picture.
    learning_rate: float = parameter(
        0.3,
        unit="share",
        source="chosen: after ten boards at rest, 0.7 to the tenth or 3 % of the old light is left",
    )
    #: If more of the surface than this differs, a shadow may be the cause. A shadow darkens tiles
    #: in all colours alike, to within this, and within these bounds; a sleeve does not.
    shaded_share: float = parameter(0.04, unit="share", source="chosen: a dozen discs cover 0.028")
    least_shade: float = parameter(
        0.05, unit="log", source="chosen: the change that flicker and compression leave in a tile"
    )
    shade_colour: float = parameter(
        0.1, unit="log", source="chosen: shadows turn the colour blue by less"
    )
    shade_bounds: tuple[float, float] = parameter(
        (0.36, 2.4), unit="", source="chosen: anything darker is an object and not a soft shadow"
    )
    #: Levels added to both sides of a ratio, so that noise in black areas does not dominate.
    floor: float = parameter(
        6.0, unit="grey value", source="chosen: the error that video compression causes"
    )
    #: A disc, its shadow and its blur hide the empty board up to this distance from its rim.
    around_disc_mm: float = parameter(
        9.0, unit="mm", source="chosen: most of the shadow of a disc 10 mm high is within this"
    )
    #: A shadow matters if it covers more of the board than this.
    shadow_share: float = parameter(
        0.15, unit="share", source="chosen: a hand with its arm covers less"
    )
    #: A difference is real from this multiple of the camera's noise on, and from this level on.
    noise_times: float = parameter(
        6.0, unit="sigma", source="normal noise: two pixels in 10⁹ exceed it"
    )
    least_difference: int = parameter(
        12, unit="grey value", source="chosen: twice the 6 levels that video compression leaves"
    )
    #: A channel's gain is measured if at least this share of the surface is not saturated in it;
    #: otherwise the other channels' gain is used.
    least_lit: float = parameter(
        0.25, unit="share", source="chosen: hands and discs cover less than half of that"
    )


PARAMS = BackgroundModelParameters()
#: Shade is the median over this many tiles in each direction: 80 mm, of which a disc covers less
#: than half.
_SHADE_PIECES = 5
#: Tiles without shade take the mean of this many: a little more than those of the median.
_SPREAD_PIECES = (7, 7)
#: Noise is measured on every nth pixel, for speed: thousands of pixels remain.
_NOISE_EVERY = 3
#: Light is compared between quarters of the board over pieces of this many pixels: three times the
#: diameter of a disc, 16 px.
_LOCAL_MEAN_PX = (49, 49)
#: Largest grey level.
_WHITE = 255


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BackgroundModel:
    """The background: a rectified frame of the empty board.

    image  (side, side, 3) uint8 BGR, in the light of the first still picture
    valid_mask  (side, side) bool: the board itself; at other places an object has always been
                there, and the image is a guess or shows that object
    noise  grey levels, one standard deviation between still frames
    """

    image: np.ndarray
    valid_mask: np.ndarray
    noise: float = 1.0

    @property
    def threshold(self) -> int:
        """The least difference, grey levels, that is more than noise."""
        return int(max(PARAMS.least_difference, round(PARAMS.noise_times * self.noise)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NormalisedFrame:
    """A frame rectified and normalised to the light of the background model.

    gain    factor (3,) per channel, BGR, by which the frame was lighter than the background
    image   (side, side, 3) uint8
    difference (side, side) uint8: grey levels of frame less background, the largest of the channels
    shaded  (side, side, 3) uint8: the image with the soft shadows that were taken out; None: none
    shaded_pieces  (side / 8, side / 8, 3) uint8: the same in pieces
    """

    gain: np.ndarray
    image: np.ndarray
    difference: np.ndarray
    shaded: np.ndarray | None = None
    shaded_pieces: np.ndarray | None = None

    @property
    def is_shaded(self) -> bool:
        """Whether there were soft shadows on it."""
        return self.shaded is not None

    @property
    def image_with_shadows(self) -> np.ndarray:
        """The image with its shadows."""
        return self.image if self.shaded is None else self.shaded

    @property
    def pieces_with_shadows(self) -> np.ndarray:
        """The image with its shadows, averaged over pieces (side / 8, side / 8, 3)."""
        return (
            average_tiles(self.image_with_shadows)
            if self.shaded_pieces is None
            else self.shaded_pieces
        )


def create_background(
    rectifier: FrameRectifier, image: np.ndarray, covered: np.ndarray, noise: float = 1.0
) -> BackgroundModel:
    """The background from a first still ``image`` (side, side, 3 uint8 BGR), with ``covered`` parts
    (side, side bool); ``noise`` is one sigma, grey levels.
    """
    return BackgroundModel(image=image, valid_mask=rectifier.surface & ~covered, noise=noise)


def fill_from_older(
    background: BackgroundModel, rectifier: FrameRectifier, older: BackgroundModel
) -> BackgroundModel:
    """The background, filled from an older one of the same board where this one is covered.

    The older one may come from another view. Both are rectified, so only standing objects differ.
    """
    if older.image.shape != background.image.shape:
        return background
    fill = rectifier.surface & ~background.valid_mask & older.valid_mask
    light = _estimate_gain(older, rectifier, background.image)
    image = background.image.copy()
    image[fill] = np.clip(np.rint(older.image[fill] * light), 0, 255).astype(np.uint8)
    return replace(background, image=image, valid_mask=background.valid_mask | fill)


def inpaint_by_symmetry(background: BackgroundModel, rectifier: FrameRectifier) -> BackgroundModel:
    """The background, inpainted at places never observed from its other quarters.

    A board looks alike after a quarter turn. So discs that were there from the start differ from
    the guess, and the empty place after one has left does not. The hole's wall, and places hidden
    in every quarter, are not changed.
    """
    image = background.image.astype(np.float32)
    own, own_weight = _blur_masked(image, background.valid_mask)
    total, count = np.zeros_like(image), np.zeros(background.valid_mask.shape, np.float32)
    for turn in (1, 2, 3):
        there, empty = np.rot90(image, turn), np.rot90(background.valid_mask, turn)
        level, weight = _blur_masked(there, empty)
        usable = empty & ~background.valid_mask & (own_weight > 0) & (weight > 0)
        total[usable] += (there * own / np.maximum(level, 1.0))[usable]
        count[usable] += 1
    guess = (count > 0) & rectifier.surface
    image[guess] = total[guess] / count[guess][:, None]
    return replace(background, image=np.clip(np.rint(image), 0, 255).astype(np.uint8))


def _blur_masked(image: np.ndarray, empty: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean (side, side, 3) of the empty board around each pixel, and its share (side, side)."""
    share = cv2.blur(empty.astype(np.float32), _LOCAL_MEAN_PX)
    mean = cv2.blur(image * empty[..., None], _LOCAL_MEAN_PX)
    return mean / np.maximum(share, 1e-3)[..., None], share


def normalise_frame(
    background: BackgroundModel,
    rectifier: FrameRectifier,
    image: np.ndarray,
    *,
    was_shaded: bool = False,
) -> NormalisedFrame:
    """A rectified ``image`` (side, side, 3 uint8 BGR) in the background's light.

    Shadows are looked for if much differs, or if the frame before ``was_shaded``.
    """
    light = _estimate_gain(background, rectifier, image)
    same = _divide_light(background, image, light)
    difference = subtract_images(same, background.image)
    sample = difference.ravel().take(rectifier.light_sample_indices)
    most = PARAMS.shaded_share * len(sample)
    if not was_shaded and np.count_nonzero(sample > background.threshold) <= most:
        return NormalisedFrame(gain=light, image=same, difference=difference)
    pieces = average_tiles(same)
    shade = _estimate_shadow(background, rectifier, pieces)
    if shade is None:
        return NormalisedFrame(gain=light, image=same, difference=difference)
    lit = cv2.divide(same, cv2.cvtColor(shade, cv2.COLOR_GRAY2BGR), dtype=cv2.CV_8U)
    difference = subtract_images(lit, background.image)
    less_noise = np.minimum(shade, np.float32(1.0))  # without the noise that brightening has added
    difference = cv2.multiply(difference, less_noise, dtype=cv2.CV_8U)
    return NormalisedFrame(
        gain=light, image=lit, difference=difference, shaded=same, shaded_pieces=pieces
    )


def subtract_images(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The largest of the channels' differences (side, side) uint8."""
    largest = np.empty(a.shape[:2], np.uint8)
    find_largest_differences(a.reshape(-1), b.reshape(-1), largest.reshape(-1))
    return largest


def _estimate_gain(
    background: BackgroundModel, rectifier: FrameRectifier, image: np.ndarray
) -> np.ndarray:
    """The factor (3,) per channel by which an image is lighter than the background."""
    at = rectifier.light_sample_indices
    if len(at) == 0:
        return np.ones(3)
    seen, empty = (picture.reshape(-1, 3).take(at, axis=0) for picture in (image, background.image))
    gives_ratio = cv2.max(seen, empty) <= LUMINANCE.burnt_out_grey
    is_measured = np.count_nonzero(gives_ratio, axis=0) >= PARAMS.least_lit * len(at)
    if not is_measured.any():
        gives_ratio[:] = is_measured[:] = True
    ratio = (seen + np.float32(1)) / (empty + np.float32(1))
    medians = [
        column_medians(ratio[gives_ratio[:, channel], channel, None])[0]
        for channel in np.flatnonzero(is_measured)
    ]
    gain = np.full(3, np.mean(medians))
    gain[is_measured] = medians
    return np.minimum(np.maximum(gain, GAIN_BOUNDS[0]), GAIN_BOUNDS[1])


def _divide_light(background: BackgroundModel, image: np.ndarray, light: np.ndarray) -> np.ndarray:
    """An image (side, side, 3) in the background's ``light`` (3,). Saturated pixels that may be as
    bright as the background count as equal to it.
    """
    same = cv2.transform(image, np.diag(1 / light).astype(np.float32))
    if light.max() <= 1:
        return same
    blown_out = cv2.threshold(image, LUMINANCE.burnt_out_grey, _WHITE, cv2.THRESH_BINARY)[1]
    return cv2.max(same, cv2.bitwise_and(blown_out, background.image))


def _estimate_shadow(
    background: BackgroundModel, rectifier: FrameRectifier, pieces: np.ndarray
) -> np.ndarray | None:
    """Soft shadows (side, side) float32: the factor by which a frame's ``pieces`` are darker.

    None if there are none. A hand's own pieces may all be alike, but it covers less.
    """
    seen, empty = (
        tiles.astype(np.float32) + PARAMS.floor
        for tiles in (pieces, average_tiles(background.image))
    )
    ratio = np.array(cv2.split(np.log(seen / empty)))
    level = ratio.mean(axis=0)
    on_board = rectifier.surface[::TILE_PX, ::TILE_PX]
    is_shade = on_board & (np.ptp(ratio, axis=0) < PARAMS.shade_colour)
    is_shade &= (level > np.log(PARAMS.shade_bounds[0])) & (level < np.log(PARAMS.shade_bounds[1]))
    if (
        np.sum(is_shade & (np.abs(level) > PARAMS.least_shade))
        < PARAMS.shadow_share * on_board.sum()
    ):
        return None
    smooth = cv2.medianBlur(_extend_known(level, is_shade), _SHADE_PIECES)
    side = (rectifier.side_px, rectifier.side_px)
    return cv2.exp(cv2.resize(smooth, side, interpolation=cv2.INTER_CUBIC))


def _extend_known(level: np.ndarray, known: np.ndarray) -> np.ndarray:
    """The levels (n, n), extended from known pieces to unknown ones around them."""
    weight = known.astype(np.float32)
    around = cv2.boxFilter(weight, -1, _SPREAD_PIECES, normalize=False)
    total = cv2.boxFilter(np.where(known, level, 0.0), -1, _SPREAD_PIECES, normalize=False)
    return np.where(known, level, total / np.maximum(around, 1.0)).astype(np.float32)


def update_background(
    background: BackgroundModel,
    rectifier: FrameRectifier,
    frame: NormalisedFrame,
    covered: np.ndarray,
    uncertain: np.ndarray,
) -> BackgroundModel:
    """The background after a still frame in which parts of the board are ``covered`` (bool).

    A place observed for the first time is copied, and a place observed before follows slowly.
    Beside the surface, and at ``uncertain`` (bool) places, the newest picture is kept, because
    discs and hands may rest there.
    """
    seen = ~covered
    follow = seen & background.valid_mask & (frame.difference < background.threshold)
    image = background.image.copy()
    followed = cv2.addWeighted(
        background.image, 1 - PARAMS.learning_rate, frame.image, PARAMS.learning_rate, 0.0
    )
    cv2.copyTo(followed, follow.view(np.uint8), image)
    fresh = seen & (~background.valid_mask | ~rectifier.surface)
    cv2.copyTo(frame.image, fresh.view(np.uint8), image)
    return replace(
        background,
        image=image,
        valid_mask=background.valid_mask | (seen & rectifier.surface & ~uncertain),
    )


def measure_noise(
    rectifier: FrameRectifier, one: np.ndarray, other: np.ndarray, *, is_still: bool = True
) -> float:
    """Grey levels, one standard deviation, of the noise of two frames (side, side, 3 uint8).

    For still frames it is the 90th percentile of their differences, because compression repeats
    most of a picture. If half of the board may be moving, it is their median.
    """
    every = (slice(None, None, _NOISE_EVERY),) * 2
    where = rectifier.surface[every]
    change = one[every][where].astype(np.int16) - other[every][where]
    percentile, sigmas = (90, 1.645) if is_still else (50, 0.674)
    return float(np.percentile(np.abs(change), percentile) / sigmas / np.sqrt(2))
