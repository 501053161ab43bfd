"""Motion gate: whether the board is still, in motion, shaken or dark, from normalised frames.

A frame is compared with one a tenth of a second older (temporal differencing). A changed area is
motion; a change of most of the picture at once is a shake. Motion slower than about 4 mm a second
is not noticed. ``hands_and_occluders`` decides whether a hand is moving.
"""

from __future__ import annotations

from collections import deque
from enum import StrEnum

import cv2
import numpy as np

from calibration.parameters import StageParameters, parameter
from vision.rectify.frame_rectifier import RECTIFIED_MM_PER_PX, FrameRectifier
from vision.track.background.background_model import GAIN_BOUNDS, NormalisedFrame, subtract_images


class MotionGateParameters(StageParameters):
    """Parameters of ``motion_gate``."""

    #: Age of the frame with which a frame is compared.
    look_back_s: float = parameter(
        0.12,
        unit="s",
        source="chosen: a disc that creeps at 4 mm a second moves 0.5 mm in this time",
    )
    #: Share of the board whose change counts as motion; in a moving shadow it must be larger.
    least_change_mm2: float = parameter(
        60.0, unit="mm²", source="chosen: the edges of a disc that moved 1 mm: twice its diameter"
    )
    least_shaded_mm2: float = parameter(
        250.0,
        unit="mm²",
        source="chosen: four times the limit without shadow, because a shadow's edges shimmer",
    )
    #: Change counts up to here beyond the surface's edge.
    beyond_edge_mm: float = parameter(
        12.0, unit="mm", source="chosen: the shadow of a disc that hangs over the edge"
    )
    #: A picture shifted by a fraction of a pixel changes at edges by this share of their contrast:
    #: strong compression leaves parts of it at a trembling camera's earlier position.
    edge_share: float = parameter(
        0.12,
        unit="share",
        source="measured in a film at CRF 33 that trembles by 0.25 px: 570 mm² change at rest,"
        " and 4 mm² by more than this; a disc that moves by 1 mm changes by a quarter "
        "of its contrast",
    )
    #: If more than this share of a frame changes at once, the camera moved or the picture was cut.
    shaken_share: float = parameter(
        0.3, unit="share", source="chosen: a hand and its arm cover less"
    )


PARAMS = MotionGateParameters()
#: Change is averaged over this many pixels: changes of single pixels are noise.
SMOOTH_PX = (3, 3)
#: Contrast of edges is measured over this: a line in a rectified frame, with both its edges.
_EDGE_PX = 3
#: Under a moving shadow, the factor of the light over this many tiles is removed: 48 mm, wider than
#: a disc.
_SHADOW_PIECES = (3, 3)
#: The board is still if nothing has changed for this long.
STILL_S = 0.15


class SceneState(StrEnum):
    """The content of a frame."""

    STILL = "still"
    MOTION = "motion"
    HAND = "hand"
    SHAKEN = "shaken"  # everything changed at once: a bump, a cut
    DARK = "dark"  # a covered lens, or no light


class MotionGate:
    """Remembers the last frames of a view and classifies the newest. Times are seconds."""

    def __init__(self, rectifier: FrameRectifier) -> None:
        near = rectifier.radius_mm < rectifier.surface_radius_mm + PARAMS.beyond_edge_mm
        self._near = near & rectifier.inside
        self._recent: deque[tuple[float, NormalisedFrame]] = deque()
        self._changed_s = -np.inf
        self._watched: tuple[np.ndarray, np.ndarray] | None = None

    def find_watched(self, hidden: np.ndarray | None) -> np.ndarray:
        """Pixels (side, side bool) where a change is motion if parts of the board are ``hidden``
        (side, side uint8); the same array for the same hidden parts. The array must not be changed.
        """
        if hidden is None:
            return self._near
        if self._watched is None or self._watched[0] is not hidden:
            self._watched = hidden, self._near & (hidden == 0)
        return self._watched[1]

    def classify(
        self,
        t_s: float,
        frame: NormalisedFrame,
        threshold: int,
        hidden: np.ndarray | None = None,
    ) -> SceneState:
        """The content of the frame at ``t_s``, compared with those before it; never a hand.

        Changes in ``hidden`` (side, side uint8) parts of the board are ignored.
        """
        older = self._find_reference(t_s)
        self._recent.append((t_s, frame))
        scene = self._classify_change(t_s, frame, older, threshold, hidden)
        if scene is not SceneState.STILL and t_s - self._changed_s > STILL_S:
            self._changed_s = t_s
        return scene

    def _classify_change(
        self,
        t_s: float,
        frame: NormalisedFrame,
        older: NormalisedFrame | None,
        threshold: int,
        hidden: np.ndarray | None,
    ) -> SceneState:
        if not all(GAIN_BOUNDS[0] < gain < GAIN_BOUNDS[1] for gain in frame.gain):
            return SceneState.DARK
        if older is None:
            return SceneState.MOTION
        before = _match_illumination(frame, older) if frame.is_shaded else older.image_with_shadows
        difference = _find_difference(frame.image_with_shadows, before)
        change = difference > threshold
        if np.count_nonzero(change) > PARAMS.shaken_share * change.size:
            # in strongly compressed films, a keyframe differs a little everywhere: by more than
            # twice the threshold in 0.07 of it, and in 0.4 to 0.6 at cuts
            clear = difference > 2 * threshold
            if np.count_nonzero(clear) > PARAMS.shaken_share / 2 * clear.size:
                self._changed_s = t_s
                return SceneState.SHAKEN
        change &= self._near
        if hidden is not None:
            change &= hidden == 0
        least_mm2 = PARAMS.least_shaded_mm2 if frame.is_shaded else PARAMS.least_change_mm2
        most_px = int(least_mm2 / RECTIFIED_MM_PER_PX**2)
        if np.count_nonzero(change) > most_px and _exceeds_edges(
            difference, change, before, threshold, most_px
        ):
            self._changed_s = t_s
        return SceneState.STILL if t_s - self._changed_s > STILL_S else SceneState.MOTION

    def _find_reference(self, t_s: float) -> NormalisedFrame | None:
        """The newest frame that is old enough for a comparison."""
        while len(self._recent) > 1 and self._recent[1][0] <= t_s - PARAMS.look_back_s:
            self._recent.popleft()
        if not self._recent or self._recent[0][0] > t_s - PARAMS.look_back_s / 2:
            return None
        return self._recent[0][1]


def _find_difference(now: np.ndarray, before: np.ndarray) -> np.ndarray:
    """The difference (side, side) uint8 of two images (side, side, 3), without single pixels."""
    return np.asarray(cv2.blur(subtract_images(now, before), SMOOTH_PX))


def _exceeds_edges(
    difference: np.ndarray, change: np.ndarray, before: np.ndarray, threshold: int, most_px: int
) -> bool:
    """Whether more than ``most_px`` of the changed pixels (side, side bool) of an image (side,
    side, 3) differ by more than edges do if shifted by a fraction of a pixel.
    """
    grey = cv2.cvtColor(before, cv2.COLOR_BGR2GRAY)
    edge = np.ones((_EDGE_PX, _EDGE_PX), np.uint8)
    contrast = cv2.blur(cv2.morphologyEx(grey, cv2.MORPH_GRADIENT, edge), SMOOTH_PX)
    tolerated = threshold + PARAMS.edge_share * contrast[change]
    return bool(np.count_nonzero(difference[change] > tolerated) > most_px)


def _match_illumination(now: NormalisedFrame, older: NormalisedFrame) -> np.ndarray:
    """The older frame (side, side, 3), made as bright as the newer one around every pixel."""
    lit, before = (
        cv2.blur(frame.pieces_with_shadows.astype(np.float32), _SHADOW_PIECES) + 1.0
        for frame in (now, older)
    )
    image = older.image_with_shadows
    light = cv2.resize(lit / before, image.shape[1::-1], interpolation=cv2.INTER_LINEAR)
    return cv2.multiply(image, light, dtype=cv2.CV_8U)
