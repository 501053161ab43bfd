"""Who of two cameras is out, as it is told: once, and by nobody where both are."""

from __future__ import annotations

import numpy as np

from vision.io.timed_frame import CameraImage, TimedFrame
from vision.track.events import TrackingLost
from webapp.referee.cameras.two_trackers import TwoTrackers


def lose(trackers: TwoTrackers, camera: int, t_s: float) -> list[bool]:
    """Have a camera send nothing; which merged losses follow."""
    lost = TrackingLost(t_s=t_s, reason="no frames come", advice="Look after it.")
    return [each.over for each in trackers.lose(camera, lost) if isinstance(each, TrackingLost)]


def told(trackers: TwoTrackers, t_s: float) -> list[tuple[int, bool]]:
    return [(each["camera"], each["over"]) for each in trackers.tell_out(t_s)]


def send(trackers: TwoTrackers, camera: int, t_s: float) -> list[bool]:
    frame = TimedFrame(picture=CameraImage(np.full((180, 320, 3), 90, np.uint8)), t_s=t_s)
    merged = trackers.track(camera, frame, t_s)
    return [each.over for each in merged if isinstance(each, TrackingLost)]


def test_one_camera_that_is_out_is_told_and_both_are_the_board_s_loss() -> None:
    trackers = TwoTrackers()
    assert (lose(trackers, 1, 1.0), told(trackers, 1.0)) == ([], [(2, False)])
    assert (lose(trackers, 1, 2.0), told(trackers, 2.0)) == ([], [])
    assert (lose(trackers, 0, 3.0), told(trackers, 3.0)) == ([False], [])
    assert (send(trackers, 1, 4.0), told(trackers, 4.0)) == ([True, False], [])  # it sees no board
    assert (send(trackers, 0, 5.0), told(trackers, 5.0)) == ([True, False], [])
