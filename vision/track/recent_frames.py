"""The last frames of a camera, which are needed to read a new one, and their frame rate.

Frames of a view that was not read yet are kept longer and are gone through again after the reading,
because a film, or the scene after a cut, may begin a moment before a shot. Times are seconds of the
source.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice
from operator import sub

import cv2
import numpy as np

from vision.io.timed_frame import CameraImage

#: Longest time for which frames of an unread view are kept: a shot and its end take under 4 s.
_UNREAD_S = 6.0
#: Largest memory for them; the oldest are dropped first: 5 s of 1280 × 720 at 30 frames a second.
_UNREAD_MIB = 400.0
#: The last frames of a board at rest are averaged for reading it: three frames reduce the noise to
#: 0.58, within the 0.15 s that the board has been still.
AVERAGED = 3
#: The median interval of this many frames shows whether they come too rarely: one late frame does
#: not make a camera slow.
_SLOW_FRAMES = 20


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CameraFrame:
    """One frame of the camera and its predecessors.

    previous_s  time of the frame before; its own time for the first frame
    pictures    the last frames, ending with this one
    detailed    the same frames before any smoothing, for reading
    is_evened   bands of light were removed from it
    is_cut      the picture was cut before it, so its predecessors are left out
    """

    picture: CameraImage
    t_s: float
    previous_s: float
    pictures: tuple[CameraImage, ...]
    detailed: tuple[CameraImage, ...]
    is_evened: bool = False
    is_cut: bool = False

    @property
    def image(self) -> np.ndarray:
        """The frame (h, w, 3) uint8 BGR."""
        return self.picture.bgr

    def show_again(self, steady: Callable[[CameraImage], CameraImage]) -> CameraFrame:
        """The same frame, with every picture replaced by the result of ``steady``."""
        return replace(
            self,
            picture=steady(self.picture),
            pictures=tuple(map(steady, self.pictures)),
            detailed=tuple(map(steady, self.detailed)),
        )


class RecentFrames:
    """Remembers the last frames and times of one camera."""

    def __init__(self) -> None:
        self._pictures: deque[CameraImage] = deque(maxlen=AVERAGED)
        self._detailed: deque[CameraImage] = deque(maxlen=AVERAGED)
        self._times_s: deque[float] = deque(maxlen=_SLOW_FRAMES)
        self._left_out: deque[int] = deque(maxlen=_SLOW_FRAMES)

    def add(
        self,
        picture: CameraImage,
        t_s: float,
        left_out: int = 0,
        detailed: CameraImage | None = None,
        *,
        is_evened: bool = False,
        is_cut: bool = False,
    ) -> CameraFrame:
        """The newest frame, with those before it, of which ``left_out`` were not examined.

        ``detailed`` is the frame before smoothing, if it was smoothed. ``is_evened``: bands of
        light were removed. ``is_cut``: the picture was cut before it.
        """
        if is_cut:
            self._pictures.clear()
            self._detailed.clear()
        previous_s = self._times_s[-1] if self._times_s else t_s
        self._times_s.append(t_s)
        self._left_out.append(left_out)
        self._pictures.append(picture)
        self._detailed.append(picture if detailed is None else detailed)
        return CameraFrame(
            picture=picture,
            t_s=t_s,
            previous_s=previous_s,
            pictures=tuple(self._pictures),
            detailed=tuple(self._detailed),
            is_evened=is_evened,
            is_cut=is_cut,
        )

    @property
    def median_pause_s(self) -> float | None:
        """The median time between the last frames; None until there are enough of them."""
        if len(self._times_s) < _SLOW_FRAMES:
            return None
        pauses_s = map(sub, islice(self._times_s, 1, None), self._times_s)
        return sorted(pauses_s)[_SLOW_FRAMES // 2 - 1]

    @property
    def left_out_share(self) -> float:
        """The share of the last frames that were not examined."""
        gone = sum(self._left_out)
        return gone / max(gone + len(self._left_out), 1)


class UnreadFrames:
    """The frames of one view since it was found."""

    def __init__(self) -> None:
        self._frames: deque[CameraFrame] = deque()

    def add(self, frame: CameraFrame) -> None:
        """Keep the frame, and drop the oldest if necessary."""
        self._frames.append(frame)
        excess = (
            sum(camera_frame.picture.nbytes for camera_frame in self._frames) - _UNREAD_MIB * 2**20
        )
        while excess > 0 or frame.t_s - self._frames[0].t_s > _UNREAD_S:
            excess -= self._frames.popleft().picture.nbytes

    def take(self) -> tuple[CameraFrame, ...]:
        """All frames, oldest first; none is kept."""
        frames = tuple(self._frames)
        self._frames.clear()
        return frames


def average_frames(images: list[np.ndarray]) -> np.ndarray:
    """The mean (h, w, 3) uint8 of frames, rounded."""
    total = images[0].astype(np.uint16)
    for image in images[1:]:
        cv2.add(total, image.astype(np.uint16), dst=total)  # adding bytes takes four times as long
    return cv2.convertScaleAbs(total, alpha=1.0 / len(images))
