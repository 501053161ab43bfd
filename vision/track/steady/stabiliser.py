"""A moving camera's frames, moved to the place of its first frame.

A camera on a table that people lean on sways by a fraction of a pixel. A camera in a hand or on a
clamp sways more and turns. Autofocus hunts, and a tripod sags. Nothing then seems still. The
picture of the board is registered to the view's first frame by a homography
(``picture_registration``). Only a moving camera is followed. Frames of a camera that stands still,
or was pushed, are unchanged.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from calibration.board import FloatArray
from calibration.fit import BoardFit
from calibration.parameters import StageParameters, parameter
from vision.io.timed_frame import CameraImage
from vision.track.steady.picture_registration import BoardEdges, find_board_edges, move_points
from vision.track.steady.steadied_image import SteadiedImage


class StabiliserParameters(StageParameters):
    """Parameters of ``stabiliser``."""

    #: A camera moves if its last shifts spread by more than this, in pixels of the registered
    #: picture; or if it turns the board's rim by more than this relative to its middle, ...
    moves_px: float = parameter(
        0.05,
        unit="small px",
        source="measured in films: at 0.1, boards are read as before; at 0.17, nothing seems still",
    )
    #: ... or shows it this far from its place in the first frame, as in a slow zoom.
    turned_px: float = parameter(
        0.25,
        unit="small px",
        source="measured in films of still or trembling cameras: 0.15 at most",
    )


PARAMS = StabiliserParameters()
#: Number of the last shifts by which a camera moves: 0.2 s at 30 frames a second.
_SAMPLES = 6
#: While discs move, one frame in this many is examined, for speed.
CHECKED_EVERY = 5
#: Pictures too small to be reduced have the limits of pictures twice as large; smaller motion was
#: never found to matter.
_LEAST_SCALE = 2


class Stabiliser:
    """Follows the camera of one view."""

    def __init__(self, image: CameraImage, fit: BoardFit) -> None:
        """``image`` is the view's first frame, to which others are moved."""
        self._edges = find_board_edges(image, fit)
        self._moves = False
        # the shift of the rim, by frame
        self._offsets_px: deque[FloatArray] = deque(maxlen=_SAMPLES)
        self._undecided: deque[tuple[CameraImage, SteadiedImage]] = deque(maxlen=_SAMPLES)
        self._last: FloatArray = np.eye(3)
        self._before: FloatArray = self._last
        self._frames = 0

    def steady(self, image: CameraImage, *, every: int | None) -> CameraImage:
        """The frame, moved to the first frame's place if the camera moves; otherwise unchanged.

        Whether it moves is tested once in ``every`` frames, never if ``every`` is None.
        """
        self._frames += 1
        is_due = every is not None and self._frames % every == 0
        if not (self._moves or is_due):
            return image
        going_on = self._last @ np.linalg.inv(self._before) @ self._last
        warp = self._edges.fit_homography(image, going_on if self._moves else self._last)
        if warp is None:  # too little of the board is visible
            self._offsets_px.clear()
            self._before = self._last
            return image
        steady = SteadiedImage(image, warp)
        if not self._moves:
            self._moves = self._shows_motion(self._edges, warp)
            self._undecided.append((image, steady))
            self._before = warp
        else:
            self._before = self._last
        self._last = warp
        return steady if self._moves else image

    def look_back(self, image: CameraImage) -> CameraImage:
        """One of the last frames returned by ``steady``, moved back now that the camera moves."""
        if self._moves:
            for given, moved in self._undecided:
                if given is image:
                    return moved
        return image

    def _shows_motion(self, edges: BoardEdges, warp: FloatArray) -> bool:
        """Whether the camera moves, by the places of the last frames."""
        scale = max(edges.scale, _LEAST_SCALE)
        self._offsets_px.append((move_points(warp, edges.rim_px) - edges.rim_px) / scale)
        if len(self._offsets_px) < _SAMPLES:
            return False
        shifts_px = np.mean(self._offsets_px, axis=1)
        turns_px = np.array(self._offsets_px) - shifts_px[:, None]
        return bool(
            np.std(shifts_px, axis=0).max() > PARAMS.moves_px
            or np.sqrt(np.mean(np.var(turns_px, axis=0))) > PARAMS.moves_px
            or np.sqrt(np.mean(turns_px**2)) > PARAMS.turned_px
        )
