"""A reading's score: the discs' zones, the teams' points, and the reasons for a check."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from calibration.fit import BoardFit
from calibration.phrase import Phrase, finish, join
from scorer.photo.aim_help import AimAdvice, advise_camera, advise_without_board, project_rim
from scorer.photo.called_disc import CalledDisc, call_discs
from scorer.photo.questions import (
    Question,
    choose_asked,
    compute_probability,
    describe_questions,
    list_questions,
)
from scorer.zones import TeamTotal, total_by_team
from vision.io.frame import Frame, UnreadablePicture
from vision.reading import Reading

_CUT_OFF = Phrase(
    "Part of the board is outside the photo. Take it again with the whole board in view."
)


class ScoreStatus(StrEnum):
    """The result of a picture."""

    SCORED = "scored"
    NO_BOARD = "no_board"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Score:
    """A picture's score, or the reason why it has none.

    frame     None if the picture was unreadable
    reading   also None if no board was found in it
    discs     by team, then from the highest zone down
    notes     sentences about the picture as a whole, for example that its file is truncated
    questions possible errors of the totals, the largest first
    advice    the most helpful camera move, if the view is the problem
    stage_s   seconds that each stage took, in order
    """

    image: str
    status: ScoreStatus
    reason: str | None = None
    frame: Frame | None = None
    reading: Reading | None = None
    discs: tuple[CalledDisc, ...] = ()
    totals: tuple[TeamTotal, ...] = ()
    notes: tuple[str, ...] = ()
    questions: tuple[Question, ...] = ()
    advice: AimAdvice | None = None
    stage_s: Mapping[str, float] = field(default_factory=dict)

    @property
    def probability_right(self) -> float:
        """The probability that every total is right; 0 if nothing is scored."""
        return compute_probability(self.questions) if self.status is ScoreStatus.SCORED else 0.0

    @property
    def asked(self) -> tuple[Question, ...]:
        """The questions that a person should answer before trusting the totals."""
        return choose_asked(self.questions)

    @property
    def concerns(self) -> tuple[str, ...]:
        """The questions as sentences; unexplained places with the same reason share a sentence."""
        return describe_questions(self.asked)

    @property
    def needs_review(self) -> bool:
        """Whether a person should check: a total may be wrong, or nothing is scored."""
        return self.status is not ScoreStatus.SCORED or bool(self.asked)


def score_unreadable(picture: UnreadablePicture) -> Score:
    """The score of a picture that cannot be read: none, with the reason."""
    return Score(image=picture.name, status=ScoreStatus.UNREADABLE, reason=picture.reason)


def score_reading(frame: Frame, reading: Reading) -> Score:
    """The score of a reading: none, with the reason, unless the whole board was found."""
    if reading.board is None:
        reason = reading.reason or Phrase("No crokinole board was found in the photo.")
        return _make_boardless_score(frame, join(" ", (*frame.notes, finish(reason))))
    if _is_cut_off(frame, reading.board):
        return _make_boardless_score(frame, join(" ", (*frame.notes, _CUT_OFF)))
    discs = call_discs(reading)
    notes = tuple(finish(note) for note in (*frame.notes, *reading.notes))
    teams = [team.number for team in reading.teams]
    questions = list_questions(reading, discs, notes, frame.image.shape)
    return Score(
        image=frame.name,
        status=ScoreStatus.SCORED,
        frame=frame,
        reading=reading,
        discs=discs,
        totals=total_by_team(((disc.team.number, disc.call) for disc in discs), teams),
        notes=notes,
        questions=questions,
        advice=advise_camera(frame, reading.board) if choose_asked(questions) else None,
    )


def _make_boardless_score(frame: Frame, reason: str) -> Score:
    return Score(
        image=frame.name,
        status=ScoreStatus.NO_BOARD,
        reason=reason,
        frame=frame,
        advice=advise_without_board(frame),
    )


def _is_cut_off(frame: Frame, board: BoardFit) -> bool:
    """Whether the playing surface extends into the missing part of a truncated file."""
    if frame.missing_px is None:
        return False
    left, top, right, bottom = frame.missing_px
    x, y = project_rim(board.view, board.spec).T
    return bool(np.any((left <= x) & (x < right) & (top <= y) & (y < bottom)))
