"""Transitions between the tracker's states: one function for every transition, and no other code
makes a new state.

They decide nothing; ``locate`` and ``follow`` decide the content of a frame. Their signatures
accept only the states that a transition can start from.
"""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

import numpy as np

from calibration.fit import BoardFit
from vision.track.motion.motion_gate import MotionGate
from vision.track.recent_frames import CameraFrame
from vision.track.session import SessionState
from vision.track.states import (
    AfterCut,
    AtRest,
    Away,
    Dark,
    Glimpse,
    InMotion,
    InSight,
    Lit,
    LossCause,
    OtherPicture,
    OtherView,
    OutOfSight,
    SearchSchedule,
    Seeking,
    Unread,
)
from vision.track.tracked_view import create_view, start_interval

#: After a failed search, the next one follows after this time, which then doubles: soon enough for
#: a person who waits.
_SEARCH_AGAIN_S = 0.5
#: The longest such time: a search takes most of a second of processor time.
LONGEST_SEARCH_PAUSE_S = 8.0
#: Interval of searches for the board while another view is shown: often enough to notice that the
#: view stays or changes.
SEARCH_OTHER_VIEW_S = 1.0


# Out of sight


def start_seeking() -> Seeking:
    """The state before the first frame: the board is searched for at once."""
    return Seeking(search=_search_at_once())


def postpone_search(state: OutOfSight, t_s: float) -> OutOfSight:
    """Still out of sight, after a search at ``t_s`` that found no board."""
    search = SearchSchedule(
        next_s=t_s + state.search.pause_s,
        pause_s=min(2 * state.search.pause_s, LONGEST_SEARCH_PAUSE_S),
    )
    match state:
        case Seeking():
            return replace(state, search=search)
        case Away():
            return replace(state, search=search, other_view=None)
        case _:
            assert_never(state)


def wait_for_view(state: Away, other: OtherView, t_s: float) -> Away:
    """Still away: at ``t_s`` another view is shown, which may not stay."""
    search = replace(state.search, next_s=t_s + SEARCH_OTHER_VIEW_S)
    return replace(state, search=search, other_view=other)


def find_again(state: Away, frame: CameraFrame, session: SessionState) -> InMotion:
    """In motion: the lost view is back, and the changes in the meantime must be read."""
    state.view.motion_gate, state.view.last_reading = MotionGate(state.view.rectifier), None
    interval = start_interval(frame, session.discs, session.teams)
    interval.was_interrupted = True
    return InMotion(view=state.view, interval=interval)


def adopt_view(state: OutOfSight, fit: BoardFit, frame: CameraFrame) -> Unread:
    """Unread: the board is at ``fit``, from where it is followed."""
    match state:
        case Seeking():
            older = None
        case Away(view=lost):
            older = lost.background
        case _:
            assert_never(state)
    return Unread(
        view=create_view(fit, frame.picture),
        interval=start_interval(frame),
        older_background=older,
    )


# Lost


def lose_view(state: InSight) -> OutOfSight:
    """Out of sight: the camera or the board was moved, or the picture was cut."""
    return _lose(state, LossCause.VIEW_CHANGED)


def lose_resized(state: InSight) -> OutOfSight:
    """Out of sight: frames have another size."""
    return _lose(state, LossCause.RESIZED)


def lose_unread(state: Unread) -> OutOfSight:
    """Out of sight: the picture was cut before anything was read."""
    return _lose(state, LossCause.CUT)


def lose_occluded(state: Unread | InMotion) -> OutOfSight:
    """Out of sight: objects over the board do not move."""
    return _lose(state, LossCause.OCCLUDED)


def _lose(state: InSight, cause: LossCause) -> OutOfSight:
    search = _search_at_once()
    match state:
        case Unread(view=view):
            glimpse = Glimpse(fit=view.fit, was_moved=cause is LossCause.VIEW_CHANGED)
            return Seeking(search=search, glimpse=glimpse)
        case (
            AtRest(view=view) | InMotion(view=view) | AfterCut(view=view) | OtherPicture(view=view)
        ):
            return Away(view=view, cause=cause, search=search)
        case Dark(before=before):
            return _lose(before, cause)
        case _:
            assert_never(state)


def _search_at_once() -> SearchSchedule:
    return SearchSchedule(next_s=-np.inf, pause_s=_SEARCH_AGAIN_S)


# In sight


def start_motion(
    state: Lit, frame: CameraFrame, session: SessionState
) -> Unread | InMotion | OtherPicture:
    """In motion, from a board at rest; a state in motion, or unread, stays unchanged."""
    match state:
        case AtRest(view=view):
            interval = start_interval(frame, session.discs, session.teams)
            return InMotion(view=view, interval=interval)
        case Unread() | InMotion() | OtherPicture():
            return state
        case _:
            assert_never(state)


def start_motion_again(state: InMotion, frame: CameraFrame, session: SessionState) -> InMotion:
    """Still in motion, in a new interval from ``frame`` on, because the board before it was just
    read.
    """
    return InMotion(view=state.view, interval=start_interval(frame, session.discs, session.teams))


def cut_away(state: InMotion | OtherPicture, t_s: float) -> OtherPicture:
    """Other picture, from the first frame that shows something else."""
    state.interval.was_interrupted, state.interval.t_changed_s = True, t_s
    match state:
        case OtherPicture():
            return state
        case InMotion(view=view, interval=interval):
            return OtherPicture(view=view, interval=interval, since_s=t_s)
        case _:
            assert_never(state)


def cut_back(state: InMotion | OtherPicture) -> InMotion:
    """In motion again: the picture shows the board."""
    match state:
        case OtherPicture(view=view, interval=interval):
            return InMotion(view=view, interval=interval)
        case InMotion():
            return state
        case _:
            assert_never(state)


def interrupt(
    state: AtRest | InMotion | AfterCut, frame: CameraFrame, session: SessionState
) -> InMotion:
    """In motion, because the picture jumped at ``frame``."""
    match state:
        case AtRest(view=view):
            interval = start_interval(frame, session.discs, session.teams)
        case InMotion(view=view, interval=interval) | AfterCut(view=view, before=interval):
            pass
        case _:
            assert_never(state)
    interval.was_interrupted = True
    return InMotion(view=view, interval=interval)


def come_to_rest(state: Unread | InMotion) -> AtRest:
    """At rest: the board was read."""
    return AtRest(view=state.view)


def cut_within_view(
    state: AtRest | InMotion | AfterCut, frame: CameraFrame, session: SessionState
) -> AfterCut:
    """After a cut, from ``frame`` on, which shows the same view at another moment."""
    match state:
        case AfterCut(before=before):
            pass
        case AtRest() | InMotion():
            before = interrupt(state, frame, session).interval
        case _:
            assert_never(state)
    return AfterCut(view=state.view, before=before, frames=(frame,))


def go_back(state: AtRest | AfterCut, first: CameraFrame) -> InMotion:
    """In motion from the ``first`` frame on.

    The frame belongs to a view, or to the scene after a cut, which is read only later.
    """
    view = state.view
    view.motion_gate, view.last_reading = MotionGate(view.rectifier), None
    view.occlusion, view.restless = None, None
    return InMotion(view=view, interval=start_interval(first))


def darken(state: Lit | Dark, t_s: float) -> Dark:
    """Dark, from the first frame without light, which counts as a jump of the picture."""
    match state:
        case Dark():
            return state
        case AtRest():
            return Dark(before=state, since_s=t_s)
        case (
            Unread(interval=interval)
            | InMotion(interval=interval)
            | OtherPicture(interval=interval)
        ):
            interval.was_interrupted = True
            return Dark(before=state, since_s=t_s)
        case _:
            assert_never(state)


def brighten(state: Lit | Dark) -> Lit:
    """The state before the light went out; a lit state stays unchanged."""
    match state:
        case Dark(before=before):
            return before
        case Unread() | AtRest() | InMotion() | OtherPicture():
            return state
        case _:
            assert_never(state)
