"""From a picture's file to its score: read, find, call.

Knows the order of the steps only.
"""

from __future__ import annotations

from pathlib import Path

from calibration.profile import Profile
from vision.frame import Unreadable, read_frame
from vision.pipeline import read_board
from webapp.score import Score, score_reading, score_unreadable


def score_file(path: str | Path, profile: Profile | None = None) -> Score:
    """The score of the picture in a file, or the reason why it has none."""
    frame = read_frame(path)
    if isinstance(frame, Unreadable):
        return score_unreadable(frame)
    return score_reading(frame, read_board(frame, profile=profile))
