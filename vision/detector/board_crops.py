"""Inputs of the detector's networks: two planes of a found board, turned to face the camera.

The board is turned so that the camera is at -y and all upright objects extend towards +y. The
networks get the playing surface, a second plane (discs' tops, or the hole's floor), and the
displacement of a point at a disc's height. The stored weights are valid only for these constants.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.camera import FloatArray
from calibration.pose import View

#: The whole board, and the plane of discs' tops.
DISC_SIDE_PX, DISC_MM_PER_PX, DISC_TOP_MM = 336, 2.0, 9.5
#: Pixels per output cell.
CELL_PX = 4
#: A cell's answer falls with its distance from a base centre, as a normal distribution with this
#: sigma.
HEAT_MM = 5.0
#: The hole's surroundings, and the plane of its floor.
HOLE_SIDE_PX, HOLE_MM_PER_PX, HOLE_FLOOR_MM = 96, 0.75, -7.0
#: The shift channels: displacement of a point at this height, in units of this many mm.
SHIFT_HEIGHT_MM, SHIFT_SCALE_MM = 9.5, 20.0
#: Planes are sampled this many times as finely and then averaged, because the picture's pixels are
#: finer than the planes' pixels.
_OVERSAMPLING = 2
#: Pixels between two exactly projected nodes of a plane.
_NODE_STEP_PX = 16


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FacingFrame:
    """The board's frame, turned about its normal until the camera stands at -y.

    board_from_facing  rotation (2, 2) of places on the board
    camera_mm          the camera's centre (3,) in the turned frame
    """

    board_from_facing: FloatArray
    camera_mm: FloatArray

    @staticmethod
    def of_view(view: View) -> FacingFrame:
        """The frame that faces the camera of ``view``."""
        x, y, z = view.cam_from_board.camera_board_mm
        turn = math.atan2(y, x) + math.pi / 2
        cos, sin = math.cos(turn), math.sin(turn)
        return FacingFrame(
            board_from_facing=np.array([[cos, -sin], [sin, cos]]),
            camera_mm=np.array([0.0, -math.hypot(x, y), z]),
        )


def crop_planes(
    image: np.ndarray,
    view: View,
    centre_mm: FloatArray,
    *,
    heights_mm: tuple[float, float],
    side_px: int,
    mm_per_px: float,
    field: int,
) -> np.ndarray:
    """The network's input (1, 8, side, side) float32: both planes around ``centre_mm`` (2,) of the
    board, RGB from 0 to 1, black beyond the picture, and the shift in x and y.

    Only every other row of ``image`` is used: the even ones of ``field`` 0, the odd ones of 1.
    """
    facing = FacingFrame.of_view(view)
    fine_px, fine_mm = side_px * _OVERSAMPLING, mm_per_px / _OVERSAMPLING
    step = (np.arange(fine_px // _NODE_STEP_PX + 1) * _NODE_STEP_PX - (fine_px - 1) / 2) * fine_mm
    x, y = np.meshgrid(step, -step)
    nodes_mm = np.stack([x, y], axis=-1) @ facing.board_from_facing.T + centre_mm
    spread = _interpolate_nodes(fine_px, len(step))
    rows = np.ascontiguousarray(image[field::2])
    out = np.empty((1, 8, side_px, side_px), np.float32)
    for k, height_mm in enumerate(heights_mm):
        nodes_px = view.project_plane(nodes_mm, height_mm).astype(np.float32)
        maps = [spread @ nodes_px[..., axis] @ spread.T for axis in (0, 1)]
        fine = cv2.remap(rows, maps[0], (maps[1] - field) / 2, cv2.INTER_LINEAR)
        small = cv2.resize(fine, (side_px, side_px), interpolation=cv2.INTER_AREA)
        out[0, 3 * k : 3 * k + 3] = small[..., ::-1].transpose(2, 0, 1)
    out[0, :6] /= 255
    across = (np.arange(side_px) - (side_px - 1) / 2) * mm_per_px
    factor = SHIFT_HEIGHT_MM / SHIFT_SCALE_MM / facing.camera_mm[2]
    out[0, 6] = (across[None] - facing.camera_mm[0]) * factor
    out[0, 7] = (-across[:, None] - facing.camera_mm[1]) * factor
    return out


def _interpolate_nodes(pixels: int, nodes: int) -> np.ndarray:
    """Weights (pixels, nodes) float32 of linear interpolation from every ``_NODE_STEP_PX``th."""
    away = np.arange(pixels)[:, None] / _NODE_STEP_PX - np.arange(nodes)
    return np.maximum(0, 1 - np.abs(away)).astype(np.float32)
