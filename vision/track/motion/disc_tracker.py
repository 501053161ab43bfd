"""Multi-object tracking of discs in board millimetres, by gated assignment (Hungarian method).

Global nearest neighbour: blobs are assigned to tracks so that the distances from where each disc is
expected at its last velocity, and the differences in colour, are least together (Kuhn 1955, by
``calibration/numerics/assignment.py``). What is left is assigned once more by how far a disc can
have come since it was seen. Discs of one colour that meet unseen may swap names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import ClassVar

import numpy as np

from calibration.camera import FloatArray
from calibration.numerics.assignment import assign
from calibration.parameters import StageParameters, parameter
from vision.discs.teams.team_colours import bgr_to_weighted_lab
from vision.track.motion.blob_appearance import PARAMS as APPEARANCE
from vision.track.motion.disc_blobs import DiscBlobs
from vision.track.motion.repeated_places import leave_out_repeats


class DiscTrackerParameters(StageParameters):
    """What ``disc_tracker`` takes for granted."""

    stage: ClassVar[str] = "track.motion.disc_tracker"

    #: No flick is faster.
    fastest_mm_s: float = parameter(4500.0, unit="mm/s", source="chosen: above the fastest flicks")
    #: A disc at rest is found again within this; one in motion within this and a share of its step.
    at_rest_mm: float = parameter(5.0, unit="mm", source="chosen: several times a blob's error")
    in_motion_mm: float = parameter(10.0, unit="mm", source="chosen: twice that, as motion blurs")
    step_share: float = parameter(
        0.5, unit="share", source="chosen: friction and a collision change a step by half"
    )
    #: A disc that was not seen for longer is not the one that appears elsewhere.
    lost_s: float = parameter(0.5, unit="s", source="chosen: 15 frames")
    #: What a unit of weighted Lab counts when one of several discs must be chosen.
    mm_per_lab: float = parameter(
        2.0, unit="mm/Lab", source="chosen: a team's other colour, 20 off, is worth 40 mm"
    )
    #: What all of roundness counts: a disc is a better disc than a finger is.
    mm_per_roundness: float = parameter(
        100.0, unit="mm", source="chosen: a finger's roundness, 0.3 less, is worth 30 mm"
    )
    #: A blob is another team's when its colour is nearer to that one's by so much weighted Lab;
    #: then it continues no smooth path, and is this far off for a disc that may be anywhere.
    other_team_lab: float = parameter(
        8.0, unit="weighted Lab", source="chosen: under half of the 20 of the closest teams"
    )
    other_team_mm: float = parameter(60.0, unit="mm", source="chosen: four radii")
    #: A held disc is followed from its starting place only when it stands out this clearly.
    held_roundness: float = parameter(
        0.55,
        unit="share",
        source="chosen: between hands, mostly 0.5, and a disc with its shadow, 0.62",
    )
    #: A flicked disc moves faster than this in at least so many frames that nothing holds it.
    flicked_mm_s: float = parameter(
        100.0, unit="mm/s", source="chosen: 3 mm a frame, beyond a blob's error"
    )
    flicked_frames: int = parameter(3, unit="", source="chosen: two may be errors")
    #: Two places farther apart in time tell no speed: they may be two things', beside a hand.
    step_s: float = parameter(0.15, unit="s", source="two frames of 15 a second, or 4 of 30")
    #: So much of its way it is free and round.
    clear_share: float = parameter(0.6, unit="share", source="chosen: carried discs are at times")
    #: ... or goes straight, round in one of two frames, for so long: no hand does.
    flight_s: float = parameter(0.15, unit="s", source="chosen: five frames of 30 a second")
    #: It starts within this of the starting line and goes at least so far towards the middle.
    on_line_mm: float = parameter(
        28.0,
        unit="mm",
        source="chosen: nearly a disc's breadth, as one on the line may lie either side",
    )
    inward_mm: float = parameter(
        25.0, unit="mm", source="chosen: farther than putting a disc down moves it"
    )
    #: One first seen inside the line, this fast came from it at most so long ago, hidden by a hand.
    #: Or wood of its colour did, for so long at most, and no longer than it was then seen to slide
    #: freely, within so much of a straight line.
    fast_mm_s: float = parameter(400.0, unit="mm/s", source="chosen: beyond what hands do")
    unseen_s: float = parameter(0.07, unit="s", source="two frames")
    straight_mm: float = parameter(3.0, unit="mm", source="chosen: twice a blob's error")
    hidden_s: float = parameter(0.25, unit="s", source="half the way to the hole at 600 mm/s")


PARAMS = DiscTrackerParameters.active()
#: The cost of what cannot be, mm: more than any sum of costs that can.
_FORBIDDEN_MM = 1e6
#: A disc has moved when it is this far from where it lay: twice the error of two places.
MOVED_MM = 6.0
#: On its way it looks this round (clips: over 0.7; a black disc and its shadow 0.62; hands 0.5).
CLEAR_ROUNDNESS, WEAK_ROUNDNESS = 0.66, 0.55
#: Name, place (2,) in mm and colour (3,) in weighted Lab of a disc that lay there; None: unnamed.
StartingDisc = tuple[str | None, FloatArray, FloatArray]
#: A disc at rest trembles by no more than this, mm: half a radius, as far as a face is centred.
TREMBLED_MM = 8.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sample:
    """Where a disc was seen. ``is_free``: no hand touched it."""

    t_s: float
    place_mm: FloatArray
    is_free: bool
    roundness: float = 1.0


@dataclass(slots=True, kw_only=True, eq=False)
class DiscTrack:
    """One disc's samples, oldest first. ``name`` is that of a disc known before, or None."""

    name: str | None
    lab: FloatArray
    samples: list[Sample] = field(default_factory=list)

    @property
    def last(self) -> Sample:
        """The newest sample."""
        return self.samples[-1]

    @property
    def places_mm(self) -> FloatArray:
        """Places (n, 2) of the samples."""
        return np.array([each.place_mm for each in self.samples])

    @property
    def times_s(self) -> FloatArray:
        """Times (n,) of the samples."""
        return np.array([each.t_s for each in self.samples])

    def velocity_mm_s(self) -> FloatArray:
        """Velocity (2,) between the last two samples; zero with fewer."""
        before, last = self.samples[-2:][0], self.last  # of one sample alone: it is both
        return (last.place_mm - before.place_mm) / max(last.t_s - before.t_s, 1e-3)

    def speeds_mm_s(self) -> FloatArray:
        """Speeds (n - 1,) from each sample to the next."""
        places, times = self.places_mm, self.times_s
        step_mm = np.linalg.norm(places[1:] - places[:-1], axis=1)
        return step_mm / np.maximum(times[1:] - times[:-1], 1e-3)

    def find_departure(self) -> int | None:
        """Index of the last sample before the disc left the place where it first lay, or None."""
        away = np.linalg.norm(self.places_mm - self.samples[0].place_mm, axis=1)
        gone = np.flatnonzero(away > MOVED_MM)
        return int(gone[0]) - 1 if len(gone) else None

    def has_slid_freely(
        self,
        least_mm_s: float = PARAMS.flicked_mm_s,
        least_round: float = WEAK_ROUNDNESS,
    ) -> bool:
        """Whether a disc at least so round was seen to move so fast, with nothing that held it."""
        free = [each.is_free and each.roundness > least_round for each in self.samples[1:]]
        if sum(free) < PARAMS.flicked_frames:
            return False
        is_fast = self.speeds_mm_s() > least_mm_s
        return int(np.count_nonzero(is_fast & free)) >= PARAMS.flicked_frames

    def extend_to_line(self, line_radius_mm: float) -> DiscTrack:
        """The track from the line on, where the disc was first seen a frame's way inside it."""
        if self.name is not None or len(self.samples) < PARAMS.flicked_frames:
            return self
        first, second = self.samples[:2]
        velocity = (second.place_mm - first.place_mm) / max(second.t_s - first.t_s, 1e-3)
        inside_mm = line_radius_mm - float(np.linalg.norm(first.place_mm))
        if (
            inside_mm < PARAMS.on_line_mm
            or np.linalg.norm(velocity) < PARAMS.fast_mm_s
            or not (first.is_free or second.is_free)
        ):
            return self
        since_s = _time_since_circle(first.place_mm, velocity, line_radius_mm)
        most_s = max(PARAMS.unseen_s, min(PARAMS.hidden_s, self._measure_free_slide_s()))
        if since_s is None or since_s > most_s:
            return self
        place = first.place_mm - since_s * velocity
        start = Sample(t_s=first.t_s - since_s, place_mm=place, is_free=True)
        return DiscTrack(name=None, lab=self.lab, samples=[start, *self.samples])

    def _measure_free_slide_s(self) -> float:
        """How long it slid straight from its first sample on, free and, for its blur, clearly round
        in one of two frames at least."""
        is_fast = self.speeds_mm_s() >= PARAMS.flicked_mm_s
        moving = replace(self, samples=leave_out_repeats(self.samples, self.places_mm, is_fast))
        count = 1
        for (a, b), speed in zip(pairwise(moving.samples), moving.speeds_mm_s(), strict=True):
            free = all(each.is_free and each.roundness > WEAK_ROUNDNESS for each in (a, b))
            clear = max(a.roundness, b.roundness) > CLEAR_ROUNDNESS
            if not (free and clear) or speed < PARAMS.flicked_mm_s:
                break
            count += 1
        off = moving.places_mm - moving.samples[0].place_mm
        for last in range(count - 1, 1, -1):
            x, y = off[last] / max(float(np.linalg.norm(off[last])), 1e-3)
            if np.abs(off[:last] @ (-y, x)).max() < PARAMS.straight_mm:
                return moving.samples[last].t_s - moving.samples[0].t_s
        return 0.0

    def find_flick(self, line_radius_mm: float, least_round: float) -> int | None:
        """Index of the sample from which the disc was flicked inward off a starting line, or None:
        it lay on the line, went inward fast with no hand on it, and looked at least so round. What
        nobody saw lie there, a hand that brings a disc, may come from outside: it must go inside.
        """
        away = np.linalg.norm(self.places_mm, axis=1)
        innermost = int(np.argmin(away))
        on_line = np.flatnonzero(np.abs(away[:innermost] - line_radius_mm) < PARAMS.on_line_mm)
        if len(on_line) == 0:
            return None
        start = self._find_motion_start(int(on_line[-1]))
        lay_mm = away[start] if self.name is not None else min(away[start], line_radius_mm)
        if lay_mm - away[innermost] < PARAMS.inward_mm or not self._is_flying(start, least_round):
            return None
        return start

    def _find_motion_start(self, index: int) -> int:
        """The sample at which the motion began that goes through this one."""
        is_fast = self.speeds_mm_s() >= PARAMS.flicked_mm_s
        while index > 0 and is_fast[index - 1] and self.samples[index].is_free:
            index -= 1
        return index

    def _is_flying(self, start: int, least_round: float) -> bool:
        """Whether the disc moved by itself from this sample on, until it lay still."""
        off_mm = np.linalg.norm(self.places_mm - self.last.place_mm, axis=1)
        end = int(np.flatnonzero(off_mm > TREMBLED_MM).max(initial=start)) + 1
        later = self.samples[start + 1 : end + 1]
        is_fast = self.speeds_mm_s()[start:end] > PARAMS.flicked_mm_s
        plain = is_fast & (np.diff(self.times_s)[start:end] < PARAMS.step_s)
        plain &= [each.is_free and each.roundness > least_round for each in later]
        is_clear = plain.sum() > PARAMS.clear_share * is_fast.sum()
        is_clear |= start == 0 and self._measure_free_slide_s() > PARAMS.flight_s
        return bool(plain.sum() >= PARAMS.flicked_frames and is_clear)


def _time_since_circle(place: FloatArray, velocity: FloatArray, radius: float) -> float | None:
    """How long ago something at ``place`` crossed the circle about the origin that it is inside."""
    a, b, c = velocity @ velocity, velocity @ place, place @ place - radius**2
    root = b * b - a * c
    return None if root < 0 or a == 0 else float((b + np.sqrt(root)) / a)


class DiscTracker:
    """Tracks the discs of one motion interval, from those that lay at rest before it."""

    def __init__(self, start: Sequence[StartingDisc], t_s: float) -> None:
        self.tracks = [
            DiscTrack(name=name, lab=lab, samples=[Sample(t_s=t_s, place_mm=place, is_free=True)])
            for name, place, lab in start
        ]
        self._teams_lab = np.array([lab for name, _, lab in start if name]).reshape(-1, 3)

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
        """Assign blobs ``among`` (n,) to tracks not yet updated where costs allow it; (n,) left."""
        left = among.copy()
        tracks = [each for each in self.tracks if each.last.t_s < seen.t_s]
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
    """Where m tracks were last seen (m, 2), when, how fast they were (m, 2), and their colours."""

    place_mm: FloatArray
    t_s: FloatArray
    velocity_mm_s: FloatArray
    lab: FloatArray


def _stack_states(tracks: list[DiscTrack]) -> _TrackStates:
    pairs = [each.samples[-2:] for each in tracks]  # of one sample alone: it is both
    place_mm, before_mm = (np.array([pair[i].place_mm for pair in pairs]) for i in (-1, 0))
    t_s, before_s = (np.array([pair[i].t_s for pair in pairs]) for i in (-1, 0))
    velocity_mm_s = (place_mm - before_mm) / np.maximum(t_s - before_s, 1e-3)[:, None]
    lab = np.array([each.lab for each in tracks])
    return _TrackStates(place_mm=place_mm, t_s=t_s, velocity_mm_s=velocity_mm_s, lab=lab)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Detections:
    """The n blobs of one frame, with their colours in weighted Lab (n, 3).

    teams_lab  (k, 3) colours of the discs that lay there before
    """

    t_s: float
    circles: DiscBlobs
    lab: FloatArray
    free: np.ndarray
    teams_lab: FloatArray

    @property
    def plain(self) -> np.ndarray:
        """Which blobs (n,) bool may be a disc that nothing shows to have been there."""
        return self.free | (self.circles.roundness > PARAMS.held_roundness)

    def is_other_team(self, colour: FloatArray) -> np.ndarray:
        """Which blobs have the colour of another disc's team rather than the track's.

        ``colour`` (m, n) is how far they are from each track's; (m, n).
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
    """Distances (m, n) from where discs are expected; none beyond their gates.

    What was lost from sight goes on in no piece of a hand: it may lie in the hole.
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
        & (seen.plain | (since_s < PARAMS.unseen_s) | (length[:, None] < PARAMS.at_rest_mm / 2))
    )
    return np.where(can_be, away + _mismatch_cost(colour, seen), _FORBIDDEN_MM)


def _reappearance_cost(tracks: _TrackStates, seen: _Detections) -> FloatArray:
    """Distances (m, n) of places that discs can have reached since they were seen."""
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
    """Millimetres (m, n) that another colour, or a ragged blob, counts against being the disc."""
    return PARAMS.mm_per_lab * colour + PARAMS.mm_per_roundness * (1.0 - seen.circles.roundness)
