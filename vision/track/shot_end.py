"""The end of a shot: the moment at which the board is read.

Usually that is the first frame in which all visible parts of the board are still. The board is read
earlier if something may hide it: a cut, a jump, a hand, the end. The last frame of the board then
gives the outcome if all shot or struck discs were at rest in it, out of play or out of sight, and
nothing covers the places that they went to. Otherwise ``OutcomeUnseen`` is reported.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from vision.track.background.registration import estimate_shift_mm
from vision.track.events import BoardAtRest, OutcomeUnseen, TrackerEvent
from vision.track.motion.motion_gate import SceneState
from vision.track.motion.occlusion import Occlusion, has_stayed_too_long
from vision.track.read_at_rest import read_at_rest
from vision.track.recent_frames import CameraFrame
from vision.track.session import SessionState
from vision.track.states import AtRest, InMotion, TrackerState, Unread
from vision.track.status_reports import StatusReports
from vision.track.tracked_view import ClassifiedFrame, is_moved
from vision.track.tracks.disc_track import DiscTrack
from vision.track.tracks.sliding_discs import (
    find_moved_discs,
    find_vanished_discs,
    has_come_to_rest,
    is_moving,
    list_outcome_places,
)
from vision.track.transitions import come_to_rest, lose_view, start_motion_again


def can_read_around(
    state: Unread | InMotion,
    occlusion: Occlusion,
    shown: ClassifiedFrame,
    session: SessionState,
    again_s: float,
) -> bool:
    """Whether all visible parts are at rest and show the outcome, though something covers others.

    A disc that came to rest under a hand, or may have touched one there, is judged when it is seen
    again. The board is not read around an object that was put onto it. If nobody shot, the board is
    read again after ``again_s``.
    """
    if shown.scene is not SceneState.STILL or not isinstance(state, InMotion):
        return False
    if not occlusion.is_person or has_stayed_too_long(occlusion, shown.t_s):
        return False
    if not find_moved_discs(state.interval.tracker.tracks, state.view.fit):
        return shown.t_s - state.interval.t_from_s > again_s
    return shows_outcome(state, occlusion, session, but_untouched=True)


def read_still_board(
    state: Unread | InMotion, shown: ClassifiedFrame, session: SessionState, reports: StatusReports
) -> Generator[TrackerEvent, None, TrackerState]:
    """Read the board in its first still frame, unless it has been moved."""
    if isinstance(state, InMotion):
        view = state.view
        shift_mm = estimate_shift_mm(view.rectifier, view.background, shown.normalised)
        if shift_mm is not None and is_moved(shift_mm):
            return lose_view(state)
    yield read_at_rest(state, session, shown.normalised, shown.frame)
    yield from reports.report_read(shown.t_s)
    return come_to_rest(state)


def read_newest(state: InMotion, session: SessionState) -> Generator[TrackerEvent, None, bool]:
    """Read the board of the last frame that showed it, at a cut and at the end of a source.

    Returns whether it was read; an unseen end of a shot is reported.
    """
    tracks, newest = state.interval.tracker.tracks, state.interval.newest
    if newest is None:
        return False
    moved, is_over = find_moved_discs(tracks, state.view.fit), _shows_end_of_shot(state, session)
    if not moved and state.view.occlusion is None:  # too few frames show how discs were taken away
        moved = find_vanished_discs(tracks, newest[1].t_s)
        is_over = bool(moved) and _have_come_to_rest(state, tracks, session)
    if is_over:
        yield _read_shot(state, session)
    elif moved:
        yield OutcomeUnseen(t_s=newest[1].t_s, t_from_s=state.interval.t_from_s)
    return is_over


def read_before_cut(
    state: InMotion, frame: CameraFrame, session: SessionState
) -> Generator[TrackerEvent, None, InMotion]:
    """The state in motion from ``frame`` on, the first frame after a cut."""
    if not (yield from read_newest(state, session)):
        return state
    return start_motion_again(state, frame, session)


def read_before_silence(
    state: InMotion, session: SessionState
) -> Generator[TrackerEvent, None, InMotion | AtRest]:
    """The state at rest, if the last frame showed the end of a shot and no frame followed for
    long.
    """
    if not _shows_end_of_shot(state, session):
        return state
    yield _read_shot(state, session)
    return come_to_rest(state)


def read_unread_shot(state: Unread, session: SessionState) -> BoardAtRest | None:
    """The board in the last frame of a view that was not read yet, if shot or struck discs are at
    rest in it; None if there are none, or they are not.
    """
    moved = find_moved_discs(state.interval.tracker.tracks, state.view.fit)
    if state.interval.newest is None or not moved or not _have_come_to_rest(state, moved, session):
        return None
    return read_at_rest(state, session, *state.interval.newest)


def read_before_hand(
    state: InMotion, occlusion: Occlusion, frame: CameraFrame, session: SessionState
) -> Generator[TrackerEvent, None, InMotion]:
    """The state in motion from ``frame`` on, if a hand covers the effects of a shot.

    The hand may remove a disc whose place was never seen, so the board is read before that.
    """
    if shows_outcome(state, occlusion, session):
        return state
    return (yield from _read_ended_shot(state, frame, session))


def read_before_shake(
    state: InMotion, frame: CameraFrame, session: SessionState
) -> Generator[TrackerEvent, None, InMotion]:
    """The state in motion from ``frame`` on, if the picture jumps. The jump may be a bump, or a cut
    to a similar view; after a cut, a finished shot can no longer be read.
    """
    if state.interval.was_interrupted:
        return state
    return (yield from _read_ended_shot(state, frame, session))


def shows_outcome(
    state: InMotion, occlusion: Occlusion, session: SessionState, *, but_untouched: bool = False
) -> bool:
    """Whether nothing covers the places of discs and the ways of those that were shot.

    A covered disc that none of the shot discs can have touched does not hide the outcome;
    ``but_untouched`` leaves such discs out.
    """
    tracks, view, radius_mm = state.interval.tracker.tracks, state.view, session.radius_mm
    reached_by_mm = radius_mm if but_untouched else None
    places_mm = list_outcome_places(tracks, session.discs, view.fit, reached_by_mm)
    return not occlusion.hides_disc(view.rectifier, places_mm, radius_mm)


def _read_ended_shot(
    state: InMotion, frame: CameraFrame, session: SessionState
) -> Generator[TrackerEvent, None, InMotion]:
    """The state in motion from ``frame`` on, if the frame before showed the end of a shot."""
    if not _shows_end_of_shot(state, session):
        return state
    yield _read_shot(state, session)
    return start_motion_again(state, frame, session)


def _read_shot(state: InMotion, session: SessionState) -> BoardAtRest:
    """The board in the last frame that showed it."""
    assert state.interval.newest is not None  # this frame showed the end of a shot
    return read_at_rest(state, session, *state.interval.newest)


def _shows_end_of_shot(state: InMotion, session: SessionState) -> bool:
    """Whether the last frame of the board shows the end of a shot.

    If a disc that the shot cannot have touched is covered, all discs must have stopped, because a
    hand may be carrying one off.
    """
    view, occlusion = state.view, state.view.occlusion
    moved = find_moved_discs(state.interval.tracker.tracks, view.fit)
    if not moved or not _have_come_to_rest(state, moved, session):
        return False
    if occlusion is None or shows_outcome(state, occlusion, session):
        return True
    return (
        occlusion.is_person
        and not any(is_moving(track) for track in moved)
        and shows_outcome(state, occlusion, session, but_untouched=True)
    )


def _have_come_to_rest(
    state: Unread | InMotion, tracks: Sequence[DiscTrack], session: SessionState
) -> bool:
    """Whether in the last frame of the board all these discs were at rest, out of play or out of
    sight.
    """
    newest, fit = state.interval.newest, state.view.fit
    return newest is not None and all(
        has_come_to_rest(track, fit, session.radius_mm, newest[1].t_s) for track in tracks
    )
