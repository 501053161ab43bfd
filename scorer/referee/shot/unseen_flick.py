"""The flick without a track, inferred from two boards at rest: one side has a new disc inside the
line.

The disc's places before and now are known, but nothing in between. A disc that a hand was seen to
bring, or that was overlooked earlier, is not a shot. A shot that changes nothing is missed, and so
is one whose disc left the board unseen from a side without a disc ready.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.board import FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import PlacedDisc
from scorer.referee.disc_identities import NamedDisc
from scorer.referee.seating import find_quadrant
from scorer.referee.shot.displacements import PARAMS as DISPLACEMENTS
from scorer.referee.shot.flick import PARAMS as FLICK
from scorer.referee.shot.flick import Flick, starting_line_mm
from vision.track.events import BoardAtRest
from vision.track.tracks.disc_track import PARAMS as TRACKS
from vision.track.tracks.disc_track import DiscTrack, Sample
from vision.track.tracks.same_disc import is_at


class UnseenFlickParameters(StageParameters):
    """Parameters of ``unseen_flick``, in addition to those of ``flick`` and ``displacements``."""

    #: If a ready disc looked this round in at least this many frames, its flight would have been
    #: seen.
    seen_roundness: float = parameter(
        0.8, unit="", source="chosen: above the 0.7 that moving discs have in clips"
    )
    seen_frames: int = parameter(
        4, unit="", source="chosen: the frames of a flick, and one of the disc at rest"
    )
    #: A disc read next to a hand with no more confidence than this, and which is gone again, was
    #: not a disc.
    no_disc_confidence: float = parameter(
        0.65,
        unit="probability",
        source="chosen: nearer to 0.5, below which a person is asked about a disc, than to 1",
    )
    #: The position of a disc this close to the middle does not show from where it came.
    no_direction_mm: float = parameter(
        20.0, unit="mm", source="chosen: the hole's radius, and the error of a place"
    )
    #: Usual time from the flick to rest.
    usual_shot_s: float = parameter(
        0.7,
        unit="s",
        source="chosen: the time in which a disc slides 240 mm until it stops, at friction 0.1",
    )


PARAMS = UnseenFlickParameters()
#: By the rules, there are two sides.
_SIDES = 2


def infer_unseen_flick(
    at_rest: BoardAtRest, ready: Sequence[NamedDisc], lost_mm: Sequence[FloatArray] = ()
) -> Flick | None:
    """The shot that must have been made, although no track shows it.

    There are three cases. A disc was ``ready``, and a disc of its side is now inside. Or the ready
    disc is gone, and it was too faint to show a hand taking it. Or there is a disc inside that no
    hand was seen to bring, and it was not overlooked earlier at a place where a disc was lost
    (``lost_mm``). The track has samples at the disc's start and at its end.
    """
    now = [placed_disc.centre_mm for placed_disc in at_rest.board.discs]
    gone = [
        named_disc for named_disc in ready if not is_at(named_disc.place_mm, now, FLICK.found_mm)
    ]
    new = _find_new_inside(at_rest)
    for named_disc in gone:
        ended = [disc for disc in new if disc.team == named_disc.disc.team]
        if ended or _may_have_been_shot(named_disc, at_rest):
            name = _find_name(named_disc.place_mm, at_rest)
            end = ended[0].centre_mm if ended else named_disc.place_mm
            return _make_flick(at_rest, named_disc.place_mm, end, at_rest.t_from_s, name)
    ends = [track.last.place_mm for track in at_rest.tracks if track.name is not None]
    for disc in new:
        place = disc.centre_mm
        if not is_at(place, [*ends, *lost_mm], FLICK.found_mm) and not _was_brought(place, at_rest):
            start = _project_to_line(place, starting_line_mm(at_rest))
            return _make_flick(at_rest, start, place, _find_first_motion_s(at_rest))
    return None


def infer_flick_while_lost(at_rest: BoardAtRest) -> Flick | None:
    """The shot that must have been made while the board was lost from sight: a side has one disc
    more.

    The board may have been knocked, so all discs may be slightly off their old places.
    """
    before = [placed_disc.centre_mm for placed_disc in at_rest.before]
    for disc in _find_new_inside(at_rest):
        more = _count_team(at_rest.board.discs, disc.team) > _count_team(at_rest.before, disc.team)
        if more and not is_at(disc.centre_mm, before, FLICK.found_mm):
            start = _project_to_line(disc.centre_mm, starting_line_mm(at_rest))
            return _make_flick(at_rest, start, disc.centre_mm, _find_first_motion_s(at_rest))
    return None


def _count_team(discs: Sequence[PlacedDisc], team: int) -> int:
    return sum(disc.team == team for disc in discs)


def _find_new_inside(at_rest: BoardAtRest) -> list[PlacedDisc]:
    """Discs inside the starting line at new places; if both sides had discs before, only discs of
    these sides, because a third colour is a hand's.
    """
    inside_mm = starting_line_mm(at_rest) - FLICK.found_mm
    before = [disc.centre_mm for disc in at_rest.before]
    sides = {disc.team for disc in at_rest.before}
    return [
        disc
        for disc in at_rest.board.discs
        if np.linalg.norm(disc.centre_mm) < inside_mm
        and (len(sides) < _SIDES or disc.team in sides)
        and not is_at(disc.centre_mm, before, DISPLACEMENTS.clearly_moved_mm)
    ]


def _project_to_line(place: FloatArray, line_mm: float) -> FloatArray:
    """The place on the starting line from which a disc came straight to a place (2,).

    A disc in the hole may have come from anywhere; then the side nearest to the camera is used.
    """
    away_mm = float(np.linalg.norm(place))
    way = place / away_mm if away_mm > PARAMS.no_direction_mm else np.array([0.0, -1.0])
    return np.asarray(line_mm * way)


def _find_name(place_mm: FloatArray, at_rest: BoardAtRest) -> str | None:
    """The tracks' name of the disc that was at a place (2,); None if there was none."""
    away = [float(np.linalg.norm(disc.centre_mm - place_mm)) for disc in at_rest.before]
    nearest = int(np.argmin(away)) if away else -1
    return str(nearest) if away and away[nearest] < FLICK.found_mm else None


def _make_flick(
    at_rest: BoardAtRest,
    start: FloatArray,
    end: FloatArray,
    t_start_s: float,
    name: str | None = None,
) -> Flick:
    """A flick of which only the ends are known; ``name`` is the name of its disc, if that was on
    the board before.
    """
    places = ((t_start_s, start), (at_rest.t_rest_s, end))
    samples = [Sample(t_s=t_s, place_mm=place, is_free=True) for t_s, place in places]
    track = DiscTrack(name=name, lab=np.zeros(3), samples=samples)
    return Flick(track=track, start=0, was_seen=False)


def _may_have_been_shot(named: NamedDisc, at_rest: BoardAtRest) -> bool:
    """Whether a disc that was ready and is gone may have been shot without a visible flight."""
    if named.disc.confidence < PARAMS.no_disc_confidence:
        return False
    line_mm = starting_line_mm(at_rest)
    before = [disc.centre_mm for disc in at_rest.before]
    now = [disc.centre_mm for disc in at_rest.board.discs]
    on_line = [place for place in now if np.linalg.norm(place) > line_mm - FLICK.found_mm]
    if any(not is_at(place, before, DISPLACEMENTS.clearly_moved_mm) for place in on_line):
        return False  # it was put elsewhere on the line
    if any(find_quadrant(place) == find_quadrant(named.place_mm) for place in on_line):
        return False  # its player has another disc ready, so the object beside it was a finger
    track = next((t for t in at_rest.tracks if _began_at(t, named.place_mm, at_rest)), None)
    inside = [place for place in before if np.linalg.norm(place) < line_mm - FLICK.found_mm]
    if any(not is_at(place, now, DISPLACEMENTS.clearly_moved_mm) for place in inside) and any(
        other.has_moved_freely(TRACKS.fast_mm_s) for other in at_rest.tracks if other is not track
    ):
        return True  # it was too fast to be seen, and struck the disc that slid
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
        < DISPLACEMENTS.clearly_moved_mm
    )


def _was_brought(place_mm: FloatArray, at_rest: BoardAtRest) -> bool:
    """Whether a hand was seen to hold the disc that is there now, and the disc did not slide
    there.
    """
    for track in at_rest.tracks:
        ends_there = np.linalg.norm(track.last.place_mm - place_mm) < FLICK.found_mm
        if track.name is None and ends_there and not track.has_moved_freely():
            near = [
                s for s in track.samples if np.linalg.norm(s.place_mm - place_mm) < FLICK.moved_mm
            ]
            return any(not sample.is_free for sample in near)
    return False


def _find_first_motion_s(at_rest: BoardAtRest) -> float:
    """Time of the first movement of a disc at rest; otherwise the usual duration of a shot before
    the rest.
    """
    stirs = [
        track.samples[index].t_s
        for track in at_rest.tracks
        if track.name is not None and (index := track.find_departure()) is not None
    ]
    return min(stirs, default=max(at_rest.t_from_s, at_rest.t_rest_s - PARAMS.usual_shot_s))
