"""Near passes of a shot: discs at rest that a moving one came near, and whether they touched.

The straight flight of a track into its closest approach, and out of it, goes to the quadrature of
``scorer.physics.inverse.graze_probability``, with the other disc's displacement. Places of a track
are moved to the disc's base by the offset of discs at rest. Across the path, their uncertainty
grows with the length by which the camera's tilt stretches a disc. If a finger or a bump bends the
path unseen, the result is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from calibration.board import FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import DiscState
from scorer.physics.inverse.disc_radius import DiscRadius, weigh_radius
from scorer.physics.inverse.graze_probability import (
    NearPass,
    PassedGap,
    PassObservation,
    StillDisc,
    estimate_at_gap,
    estimate_near_pass,
)
from scorer.physics.inverse.straight_paths import (
    choose_side,
    count_straight,
    find_turn,
    list_approaches,
    measure_step_offsets,
    passes_within,
)
from scorer.physics.parameters import PhysicsSpec
from scorer.physics.scene import TableSpec
from scorer.referee.disc_identities import NamedDisc
from scorer.referee.shot.shot_evidence import ShotEvidence
from vision.track.at_rest.seen_offset import SeenOffset, fit_seen_offset
from vision.track.events import BoardAtRest


class NearPassesParameters(StageParameters):
    """Parameters of ``near_passes``."""

    #: A path that keeps farther than this from a disc at rest, between two frames, passes it.
    near_mm: float = parameter(
        12.0,
        unit="mm",
        source="chosen: three sigmas of the coarsest path, seen at a tilt of 60 degrees",
    )
    #: A disc with an object this close may be held in place by that object.
    held_mm: float = parameter(1.0, unit="mm", source="chosen: two sigmas of a place at rest")
    #: A slower disc may be held by an unseen object, or be at rest.
    moving_mm_s: float = parameter(
        40.0, unit="mm/s", source="chosen: 1.3 mm per frame, two sigmas of a place"
    )
    #: A disc is at rest if most of its later positions are within this of its reading.
    rest_mm: float = parameter(
        5.0,
        unit="mm",
        source="chosen: half a disc's height, which is the error of a place at a tilt of 45°",
    )
    #: One sigma of a single position in motion, and of the error shared by all positions of a path,
    #: per axis.
    place_mm: float = parameter(
        0.6, unit="mm", source="measured on tracks of rendered clips at tilts under 20 degrees"
    )
    common_mm: float = parameter(
        0.55,
        unit="mm",
        source="measured on straight parts of 109 paths in films and clips, at under 25 "
        "degrees: half are within 0.3 mm of the truth, 95% within 0.9",
    )
    #: Discs appear wider than they are in pictures by this, with one sigma.
    wide_px: float = parameter(
        0.2, unit="px", source="measured in 31 films made from photographs: 0.18 on average"
    )
    wide_sigma_px: float = parameter(
        0.2, unit="px", source="measured in the same films: they scatter by 0.18"
    )
    #: The same error along the line of sight, as shares of the length by which the view stretches a
    #: disc.
    drawn_out_place: float = parameter(
        0.3,
        unit="share",
        source="measured in 31 films: usually 0.03, rarely up to 0.3; a larger share is a slow"
        " drift of the path",
    )
    drawn_out_common: float = parameter(
        0.1, unit="share", source="measured in the same films: 0.07"
    )
    #: One sigma of a gap at a turn, and of one estimated from too few positions.
    turn_mm: float = parameter(
        1.5, unit="mm", source="chosen: the intersection of two lines, both known to 0.6 mm"
    )
    unseen_mm: float = parameter(
        4.0, unit="mm", source="chosen: the effect of a bend in the path between two frames"
    )
    #: Between two positions farther apart in time than this, the path may have been bent unseen.
    unseen_s: float = parameter(0.11, unit="s", source="chosen: two missing frames at 30 a second")
    #: A path alone excludes contact by this many sigmas, and a displacement of this many is not
    #: noise.
    apart_sigmas: float = parameter(3.0, unit="sigma", source="normal noise: wrong once in 740")
    #: Contact or no contact is certain from this probability on.
    sure: float = parameter(
        0.99,
        unit="probability",
        source="chosen: the highest certainty that the physics check claims",
    )


PARAMS = NearPassesParameters()
#: The discs' deceleration and restitution hardly affect whether they touched.
_PHYSICS = PhysicsSpec()
#: Speeds are measured at these shares of a path's last step, before its end.
_LAST_STEP = np.linspace(0.0, 1.0, 5)


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscPass:
    """A moving disc that came near one at rest, by their names, and the measurement.

    moved_mm, moved_sigma_mm  displacement of the disc at rest, and one sigma; None if not known
    is_disputed  two cameras saw contradictory paths
    """

    mover: str
    still: str
    near_pass: NearPass
    moved_mm: float | None
    moved_sigma_mm: float
    is_disputed: bool = False

    @property
    def is_apart(self) -> bool:
        """Whether the path alone shows that the edges stayed apart."""
        return self.near_pass.gap_mm > 0 and self.near_pass.sigmas_apart > PARAMS.apart_sigmas

    @property
    def has_contact(self) -> bool | None:
        """Whether they touched; None if neither path nor displacement decides."""
        p_contact = self.near_pass.p_contact
        if self.is_disputed or 1 - PARAMS.sure < p_contact < PARAMS.sure:
            return None
        return p_contact >= PARAMS.sure


def find_near_passes(shot: ShotEvidence) -> list[DiscPass]:
    """The near passes of discs that hardly moved, in order of time; for a pair of discs, the pass
    with the likeliest touch.
    """
    found = []
    for mover in (shot.shooter.name, *shot.displacements.moved_mm):
        if mover not in shot.tracks:
            continue
        path = _make_path(shot, mover)
        for still in shot.before:
            is_here = still.name in shot.displacements.shifts
            if mover == still.name or not is_here or still.disc.state is DiscState.IN_HOLE:
                continue
            passes = list(_estimate_passes(shot, path, mover, still))
            found += (
                [max(passes, key=lambda near_pass: near_pass.near_pass.p_contact)] if passes else []
            )
    return sorted(found, key=lambda near_pass: near_pass.near_pass.t_s)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Path:
    """A moving disc's path: times (n,), bases (n, 2) with covariances (n, 2, 2), and the lengths
    (n, 2) by which its height stretches its image.
    """

    times_s: FloatArray
    bases_mm: FloatArray
    covariances_mm2: FloatArray
    drawn_out_mm: FloatArray

    def common_mm2(self, rows: slice) -> FloatArray:
        """The shared covariance (2, 2) of the places of some rows."""
        drawn_out = self.drawn_out_mm[rows]
        square = drawn_out.T @ drawn_out / len(drawn_out)
        return PARAMS.common_mm**2 * np.eye(2) + PARAMS.drawn_out_common**2 * square

    def is_seen(self, k: int) -> bool:
        """Whether no frame is missing between a place and the next."""
        return float(self.times_s[k + 1] - self.times_s[k]) < PARAMS.unseen_s

    def speed_mm_s(self, k: int) -> float:
        """Speed half-way between two positions; if nothing was seen in between, the speed before,
        reduced by friction.
        """
        way_mm = float(np.linalg.norm(self.bases_mm[k + 1] - self.bases_mm[k]))
        mean_mm_s = way_mm / max(float(self.times_s[k + 1] - self.times_s[k]), 1e-3)
        if self.is_seen(k) or k == 0:
            return mean_mm_s
        slowing_mm_s2 = _PHYSICS.friction * _PHYSICS.gravity_mm_s2
        left = self.speed_mm_s(k - 1) ** 2 - slowing_mm_s2 * way_mm
        return max(mean_mm_s, float(np.sqrt(max(left, 0.0))))


def _estimate_passes(
    shot: ShotEvidence, path: _Path, mover: str, still: NamedDisc
) -> Iterator[DiscPass]:
    """All approaches of a path to a disc at rest, from the better known of the two steps there."""
    if len(path.times_s) < 2:
        return
    radius = _estimate_radius(shot.at_rest)
    touch_mm = 2 * radius.mm
    gaps = np.linalg.norm(measure_step_offsets(path.bases_mm, still.place_mm), axis=1) - touch_mm
    for steps in list_approaches(gaps, PARAMS.near_mm):
        tried = []
        for k in steps:
            middle_mm = path.bases_mm[k : k + 2].mean(axis=0)
            resting = _measure_resting(shot, middle_mm, mover, still)
            at_end_mm = float(np.linalg.norm(path.bases_mm[-1] - still.place_mm)) - touch_mm
            end = _find_end(shot, mover)
            if end is not None and k == len(gaps) - 1 and at_end_mm <= gaps[k]:
                passed = _measure_at_rest(end, still, radius, path)
                near_pass = estimate_at_gap(passed, resting, radius.mm, _PHYSICS)
            else:
                near_pass = _estimate_approach(path, k, still, resting, radius)
            tried.append((near_pass, resting))
        near_pass, resting = min(tried, key=lambda candidate: candidate[0].sigma_mm)
        yield DiscPass(
            mover=mover,
            still=still.name,
            near_pass=near_pass,
            moved_mm=None if resting.moved_mm is None else float(np.linalg.norm(resting.moved_mm)),
            moved_sigma_mm=resting.sigma_mm,
        )


def _measure_resting(
    shot: ShotEvidence, from_mm: FloatArray, mover: str, still: NamedDisc
) -> StillDisc:
    """The displacement of a disc that was passed by a disc at ``from_mm`` (2,), if it could
    move.
    """
    shift = shot.displacements.shifts[still.name]
    is_moved = shift.mm > PARAMS.apart_sigmas * shift.sigma_mm
    is_free = is_moved or not _is_held(shot, from_mm, mover, still)
    return StillDisc(moved_mm=shift.vector_mm if is_free else None, sigma_mm=shift.sigma_mm)


def _is_held(shot: ShotEvidence, from_mm: FloatArray, mover: str, still: NamedDisc) -> bool:
    """Whether the disc rests against a post or another disc in the direction of the push."""
    table = TableSpec(board=shot.at_rest.fit.spec, disc=shot.at_rest.board.disc)
    reaches = [(place_mm, table.post_reach_mm) for place_mm in table.posts_mm]
    reaches += [
        (disc.place_mm, 2 * table.disc.radius_mm)
        for disc in shot.before
        if disc.name not in (mover, still.name)
    ]
    pushed = still.place_mm - from_mm
    return any(
        np.linalg.norm(place_mm - still.place_mm) < reach_mm + PARAMS.held_mm
        and (place_mm - still.place_mm) @ pushed > 0
        for place_mm, reach_mm in reaches
    )


def _estimate_radius(at_rest: BoardAtRest) -> DiscRadius:
    """The discs' radius: its measurement on the picture, corrected for blur."""
    disc, mm_per_px = at_rest.board.disc, at_rest.fit.view.mm_per_px()
    return weigh_radius(
        DiscRadius(
            mm=disc.radius_mm - PARAMS.wide_px * mm_per_px,
            sigma_mm=float(np.hypot(disc.radius_sigma_mm, PARAMS.wide_sigma_px * mm_per_px)),
        )
    )


def _find_end(shot: ShotEvidence, mover: str) -> NamedDisc | None:
    """The moving disc at its resting place on the surface; None if it left the surface."""
    end = shot.change.find_disc(mover)
    return end if end is not None and end.disc.state is DiscState.FLAT else None


def _measure_at_rest(end: NamedDisc, still: NamedDisc, radius: DiscRadius, way: _Path) -> PassedGap:
    """The gap between a disc that stopped next to another and that other, which it can have touched
    only on the last step.
    """
    off = end.place_mm - still.place_mm
    away_mm = max(float(np.linalg.norm(off)), 1e-6)
    covariance = end.disc.covariance_mm2 + still.disc.covariance_mm2
    variance = float(off @ covariance @ off) / away_mm**2
    place_sigma_mm = max(math.sqrt(variance), PARAMS.common_mm)
    return PassedGap(
        t_s=float(way.times_s[-1]),
        gap_mm=away_mm - 2 * radius.mm,
        sigma_mm=math.hypot(place_sigma_mm, 2 * radius.sigma_mm),
        towards=-off / away_mm,
        speeds_mm_s=way.speed_mm_s(len(way.times_s) - 2) * np.sqrt(_LAST_STEP),
    )


def _estimate_approach(
    path: _Path, k: int, still: NamedDisc, resting: StillDisc, radius: DiscRadius
) -> NearPass:
    """The pass between position ``k`` and the next.

    If the path is straight on both sides, or bent only as by a graze, all of it is used. If it
    turned there, the side on which it passed is used, or the gap at the turn.
    """
    bases, covariances = path.bases_mm, path.covariances_mm2
    first = k + 1 - count_straight(bases[k::-1], covariances[k::-1])
    last = k + count_straight(bases[k + 1 :], covariances[k + 1 :])
    turn_mm = find_turn(bases[first : k + 1], bases[k + 1 : last + 1])
    rows = None
    if turn_mm is not None:
        rows = choose_side(bases, (first, k, last), turn_mm, still.place_mm)
    elif path.is_seen(k) and passes_within(bases[first : last + 1], k - first, still.place_mm):
        rows = slice(first, last + 1)
    if rows is not None:
        seen = PassObservation(
            times_s=path.times_s[rows],
            places_mm=bases[rows],
            covariances_mm2=covariances[rows],
            common_mm2=path.common_mm2(rows)
            + still.disc.covariance_mm2
            + (2 * radius.sigma_mm) ** 2 * np.eye(2),
            still_mm=still.place_mm,
        )
        near_pass = estimate_near_pass(seen, resting, radius.mm, _PHYSICS)
        if near_pass is not None:
            return near_pass
    passed = _measure_at_turn(path, (first, k, last), turn_mm, still, radius)
    return estimate_at_gap(passed, resting, radius.mm, _PHYSICS)


def _measure_at_turn(
    path: _Path,
    rows: tuple[int, int, int],
    turn_mm: FloatArray | None,
    still: NamedDisc,
    radius: DiscRadius,
) -> PassedGap:
    """The gap where a path turned, or where too few of its places are known."""
    first, k, last = rows
    ends = path.bases_mm[k : k + 2]
    corners = ends if turn_mm is None else np.array([ends[0], turn_mm, ends[1]])
    count = min(k + 1 - first, last - k)
    share = PARAMS.drawn_out_common + PARAMS.drawn_out_place / np.sqrt(count)
    drawn_out_mm = share * float(np.linalg.norm(path.drawn_out_mm[k]))
    bend_mm = PARAMS.unseen_mm if turn_mm is None else PARAMS.turn_mm
    off = measure_step_offsets(corners, still.place_mm)
    away_mm = np.linalg.norm(off, axis=1)
    nearest = int(away_mm.argmin())
    return PassedGap(
        t_s=float(path.times_s[k : k + 2].mean()),
        gap_mm=float(away_mm[nearest]) - 2 * radius.mm,
        sigma_mm=math.hypot(bend_mm, drawn_out_mm, 2 * radius.sigma_mm),
        towards=off[nearest] / max(float(away_mm[nearest]), 1e-6),
        speeds_mm_s=np.array([path.speed_mm_s(k)]),
    )


def _make_path(shot: ShotEvidence, mover: str) -> _Path:
    """The path of a disc after the flick, while it is free, to its resting place."""
    offset = fit_offset(shot, mover)
    times_s, bases_mm = _moving_bases(shot, mover, offset)
    drawn_out = offset.measure_drawn_out(bases_mm)
    square = np.einsum("ni,nj->nij", drawn_out, drawn_out)
    covariances = PARAMS.place_mm**2 * np.eye(2) + PARAMS.drawn_out_place**2 * square
    end = _find_end(shot, mover)
    if end is not None and len(times_s):
        last = _count_until_rest(bases_mm, end.place_mm)
        late_s = times_s[last] if last < len(times_s) else shot.at_rest.t_rest_s
        rest_s = max(float(late_s), float(times_s[last - 1]) + 1e-3)
        times_s = np.append(times_s[:last], rest_s)
        bases_mm = np.vstack([bases_mm[:last], end.place_mm])
        drawn_out = np.vstack([drawn_out[:last], np.zeros(2)])
        covariances = np.concatenate([covariances[:last], end.disc.covariance_mm2[None]])
    return _Path(
        times_s=times_s, bases_mm=bases_mm, covariances_mm2=covariances, drawn_out_mm=drawn_out
    )


def _count_until_rest(bases_mm: FloatArray, end_mm: FloatArray) -> int:
    """Number of positions (n, 2) before the disc reaches its end (2,); at least 1.

    Later positions may jump when a hand appears.
    """
    is_there = np.linalg.norm(bases_mm - end_mm, axis=1) < PARAMS.rest_mm
    share = np.cumsum(is_there[::-1])[::-1] / np.arange(len(bases_mm), 0, -1)
    first = np.flatnonzero(is_there & (share > 0.5))
    return max(int(first[0]), 1) if len(first) else len(bases_mm)


def _moving_bases(
    shot: ShotEvidence, mover: str, offset: SeenOffset
) -> tuple[FloatArray, FloatArray]:
    """Times (n,) and bases (n, 2) of a disc's free flight after the flick, on the surface."""
    since_s, at_rest = shot.flick.t_start_s, shot.at_rest
    samples = [
        sample for sample in shot.tracks[mover].samples if sample.is_free and sample.t_s > since_s
    ]
    bases_mm = offset.find_bases(np.array([sample.place_mm for sample in samples]).reshape(-1, 2))
    is_off = np.linalg.norm(bases_mm, axis=1) > at_rest.fit.spec.surface_radius_mm
    moved = int(np.argmax(np.append(is_off, True)))
    if moved < 2:
        return np.zeros(0), np.zeros((0, 2))
    times_s, places = np.array([sample.t_s for sample in samples[:moved]]), bases_mm[:moved]
    speed = np.linalg.norm(np.diff(places, axis=0), axis=1) / np.maximum(np.diff(times_s), 1e-3)
    is_moving = np.concatenate([speed, [0.0]]) > PARAMS.moving_mm_s
    is_moving[1:] |= is_moving[:-1]
    return times_s[is_moving], places[is_moving]


def fit_offset(shot: ShotEvidence, mover: str) -> SeenOffset:
    """The visible offset of discs of a mover's side from their bases, measured on those at rest."""
    team = next(disc.disc.team for disc in (shot.shooter, *shot.before) if disc.name == mover)
    rests = [
        (shot.tracks[disc.name], disc.place_mm)
        for disc in shot.change.now
        if disc.disc.team == team and disc.disc.state is DiscState.FLAT and disc.name in shot.tracks
    ]
    return fit_seen_offset(rests, shot.at_rest.fit.view, shot.at_rest.board.disc.height_mm)
