"""The loss of one of two cameras is reported once, and not if both are out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from rest_boards import BLACK, disc, rested

from scorer.referee.cameras.two_trackers import TwoTrackers
from vision.io.timed_frame import CameraImage, TimedFrame
from vision.track.events import BoardAtRest, TrackerEvent, TrackingLost


def lose(trackers: TwoTrackers, camera: int, t_s: float) -> list[bool]:
    """Make a camera send nothing; returns the merged losses that follow."""
    lost = TrackingLost(t_s=t_s, reason="no frames are arriving", advice="Look after it.")
    return [event.over for event in trackers.lose(camera, lost) if isinstance(event, TrackingLost)]


def told(trackers: TwoTrackers, t_s: float) -> list[tuple[int, bool]]:
    return [(outage.camera, outage.over) for outage in trackers.report_outages(t_s)]


def send(trackers: TwoTrackers, camera: int, t_s: float) -> list[bool]:
    frame = TimedFrame(picture=CameraImage(np.full((180, 320, 3), 90, np.uint8)), t_s=t_s)
    merged = trackers.track(camera, frame, t_s)
    return [event.over for event in merged if isinstance(event, TrackingLost)]


def test_one_camera_that_is_out_is_told_and_both_are_the_board_s_loss() -> None:
    trackers = TwoTrackers(is_matched=True)
    assert (lose(trackers, 1, 1.0), told(trackers, 1.0)) == ([], [(2, False)])
    assert (lose(trackers, 1, 2.0), told(trackers, 2.0)) == ([], [])
    assert (lose(trackers, 0, 3.0), told(trackers, 3.0)) == ([False], [])
    assert (send(trackers, 1, 4.0), told(trackers, 4.0)) == ([True, False], [])  # it sees no board
    assert (send(trackers, 0, 5.0), told(trackers, 5.0)) == ([True, False], [])


class ToldTracker:
    """A tracker that reports given events."""

    def __init__(self) -> None:
        self.next: list[TrackerEvent] = []

    def process_frame(self, *_frame: object, is_cut: bool) -> list[TrackerEvent]:
        assert not is_cut
        return self.read_in_silence()

    def read_in_silence(self) -> list[TrackerEvent]:
        told, self.next = self.next, []
        return told


def test_a_second_camera_is_heard_once_its_clock_is_known_and_while_the_first_is_out() -> None:
    trackers, tellers = TwoTrackers(is_matched=False), (ToldTracker(), ToldTracker())
    trackers.trackers = tellers  # type: ignore[assignment]

    def tell(camera: int, t_s: float, *events: TrackerEvent) -> int:
        tellers[camera].next = [*events]
        frame = TimedFrame(picture=CameraImage(np.zeros((2, 2, 3), np.uint8)), t_s=t_s)
        return sum(isinstance(event, BoardAtRest) for event in trackers.track(camera, frame, t_s))

    board = rested([], [disc(0, -304), disc(90, 70, BLACK), disc(-150, 60, BLACK)])
    moved = rested([], [disc(0, -304), disc(90, 70, BLACK), disc(-100, 60, BLACK)])
    early, late = (
        replace(board, t_s=1.0, t_from_s=0.0, t_rest_s=t_rest_s) for t_rest_s in (0.8, 1.0)
    )
    again = replace(moved, t_s=5.0, t_from_s=1.5, t_rest_s=4.8)
    tell(1, 1.0, late)
    assert tell(0, 3.0, early) + tell(0, 4.0) == 1  # both together
    assert told(trackers, 4.0) == [(2, False)]
    assert tell(1, 5.0, again) + tell(0, 9.0) + tell(1, 9.0) == 0
    trackers.match_clocks()
    assert tell(1, 9.1, replace(again, t_s=9.1, t_rest_s=9.0)) + tell(0, 15.0) == 1
    assert told(trackers, 15.0) == [(2, True)]


def test_a_shot_that_both_cameras_saw_end_is_told_once_when_both_fall_silent() -> None:
    trackers, tellers = TwoTrackers(is_matched=True), (ToldTracker(), ToldTracker())
    trackers.trackers = tellers  # type: ignore[assignment]
    board = rested([], [disc(0, -304), disc(90, 70, BLACK), disc(-150, 60, BLACK)])
    for camera, teller in enumerate(tellers):
        teller.next = [replace(board, t_s=1.0, t_from_s=0.0, t_rest_s=0.8 + 0.1 * camera)]

    def fall_silent(t_s: float) -> list[type[TrackerEvent]]:
        lost = TrackingLost(t_s=t_s, reason="no frames are arriving", advice="Look after it.")
        return [type(event) for camera in (0, 1) for event in trackers.lose(camera, lost)]

    assert fall_silent(1.0) == [TrackingLost, BoardAtRest]
    assert fall_silent(1.5) == []
