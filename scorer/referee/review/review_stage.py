"""The stages of a film's review, which show its progress."""

from __future__ import annotations

from enum import StrEnum

from calibration.phrase import Phrase


class ReviewStage(StrEnum):
    """The stages of a review, in order."""

    FIND_BOARD = Phrase("looking for the board")
    REGISTER = Phrase("stabilising the video")
    FOLLOW = Phrase("following the discs")
    READ_BOARDS = Phrase("comparing the board before and after")
    JUDGE = "judging"
    MAKE_VIDEO = Phrase("making the video")
