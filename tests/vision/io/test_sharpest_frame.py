"""The sharpest early frame of a source, once a camera has settled."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.parameters import using
from vision.io.sharpest_frame import grab_sharpest_frame, is_source, measure_sharpness
from vision.io.sources import SourceError

SHARP = np.random.default_rng(1).integers(0, 255, (90, 120, 3), dtype=np.uint8)


def blur(sigma: float) -> np.ndarray:
    return cv2.GaussianBlur(SHARP, (0, 0), sigma)


def test_blur_lowers_sharpness() -> None:
    assert measure_sharpness(SHARP) > measure_sharpness(blur(0.7)) > measure_sharpness(blur(2.0))


def test_the_sharpest_frame_after_settling_is_taken(tmp_path: Path) -> None:
    # The sharpest frame comes first, while the camera is still settling.
    for number, image in enumerate((SHARP, blur(3.0), blur(0.8), blur(2.0))):
        cv2.imwrite(str(tmp_path / f"{number}.png"), image)
    with using({"io.sharpest_frame.exposure_settling_s": 0.03, "io.sources.folder_fps": 30.0}):
        found = grab_sharpest_frame(str(tmp_path))
    assert (found == blur(0.8)).all()


def test_a_source_that_ends_before_it_settles_gives_its_last_frame(tmp_path: Path) -> None:
    for number, image in enumerate((SHARP, blur(2.0))):
        cv2.imwrite(str(tmp_path / f"{number}.png"), image)
    assert (grab_sharpest_frame(str(tmp_path)) == blur(2.0)).all()


def test_a_source_without_a_frame_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(SourceError):
        grab_sharpest_frame(str(tmp_path))


def test_cameras_streams_clips_and_folders_are_sources_and_pictures_are_not(tmp_path: Path) -> None:
    assert all(map(is_source, ("0", "rtsp://camera", "round.MP4", str(tmp_path))))
    assert not any(map(is_source, ("board.jpg", "board")))
