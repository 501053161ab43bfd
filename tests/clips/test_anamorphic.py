"""A clip whose pixels are not square is followed like any other."""

from __future__ import annotations

import threading
from fractions import Fraction
from itertools import islice
from pathlib import Path

import cv2
import pytest
from paths import CLIPS
from written_clip import write_clip

from vision.io.sources import open_source
from vision.track.events import BoardFound
from vision.track.tracker import BoardTracker


def find_board_fit(clip: Path):
    """The board's fit where it is first found."""
    tracker = BoardTracker()
    for frame in open_source(str(clip)).frames(threading.Event(), lambda _: None):
        for event in tracker.process_frame(frame.picture, frame.t_s):
            if isinstance(event, BoardFound):
                return event.fit
    raise AssertionError("no board was found")


def test_the_board_of_an_anamorphic_clip_lies_as_in_the_clip_with_square_pixels(tmp_path):
    clip = CLIPS / "round.mp4"
    frames = open_source(str(clip)).frames(threading.Event(), lambda _: None)
    squeezed = [
        cv2.resize(frame.image, (900, 720), interpolation=cv2.INTER_AREA)
        for frame in islice(frames, 10)
    ]
    anamorphic = write_clip(tmp_path / "a.mp4", squeezed, pixel_aspect=Fraction(64, 45))
    square, found = find_board_fit(clip), find_board_fit(anamorphic)
    assert found.view.mm_per_px() == pytest.approx(square.view.mm_per_px(), rel=0.01)
    middle_px = [fit.view.project_plane([[0.0, 0.0]])[0] for fit in (square, found)]
    assert middle_px[1] == pytest.approx(middle_px[0], abs=1.5)
