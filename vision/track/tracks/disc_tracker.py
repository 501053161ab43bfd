"""Multi-object tracking of discs in board millimetres, by gated assignment (Hungarian method).

Global nearest neighbour: blobs are assigned to tracks to minimise the sum of distances from the
discs' expected places, at their last velocities, and of differences in colour (Kuhn 1955, in
``calibration/numerics/assignment.py``). The remaining blobs are assigned once more by the distance
that a disc can have moved since it was seen. Discs of one colour that meet unseen may swap names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from calibration.camera import FloatArray
from calibration.numerics.assignment import assign
from calibration.parameters import StageParameters, parameter
from vision.discs.teams.team_colours import bgr_to_weighted_lab
from vision.track.motion.blob_appearance import PARAMS as APPEARANCE
from vision.track.motion.blob_appearance import WEAK_ROUNDNESS
from vision.track.motion.disc_blobs import DiscBlobs
from vision.track.tracks.disc_track import PARAMS as TRACK
from vision.track.tracks.disc_track import DiscTrack, Sample


class DiscTrackerParameters(StageParameters):
    """Parameters of ``disc_tracker``."""

    #: No flick is faster than this.
    fastest_mm_s: float = parameter(4500.0, unit="mm/s", source="chosen: above the fastest flicks")
    #: A disc at rest is found again within this; a moving one within this plus a share of its step.
    at_rest_mm: float = parameter(5.0, unit="mm", source="chosen: several times a blob's error")
    in_motion_mm: float = parameter(
        10.0, unit="mm", source="chosen: twice that of a disc at rest, because of motion blur"
    )
    step_share: float = parameter(
        0.5, unit="share", source="chosen: friction and a collision change a step by half"
    )
    #: A disc unseen for longer than this is not taken for one that appears elsewhere.
    lost_s: float = parameter(0.5, unit="s", source="chosen: 15 frames at 30 a second")
    #: Cost of a unit of weighted Lab, for choosing between several discs.
    mm_per_lab: float = parameter(
        2.0, unit="mm/Lab", source="chosen: another team's colour, 20 units off, costs 40 mm"
    )
    #: Cost of missing roundness: a round blob is more likely a disc than a finger.
    mm_per_roundness: float = parameter(
        100.0, unit="mm", source="chosen: a finger, 0.3 less round, costs 30 mm more"
    )
    #: A blob belongs to another team if its colour is closer to that team's by this, in weighted
    #: Lab. It then does not continue a smooth path, and counts as this far away from a disc that
    #: may be anywhere.
    other_team_lab: float = parameter(
        8.0,
        unit="weighted Lab",
        source="chosen: less than half of the 20 units between the closest teams",
    )
    other_team_mm: float = parameter(60.0, unit="mm", source="chosen: four times a disc's radius")


PARAMS = DiscTrackerParameters()
#: Cost of an impossible match, mm: more than any sum of possible costs.
_FORBIDDEN_MM = 1e6
#: Name, position (2,) in mm and colour (3,) in weighted Lab of a disc at rest.
StartingDisc = tuple[str, FloatArray, FloatArray]


class DiscTracker:
    """Tracks the discs of one motion interval, from those at rest before it."""

    def __init__(self, start: Sequence[StartingDisc], t_s: float) -> None:
        self.tracks = [
            DiscTrack(name=name, lab=lab, samples=[Sample(t_s=t_s, place_mm=place, is_free=True)])
            for name, place, lab in start
        ]
        self._teams_lab = np.array([lab for _, _, lab in start]).reshape(-1, 3)

    def update(self, t_s: float, blobs: DiscBlobs, held: np.ndarray) -> None:
        """Assign the blobs (n) of the frame at ``t_s`` to tracks; ``held`` (n,) bool: in a hand."""
        if len(blobs.centre_mm) == 0:
            return
        free = blobs.free & ~held
        seen = _Detections(
            t_s=t_s,
            circles=blobs,
            lab=bgr_to_weighted_lab(blobs.colour_bgr),
            free=free,
            teams_lab=self._teams_lab,
        )
        left = self._assign(seen, np.ones(len(free), dtype=bool), _gated_cost)
        left &= self._assign(seen, left & seen.plain, _reappearance_cost)
        for i in np.flatnonzero(left & seen.plain):
            self.tracks.append(DiscTrack(name=None, lab=seen.lab[i], samples=[seen.sample(int(i))]))

    def _assign(
        self,
        seen: _Detections,
        among: np.ndarray,
        cost_of: Callable[[_TrackStates, _Detections], FloatArray],
    ) -> np.ndarray:
        """Assign blobs ``among`` (n,) to tracks not yet updated if the costs allow it; returns the
        rest (n,).
        """
        left = among.copy()
        tracks = [track for track in self.tracks if track.last.t_s < seen.t_s]
        chosen = np.flatnonzero(among)
        if not tracks or len(chosen) == 0:
            return left
        cost = cost_of(_stack_states(tracks), seen)[:, chosen]
        for row, column in zip(*assign(cost), strict=True):
            if cost[row, column] < _FORBIDDEN_MM:
                tracks[row].samples.append(seen.sample(int(chosen[column])))
                left[chosen[column]] = False
        return left


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _TrackStates:
    """The last places (m, 2), times, velocities (m, 2) and colours of m tracks."""

    place_mm: FloatArray
    t_s: FloatArray
    velocity_mm_s: FloatArray
    lab: FloatArray


def _stack_states(tracks: list[DiscTrack]) -> _TrackStates:
    return _TrackStates(
        place_mm=np.array([track.last.place_mm for track in tracks]),
        t_s=np.array([track.last.t_s for track in tracks]),
        velocity_mm_s=np.array([track.velocity_mm_s() for track in tracks]),
        lab=np.array([track.lab for track in tracks]),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Detections:
    """The n blobs of one frame, with their colours in weighted Lab (n, 3).

    teams_lab  (k, 3) colours of the discs that were there before
    """

    t_s: float
    circles: DiscBlobs
    lab: FloatArray
    free: np.ndarray
    teams_lab: FloatArray

    @property
    def plain(self) -> np.ndarray:
        """Blobs (n,) bool that may be discs, without evidence that discs were there before."""
        return self.free | (self.circles.roundness > WEAK_ROUNDNESS)

    def is_other_team(self, colour: FloatArray) -> np.ndarray:
        """Whether the blobs have the colour of another disc's team rather than the track's.

        ``colour`` (m, n) is their distance from the tracks' colours; returns (m, n).
        """
        if len(self.teams_lab) == 0:
            return np.zeros(colour.shape, dtype=bool)
        return np.asarray(
            colour - _pairwise_distance(self.teams_lab, self.lab).min(axis=0)
            > PARAMS.other_team_lab
        )

    def sample(self, i: int) -> Sample:
        return Sample(
            t_s=self.t_s,
            place_mm=self.circles.centre_mm[i],
            is_free=bool(self.free[i]),
            roundness=float(self.circles.roundness[i]),
        )


def _gated_cost(tracks: _TrackStates, seen: _Detections) -> FloatArray:
    """Distances (m, n) from the discs' expected places; infinite beyond their gates.

    A disc lost from sight does not continue in a piece of a hand, because it may be in the hole.
    """
    since_s = (seen.t_s - tracks.t_s)[:, None]
    step = tracks.velocity_mm_s * since_s
    length = np.linalg.norm(step, axis=1)
    gate = np.where(
        length < PARAMS.at_rest_mm / 2,
        PARAMS.at_rest_mm,
        PARAMS.in_motion_mm + PARAMS.step_share * length,
    )
    away = _pairwise_distance(tracks.place_mm + step, seen.circles.centre_mm)
    colour = _pairwise_distance(tracks.lab, seen.lab)
    can_be = (
        (away < gate[:, None])
        & (colour < APPEARANCE.same_colour_lab)
        & ~seen.is_other_team(colour)
        & (seen.plain | (since_s < TRACK.unseen_s) | (length[:, None] < PARAMS.at_rest_mm / 2))
    )
    return np.where(can_be, away + _mismatch_cost(colour, seen), _FORBIDDEN_MM)


def _reappearance_cost(tracks: _TrackStates, seen: _Detections) -> FloatArray:
    """Distances (m, n) to places that discs can have reached since they were seen."""
    since_s = (seen.t_s - tracks.t_s)[:, None]
    away = _pairwise_distance(tracks.place_mm, seen.circles.centre_mm)
    colour = _pairwise_distance(tracks.lab, seen.lab)
    can_be = (
        (away < PARAMS.fastest_mm_s * since_s)
        & (colour < APPEARANCE.same_colour_lab)
        & (since_s < PARAMS.lost_s)
    )
    off = PARAMS.other_team_mm * seen.is_other_team(colour)
    return np.where(can_be, away + off + _mismatch_cost(colour, seen), _FORBIDDEN_MM)


def _pairwise_distance(one: FloatArray, other: FloatArray) -> FloatArray:
    """Distances (m, n) of points or colours (m, k) from others (n, k)."""
    off = one[:, None] - other[None]
    return np.asarray(np.sqrt(np.einsum("mnk,mnk->mn", off, off)))


def _mismatch_cost(colour: FloatArray, seen: _Detections) -> FloatArray:
    """Millimetres (m, n) added if another colour, or a ragged blob, contradicts the match."""
    return PARAMS.mm_per_lab * colour + PARAMS.mm_per_roundness * (1.0 - seen.circles.roundness)
