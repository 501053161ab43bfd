"""Motion gate: whether the board is still, in motion, shaken or dark, from normalised frames.

Knows change. Refuses to know discs and hands (see ``hands``).
"""

from __future__ import annotations

from collections import deque
from enum import StrEnum

import cv2
import numpy as np

from vision.rectify.frame_rectifier import RECTIFIED_MM_PER_PX, FrameRectifier
from vision.track.background.background_model import GAIN_BOUNDS, NormalisedFrame, subtract_images

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
#: Under a wandering shadow a factor of the light over so many tiles is left out.
_SHADOW_PIECES = (3, 3)
#: When more than this share of a frame changes at once, the camera moved or the picture was cut.
_SHAKEN_SHARE = 0.3


class SceneState(StrEnum):
    """What a frame shows."""

    STILL = "still"
    MOTION = "motion"
    HAND = "hand"
    SHAKEN = "shaken"  # everything changed at once: a bump, a cut
    DARK = "dark"  # a covered lens, or the light went out


class MotionGate:
    """Remembers the last frames and says what the newest shows. Times are seconds of the source."""

    def __init__(self, rectifier: FrameRectifier) -> None:
        near = rectifier.radius_mm < rectifier.surface_radius_mm + _BEYOND_EDGE_MM
        self._near = near & rectifier.inside
        self._recent: deque[tuple[float, NormalisedFrame]] = deque()
        self._changed_s = -np.inf

    def classify(self, t_s: float, frame: NormalisedFrame, threshold: int) -> SceneState:
        """What the frame at ``t_s`` shows, beside those before it; never a hand."""
        older = self._find_reference(t_s)
        self._recent.append((t_s, frame))
        scene = self._classify_change(t_s, frame, older, threshold)
        if scene is not SceneState.STILL and t_s - self._changed_s > STILL_S:
            self._changed_s = t_s
        return scene

    def _classify_change(
        self, t_s: float, frame: NormalisedFrame, older: NormalisedFrame | None, threshold: int
    ) -> SceneState:
        if not all(GAIN_BOUNDS[0] < each < GAIN_BOUNDS[1] for each in frame.gain):
            return SceneState.DARK
        if older is None:
            return SceneState.MOTION
        before = _match_illumination(frame, older) if frame.is_shaded else older.image_with_shadows
        change = cv2.blur(subtract_images(frame.image_with_shadows, before), _SMOOTH_PX) > threshold
        if np.count_nonzero(change) > _SHAKEN_SHARE * change.size:
            self._changed_s = t_s
            return SceneState.SHAKEN
        least_mm2 = _LEAST_SHADED_MM2 if frame.is_shaded else _LEAST_CHANGE_MM2
        if RECTIFIED_MM_PER_PX**2 * np.count_nonzero(change & self._near) > least_mm2:
            self._changed_s = t_s
        return SceneState.STILL if t_s - self._changed_s > STILL_S else SceneState.MOTION

    def _find_reference(self, t_s: float) -> NormalisedFrame | None:
        """The newest frame that is old enough to compare with."""
        while len(self._recent) > 1 and self._recent[1][0] <= t_s - _LOOK_BACK_S:
            self._recent.popleft()
        if not self._recent or self._recent[0][0] > t_s - _LOOK_BACK_S / 2:
            return None
        return self._recent[0][1]


def _match_illumination(now: NormalisedFrame, older: NormalisedFrame) -> np.ndarray:
    """The older frame (side, side, 3) as bright as the newer one is around every pixel."""
    lit, before = (
        cv2.blur(each.pieces_with_shadows.astype(np.float32), _SHADOW_PIECES) + 1.0
        for each in (now, older)
    )
    image = older.image_with_shadows
    light = cv2.resize(lit / before, image.shape[1::-1], interpolation=cv2.INTER_LINEAR)
    return cv2.multiply(image, light, dtype=cv2.CV_8U)
