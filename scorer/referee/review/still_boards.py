"""Boards at rest read again from several original frames with their own poses, and fused.

The tracker reads one steady picture, in which the camera's motion displaces standing objects. Here
the discs' bases are read in frames that were not warped, and the median is taken. Frames of one
film share their board, their discs and most of their light, and so most of their errors. The fused
position is therefore assumed to be as uncertain as a single one. The discs' sizes, which the steady
picture's blur enlarges, are measured here too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from calibration.disc import DiscSpec
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import DiscState, PlacedDisc
from vision.discs.find_discs import DiscReading, find_discs
from vision.register.register_film import RegisteredFilm
from vision.track.events import BoardAtRest


class StillBoardsParameters(StageParameters):
    """Parameters of ``still_boards``."""

    stage: ClassVar[str] = "review.still_boards"

    frames: int = parameter(
        5, unit="frames", source="chosen for time: a median of five outvotes two wrong readings"
    )
    fewest: int = parameter(3, unit="frames", source="chosen: a median of fewer values is a mean")
    #: A disc is searched for within this distance of its position in the steady picture.
    same_disc_mm: float = parameter(
        5.0,
        unit="mm",
        source="chosen: five sigmas of the difference of two readings, with the error by parallax",
    )


PARAMS = StillBoardsParameters()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StillSpan:
    """A board at rest, with the first and the last time of its rest."""

    at_rest: BoardAtRest
    from_s: float
    to_s: float


def refine_boards(
    registered: RegisteredFilm, at_rests: Sequence[BoardAtRest], known: DiscSpec | None
) -> list[BoardAtRest]:
    """The same boards, with their flat discs' places fused from several frames.

    ``known`` are the discs' sizes, if they were measured before.
    """
    if not at_rests:
        return []
    spans = _find_spans(registered, at_rests)
    chosen = [_choose_times(registered, span) for span in spans]
    wanted = {t_s for times in chosen for t_s in times}
    readings: dict[float, DiscReading] = {}
    for frame, pose in registered.frames():
        if frame.t_s in wanted:
            at_rest = next(
                s.at_rest for s, times in zip(spans, chosen, strict=True) if frame.t_s in times
            )
            fit = replace(at_rest.fit, view=pose.view)
            readings[frame.t_s] = find_discs(frame.image, fit, known, at_rest.board.teams)
    disc = known or _average_sizes([*readings.values()])
    return [
        _fuse(rest, disc, [readings[t_s].discs for t_s in times if t_s in readings])
        for rest, times in zip(at_rests, chosen, strict=True)
    ]


def _average_sizes(readings: Sequence[DiscReading]) -> DiscSpec | None:
    """The discs' sizes, the mean of the readings' values; None if no reading measured a disc."""
    specs = [reading.disc for reading in readings if reading.measured_discs]
    if not specs:
        return None
    return replace(
        specs[0],
        radius_mm=float(np.mean([spec.radius_mm for spec in specs])),
        radius_sigma_mm=float(np.mean([spec.radius_sigma_mm for spec in specs])),
        height_mm=float(np.mean([spec.height_mm for spec in specs])),
        height_sigma_mm=float(np.mean([spec.height_sigma_mm for spec in specs])),
    )


def _find_spans(registered: RegisteredFilm, at_rests: Sequence[BoardAtRest]) -> list[StillSpan]:
    """For every board at rest, the time from the last change until the next."""
    ends = [rest.t_from_s for rest in at_rests[1:]] + [registered.times_s[-1]]
    return [
        StillSpan(
            at_rest=rest,
            from_s=min(rest.t_rest_s, rest.t_s),
            to_s=max(min(end, registered.times_s[-1]), rest.t_s),
        )
        for rest, end in zip(at_rests, ends, strict=True)
    ]


def _choose_times(registered: RegisteredFilm, span: StillSpan) -> list[float]:
    """Times of the frames to read: the best registered one of every part of the span."""
    seen = [
        (t_s, pose)
        for t_s, pose in zip(registered.times_s, registered.poses, strict=True)
        if pose is not None and span.from_s <= t_s <= span.to_s
    ]
    parts = np.array_split(np.arange(len(seen)), PARAMS.frames)
    return [
        min((seen[i] for i in part), key=lambda candidate: candidate[1].residual_px)[0]
        for part in parts
        if len(part)
    ]


def _fuse(
    at_rest: BoardAtRest, disc: DiscSpec | None, readings: Sequence[Sequence[PlacedDisc]]
) -> BoardAtRest:
    """The board with its flat discs at the median of their read places."""
    discs = []
    for placed_disc in at_rest.board.discs:
        places = [
            near.centre_mm
            for reading in readings
            if (near := _find_same(placed_disc, reading)) is not None
        ]
        if placed_disc.state is DiscState.FLAT and len(places) >= PARAMS.fewest:
            placed_disc = replace(placed_disc, centre_mm=np.median(places, axis=0))
        discs.append(placed_disc)
    board = replace(at_rest.board, discs=tuple(discs), disc=disc or at_rest.board.disc)
    return replace(at_rest, board=board)


def _find_same(disc: PlacedDisc, reading: Sequence[PlacedDisc]) -> PlacedDisc | None:
    """The disc of a reading at the place of ``disc``."""
    near = [
        placed_disc
        for placed_disc in reading
        if placed_disc.state is disc.state
        and np.linalg.norm(placed_disc.centre_mm - disc.centre_mm) < PARAMS.same_disc_mm
    ]
    return near[0] if len(near) == 1 else None
