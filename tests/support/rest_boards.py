"""Boards at rest with their discs and tracks in millimetres, like those from the tracker."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from drawn_discs import board_fit, view_at
from json_referee import JsonReferee

from calibration.disc import DiscSpec
from calibration.placed_disc import DiscState, PlacedDisc, Team
from scorer.referee.disc_identities import NamedDisc
from vision.track.at_rest.still_board import StillBoard
from vision.track.events import BoardAtRest
from vision.track.tracks.disc_track import DiscTrack, Sample

FIT = board_fit(view_at(0.0))
LINE_MM = FIT.spec.line_radii_mm[2]
WHITE = Team(number=0, colour_rgb=(230, 230, 230), colour_name="white")
BLACK = Team(number=1, colour_rgb=(20, 20, 20), colour_name="black")
STEP_S = 1 / 30
#: Positions of a flick, starting one frame inside the starting line.
INWARD = [(0.0, y) for y in (-268.0, -232.0, -197.0, -163.0, -130.0, -98.0, -67.0, -40.0)]

#: Empty wood over the whole picture.
_NO_PICTURE = np.full((960, 1280, 3), (130, 180, 210), np.uint8)


def disc(x: float, y: float, team: Team = WHITE) -> PlacedDisc:
    """A disc at a position, board mm."""
    return PlacedDisc(
        centre_mm=np.array([x, y]),
        covariance_mm2=0.2 * np.eye(2),
        team=team.number,
        state=DiscState.FLAT,
    )


def track(
    places: Sequence[tuple[float, float]],
    *,
    name: str | None = None,
    t_s: float = 1.0,
    held: bool = False,
    roundness: float = 1.0,
) -> DiscTrack:
    """A track of a disc seen at the given positions, board mm, in frames from ``t_s`` on."""
    samples = [
        Sample(
            t_s=t_s + i * STEP_S, place_mm=np.array(place), is_free=not held, roundness=roundness
        )
        for i, place in enumerate(places)
    ]
    return DiscTrack(name=name, lab=np.zeros(3), samples=samples)


def rested(
    before: Sequence[PlacedDisc],
    now: Sequence[PlacedDisc],
    tracks: Sequence[DiscTrack] = (),
    *,
    saw_hand: bool = True,
) -> BoardAtRest:
    """A board at rest with the discs ``now``, after ``before`` and the tracks in between."""
    return BoardAtRest(
        t_s=3.0,
        t_from_s=0.5,
        t_rest_s=2.8,
        board=StillBoard(discs=tuple(now), teams=(WHITE, BLACK), disc=DiscSpec()),
        before=tuple(before),
        tracks=tuple(tracks),
        image=_NO_PICTURE,
        fit=FIT,
        saw_hand=saw_hand,
        was_interrupted=False,
        longest_gap_s=STEP_S,
    )


def ready(x: float, y: float, team: Team = WHITE) -> NamedDisc:
    """A named disc ready to be shot at a position."""
    return NamedDisc(name="white 1", disc=disc(x, y, team))


def verdicts(referee: JsonReferee, *boards: BoardAtRest) -> list[dict]:
    """The shots that a referee reports for boards at rest."""
    return [
        event
        for board in boards
        for event in referee.handle_event(board)
        if event["type"] == "shot"
    ]
