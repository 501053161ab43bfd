"""A picture's board and discs (``Reading``): the stages in order, with their times.

It finds the board (``find_board``), then the discs on it (``read_discs``). Without a board the
reading gives the reason and has no discs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from calibration.disc import DiscSpec
from calibration.phrase import Phrase
from calibration.placed_disc import Team
from calibration.profile import CalibrationProfile
from vision.board.find_board import NoBoard, find_board
from vision.discs.find_discs import DiscReading
from vision.io.frame import Frame
from vision.read_discs import read_discs
from vision.reading import Reading

_FAINT_TEAM = Phrase(
    "one side's discs are almost the same colour as the board, so some "
    "may be missed. Check the count"
)
_OPEN_TEAMS = Phrase(
    "the disc colours do not clearly show how many sides are playing. "
    "Check which side every disc belongs to"
)
_BAD_LIGHT = Phrase("the photo is dark or lit from one side, so some discs are hard to see")


def read_photo(
    frame: Frame,
    profile: CalibrationProfile | None = None,
    progress: Callable[[str], None] | None = None,
    match_teams: tuple[Team, ...] = (),
) -> Reading:
    """The reading of the board in this picture, or the reason why there is none.

    ``profile`` holds a board's and its discs' sizes if they were measured. Without it, or if the
    picture shows another board, both come from the picture; so do the discs' sizes if the profile
    has none. ``progress`` gets the name of a stage when it begins. ``match_teams`` are the teams of
    another picture of the same match.
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
        known = profile if found.is_known else None
        reading = read_discs(
            frame.image,
            found.fit,
            known.accurate_disc if known else None,
            empty_hole=known.empty_hole if known else None,
            earlier=match_teams,
        )
    return Reading(
        board=found.fit,
        teams=reading.teams,
        discs=reading.discs,
        disc=reading.disc,
        unexplained=reading.unexplained,
        notes=(*found.notes, *_note_unclear_discs(reading)),
        stage_s=stage_s,
    )


def _note_unclear_discs(reading: DiscReading) -> tuple[str, ...]:
    """The notes that discs may be missed or that their sides are not clear."""
    possible = (
        (reading.has_bad_light, _BAD_LIGHT),
        (reading.has_faint_team, _FAINT_TEAM),
        (reading.has_open_teams, _OPEN_TEAMS),
    )
    return tuple(sentence for is_so, sentence in possible if is_so)
