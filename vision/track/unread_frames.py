"""Frames of a view that was not read yet: kept, to be gone through again once it was.

A film may begin a moment before a shot, and a cut may come there: the board is first read after
it. Then the background is known, beside which the first frames can be read, however short.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import ClassVar

from calibration.parameters import StageParameters, parameter
from vision.track.recent_frames import PARAMS as RECENT
from vision.track.recent_frames import CameraFrame


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadFramesParameters(StageParameters):
    """What ``unread_frames`` takes for granted."""

    stage: ClassVar[str] = "track.unread_frames"

    #: So much of the frames is kept, the oldest going first.
    kept_s: float = parameter(6.0, unit="s", source="chosen: a shot and its end take under 4 s")
    kept_mib: float = parameter(
        400.0, unit="MiB", source="chosen: 5 s of 1280 × 720 at 30 frames a second"
    )
    #: A board that was read this soon lay still all the while.
    at_once_s: float = parameter(
        0.4, unit="s", source="the 0.27 s that a still board takes to be read, and three frames"
    )


PARAMS = UnreadFramesParameters.active()


class UnreadFrames:
    """The frames of one view since it was found."""

    def __init__(self) -> None:
        self._frames: deque[CameraFrame] = deque()
        self._bytes = 0

    def add(self, frame: CameraFrame) -> None:
        """Keep the frame, at the cost of the oldest."""
        self._frames.append(frame)
        self._bytes += frame.image.nbytes
        while (
            frame.t_s - self._frames[0].t_s > PARAMS.kept_s or self._bytes > PARAMS.kept_mib * 2**20
        ):
            self._bytes -= self._frames.popleft().image.nbytes

    def take(self) -> tuple[CameraFrame, ...]:
        """All frames, oldest first, where things may have moved in them; none is kept."""
        frames = tuple(self._frames)
        self._frames.clear()
        self._bytes = 0
        if len(frames) <= RECENT.averaged or frames[-1].t_s - frames[0].t_s < PARAMS.at_once_s:
            return ()
        return frames
