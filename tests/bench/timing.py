"""Processor time of scoring a picture and of refereeing a clip, relative to decoding, and memory.

Times are processor times of all threads together, so neither a busy computer nor spare cores change
the figures. A change of the processor's speed does, so decoding is timed alongside.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import process_time, thread_time
from typing import Any, TypeVar

import cv2
import numpy as np

from scorer.photo.score import Score
from scorer.photo.score_file import score_file
from scorer.referee.events import to_json
from scorer.referee.live_referee import LiveReferee
from scorer.rules.sets import rule_set
from vision.io.sources import open_source
from vision.track.tracker import BoardTracker

try:
    import resource
except ImportError:  # Windows has none, so peak memory is unknown there
    _HAS_RESOURCE = False
else:
    _HAS_RESOURCE = True

Result = TypeVar("Result")

#: Number of plain decodes timed with each scoring.
_DECODES = 3
#: Frame rate for which a clip's speed is stated, whatever its own.
_FPS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TimedScore:
    """A score with the processor seconds for it and for a plain decode of the same file."""

    score: Score
    score_s: float
    decode_s: float

    @property
    def ratio(self) -> float:
        """The whole time as a multiple of a plain decode."""
        return self.score_s / max(self.decode_s, 1e-9)


@dataclass(frozen=True, slots=True, kw_only=True)
class PhotoSpeed:
    """Times of some pictures. Milliseconds; ratios are to a plain decode of the same file."""

    median_ms: float
    median_ratio: float
    stage_median_ms: dict[str, float]
    phone_ms: float | None
    phone_ratio: float | None
    peak_memory_mb: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipTiming:
    """Processor seconds for one clip on one core."""

    name: str
    frames: int
    decode_s: float
    watch_s: float

    @property
    def times_real_time(self) -> float:
        """Seconds of a clip at 30 frames a second that are refereed in one second, including
        decoding.
        """
        return self.frames / _FPS / max(self.decode_s + self.watch_s, 1e-9)


def time_score(path: Path, runs: int = 1) -> TimedScore:
    """Score one picture and time it: the fastest of several runs.

    Decodes are timed in between, so that a change of the processor's speed affects both.
    """
    data = np.fromfile(path, np.uint8)
    decode_s, score_s = [], []
    for _ in range(runs):
        decode_s += [_time(lambda: _decode(data))[1] for _ in range(_DECODES)]
        score, seconds = _time(lambda: score_file(path))
        score_s.append(seconds)
    return TimedScore(score=score, score_s=min(score_s), decode_s=min(decode_s))


def peak_memory_mb() -> float | None:
    """The peak memory of this process so far, MB; None if unknown."""
    if not _HAS_RESOURCE:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    bytes_per_unit = 1 if sys.platform == "darwin" else 1024
    return peak * bytes_per_unit / 1e6


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


def referee_clip(clip: Path) -> tuple[list[dict[str, Any]], ClipTiming]:
    """A clip's events under the NCA's rules, and the processor time on one core.

    Raises ``SourceError`` if the file is no clip.
    """
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        return _referee_clip(clip)
    finally:
        cv2.setNumThreads(threads)


def _decode(data: np.ndarray) -> None:
    cv2.imdecode(data, cv2.IMREAD_COLOR)


def _time(work: Callable[[], Result]) -> tuple[Result, float]:
    started = process_time()
    result = work()
    return result, process_time() - started


def _referee_clip(clip: Path) -> tuple[list[dict[str, Any]], ClipTiming]:
    tracker, referee = BoardTracker(), LiveReferee(rule_set("nca"))
    events: list[dict[str, Any]] = []
    frames, watch_s, t_s = 0, 0.0, 0.0
    begun_s = process_time()
    for frame in open_source(str(clip)).frames(threading.Event(), _print_notice):
        decoded_s = thread_time()
        for tracker_event in tracker.process_frame(frame.picture, frame.t_s, is_cut=frame.is_cut):
            events += map(to_json, referee.handle_event(tracker_event))
        watch_s += thread_time() - decoded_s
        frames, t_s = frames + 1, frame.t_s
    decode_s = process_time() - begun_s - watch_s  # meanwhile, in another thread
    for tracker_event in tracker.finish():
        events += map(to_json, referee.handle_event(tracker_event))
    events += map(to_json, referee.end(t_s))
    return events, ClipTiming(name=clip.name, frames=frames, decode_s=decode_s, watch_s=watch_s)


def _print_notice(sentence: str) -> None:
    print(f"crokinole: {sentence}", file=sys.stderr)
