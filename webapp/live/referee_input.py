"""Data for the referee's process: requests, and a phone's frames, which are sent late rather than
dropped.

Frames wait as JPEGs while the process starts or lags. If there are too many, every second one is
skipped. Requests are sent before frames.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from itertools import islice
from math import inf
from time import monotonic

from webapp.child_process import ChildProcess
from webapp.live.ring_buffer import JpegFrame

#: Largest total size of waiting frames: some 20 s of JPEGs of 100 kB.
_MOST_BYTES = 64 * 2**20


class RefereeInput:
    """Requests and a phone's frames until the referee's process takes them."""

    def __init__(self) -> None:
        self._changed, self._frames = threading.Condition(), deque[JpegFrame]()
        self._requests: dict[str, None] = {}
        self._newest_s, self._put_s = -inf, monotonic()

    def ask(self, request: str) -> None:
        """Ask the process for something, once while the request waits."""
        with self._changed:
            self._requests[request] = None
            self._changed.notify()

    def put(self, frames: Sequence[JpegFrame]) -> int:
        """Add frames; returns the number of waiting frames that were skipped for lack of room.

        A frame no newer than the last is a repeat from a phone that got no answer.
        """
        left_out = 0
        with self._changed:
            for frame in frames:
                if frame.t_s > self._newest_s:
                    self._newest_s = frame.t_s
                    self._frames.append(frame)
            if sum(len(jpeg_frame.jpeg) for jpeg_frame in self._frames) > _MOST_BYTES:
                kept = deque(islice(self._frames, 0, None, 2))
                left_out, self._frames = len(self._frames) - len(kept), kept
            self._put_s = monotonic()
            self._changed.notify()
        return left_out

    @property
    def silent_s(self) -> float:
        """Seconds since the last frames came, or since the wait for frames began."""
        return monotonic() - self._put_s

    def wake(self) -> None:
        """Wake the feeding thread, so that it can check whether to end."""
        with self._changed:
            self._changed.notify_all()

    def feed(self, process: ChildProcess, is_over: threading.Event) -> None:
        """Send everything, until the end."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._requests or self._frames or is_over.is_set())
                if is_over.is_set():
                    return
                is_asked = bool(self._requests)
                item = self._requests.popitem()[0] if is_asked else self._frames.popleft()
            try:
                process.send(item)
            except (OSError, ValueError):
                return  # the process is gone; its watcher notices
