"""A bumped camera: the board's new place, near the old one or elsewhere."""

from __future__ import annotations

import threading

import cv2
import numpy as np
import pytest

from bench.clips import clips_folder
from calibration.fit import BoardFit
from vision.io.sources import open_source
from vision.track.events import BoardFound, BoardMoved
from vision.track.tracker import BoardTracker

AROUND = np.linspace(0, 2 * np.pi, 36, endpoint=False)
#: Rotation and shift of the picture, degrees and pixels; the second is no longer near.
NUDGED, KNOCKED = (1.0, (-12.0, 9.0)), (24.0, (70.0, 15.0))


def empty_board() -> np.ndarray:
    frames = open_source(str(clips_folder() / "round.mp4")).frames(threading.Event(), print)
    return next(frames).image


def bump_of(turn_deg: float, shift_px: tuple[float, float], size: tuple[int, int]) -> np.ndarray:
    move = cv2.getRotationMatrix2D((size[0] / 2, size[1] / 2), turn_deg, 1.0)
    move[:, 2] += shift_px
    return move


def outer_ring_px(fit: BoardFit) -> np.ndarray:
    return fit.view.project_plane(fit.spec.line_points_mm(2, AROUND))


@pytest.mark.parametrize("bump", [NUDGED, KNOCKED], ids=["near", "anywhere"])
def test_a_bumped_board_is_found_where_it_lies_then(bump: tuple[float, tuple[float, float]]):
    before = empty_board()
    size = (before.shape[1], before.shape[0])
    move = bump_of(*bump, size)
    after = cv2.warpAffine(before, move, size, borderMode=cv2.BORDER_REPLICATE)
    tracker, tracker_events, fits = BoardTracker(), [], []
    for i in range(45):
        tracker_events += tracker.process_frame(before if i < 12 else after, i / 30)
        fits.append(tracker.fit)
    assert [
        type(event) for event in tracker_events if isinstance(event, BoardMoved | BoardFound)
    ] == [
        BoardFound,
        BoardMoved,
        BoardFound,
    ]
    moved_px = cv2.transform(outer_ring_px(fits[10])[None], move)[0]
    assert np.linalg.norm(outer_ring_px(fits[-1]) - moved_px, axis=1).max() < 2.0
