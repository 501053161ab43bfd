"""One board frame for two cameras; boards at rest are fused in it, and views are turned to it.

It is the frame of the camera that read the board first. The turn between both comes from the first
boards at rest that both read (``vision.fuse``), and stays valid while the cameras do not move.
Discs on the last fused board keep their fused places in both cameras' evidence, so every disc has
one place. Tracks stay as measured. Until the turn is known only one camera counts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from calibration.fit import BoardFit
from calibration.placed_disc import DiscState, PlacedDisc, Team
from vision.fuse.fuse_readings import (
    Difference,
    FusedDisc,
    FusedReading,
    fuse_readings,
    turn_disc,
)
from vision.fuse.registration import PARAMS as REGISTRATION
from vision.fuse.registration import rotation
from vision.reading import Reading, UnexplainedObject, UnexplainedReason
from vision.track.at_rest.still_board import StillBoard
from vision.track.events import BoardAtRest
from vision.track.tracks.disc_track import DiscTrack

#: The reason why a person must check a disc on which the cameras differ; the rules decide about
#: unclear positions.
_REASONS = {
    Difference.STATE: UnexplainedReason.STATES_DIFFER,
    Difference.TEAM: UnexplainedReason.TEAMS_DIFFER,
    Difference.PRESENCE: UnexplainedReason.ONE_CAMERA,
}


class SharedFrame:
    """The board frame of two cameras, 0 and 1, and the board last fused in it."""

    def __init__(self) -> None:
        """No camera has set the frame so far."""
        self._turn_rad: dict[int, float] = {}
        self._team_of: dict[int, Mapping[int, int]] = {}
        self._fits: dict[int, tuple[BoardFit, BoardFit]] = {}
        self._teams: tuple[Team, ...] = ()
        self._discs: tuple[PlacedDisc, ...] = ()
        self._differences: tuple[UnexplainedObject, ...] = ()

    def knows(self, camera: int) -> bool:
        """Whether the camera's turn to the frame is known."""
        return camera in self._turn_rad or not self._turn_rad

    @property
    def is_whole(self) -> bool:
        """Whether both cameras' turns are known."""
        return len(self._turn_rad) == 2

    def fuse(self, one: BoardAtRest, two: BoardAtRest) -> StillBoard | None:
        """The board that both cameras read, in the frame; None if their turn is unknown."""
        first, second = sorted((one, two), key=lambda board: board.camera)
        readings = _make_reading(first), _make_reading(second)
        fused = fuse_readings(*readings, self._find_known_turn(first, second))
        if fused is None:
            return None
        own_rad = self._adopt(fused, first.camera, second.camera)
        reading = fused.reading
        self._teams = reading.teams
        differences = _list_differences(fused, own_rad)
        new = [
            difference
            for difference in differences
            if not _was_reported(difference, self._differences)
        ]
        self._differences = tuple(differences)
        unexplained = [_turn_object(item, own_rad) for item in reading.unexplained]
        uncertain = [disc.disc for disc in fused.discs if _may_lean(disc)]
        new += [
            UnexplainedObject(
                centre_mm=rotation(own_rad) @ disc.centre_mm, reason=UnexplainedReason.LEANING
            )
            for disc in uncertain
        ]
        discs = [
            replace(disc, state=DiscState.IN_HOLE) if disc in uncertain else disc
            for disc in reading.discs
        ]
        return StillBoard(
            discs=tuple(turn_disc(disc, own_rad) for disc in discs),
            teams=reading.teams,
            disc=reading.disc,
            measured_discs=max(first.board.measured_discs, second.board.measured_discs),
            unexplained=(*unexplained, *new),
        )

    def express(self, at_rest: BoardAtRest) -> StillBoard:
        """The board as one camera read it, in the frame, with the teams of both."""
        if not self._turn_rad:
            self._turn_rad[at_rest.camera] = 0.0
        angle_rad, board = self._turn_rad[at_rest.camera], at_rest.board
        number_of = dict(self._team_of.get(at_rest.camera, {}))
        teams = list(self._teams) if number_of else list(board.teams)
        for other in board.teams if number_of else ():
            if other.number not in number_of:
                number_of[other.number] = max((team.number for team in teams), default=-1) + 1
                teams.append(replace(other, number=number_of[other.number]))
        discs = (turn_disc(disc, angle_rad) for disc in board.discs)
        return replace(
            board,
            discs=tuple(replace(disc, team=number_of.get(disc.team, disc.team)) for disc in discs),
            teams=tuple(teams),
            unexplained=tuple(_turn_object(item, angle_rad) for item in board.unexplained),
        )

    def turn_view(self, at_rest: BoardAtRest, board: StillBoard) -> BoardAtRest:
        """One camera's view of a ``board``, in the frame; call it before ``remember``."""
        angle_rad = self._turn_rad[at_rest.camera]
        before = (turn_disc(disc, angle_rad) for disc in at_rest.before)
        reach_mm = REGISTRATION.same_radii * board.disc.radius_mm
        return replace(
            at_rest,
            board=board,
            before=tuple(_snap(disc, self._discs, reach_mm) for disc in before),
            tracks=tuple(_turn_track(track, angle_rad) for track in at_rest.tracks),
            fit=self._turn_fit(at_rest, angle_rad),
        )

    def remember(self, board: StillBoard) -> None:
        """Take over the board as the current one."""
        self._discs = board.discs

    def _find_known_turn(self, first: BoardAtRest, second: BoardAtRest) -> float | None:
        """The turn from the lower camera's frame to the higher one's, if known."""
        if len(self._turn_rad) < 2:
            return None
        turn = self._turn_rad[first.camera] - self._turn_rad[second.camera]
        is_second = get_tilt_deg(second) < get_tilt_deg(first)
        return turn if is_second else -turn

    def _adopt(self, fused: FusedReading, first: int, second: int) -> float:
        """Take over turn and teams; returns the fused reading's turn to the frame."""
        owner = next(iter(self._turn_rad), (first, second)[fused.lead])
        turns = dict(zip((first, second), fused.turns_rad, strict=True))
        if fused.is_clear and len(self._turn_rad) < 2:
            self._turn_rad = {owner: 0.0} | {
                camera: turn - turns[owner] for camera, turn in turns.items()
            }
        lead, other = (first, second) if fused.lead == 0 else (second, first)
        same = {team.number: team.number for team in fused.reading.teams}
        self._team_of = {lead: same, other: fused.team_of}
        return -turns[owner]

    def _turn_fit(self, at_rest: BoardAtRest, angle_rad: float) -> BoardFit:
        """The camera's view of the frame, as the same object for the same view."""
        known = self._fits.get(at_rest.camera)
        if known is None or known[0] is not at_rest.fit:
            known = at_rest.fit, at_rest.fit.rotate(-angle_rad) if angle_rad else at_rest.fit
            self._fits[at_rest.camera] = known
        return known[1]


def _make_reading(at_rest: BoardAtRest) -> Reading:
    board = at_rest.board
    return Reading(
        board=at_rest.fit,
        disc=board.disc,
        teams=board.teams,
        discs=board.discs,
        unexplained=board.unexplained,
    )


def _list_differences(fused: FusedReading, own_rad: float) -> list[UnexplainedObject]:
    """Differences between the cameras about discs that count."""
    turn = rotation(own_rad)
    return [
        UnexplainedObject(centre_mm=turn @ disc.disc.centre_mm, reason=_REASONS[difference])
        for disc in fused.discs
        for difference in disc.differences
        if difference in _REASONS and not disc.is_left_out and not _may_lean(disc)
    ]


def _may_lean(disc: FusedDisc) -> bool:
    """Whether the cameras differ about a disc in the hole or leaning on its edge; the players' next
    action then decides (``scorer.referee.round_score``).
    """
    states = {seen.state for seen in disc.seen if seen is not None}
    return states == {DiscState.IN_HOLE, DiscState.LEANING}


def _was_reported(now: UnexplainedObject, before: Sequence[UnexplainedObject]) -> bool:
    """Whether the same difference about the place was already reported."""
    near_mm = REGISTRATION.origin_sigma_mm * 10
    return any(
        item.reason is now.reason and math.dist(item.centre_mm, now.centre_mm) < near_mm
        for item in before
    )


def _turn_object(thing: UnexplainedObject, angle_rad: float) -> UnexplainedObject:
    return replace(thing, centre_mm=rotation(angle_rad) @ thing.centre_mm)


def _turn_track(track: DiscTrack, angle_rad: float) -> DiscTrack:
    turn = rotation(angle_rad)
    samples = [replace(sample, place_mm=turn @ sample.place_mm) for sample in track.samples]
    return DiscTrack(name=track.name, lab=track.lab, samples=samples)


def _snap(disc: PlacedDisc, known: Sequence[PlacedDisc], reach_mm: float) -> PlacedDisc:
    """The nearest known disc within reach; the disc itself if there is none."""
    away = [float(np.linalg.norm(placed_disc.centre_mm - disc.centre_mm)) for placed_disc in known]
    nearest = int(np.argmin(away)) if away else -1
    return known[nearest] if away and away[nearest] < reach_mm else disc


def get_tilt_deg(at_rest: BoardAtRest) -> float:
    """The tilt of the camera that saw this board, degrees."""
    return at_rest.fit.view.cam_from_board.tilt_deg
