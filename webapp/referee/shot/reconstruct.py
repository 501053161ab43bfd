"""Reconstruct one shot from tracks and boards: the flick, displacements and contact hypotheses.

Knows tracks, displacements and distances, and how sure they are. Refuses to know rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from calibration.board import FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.state import PlacedDisc, Team
from scorer.rules.shot import OUTSIDE, ContactPair
from vision.discs.team_colours import find_nearest_team, get_team_colours_lab
from vision.track.events import BoardAtRest
from vision.track.motion.disc_tracker import CLEAR_ROUNDNESS, WEAK_ROUNDNESS, DiscTrack, Sample
from vision.track.still.patch_registration import measure_disc_shift_mm
from webapp.referee.disc_identities import BoardChange, NamedDisc

#: Pictures of an unmoved disc match to 0.1 mm, one standard deviation; this is six of them.
DISPLACED_MM = 0.6
#: Nearer than this to its place no touched disc stays.
UNDISPLACED_MM = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconstructParameters(StageParameters):
    """What ``reconstruct`` takes for granted."""

    stage: ClassVar[str] = "referee.shot.reconstruct"

    #: Beyond this, two readings tell that a disc moved, mm; up to there one of a disc of nearly the
    #: board's colour may be wrong, where two pictures of it are the same.
    clearly_moved_mm: float = parameter(4.0, unit="mm", source="")
    misread_mm: float = parameter(15.0, unit="mm", source="")
    #: Paths are known to about a millimetre, so a gap smaller than this may have been none, mm.
    graze_mm: float = parameter(2.0, unit="mm", source="")
    #: A disc beside the path was the one that struck only if it came this near, mm beyond touching.
    strike_mm: float = parameter(25.0, unit="mm", source="")
    #: Two discs that came about equally near to a third may both have struck it, mm.
    either_mm: float = parameter(6.0, unit="mm", source="")
    #: A disc that went this far beyond the surface's edge has left it, mm.
    left_mm: float = parameter(8.0, unit="mm", source="")
    #: Between two samples a path is looked at every so many millimetres.
    step_mm: float = parameter(2.0, unit="mm", source="")
    #: A disc that came back from no farther in than this was slid, not shot, mm.
    slid_mm: float = parameter(60.0, unit="mm", source="")
    #: A shot disc is found at rest within this of where it was last seen, mm.
    found_mm: float = parameter(20.0, unit="mm", source="")
    #: A disc that lies ready and looks this round in so many frames would have been seen to fly.
    seen_roundness: float = parameter(0.8, unit="", source="")
    seen_frames: int = parameter(4, unit="", source="")
    #: A disc this near to the middle says nothing of where it came from, mm.
    no_direction_mm: float = parameter(20.0, unit="mm", source="")
    #: A hand that puts a disc down holds it this near to where it then lies, mm.
    put_mm: float = parameter(60.0, unit="mm", source="")
    #: From flick to rest a shot takes about this long, s.
    usual_shot_s: float = parameter(0.7, unit="s", source="")


PARAMS = ReconstructParameters.active()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Flick:
    """The disc that was shot: its track, and the index of the sample where it lay."""

    track: DiscTrack
    start: int

    @property
    def t_start_s(self) -> float:
        return self.track.samples[self.start].t_s

    @property
    def place_mm(self) -> FloatArray:
        """Where it lay (2,)."""
        return self.track.samples[self.start].place_mm


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ContactHypothesis:
    """What touched what, in time order, by one hypothesis of the shot.

    description  what distinguishes this hypothesis; empty for the likeliest
    """

    pairs: tuple[ContactPair, ...]
    description: str = ""


def find_flick(at_rest: BoardAtRest) -> Flick | None:
    """The shot of a motion interval; None when no disc was shot. The first, if there are more."""
    line_mm = at_rest.fit.spec.line_radii_mm[2]
    found = []
    for seen in at_rest.tracks:
        track = seen.extend_to_line(line_mm)
        least_round = WEAK_ROUNDNESS if _is_plainly_disc(track, at_rest) else CLEAR_ROUNDNESS
        start = track.find_flick(line_mm, least_round)
        if start is not None and not _was_only_placed(track, at_rest):
            found.append(Flick(track=track, start=start))
    ended = [each for each in found if _ends_somewhere(each.track, at_rest)]
    return min(ended or found, key=lambda each: each.t_start_s, default=None)


def infer_unseen_flick(
    at_rest: BoardAtRest, ready: Sequence[NamedDisc], lost_mm: Sequence[FloatArray] = ()
) -> Flick | None:
    """The shot that must have been, though nobody saw it.

    A disc lay ``ready``, and now one of its side lies inside; or it is gone, and was too hard to
    see for a hand to be known to have taken it; or a disc lies inside that no hand was seen to
    bring, and that is none that was overlooked where one was ``lost_mm``. The track has two
    samples, where the disc lay and where it lies; nothing between was seen.
    """
    now = [each.centre_mm for each in at_rest.board.discs]
    gone = [each for each in ready if _is_far_from(each.place_mm, now, PARAMS.clearly_moved_mm)]
    new = _find_new_inside(at_rest)
    for each in gone:
        ended = [disc for disc in new if disc.team == each.disc.team]
        if ended:
            return _make_flick(at_rest, each.place_mm, ended[0].centre_mm, at_rest.t_from_s)
        if _may_have_been_shot(each, at_rest):
            return _make_flick(at_rest, each.place_mm, each.place_mm, at_rest.t_from_s)
    ends = [each.last.place_mm for each in at_rest.tracks if each.name is not None]
    for disc in new:
        place = disc.centre_mm
        if _is_far_from(place, [*ends, *lost_mm], PARAMS.found_mm) and not _was_brought(
            place, at_rest
        ):
            line_mm = at_rest.fit.spec.line_radii_mm[2]
            start = _project_to_line(place, line_mm)
            return _make_flick(at_rest, start, place, _find_first_motion_s(at_rest))
    return None


def infer_flick_while_lost(at_rest: BoardAtRest) -> Flick | None:
    """The shot that must have been while the board was lost from sight: a side has one disc more.

    The board may have been knocked, so that all discs lie a little beside where they lay.
    """
    before = [each.centre_mm for each in at_rest.before]
    for disc in _find_new_inside(at_rest):
        more = _count_team(at_rest.board.discs, disc.team) > _count_team(at_rest.before, disc.team)
        if more and _is_far_from(disc.centre_mm, before, PARAMS.found_mm):
            start = _project_to_line(disc.centre_mm, at_rest.fit.spec.line_radii_mm[2])
            return _make_flick(at_rest, start, disc.centre_mm, _find_first_motion_s(at_rest))
    return None


def _count_team(discs: Sequence[PlacedDisc], team: int) -> int:
    return sum(each.team == team for each in discs)


def _is_far_from(place: FloatArray, others: Sequence[FloatArray], reach_mm: float) -> bool:
    return all(np.linalg.norm(place - each) > reach_mm for each in others)


def _find_new_inside(at_rest: BoardAtRest) -> list[PlacedDisc]:
    """Discs inside the starting line that lie where none lay."""
    inside_mm = at_rest.fit.spec.line_radii_mm[2] - PARAMS.found_mm
    before = [each.centre_mm for each in at_rest.before]
    return [
        each
        for each in at_rest.board.discs
        if np.linalg.norm(each.centre_mm) < inside_mm
        and _is_far_from(each.centre_mm, before, PARAMS.clearly_moved_mm)
    ]


def _project_to_line(place: FloatArray, line_mm: float) -> FloatArray:
    """Where on the starting line a disc that came straight to a place (2,) lay.

    To the hole a disc comes from anywhere: then it is the side nearest to the camera.
    """
    away_mm = float(np.linalg.norm(place))
    way = place / away_mm if away_mm > PARAMS.no_direction_mm else np.array([0.0, -1.0])
    return np.asarray(line_mm * way)


def _make_flick(
    at_rest: BoardAtRest, start: FloatArray, end: FloatArray, t_start_s: float
) -> Flick:
    """A flick of which only the ends are known."""
    ends = ((t_start_s, start), (at_rest.t_rest_s, end))
    samples = [Sample(t_s=t_s, place_mm=place, is_free=True) for t_s, place in ends]
    return Flick(track=DiscTrack(name=None, lab=np.zeros(3), samples=samples), start=0)


def _may_have_been_shot(each: NamedDisc, at_rest: BoardAtRest) -> bool:
    """Whether a disc that lay ready and is gone could have been shot without being seen to fly."""
    line_mm = at_rest.fit.spec.line_radii_mm[2]
    before = [disc.centre_mm for disc in at_rest.before]
    now = [disc.centre_mm for disc in at_rest.board.discs]
    on_line = [place for place in now if np.linalg.norm(place) > line_mm - PARAMS.found_mm]
    if any(_is_far_from(place, before, PARAMS.clearly_moved_mm) for place in on_line):
        return False  # it was put down elsewhere on the line
    track = next((t for t in at_rest.tracks if _began_at(t, each.place_mm, at_rest)), None)
    if track is None or len(track.samples) < PARAMS.seen_frames:
        return True
    return (
        float(np.median([sample.roundness for sample in track.samples[1:]])) < PARAMS.seen_roundness
    )


def _began_at(track: DiscTrack, place_mm: FloatArray, at_rest: BoardAtRest) -> bool:
    if track.name is None:
        return False
    return bool(
        np.linalg.norm(at_rest.before[int(track.name)].centre_mm - place_mm)
        < PARAMS.clearly_moved_mm
    )


def _was_brought(place_mm: FloatArray, at_rest: BoardAtRest) -> bool:
    """Whether a hand was seen to hold the disc that now lies there, and it did not fly there."""
    for track in at_rest.tracks:
        ends_there = np.linalg.norm(track.last.place_mm - place_mm) < PARAMS.found_mm
        if track.name is None and ends_there and not track.has_flown():
            near = [
                s for s in track.samples if np.linalg.norm(s.place_mm - place_mm) < PARAMS.put_mm
            ]
            return any(not each.is_free for each in near)
    return False


def _find_first_motion_s(at_rest: BoardAtRest) -> float:
    """When the first disc at rest was moved; else as long before the rest as a shot takes."""
    stirs = [
        track.samples[index].t_s
        for track in at_rest.tracks
        if track.name is not None and (index := track.find_departure()) is not None
    ]
    return min(stirs, default=max(at_rest.t_from_s, at_rest.t_rest_s - PARAMS.usual_shot_s))


def _was_only_placed(track: DiscTrack, at_rest: BoardAtRest) -> bool:
    """Whether a hand slid the disc onto the starting line, or along it, where it lies now."""
    away_mm = np.linalg.norm(track.places_mm, axis=1)
    on_line = abs(away_mm[-1] - at_rest.fit.spec.line_radii_mm[2]) < PARAMS.found_mm
    by_hand = at_rest.saw_hand or away_mm[-1] - away_mm.min() < PARAMS.slid_mm
    return bool(on_line and by_hand) and _ends_at_disc(track, at_rest)


def _is_plainly_disc(track: DiscTrack, at_rest: BoardAtRest) -> bool:
    """Whether a disc that lay still before is gone from there, or one lies inside where it ends."""
    line_mm = at_rest.fit.spec.line_radii_mm[2]
    if track.name is not None:
        place = at_rest.before[int(track.name)].centre_mm
        feet = [each.centre_mm for each in at_rest.board.discs]
        return not any(np.linalg.norm(foot - place) < PARAMS.found_mm for foot in feet)
    away_mm = float(np.linalg.norm(track.last.place_mm))
    return _ends_at_disc(track, at_rest) and away_mm < line_mm - PARAMS.found_mm


def _ends_at_disc(track: DiscTrack, at_rest: BoardAtRest) -> bool:
    """Whether a disc was read where the track ends."""
    feet = [each.centre_mm for each in at_rest.board.discs]
    return any(np.linalg.norm(foot - track.last.place_mm) < PARAMS.found_mm for foot in feet)


def _ends_somewhere(track: DiscTrack, at_rest: BoardAtRest) -> bool:
    """Whether a disc lies where the track ends, or it ends in the hole or off the board."""
    place = track.last.place_mm
    spec = at_rest.fit.spec
    off_hole = float(np.linalg.norm(place - np.array(spec.hole_centre_mm)))
    if off_hole < spec.hole_radius_mm or np.linalg.norm(place) > spec.line_radii_mm[2]:
        return True
    return _ends_at_disc(track, at_rest)


def match_track_team(track: DiscTrack, teams: Sequence[Team]) -> Team | None:
    """The team whose colour the track's disc has; None without teams."""
    if not teams:
        return None
    return teams[int(find_nearest_team(track.lab[None], get_team_colours_lab(teams))[0][0])]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Displacements:
    """How far discs other than the shooter's were moved.

    moved_mm  of those that were, by name; infinite for those that are gone
    unsure    names of discs that may have been touched all the same, if one passed closely
    """

    moved_mm: Mapping[str, float]
    unsure: frozenset[str]


def measure_displacements(
    before: Sequence[NamedDisc],
    change: BoardChange,
    shooter: str,
    earlier: BoardAtRest | None,
    at_rest: BoardAtRest,
) -> Displacements:
    """Which discs were moved between two boards.

    A touch that leaves a disc within 0.3 mm of its place is a graze of under 27 mm/s: of the paths
    that come that close next to none. Only where the pictures cannot say so is it asked for.
    """
    moved = {each.name: float("inf") for each in change.gone if each.name != shooter}
    unsure = set()
    for old in before:
        coarse_mm = change.moved_mm.get(old.name)
        if old.name == shooter or coarse_mm is None:
            continue
        fine_mm = (
            _measure_shift_mm(old, earlier, at_rest) if coarse_mm < PARAMS.misread_mm else None
        )
        is_plain = coarse_mm > PARAMS.clearly_moved_mm and (
            fine_mm is None or fine_mm > DISPLACED_MM
        )
        if is_plain or (fine_mm is None and coarse_mm > PARAMS.clearly_moved_mm / 2):
            fine_mm = coarse_mm
        if fine_mm is None or UNDISPLACED_MM < fine_mm <= DISPLACED_MM:
            unsure.add(old.name)
        elif fine_mm > DISPLACED_MM:
            moved[old.name] = fine_mm
    return Displacements(moved_mm=moved, unsure=frozenset(unsure))


def _measure_shift_mm(
    old: NamedDisc, earlier: BoardAtRest | None, at_rest: BoardAtRest
) -> float | None:
    """Displacement by comparing the pictures; None where they cannot be compared."""
    if earlier is None or earlier.fit is not at_rest.fit:
        return None
    disc = at_rest.board.disc
    feet = [each.centre_mm for each in (*earlier.board.discs, *at_rest.board.discs)]
    others = [foot for foot in feet if np.linalg.norm(foot - old.place_mm) > disc.radius_mm]
    return measure_disc_shift_mm(
        earlier.image,
        at_rest.image,
        at_rest.fit.view,
        old.place_mm,
        disc,
        np.array(others).reshape(-1, 2),
    )


def list_contact_hypotheses(
    before: Sequence[NamedDisc],
    shooter: str,
    tracks: Mapping[str, DiscTrack],
    displacements: Displacements,
    t_start_s: float,
    at_rest: BoardAtRest,
) -> list[ContactHypothesis]:
    """What may have touched what: the likeliest first, then what cannot be ruled out."""
    touch_mm = 2 * at_rest.board.disc.radius_mm
    moved = displacements.moved_mm
    places = {each.name: each.place_mm for each in before}
    order = sorted(moved, key=lambda name: _find_departure_s(tracks.get(name), t_start_s))
    pairs: list[ContactPair] = []
    rivals: list[ContactHypothesis] = []
    for i, name in enumerate(order):
        striker, rival = _find_strikers(
            name, [shooter, *order[:i]], tracks, places, touch_mm, t_start_s
        )
        pairs.append((striker, name))
        if rival is not None:
            rivals.append(
                ContactHypothesis(pairs=((rival, name),), description=f"{rival} struck {name}")
            )
    pairs += [(name, OUTSIDE) for name in _find_returned(tracks, at_rest, t_start_s)]
    likeliest = ContactHypothesis(pairs=tuple(pairs))
    out = [likeliest]
    for each in rivals:
        changed = each.pairs[0]
        others = tuple(pair for pair in pairs if pair[1] != changed[1])
        out.append(ContactHypothesis(pairs=(*others, changed), description=each.description))
    for mover, still in _find_grazes(before, shooter, tracks, displacements, t_start_s, touch_mm):
        words = f"{mover} brushed {still} without moving it"
        out.append(ContactHypothesis(pairs=(*pairs, (mover, still)), description=words))
    return out


def _find_departure_s(track: DiscTrack | None, t_start_s: float) -> float:
    if track is None:
        return np.inf
    index = track.find_departure()
    return np.inf if index is None else max(track.samples[index].t_s, t_start_s)


def _find_strikers(
    name: str,
    candidates: list[str],
    tracks: Mapping[str, DiscTrack],
    places: Mapping[str, FloatArray],
    touch_mm: float,
    t_start_s: float,
) -> tuple[str, str | None]:
    """The moving disc that came nearest to a resting one, and another that may have been it."""
    t_left_s = _find_departure_s(tracks.get(name), t_start_s)
    gap = {
        each: _min_distance_mm(tracks[each], places[name], t_start_s, t_left_s + 0.1) - touch_mm
        for each in candidates
        if each in tracks
    }
    if not gap:
        return candidates[0], None
    near = sorted(gap, key=lambda each: gap[each])
    first = near[0]
    second = next((each for each in near[1:] if gap[each] < gap[first] + PARAMS.either_mm), None)
    return first, second if second is not None and gap[second] < PARAMS.strike_mm else None


def _sample_path(track: DiscTrack, from_s: float, to_s: float) -> FloatArray:
    """Places (n, 2) along a track between two times, closely spaced."""
    chosen = [each.place_mm for each in track.samples if from_s - 1e-6 <= each.t_s <= to_s]
    if len(chosen) < 2:
        return np.array(chosen).reshape(-1, 2)
    pieces = []
    for a, b in pairwise(chosen):
        count = max(2, int(np.linalg.norm(b - a) / PARAMS.step_mm) + 1)
        pieces.append(a + np.linspace(0, 1, count)[:, None] * (b - a))
    return np.concatenate(pieces)


def _min_distance_mm(track: DiscTrack, place_mm: FloatArray, from_s: float, to_s: float) -> float:
    path = _sample_path(track, from_s, to_s)
    return float(np.linalg.norm(path - place_mm, axis=1).min()) if len(path) else np.inf


def _find_returned(
    tracks: Mapping[str, DiscTrack], at_rest: BoardAtRest, t_start_s: float
) -> Iterator[str]:
    """Discs that left the surface and lie on it again."""
    edge_mm = at_rest.fit.spec.surface_radius_mm + PARAMS.left_mm
    for name, track in tracks.items():
        away = [
            float(np.linalg.norm(each.place_mm)) for each in track.samples if each.t_s > t_start_s
        ]
        if (
            len(away) > 2
            and max(away[1:]) > edge_mm
            and away[-1] < at_rest.fit.spec.line_radii_mm[2]
        ):
            yield name


def _find_grazes(
    before: Sequence[NamedDisc],
    shooter: str,
    tracks: Mapping[str, DiscTrack],
    displacements: Displacements,
    t_start_s: float,
    touch_mm: float,
) -> Iterator[tuple[str, str]]:
    """Discs at rest that a moving one passed so closely that it may have touched them."""
    movers = [each for each in (shooter, *displacements.moved_mm) if each in tracks]
    for old in before:
        if old.name not in displacements.unsure:
            continue
        for mover in movers:
            if (
                _min_distance_mm(tracks[mover], old.place_mm, t_start_s, np.inf) - touch_mm
                < PARAMS.graze_mm
            ):
                yield mover, old.name
                break
