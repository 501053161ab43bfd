"""A picture file's score: read the file, find board and discs, call zones; all stages are timed."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from time import perf_counter

from calibration.profile import CalibrationProfile
from scorer.photo.score import Score, score_reading, score_unreadable
from vision.io.frame import UnreadablePicture, read_frame
from vision.read_photo import read_photo


@contextmanager
def _silence_decoders() -> Iterator[None]:
    """Hide the messages that C decoders write to standard error; a sentence reports what matters to
    the user.
    """
    try:
        handle = sys.__stderr__.fileno() if sys.__stderr__ else 2
        kept = os.dup(handle)
    except OSError:  # there is no standard error
        yield
        return
    with Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), handle)
    try:
        yield
    finally:
        os.dup2(kept, handle)
        os.close(kept)


def score_file(path: str | Path, profile: CalibrationProfile | None = None) -> Score:
    """The score of the picture in a file, or the reason why it has none."""
    started = perf_counter()
    with _silence_decoders():
        frame = read_frame(path)
    decoded = perf_counter()
    if isinstance(frame, UnreadablePicture):
        return score_unreadable(frame)
    reading = read_photo(frame, profile=profile)
    seen = perf_counter()
    score = score_reading(frame, reading)
    stages = {"decode": decoded - started, **reading.stage_s, "call": perf_counter() - seen}
    return replace(score, stage_s=stages)
