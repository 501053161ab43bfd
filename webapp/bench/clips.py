"""``crokinole bench watch``: how well and how fast clips are refereed, on one core.

Knows clips with truth. Refuses to know how anything is seen.
"""

from __future__ import annotations

import json
import resource
import sys
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import cv2
from rich.table import Table

import sample_images
from scorer.rules.sets import rule_set
from vision.io.sources import open_source
from vision.track.tracker import BoardTracker
from webapp.bench.clip_grade import ClipGrade, clips_with_truth, grade_clip, sum_grades
from webapp.referee.events import Event
from webapp.referee.referee import LiveReferee
from webapp.terminal.console import make_console

#: A clip's speed is stated as if it had this many frames a second, whatever it has.
_FPS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipTiming:
    """How long one clip took on one core: seconds of processor time."""

    name: str
    frames: int
    decode_s: float
    watch_s: float

    @property
    def times_real_time(self) -> float:
        """Seconds of a clip of 30 frames a second that one second refereed, decoding included."""
        return self.frames / _FPS / max(self.decode_s + self.watch_s, 1e-9)


def clips_folder() -> Path:
    """The project's own clips."""
    return Path(sample_images.__file__).parent / "clips"


def bench_watch(folder: Path, *, as_json: bool) -> list[str]:
    """Grade and time a folder's clips and print the result; what went wrong, one sentence each."""
    clips = clips_with_truth(folder)
    if not clips:
        return [f"{folder} holds no .mp4 clip with a .json truth beside it."]
    grades, timings = [], []
    for clip, truth in clips:
        print(f"watching {clip.name}", file=sys.stderr)
        events, timing = referee_clip(clip)
        grades.append(grade_clip(truth, events))
        timings.append(timing)
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if as_json:
        print(json.dumps(_as_json(grades, timings, megabytes), indent=1))
    else:
        make_console().print(_table(grades, timings))
        print(f"peak memory {megabytes:.0f} MB")
    return []


def referee_clip(clip: Path) -> tuple[list[Event], ClipTiming]:
    """A clip's events, and how long the processor worked on it."""
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        return _referee_clip(clip)
    finally:
        cv2.setNumThreads(threads)


def _referee_clip(clip: Path) -> tuple[list[Event], ClipTiming]:
    tracker, referee = BoardTracker(), LiveReferee(rule_set("nca"))
    events: list[Event] = []
    frames, decode_s, watch_s, t_s = 0, 0.0, 0.0, 0.0
    begun_s = time.process_time()
    for frame in open_source(str(clip)).frames(threading.Event(), _print_notice):
        decoded_s = time.process_time()
        for tracker_event in tracker.process_frame(frame.image, frame.t_s):
            events += referee.handle_event(tracker_event)
        decode_s += decoded_s - begun_s
        begun_s = time.process_time()
        watch_s += begun_s - decoded_s
        frames, t_s = frames + 1, frame.t_s
    events += referee.end(t_s)
    return events, ClipTiming(name=clip.name, frames=frames, decode_s=decode_s, watch_s=watch_s)


def _print_notice(sentence: str) -> None:
    print(f"crokinole: {sentence}", file=sys.stderr)


def _as_json(
    grades: list[ClipGrade], timings: list[ClipTiming], megabytes: float
) -> dict[str, object]:
    clips = [
        {**asdict(pace), "times_real_time": round(pace.times_real_time, 2), **asdict(grade)}
        for grade, pace in zip(grades, timings, strict=True)
    ]
    return {"clips": clips, "together": asdict(sum_grades(grades)), "peak_memory_mb": megabytes}


def _table(grades: list[ClipGrade], timings: list[ClipTiming]) -> Table:
    table = Table()
    for name in ("clip", "shots", "found", "invented", "right", "review", "wrong", "final"):
        table.add_column(name)
    for name in ("delay s", "decode ms", "watch ms", "× real time at 30 fps"):
        table.add_column(name, justify="right")
    for grade, timing in zip(grades, timings, strict=True):
        table.add_row(
            timing.name,
            *(str(getattr(grade, name)) for name in ("shots", "found", "invented", "right")),
            str(grade.needs_review),
            str(grade.wrong),
            "exact" if grade.finals_exact else "not exact",
            "–" if grade.delay_s is None else f"{grade.delay_s:.2f}",
            f"{1000 * timing.decode_s / timing.frames:.1f}",
            f"{1000 * timing.watch_s / timing.frames:.1f}",
            f"{timing.times_real_time:.1f}",
        )
    return table
