"""Evidence of one shot: all observations between two boards at rest, with discs by name.

Tracks of the motion interval get the names of the discs that they began with, the two boards' discs
are matched (see ``scorer.referee.disc_identities``), and displacements are measured. The rules and
the physics check decide its consequences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.board import FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import DiscState, Team
from scorer.referee.disc_identities import (
    BoardChange,
    DiscNamer,
    NamedDisc,
    match_discs,
)
from scorer.referee.shot.displacements import (
    Displacements,
    combine_displacements,
    measure_displacements,
)
from scorer.referee.shot.flick import Flick, find_flick
from scorer.referee.shot.shooter import UNKNOWN_TEAM, find_known_disc, find_shooter
from vision.track.events import BoardAtRest
from vision.track.tracks.disc_track import DiscTrack
from vision.track.tracks.same_disc import PARAMS as SAME_DISC


class ShotEvidenceParameters(StageParameters):
    """Parameters of ``shot_evidence``."""

    #: A disc on the board is seen at least once in this time.
    about_s: float = parameter(
        0.2, unit="s", source="chosen: six frames at 30 a second, most of which show the disc"
    )
    #: Flicks from two cameras are one flick if their starts are within this, in time and in
    #: distance.
    same_flick_s: float = parameter(
        0.5,
        unit="s",
        source="chosen: half of the difference by which two cameras' clocks can be distinguished",
    )
    same_flick_mm: float = parameter(
        120.0,
        unit="mm",
        source="chosen: the distance of a frame at 3 m/s, and half a disc seen from the side",
    )


PARAMS = ShotEvidenceParameters()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KnownBoard:
    """The knowledge before a motion interval: discs, teams, the board at rest, and the number of
    the team that shot ``last``.
    """

    discs: Sequence[NamedDisc]
    teams: Sequence[Team]
    previous: BoardAtRest | None
    last: int | None = None

    def may_shoot(self, team: int) -> bool:
        """Whether the other side shot last, so that it is this side's turn."""
        return self.last is not None and self.last != team


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ShotEvidence:
    """One shot between two boards at rest.

    shooter     the disc that was shot, at its place before the shot
    was_placed  whether it was read there at rest
    is_team_doubtful  whether it may be another side's disc
    before      the other discs on the board before
    taken_off   discs that had to be removed, and that a hand removed before the shot
    tracks      by the discs' names
    views       the same shot from the other cameras on the board
    """

    at_rest: BoardAtRest
    flick: Flick
    shooter: NamedDisc
    was_placed: bool
    before: tuple[NamedDisc, ...]
    taken_off: tuple[NamedDisc, ...]
    tracks: Mapping[str, DiscTrack]
    change: BoardChange
    displacements: Displacements
    is_team_doubtful: bool = False
    views: tuple[ShotEvidence, ...] = ()

    @property
    def unmoved(self) -> frozenset[str]:
        """Names of discs that have not moved according to the pictures."""
        known = {*self.displacements.moved_mm, *self.displacements.unsure, self.shooter.name}
        return frozenset(disc.name for disc in self.before if disc.name not in known)


def collect_evidence(
    at_rest: BoardAtRest, flick: Flick, known: KnownBoard, namer: DiscNamer
) -> ShotEvidence:
    """All evidence of the shot; new discs get names from ``namer``."""
    found = find_shooter(at_rest, flick, known.discs, known.teams, namer)
    shooter = found.disc
    before = tuple(disc for disc in known.discs if disc.name != shooter.name)
    tracks = _name_tracks(at_rest, flick, shooter.name, known.discs)
    expected: dict[str, FloatArray] = {name: track.last.place_mm for name, track in tracks.items()}
    change = match_discs(
        (*before, shooter),
        at_rest.board.discs,
        expected,
        known.teams or (UNKNOWN_TEAM,),
        namer,
        after_shot=True,
    )
    taken_off = tuple(
        disc
        for disc in change.gone
        if disc.must_go and not _was_at_rest_at(disc, tracks.get(disc.name), flick.t_start_s)
    )
    before = tuple(disc for disc in before if disc not in taken_off)
    change = replace(change, gone=tuple(disc for disc in change.gone if disc not in taken_off))
    earlier = None if known.previous is None else known.previous.find_view(at_rest.camera)
    shot = ShotEvidence(
        at_rest=at_rest,
        flick=flick,
        shooter=shooter,
        was_placed=found.was_placed,
        before=before,
        taken_off=taken_off,
        tracks=tracks,
        change=change,
        displacements=measure_displacements(before, change, shooter.name, earlier, at_rest),
        is_team_doubtful=found.is_team_doubtful
        and not (found.was_placed and known.may_shoot(shooter.disc.team)),
    )
    return _add_views(shot, known) if at_rest.also else shot


def _add_views(shot: ShotEvidence, known: KnownBoard) -> ShotEvidence:
    """The shot with the other cameras' evidence: displacements from all of them, and tracks of
    discs that the first camera did not see move.
    """
    views = [_view_shot(shot, board, known) for board in shot.at_rest.also]
    displacements = shot.displacements
    for view in views:
        displacements = combine_displacements(displacements, view.displacements)
    tracks = dict(shot.tracks)
    for view in views:
        for name, track in view.tracks.items():
            tracks.setdefault(name, _see_from(track, view.at_rest, shot.at_rest))
    return replace(
        shot,
        tracks=tracks,
        displacements=displacements,
        views=tuple(replace(view, displacements=displacements) for view in views),
    )


def _view_shot(shot: ShotEvidence, view: BoardAtRest, known: KnownBoard) -> ShotEvidence:
    """The shot from another camera: with its tracks if it saw the same flick, otherwise only with
    its boards.
    """
    flick, name = find_flick(view), shot.shooter.name
    is_same = flick is not None and (
        abs(flick.t_start_s - shot.flick.t_start_s) < PARAMS.same_flick_s
        and np.linalg.norm(flick.place_mm - shot.shooter.place_mm) < PARAMS.same_flick_mm
    )
    tracks = {}
    if flick is not None and is_same:
        others = (*shot.before, shot.shooter)
        tracks = _name_tracks(view, flick, name, others)
    # discs in other states are higher
    flat = [disc for disc in shot.before if disc.disc.state is DiscState.FLAT]
    earlier = None if known.previous is None else known.previous.find_view(view.camera)
    return replace(
        shot,
        at_rest=view,
        flick=flick if flick is not None and is_same else shot.flick,
        tracks=tracks,
        displacements=measure_displacements(flat, shot.change, name, earlier, view),
    )


def _see_from(track: DiscTrack, seen_by: BoardAtRest, by: BoardAtRest) -> DiscTrack:
    """The track as another camera would see it, from where half a disc's height appears in a
    different direction.
    """
    height_mm = by.board.disc.height_mm / 2
    samples = []
    for sample in track.samples:
        seen_from = seen_by.fit.view.cam_from_board
        base_mm = sample.place_mm - height_mm * seen_from.shift_per_mm(sample.place_mm)
        place_mm = base_mm + height_mm * by.fit.view.cam_from_board.shift_per_mm(base_mm)
        samples.append(replace(sample, place_mm=place_mm))
    return DiscTrack(name=None, lab=track.lab, samples=samples)


def _was_at_rest_at(disc: NamedDisc, track: DiscTrack | None, t_s: float) -> bool:
    """Whether the disc was seen at its place at about that time."""
    return track is not None and any(
        abs(seen.t_s - t_s) < PARAMS.about_s
        and np.linalg.norm(seen.place_mm - disc.place_mm) < SAME_DISC.unmoved_mm
        for seen in track.samples
    )


def _name_tracks(
    at_rest: BoardAtRest, flick: Flick, shooter: str, discs: Sequence[NamedDisc]
) -> dict[str, DiscTrack]:
    """Tracks by the names of the known discs that they began with, and the shooter's."""
    named = {shooter: flick.track}
    for track in at_rest.tracks:
        known = find_known_disc(track, at_rest, discs)
        if known is not None and known.name not in named:
            named[known.name] = track
    return named
