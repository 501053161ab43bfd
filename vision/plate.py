"""The bare board as the camera sees it, learned while discs come and go, and what differs from it.

Knows brightness and colour of the light: both drift and flicker, all over the board at once, and
are taken out before anything is compared. Refuses to know what covers the board.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.sheet import Sheet

#: Every such pixel, in x and y, is enough to measure the light.
_LIGHT_EVERY = 6
#: The light is told apart from what covers the board as long as it covers less than half of it;
#: factors outside these bounds are a covered lens or a lamp switched, not flicker.
LIGHT_BOUNDS = (0.4, 2.5)
#: How fast the plate follows slow change of the light, a still picture.
_FOLLOW = 0.3
#: When more of the surface than this differs, a shadow may lie on it. It darkens pieces of so many
#: pixels, all colours alike to this share, and within these bounds; a sleeve does not.
_SHADED_SHARE, _LEAST_SHADE = 0.04, 0.05
#: A shadow that matters lies on more of the sheet than this; a hand covers less.
_SHADOW_SHARE = 0.15
_BLOCK_PX, _BLOCK_SAMPLES = 40, 10
_SHADE_COLOUR, _SHADE_BOUNDS = 0.1, (0.5, 1.8)
#: A difference this many times the camera's noise is no noise, and is at least this many grey
#: levels: video compression leaves up to 6.
_NOISE_TIMES, _LEAST_DIFFERENCE = 6.0, 12
#: Noise is measured on every such pixel.
_NOISE_EVERY = 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Plate:
    """What the sheet shows where nothing lies on the board.

    image  (side, side, 3) uint8 BGR, in the light of the first still picture
    bare   (side, side) bool: this is the board itself; elsewhere something has always lain there
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
    is_shaded  soft shadows lay on it, and were taken out
    """

    light: np.ndarray
    image: np.ndarray
    differs: np.ndarray
    is_shaded: bool = False


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


def lay_on(plate: Plate, sheet: Sheet, image: np.ndarray, *, was_shaded: bool = False) -> Laid:
    """A sheet ``image`` beside the plate, in the plate's light; ``was_shaded``: the one before."""
    light = _light(plate, sheet, image)
    same = cv2.LUT(image, _table(light))
    differs = largest_difference(same, plate.image)
    every = (slice(None, None, _LIGHT_EVERY),) * 2
    much = np.mean(differs[every][sheet.surface[every]] > plate.threshold) > _SHADED_SHARE
    if not (much or was_shaded):
        return Laid(light=light, image=same, differs=differs)
    shade = _shade(plate, same)
    same = cv2.convertScaleAbs(same / shade[..., None])
    is_shaded = bool(np.abs(shade - 1.0).max() > _LEAST_SHADE)
    differs = largest_difference(same, plate.image)
    return Laid(light=light, image=same, differs=differs, is_shaded=is_shaded)


def largest_difference(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The largest of the channels' differences (side, side) uint8."""
    blue, green, red = cv2.split(cv2.absdiff(a, b))
    return cv2.max(cv2.max(blue, green), red)


def _light(plate: Plate, sheet: Sheet, image: np.ndarray) -> np.ndarray:
    every = (slice(None, None, _LIGHT_EVERY),) * 2
    where = sheet.surface[every]
    ratio = (image[every][where] + 1.0) / (plate.image[every][where] + 1.0)
    return np.clip(np.median(ratio, axis=0), *LIGHT_BOUNDS) if len(ratio) else np.ones(3)


def _shade(plate: Plate, image: np.ndarray) -> np.ndarray:
    """Soft shadows (side, side) float32: the factor by which pieces of the sheet are darker."""
    blocks = max(1, image.shape[0] // _BLOCK_PX)
    side = blocks * _BLOCK_PX
    step = _BLOCK_PX // _BLOCK_SAMPLES
    seen, bare = (
        each[:side:step, :side:step].astype(np.float32) + 1.0 for each in (image, plate.image)
    )
    ratio = (seen / bare).reshape(blocks, _BLOCK_SAMPLES, blocks, _BLOCK_SAMPLES, 3)
    factor = np.median(ratio.transpose(0, 2, 1, 3, 4).reshape(blocks, blocks, -1, 3), axis=2)
    mean = factor.mean(axis=-1)
    alike = np.abs(factor - mean[..., None]).max(axis=-1) < _SHADE_COLOUR * mean
    is_shade = alike & (mean > _SHADE_BOUNDS[0]) & (mean < _SHADE_BOUNDS[1])
    if np.mean(is_shade & (np.abs(mean - 1.0) > _LEAST_SHADE)) < _SHADOW_SHARE:
        return np.ones(image.shape[:2], np.float32)  # a hand, whose own pieces may be all alike
    shade = np.where(is_shade, mean, 1.0).astype(np.float32)
    height, width = image.shape[:2]
    smooth = cv2.resize(shade, (side, side), interpolation=cv2.INTER_CUBIC)
    return cv2.copyMakeBorder(smooth, 0, height - side, 0, width - side, cv2.BORDER_REPLICATE)


def _table(light: np.ndarray) -> np.ndarray:
    """What every grey level becomes without ``light``: (1, 256, 3) uint8."""
    levels = np.arange(256)[:, None] / light
    return np.clip(np.rint(levels), 0, 255).astype(np.uint8)[None]


def learned(plate: Plate, sheet: Sheet, laid: Laid, covered: np.ndarray) -> Plate:
    """The plate after a still frame in which the board is ``covered`` (bool) here and there.

    What is seen bare for the first time is taken as it is; what was bare before follows slowly.
    Beside the surface the newest picture is kept: there discs and hands may rest.
    """
    seen = ~covered
    follow = seen & plate.bare & (laid.differs < plate.threshold)
    image = plate.image.copy()
    image[follow] = cv2.addWeighted(plate.image, 1 - _FOLLOW, laid.image, _FOLLOW, 0.0)[follow]
    fresh = seen & (~plate.bare | ~sheet.surface)
    image[fresh] = laid.image[fresh]
    return replace(plate, image=image, bare=plate.bare | (seen & sheet.surface))


def noise_between(sheet: Sheet, one: np.ndarray, other: np.ndarray) -> float:
    """Grey levels, one standard deviation, of the noise of still sheets; robust to motion."""
    every = (slice(None, None, _NOISE_EVERY),) * 2
    where = sheet.surface[every]
    change = one[every][where].astype(np.int16) - other[every][where]
    spread = np.percentile(np.abs(change), 90)
    return float(spread / 1.645 / np.sqrt(2))
