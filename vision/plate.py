"""The bare board as the camera sees it, learned while discs come and go, and what differs from it.

Knows brightness and colour of the light: both drift and flicker, all over the board at once, and
are taken out before anything is compared. Refuses to know what covers the board.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.medians import median
from vision.sheet import PIECE_PX, Sheet, in_pieces

#: The light is told apart from what covers the board as long as it covers less than half of it;
#: factors outside these bounds are a covered lens or a lamp switched, not flicker.
LIGHT_BOUNDS = (0.4, 2.5)
#: How fast the plate follows slow change of the light, a still picture.
_FOLLOW = 0.3
#: When more of the surface than this differs, a shadow may lie on it. It darkens pieces of it, all
#: colours alike to this, log, and within these bounds; a sleeve does not.
_SHADED_SHARE, _LEAST_SHADE = 0.04, 0.05
_SHADE_COLOUR, _SHADE_BOUNDS = 0.1, (0.36, 2.4)
#: Levels added to both sides of a ratio, so that black is not all noise.
_FLOOR = 6.0
#: A shadow that matters lies on more of the board than this; a hand covers less.
_SHADOW_SHARE = 0.15
#: The median of so many pieces each way counts (80 mm, of which a disc covers less than half); what
#: is no shade takes the mean of that many pieces around.
_SHADE_PIECES, _SPREAD_PIECES = 5, (7, 7)
#: A difference this many times the camera's noise is no noise, and is at least this many grey
#: levels: video compression leaves up to 6.
_NOISE_TIMES, _LEAST_DIFFERENCE = 6.0, 12
#: Noise is measured on every such pixel.
_NOISE_EVERY = 3
#: Light is compared between quarters of the board over pieces of this many pixels: three discs.
_QUARTER_PX = (49, 49)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Plate:
    """What the sheet shows where nothing lies on the board.

    image  (side, side, 3) uint8 BGR, in the light of the first still picture
    bare   (side, side) bool: this is the board itself; elsewhere something has always lain there,
           and the image is a guess or shows that thing
    noise  grey levels, one standard deviation between still frames
    """

    image: np.ndarray
    bare: np.ndarray
    noise: float = 1.0

    @property
    def threshold(self) -> int:
        """Grey levels from which on a difference is no noise."""
        return int(max(_LEAST_DIFFERENCE, round(_NOISE_TIMES * self.noise)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Laid:
    """A frame laid flat and brought to the plate's light.

    light   factor (3,) of each channel, BGR, by which the frame was lighter than the plate
    image   (side, side, 3) uint8
    differs (side, side) uint8: grey levels between frame and plate, the largest of the channels
    shaded  (side, side, 3) uint8: the image with the soft shadows that were taken out; None: none
    shaded_pieces  (side / 8, side / 8, 3) uint8: the same in pieces
    """

    light: np.ndarray
    image: np.ndarray
    differs: np.ndarray
    shaded: np.ndarray | None = None
    shaded_pieces: np.ndarray | None = None

    @property
    def is_shaded(self) -> bool:
        """Whether soft shadows lay on it."""
        return self.shaded is not None

    @property
    def as_seen(self) -> np.ndarray:
        """The image with its shadows."""
        return self.image if self.shaded is None else self.shaded

    @property
    def pieces_as_seen(self) -> np.ndarray:
        """The image with its shadows in pieces (side / 8, side / 8, 3)."""
        return in_pieces(self.as_seen) if self.shaded_pieces is None else self.shaded_pieces


def first_plate(sheet: Sheet, image: np.ndarray, covered: np.ndarray, noise: float = 1.0) -> Plate:
    """The plate of a first still sheet ``image`` that is ``covered`` (bool) here and there."""
    return Plate(image=image, bare=sheet.surface & ~covered, noise=noise)


def filled(plate: Plate, sheet: Sheet, older: Plate) -> Plate:
    """The plate with what an older one of the same board shows where this one is covered.

    The older one may be of another view: both lie flat, so only what stands up differs.
    """
    if older.image.shape != plate.image.shape:
        return plate
    fill = sheet.surface & ~plate.bare & older.bare
    light = _light(older, sheet, plate.image)
    image = plate.image.copy()
    image[fill] = np.clip(np.rint(older.image[fill] * light), 0, 255).astype(np.uint8)
    return replace(plate, image=image, bare=plate.bare | fill)


def guessed(plate: Plate, sheet: Sheet) -> Plate:
    """The plate with a guess where it was never seen bare: what its other quarters show there.

    A board looks alike after a quarter turn, so discs that lie there from the start differ from the
    guess, and the place that one has left does not. The hole's wall and what is hidden in every
    quarter stay as they were.
    """
    image = plate.image.astype(np.float32)
    own, own_weight = _around(image, plate.bare)
    total, count = np.zeros_like(image), np.zeros(plate.bare.shape, np.float32)
    for turn in (1, 2, 3):
        there, bare = np.rot90(image, turn), np.rot90(plate.bare, turn)
        level, weight = _around(there, bare)
        usable = bare & ~plate.bare & (own_weight > 0) & (weight > 0)
        total[usable] += (there * own / np.maximum(level, 1.0))[usable]
        count[usable] += 1
    guess = (count > 0) & sheet.surface
    image[guess] = total[guess] / count[guess][:, None]
    return replace(plate, image=np.clip(np.rint(image), 0, 255).astype(np.uint8))


def _around(image: np.ndarray, bare: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean (side, side, 3) of the bare board around each pixel, and its share (side, side)."""
    share = cv2.blur(bare.astype(np.float32), _QUARTER_PX)
    mean = cv2.blur(image * bare[..., None], _QUARTER_PX)
    return mean / np.maximum(share, 1e-3)[..., None], share


def lay_on(plate: Plate, sheet: Sheet, image: np.ndarray, *, was_shaded: bool = False) -> Laid:
    """A sheet ``image`` beside the plate, in the plate's light; ``was_shaded``: the one before."""
    light = _light(plate, sheet, image)
    same = cv2.transform(image, np.diag(1 / light))
    differs = largest_difference(same, plate.image)
    much = np.mean(differs.ravel().take(sheet.sampled) > plate.threshold) > _SHADED_SHARE
    if not (much or was_shaded):
        return Laid(light=light, image=same, differs=differs)
    pieces = in_pieces(same)
    shade = _shade(plate, sheet, pieces)
    if shade is None:
        return Laid(light=light, image=same, differs=differs)
    lit = cv2.divide(same, cv2.cvtColor(shade, cv2.COLOR_GRAY2BGR), dtype=cv2.CV_8U)
    differs = largest_difference(lit, plate.image)
    less_noise = np.minimum(shade, np.float32(1.0))  # which lighting up has added
    differs = cv2.multiply(differs, less_noise, dtype=cv2.CV_8U)
    return Laid(light=light, image=lit, differs=differs, shaded=same, shaded_pieces=pieces)


def largest_difference(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The largest of the channels' differences (side, side) uint8."""
    blue, green, red = cv2.split(cv2.absdiff(a, b))
    return cv2.max(cv2.max(blue, green), red)


def _light(plate: Plate, sheet: Sheet, image: np.ndarray) -> np.ndarray:
    seen, bare = (
        each.reshape(-1, 3).take(sheet.sampled, axis=0).astype(np.float32) + 1
        for each in (image, plate.image)
    )
    return np.clip(median(seen / bare), *LIGHT_BOUNDS) if len(seen) else np.ones(3)


def _shade(plate: Plate, sheet: Sheet, pieces: np.ndarray) -> np.ndarray | None:
    """Soft shadows (side, side) float32: the factor by which a frame's ``pieces`` are darker.

    None where there are none: a hand's own pieces may be all alike, but it covers less.
    """
    seen, bare = (each.astype(np.float32) + _FLOOR for each in (pieces, in_pieces(plate.image)))
    ratio = np.array(cv2.split(np.log(seen / bare)))
    level = ratio.mean(axis=0)
    on_board = sheet.surface[::PIECE_PX, ::PIECE_PX]
    is_shade = on_board & (np.ptp(ratio, axis=0) < _SHADE_COLOUR)
    is_shade &= (level > np.log(_SHADE_BOUNDS[0])) & (level < np.log(_SHADE_BOUNDS[1]))
    if np.sum(is_shade & (np.abs(level) > _LEAST_SHADE)) < _SHADOW_SHARE * on_board.sum():
        return None
    smooth = cv2.medianBlur(_spread(level, is_shade), _SHADE_PIECES)
    side = (sheet.side_px, sheet.side_px)
    return cv2.exp(cv2.resize(smooth, side, interpolation=cv2.INTER_CUBIC))


def _spread(level: np.ndarray, known: np.ndarray) -> np.ndarray:
    """The levels (n, n), with those of ``known`` pieces around where they are not known."""
    weight = known.astype(np.float32)
    around = cv2.boxFilter(weight, -1, _SPREAD_PIECES, normalize=False)
    total = cv2.boxFilter(np.where(known, level, 0.0), -1, _SPREAD_PIECES, normalize=False)
    return np.where(known, level, total / np.maximum(around, 1.0)).astype(np.float32)


def learned(plate: Plate, sheet: Sheet, laid: Laid, covered: np.ndarray) -> Plate:
    """The plate after a still frame in which the board is ``covered`` (bool) here and there.

    What is seen bare for the first time is taken as it is; what was bare before follows slowly.
    Beside the surface the newest picture is kept: there discs and hands may rest.
    """
    seen = ~covered
    follow = seen & plate.bare & (laid.differs < plate.threshold)
    image = plate.image.copy()
    followed = cv2.addWeighted(plate.image, 1 - _FOLLOW, laid.image, _FOLLOW, 0.0)
    cv2.copyTo(followed, follow.view(np.uint8), image)
    fresh = seen & (~plate.bare | ~sheet.surface)
    cv2.copyTo(laid.image, fresh.view(np.uint8), image)
    return replace(plate, image=image, bare=plate.bare | (seen & sheet.surface))


def noise_between(sheet: Sheet, one: np.ndarray, other: np.ndarray) -> float:
    """Grey levels, one standard deviation, of the noise of still sheets; robust to motion."""
    every = (slice(None, None, _NOISE_EVERY),) * 2
    where = sheet.surface[every]
    change = one[every][where].astype(np.int16) - other[every][where]
    spread = np.percentile(np.abs(change), 90)
    return float(spread / 1.645 / np.sqrt(2))
