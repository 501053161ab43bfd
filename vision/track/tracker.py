"""Tracks a board through a fixed camera: frames become tracker events, boards at rest and motion.

It is a state machine (``states``, ``transitions``) whose only input is the next frame, from any
source. Out of sight, the board is located (``locate``); in sight, it is followed (``follow``). If
the board is not visible, this is reported, and nothing is guessed. A view that is first read after
a shot is gone through again from its first frames, so events before the reading are late but not
lost. Times are seconds of the source.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never

import numpy as np

from calibration.fit import BoardFit
from calibration.profile import CalibrationProfile
from vision.io.timed_frame import CameraImage
from vision.track.board_in_sight import BoardFollower, Followed
from vision.track.board_out_of_sight import BoardLocator
from vision.track.events import BoardAtRest, TrackerEvent
from vision.track.recent_frames import AVERAGED, CameraFrame, RecentFrames, UnreadFrames
from vision.track.session import SessionState
from vision.track.shot_end import read_before_silence, read_newest, read_unread_shot
from vision.track.states import (
    AfterCut,
    AtRest,
    Away,
    Dark,
    InMotion,
    InSight,
    OtherPicture,
    Seeking,
    TrackerState,
    Unread,
)
from vision.track.status_reports import SILENT, StatusReports
from vision.track.steady.light_bands import BANDS_EVERY, LightBands
from vision.track.steady.stabiliser import CHECKED_EVERY, Stabiliser
from vision.track.tracks.sliding_discs import find_moved_discs
from vision.track.transitions import come_to_rest, lose_resized, lose_unread, start_seeking


class BoardTracker:
    """Tracks a board through one camera.

    ``profile`` holds the board's and discs' sizes if measured; other sizes come from the frames.
    """

    def __init__(self, profile: CalibrationProfile | None = None) -> None:
        self._session = SessionState(given=profile.accurate_disc if profile else None)
        self._state: TrackerState = start_seeking()
        self._recent = RecentFrames()
        self._unread = UnreadFrames()
        self._light_bands: LightBands | None = None
        self._stabiliser: Stabiliser | None = None
        self._reports = StatusReports()
        self._locator = BoardLocator(profile, self._session, self._reports)
        self._follower = BoardFollower(self._session, self._reports)

    @property
    def state(self) -> TrackerState:
        """The state of the board after the last frame."""
        return self._state

    @property
    def fit(self) -> BoardFit | None:
        """The board's place in the current frames; None if it is not in sight."""
        match self._state:
            case Seeking() | Away():
                return None
            case Unread() | AtRest() | InMotion() | OtherPicture() | AfterCut() | Dark() as seen:
                return seen.view.fit
            case _:
                assert_never(self._state)

    def process_frame(
        self,
        image: np.ndarray | CameraImage,
        t_s: float,
        left_out: int = 0,
        detailed: np.ndarray | None = None,
        *,
        is_cut: bool = False,
    ) -> Iterator[TrackerEvent]:
        """The events of the frame ``image`` (h, w, 3 uint8 BGR) at ``t_s``; consume all of them.

        ``left_out`` frames before it were skipped; ``is_cut``: the picture was cut before it. If
        ``image`` was smoothed for motion, discs at rest are read in ``detailed``, the frame before
        smoothing.
        """
        yield from self._reports.report_arrival(t_s)
        picture = image if isinstance(image, CameraImage) else CameraImage(image)
        steady, is_evened = self._steady(picture), False
        if detailed is None:  # rows of a smoothed film are not the camera's rows
            steady, is_evened = self._even_light(steady)
        whole = None if detailed is None else CameraImage(detailed)
        frame = self._recent.add(steady, t_s, left_out, whole, is_evened=is_evened, is_cut=is_cut)
        match self._state:
            case Unread() | AtRest() | InMotion() | OtherPicture() | AfterCut() | Dark() as seen:
                if seen.view.shape != picture.shape:
                    self._state = lose_resized(seen)
            case Seeking() | Away():
                pass
            case _:
                assert_never(self._state)
        if isinstance(self._state, Seeking | Away):
            self._unread.take()  # events of a view that was lost before it was read
            self._state = yield from self._locator.locate(self._state, frame)
            if isinstance(self._state, Unread):
                self._light_bands = LightBands(picture, self._state.view.fit)
                self._stabiliser = Stabiliser(picture, self._state.view.fit)
        if not isinstance(self._state, Seeking | Away):
            yield from self._reports.report_frame_rate(
                self._recent.median_pause_s, self._recent.left_out_share, t_s
            )
            yield from self._follow(self._state, frame)

    def _even_light(self, image: CameraImage) -> tuple[CameraImage, bool]:
        """The frame without bands of light, and whether the light has any.

        A view is tested closely for them until it is read.
        """
        if self._light_bands is None or isinstance(self._state, Seeking):
            return image, False
        every = 1 if isinstance(self._state, Unread) else BANDS_EVERY
        return self._light_bands.even(image, every=every)

    def _steady(self, image: CameraImage) -> CameraImage:
        """The frame without the camera's tremble; a view is tested for it until it is read."""
        if self._stabiliser is None or isinstance(self._state, Seeking | Away):
            return image
        every = {Unread: 1, InMotion: CHECKED_EVERY}.get(type(self._state))
        return self._stabiliser.steady(image, every=every)

    def _follow(self, state: InSight, frame: CameraFrame) -> Iterator[TrackerEvent]:
        """Follow the board; a view that is read for the first time is followed from its first
        frames on.
        """
        if frame.is_cut:
            if isinstance(state, Unread):
                yield from self._read_unread(state)
            match self._state:
                case Unread() as unread:
                    self._state = lose_unread(unread)
                    return
                case AtRest() | InMotion() | AfterCut() as seen:
                    self._state = yield from self._follower.follow_cut(seen, frame)
                    return
                case _:
                    pass
        if isinstance(state, AfterCut):
            self._state = yield from self._follower.follow_after_cut(state, frame)
        elif isinstance(state, Unread):
            self._unread.add(frame)
            reported, self._state = _run(self._follower.follow(state, frame))
            yield from self._go_back(state, reported)
        else:
            self._state = yield from self._follower.follow(state, frame)

    def _read_unread(self, state: Unread) -> Iterator[TrackerEvent]:
        """Read a view in its last frame, if that shows the end of a shot."""
        read = read_unread_shot(state, self._session)
        if read is not None:
            self._state = come_to_rest(state)
            yield from self._go_back(state, [read])

    def _go_back(self, state: Unread, reported: Sequence[TrackerEvent]) -> Iterator[TrackerEvent]:
        """The events of a view, of which some were ``reported`` already; after a first reading that
        follows a shot, from the view's first frames on.
        """
        if isinstance(self._state, Unread):
            yield from reported
            return
        assert self._stabiliser is not None  # it began with the view
        frames = [frame.show_again(self._stabiliser.look_back) for frame in self._unread.take()]
        first = None
        moved = find_moved_discs(state.interval.tracker.tracks, state.view.fit)
        if isinstance(self._state, AtRest) and moved:
            first = self._follower.read_first(self._state, frames)
        if first is None:
            yield from reported
            return
        yield from (event for event in reported if not isinstance(event, BoardAtRest))
        yield first
        for frame in frames[AVERAGED:]:
            if isinstance(self._state, AtRest | InMotion | OtherPicture | Dark):
                self._state = yield from self._follower.follow(self._state, frame)

    def read_in_silence(self) -> Iterator[TrackerEvent]:
        """The events of a finished shot, from the last frames, while a source is silent."""
        match self._state:
            case Unread() as unread:
                yield from self._read_unread(unread)
            case InMotion() as moving:
                self._state = yield from read_before_silence(moving, self._session)
            case _:
                pass

    def report_silence(self, t_s: float) -> Iterator[TrackerEvent]:
        """The loss of a source that has sent no frame since ``t_s``, until its next one."""
        return self._reports.report_lost(SILENT, t_s)

    def finish(self) -> Iterator[TrackerEvent]:
        """The events of the last frames, when no more will follow."""
        if isinstance(self._state, Unread):
            yield from self._read_unread(self._state)
        if isinstance(self._state, InMotion):
            yield from read_newest(self._state, self._session)


def _run(followed: Followed) -> tuple[list[TrackerEvent], TrackerState]:
    """The events of a frame, and the state after it."""
    events = []
    while True:
        try:
            events.append(next(followed))
        except StopIteration as end:
            return events, end.value
