"""Hand-held films made from pictures of a fixed camera, by moving the board's plane with known
poses.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from calibration.camera import Camera
from calibration.pose import Pose, View
from sample_images.clip_maker.filming.camera_motion import sway_camera

#: Frames per second of the films.
FPS = 30.0
#: Every nth pixel of a moved picture is projected exactly; sizes are multiples of it.
_STEP_PX = 4


def read_view(truth_file: Path) -> View:
    """The view in a still's truth file."""
    truth = json.loads(truth_file.read_text(encoding="utf-8"))
    matrix = np.array(truth["K"])
    return View(
        camera=Camera(
            fx_px=matrix[0, 0],
            fy_px=matrix[1, 1],
            cx_px=matrix[0, 2],
            cy_px=matrix[1, 2],
            k1=truth["dist"][0],
            k2=truth["dist"][1],
        ),
        cam_from_board=Pose(
            rotation=np.array(truth["R"]), translation_mm=np.array(truth["t"], dtype=np.float64)
        ),
    )


def sway_views(view: View, frames: int, by_mm: float, seed: int) -> list[View]:
    """The views of the board in the frames of a hand-held film."""
    swayed = sway_camera(view, np.random.default_rng(seed), by_mm, frames, FPS)
    return [image for _, image in swayed[:frames]]


def move_board(image: np.ndarray, before: View, after: View) -> np.ndarray:
    """A picture moved so that the board's plane appears as in ``after``; the camera's noise is
    unchanged.
    """
    height, width = image.shape[:2]
    x, y = (np.arange(0.5 * _STEP_PX, size, _STEP_PX) - 0.5 for size in (width, height))
    plane_mm = after.unproject_plane(np.stack(np.meshgrid(x, y), axis=-1))
    nodes = before.project_plane(plane_mm).astype(np.float32)
    maps = cv2.resize(nodes, (width, height), interpolation=cv2.INTER_LINEAR)
    return np.asarray(
        cv2.remap(image, maps[..., 0], maps[..., 1], cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT)
    )


def write_film(folder: Path, images: Sequence[np.ndarray]) -> Path:
    """Write a folder of pictures, which is read as a film of 30 frames a second."""
    folder.mkdir(parents=True, exist_ok=True)
    for index, image in enumerate(images):
        cv2.imwrite(str(folder / f"{index:04d}.jpg"), image, [cv2.IMWRITE_JPEG_QUALITY, 90])
    return folder
