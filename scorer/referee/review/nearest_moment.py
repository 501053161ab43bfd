"""The closest moment of a shot: when its discs came closest to an opponent's, touching or not.

The gap is the distance of two smoothed motions minus a disc's diameter, at the time at which it is
least. If no opponent's disc had to be hit, the end counts instead: the distance of the best disc
from the 15-line. Motion out of view has no closest moment.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from typing import ClassVar

import numpy as np

from calibration.board import FloatArray
from calibration.disc import DiscSpec
from calibration.parameters import StageParameters, parameter
from scorer.referee.review.shot_motions import rest_where_read
from scorer.referee.review.smooth_motion import MotionPiece, SmoothMotion
from scorer.referee.shot.review_reasons import PARAMS as REVIEW
from scorer.referee.shot.ruling import RuledShot
from scorer.referee.shot.shot_evidence import ShotEvidence


class NearestMomentParameters(StageParameters):
    """Parameters of ``nearest_moment``."""

    stage: ClassVar[str] = "review.nearest_moment"

    step_s: float = parameter(
        0.001,
        unit="s",
        source="chosen: a disc at 1 m/s moves 1 mm; near the closest place, its distance "
        "changes by 0.02 mm",
    )
    #: Errors that smoothing does not average out: shadows, blur, a rolling shutter.
    common_mm: float = parameter(
        0.4, unit="mm", source="chosen: half of the error of a single blob"
    )
    #: A disc that was hit starts at about its top speed; a slower change is caused by light or a
    #: shadow.
    struck_share: float = parameter(
        0.5, unit="share", source="chosen: friction alone takes away a smaller share in that time"
    )
    #: Two paths that come within this distance of each other touch.
    seen_sigmas: float = parameter(
        3.0, unit="σ", source="normal distribution: exceeded once in 370"
    )


PARAMS = NearestMomentParameters()


class Nearness(StrEnum):
    """The findings at the closest moment."""

    TOUCH = "touch"  # an opponent's disc was touched
    GAP = "gap"  # nothing was touched: the smallest gap to a disc
    LINE = "line"  # no disc had to be touched: the best disc's final position at the 15-line


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NearestMoment:
    """The time, the discs and the distance of the closest moment.

    mover, other  names of discs; ``other`` is empty beside a line
    gap_mm        air between them, below zero if they touch or a disc is inside the line
    sigma_mm      one standard deviation of the gap
    places_mm     (2, 2) places of both at ``t_s``; for a line, of the disc and the line
    """

    kind: Nearness
    t_s: float
    mover: str
    other: str
    gap_mm: float
    sigma_mm: float
    places_mm: FloatArray


def find_nearest_moment(ruled: RuledShot, motions: dict[str, SmoothMotion]) -> NearestMoment | None:
    """The moment that decides the ruling; None if it was not seen.

    An opponent's disc that was struck and not seen moving stayed at its place until then.
    """
    shot = ruled.evidence
    opponents = [disc for disc in shot.before if disc.disc.team != shot.shooter.disc.team]
    if not opponents:
        return min(_measure_ends(shot), key=lambda end: end.gap_mm, default=None)
    names = [opponent.name for opponent in opponents]
    met = [pair for pair in ruled.likeliest.pairs if (pair[0] in names) != (pair[1] in names)]
    motions = {opponent.name: rest_where_read(opponent, shot) for opponent in opponents} | motions
    touched = [pair for pair in met if pair[0] in motions and pair[1] in motions]
    if met and not touched:
        return None
    movers = [name for name in (shot.shooter.name, *shot.displacements.moved_mm) if name in motions]
    own = [mover for mover in movers if mover not in names]
    pairs = touched[:1] or [(a, b) for a in own for b in names if b in motions]
    kind = Nearness.TOUCH if touched else Nearness.GAP
    moments = [_measure_gap(shot, motions, pair, kind) for pair in pairs]
    nearest = min(moments, key=lambda moment: moment.gap_mm, default=None)
    if nearest is None or kind is Nearness.GAP:
        return nearest
    struck = motions[nearest.other]
    return place_touch(nearest, struck, shot.at_rest.board.disc, shot.flick.t_start_s)


def place_touch(
    seen: NearestMoment, struck: SmoothMotion, disc: DiscSpec, from_s: float = -math.inf
) -> NearestMoment:
    """The touch at the hit disc's old position, if the other disc's path was not seen to reach it.

    A disc that was hit leaves along the line of centres, which is its path. A movement before
    ``from_s``, or a tiny one, was not caused by a disc.
    """
    if seen.gap_mm < PARAMS.seen_sigmas * seen.sigma_mm:
        return seen
    left = [piece for piece in pairwise(struck.pieces) if _measure_middle_s(*piece) >= from_s]
    speeds_mm_s = [float(np.linalg.norm(after.coefficients[1:2])) for _, after in left]
    for (before, after), speed_mm_s in zip(left, speeds_mm_s, strict=True):
        if speed_mm_s > max(REVIEW.still_mm_s, PARAMS.struck_share * max(speeds_mm_s)):
            place_mm = before.place_mm(np.array([before.to_s]))[0]
            way = after.coefficients[1] / speed_mm_s
            places_mm = np.array([place_mm - 2 * disc.radius_mm * way, place_mm])
            return replace(
                seen, t_s=_measure_middle_s(before, after), gap_mm=0.0, places_mm=places_mm
            )
    return seen


def _measure_middle_s(before: MotionPiece, after: MotionPiece) -> float:
    """The time between two pieces of a motion."""
    return (before.to_s + after.from_s) / 2


def _measure_gap(
    shot: ShotEvidence, motions: dict[str, SmoothMotion], pair: tuple[str, str], kind: Nearness
) -> NearestMoment:
    """The smallest gap between two discs after the flick; for a touch, the first moment without a
    gap.

    Smoothed motions continue until half-way to the next frame, and so beyond a touch.
    """
    mover, other = pair
    one, two = motions[mover], motions[other]
    from_s = max(shot.flick.t_start_s, one.from_s)
    times = np.arange(from_s, max(one.to_s, from_s) + PARAMS.step_s, PARAMS.step_s)
    (first, first_sigma), (second, second_sigma) = one.at(times), two.at(times)
    away = np.linalg.norm(first - second, axis=1)
    disc = shot.at_rest.board.disc
    meet = np.flatnonzero(away <= 2 * disc.radius_mm)
    k = int(meet[0]) if kind is Nearness.TOUCH and len(meet) else int(np.argmin(away))
    return NearestMoment(
        kind=kind,
        t_s=float(times[k]),
        mover=mover,
        other=other,
        gap_mm=float(away[k]) - 2 * disc.radius_mm,
        sigma_mm=math.sqrt(
            first_sigma[k] ** 2
            + second_sigma[k] ** 2
            + (2 * disc.radius_sigma_mm) ** 2
            + PARAMS.common_mm**2
        ),
        places_mm=np.array([first[k], second[k]]),
    )


def _measure_ends(shot: ShotEvidence) -> Iterator[NearestMoment]:
    """The margins of the shooter's moved discs to the 15-line, which the best disc has to reach."""
    spec, disc = shot.at_rest.fit.spec, shot.at_rest.board.disc
    moved = {shot.shooter.name, *shot.displacements.moved_mm}
    for named_disc in shot.change.now:
        if named_disc.disc.team != shot.shooter.disc.team or named_disc.name not in moved:
            continue
        inside_mm = float(spec.inside_line_mm(0, named_disc.place_mm[None])[0])
        arm = named_disc.place_mm - np.array(spec.line_centres_mm[0])
        way = arm / max(float(np.linalg.norm(arm)), 1e-6)
        spread = float(way @ named_disc.disc.covariance_mm2 @ way)
        yield NearestMoment(
            kind=Nearness.LINE,
            t_s=shot.at_rest.t_rest_s,
            mover=named_disc.name,
            other="",
            gap_mm=-inside_mm - disc.contact_radius_mm - spec.line_width_mm / 2,
            sigma_mm=math.sqrt(
                spread
                + disc.contact_edge.radius_sigma_mm**2
                + spec.line_sigmas_mm[0] ** 2
                + (spec.line_width_sigma_mm / 2) ** 2
            ),
            places_mm=np.array([named_disc.place_mm, named_disc.place_mm + inside_mm * way]),
        )


def describe_nearest(nearest: NearestMoment) -> str:
    """The gap or touch at the closest moment, in words, with one standard deviation."""
    gap = f"{abs(nearest.gap_mm):.1f} ± {nearest.sigma_mm:.1f} mm"
    match nearest.kind:
        case Nearness.TOUCH:
            return f"{nearest.mover} touches {nearest.other}"
        case Nearness.GAP:
            return f"{nearest.mover} passes {nearest.other} at {gap}"
        case Nearness.LINE:
            reach = "short of" if nearest.gap_mm > 0 else "over"
            return f"{nearest.mover} ends {gap} {reach} the 15-line"
