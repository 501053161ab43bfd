"""Stabilises a film: warps its frames to one fixed view.

A plane just above the playing surface is warped from each frame's view to the fixed one (a
homography, with the lens's distortion). A standing object is displaced by its distance from that
plane over the camera's distance, times the camera's movement: 0.3 mm for a disc's rim and 50 mm.
Outside a frame, the picture of an earlier frame remains.

Resampling makes edges sharper in one frame than in the next, depending on their position between
pixels, and the motion gate would mistake that for motion. So every frame for the motion gate is
blurred to the same sharpness (Gaussian blur). Discs are read without the blur, because a blurred
knot in the wood looks like a disc.
"""

from __future__ import annotations

import cv2
import numpy as np

from calibration.parameters import StageParameters, parameter
from calibration.pose import View
from vision.rectify.frame_rectifier import RECTIFIED_HEIGHT_MM


class SteadyViewParameters(StageParameters):
    """Parameters of ``steady_view``."""

    #: One sigma of the blur, whichever is larger: pixels of the frame, or mm on the board.
    blur_px: float = parameter(
        1.6,
        unit="px",
        source="measured in a hand-held film at 1.8 mm per pixel: on a board at rest, 400 mm² "
        "change without blur, and with this blur less than the 60 mm² that count as "
        "motion",
    )
    blur_mm: float = parameter(
        1.2, unit="mm", source="chosen: slightly more than half a pixel of a rectified frame, 1 mm"
    )


PARAMS = SteadyViewParameters()
#: Pixels between two exactly projected nodes; between them perspective is linear to 0.02 px.
_NODE_STEP_PX = 16


class SteadyView:
    """Frames of a moving camera, warped to one fixed ``view``, in order."""

    def __init__(self, view: View, shape: tuple[int, ...]) -> None:
        """Frames have this ``shape`` (h, w, 3)."""
        self._height, self._width = shape[:2]
        self._blur_px = max(PARAMS.blur_px, PARAMS.blur_mm / view.mm_per_px())
        self._canvas: np.ndarray = np.full((self._height, self._width, 3), 128, np.uint8)
        across = np.arange(0, self._width + _NODE_STEP_PX, _NODE_STEP_PX, dtype=np.float64)
        down = np.arange(0, self._height + _NODE_STEP_PX, _NODE_STEP_PX, dtype=np.float64)
        nodes = np.stack(np.meshgrid(across, down), axis=-1)
        self._nodes_mm = view.unproject_plane(nodes, RECTIFIED_HEIGHT_MM)
        # a ray above the horizon meets the plane behind the camera, where nothing is visible
        rays = view.camera.rays(nodes) @ view.cam_from_board.rotation
        self._is_seen = rays[..., 2] * np.sign(view.cam_from_board.camera_board_mm[2]) < -1e-3

    def warp(self, image: np.ndarray, view: View) -> np.ndarray:
        """The frame ``image`` (h, w, 3) uint8 BGR of ``view``, warped to the fixed view."""
        nodes_px = np.where(
            self._is_seen[..., None],
            view.project_plane(self._nodes_mm, RECTIFIED_HEIGHT_MM),
            -float(_NODE_STEP_PX),
        ).astype(np.float32)
        x_px, y_px = (self._interpolate(nodes_px[..., axis]) for axis in (0, 1))
        self._canvas = cv2.remap(
            image,
            x_px,
            y_px,
            cv2.INTER_CUBIC,
            dst=self._canvas.copy(),
            borderMode=cv2.BORDER_TRANSPARENT,
        )
        return self._canvas

    def smooth(self, image: np.ndarray) -> np.ndarray:
        """A warped frame for the motion gate, blurred like all others."""
        return cv2.GaussianBlur(image, (0, 0), self._blur_px)

    def _interpolate(self, nodes: np.ndarray) -> np.ndarray:
        """Values (h, w) float32, interpolated linearly between nodes."""
        rows, columns = nodes.shape
        size = ((columns - 1) * _NODE_STEP_PX + 1, (rows - 1) * _NODE_STEP_PX + 1)
        x = np.arange(size[0], dtype=np.float32) / _NODE_STEP_PX
        y = np.arange(size[1], dtype=np.float32) / _NODE_STEP_PX
        full = cv2.remap(nodes, *np.meshgrid(x, y), cv2.INTER_LINEAR)
        return full[: self._height, : self._width]
