"""The stages of a film's review, by which whoever waits sees how far it is."""

from __future__ import annotations

from enum import StrEnum


class ReviewStage(StrEnum):
    """What is being done with a film, in order."""

    FIND_BOARD = "looking for the board"
    REGISTER = "holding the camera still"
    FOLLOW = "following the discs"
    READ_BOARDS = "reading the boards before and after"
    JUDGE = "judging"
    MAKE_VIDEO = "making the video"
