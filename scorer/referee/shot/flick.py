"""The flick of a motion interval: the track that began it, and the sample.

A track is a flick if it left the starting line inward, fast, free and round (see
``vision.track.tracks.disc_track``), and no hand slid it along the line. If the camera did not see
the flight, ``unseen_flick`` infers the shot from the boards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.board import FloatArray
from calibration.parameters import StageParameters, parameter
from scorer.physics.inverse.straight_paths import measure_step_offsets
from scorer.referee.disc_identities import NamedDisc
from vision.track.events import BoardAtRest
from vision.track.motion.blob_appearance import CLEAR_ROUNDNESS, FREE_ROUNDNESS, WEAK_ROUNDNESS
from vision.track.tracks.disc_flights import has_flown_straight
from vision.track.tracks.disc_track import MOVED_MM, DiscTrack
from vision.track.tracks.disc_track import PARAMS as TRACKS
from vision.track.tracks.disc_tracker import PARAMS as TRACKER
from vision.track.tracks.same_disc import is_of_disc
from vision.track.tracks.sliding_discs import PARAMS as SLIDING


class FlickParameters(StageParameters):
    """Parameters of ``flick``."""

    #: A resting disc is matched with a moving one last seen within this distance.
    found_mm: float = parameter(
        20.0, unit="mm", source="chosen: nearer than two radii, so that it cannot be another disc"
    )
    #: A disc that came back to the line without having been farther inside than this was slid, not
    #: shot.
    moved_mm: float = parameter(
        60.0, unit="mm", source="chosen: two diameters; hands slide discs less far along the line"
    )
    #: A disc that clearly slid fast inside the starting line, in at least this many frames, was
    #: shot or struck.
    slide_frames: int = parameter(
        5,
        unit="frames",
        source="measured: the tip of a hand that reaches for a disc looks round in up to 4 frames",
    )
    #: When a disc slides into another, it comes this close to the other's position as the other
    #: starts to move ...
    struck_radii: float = parameter(
        3.0,
        unit="radii",
        source="chosen: two discs touch at 2 radii; in a frame, a fast disc moves by 16 mm more",
    )
    #: ... within this time.
    struck_s: float = parameter(
        0.15, unit="s", source="chosen: the motion of a nudged disc is detected some frames later"
    )
    #: Two tracks that begin within this time, side by side, belong to one disc.
    twin_s: float = parameter(0.1, unit="s", source="chosen: three frames at 30 a second")


PARAMS = FlickParameters()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Flick:
    """The disc that was shot: its track, and the index of its last sample at rest.

    was_seen  whether its flight was seen; otherwise it was inferred
    """

    track: DiscTrack
    start: int
    was_seen: bool = True

    @property
    def t_start_s(self) -> float:
        """When it was flicked, s of the source."""
        return self.track.samples[self.start].t_s

    @property
    def place_mm(self) -> FloatArray:
        """Its place (2,) before the shot, board mm."""
        return self.track.samples[self.start].place_mm


def starting_line_mm(at_rest: BoardAtRest) -> float:
    """Radius of the line from which discs are shot, the 5-line."""
    return at_rest.fit.spec.line_radii_mm[2]


def find_flick(at_rest: BoardAtRest) -> Flick | None:
    """The first shot of a motion interval; None if none was seen.

    A track that ends at a disc, in the hole or off the board takes precedence over one that just
    ends.
    """
    flicks = (_find_flick_of(seen, at_rest) for seen in at_rest.tracks)
    found = [flick for flick in flicks if flick is not None]
    ended = [flick for flick in found if _ends_somewhere(flick.track, at_rest)]
    first = min(ended or found, key=lambda candidate: candidate.t_start_s, default=None)
    return None if first is None else _prefer_known(first, at_rest)


def _find_flick_of(seen: DiscTrack, at_rest: BoardAtRest) -> Flick | None:
    """The flick of one track, or None."""
    line_mm = starting_line_mm(at_rest)
    track = seen.extend_to_line(line_mm)
    start = track.find_flick(line_mm, _choose_least_round(track, at_rest))
    if start is None or _was_only_placed(track, at_rest):
        return None
    return Flick(track=track, start=start)


def _choose_least_round(track: DiscTrack, at_rest: BoardAtRest) -> float:
    """The least roundness required in flight. A disc that was at its start, moved straight and is
    at its end counts, however blurred it was.
    """
    if not _is_plainly_disc(track, at_rest):
        return CLEAR_ROUNDNESS
    is_known = track.name is not None and is_of_disc(
        track.last.place_mm, at_rest.board.discs, PARAMS.found_mm
    )
    return FREE_ROUNDNESS if is_known and has_flown_straight(track) else WEAK_ROUNDNESS


def _prefer_known(flick: Flick, at_rest: BoardAtRest) -> Flick:
    """The flick, assigned to the disc that was at its start and left at the same time. A blurred
    disc may be detected twice in a frame, so that its flight becomes two tracks.
    """
    if flick.track.name is not None:
        return flick
    for disc_track in at_rest.tracks:
        departure = disc_track.find_departure()
        if (
            disc_track.name is None
            or departure is None
            or not _is_plainly_disc(disc_track, at_rest)
        ):
            continue
        lay, left = disc_track.samples[departure : departure + 2]
        is_beside = np.linalg.norm(lay.place_mm - flick.place_mm) < PARAMS.moved_mm
        if not is_beside or abs(lay.t_s - flick.t_start_s) > PARAMS.twin_s:
            continue
        later = [seen for seen in flick.track.samples if seen.t_s > lay.t_s]
        track = replace(flick.track, name=disc_track.name, samples=[lay, *later])
        offsets_mm = measure_step_offsets(track.places_mm, left.place_mm)
        if np.linalg.norm(offsets_mm, axis=1).min() < at_rest.board.disc.radius_mm:
            return Flick(track=track, start=0)
    return flick


def find_slide(at_rest: BoardAtRest, going: Sequence[NamedDisc]) -> DiscTrack | None:
    """The first disc that slid freely and well inside the starting line, even without a known
    flick. Discs that are ``going`` are carried off by hands.
    """
    inside_mm = starting_line_mm(at_rest) - PARAMS.moved_mm
    for track in at_rest.tracks:
        away_mm = np.linalg.norm(track.places_mm - track.places_mm[0], axis=1)
        if away_mm.max() < PARAMS.moved_mm or any(
            np.linalg.norm(disc.place_mm - track.places_mm[0]) < PARAMS.found_mm for disc in going
        ):
            continue
        fast = track.speeds_mm_s() > TRACKS.fast_mm_s
        is_plain = [
            sample.is_free and sample.roundness > CLEAR_ROUNDNESS for sample in track.samples[1:]
        ]
        plain = fast & np.array(is_plain, dtype=bool)
        inside = np.linalg.norm(track.places_mm[1:], axis=1) < inside_mm
        is_clear = plain.sum() > TRACKS.clear_share * fast.sum()
        if is_clear and (plain & inside).sum() >= PARAMS.slide_frames:
            return track
    return None


def _was_only_placed(track: DiscTrack, at_rest: BoardAtRest) -> bool:
    """Whether a hand slid the disc onto the starting line, or along it, to its present place; or
    onto the rim beyond it, and never far inside it.

    A disc that slid freely from the middle of the board was shot. A disc in the ditch is a radius
    beyond the surface's edge.
    """
    away_mm, line_mm = np.linalg.norm(track.places_mm, axis=1), starting_line_mm(at_rest)
    rim_mm = at_rest.fit.spec.surface_radius_mm + at_rest.board.disc.radius_mm - TRACKER.at_rest_mm
    outer_mm = PARAMS.found_mm
    if away_mm.min() > line_mm - PARAMS.moved_mm:
        outer_mm = max(outer_mm, rim_mm - line_mm)
    on_line = -PARAMS.found_mm < away_mm[-1] - line_mm < outer_mm
    on_line = on_line and not _has_struck(track, at_rest)
    by_hand = at_rest.saw_hand or away_mm[-1] - away_mm.min() < PARAMS.moved_mm
    if not (
        on_line
        and by_hand
        and (
            is_of_disc(track.last.place_mm, at_rest.board.discs, PARAMS.found_mm)
            or _lies_still(track, at_rest)
        )
    ):
        return False
    inside = away_mm < line_mm - PARAMS.moved_mm
    inside[: away_mm.argmin()] = False  # an arm may have been over it on its way in
    is_free = all(sample.is_free for sample, far in zip(track.samples, inside, strict=True) if far)
    return not (is_free and away_mm.min() < line_mm / 2 and track.has_moved_freely())


def _has_struck(track: DiscTrack, at_rest: BoardAtRest) -> bool:
    """Whether it slid freely up to a disc on the board that then moved.

    A hand that slides a disc along the line stays on it, and pushes no other disc away.
    """
    near_mm = PARAMS.struck_radii * at_rest.board.disc.radius_mm
    for other in at_rest.tracks:
        departure = other.find_departure()
        if other.name is None or other is track or departure is None:
            continue
        lay, struck_s = other.samples[0].place_mm, other.samples[departure].t_s
        for k, sample in enumerate(track.samples):
            is_then = abs(sample.t_s - struck_s) < PARAMS.struck_s
            if is_then and np.linalg.norm(sample.place_mm - lay) < near_mm:
                return replace(track, samples=track.samples[: k + 1]).has_moved_freely(
                    TRACKS.fast_mm_s
                )
    return False


def _lies_still(track: DiscTrack, at_rest: BoardAtRest) -> bool:
    """Whether an object was seen at rest at the track's end until the board was read."""
    late = [sample for sample in track.samples if at_rest.t_s - sample.t_s <= SLIDING.rest_s]
    return len(late) > 1 and all(
        np.linalg.norm(sample.place_mm - track.last.place_mm) < MOVED_MM for sample in late
    )


def _is_plainly_disc(track: DiscTrack, at_rest: BoardAtRest) -> bool:
    """Whether the disc at the track's start is gone, or there is a disc at its end, inside the
    line. A waiting disc that was not read at the start is followed from there.
    """
    line_mm = starting_line_mm(at_rest)
    now = [disc.centre_mm for disc in at_rest.board.discs]
    if track.name is not None:
        lay_mm = at_rest.before[int(track.name)].centre_mm
        return not any(np.linalg.norm(place_mm - lay_mm) < PARAMS.found_mm for place_mm in now)
    began_mm = track.samples[0].place_mm
    if track.samples[0].t_s <= at_rest.t_from_s:
        return all(np.linalg.norm(place_mm - began_mm) > PARAMS.found_mm for place_mm in now)
    for lay_mm in (disc.centre_mm for disc in at_rest.before):
        is_gone = all(np.linalg.norm(place_mm - lay_mm) > PARAMS.found_mm for place_mm in now)
        if is_gone and np.linalg.norm(lay_mm - began_mm) < 2 * PARAMS.found_mm:
            return True
    away_mm = float(np.linalg.norm(track.last.place_mm))
    return (
        is_of_disc(track.last.place_mm, at_rest.board.discs, PARAMS.found_mm)
        and away_mm < line_mm - PARAMS.found_mm
    )


def _ends_somewhere(track: DiscTrack, at_rest: BoardAtRest) -> bool:
    """Whether a disc is at the track's end, or it ends in the hole or off the board."""
    place_mm, spec = track.last.place_mm, at_rest.fit.spec
    off_hole_mm = float(np.linalg.norm(place_mm - np.array(spec.hole_centre_mm)))
    if off_hole_mm < spec.hole_radius_mm or np.linalg.norm(place_mm) > starting_line_mm(at_rest):
        return True
    return is_of_disc(track.last.place_mm, at_rest.board.discs, PARAMS.found_mm)
