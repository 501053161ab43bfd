"""Boards at rest read again in an original frame with its own pose.

The tracker reads one steady picture, in which the camera's motion displaces standing objects. Here
the discs' bases are read in the best registered frame of every rest, which was not warped, in the
way of a photo (``read_discs``). The discs' sizes, which the steady picture's blur enlarges, are
measured here too. Discs that the frame does not show keep their places.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, astuple, replace
from typing import ClassVar

import numpy as np

from calibration.disc import DiscSpec
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import DiscState, PlacedDisc
from vision.discs.find_discs import DiscReading
from vision.read_discs import read_discs
from vision.register.register_film import RegisteredFilm
from vision.track.events import BoardAtRest


class StillBoardsParameters(StageParameters):
    """Parameters of ``still_boards``."""

    stage: ClassVar[str] = "review.still_boards"

    #: A disc is searched for within this distance of its position in the steady picture.
    same_disc_mm: float = parameter(
        5.0,
        unit="mm",
        source="chosen: five sigmas of the difference of two readings, with the error by parallax",
    )


PARAMS = StillBoardsParameters()


def refine_boards(
    registered: RegisteredFilm, at_rests: Sequence[BoardAtRest], known: DiscSpec | None
) -> list[BoardAtRest]:
    """The same boards, with the places of their flat discs in one original frame each.

    ``known`` are the discs' sizes, if they were measured before.
    """
    ends_s = [*(rest.t_from_s for rest in at_rests[1:]), registered.times_s[-1]]
    chosen_s = [_choose_time(registered, *pair) for pair in zip(at_rests, ends_s, strict=False)]
    readings: dict[float | None, DiscReading] = {}
    for frame, pose in registered.frames():
        if frame.t_s in chosen_s:
            rest = at_rests[chosen_s.index(frame.t_s)]
            fit = replace(rest.fit, view=pose.view)
            readings[frame.t_s] = read_discs(
                frame.image, fit, known, rest.board.teams, is_single=False
            )
    measured = [reading for reading in readings.values() if reading.measured_discs]
    disc = known or (_average_sizes(measured) if measured else None)
    return [
        _take_places(rest, disc, readings[t_s].discs if t_s in readings else ())
        for rest, t_s in zip(at_rests, chosen_s, strict=True)
    ]


def _average_sizes(readings: Sequence[DiscReading]) -> DiscSpec:
    """The mean of the discs' sizes over all measured discs."""
    sizes_mm = [astuple(reading.disc) for reading in readings]
    mean_mm = np.average(sizes_mm, axis=0, weights=[one.measured_discs for one in readings])
    return DiscSpec(**dict(zip(asdict(readings[0].disc), mean_mm.tolist(), strict=True)))


def _choose_time(registered: RegisteredFilm, at_rest: BoardAtRest, end_s: float) -> float | None:
    """Time of the best registered frame from a board's last change until the next, at ``end_s``;
    None if none was registered.
    """
    from_s, to_s = min(at_rest.t_rest_s, at_rest.t_s), max(end_s, at_rest.t_s)
    seen = [
        (pose.residual_px, t_s)
        for t_s, pose in zip(registered.times_s, registered.poses, strict=True)
        if pose is not None and from_s <= t_s <= to_s
    ]
    return min(seen)[1] if seen else None


def _take_places(
    at_rest: BoardAtRest, disc: DiscSpec | None, read: Sequence[PlacedDisc]
) -> BoardAtRest:
    """The board with its flat discs at the places where they were ``read``."""
    discs = []
    for placed_disc in at_rest.board.discs:
        near = [
            other.centre_mm
            for other in read
            if placed_disc.state is other.state is DiscState.FLAT
            and np.linalg.norm(other.centre_mm - placed_disc.centre_mm) < PARAMS.same_disc_mm
        ]
        if len(near) == 1:
            placed_disc = replace(placed_disc, centre_mm=near[0])
        discs.append(placed_disc)
    board = replace(at_rest.board, discs=tuple(discs), disc=disc or at_rest.board.disc)
    return replace(at_rest, board=board)
