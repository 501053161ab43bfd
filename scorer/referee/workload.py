"""Workload of a live source: a computer that is too slow gets fewer and smaller frames.

The queue bridges short busy times. If frames with motion are skipped for longer, the computer
cannot keep up on average. The source is then read at the next of a few fixed steps, with fewer
frames a second and a smaller picture, rather than with random gaps. A step starts at the next still
frame, because another size makes the tracker search for the board again. It is kept until the
source is opened anew, because a picture that grows and shrinks would be worse than a small one.
Discs are followed on a picture of 2 mm per pixel, whatever the camera's. A smaller frame affects
only calls near a line, which are read from the frame itself: a person is then asked more often.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from calibration.parameters import StageParameters, parameter
from vision.io.timed_frame import CameraImage, TimedFrame


class WorkloadParameters(StageParameters):
    """Parameters of ``workload``."""

    #: The steps: largest frame rate and picture width.
    most_fps: tuple[float, ...] = parameter(
        (30.0, 20.0, 15.0), unit="1/s", source="chosen: following a flicked disc needs 15 a second"
    )
    most_width_px: tuple[int, ...] = parameter(
        (1280, 960, 640),
        unit="px",
        source="measured on sample and test rounds: at 640 they are judged as at 1280",
    )
    #: The computer is too slow if over this time ...
    window_s: float = parameter(
        10.0, unit="s", source="chosen: longer than a queue; busy moments are shorter"
    )
    #: ... more than this share of the frames was skipped although something moved in them.
    most_left_out: float = parameter(
        0.1, unit="share", source="chosen: losing three frames in 30 has no effect"
    )
    #: Frames must have been skipped for at least this time, s, for a shot to be missed.
    least_lost_s: float = parameter(
        0.4, unit="s", source="chosen: a disc can be flicked and stop in this time"
    )
    #: A source is slowed by a step if it sends this many times as many frames as the step allows.
    fewer: float = parameter(
        1.1, unit="", source="chosen: the frame rate of cameras varies by a tenth"
    )


PARAMS = WorkloadParameters()


class WorkStep(NamedTuple):
    """The most frames a second, and the largest width."""

    most_fps: float
    most_width_px: int


class Workload:
    """Chooses the step from the frames that were analysed and those that were skipped."""

    def __init__(self) -> None:
        self._steps = map(WorkStep, PARAMS.most_fps, PARAMS.most_width_px)
        self._since_s = -np.inf
        self._looked_at = self._left_out = 0
        self._lost_spans: list[tuple[float, float]] = []

    def take_lost_spans(self) -> list[tuple[float, float]]:
        """Times (from, to), s, reported once, in which too many frames with motion were skipped."""
        spans, self._lost_spans = self._lost_spans, []
        return spans

    def end(self, t_s: float, moving_left_out: int) -> None:
        """No more frames are analysed; the last one came at ``t_s``."""
        lost, span_s = moving_left_out - self._left_out, t_s - self._since_s
        if not np.isfinite(span_s) or not self._is_much(lost):
            return
        if lost * span_s > PARAMS.least_lost_s * (lost + self._looked_at):
            self._lost_spans.append((self._since_s, t_s))

    def _is_much(self, lost: int) -> bool:
        """Whether so many frames were skipped, compared with those analysed, that a shot may have
        been missed.
        """
        return lost > PARAMS.most_left_out * (lost + self._looked_at)

    def lower_step(self, frame: TimedFrame, moving_left_out: int) -> WorkStep | None:
        """The next step if ``frame`` shows that the computer is too slow; otherwise None.

        ``moving_left_out`` frames with motion were skipped since the source was opened.
        """
        self._looked_at += 1
        span_s = frame.t_s - self._since_s
        if span_s < PARAMS.window_s:
            return None
        lost, seen, since_s = moving_left_out - self._left_out, self._looked_at, self._since_s
        is_slow = bool(np.isfinite(span_s)) and self._is_much(lost)
        self._since_s, self._looked_at, self._left_out = frame.t_s, 0, moving_left_out
        if not is_slow:
            return None
        self._lost_spans.append((since_s, frame.t_s))
        fps, width_px = (lost + seen) / span_s, frame.picture.shape[1]
        for step in self._steps:
            if fps > PARAMS.fewer * step.most_fps or width_px > step.most_width_px:
                return step
        return None


class FramePace:
    """Lets through the number and size of frames that a step allows; all frames without a step."""

    def __init__(self) -> None:
        self.wanted: WorkStep | None = None
        self._step: WorkStep | None = None
        self._due_s = -np.inf

    def admit(self, frame: TimedFrame, *, is_still: bool) -> TimedFrame | None:
        """The frame in the step's size; None if it comes too soon after the previous one."""
        if is_still:
            self._step = self.wanted
        if self._step is None:
            return frame
        pause_s = 1 / self._step.most_fps
        if frame.t_s < self._due_s - pause_s / 2:
            return None
        self._due_s = max(self._due_s, frame.t_s - pause_s) + pause_s
        image = frame.picture.shrink(self._step.most_width_px)
        return replace(frame, picture=CameraImage(image))
