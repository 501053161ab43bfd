"""A board's speed from a clip of a few flicks that touch nothing.

It uses flicks in which one disc slid and came to rest while all other discs were still, and of
these flicks the part in which the disc was seen to slide freely.
``scorer.physics.inverse.board_speed_fit`` fits friction to them. With fewer than two such flicks,
or flicks that disagree, there is no speed but advice on what to film.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from calibration.board_speed import BoardSpeed
from calibration.disc import DiscSpec
from calibration.parameters import StageParameters, parameter
from calibration.phrase import Phrase
from calibration.profile import CalibrationProfile
from scorer.physics.inverse.board_speed_fit import SpeedFitShot, fit_speed
from scorer.physics.inverse.observations import BoardPair, TrackPoints
from scorer.physics.kernels import FLAT
from scorer.physics.parameters import PhysicsSpec
from scorer.physics.scene import TableSpec
from scorer.referee.shot.displacements import PARAMS as DISPLACEMENTS
from scorer.referee.shot.flick import PARAMS as FLICK
from scorer.referee.shot.flick import Flick, find_flick
from scorer.referee.shot.near_passes import PARAMS as NEAR_PASSES
from scorer.referee.shot.physics_check import PARAMS as PHYSICS_CHECK
from vision.io.sources import open_source
from vision.io.timed_frame import BrokenOffError
from vision.track.events import BoardAtRest
from vision.track.tracker import BoardTracker

#: Number of flicks wanted; at least two are needed for a fit.
WANTED_FLICKS, _FEWEST = 3, 2


class SpeedFromClipParameters(StageParameters):
    """Parameters of ``speed_from_clip``."""

    #: A clip is examined for at most this long, of its own time.
    longest_s: float = parameter(60.0, unit="s", source="chosen: three flicks take half of it")
    #: A flick is used if it was seen in at least this many frames, and slid this far.
    fewest_points: int = parameter(
        5,
        unit="",
        source="chosen: enough for direction, speed, start and friction, with one to spare",
    )
    shortest_mm: float = parameter(
        120.0, unit="mm", source="chosen: sixty times the sigma of a place in motion"
    )


PARAMS = SpeedFromClipParameters()


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownSpeed:
    """A clip from which no speed can be measured, with the reason and the remedy."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredSpeed:
    """A board's speed, and the number of flicks from which it was measured."""

    speed: BoardSpeed
    flicks: int


def measure_clip_speed(source: str, profile: CalibrationProfile) -> MeasuredSpeed | UnknownSpeed:
    """The board's speed from a clip's flicks; raises ``SourceError`` if it cannot be opened."""
    shots = _find_free_flicks(source, profile)
    how = Phrase(
        "Film three flicks of one disc across the middle of the empty "
        "board, at 30 frames per second or more. Let the disc stop each "
        "time."
    )
    if len(shots) < _FEWEST:
        seen = (
            Phrase("Only one usable flick was seen in this video.")
            if shots
            else Phrase("No usable flick was seen in this video.")
        )
        return UnknownSpeed(reason=f"{seen} {how}")
    # The distance a disc slides does not depend on its size, so usual sizes replace unknown ones.
    disc = profile.disc or DiscSpec()
    table = TableSpec(board=profile.board, disc=disc, physics=PhysicsSpec())
    try:
        fit = fit_speed(table, shots)
    except ValueError:
        return UnknownSpeed(
            reason=Phrase("The flicks in this video give different results. %(how)s", how=how)
        )
    return MeasuredSpeed(speed=fit.speed, flicks=len(fit.used))


def _find_free_flicks(source: str, profile: CalibrationProfile) -> list[SpeedFitShot]:
    """Flicks of the clip that touched no other disc, at most as many as wanted."""
    stop, tracker = threading.Event(), BoardTracker(profile)
    shots: list[SpeedFitShot] = []
    with suppress(BrokenOffError):  # flicks that were seen to their end are as good as others
        for frame in open_source(source).frames(stop, lambda _words: stop.set()):
            for tracker_event in tracker.process_frame(frame.picture, frame.t_s):
                shot = (
                    _extract_free_flick(tracker_event)
                    if isinstance(tracker_event, BoardAtRest)
                    else None
                )
                shots += [shot] if shot else []
            if len(shots) >= WANTED_FLICKS or frame.t_s > PARAMS.longest_s:
                break
    stop.set()
    return shots


def _extract_free_flick(at_rest: BoardAtRest) -> SpeedFitShot | None:
    """The shot of a motion interval, if it was one disc that touched nothing."""
    flick = find_flick(at_rest)
    if flick is None or at_rest.was_interrupted or _has_other_moved(at_rest, flick):
        return None
    last_mm = flick.track.last.place_mm
    places = [disc.centre_mm for disc in at_rest.board.discs]
    ends = [place for place in places if np.linalg.norm(place - last_mm) < FLICK.found_mm]
    track = _extract_free_track(flick)
    if len(ends) != 1 or track is None:
        return None
    return SpeedFitShot(
        pair=BoardPair(
            before_mm=np.array([flick.place_mm]),
            after_mm=np.array([ends[0]]),
            states=np.array([FLAT], dtype=np.int8),
            opponents=np.array([False]),
            track=track,
        )
    )


def _has_other_moved(at_rest: BoardAtRest, flick: Flick) -> bool:
    """Whether another disc has moved."""
    now = np.array([disc.centre_mm for disc in at_rest.board.discs]).reshape(-1, 2)
    others = [disc.centre_mm for disc in at_rest.before]
    others = [other for other in others if np.linalg.norm(other - flick.place_mm) > FLICK.found_mm]
    return any(
        len(now) == 0 or np.linalg.norm(now - other, axis=1).min() > DISPLACEMENTS.clearly_moved_mm
        for other in others
    )


def _extract_free_track(flick: Flick) -> TrackPoints | None:
    """The disc's places while it slid freely; None if they are too few."""
    samples = [sample for sample in flick.track.samples[flick.start + 1 :] if sample.is_free]
    places = np.array([sample.place_mm for sample in samples]).reshape(-1, 2)
    times = np.array([sample.t_s for sample in samples])
    if len(samples) < PARAMS.fewest_points:
        return None
    speed = np.linalg.norm(np.diff(places, axis=0), axis=1) / np.maximum(np.diff(times), 1e-3)
    slow = np.flatnonzero(speed < NEAR_PASSES.moving_mm_s)
    end = int(slow[0]) + 1 if len(slow) else len(samples)
    went = float(np.linalg.norm(places[:end] - flick.place_mm, axis=1).max(initial=0.0))
    if end < PARAMS.fewest_points or went < PARAMS.shortest_mm:
        return None
    return TrackPoints(
        discs=np.zeros(end, dtype=np.int64),
        times_s=times[:end],
        places_mm=places[:end],
        sigmas_mm=np.full(end, PHYSICS_CHECK.motion_sigma_mm),
    )
