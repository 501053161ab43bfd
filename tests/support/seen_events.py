"""Messages of a referee's process for tests of workers; a separate module, because it starts
fast.
"""

from __future__ import annotations

from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from webapp.live.referee_process import EndMessage, EventMessage, PictureMessage, RefereeTask
from webapp.live.ring_buffer import JpegFrame

BOARD: dict[str, Any] = {
    "t_s": 1.0,
    "type": "board",
    "discs": [],
    "teams": [
        {"team": 0, "colour": "#000000", "colour_name": "black"},
        {"team": 1, "colour": "#d9a766", "colour_name": "natural"},
    ],
    "warnings": [],
    "next_team": None,
}


def see_twenty(_task: RefereeTask, pipe: Connection) -> None:
    """See the board and a 20 of the second side, and continue to watch."""
    pipe.send(EventMessage(event=BOARD))
    pipe.send(
        EventMessage(event={"t_s": 2.0, "type": "twenty", "team": 1, "disc": "b", "count": 1})
    )
    _watch_on(pipe)


def see_end(_task: RefereeTask, pipe: Connection) -> None:
    """See the board, and the end of the source."""
    pipe.send(EventMessage(event=BOARD))
    pipe.send(EndMessage(reason=None))


def see_shot_into_hole(_task: RefereeTask, pipe: Connection) -> None:
    """See the board and a disc shot into the hole, and continue to watch."""
    disc = {"id": "a", "team": 0, "x_mm": 1.0, "y_mm": 2.0, "state": "in_hole", "zone": 20}
    disc |= {"margin_mm": 10.0, "sigma_mm": 0.5, "call": "certain"}
    start = disc | {"y_mm": -304.8, "state": "flat", "zone": 0}
    shot = {"t_s": 2.0, "type": "shot", "index": 0, "team": 0, "disc": "a", "verdict": "legal"}
    shot |= {"before": [start], "after": [disc], "remove": [], "contacts": [], "faults": []}
    shot |= {"t_start_s": 1.1, "t_rest_s": 1.9, "doubts": [], "question": None}
    shot["evidence"] = {"moved_mm": {}, "track": [], "longest_gap_s": 0, "hand_over_board": False}
    shot["teams"] = BOARD["teams"]
    pipe.send(EventMessage(event=BOARD))
    pipe.send(EventMessage(event=shot))
    _watch_on(pipe)


def see_picture(_task: RefereeTask, pipe: Connection) -> None:
    """Send a picture whenever one is requested."""
    with suppress(EOFError):
        while pipe.recv():
            pipe.send(PictureMessage(look=JpegFrame(t_s=1.5, jpeg=b"jpeg")))


def _watch_on(pipe: Connection) -> None:
    """Ignore requests until the process must end."""
    with suppress(EOFError):
        while pipe.recv():
            pass
