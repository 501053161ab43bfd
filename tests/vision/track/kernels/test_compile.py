"""The kernels compiled beforehand are those that the tracker calls."""

from __future__ import annotations

import subprocess
import sys

import cv2
import numpy as np

from calibration.board import BoardSpec
from calibration.camera import Camera
from calibration.pose import Pose, View
from vision.rectify.frame_rectifier import make_rectifier
from vision.track.background.background_model import create_background, normalise_frame
from vision.track.kernels import compile as compilation
from vision.track.kernels.disc_faces import measure_faces
from vision.track.kernels.image_differences import find_largest_differences
from vision.track.motion.disc_blobs import find_disc_blobs

_SHAPE = (270, 480, 3)
_KERNELS = (
    measure_faces,
    find_largest_differences,
)


def test_what_was_compiled_is_loaded_without_what_compiles_it() -> None:
    compilation.compile_kernels()
    program = (
        "import sys; from vision.track.kernels.compile import compile_kernels; compile_kernels();"
        "print(*({'scipy.linalg', 'numba.np.arraymath', 'numba.np.linalg'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr


def _list_compiled() -> list[set[object]]:
    return [set(kernel.signatures) for kernel in _KERNELS]


def test_all_that_the_tracker_calls_is_compiled_beforehand() -> None:
    camera = Camera(fx_px=450.0, fy_px=450.0, cx_px=240.0, cy_px=135.0)
    pose = Pose(rotation=np.diag([1.0, -1.0, -1.0]), translation_mm=np.array([0.0, 0.0, 1250.0]))
    view = View(camera=camera, cam_from_board=pose)
    random = np.random.default_rng(1)
    empty = random.integers(100, 140, _SHAPE, dtype=np.uint8)
    seen = empty.copy()
    cv2.circle(seen, (240, 100), 6, (20, 20, 20), -1)
    rectifier = make_rectifier(view, BoardSpec(), _SHAPE)

    compilation.compile_kernels()
    before = _list_compiled()
    first = rectifier.rectify(empty)
    background = create_background(rectifier, first, np.zeros(first.shape[:2], dtype=bool))
    frame = normalise_frame(background, rectifier, rectifier.rectify(seen))
    assert len(find_disc_blobs(rectifier, background, frame, 15.9).centre_mm) == 1
    assert all(before)
    assert _list_compiled() == before
