"""The discs of a motion interval that were shot or struck, and whether they have come to rest.

Both follow from their tracks alone. A disc out of sight counts as at rest; whether something hides
it is checked elsewhere (``occlusion``).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.camera import FloatArray
from calibration.fit import BoardFit
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import PlacedDisc
from vision.track.motion.blob_appearance import WEAK_ROUNDNESS
from vision.track.tracks.disc_track import (
    TREMBLED_MM,
    DiscTrack,
)
from vision.track.tracks.same_disc import is_at


class SlidingDiscsParameters(StageParameters):
    """Parameters of ``sliding_discs``."""

    #: A disc was at rest if it moved by no more than this distance in this time.
    rest_s: float = parameter(0.1, unit="s", source="chosen: three frames at 30 a second")
    rest_mm: float = parameter(3.0, unit="mm", source="chosen: at 30 mm/s a disc slides 0.5 mm")
    #: An object did not move between two frames if its positions are this close to each other.
    still_mm: float = parameter(
        0.5,
        unit="mm",
        source="chosen: the distance covered in one frame at 30 a second and 15 mm/s; the "
        "positions of objects at rest have smaller errors",
    )
    #: A disc waiting to be shot is this close to the starting line.
    on_line_mm: float = parameter(
        22.0,
        unit="mm",
        source="chosen: a radius, because the disc may touch the line, and the error of a hand",
    )
    #: A hand that brings a disc to the line, or rests beside it, stays this close to it.
    at_rim_mm: float = parameter(
        60.0,
        unit="mm",
        source="chosen: two diameters, as for discs that hands slide along the line",
    )
    #: A sliding disc can have touched objects this much further than two radii from its path.
    reach_mm: float = parameter(
        15.0,
        unit="mm",
        source="chosen: a radius, for the error of a blurred disc's position and a bend that "
        "was not seen",
    )
    #: Deceleration of a disc that was lost from sight.
    slowing_mm_s2: float = parameter(
        700.0,
        unit="mm/s²",
        source="measured on boards: friction decelerates discs by 0.5 to 1 m/s²",
    )
    #: A disc has slid if it moved this far from where it was first seen.
    moved_mm: float = parameter(
        40.0, unit="mm", source="chosen: beside a finger, a disc seems to jump by its radius, 16 mm"
    )


PARAMS = SlidingDiscsParameters()
#: Number of frames in which a disc must be seen at rest, however far apart they are: those of
#: ``rest_s`` at 30 a second.
REST_FRAMES = 3


def find_moved_discs(tracks: Sequence[DiscTrack], fit: BoardFit) -> list[DiscTrack]:
    """The tracks of discs that were shot or struck: fast, and far from their first places.

    A disc beside a trembling finger seems to jump to and fro, but gets nowhere. An object in the
    ditch was never on the board.
    """
    return [
        track
        for track in tracks
        if track.has_moved_freely()
        and np.linalg.norm(track.places_mm - track.places_mm[0], axis=1).max() > PARAMS.moved_mm
        and any(is_on_board(fit, place_mm) for place_mm in track.places_mm)
    ]


def find_departed_discs(
    tracks: Sequence[DiscTrack], fit: BoardFit, resting: Sequence[PlacedDisc] = ()
) -> list[DiscTrack]:
    """The tracks of discs that left the place where they were first seen on the surface.

    A finger over the edge does not count, however it moves, because it is hardly ever round. An
    object at rest in the last frame, or at the place of a disc of ``resting``, does not count
    either. A disc at rest is centred anew after a first frame's light is matched, and a sliding
    disc takes a third of a second to stop.
    """
    resting_mm = [disc.centre_mm for disc in resting]
    return [
        track
        for track in tracks
        if track.find_departure() is not None
        and is_on_board(fit, track.samples[0].place_mm)
        and all(seen.roundness > WEAK_ROUNDNESS for seen in track.samples)
        and is_moving(track)
        and not is_at(track.last.place_mm, resting_mm, TREMBLED_MM)
    ]


def is_on_board(fit: BoardFit, place_mm: FloatArray) -> bool:
    """Whether a disc at ``place_mm`` (2,) stands on the playing surface, board mm."""
    return float(np.linalg.norm(place_mm)) < fit.spec.surface_radius_mm


def list_outcome_places(
    tracks: Sequence[DiscTrack],
    discs: Sequence[PlacedDisc],
    fit: BoardFit,
    reached_by_mm: float | None = None,
) -> list[FloatArray]:
    """Places (2,) on the board to which shot or struck discs went, and places of other discs.

    ``discs`` were there before, named by their index. An object that hides none of these places
    does not hide the end of a shot. The hand that shot may stay at its place, and so may a hand
    that only moved along the rim. With ``reached_by_mm``, the discs' radius, only those of the
    other discs that may have been touched.
    """
    moved = find_moved_discs(tracks, fit)
    left = {track.name for track in moved}
    ends = [
        track.last.place_mm
        for track in moved
        if track.name is not None or not _stayed_at_rim(track, fit)
    ]
    resting = [disc for i, disc in enumerate(discs) if str(i) not in left]
    if reached_by_mm is not None:
        untouched = find_untouched(resting, moved, fit, reached_by_mm)
        resting = [disc for disc in resting if not any(disc is one for one in untouched)]
    return [
        *(place_mm for place_mm in ends if is_on_board(fit, place_mm)),
        *(disc.centre_mm for disc in resting),
    ]


def _stayed_at_rim(track: DiscTrack, fit: BoardFit) -> bool:
    """Whether the track ends near the starting line, and was never farther inside than a hand that
    brings a disc.
    """
    away_mm = np.linalg.norm(track.places_mm, axis=1)
    line_mm = fit.spec.line_radii_mm[2]
    ends_there = away_mm[-1] > line_mm - PARAMS.on_line_mm
    return bool(ends_there and away_mm.min() > line_mm - PARAMS.at_rim_mm)


def find_untouched(
    discs: Sequence[PlacedDisc], moved: Sequence[DiscTrack], fit: BoardFit, radius_mm: float
) -> list[PlacedDisc]:
    """The discs, of ``radius_mm``, that none of the tracks that ``slid`` can have reached, even
    while out of sight.
    """
    near_mm = 2 * radius_mm + PARAMS.reach_mm
    return [
        disc
        for disc in discs
        if not any(_may_have_reached(track, disc.centre_mm, near_mm, fit) for track in moved)
    ]


def _may_have_reached(
    track: DiscTrack, place_mm: FloatArray, near_mm: float, fit: BoardFit
) -> bool:
    """Whether a disc may have come this near to a place (2,): between two observations, on any path
    that its speed allows, or after the last one, until friction stopped it, unless it was off the
    board.
    """
    away_mm = np.linalg.norm(track.places_mm - place_mm, axis=1)
    speeds, pauses_s = track.speeds_mm_s(), np.diff(track.times_s)
    before = np.concatenate([speeds[:1], speeds[:-1]])
    ways_mm = np.maximum(speeds, before) * pauses_s
    if (away_mm[:-1] + away_mm[1:] < ways_mm + 2 * near_mm).any():
        return True
    if not is_on_board(fit, track.last.place_mm):
        return False
    slides_mm = float(speeds[-1]) ** 2 / (2 * PARAMS.slowing_mm_s2) if len(speeds) else 0.0
    return bool(away_mm[-1] < near_mm + slides_mm)


def find_vanished_discs(tracks: Sequence[DiscTrack], t_s: float) -> list[DiscTrack]:
    """The tracks of discs that were there before and, at ``t_s``, have been out of sight."""
    return [track for track in tracks if track.name is not None and _is_out_of_sight(track, t_s)]


def has_come_to_rest(track: DiscTrack, fit: BoardFit, radius_mm: float, t_s: float) -> bool:
    """Whether at ``t_s`` a disc of ``radius_mm`` was at rest, out of sight, or out of play.

    A disc that touches the outer line is usually out wherever it stops, unless it crosses the line
    inwards. The finger that shot a disc stays there too. An object that is no longer round is a
    piece of a hand that took over the disc's track.
    """
    if _is_out_of_sight(track, t_s):
        return True
    in_play_mm = fit.spec.line_radii_mm[2] - radius_mm
    late = [sample for sample in track.samples if track.last.t_s - sample.t_s <= PARAMS.rest_s]
    away_mm = float(np.linalg.norm(track.last.place_mm))
    if away_mm >= in_play_mm:
        return away_mm > float(np.linalg.norm(late[0].place_mm)) - PARAMS.rest_mm
    if all(sample.roundness < WEAK_ROUNDNESS for sample in late):
        return True
    way_mm = float(np.linalg.norm(track.last.place_mm - late[0].place_mm))
    return len(late) > 1 and way_mm < PARAMS.rest_mm


def is_moving(track: DiscTrack) -> bool:
    """Whether the disc moved between the last two frames in which it was seen."""
    return bool(np.linalg.norm(track.places_mm[-1] - track.places_mm[-2]) > PARAMS.still_mm)


def is_any_sliding(tracks: Sequence[DiscTrack], fit: BoardFit, t_s: float) -> bool:
    """Whether a shot or struck disc still moves at ``t_s``, for example on its way out of play."""
    return any(disc.last.t_s == t_s and is_moving(disc) for disc in find_moved_discs(tracks, fit))


def _is_out_of_sight(track: DiscTrack, t_s: float) -> bool:
    return t_s - track.last.t_s > PARAMS.rest_s
