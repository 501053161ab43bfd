"""One sharp picture out of a source: a camera, a stream or a clip stands still for calibrating.

Knows which of the first frames to take. Refuses to know how a source is opened (see ``sources``).
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from itertools import takewhile
from pathlib import Path

import cv2
import numpy as np

from vision.sources import Shown, SourceError, open_source

#: Cameras need this long to settle their exposure and focus, s of the source ...
_SETTLING_S = 1.0
#: ... and the sharpest frame is taken from so much after that, s.
_LOOKED_AT_S = 1.5
#: Files of these kinds are clips; any other file is a picture.
_CLIPS = frozenset({".mp4", ".mov", ".m4v", ".avi", ".mkv", ".webm", ".mpg", ".mpeg", ".ts"})
#: Sharpness is compared on frames of this width, px.
_COMPARED_PX = 640


def is_source(text: str) -> bool:
    """Whether a person named a camera, a stream or a clip, and not a picture."""
    is_clip = Path(text).suffix.lower() in _CLIPS
    return text.isdecimal() or "://" in text or is_clip or Path(text).is_dir()


def take_still(text: str) -> np.ndarray:
    """The sharpest early frame (h, w, 3) BGR of a source. Raises ``SourceError``."""
    stop = threading.Event()
    trouble: list[str] = []

    def report(words: str) -> None:
        trouble.append(words)
        stop.set()  # a live source would try again without end

    frames = open_source(text).frames(stop, report)
    try:
        still = _sharpest(frames)
    finally:
        stop.set()
    if still is None:
        raise SourceError(trouble[0] if trouble else f"{text} shows no frame; check it.")
    return still


def _sharpest(frames: Iterable[Shown]) -> np.ndarray | None:
    """The sharpest frame after settling; the last one before where there is no other."""
    best, most, spare = None, -1.0, None
    end_s = _SETTLING_S + _LOOKED_AT_S
    for shown in takewhile(lambda shown: shown.t_s <= end_s, frames):
        spare = shown.image
        sharpness = _sharpness(shown.image) if shown.t_s >= _SETTLING_S else -1.0
        if sharpness > most:
            best, most = shown.image, sharpness
    return spare if best is None else best


def _sharpness(image: np.ndarray) -> float:
    """Variance of the picture's curvature: blur takes it away first."""
    factor = min(1.0, _COMPARED_PX / image.shape[1])
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    small = cv2.resize(grey, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    return float(cv2.Laplacian(small, cv2.CV_32F).var())
