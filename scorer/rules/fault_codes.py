"""What can be wrong with a shot, by the names that JSON and the command line have for it."""

from __future__ import annotations

from enum import StrEnum


class FaultCode(StrEnum):
    """What was wrong."""

    NO_CONTACT = "no_contact"
    OPEN_BOARD = "open_board"
    PLACEMENT = "placement"
    OUT_OF_BOUNDS = "out_of_bounds"  # a removal, not a foul
