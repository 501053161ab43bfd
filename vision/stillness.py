"""Whether the board is still, in motion, shaken or dark, from laid-out frames.

Knows change. Refuses to know discs and hands (see ``hands``).
"""

from __future__ import annotations

from collections import deque
from enum import StrEnum

import cv2
import numpy as np

from vision.plate import LIGHT_BOUNDS, Laid, largest_difference
from vision.sheet import SHEET_MM_PER_PX, Sheet

#: A frame is compared with one this much older: a disc that creeps 4 mm a second is seen moving.
_LOOK_BACK_S = 0.12
#: The board is still when nothing has changed for this long.
STILL_S = 0.15
#: So much of the board must change to be motion, mm²: the edges of a disc that moved 1 mm; in a
#: wandering shadow, whose own edges shimmer, more.
_LEAST_CHANGE_MM2, _LEAST_SHADED_MM2 = 60.0, 250.0
#: Change counts up to here beyond the surface's edge: the shadow of a disc that hangs over it.
_BEYOND_EDGE_MM = 12.0
#: Change is averaged over so many pixels: single ones are noise.
_SMOOTH_PX = (3, 3)
#: Under a wandering shadow a factor of the light over so many pieces of the sheet is left out.
_SHADOW_PIECES = (3, 3)
#: When more than this share of the sheet changes at once, the camera moved or the picture was cut.
_SHAKEN_SHARE = 0.3


class Scene(StrEnum):
    """What a frame shows."""

    STILL = "still"
    MOTION = "motion"
    HAND = "hand"
    SHAKEN = "shaken"  # everything changed at once: a bump, a cut
    DARK = "dark"  # a covered lens, or the light went out


class Stillness:
    """Remembers the last frames and says what the newest shows. Times are seconds of the source."""

    def __init__(self, sheet: Sheet) -> None:
        near = sheet.radius_mm < sheet.surface_radius_mm + _BEYOND_EDGE_MM
        self._near = near & sheet.inside
        self._recent: deque[tuple[float, Laid]] = deque()
        self._changed_s = -np.inf

    def look(self, t_s: float, laid: Laid, threshold: int) -> Scene:
        """What the frame at ``t_s`` shows, beside those before it; never a hand."""
        older = self._older(t_s)
        self._recent.append((t_s, laid))
        scene = self._scene(t_s, laid, older, threshold)
        if scene is not Scene.STILL and t_s - self._changed_s > STILL_S:
            self._changed_s = t_s
        return scene

    def _scene(self, t_s: float, laid: Laid, older: Laid | None, threshold: int) -> Scene:
        if not all(LIGHT_BOUNDS[0] < each < LIGHT_BOUNDS[1] for each in laid.light):
            return Scene.DARK
        if older is None:
            return Scene.MOTION
        before = _in_light_of(laid, older) if laid.is_shaded else older.as_seen
        change = cv2.blur(largest_difference(laid.as_seen, before), _SMOOTH_PX) > threshold
        if np.count_nonzero(change) > _SHAKEN_SHARE * change.size:
            self._changed_s = t_s
            return Scene.SHAKEN
        least_mm2 = _LEAST_SHADED_MM2 if laid.is_shaded else _LEAST_CHANGE_MM2
        if SHEET_MM_PER_PX**2 * np.count_nonzero(change & self._near) > least_mm2:
            self._changed_s = t_s
        return Scene.STILL if t_s - self._changed_s > STILL_S else Scene.MOTION

    def _older(self, t_s: float) -> Laid | None:
        """The newest frame that is old enough to compare with."""
        while len(self._recent) > 1 and self._recent[1][0] <= t_s - _LOOK_BACK_S:
            self._recent.popleft()
        if not self._recent or self._recent[0][0] > t_s - _LOOK_BACK_S / 2:
            return None
        return self._recent[0][1]


def _in_light_of(now: Laid, older: Laid) -> np.ndarray:
    """The older frame (side, side, 3) as bright as the newer one is around every pixel."""
    lit, before = (
        cv2.blur(each.pieces_as_seen.astype(np.float32), _SHADOW_PIECES) + 1.0
        for each in (now, older)
    )
    image = older.as_seen
    light = cv2.resize(lit / before, image.shape[1::-1], interpolation=cv2.INTER_LINEAR)
    return cv2.multiply(image, light, dtype=cv2.CV_8U)
