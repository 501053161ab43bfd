"""Every transition of the tracker: the facts that the new state keeps of the old one."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_discs import SIZE_PX, board_fit, view_at

from calibration.placed_disc import DiscState, PlacedDisc, Team
from vision.io.timed_frame import CameraImage
from vision.track.recent_frames import CameraFrame, RecentFrames
from vision.track.session import SessionState
from vision.track.states import (
    AfterCut,
    AtRest,
    Away,
    Dark,
    InMotion,
    InSight,
    LossCause,
    OtherPicture,
    OtherView,
    Seeking,
    Unread,
)
from vision.track.tracked_view import MotionInterval, TrackedView, create_view, start_interval
from vision.track.transitions import (
    LONGEST_SEARCH_PAUSE_S,
    SEARCH_OTHER_VIEW_S,
    adopt_view,
    brighten,
    come_to_rest,
    cut_away,
    cut_back,
    cut_within_view,
    darken,
    find_again,
    lose_occluded,
    lose_resized,
    lose_view,
    postpone_search,
    start_motion,
    start_seeking,
    wait_for_view,
)

FIT = board_fit(view_at(0.0))
IMAGE = np.full((SIZE_PX[1], SIZE_PX[0], 3), 120, np.uint8)
T_S = 7.0


def frame_at(t_s: float) -> CameraFrame:
    recent = RecentFrames()
    recent.add(CameraImage(IMAGE), t_s - 0.04)
    return recent.add(CameraImage(IMAGE), t_s)


FRAME = frame_at(T_S)


@pytest.fixture
def view() -> TrackedView:
    return create_view(FIT, CameraImage(IMAGE))


@pytest.fixture
def interval() -> MotionInterval:
    return start_interval(frame_at(1.0))


@pytest.fixture
def session() -> SessionState:
    disc = PlacedDisc(
        centre_mm=np.array([50.0, 80.0]),
        covariance_mm2=np.eye(2),
        team=2,
        state=DiscState.FLAT,
        confidence=0.9,
    )
    teams = tuple(
        Team(number=number, colour_name=name, colour_rgb=colour)
        for number, name, colour in ((1, "red", (170, 40, 45)), (2, "black", (35, 35, 38)))
    )
    return SessionState(teams=teams, discs=(disc,))


def unread(view: TrackedView, interval: MotionInterval) -> Unread:
    return Unread(view=view, interval=interval, older_background=None)


def test_a_search_in_vain_is_repeated_ever_more_rarely() -> None:
    state, pauses = start_seeking(), []
    assert state.search.next_s < 0
    for _ in range(6):
        state = postpone_search(state, T_S)
        pauses.append(state.search.next_s - T_S)
    assert pauses == pytest.approx([0.5, 1.0, 2.0, 4.0, 8.0, 8.0])
    assert pauses[-1] == LONGEST_SEARCH_PAUSE_S


def test_a_search_in_vain_forgets_the_other_view(view: TrackedView) -> None:
    away = lose_view(AtRest(view=view))
    assert isinstance(away, Away)
    waiting = wait_for_view(away, OtherView(fit=FIT, since_s=3.0), T_S)
    assert waiting.other_view is not None
    assert waiting.search.next_s == T_S + SEARCH_OTHER_VIEW_S
    assert waiting.search.pause_s == away.search.pause_s
    postponed = postpone_search(waiting, T_S)
    assert isinstance(postponed, Away)
    assert postponed.other_view is None


def test_a_first_view_is_unread_and_begins_a_motion_interval_without_discs() -> None:
    adopted = adopt_view(start_seeking(), FIT, FRAME)
    assert adopted.older_background is None
    assert adopted.view.fit is FIT
    assert adopted.interval.tracker.tracks == []
    assert (adopted.interval.t_from_s, adopted.interval.t_changed_s) == (T_S - 0.04, T_S)


def test_a_view_adopted_after_another_was_read_keeps_that_ones_background(
    view: TrackedView,
) -> None:
    adopted = adopt_view(lose_view(AtRest(view=view)), FIT, FRAME)
    assert adopted.older_background is view.background
    assert adopted.view is not view


def test_a_view_found_again_goes_on_with_the_discs_that_lay_there(
    view: TrackedView, session: SessionState
) -> None:
    away, gate = lose_view(AtRest(view=view)), view.motion_gate
    assert isinstance(away, Away)
    back = find_again(away, FRAME, session)
    assert back.view is view
    assert view.motion_gate is not gate
    assert back.interval.was_interrupted
    assert [track.name for track in back.interval.tracker.tracks] == ["0"]
    assert back.interval.tracker.tracks[0].last.place_mm.tolist() == [50.0, 80.0]


def test_motion_starts_from_rest_alone(
    view: TrackedView, interval: MotionInterval, session: SessionState
) -> None:
    moving = start_motion(AtRest(view=view), FRAME, session)
    assert isinstance(moving, InMotion)
    assert moving.interval.t_from_s == T_S - 0.04
    assert len(moving.interval.tracker.tracks) == 1
    for state in (
        unread(view, interval),
        InMotion(view=view, interval=interval),
        OtherPicture(view=view, interval=interval, since_s=2.0),
    ):
        assert start_motion(state, FRAME, session) is state


def test_a_cut_lasts_from_its_first_frame_on_and_makes_motion_jump(
    view: TrackedView, interval: MotionInterval
) -> None:
    moving = InMotion(view=view, interval=interval)
    assert cut_back(moving) is moving
    cut = cut_away(moving, T_S)
    assert cut.since_s == T_S
    assert interval.was_interrupted
    later = cut_away(cut, T_S + 0.1)
    assert later.since_s == T_S
    assert interval.t_changed_s == T_S + 0.1
    back = cut_back(later)
    assert isinstance(back, InMotion)
    assert back.interval is interval


def test_a_cut_within_a_view_keeps_what_was_not_read_before_it(
    view: TrackedView, interval: MotionInterval, session: SessionState
) -> None:
    cut = cut_within_view(InMotion(view=view, interval=interval), FRAME, session)
    assert cut.before is interval
    assert interval.was_interrupted
    again = cut_within_view(cut, FRAME, session)
    assert again.before is interval
    assert again.frames == (FRAME,)
    assert cut_within_view(AtRest(view=view), FRAME, session).before.was_interrupted


def test_a_board_that_was_read_is_at_rest(view: TrackedView, interval: MotionInterval) -> None:
    assert come_to_rest(unread(view, interval)).view is view
    assert come_to_rest(InMotion(view=view, interval=interval)).view is view


@pytest.mark.parametrize("kind", ["unread", "at rest", "in motion", "other picture"])
def test_after_darkness_everything_is_as_before(
    kind: str, view: TrackedView, interval: MotionInterval
) -> None:
    before = in_sight(view, interval)[kind]
    assert not isinstance(before, Dark | AfterCut)
    dark = darken(before, T_S)
    assert darken(dark, T_S + 1.0) is dark
    assert dark.since_s == T_S
    assert dark.view is view
    assert brighten(dark) is before
    assert brighten(before) is before
    assert interval.was_interrupted == (kind != "at rest")


def in_sight(view: TrackedView, interval: MotionInterval) -> dict[str, InSight]:
    other = OtherPicture(view=view, interval=interval, since_s=2.0)
    return {
        "unread": unread(view, interval),
        "at rest": AtRest(view=view),
        "in motion": InMotion(view=view, interval=interval),
        "other picture": other,
        "after a cut": AfterCut(view=view, before=interval, frames=(FRAME,)),
        "dark": Dark(before=AtRest(view=view), since_s=2.0),
        "dark in a cut": Dark(before=other, since_s=2.0),
    }


@pytest.mark.parametrize(
    "kind", ["at rest", "in motion", "other picture", "after a cut", "dark", "dark in a cut"]
)
def test_a_view_that_was_read_is_away_with_the_cause(
    kind: str, view: TrackedView, interval: MotionInterval
) -> None:
    state = in_sight(view, interval)[kind]
    for lost, cause in (
        (lose_view(state), LossCause.VIEW_CHANGED),
        (lose_resized(state), LossCause.RESIZED),
    ):
        assert isinstance(lost, Away)
        assert lost.view is view
        assert lost.cause is cause
        assert lost.search == start_seeking().search
        assert lost.can_resume
        assert lost.was_moved == (cause is LossCause.VIEW_CHANGED)


def test_a_view_lost_by_what_covers_it_does_not_resume(
    view: TrackedView, interval: MotionInterval
) -> None:
    lost = lose_occluded(InMotion(view=view, interval=interval))
    assert isinstance(lost, Away)
    assert lost.cause is LossCause.OCCLUDED
    assert [lost.can_resume, lost.was_moved] == [False, False]


def test_a_view_that_was_never_read_leaves_only_where_it_was(
    view: TrackedView, interval: MotionInterval
) -> None:
    state = unread(view, interval)
    for lost, was_moved in (
        (lose_view(state), True),
        (lose_view(darken(state, T_S)), True),
        (lose_resized(state), False),
        (lose_occluded(state), False),
    ):
        assert isinstance(lost, Seeking)
        assert lost.last_fit is FIT
        assert lost.was_moved == was_moved
