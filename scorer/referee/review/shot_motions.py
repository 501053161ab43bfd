"""The smoothed motion of every disc of a shot: its start, its path, its end.

Discs that the referee found unmoved stay at the places of the reading. The other discs' tracks are
smoothed after their places are moved to the discs' bases, as in the live referee.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from calibration.parameters import StageParameters, parameter
from scorer.referee.disc_identities import NamedDisc
from scorer.referee.review.smooth_motion import SmoothMotion, rest_at, smooth_samples
from scorer.referee.shot.near_passes import fit_offset
from scorer.referee.shot.shot_evidence import ShotEvidence
from vision.track.tracks.disc_track import DiscTrack, Sample


class ShotMotionsParameters(StageParameters):
    """Parameters of ``shot_motions``."""

    stage: ClassVar[str] = "review.shot_motions"

    #: Motion is smoothed from this long before the flick until this long after the rest.
    margin_s: float = parameter(0.15, unit="s", source="chosen: four frames at 30 a second")
    #: A motion is smoothed from at least this many samples without a hand.
    fewest_free: int = parameter(
        3, unit="", source="chosen: if there are fewer, samples of held discs are used too"
    )


PARAMS = ShotMotionsParameters()


def smooth_shot(shot: ShotEvidence) -> dict[str, SmoothMotion]:
    """The motions of the shooter's disc and of those on the board before, by name.

    A disc that was moved but not seen moving is left out.
    """
    span_s = _choose_span(shot)
    moved = {shot.shooter.name, *shot.displacements.moved_mm}
    motions = {
        disc.name: rest_where_read(disc, shot) for disc in shot.before if disc.name not in moved
    }
    for name in moved & set(shot.tracks):
        samples = _select_samples(shot.tracks[name], *span_s)
        if len(samples) > 1:
            seen_mm = np.array([sample.place_mm for sample in samples])
            bases_mm = fit_offset(shot, name).find_bases(seen_mm)
            motions[name] = smooth_samples(
                [
                    replace(sample, place_mm=base)
                    for sample, base in zip(samples, bases_mm, strict=True)
                ]
            )
    return motions


def rest_where_read(disc: NamedDisc, shot: ShotEvidence) -> SmoothMotion:
    """The motion of a disc that stays at the place of its reading during the shot."""
    sigma_mm = float(np.sqrt(np.trace(disc.disc.covariance_mm2) / 2))
    return rest_at(disc.place_mm, sigma_mm, *_choose_span(shot))


def _choose_span(shot: ShotEvidence) -> tuple[float, float]:
    """Start and end of the time in which motions are smoothed, s."""
    return shot.flick.t_start_s - PARAMS.margin_s, shot.at_rest.t_rest_s + PARAMS.margin_s


def _select_samples(track: DiscTrack, from_s: float, to_s: float) -> Sequence[Sample]:
    """The samples within a time span; only those without a hand if there are enough of them."""
    samples = [sample for sample in track.samples if from_s <= sample.t_s <= to_s]
    free = [sample for sample in samples if sample.is_free]
    return free if len(free) >= PARAMS.fewest_free else samples
