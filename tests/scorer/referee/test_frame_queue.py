"""Frames between a camera and a slower analysis: waiting and skipped frames."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
from written_clip import draw_scene, write_clip

from scorer.referee.frame_queue import PARAMS, FrameQueue, LeftOut
from scorer.referee.workload import WorkStep
from vision.io.sources import open_source
from vision.io.timed_frame import CameraImage, TimedFrame

STEP_S = 1 / 30
NOISE = np.random.default_rng(4).normal(0, 4, (7, 160, 320, 3))


def frame(number: int, x: int = 0) -> TimedFrame:
    """A noisy picture with a disc at ``x``, or without one."""
    image = 120.0 + NOISE[number % len(NOISE)]
    if x:
        image[60:90, x : x + 30] = 30
    return TimedFrame(picture=CameraImage(image.clip(0, 255).astype(np.uint8)), t_s=number * STEP_S)


def fill(frames: list[TimedFrame]) -> tuple[list[TimedFrame], LeftOut]:
    """The output of a live queue that was not emptied in the meantime."""
    queue = FrameQueue(is_live=True)
    for queued in frames:
        queue.put(queued)
    queue.close()
    return list(queue.frames()), queue.left_out


def test_a_shot_that_waits_is_looked_at_whole() -> None:
    shot = [frame(i, 20 + 8 * i) for i in range(30)]
    seen, left_out = fill(shot)
    assert [queued.t_s for queued in seen] == [queued.t_s for queued in shot]
    assert left_out == LeftOut()


def test_frames_that_show_nothing_new_are_left_out_to_catch_up() -> None:
    still, shot = [frame(i) for i in range(60)], [frame(i, 8 * i - 460) for i in range(60, 80)]
    seen, left_out = fill([*still, *shot])
    assert [queued.t_s for queued in seen[-20:]] == [queued.t_s for queued in shot]
    assert left_out.moving == 0
    assert left_out.still > 30
    pauses = np.diff([queued.t_s for queued in seen])
    assert pauses.max() <= PARAMS.still_every_s + STEP_S
    assert sum(queued.left_out for queued in seen) == left_out.still
    assert seen[-1].left_out == 0


@pytest.mark.parametrize("times", [1.1, 2.0, 3.5])
def test_a_full_queue_is_thinned_evenly_where_everything_moves(times: float) -> None:
    count = round(times * PARAMS.most_frames)
    seen, left_out = fill([frame(i, 20 + 37 * i % 250) for i in range(count)])
    assert left_out == LeftOut(moving=count - PARAMS.most_frames)
    assert len(seen) == PARAMS.most_frames
    assert np.diff([queued.t_s for queued in seen]).max() < 2.1 * times * STEP_S


def test_a_full_queue_is_rid_of_still_frames_first() -> None:
    count, waits = 2 * PARAMS.most_frames, range(100, 340)
    places = [20 + 37 * i % 250 if i not in waits else 0 for i in range(count)]
    seen, left_out = fill([frame(i, x) for i, x in enumerate(places)])
    assert left_out.still > 100
    assert left_out.still + left_out.moving == count - PARAMS.most_frames
    assert np.diff([queued.t_s for queued in seen]).max() <= PARAMS.still_every_s + STEP_S / 2


def test_what_changes_in_colour_alone_is_no_still_frame(tmp_path: Path) -> None:
    wood, disc = np.full((160, 320, 3), (96, 128, 144), np.uint8), np.uint8([[[100, 99, 200]]])
    red = wood.copy()
    red[40:120, 100:180] = disc  # as bright as the wood
    clip = write_clip(tmp_path / "a.mp4", [wood] * 40 + [red] * 40)
    decoded = list(open_source(str(clip)).frames(threading.Event(), pytest.fail))
    assert len(decoded[0].picture.planes) == 3
    grey = [float(queued.picture.grey.mean()) for queued in (decoded[30], decoded[60])]
    assert grey[0] == pytest.approx(grey[1], abs=2.0)
    seen, left_out = fill(decoded)
    assert left_out.still > 30
    assert decoded[40].t_s in [queued.t_s for queued in seen]


def test_frames_of_a_stream_wait_as_they_were_decoded(tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "a.mp4", [draw_scene(k) for k in range(3)])
    seen, _ = fill(list(open_source(str(clip)).frames(threading.Event(), pytest.fail)))
    waiting = seen[0].picture.nbytes
    assert waiting < 0.7 * seen[0].image.nbytes
    assert seen[0].picture.nbytes == waiting + seen[0].image.nbytes


def test_frames_beyond_the_step_of_a_busy_machine_are_counted() -> None:
    queue = FrameQueue(is_live=True)
    queue.pace.wanted = WorkStep(most_fps=15.0, most_width_px=320)
    for i in range(30):
        queue.put(frame(i))
    queue.close()
    seen = len(list(queue.frames()))
    assert queue.left_out.thinned == pytest.approx(14, abs=2)
    assert queue.left_out.moving == 0
    assert seen + queue.left_out.still + queue.left_out.thinned == 30


def test_what_waits_when_watching_stops_is_counted() -> None:
    queue = FrameQueue(is_live=True)
    assert queue.leave_out_rest() is None
    for i in range(12):
        queue.put(frame(i, 20 + 8 * i))
    assert queue.leave_out_rest() == pytest.approx(11 * STEP_S)
    assert queue.left_out == LeftOut(moving=12)


def test_what_two_cameras_left_out_is_added_up() -> None:
    both = LeftOut(still=1, moving=2, thinned=3).add(LeftOut(still=4, thinned=5))
    assert both == LeftOut(still=5, moving=2, thinned=8)


def test_no_frame_of_a_clip_is_left_out() -> None:
    queue, taken = FrameQueue(is_live=False), []
    reader = threading.Thread(target=lambda: taken.extend(queue.frames()))
    reader.start()
    frames = [frame(i) for i in range(50)]
    for queued in frames:
        queue.put(queued)
    queue.close()
    reader.join(timeout=10)
    assert [queued.t_s for queued in taken] == [queued.t_s for queued in frames]
    assert queue.left_out == LeftOut()
