"""Contact hypotheses of a shot: which disc struck which according to the tracks, and the
alternatives.

Discs that moved are processed in the order in which they left. The striker is the moving disc whose
path came closest; another disc that came about as close gives a second hypothesis. So does a near
pass (``near_passes``) if neither the path nor physics shows whether it was a contact. Paths are
straight between two frames, so a contact off that line is not found.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from calibration.board import FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.phrase import Phrase, join
from scorer.referee.manual_moves import is_ready
from scorer.referee.shot.flick import PARAMS as FLICK
from scorer.referee.shot.flick import starting_line_mm
from scorer.referee.shot.near_passes import PARAMS as NEAR_PASSES
from scorer.referee.shot.near_passes import DiscPass
from scorer.referee.shot.shot_evidence import ShotEvidence
from scorer.rules.shot import OUTSIDE, ContactPair
from vision.track.tracks.disc_track import DiscTrack


class ContactHypothesesParameters(StageParameters):
    """Parameters of ``contact_hypotheses``."""

    #: A second disc is a possible striker only within this distance of touching, ...
    strike_mm: float = parameter(
        25.0,
        unit="mm",
        source="chosen: half the distance of a frame at 1.5 m/s and 30 frames a second",
    )
    #: ... and if it came almost as close as the first.
    either_mm: float = parameter(6.0, unit="mm", source="chosen: six sigmas of a path")
    #: A disc's departure may be detected this much later than the strike.
    departure_delay_s: float = parameter(
        0.1, unit="s", source="chosen: three frames at 30 a second"
    )
    #: A disc this far beyond the surface's edge has left it.
    left_mm: float = parameter(
        8.0,
        unit="mm",
        source="chosen: half a radius, because a disc topples once its middle is over the edge",
    )
    #: Interval at which a path between two frames is sampled.
    step_mm: float = parameter(
        2.0,
        unit="mm",
        source="chosen: a sample half a step from the closest place lengthens a gap of two "
        "radii by 0.02 mm",
    )


PARAMS = ContactHypothesesParameters()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ContactHypothesis:
    """The contacts in time order, according to one hypothesis of the shot.

    description  how this hypothesis differs; empty for the likeliest
    is_weighed   path and displacement left it open; the inverse search knows less about them, so it
                 does not decide
    """

    pairs: tuple[ContactPair, ...]
    description: str = ""
    is_weighed: bool = False


class _Strike(NamedTuple):
    """A disc that was struck, the time, the disc that struck it, and then other discs that may have
    struck it instead.
    """

    t_s: float
    struck: str
    strikers: Sequence[str]


def list_contact_hypotheses(
    shot: ShotEvidence, near_passes: Sequence[DiscPass]
) -> list[ContactHypothesis]:
    """The possible contacts, the likeliest first; never empty."""
    pushes = list(_find_pushes(shot, near_passes))
    strikes = [*_find_strikes(shot), *pushes]
    timed = [(strike.t_s, (strike.strikers[0], strike.struck)) for strike in strikes]
    timed += [
        (near_pass.near_pass.t_s, _pair_of(near_pass))
        for near_pass in near_passes
        if near_pass.near_pass.p_contact > 0.5
    ]
    pairs = list(dict.fromkeys(pair for _, pair in sorted(timed, key=lambda row: row[0])))
    pairs += [(name, OUTSIDE) for name in _find_returned(shot)]
    hypotheses = [ContactHypothesis(pairs=tuple(pairs))]
    for strike in strikes:
        name = strike.struck
        others = tuple(pair for pair in pairs if pair[1] != name)
        hypotheses += [
            ContactHypothesis(
                pairs=(*others, (rival, name)),
                description=Phrase("%(disc)s hit %(struck)s", disc=rival, struck=name),
            )
            for rival in strike.strikers[1:]
        ]
    pushed = {push.struck for push in pushes}
    for near_pass in near_passes:
        if near_pass.has_contact is None and near_pass.still not in pushed:
            hypotheses.append(_flip_pass(near_pass, pairs))
    hypotheses += _find_unexplained_moves(shot, pairs, near_passes)
    return hypotheses


def _find_strikes(shot: ShotEvidence) -> Iterator[_Strike]:
    """The strikes of discs that clearly moved. Discs that moved no further than after a graze are
    left to the near passes.
    """
    departures = {
        name: _find_departure_s(shot.tracks.get(name), shot.flick.t_start_s)
        for name in shot.displacements.moved_mm
        if name not in shot.displacements.shifts
    }
    reached = _find_reached(shot, [*departures])
    order = sorted(
        reached, key=lambda name: (departures[name], _reach_mm(shot, name, departures[name]))
    )
    for i, name in enumerate(order):
        strikers = _find_strikers(shot, name, [shot.shooter.name, *order[:i]])
        yield _Strike(departures[name], name, strikers)


def _reach_mm(shot: ShotEvidence, name: str, left_s: float) -> float:
    """The shooter's distance from a disc when that disc left. In a row of discs that left in one
    frame, the shooter struck the nearest, and each disc struck the next.
    """
    if shot.shooter.name not in shot.tracks:
        return np.inf
    place_mm = next(disc.place_mm for disc in shot.before if disc.name == name)
    return _min_gap_mm(shot, shot.shooter.name, place_mm, left_s + PARAMS.departure_delay_s)


def _find_reached(shot: ShotEvidence, names: Sequence[str]) -> list[str]:
    """The discs, without those from which all moving discs stayed far away and which are still
    there or were at the starting line. Such discs were not struck: they were misread, or moved or
    removed by a hand, or are fingers.
    """
    discs_before = {disc.name: disc for disc in shot.before}
    moving, left = [shot.shooter.name], list(names)
    for mover in moving:  # a gap that grows
        struck = [
            name for name in left if not _remains_off(shot, mover, discs_before[name].place_mm)
        ]
        moving += struck
        left = [name for name in left if name not in struck]
    spec, gone = shot.at_rest.fit.spec, {disc.name for disc in shot.change.gone}
    is_asked = {name for name in left if name in gone and not is_ready(discs_before[name], spec)}
    return [name for name in names if name not in left or name in is_asked]


def _find_pushes(shot: ShotEvidence, near_passes: Sequence[DiscPass]) -> Iterator[_Strike]:
    """The strikes of discs that clearly moved a little, by any disc that may have come near, unless
    a near pass shows another striker.
    """
    touched = {
        near_pass.still: near_pass.mover
        for near_pass in near_passes
        if near_pass.near_pass.p_contact > 0.5
    }
    apart = {_pair_of(near_pass) for near_pass in near_passes if near_pass.is_apart}
    for name, shift in shot.displacements.shifts.items():
        if not shift.is_plain or _is_covered(shot, name):
            continue
        movers = [shot.shooter.name, *shot.displacements.moved_mm]
        place_mm = next(disc.place_mm for disc in shot.before if disc.name == name)
        near = [
            mover
            for mover in movers
            if mover != name
            and (mover, name) not in apart
            and _may_have_pushed(shot, mover, place_mm, shift.vector_mm)
        ]
        if near and (name not in touched or near == [touched[name]]):
            left_s = _find_departure_s(shot.tracks.get(name), shot.flick.t_start_s)
            striker = _find_strikers(shot, name, near)[0]
            rivals = [mover for mover in near if mover != striker]
            yield _Strike(left_s, name, [striker, *rivals])


def _pair_of(disc_pass: DiscPass) -> ContactPair:
    return disc_pass.mover, disc_pass.still


def _flip_pass(disc_pass: DiscPass, pairs: Sequence[ContactPair]) -> ContactHypothesis:
    """The opposite result for a near pass that may have been a contact."""
    near = disc_pass.near_pass
    gap = Phrase(
        "the gap was %(gap_mm).1f ± %(sigma_mm).1f mm at %(t_s).2f s",
        gap_mm=max(near.gap_mm, 0.0),
        sigma_mm=near.sigma_mm,
        t_s=near.t_s,
    )
    if disc_pass.moved_mm is not None:
        moved = Phrase(
            ", and %(still)s moved %(moved_mm).1f ± %(moved_sigma_mm).1f mm",
            still=disc_pass.still,
            moved_mm=disc_pass.moved_mm,
            moved_sigma_mm=disc_pass.moved_sigma_mm,
        )
        gap = join("", (gap, moved))
    pair = _pair_of(disc_pass)
    if pair in pairs:
        others = tuple(other for other in pairs if other != pair)
        return ContactHypothesis(
            pairs=others,
            description=Phrase(
                "%(mover)s passed %(still)s without touching it (%(gap)s)",
                mover=disc_pass.mover,
                still=disc_pass.still,
                gap=gap,
            ),
            is_weighed=True,
        )
    return ContactHypothesis(
        pairs=(*pairs, pair),
        description=Phrase(
            "%(mover)s touched %(still)s (%(gap)s)",
            mover=disc_pass.mover,
            still=disc_pass.still,
            gap=gap,
        ),
        is_weighed=True,
    )


def _find_unexplained_moves(
    shot: ShotEvidence, pairs: Sequence[ContactPair], near_passes: Sequence[DiscPass]
) -> Iterator[ContactHypothesis]:
    """The hypothesis that a disc which seems to have moved a little was touched, although no path
    led to it.

    If all moving discs were followed and did not touch it, and a hand covers it, the hand moved it
    or makes it seem moved. If it did not clearly move, the pictures are wrong.
    """
    reached = {near_pass.still for near_pass in near_passes if near_pass.has_contact is not False}
    for name, shift in shot.displacements.shifts.items():
        if name not in shot.displacements.moved_mm or name in reached:
            continue
        place_mm = next(disc.place_mm for disc in shot.before if disc.name == name)
        is_unclear = _is_covered(shot, name) or not shift.is_plain
        apart = {near_pass.mover for near_pass in near_passes if near_pass.still == name}
        if is_unclear and keeps_away(shot, place_mm, but={name, *apart}):
            continue
        words = Phrase(
            "%(name)s was hit: it moved %(mm).1f ± %(sigma_mm).1f mm, but no "
            "disc was seen to reach it",
            name=name,
            mm=shift.mm,
            sigma_mm=shift.sigma_mm,
        )
        yield ContactHypothesis(
            pairs=(*pairs, (shot.shooter.name, name)), description=words, is_weighed=True
        )


def _is_covered(shot: ShotEvidence, name: str) -> bool:
    """Whether a disc that was there was not seen free when the board came to rest."""
    track = shot.tracks.get(name)
    if track is None:
        return False
    unseen_s = shot.at_rest.t_rest_s - track.last.t_s
    return unseen_s > NEAR_PASSES.unseen_s or not track.last.is_free


def keeps_away(shot: ShotEvidence, place_mm: FloatArray, *, but: Container[str] = ()) -> bool:
    """Whether every moving disc except ``but`` was seen until it stopped or left the board, and
    never came near a position (2,).
    """
    movers = [shot.shooter.name, *shot.displacements.moved_mm]
    return shot.flick.was_seen and all(
        _remains_off(shot, mover, place_mm) for mover in movers if mover not in but
    )


def _may_have_pushed(
    shot: ShotEvidence, mover: str, place_mm: FloatArray, shift_mm: FloatArray
) -> bool:
    """Whether a disc may have pushed the one at a position (2,) along a shift (2,): it came near on
    the right side, or was out of sight for a while.
    """
    if not _was_followed(shot, mover):
        return True
    path_mm = _sample_path(shot.tracks[mover], shot.flick.t_start_s, np.inf)
    nearest_mm = path_mm[int(np.linalg.norm(path_mm - place_mm, axis=1).argmin())]
    return not _remains_off(shot, mover, place_mm) and float((place_mm - nearest_mm) @ shift_mm) > 0


def _remains_off(shot: ShotEvidence, mover: str, place_mm: FloatArray) -> bool:
    """Whether a disc was visible all the way and never came near a position (2,)."""
    if not _was_followed(shot, mover):
        return False
    return _min_gap_mm(shot, mover, place_mm, np.inf) > PARAMS.strike_mm


def _was_followed(shot: ShotEvidence, name: str) -> bool:
    """Whether a disc was visible from the flick on to its final place, in all but a few frames."""
    track, end = shot.tracks.get(name), shot.change.find_disc(name)
    if track is None:
        return False
    seen_s = track.times_s[track.times_s >= shot.flick.t_start_s - 1e-6]
    if len(seen_s) < 2 or float(np.diff(seen_s).max()) > NEAR_PASSES.unseen_s:
        return False
    if end is None:
        return float(np.linalg.norm(track.last.place_mm)) > starting_line_mm(shot.at_rest)
    return float(np.linalg.norm(track.last.place_mm - end.place_mm)) < FLICK.found_mm


def _find_departure_s(track: DiscTrack | None, t_start_s: float) -> float:
    """Time when the disc left its place, not before the flick; infinite if that was not seen."""
    index = None if track is None else track.find_departure()
    return np.inf if track is None or index is None else max(track.samples[index].t_s, t_start_s)


def _find_strikers(shot: ShotEvidence, name: str, candidates: Sequence[str]) -> list[str]:
    """The moving disc that came closest to a resting one, and perhaps another that may have struck
    it.
    """
    t_start_s = shot.flick.t_start_s
    until_s = _find_departure_s(shot.tracks.get(name), t_start_s) + PARAMS.departure_delay_s
    place_mm = next(disc.place_mm for disc in shot.before if disc.name == name)
    gap = {
        candidate: _min_gap_mm(shot, candidate, place_mm, until_s)
        for candidate in candidates
        if candidate in shot.tracks
    }
    if not gap:
        return [candidates[0]]
    first, *others = sorted(gap, key=lambda candidate: gap[candidate])
    rival_mm = min(gap[first] + PARAMS.either_mm, PARAMS.strike_mm)
    return [first, *(other for other in others[:1] if gap[other] < rival_mm)]


def _min_gap_mm(shot: ShotEvidence, mover: str, place_mm: FloatArray, until_s: float) -> float:
    """The smallest gap between a tracked disc and one at rest at ``place_mm`` (2,), after the
    flick; infinite if it was not seen in that time.
    """
    path = _sample_path(shot.tracks[mover], shot.flick.t_start_s, until_s)
    touch_mm = 2 * shot.at_rest.board.disc.radius_mm
    return float(np.linalg.norm(path - place_mm, axis=1).min()) - touch_mm if len(path) else np.inf


def _sample_path(track: DiscTrack, from_s: float, to_s: float) -> FloatArray:
    """Places (n, 2) along a track between two times, closely spaced; n may be 0."""
    chosen = [sample.place_mm for sample in track.samples if from_s - 1e-6 <= sample.t_s <= to_s]
    if len(chosen) < 2:
        return np.array(chosen).reshape(-1, 2)
    pieces = []
    for a, b in pairwise(chosen):
        count = max(2, int(np.linalg.norm(b - a) / PARAMS.step_mm) + 1)
        pieces.append(a + np.linspace(0, 1, count)[:, None] * (b - a))
    return np.concatenate(pieces)


def _find_returned(shot: ShotEvidence) -> Iterator[str]:
    """Discs that left the surface and are on it again."""
    edge_mm = shot.at_rest.fit.spec.surface_radius_mm + PARAMS.left_mm
    for name, track in shot.tracks.items():
        away = [
            float(np.linalg.norm(sample.place_mm))
            for sample in track.samples
            if sample.t_s > shot.flick.t_start_s
        ]
        is_back = len(away) > 2 and away[-1] < starting_line_mm(shot.at_rest)
        if is_back and max(away[1:]) > edge_mm:
            yield name
