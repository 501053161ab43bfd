"""Flights of discs that an open shutter blurs: broken tracks are joined, and straight ones
recognised.

The colour of a fast, stretched disc mixes with the wood, and its outline is not round. Its track
breaks off, and another begins a frame later at its expected place, as soon as it is slow enough to
show its own colour. Or it is followed all the way but hardly looks like a disc. An object that goes
straight and fast with nothing holding it counts as a disc all the same. Tracks are not joined if
the disc strikes another in the very frame that is missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from calibration.parameters import StageParameters, parameter
from vision.track.tracks.disc_track import MOVED_MM, DiscTrack
from vision.track.tracks.disc_track import PARAMS as TRACKS
from vision.track.tracks.disc_tracker import PARAMS as TRACKER


class DiscFlightsParameters(StageParameters):
    """Parameters of ``disc_flights``, in addition to those of tracks and the tracker."""

    stage: ClassVar[str] = "track.tracks.disc_flights"

    #: A track goes on in another that begins no later than this, ...
    joined_s: float = parameter(0.1, unit="s", source="chosen: three frames of 30 a second")
    #: ... is followed for so many samples, ...
    joined_samples: int = parameter(3, unit="", source="fewer do not tell where it goes")
    #: ... and goes the same way, within this, at no more than so many times the speed.
    same_way_rad: float = parameter(
        0.25, unit="rad", source="a blob's error of 4 mm at the ends of two steps of 30 mm"
    )
    faster: float = parameter(
        1.25, unit="", source="a disc slows down; two steps of 30 mm err by a quarter"
    )


PARAMS = DiscFlightsParameters()


def join_flight(track: DiscTrack, tracks: Sequence[DiscTrack]) -> DiscTrack:
    """The track, continued by those of ``tracks`` that follow after it broke off in flight."""
    while (later := _find_continuation(track, tracks)) is not None:
        track = replace(track, samples=[*track.samples, *later.samples])
    return track


def _find_continuation(track: DiscTrack, tracks: Sequence[DiscTrack]) -> DiscTrack | None:
    """The unnamed track that begins where this one would have been, or None."""
    velocity_mm_s, last = track.velocity_mm_s(), track.last
    speed_mm_s = float(np.linalg.norm(velocity_mm_s))
    if speed_mm_s < TRACKS.fast_mm_s or not last.is_free:
        return None
    off_mm = {}
    for k, disc_track in enumerate(tracks):
        first = disc_track.samples[0]
        since_s = first.t_s - last.t_s
        if disc_track.name is not None or not 0 < since_s <= PARAMS.joined_s:
            continue
        away_mm = float(np.linalg.norm(first.place_mm - last.place_mm - since_s * velocity_mm_s))
        gate_mm = TRACKER.in_motion_mm + TRACKER.step_share * since_s * speed_mm_s
        if away_mm < gate_mm and _goes_on(disc_track, velocity_mm_s / speed_mm_s, speed_mm_s):
            off_mm[k] = away_mm
    return tracks[min(off_mm, key=lambda k: off_mm[k])] if off_mm else None


def _goes_on(track: DiscTrack, way: np.ndarray, speed_mm_s: float) -> bool:
    """Whether a track begins in flight along a direction (2,), at most that fast."""
    begin = track.samples[: PARAMS.joined_samples]
    if len(begin) < PARAMS.joined_samples or not all(sample.is_free for sample in begin):
        return False
    step_mm = begin[-1].place_mm - begin[0].place_mm
    length_mm = float(np.linalg.norm(step_mm))
    mean_mm_s = length_mm / max(begin[-1].t_s - begin[0].t_s, 1e-3)
    is_fast = TRACKS.flicked_mm_s < mean_mm_s < PARAMS.faster * speed_mm_s
    return is_fast and float(step_mm @ way) > np.cos(PARAMS.same_way_rad) * length_mm


def has_flown_straight(track: DiscTrack) -> bool:
    """Whether it was seen to go straight and fast, with nothing holding it, for longer than a hand
    does.
    """
    steps_s = np.diff(track.times_s)
    free = np.array([sample.is_free for sample in track.samples[1:]], dtype=bool)
    flies = (track.speeds_mm_s() > TRACKS.fast_mm_s) & free & (steps_s < TRACKS.unseen_s)
    times_s, places = track.times_s, track.places_mm
    for begin in range(len(flies)):
        end = begin
        while end < len(flies) and flies[end] and times_s[end] - times_s[begin] <= TRACKS.flight_s:
            end += 1
        if times_s[end] - times_s[begin] > TRACKS.flight_s and _is_straight(
            places[begin : end + 1]
        ):
            return True
    return False


def _is_straight(places_mm: np.ndarray) -> bool:
    """Whether places (n, 2) are on one line, within the movement that clearly shows a disc's
    motion.
    """
    off = places_mm - places_mm.mean(axis=0)
    *_, axes = np.linalg.svd(off, full_matrices=False)
    return bool(np.abs(off @ axes[1]).max() < MOVED_MM)
