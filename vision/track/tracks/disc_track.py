"""The track of one disc: its places, and whether it was flicked off a starting line.

A free disc slides fast and straight; a hand fidgets. A flick begins on the starting line and goes
inward, with no hand on the disc. A hand that moves a disc as smoothly is mistaken for a flick.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from vision.track.motion.blob_appearance import CLEAR_ROUNDNESS, WEAK_ROUNDNESS
from vision.track.tracks.repeated_places import leave_out_repeats


class DiscTrackParameters(StageParameters):
    """Parameters of ``disc_track``."""

    #: A flicked disc moves faster than this in at least this many frames in which no hand holds it.
    flicked_mm_s: float = parameter(
        100.0, unit="mm/s", source="chosen: 3 mm per frame, more than a blob's error"
    )
    #: Two positions farther apart in time than this give no speed: beside a hand they may belong to
    #: two objects.
    step_s: float = parameter(
        0.15, unit="s", source="chosen: two frames at 15 a second, or 4 at 30"
    )
    #: Share of its path on which it must be free and round.
    clear_share: float = parameter(
        0.6, unit="share", source="chosen: carried discs are separate from the hand only at times"
    )
    #: ... or it moves straight, and round in one of two frames, for this long; no hand does this.
    flight_s: float = parameter(0.15, unit="s", source="chosen: five frames at 30 a second")
    #: It starts within this distance of the starting line and moves at least this far towards the
    #: middle.
    on_line_mm: float = parameter(
        28.0,
        unit="mm",
        source="chosen: nearly a disc's width, because a disc on the line may be on either "
        "side of it",
    )
    inward_mm: float = parameter(
        25.0, unit="mm", source="chosen: farther than a disc moves when it is put down"
    )
    #: A disc first seen inside the line, this fast, left the line at most this long ago, hidden by
    #: a hand. Or wood of its colour hid it, for at most this long, and for no longer than it then
    #: visibly slides freely, within this of a straight line.
    fast_mm_s: float = parameter(400.0, unit="mm/s", source="chosen: faster than hands move discs")
    unseen_s: float = parameter(0.07, unit="s", source="chosen: two frames at 30 a second")
    straight_mm: float = parameter(3.0, unit="mm", source="chosen: twice a blob's error")
    hidden_s: float = parameter(
        0.25, unit="s", source="chosen: a disc at 600 mm/s covers half of the way to the hole"
    )


PARAMS = DiscTrackParameters()
#: A flicked disc is that fast in at least this many frames: two may be errors.
_FLICKED_FRAMES = 3
#: A disc has moved if it is this far from its old position: twice the error of two positions.
MOVED_MM = 6.0
#: A disc at rest trembles by no more than this, mm: half a radius, the reach of centring a face.
TREMBLED_MM = 8.0
#: Two samples are assumed to be at least this far apart in time, s, and in space, mm.
_LEAST_STEP_S, _LEAST_WAY_MM = 1e-3, 1e-3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sample:
    """A place where a disc was seen. ``is_free``: no hand touched it."""

    t_s: float
    place_mm: FloatArray
    is_free: bool
    roundness: float = 1.0


@dataclass(slots=True, kw_only=True, eq=False)
class DiscTrack:
    """One disc's samples, oldest first. ``name`` is that of a known disc, or None."""

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
        return np.array([sample.place_mm for sample in self.samples])

    @property
    def times_s(self) -> FloatArray:
        """Times (n,) of the samples."""
        return np.array([sample.t_s for sample in self.samples])

    def velocity_mm_s(self) -> FloatArray:
        """Velocity (2,) between the last two samples; zero with fewer."""
        return _measure_velocity_mm_s(*self.samples[-2:]) if len(self.samples) > 1 else np.zeros(2)

    def speeds_mm_s(self) -> FloatArray:
        """Speeds (n - 1,) from each sample to the next."""
        places, times = self.places_mm, self.times_s
        step_mm = np.linalg.norm(places[1:] - places[:-1], axis=1)
        return step_mm / np.maximum(times[1:] - times[:-1], _LEAST_STEP_S)

    def find_departure(self) -> int | None:
        """Index of the last sample before the disc left its first place, or None."""
        away = np.linalg.norm(self.places_mm - self.samples[0].place_mm, axis=1)
        gone = np.flatnonzero(away > MOVED_MM)
        return int(gone[0]) - 1 if len(gone) else None

    def has_moved_freely(
        self,
        least_mm_s: float | None = None,
        least_round: float = WEAK_ROUNDNESS,
    ) -> bool:
        """Whether a disc of at least this roundness was seen to move this fast while no hand held
        it.
        """
        free = [sample.is_free and sample.roundness > least_round for sample in self.samples[1:]]
        if sum(free) < _FLICKED_FRAMES:
            return False
        is_fast = self.speeds_mm_s() > (least_mm_s or PARAMS.flicked_mm_s)
        return int(np.count_nonzero(is_fast & free)) >= _FLICKED_FRAMES

    def extend_to_line(self, line_radius_mm: float) -> DiscTrack:
        """The track extended back to the line, if the disc was first seen inside it, within the
        movement of one frame.
        """
        if self.name is not None or len(self.samples) < _FLICKED_FRAMES:
            return self
        first, second = self.samples[:2]
        velocity = _measure_velocity_mm_s(first, second)
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
        """Duration of its straight slide from its first sample on, free and clearly round in at
        least one of two frames (allowing for its blur).
        """
        is_fast = self.speeds_mm_s() >= PARAMS.flicked_mm_s
        moving = replace(self, samples=leave_out_repeats(self.samples, self.places_mm, is_fast))
        count = 1
        for (a, b), speed in zip(pairwise(moving.samples), moving.speeds_mm_s(), strict=True):
            free = all(sample.is_free and sample.roundness > WEAK_ROUNDNESS for sample in (a, b))
            clear = max(a.roundness, b.roundness) > CLEAR_ROUNDNESS
            if not (free and clear) or speed < PARAMS.flicked_mm_s:
                break
            count += 1
        off = moving.places_mm - moving.samples[0].place_mm
        for last in range(count - 1, 1, -1):
            x, y = off[last] / max(float(np.linalg.norm(off[last])), _LEAST_WAY_MM)
            if np.abs(off[:last] @ (-y, x)).max() < PARAMS.straight_mm:
                return moving.samples[last].t_s - moving.samples[0].t_s
        return 0.0

    def find_flick(self, line_radius_mm: float, least_round: float) -> int | None:
        """Index of the sample from which the disc was flicked inward off a starting line, or None.
        The disc was on the line, moved inward fast with no hand on it, and looked at least this
        round. An object not seen at rest on the line, such as a hand that brings a disc, may come
        from outside, so it must move inside it.
        """
        away = np.linalg.norm(self.places_mm, axis=1)
        innermost = int(np.argmin(away))
        on_line = np.flatnonzero(np.abs(away[:innermost] - line_radius_mm) < PARAMS.on_line_mm)
        if len(on_line) == 0:
            return None
        start = self._find_motion_start(int(on_line[-1]))
        start_mm = away[start] if self.name is not None else min(away[start], line_radius_mm)
        if start_mm - away[innermost] < PARAMS.inward_mm or not self._is_flying(start, least_round):
            return None
        return start

    def _find_motion_start(self, index: int) -> int:
        """The sample at which the motion through this sample began."""
        is_fast = self.speeds_mm_s() >= PARAMS.flicked_mm_s
        while index > 0 and is_fast[index - 1] and self.samples[index].is_free:
            index -= 1
        return index

    def _is_flying(self, start: int, least_round: float) -> bool:
        """Whether the disc moved freely from this sample on, until it was at rest."""
        off_mm = np.linalg.norm(self.places_mm - self.last.place_mm, axis=1)
        end = int(np.flatnonzero(off_mm > TREMBLED_MM).max(initial=start)) + 1
        later = self.samples[start + 1 : end + 1]
        is_fast = self.speeds_mm_s()[start:end] > PARAMS.flicked_mm_s
        plain = is_fast & (np.diff(self.times_s)[start:end] < PARAMS.step_s)
        plain &= [sample.is_free and sample.roundness > least_round for sample in later]
        is_clear = plain.sum() > PARAMS.clear_share * is_fast.sum()
        is_clear |= start == 0 and self._measure_free_slide_s() > PARAMS.flight_s
        return bool(plain.sum() >= _FLICKED_FRAMES and is_clear)


def _measure_velocity_mm_s(before: Sample, after: Sample) -> FloatArray:
    """Velocity (2,) from one sample to a later one."""
    return (after.place_mm - before.place_mm) / max(after.t_s - before.t_s, _LEAST_STEP_S)


def _time_since_circle(place: FloatArray, velocity: FloatArray, radius: float) -> float | None:
    """Time since an object at ``place`` crossed the circle around the origin, inside which it is
    now.
    """
    a, b, c = velocity @ velocity, velocity @ place, place @ place - radius**2
    root = b * b - a * c
    return None if root < 0 or a == 0 else float((b + np.sqrt(root)) / a)
