"""The tracker on drawn frames: the ways into all of its states, and out of them."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy

import cv2
import numpy as np
import pytest
from drawn_board import draw_board, view_of

from vision.track.events import BoardAtRest, BoardFound, BoardMoved, TrackerEvent, TrackingLost
from vision.track.states import (
    AtRest,
    Away,
    Dark,
    InMotion,
    LossCause,
    OtherPicture,
    Seeking,
    TrackerState,
    Unread,
)
from vision.track.tracker import BoardTracker

SIZE_PX = (960, 720)
STEP_S = 1 / 30
#: Long enough for the board to count as still, frames.
STILL = 12
VIEW = view_of(size_px=SIZE_PX)


def drawn(noise_grey: float = 2.0) -> np.ndarray:
    """The empty board, grained so that it can be registered."""
    grey = draw_board(VIEW, size_px=SIZE_PX, grain=12.0, noise=noise_grey)
    return np.repeat(np.clip(grey, 0, 255).astype(np.uint8)[..., None], 3, axis=-1)


EMPTY = drawn()
FOG = np.full_like(EMPTY, 120)
#: A picture of another scene, in which no board is found either.
CROWD = cv2.resize(
    np.random.default_rng(5).integers(0, 256, (36, 48, 3)).astype(np.uint8),
    SIZE_PX,
    interpolation=cv2.INTER_NEAREST,
)
NIGHT = np.full_like(EMPTY, 4)


def with_disc(x_mm: float, y_mm: float) -> np.ndarray:
    """The board with a red disc on it."""
    image = EMPTY.copy()
    (place,) = np.rint(VIEW.project_plane(np.array([[x_mm, y_mm]]))).astype(int)
    radius_px = round(15.9 / VIEW.mm_per_px())
    cv2.circle(image, (int(place[0]), int(place[1])), radius_px, (45, 40, 170), -1, cv2.LINE_AA)
    return image


def covered(by_arm: bool = False) -> np.ndarray:
    """The board with a box on it, or with an arm that reaches over its edge."""
    image = EMPTY.copy()
    cv2.rectangle(image, (500, 20 if by_arm else 200), (620, 280), (120, 60, 200), -1)
    return image


def pushed() -> np.ndarray:
    """The board, shifted by 14 and 9 pixels."""
    return np.roll(EMPTY, (9, 14), axis=(0, 1))


class Run:
    """A tracker that gets frames at a steady rate, starting from the state of another tracker."""

    def __init__(self, tracker: BoardTracker, t_s: float = 0.0) -> None:
        self.tracker, self.t_s = tracker, t_s
        self.events: list[TrackerEvent] = []

    def show(self, images: Iterable[np.ndarray], step_s: float = STEP_S) -> TrackerState:
        for image in images:
            self.events += self.tracker.process_frame(image, self.t_s)
            self.t_s += step_s
        return self.tracker.state

    def told(self, kind: type[TrackerEvent]) -> int:
        return sum(isinstance(event, kind) for event in self.events)


@pytest.fixture(scope="module")
def read_once() -> Run:
    run = Run(BoardTracker())
    assert isinstance(run.show([EMPTY] * STILL), AtRest)
    return run


@pytest.fixture
def at_rest(read_once: Run) -> Run:
    return Run(deepcopy(read_once.tracker), read_once.t_s)


def test_the_board_is_sought_until_it_is_found_and_unread_until_it_is_still() -> None:
    run = Run(BoardTracker())
    first = run.tracker.state
    assert isinstance(first, Seeking)
    sought = run.show([FOG])
    assert isinstance(sought, Seeking)
    assert sought.search.next_s > run.t_s > first.search.next_s
    assert run.tracker.fit is None
    run.t_s = sought.search.next_s
    found = run.show([EMPTY])
    assert isinstance(found, Unread)
    assert found.older_background is None
    assert run.tracker.fit is found.view.fit
    assert isinstance(run.show([EMPTY] * STILL), AtRest)
    assert [type(e) for e in run.events if isinstance(e, BoardFound | BoardAtRest)] == [
        BoardFound,
        BoardAtRest,
    ]


def test_a_board_at_rest_stays_so_while_nothing_changes(at_rest: Run) -> None:
    before = at_rest.tracker.state
    assert at_rest.show([EMPTY] * STILL) is before
    assert at_rest.told(BoardAtRest) == 0


def test_a_disc_that_comes_is_motion_until_it_lies_still(at_rest: Run) -> None:
    moving = at_rest.show(with_disc(-200.0 + 20 * i, 100.0) for i in range(6))
    assert isinstance(moving, InMotion)
    assert len(moving.interval.tracker.tracks) == 1
    assert isinstance(at_rest.show([with_disc(-100.0, 100.0)] * STILL), AtRest)
    assert at_rest.told(BoardAtRest) == 1


def test_without_light_a_board_at_rest_is_dark_and_at_rest_again(at_rest: Run) -> None:
    before = at_rest.tracker.state
    dark = at_rest.show([NIGHT] * 3)
    assert isinstance(dark, Dark)
    assert dark.before is before
    at_rest.show([NIGHT] * 20)
    assert [e.over for e in at_rest.events if isinstance(e, TrackingLost)] == [False]
    assert isinstance(at_rest.show([EMPTY] * STILL), AtRest)
    assert [e.over for e in at_rest.events if isinstance(e, TrackingLost)] == [False, True]
    assert at_rest.told(BoardMoved) == 0


def test_darkness_that_falls_on_motion_makes_it_jump(at_rest: Run) -> None:
    at_rest.show(with_disc(-200.0 + 20 * i, 100.0) for i in range(6))
    dark = at_rest.show([NIGHT])
    assert isinstance(dark, Dark)
    assert isinstance(dark.before, InMotion)
    assert dark.before.interval.was_interrupted
    assert at_rest.show([with_disc(-100.0, 100.0)]) is not dark
    assert isinstance(at_rest.tracker.state, InMotion)


def test_a_short_cut_is_another_picture_and_then_motion(at_rest: Run) -> None:
    cut = at_rest.show([CROWD] * 5)
    assert isinstance(cut, OtherPicture)
    back = at_rest.show([EMPTY])
    assert isinstance(back, InMotion)
    assert back.interval is cut.interval
    assert back.interval.was_interrupted
    assert isinstance(at_rest.show([EMPTY] * STILL), AtRest)
    assert at_rest.told(TrackingLost) == 0


def test_after_a_long_cut_the_board_is_away_until_its_view_is_back(at_rest: Run) -> None:
    away = at_rest.show([CROWD] * 18)
    assert isinstance(away, Away)
    assert away.cause is LossCause.VIEW_CHANGED
    assert at_rest.tracker.fit is None
    back = at_rest.show([EMPTY])
    assert isinstance(back, InMotion)
    assert back.view is away.view
    assert at_rest.told(BoardMoved) == 0


def test_a_board_that_was_pushed_is_found_elsewhere_and_unread(at_rest: Run) -> None:
    known = at_rest.tracker.state
    assert isinstance(known, AtRest)
    states = [at_rest.show([pushed()]) for _ in range(STILL + 20)]
    assert at_rest.told(BoardMoved) == 1
    unread = next(state for state in states if isinstance(state, Unread))
    assert unread.older_background is known.view.background
    assert isinstance(states[-1], AtRest)
    assert states[-1].view is not known.view


def test_what_covers_the_board_and_stays_is_lost_sight_by(at_rest: Run) -> None:
    known = at_rest.tracker.state
    assert isinstance(known, AtRest)
    waiting = at_rest.show([covered()] * 12, step_s=0.5)
    assert isinstance(waiting, InMotion)
    assert waiting.view.occlusion is not None
    states = [at_rest.show([covered()], step_s=0.5) for _ in range(10)]
    away = next(state for state in states if not isinstance(state, InMotion))
    assert isinstance(away, Away)
    assert away.cause is LossCause.OCCLUDED
    assert not away.can_resume


def test_an_arm_may_rest_on_the_board_for_half_a_minute(at_rest: Run) -> None:
    known = at_rest.tracker.state
    assert isinstance(known, AtRest)
    arm = [covered(by_arm=True)]
    assert isinstance(at_rest.show(arm * 50, step_s=0.5), AtRest)
    lost = [event.reason for event in at_rest.events if isinstance(event, TrackingLost)]
    assert not any("lies over" in reason for reason in lost)
    states = [at_rest.show(arm, step_s=0.5) for _ in range(14)]
    (away,) = [state for state in states if isinstance(state, Away)][:1]
    assert away.cause is LossCause.OCCLUDED


def test_frames_of_another_size_are_a_new_view(at_rest: Run) -> None:
    known = at_rest.tracker.state
    assert isinstance(known, AtRest)
    small = at_rest.show([cv2.resize(EMPTY, None, fx=0.8, fy=0.8)])
    assert isinstance(small, Unread)
    assert small.older_background is known.view.background
    assert [e.is_refound for e in at_rest.events if isinstance(e, BoardFound)] == [True]
    assert at_rest.told(BoardMoved) == 0


def test_a_view_lost_before_it_was_read_is_only_a_glimpse() -> None:
    run = Run(BoardTracker())
    unread = run.show([EMPTY] * 2)
    assert isinstance(unread, Unread)
    seeking = run.show([cv2.resize(FOG, None, fx=0.8, fy=0.8)])
    assert isinstance(seeking, Seeking)
    assert seeking.last_fit is unread.view.fit
    assert not seeking.was_moved
