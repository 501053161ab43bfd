"""A bump is detected during motion, and not only once everything has stopped."""

from __future__ import annotations

import threading
from itertools import islice

import cv2
import numpy as np
from paths import CLIPS

from vision.io.sources import open_source
from vision.track.events import BoardMoved, TrackerEvent
from vision.track.tracker import BoardTracker

ROUND = CLIPS / "round.mp4"
BUMPED_FRAME = 12


def test_a_small_bump_is_noticed_while_something_still_moves() -> None:
    """The picture of the moved board differs little, and nothing covers it."""
    tracker, seen = BoardTracker(), list[TrackerEvent]()
    frames = list(islice(open_source(str(ROUND)).frames(threading.Event(), print), 40))
    for i, frame in enumerate(frames):
        image = frame.image.copy()
        middle = (image.shape[1] // 2 + 5 * i, image.shape[0] // 2)
        cv2.circle(image, middle, 12, (40, 40, 170), -1, cv2.LINE_AA)
        bumped = np.roll(image, (2, 4), axis=(0, 1))
        seen += tracker.process_frame(bumped if i >= BUMPED_FRAME else frame.image, frame.t_s)
    (told,) = [event for event in seen if isinstance(event, BoardMoved)]
    assert told.t_s - frames[BUMPED_FRAME].t_s < 0.6
