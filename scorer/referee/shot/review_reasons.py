"""Review reasons: the unclear and the unseen parts of a shot, as one clause per reason. Every
reason is a simple test of the evidence. ``scorer.referee.shot.ruling`` decides the consequences.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from calibration.board import FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.phrase import Phrase
from calibration.placed_disc import DiscState, Team
from scorer.referee.disc_identities import PARAMS as DISC_IDENTITIES
from scorer.referee.disc_identities import NamedDisc
from scorer.referee.manual_moves import is_ready, is_twenty
from scorer.referee.seating import Seating, find_quadrant
from scorer.referee.shot.contact_hypotheses import keeps_away
from scorer.referee.shot.flick import starting_line_mm
from scorer.referee.shot.possible_twenties import may_have_fallen_in
from scorer.referee.shot.shot_evidence import ShotEvidence
from vision.reading import UnexplainedObject, UnexplainedReason
from vision.track.events import BoardAtRest
from vision.track.motion.blob_appearance import CLEAR_ROUNDNESS
from vision.track.tracks.disc_track import PARAMS as TRACKS
from vision.track.tracks.disc_track import DiscTrack
from vision.track.tracks.same_disc import PARAMS as SAME_DISC


class ReviewReasonsParameters(StageParameters):
    """Parameters of ``review_reasons``."""

    #: If frames are missing for longer than this while discs moved, evidence is missing.
    gap_s: float = parameter(
        0.2, unit="s", source="chosen: a disc at 1 m/s crosses two thirds of the board's radius"
    )
    #: A disc that was lost from sight may have left the surface if it could have done so in this
    #: time.
    soon_s: float = parameter(
        0.2, unit="s", source="chosen: some frames in which a hand hides the disc"
    )
    #: A free disc counts as struck if another reaches its position this soon after it left.
    struck_s: float = parameter(
        0.15, unit="s", source="chosen: a hand takes longer to reach in and remove a disc"
    )
    into_radii: float = parameter(
        1.5,
        unit="radii",
        source="chosen: two discs touch at 2 radii; less the error of a blurred disc's place",
    )
    still_mm_s: float = parameter(
        30.0, unit="mm/s", source="chosen: a blob's error, 1 mm per frame at 30 frames a second"
    )
    #: A disc that strikes another loses more than this share of its speed.
    struck_share: float = parameter(
        0.5,
        unit="share",
        source="chosen: in a central hit, a disc loses 0.8 and more of its speed to one of "
        "equal weight",
    )


PARAMS = ReviewReasonsParameters()
#: Reasons why a shot's disc may be the other side's: it was never seen at rest, or it was.
_TOO_FAST_REASON = Phrase("the disc moved too fast to show its colour")
_UNCLEAR_REASON = Phrase("it is not clear whose disc was shot")


def find_review_reasons(
    shot: ShotEvidence, earlier: BoardAtRest | None, *, was_bumped: bool
) -> Iterator[str]:
    """Reasons why a person must decide, given the contacts; ``earlier`` is the board before the
    shot.

    If the other side's discs were struck, objects seen there before do not matter.
    """
    at_rest, change = shot.at_rest, shot.change
    if at_rest.was_interrupted or was_bumped:
        yield Phrase("the picture jumped while the discs were moving")
    if _has_stood_still(at_rest):
        yield Phrase("the picture froze while the discs were moving")
    if shot.is_team_doubtful:
        yield _UNCLEAR_REASON if shot.was_placed else _TOO_FAST_REASON
    if not _was_seen_to_end(shot):
        yield Phrase(
            "%(name)s has disappeared but was not seen leaving the board", name=shot.shooter.name
        )
    doubtful_twenty = find_doubtful_twenty(shot)
    lay_there = earlier.board.unexplained if earlier and _saw_opponent_struck(shot) else ()
    untouched = find_untouched_doubts(shot)
    for item in at_rest.board.unexplained:
        if any(item is other for other in untouched):
            continue  # the round's points may depend on it if it is there at the end
        if any(_is_same_place(item, other, at_rest) for other in lay_there):
            continue
        if doubtful_twenty is not None and item.reason is UnexplainedReason.LEANING:
            continue  # its verdict is judged for both zones
        yield str(item.reason)
    for name in change.new_names:
        named = change.find_disc(name)
        if named is None or not is_ready(named, at_rest.fit.spec):
            yield Phrase("%(name)s is on the board but was not seen arriving", name=name)


def find_untouched_doubts(shot: ShotEvidence) -> list[UnexplainedObject]:
    """Objects that may be or hide a disc but play no part in the shot: moving discs were followed
    and stayed far from them, and the other side had discs on the board anyway.
    """
    has_opponent = any(
        disc.is_in_play
        and disc.disc.team != shot.shooter.disc.team
        and disc.disc.state is DiscState.FLAT
        and disc.disc.confidence > DISC_IDENTITIES.sure_confidence
        and (disc.is_sure and not disc.must_go)
        for disc in shot.before
    )
    line_mm = starting_line_mm(shot.at_rest)
    return [
        item
        for item in shot.at_rest.board.unexplained
        if has_opponent
        and item.reason is not UnexplainedReason.LEANING
        and np.linalg.norm(item.centre_mm) < line_mm
        and keeps_away(shot, item.centre_mm)
    ]


def find_alike_reasons(
    shot: ShotEvidence, teams: Sequence[Team], seating: Seating, *, is_first: bool
) -> Iterator[str]:
    """The reason that two sides' discs look alike: by the seat, the other side shot; or before the
    first seen shot, almost all discs on the board seem to be of one side.
    """
    shot_from, place_mm = seating.last_quadrant, shot.shooter.place_mm
    is_elsewhere = shot_from is not None and shot_from != find_quadrant(place_mm)
    lie_there = any(not is_ready(disc, shot.at_rest.fit.spec) for disc in shot.before)
    if len(teams) == 1 and (is_elsewhere or (is_first and lie_there)):
        yield Phrase("both sides' discs look alike so far")


def _has_stood_still(at_rest: BoardAtRest) -> bool:
    """Whether the picture froze: a fast disc is at rest from one frame to the next, and nothing
    else moves.

    A disc that stops like this after striking another one sets it in motion.
    """
    flat_mm = [disc.centre_mm for disc in at_rest.board.discs if disc.state is DiscState.FLAT]
    stops_s = [
        stop_s
        for track in at_rest.tracks
        if (stop_s := _find_dead_stop(track)) is not None
        and any(
            np.linalg.norm(track.last.place_mm - lies) < SAME_DISC.unmoved_mm for lies in flat_mm
        )
    ]
    return bool(stops_s) and not any(_moves_after(track, max(stops_s)) for track in at_rest.tracks)


def _find_dead_stop(track: DiscTrack) -> float | None:
    """Time, s, of a disc's first rest if it slid fast until the frame before."""
    speeds_mm_s = track.speeds_mm_s()
    moving = np.flatnonzero(speeds_mm_s > PARAMS.still_mm_s)
    if len(moving) == 0 or moving[-1] == len(speeds_mm_s) - 1:
        return None
    last = int(moving[-1])
    return float(track.times_s[last + 1]) if speeds_mm_s[last] > TRACKS.fast_mm_s else None


def _moves_after(track: DiscTrack, t_s: float) -> bool:
    """Whether the disc, or an object taken for one, moved on after that time."""
    later = track.speeds_mm_s()[track.times_s[1:] > t_s]
    return bool((later > PARAMS.struck_share * TRACKS.fast_mm_s).any())


def _is_same_place(now: UnexplainedObject, before: UnexplainedObject, at_rest: BoardAtRest) -> bool:
    away_mm = float(np.linalg.norm(now.centre_mm - before.centre_mm))
    return now.reason is before.reason and away_mm < at_rest.board.disc.radius_mm


def find_doubtful_twenty(shot: ShotEvidence) -> NamedDisc | None:
    """The disc in the hole that may lean on its edge instead; None if there is none."""
    if all(item.reason is not UnexplainedReason.LEANING for item in shot.at_rest.board.unexplained):
        return None
    return next((disc for disc in shot.change.now if is_twenty(disc)), None)


def find_unseen_departures(shot: ShotEvidence) -> list[NamedDisc]:
    """The discs that are gone and were not seen to leave, so a hand may have taken them off."""
    return [
        disc
        for disc in shot.change.gone
        if disc.name != shot.shooter.name
        and not _can_be_gone(disc, shot.tracks.get(disc.name), shot.at_rest)
        and not _was_struck(disc, shot)
    ]


def find_vanished(shot: ShotEvidence) -> Iterator[NamedDisc]:
    """The discs that moved, were not seen to leave, and were seen to slow down on the board. A fast
    disc that was lost from sight may not have stayed.
    """
    for departure in find_unseen_departures(shot):
        track = shot.tracks.get(departure.name)
        if track is None or track.find_departure() is None or departure.must_go:
            continue
        if np.linalg.norm(track.velocity_mm_s()) < TRACKS.flicked_mm_s:
            yield departure


def _was_seen_to_end(shot: ShotEvidence) -> bool:
    """Whether the shooter's disc is on the board, or was seen leaving it; a fall into the hole is
    checked elsewhere.
    """
    shooter = shot.shooter
    is_gone = all(disc.name != shooter.name for disc in shot.change.now)
    if not (is_gone and shot.flick.was_seen):
        return True
    own = _drop_strangers(shot.flick.track)
    others = (track for track in shot.at_rest.tracks if track.name is None)
    went_on = [
        other for other in others if other.last.t_s > own.last.t_s and other.has_moved_freely()
    ]
    return any(
        _can_be_gone(shooter, track, shot.at_rest) for track in (own, *went_on)
    ) or may_have_fallen_in(shooter, own, shot.at_rest)


def _drop_strangers(track: DiscTrack) -> DiscTrack:
    """The track until it was lost for long and continued without sliding, as a finger does."""
    pauses = np.flatnonzero(np.diff(track.times_s) > PARAMS.soon_s)
    for index in pauses + 1:
        if not replace(track, samples=track.samples[index:]).has_moved_freely():
            return replace(track, samples=track.samples[:index])
    return track


def _was_struck(disc: NamedDisc, shot: ShotEvidence) -> bool:
    """Whether a disc was free at its place until another slid there."""
    own = shot.tracks.get(disc.name)
    if own is None or not own.last.is_free:
        return False
    since_s = own.last.t_s
    within_mm = PARAMS.into_radii * shot.at_rest.board.disc.radius_mm
    if np.linalg.norm(own.last.place_mm - disc.place_mm) > within_mm:
        return False
    return any(
        track.has_moved_freely(TRACKS.fast_mm_s)
        and _reaches(track, disc.place_mm, within_mm, since_s, since_s + PARAMS.struck_s)
        for track in shot.at_rest.tracks
        if track.last.t_s > since_s
    )


def _reaches(
    track: DiscTrack, place_mm: FloatArray, within_mm: float, from_s: float, until_s: float
) -> bool:
    """Whether a disc came that close to a position (2,) between two times, also between samples."""
    for a, b in pairwise(track.samples):
        if b.t_s < from_s or a.t_s > until_s:
            continue
        step_mm, to_mm = b.place_mm - a.place_mm, place_mm - a.place_mm
        share = np.clip(to_mm @ step_mm / max(float(step_mm @ step_mm), 1e-9), 0.0, 1.0)
        if np.linalg.norm(to_mm - share * step_mm) < within_mm:
            return True
    return False


def find_missing_evidence(shot: ShotEvidence) -> Iterator[str]:
    """Reasons why the contacts may not have been seen."""
    at_rest = shot.at_rest
    if not (shot.flick.was_seen or _saw_opponent_struck(shot)):
        yield Phrase("the shot itself was not seen")
    if at_rest.longest_gap_s > PARAMS.gap_s:
        yield Phrase(
            "no frames arrived for %(longest_gap_s).1f s while the discs were moving",
            longest_gap_s=at_rest.longest_gap_s,
        )


def _saw_opponent_struck(shot: ShotEvidence) -> bool:
    """Whether the other side's discs were displaced while discs were seen to slide freely.

    A hand does not do that, so the shot reached them, whichever disc struck them. A track that
    began at the place of one of them is that disc, however blurred. Any other object may be a
    finger, unless it is clearly round.
    """
    opponents = {disc.name for disc in shot.before if disc.disc.team != shot.shooter.disc.team}
    struck = opponents.intersection(shot.displacements.moved_mm)
    own = [shot.tracks[name] for name in struck if name in shot.tracks]
    return bool(struck) and (
        any(track.has_moved_freely(TRACKS.fast_mm_s) for track in own)
        or any(
            track.has_moved_freely(TRACKS.fast_mm_s, CLEAR_ROUNDNESS)
            for track in shot.at_rest.tracks
        )
    )


def _can_be_gone(disc: NamedDisc, track: DiscTrack | None, at_rest: BoardAtRest) -> bool:
    """Whether the disc was last seen on its way off the board."""
    line_mm = starting_line_mm(at_rest)
    if track is None:
        return float(np.linalg.norm(disc.place_mm)) > line_mm
    soon_mm = track.last.place_mm + PARAMS.soon_s * track.velocity_mm_s()
    reached_mm = max(np.linalg.norm(soon_mm), np.linalg.norm(track.last.place_mm))
    return float(reached_mm) > line_mm
