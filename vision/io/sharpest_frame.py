"""The sharpest early frame of a camera, a stream or a clip, for calibration.

Sharpness is the variance of the Laplacian (Pech-Pacheco 2000), compared among the frames after
exposure and focus have settled. Noise can make a frame seem sharper than it is.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from itertools import takewhile
from pathlib import Path

import cv2
import numpy as np

from calibration.parameters import StageParameters, parameter
from vision.io.sources import SourceError, TimedFrame, open_source


class SharpestFrameParameters(StageParameters):
    """Parameters of ``sharpest_frame``."""

    #: The sharpest frame is taken from this time window, after the camera has settled; times of the
    #: source.
    exposure_settling_s: float = parameter(
        1.0, unit="s", source="chosen: about the time in which cameras settle exposure and focus"
    )
    window_s: float = parameter(
        1.5, unit="s", source="chosen: a hand is still at least once in that time"
    )


PARAMS = SharpestFrameParameters()
#: Sharpness is compared on frames of this width: small enough that the noise of pixels averages
#: out.
_COMPARE_WIDTH_PX = 640
#: Files of these kinds are clips; any other file is a picture.
_CLIPS = frozenset({".mp4", ".mov", ".m4v", ".avi", ".mkv", ".webm", ".mpg", ".mpeg", ".ts"})


def is_source(text: str) -> bool:
    """Whether the text names a camera, a stream or a clip rather than a picture."""
    path = Path(text)
    return text.isdecimal() or "://" in text or path.suffix.lower() in _CLIPS or path.is_dir()


def grab_sharpest_frame(text: str) -> np.ndarray:
    """The sharpest early frame (h, w, 3) uint8 BGR of the source that the user named.

    Raises ``SourceError`` if it cannot be opened or has no frame.
    """
    stop = threading.Event()
    problems: list[str] = []

    def report(message: str) -> None:
        problems.append(message)
        stop.set()  # a live source would retry forever

    frames = open_source(text).frames(stop, report)
    try:
        sharpest = _pick_sharpest(frames)
    finally:
        stop.set()
    if sharpest is None:
        raise SourceError(
            problems[0] if problems else f"{text} sends no frames. Check that it is not in use."
        )
    return sharpest


def _pick_sharpest(frames: Iterable[TimedFrame]) -> np.ndarray | None:
    """The sharpest frame after settling; otherwise the last one before; None without frames."""
    best, most, spare = None, -1.0, None
    end_s = PARAMS.exposure_settling_s + PARAMS.window_s
    for frame in takewhile(lambda shown: shown.t_s <= end_s, frames):
        spare = frame.image
        sharpness = (
            measure_sharpness(frame.image) if frame.t_s >= PARAMS.exposure_settling_s else -1.0
        )
        if sharpness > most:
            best, most = frame.image, sharpness
    return spare if best is None else best


def measure_sharpness(image: np.ndarray) -> float:
    """Variance of the picture's Laplacian (Pech-Pacheco 2000), which blur reduces."""
    factor = min(1.0, _COMPARE_WIDTH_PX / image.shape[1])
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    small = cv2.resize(grey, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    return float(cv2.Laplacian(small, cv2.CV_32F).var())
