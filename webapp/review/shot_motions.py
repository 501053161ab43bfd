"""The smoothed motion of every disc of a shot: where it lay, where it slid, where it lies.

Discs that the referee found unmoved lie where they were read. The others' tracks are smoothed, once
what displaces a blob's centroid from the disc's foot (height, shadow) is taken off: the median
offset of discs that were tracked while they lay where they were read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from calibration.board import FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import DiscState
from vision.track.motion.disc_tracker import DiscTrack, Sample
from webapp.referee.disc_identities import NamedDisc
from webapp.referee.shot.shot_evidence import ShotEvidence
from webapp.review.smooth_motion import SmoothMotion, rest_at, smooth_samples


class ShotMotionsParameters(StageParameters):
    """What ``shot_motions`` takes for granted."""

    stage: ClassVar[str] = "review.shot_motions"

    #: Motion is smoothed from this long before the flick until this long after the rest.
    margin_s: float = parameter(0.15, unit="s", source="chosen: four frames at 30 a second")
    #: A blob this near to where a disc was read at rest is of that disc, at rest.
    at_rest_mm: float = parameter(3.0, unit="mm", source="three sigmas of a blob's centroid")
    #: A motion is smoothed from so many samples at least that no hand touches.
    fewest_free: int = parameter(3, unit="", source="chosen: with fewer, held ones are used too")


PARAMS = ShotMotionsParameters.active()


def smooth_shot(shot: ShotEvidence) -> dict[str, SmoothMotion]:
    """The motions of the shooter's disc and of those that lay there, by name.

    A disc that was moved and not seen moving is left out.
    """
    span_s = _choose_span(shot)
    offset_mm = _measure_offset(shot)
    moved = {shot.shooter.name, *shot.displacements.moved_mm}
    motions = {
        each.name: rest_where_read(each, shot) for each in shot.before if each.name not in moved
    }
    for name in moved & set(shot.tracks):
        samples = _select_samples(shot.tracks[name], *span_s)
        if len(samples) > 1:
            own = [replace(each, place_mm=each.place_mm - offset_mm) for each in samples]
            motions[name] = smooth_samples(own)
    return motions


def rest_where_read(disc: NamedDisc, shot: ShotEvidence) -> SmoothMotion:
    """The motion of a disc that lies all the time where it was read before the shot."""
    sigma_mm = float(np.sqrt(np.trace(disc.disc.covariance_mm2) / 2))
    return rest_at(disc.place_mm, sigma_mm, *_choose_span(shot))


def _choose_span(shot: ShotEvidence) -> tuple[float, float]:
    """From when until when motions are smoothed, s."""
    return shot.flick.t_start_s - PARAMS.margin_s, shot.at_rest.t_rest_s + PARAMS.margin_s


def _select_samples(track: DiscTrack, from_s: float, to_s: float) -> Sequence[Sample]:
    """The samples of a time, those that no hand touches where there are enough."""
    samples = [each for each in track.samples if from_s <= each.t_s <= to_s]
    free = [each for each in samples if each.is_free]
    return free if len(free) >= PARAMS.fewest_free else samples


def _measure_offset(shot: ShotEvidence) -> FloatArray:
    """How far (2,) blobs of discs at rest lie from where the discs were read; zero if unknown."""
    offsets = []
    for read in (*shot.before, *shot.change.now):
        track = shot.tracks.get(read.name)
        if track is None or read.disc.state is not DiscState.FLAT:
            continue
        # a track's first sample is where the disc was read, not where a blob was seen
        apart = track.places_mm[1:] - read.place_mm
        near = np.linalg.norm(apart, axis=1) < PARAMS.at_rest_mm
        if near.any():
            offsets.append(np.median(apart[near], axis=0))
    return np.median(offsets, axis=0) if offsets else np.zeros(2)
