"""Capture: a source's frames, put into a queue by a separate thread, for analysis.

A source that fails closes its queue and leaves the reason, a ``SourceError``, whatever its decoder
or driver raised.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context

import cv2

from calibration.phrase import Phrase
from scorer.referee.frame_queue import FrameQueue
from scorer.referee.workload import Workload, WorkStep
from vision.io.sources import FrameSource, SourceError, TimedFrame, open_source

#: Longest wait for a driver that does not return from its last frame.
_END_S = 10.0


def open_paced(source: str | FrameSource, *, realtime: bool) -> FrameSource:
    """The source that a person named; ``realtime`` plays a recording at its own speed.

    Raises ``SourceError``.
    """
    if not isinstance(source, str):
        return source
    try:
        opened = open_source(source)
    except (OSError, ValueError) as error:  # not a valid file name, or no permission
        reason = getattr(error, "strerror", None) or str(error)
        raise SourceError(
            Phrase(
                "%(source)s cannot be opened (%(reason)s). Check that it exists and is not in use.",
                source=source,
                reason=reason,
            )
        ) from None
    if realtime and not opened.is_live:
        return RealTimeSource(opened)
    return opened


class RealTimeSource:
    """A recorded source played at its own speed, or slower on a computer that cannot keep up.

    It is not live: its frames can wait, so none is skipped.
    """

    def __init__(self, recorded: FrameSource) -> None:
        self.name = recorded.name
        self.is_live = False
        self._recorded = recorded

    def frames(self, stop: threading.Event, report: Callable[[str], None]) -> Iterator[TimedFrame]:
        """Yield the frames at their times."""
        started_s = time.monotonic()
        for frame in self._recorded.frames(stop, report):
            stop.wait(max(0.0, frame.t_s - (time.monotonic() - started_s)))
            yield frame


class Capture:
    """Frames from a separate thread, and the reason if the source failed.

    frames  number of frames so far; the last one came at ``came_s`` of ``time.monotonic``
    """

    def __init__(
        self,
        source: FrameSource,
        report: Callable[[str], None],
        changed: threading.Condition | None = None,
    ) -> None:
        """``report`` gets the source's problems in sentences; ``changed`` is the queue's."""
        self.queue = FrameQueue(is_live=source.is_live, changed=changed)
        self.failure: SourceError | None = None
        self.frames, self.came_s = 0, time.monotonic()
        self._workload = Workload()
        self._source, self._report = source, report

    def run(self, stop: threading.Event, done: threading.Event) -> None:
        """Put frames into the queue until the source ends, or one of the two events is set."""
        try:
            for frame in self._source.frames(done, self._report):
                self.frames, self.came_s = self.frames + 1, time.monotonic()
                self.queue.put(frame)
                if stop.is_set() or done.is_set():
                    break
        except SourceError as error:
            self.failure = error
        except Exception as error:  # noqa: BLE001  # foreign decoders and drivers raise anything
            self.failure = SourceError(
                Phrase(
                    "%(name)s can no longer be read. Check the connection and start again.",
                    name=self._source.name,
                )
            )
            self.failure.__cause__ = error
        finally:
            self.queue.close()

    def lower_step(self, frame: TimedFrame) -> WorkStep | None:
        """Capture less from now on if the ``frame`` just analysed shows that the computer cannot
        keep up.
        """
        step = self._workload.lower_step(frame, self.queue.left_out.moving)
        if step is not None:
            self.queue.pace.wanted = step
        return step

    def end(self) -> None:
        """Skip the waiting frames."""
        last_s = self.queue.leave_out_rest()
        if last_s is not None:
            self._workload.end(last_s, self.queue.left_out.moving)

    def describe_losses(self) -> list[str]:
        """Times at which frames with possible shots were skipped, reported once."""
        return [
            (
                Phrase(
                    "this computer was too busy to check every frame from %(from_s).0f "
                    "to %(to_s).0f s, so a shot may have been missed",
                    from_s=from_s,
                    to_s=to_s,
                )
            )
            for from_s, to_s in self._workload.take_lost_spans()
        ]


@contextmanager
def use_one_thread() -> Iterator[None]:
    """Let OpenCV work in the caller's thread, because waking other threads takes longer than such
    small pictures.
    """
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        yield
    finally:
        cv2.setNumThreads(threads)


@contextmanager
def capture_frames(
    source: FrameSource,
    stop: threading.Event,
    report: Callable[[str], None],
    changed: threading.Condition | None = None,
) -> Iterator[Capture]:
    """A capture in a separate thread that runs while the block lasts."""
    capture, done = Capture(source, report, changed), threading.Event()
    run = copy_context().run  # the parameters in force here also apply in the thread
    thread = threading.Thread(
        target=run, args=(capture.run, stop, done), name="capture", daemon=True
    )
    thread.start()
    try:
        yield capture
    finally:
        done.set()
        capture.queue.close()
        thread.join(timeout=_END_S)
