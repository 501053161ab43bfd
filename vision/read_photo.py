"""A picture → what lies on its board: the stages in order, each timed.

Finds the board, then the discs on it (``find_board``, ``find_discs``). Where there is no board the
reading says why, and no disc is looked for.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from calibration.disc import DiscSpec
from calibration.profile import CalibrationProfile
from vision.board.find_board import NoBoard, find_board
from vision.discs.find_discs import find_discs
from vision.io.frame import Frame
from vision.reading import Reading


def read_photo(
    frame: Frame,
    profile: CalibrationProfile | None = None,
    progress: Callable[[str], None] | None = None,
) -> Reading:
    """What is on the board of this picture, or the reason why there is no board.

    ``profile`` holds a board's and its discs' sizes where they were measured; without it, and where
    the picture shows another board, both come from the picture, and so do the discs' where the
    profile knows none. ``progress`` gets each stage's name as it begins.
    """
    stage_s: dict[str, float] = {}

    @contextmanager
    def stage(name: str) -> Iterator[None]:
        if progress is not None:
            progress(name)
        begun = time.perf_counter()
        yield
        stage_s[name] = time.perf_counter() - begun

    with stage("board"):
        found = find_board(frame, profile)
    if isinstance(found, NoBoard):
        return Reading(board=None, disc=DiscSpec(), reason=found.reason, stage_s=stage_s)
    with stage("discs"):
        known = profile.telling_disc if profile and found.is_known else None
        reading = find_discs(frame.image, found.fit, known)
    return Reading(
        board=found.fit,
        teams=reading.teams,
        discs=reading.discs,
        disc=reading.disc,
        unexplained=reading.unexplained,
        notes=found.notes,
        stage_s=stage_s,
    )
