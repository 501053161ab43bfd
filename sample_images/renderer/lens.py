"""The camera: a pose from its place, and radial distortion in OpenCV's model.

It is kept separate from the project's own camera code on purpose, so the two can check each other.
"""

from __future__ import annotations

import math

import numpy as np

from sample_images.renderer.scene import CameraIntrinsics, Viewpoint

#: Newton steps of the inverse distortion; far more than phone lenses need.
_STEPS = 12
#: Pixels added to the pinhole picture beyond those that the warp reads, for its cubic kernel.
_SPARE_PX = 4


def camera_matrix(lens: CameraIntrinsics) -> np.ndarray:
    """The intrinsic matrix (3, 3) with the principal point in the middle of the picture."""
    cx, cy = (lens.width - 1) / 2, (lens.height - 1) / 2
    return np.array([[lens.focal_px, 0, cx], [0, lens.focal_px, cy], [0, 0, 1.0]])


def cam_from_board(viewpoint: Viewpoint) -> tuple[np.ndarray, np.ndarray]:
    """Rotation (3, 3) and translation (3,) in mm; camera x right, y down, z forward."""
    eye, target = np.array(viewpoint.position), np.array(viewpoint.target)
    forward = (target - eye) / np.linalg.norm(target - eye)
    upright = np.array([0.0, 0.0, 1.0]) if abs(forward[2]) < 0.999 else np.array([0.0, 1.0, 0.0])
    right = np.cross(forward, upright)
    right /= np.linalg.norm(right)
    down = np.cross(forward, right)
    c, s = math.cos(math.radians(viewpoint.roll_deg)), math.sin(math.radians(viewpoint.roll_deg))
    rotation = np.stack([c * right + s * down, -s * right + c * down, forward])
    return rotation, -rotation @ eye


def project(lens: CameraIntrinsics, viewpoint: Viewpoint, points_mm: np.ndarray) -> np.ndarray:
    """Pixels (n, 2) of board-frame points (n, 3)."""
    rotation, translation = cam_from_board(viewpoint)
    p = np.asarray(points_mm, float) @ rotation.T + translation
    xy = p[:, :2] / p[:, 2:]
    r2 = np.sum(xy * xy, axis=1, keepdims=True)
    k = camera_matrix(lens)
    return xy * (1 + r2 * (lens.k1 + r2 * lens.k2)) * k[0, 0] + k[:2, 2]


def tilt_deg(viewpoint: Viewpoint) -> float:
    """Angle between the board's normal and the line from its centre to the camera."""
    x, y, z = viewpoint.position
    return math.degrees(math.acos(z / math.sqrt(x * x + y * y + z * z)))


def _undistort(lens: CameraIntrinsics, px: np.ndarray) -> np.ndarray:
    """Pinhole pixels, same focal length and centre, of distorted pixels (..., 2)."""
    centre = camera_matrix(lens)[:2, 2]
    xy = (px - centre) / lens.focal_px
    rd = np.linalg.norm(xy, axis=-1, keepdims=True)
    r = rd.copy()
    for _ in range(_STEPS):
        r2 = r * r
        slope = np.maximum(1 + r2 * (3 * lens.k1 + 5 * r2 * lens.k2), 0.2)
        r -= (r * (1 + r2 * (lens.k1 + r2 * lens.k2)) - rd) / slope
    return centre + lens.focal_px * xy * np.where(rd > 1e-12, r / np.maximum(rd, 1e-12), 1.0)


def warp_map(lens: CameraIntrinsics) -> tuple[np.ndarray, tuple[int, int]]:
    """The place (h, w, 2) in the pinhole picture for every pixel, and that picture's (width,
    height).

    The pinhole picture has the lens's focal length and is larger by the same margin on opposite
    sides, so its centre remains the principal point.
    """
    y, x = np.mgrid[0 : lens.height, 0 : lens.width]
    source = _undistort(lens, np.stack([x, y], axis=-1).astype(float))
    over = max(0.0, -source.min(), (source.reshape(-1, 2) - (lens.width, lens.height)).max())
    margin = math.ceil(over) + _SPARE_PX
    size = lens.width + 2 * margin, lens.height + 2 * margin
    return (source + margin).astype(np.float32), size
