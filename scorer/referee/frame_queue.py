"""Frame queue between camera and analysis, for one thread on each side.

Live frames are analysed late rather than skipped: the queue holds a few seconds of a shot. If
analysis lags, repeated frames are skipped first. If the queue is full, all frames are thinned
evenly. No frame of a recorded clip is skipped, because its reader waits.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from calibration.parameters import StageParameters, parameter
from scorer.referee.workload import FramePace
from vision.io.timed_frame import CameraImage, TimedFrame


class FrameQueueParameters(StageParameters):
    """Parameters of ``frame_queue``."""

    #: Largest length of a live queue.
    most_frames: int = parameter(
        240,
        unit="frames",
        source="chosen: 8 s at 30 a second, which is twice a shot's duration, and covers the "
        "start of a busy machine",
    )
    most_mib: float = parameter(
        400.0,
        unit="MiB",
        source="chosen: 5 s of 1280 × 720 at 30 frames a second, or 10 s as streams have them",
    )
    #: If analysis is this far behind, it skips still frames ...
    behind_s: float = parameter(0.3, unit="s", source="chosen: a shorter delay is not noticed")
    #: ... but looks at one of them at this interval.
    still_every_s: float = parameter(
        0.1, unit="s", source="chosen: the motion gate compares frames 0.12 s apart"
    )
    #: Interval at which a thread waiting for a frame checks whether to stop.
    poll_s: float = parameter(0.1, unit="s", source="chosen: so that stopping feels immediate")
    #: A live source without frames for this long is silent.
    silent_s: float = parameter(
        2.0, unit="s", source="chosen: longer than a busy machine's pauses, shorter than a turn"
    )
    #: A frame is still if its means over squares of this size differ from the previous frame's by
    #: no more than this many grey levels.
    square_px: int = parameter(
        16, unit="px", source="chosen: a disc covers a few of them in a frame 1280 pixels wide"
    )
    still_grey: float = parameter(
        6.0,
        unit="grey value",
        source="measured: noise of 8 grey values changes a square's mean by 0.5, a disc's edge"
        " changes it by 20",
    )


PARAMS = FrameQueueParameters()


@dataclass(slots=True, kw_only=True)
class LeftOut:
    """Numbers of skipped frames: repeated frames, frames with motion, and frames excluded by the
    workload's step.
    """

    still: int = field(
        default=0,
        metadata={"ge": 0, "description": "Skipped frames that looked like the one before."},
    )
    moving: int = field(
        default=0, metadata={"ge": 0, "description": "Skipped frames that showed motion."}
    )
    thinned: int = field(
        default=0,
        metadata={"ge": 0, "description": "Frames skipped to keep the frame rate in ``slowed``."},
    )

    def add(self, other: LeftOut) -> LeftOut:
        """The sum of both."""
        return LeftOut(
            still=self.still + other.still,
            moving=self.moving + other.moving,
            thinned=self.thinned + other.thinned,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Queued:
    frame: TimedFrame
    is_still: bool


class FrameQueue:
    """Passes frames from one thread to another; ``is_live``: the source cannot wait.

    Its ``pace`` sets how many of a live source's frames are accepted, and their size.
    """

    def __init__(self, *, is_live: bool, changed: threading.Condition | None = None) -> None:
        """``changed`` is notified of every frame; several queues may share it."""
        self.left_out = LeftOut()
        self.pace = FramePace()
        self._is_live = is_live
        self._queue: list[_Queued] = []
        self._averages: list[np.ndarray] = []
        self._is_closed = False
        self._changed = changed or threading.Condition()
        self._last_s, self._counted = -np.inf, 0

    def put(self, frame: TimedFrame) -> None:
        """Add a frame; for a recorded source, wait until the last one was taken or the queue is
        closed.
        """
        is_still = self._is_live and self._shows_the_same(frame.picture)
        admitted = self.pace.admit(frame, is_still=is_still)
        if admitted is None:
            self.left_out.thinned += 1
            return
        frame = admitted
        with self._changed:
            if self._is_live:
                while self._is_full(frame):
                    self._leave_out(self._find_least_missed())
            else:
                self._changed.wait_for(lambda: not self._queue or self._is_closed)
            self._queue.append(_Queued(frame=frame, is_still=is_still))
            self._changed.notify_all()

    def close(self) -> None:
        """Close the queue: there will be no more frames."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def leave_out_rest(self) -> float | None:
        """Skip the waiting frames of a live source; returns the last one's time, None if there are
        none.
        """
        with self._changed:
            if not self._is_live or not self._queue:
                return None
            last_s = self._queue[-1].frame.t_s
            while self._queue:
                self._leave_out(0)
            return last_s

    @property
    def next_s(self) -> float | None:
        """The time of the frame that has waited longest; None if there is none."""
        with self._changed:
            return self._queue[0].frame.t_s if self._queue else None

    @property
    def is_over(self) -> bool:
        """Whether it is closed, and every frame was taken."""
        with self._changed:
            return self._is_closed and not self._queue

    def take(self) -> TimedFrame | None:
        """The next frame, with the number of frames skipped before it; None if there is none."""
        with self._changed:
            if not self._queue:
                return None
            while self._lags_behind() and self._queue[1].frame.t_s - self._last_s <= (
                PARAMS.still_every_s
            ):
                self._leave_out(0)
            frame = self._queue.pop(0).frame
            gone = self.left_out.still + self.left_out.moving
            self._changed.notify_all()
        self._last_s, counted, self._counted = frame.t_s, self._counted, gone
        return frame if gone == counted else replace(frame, left_out=gone - counted)

    def frames(self, stop: threading.Event | None = None) -> Iterator[TimedFrame | None]:
        """Frames in order, as from ``take``, until the queue is closed, or until ``stop`` is set
        while a dead camera sends none. Yields None, once, if a live source falls silent.
        """
        silent_at_s = np.inf
        while not self.is_over:
            with self._changed:
                self._changed.wait_for(lambda: self._queue or self._is_closed, PARAMS.poll_s)
            frame = self.take()
            if frame is not None:
                yield frame
                silent_at_s = time.monotonic() + PARAMS.silent_s if self._is_live else np.inf
            elif stop is not None and stop.is_set():
                return
            elif time.monotonic() > silent_at_s:
                silent_at_s = np.inf
                yield None

    def _lags_behind(self) -> bool:
        """Whether waiting still frames can be skipped to catch up."""
        if not self._is_live or len(self._queue) < 2 or not self._queue[0].is_still:
            return False
        return self._queue[-1].frame.t_s - self._queue[0].frame.t_s > PARAMS.behind_s

    def _is_full(self, frame: TimedFrame) -> bool:
        held = sum(queued.frame.picture.nbytes for queued in self._queue) + frame.picture.nbytes
        return bool(self._queue) and (
            held > PARAMS.most_mib * 2**20 or len(self._queue) >= PARAMS.most_frames
        )

    def _find_least_missed(self) -> int:
        """The frame whose loss matters least: a still one if there is one, otherwise one where
        frames follow each other most closely.

        Of three or more frames it is never the first, which is analysed next, nor the last.
        """
        if len(self._queue) < 3:
            return 0
        times_s = np.array([queued.frame.t_s for queued in self._queue])
        pauses_s = times_s[2:] - times_s[:-2]  # without the frame between
        is_still = np.array([queued.is_still for queued in self._queue[1:-1]])
        is_spare = is_still & (pauses_s <= PARAMS.still_every_s)
        return 1 + int(np.argmin(np.where(is_spare, pauses_s - PARAMS.still_every_s, pauses_s)))

    def _leave_out(self, index: int) -> None:
        if self._queue.pop(index).is_still:
            self.left_out.still += 1
        else:
            self.left_out.moving += 1

    def _shows_the_same(self, picture: CameraImage) -> bool:
        """Whether a picture equals the previous one in brightness and colour."""
        before, self._averages = self._averages, picture.average_squares(PARAMS.square_px)
        if [plane.shape for plane in before] != [average.shape for average in self._averages]:
            return False
        return all(
            np.abs(one - other).max() <= PARAMS.still_grey
            for one, other in zip(before, self._averages, strict=True)
        )
