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
    """

    light: np.ndarray
    image: np.ndarray
    differs: np.ndarray


def first_plate(sheet: Sheet, image: np.ndarray, covered: np.ndarray) -> Plate:
    """The plate of a first still sheet ``image`` that is ``covered`` (bool) here and there."""
    return Plate(image=image, bare=sheet.surface & ~covered)


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


def lay_on(plate: Plate, sheet: Sheet, image: np.ndarray) -> Laid:
    """A sheet ``image`` beside the plate, in the plate's light."""
    light = _light(plate, sheet, image)
    same = cv2.LUT(image, _table(light))
    return Laid(light=light, image=same, differs=largest_difference(same, plate.image))


def largest_difference(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The largest of the channels' differences (side, side) uint8."""
    blue, green, red = cv2.split(cv2.absdiff(a, b))
    return cv2.max(cv2.max(blue, green), red)


def _light(plate: Plate, sheet: Sheet, image: np.ndarray) -> np.ndarray:
    every = (slice(None, None, _LIGHT_EVERY),) * 2
    where = sheet.surface[every]
    ratio = (image[every][where] + 1.0) / (plate.image[every][where] + 1.0)
    return np.clip(np.median(ratio, axis=0), *LIGHT_BOUNDS) if len(ratio) else np.ones(3)


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
