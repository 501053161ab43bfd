"""How long scoring takes against decoding the same picture, and how much memory it needs.

Knows clocks and the operating system. Times are of the processor, all threads together, so that
neither a busy machine nor spare cores change the figures.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import TypeVar

import cv2
import numpy as np

from webapp.photo.score import Score
from webapp.photo.score_file import score_file

Result = TypeVar("Result")

#: Plain decodes beside each scoring.
_DECODES = 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TimedScore:
    """A score with the processor seconds that it and a plain decode of the same file took."""

    score: Score
    score_s: float
    decode_s: float

    @property
    def ratio(self) -> float:
        """How many plain decodes the whole took."""
        return self.score_s / max(self.decode_s, 1e-9)


@dataclass(frozen=True, slots=True, kw_only=True)
class PhotoSpeed:
    """Times of some pictures. Milliseconds; ratios are to a plain decode of the same file."""

    median_ms: float
    median_ratio: float
    stage_median_ms: dict[str, float]
    phone_ms: float | None
    phone_ratio: float | None
    peak_memory_mb: float


def time_score(path: Path, runs: int = 1) -> TimedScore:
    """Score one picture and time it: the least of so many runs, which is what it takes undisturbed.

    Decodes are timed in between, so that a processor that changes its pace slows both.
    """
    data = np.fromfile(path, np.uint8)
    decode_s, score_s = [], []
    for _ in range(runs):
        decode_s += [_time(lambda: _decode(data))[1] for _ in range(_DECODES)]
        score, seconds = _time(lambda: score_file(path))
        score_s.append(seconds)
    return TimedScore(score=score, score_s=min(score_s), decode_s=min(decode_s))


def enlarged_copy(picture: Path, folder: Path, width_px: int) -> Path:
    """A JPEG in ``folder`` of the picture at another width.

    A camera's own has more grain, and takes longer to decode: ratios to it come out smaller.
    """
    image = cv2.imread(str(picture), cv2.IMREAD_COLOR)
    if image is None:
        raise ValueError(f"{picture} is not a picture")
    height_px = round(image.shape[0] * width_px / image.shape[1])
    large = cv2.resize(image, (width_px, height_px), interpolation=cv2.INTER_CUBIC)
    path = folder / f"{picture.stem}_{width_px}.jpg"
    path.write_bytes(cv2.imencode(".jpg", large, [cv2.IMWRITE_JPEG_QUALITY, 92])[1].tobytes())
    return path


def peak_memory_mb() -> float:
    """The most memory that this process has held so far, megabytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    bytes_per_unit = 1 if sys.platform == "darwin" else 1024
    return peak * bytes_per_unit / 1e6


def _decode(data: np.ndarray) -> None:
    cv2.imdecode(data, cv2.IMREAD_COLOR)


def _time(work: Callable[[], Result]) -> tuple[Result, float]:
    started = process_time()
    result = work()
    return result, process_time() - started
