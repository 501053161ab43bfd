"""Pose of the board (``cam_from_board``), and the view that consists of a pose and a camera.

A rigid transform followed by a projection, and its inverse on planes parallel to the board.
Unprojection is meaningless for rays parallel to the plane or pointing away from it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from calibration.camera import Camera, FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pose:
    """Rigid transform ``cam_from_board``: p_cam = rotation @ p_board + translation_mm."""

    rotation: FloatArray  # (3, 3)
    translation_mm: FloatArray  # (3,)

    @property
    def tilt_deg(self) -> float:
        """Angle between the board's normal and the line from its centre to the camera, 0 to 180."""
        towards_camera = -self.translation_mm / np.linalg.norm(self.translation_mm)
        return float(np.degrees(np.arccos(np.clip(self.rotation[:, 2] @ towards_camera, -1, 1))))

    @property
    def camera_board_mm(self) -> FloatArray:
        """The camera's centre (3,) in the board frame."""
        return -self.rotation.T @ self.translation_mm

    def shift_per_mm(self, points_mm: ArrayLike) -> FloatArray:
        """Parallax (..., 2), mm, of points (..., 2) on the surface per millimetre of height: away
        from the camera, and larger in more oblique views.
        """
        camera_mm = self.camera_board_mm
        shift: FloatArray = (np.asarray(points_mm, np.float64) - camera_mm[:2]) / camera_mm[2]
        return shift


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class View:
    """A camera looking at a board: converts board millimetres to pixels and back."""

    camera: Camera
    cam_from_board: Pose

    def project(self, points_board_mm: ArrayLike) -> FloatArray:
        """Pixels (n, 2) of board-frame points (n, 3), mm; meaningless behind the camera."""
        p = np.asarray(points_board_mm, dtype=np.float64)
        pose = self.cam_from_board
        return self.camera.project(p @ pose.rotation.T + pose.translation_mm)

    def project_plane(self, points_mm: ArrayLike, z_mm: float = 0.0) -> FloatArray:
        """Pixels (n, 2) of points (n, 2), mm, at ``z_mm`` above the playing surface."""
        xy = np.asarray(points_mm, dtype=np.float64)
        pose = self.cam_from_board
        origin = pose.translation_mm + z_mm * pose.rotation[:, 2]
        across, along = xy[..., 0], xy[..., 1]
        parts = (
            r[0] * across + r[1] * along + o for r, o in zip(pose.rotation, origin, strict=True)
        )
        pixels = np.empty((*xy.shape[:-1], 2))
        pixels[..., 0], pixels[..., 1] = self.camera.project_parts(*parts)
        return pixels

    def unproject_plane(self, points_px: ArrayLike, z_mm: float = 0.0) -> FloatArray:
        """Board points (n, 2), mm, at height ``z_mm``, seen at the pixels (n, 2)."""
        pose = self.cam_from_board
        directions = self.camera.rays(points_px) @ pose.rotation
        camera_mm = pose.camera_board_mm
        depth = (z_mm - camera_mm[2]) / directions[..., 2:3]
        points_mm: FloatArray = camera_mm[:2] + depth * directions[..., :2]
        return points_mm

    def mm_per_px(self, point_mm: ArrayLike = (0.0, 0.0)) -> float:
        """Length on the playing surface of one pixel at this point: the geometric mean over
        directions.
        """
        x, y = np.asarray(point_mm, dtype=np.float64)
        corner = self.project_plane([[x, y], [x + 1, y], [x, y + 1]])
        area = abs(np.linalg.det(corner[1:] - corner[0]))
        return float(1.0 / np.sqrt(area))

    def stretch_board(self, factor: float) -> View:
        """The same picture as a view of a board ``factor`` times as large, and ``factor`` times as
        far away.
        """
        pose = self.cam_from_board
        farther = Pose(rotation=pose.rotation, translation_mm=pose.translation_mm * factor)
        return View(camera=self.camera, cam_from_board=farther)

    def rescale(self, factor: float) -> View:
        """The same view for the picture resized by ``factor``."""
        return View(camera=self.camera.rescale(factor), cam_from_board=self.cam_from_board)
