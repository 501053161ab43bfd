"""A picture's board and discs (``Reading``): the stages in order, with their times.

It finds the board, then the discs on it (``find_board``, ``find_discs``). In bad light it also
reads the discs after flat-field correction (``correct_flat_field``). Without a board the reading
gives the reason and has no discs. A learned detector proposes discs first. Afterwards it gives a
second opinion on them, which settles questions or asks new ones (``arbitrate``).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import numpy as np

from calibration.disc import DiscSpec
from calibration.fit import BoardFit
from calibration.parameters import StageParameters, parameter
from calibration.phrase import Phrase
from calibration.placed_disc import Team
from calibration.profile import CalibrationProfile
from vision.board.find_board import NoBoard, find_board
from vision.detector.arbitrate import arbitrate, propose_discs
from vision.detector.detect_board import look_at_board
from vision.discs.detector_input import Proposals
from vision.discs.find_discs import DiscReading, find_discs
from vision.io.frame import Frame
from vision.reading import Reading
from vision.rectify.flat_field import correct_flat_field


class ReadPhotoParameters(StageParameters):
    """Parameters of ``read_photo``."""

    #: Discs after flat-field correction are used unless it loses more confidence than this.
    lost_confidence: float = parameter(
        0.6, unit="discs", source="chosen: as much as one uncertain disc"
    )


PARAMS = ReadPhotoParameters()
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
        looks = look_at_board(frame.image, found.fit.view, found.fit.spec)
        reading, disc_notes = _read_discs(
            frame.image,
            found.fit,
            known,
            match_teams,
            propose_discs(looks),
        )
        discs, unexplained = arbitrate(
            looks,
            found.fit.view,
            found.fit.spec,
            reading.disc,
            reading.discs,
            reading.unexplained,
        )
    hidden = _note_hidden_discs(reading)
    return Reading(
        board=found.fit,
        teams=reading.teams,
        discs=discs,
        disc=reading.disc,
        unexplained=unexplained,
        notes=(*found.notes, *disc_notes, *hidden),
        stage_s=stage_s,
    )


def _note_hidden_discs(reading: DiscReading) -> tuple[str, ...]:
    """The note that discs of almost the board's colour may be missed; None if there are none."""
    possible = (
        (reading.has_faint_team, _FAINT_TEAM),
        (reading.has_open_teams, _OPEN_TEAMS),
    )
    return tuple(sentence for is_so, sentence in possible if is_so)


def _read_discs(
    image: np.ndarray,
    fit: BoardFit,
    known: CalibrationProfile | None,
    match_teams: tuple[Team, ...],
    proposals: Proposals,
) -> tuple[DiscReading, tuple[str, ...]]:
    """The discs after flat-field correction, or before it if that shows more, and a note if the two
    differ.
    """
    disc, empty_hole = (known.accurate_disc, known.empty_hole) if known else (None, None)
    read = partial(
        find_discs,
        fit=fit,
        disc=disc,
        empty_hole=empty_hole,
        is_single=True,
        earlier=match_teams,
        proposals=proposals,
    )
    as_is = read(image)
    even_image = correct_flat_field(image, fit.view, fit.spec)
    if even_image is None:
        return as_is, ()
    even = read(even_image)
    if _show_the_same(as_is, even):
        return as_is, ()
    sure, sure_even = (
        sum(placed_disc.confidence for placed_disc in one.discs) for one in (as_is, even)
    )
    best = as_is if sure > sure_even + PARAMS.lost_confidence else even
    is_clear = len(as_is.discs) == len(even.discs) and len(as_is.teams) == len(even.teams)
    return best, () if is_clear else (_BAD_LIGHT,)


def _show_the_same(one: DiscReading, other: DiscReading) -> bool:
    """Whether two readings have the same number of discs in the same teams, in any order."""
    if len(one.discs) != len(other.discs) or len(one.teams) != len(other.teams):
        return False
    if not one.discs:
        return True
    places = np.array([disc.centre_mm for disc in other.discs])
    pairs = set()
    for disc in one.discs:
        away_mm = np.linalg.norm(places - disc.centre_mm, axis=1)
        nearest = int(np.argmin(away_mm))
        if away_mm[nearest] > other.disc.radius_mm:
            return False
        pairs.add((disc.team, other.discs[nearest].team))
    return len(pairs) == len({team for team, _ in pairs}) == len({team for _, team in pairs})
