"""The stages of a film's review, which show its progress."""

from __future__ import annotations

from enum import StrEnum


class ReviewStage(StrEnum):
    """The stages of a review, in order."""

    FIND_BOARD = "looking for the board"
    REGISTER = "stabilising the video"
    FOLLOW = "following the discs"
    READ_BOARDS = "comparing the board before and after"
    JUDGE = "judging"
    MAKE_VIDEO = "making the video"
