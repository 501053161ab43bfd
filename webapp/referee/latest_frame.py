"""Latest-frame buffer between camera and analysis, for one thread on each side.

A live frame that nobody took makes room for the next and is counted. No frame of a recorded clip is
dropped: its reader waits until the last one was taken.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator

from vision.io.sources import TimedFrame


class LatestFrameBuffer:
    """Passes frames from one thread to another.

    drop_old  a frame nobody took makes room; else ``put`` waits
    dropped   frames that made room so far
    """

    def __init__(self, *, drop_old: bool) -> None:
        self._drop_old = drop_old
        self._frame: TimedFrame | None = None
        self._is_closed = False
        self._changed = threading.Condition()
        self.dropped = 0

    def put(self, frame: TimedFrame) -> None:
        """Offer a frame; without dropping, wait until the last one was taken or it is closed."""
        with self._changed:
            if self._frame is not None and self._drop_old:
                self.dropped += 1
            else:
                self._changed.wait_for(lambda: self._frame is None or self._is_closed)
            self._frame = frame
            self._changed.notify_all()

    def close(self) -> None:
        """No more frames will be put, or taken."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def frames(self) -> Iterator[TimedFrame]:
        """Frames as they come, until the buffer is closed and empty."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._frame is not None or self._is_closed)
                frame, self._frame = self._frame, None
                self._changed.notify_all()
            if frame is None:
                return
            yield frame
