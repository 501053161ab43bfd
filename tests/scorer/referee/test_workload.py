"""A computer that cannot keep up analyses fewer and smaller frames, in known steps, and reports
this.
"""

from __future__ import annotations

import numpy as np
import pytest

from scorer.referee.event_sentences import describe_event
from scorer.referee.events import to_json
from scorer.referee.watch import make_slowed
from scorer.referee.workload import PARAMS, FramePace, Workload, WorkStep
from vision.io.timed_frame import CameraImage, TimedFrame
from webapp.formats.event import AnyEvent
from webapp.live.live_state import LiveState, apply_event

_STEP = WorkStep(most_fps=20.0, most_width_px=640)


def _frame(t_s: float, width: int = 1280) -> TimedFrame:
    return TimedFrame(picture=CameraImage(np.zeros((width * 9 // 16, width, 3), np.uint8)), t_s=t_s)


def _steps(fps: float, lost_share: float, seconds: float, width: int = 1280) -> list[WorkStep]:
    """The steps chosen for a frame rate and a rate of lost frames."""
    workload, lost, steps = Workload(), 0.0, []
    for i in range(round(seconds * fps * (1 - lost_share))):
        lost += lost_share / (1 - lost_share)
        step = workload.lower_step(_frame(i / fps / (1 - lost_share), width), int(lost))
        steps += [] if step is None else [step]
    return steps


def test_a_machine_that_keeps_up_takes_all_frames():
    assert _steps(30, 0.0, 60) == []


def test_a_few_lost_frames_are_no_slow_machine():
    assert _steps(30, 0.5 * PARAMS.most_left_out, 60) == []


def test_a_slow_machine_goes_down_step_by_step_past_those_that_change_nothing():
    taken = [(step.most_fps, step.most_width_px) for step in _steps(30, 0.5, 60)]
    assert taken == [(20.0, 960), (15.0, 640)]


def test_times_in_which_too_much_was_lost_are_told_once():
    workload = Workload()
    for i in range(400):
        workload.lower_step(_frame(i / 15), 0 if i < 160 else i - 160)
    # In the first window no frame was lost, and the third is not over.
    assert workload.take_lost_spans() == [(PARAMS.window_s, 2 * PARAMS.window_s)]
    assert workload.take_lost_spans() == []


@pytest.mark.parametrize(("lost", "is_told"), [(0, False), (3, False), (90, True)])
def test_what_waits_unseen_at_the_end_is_told_where_a_shot_may_be_in_it(lost: int, is_told: bool):
    workload = Workload()
    for i in range(60):
        workload.lower_step(_frame(i / 30), 0)
    workload.end((60 + lost) / 30, lost)
    assert bool(workload.take_lost_spans()) is is_told


def test_a_large_picture_is_made_smaller_first():
    assert _steps(30, 0.5, 2.5 * PARAMS.window_s, width=2560)[0].most_width_px == 1280


@pytest.mark.parametrize("fps", [24.0, 30.0, 60.0])
def test_frames_are_let_through_evenly_at_the_step_s_rate(fps: float):
    pace = FramePace()
    pace.wanted = _STEP
    times = [
        frame.t_s
        for i in range(round(10 * fps))
        if (frame := pace.admit(_frame(i / fps), is_still=i == 0)) is not None
    ]
    assert len(times) == pytest.approx(10 * min(fps, _STEP.most_fps), rel=0.05)
    assert np.diff(times).max() < 2.1 / min(fps, _STEP.most_fps)


def test_a_step_waits_for_a_still_frame_and_shrinks_those_after_it():
    pace = FramePace()
    pace.wanted = _STEP
    moving = pace.admit(_frame(0.0), is_still=False)
    still = pace.admit(_frame(0.1), is_still=True)
    later = pace.admit(_frame(0.2), is_still=False)
    assert [queued.image.shape[:2] for queued in (moving, still, later) if queued is not None] == [
        (720, 1280),
        (360, 640),
        (360, 640),
    ]


def test_what_is_said_blames_the_machine_and_keeps_to_the_schema():
    event = make_slowed(_STEP, 12.0)
    AnyEvent.validate_python(to_json(event))
    assert "computer" in " ".join(describe_event(event))
    assert "computer" in str(apply_event(LiveState(), event).notice)
