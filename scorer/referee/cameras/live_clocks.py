"""The clocks of two live cameras, matched by motion while both run.

Frames are timed on arrival, on one clock, but one camera's frames may arrive a second later. Motion
energy of the last minute is kept for both. If the cross-correlation gives the same offset twice
(``clock_offset``), the times of the camera that is ahead are moved forward by it once nothing moves
in front of it. Its times never run backwards, and no disc seems to jump.
"""

from __future__ import annotations

import numpy as np

from calibration.parameters import StageParameters, parameter
from scorer.referee.cameras.clock_offset import MotionEnergy, find_clock_offset
from vision.io.timed_frame import CameraImage


class LiveClocksParameters(StageParameters):
    """Parameters of ``live_clocks``."""

    #: Length of motion that is compared ...
    window_s: float = parameter(
        60.0, unit="s", source="chosen: contains some shots, and hands between them"
    )
    #: ... once at least this much is available, and at this interval.
    every_s: float = parameter(
        5.0, unit="s", source="chosen: about the time in which one shot or one hand is seen"
    )
    #: Offsets that differ by less are the same; the clocks are then left as they are.
    same_s: float = parameter(
        0.1,
        unit="s",
        source="chosen: a tenth of the time by which the two cameras' boards at rest may be apart",
    )
    #: Networks do not delay frames by more than this; a larger offset is a coincidence.
    most_s: float = parameter(5.0, unit="s", source="chosen: a camera's buffer holds a few seconds")


PARAMS = LiveClocksParameters()


class LiveClocks:
    """Times of cameras 0 and 1 on one clock, from their frames' arrival times."""

    def __init__(self) -> None:
        """Both clocks are assumed to agree at first."""
        self._motions = MotionEnergy(), MotionEnergy()
        self._add_s, self._wanted_s = [0.0, 0.0], [0.0, 0.0]
        self._last_s = -np.inf
        self._found_s: float | None = None
        self._is_known = False

    @property
    def are_matched(self) -> bool:
        """Whether motion has determined the offset, and both clocks follow it."""
        return self._is_known and self._add_s == self._wanted_s

    def place(self, camera: int, picture: CameraImage, arrived_s: float, *, is_calm: bool) -> float:
        """A frame's time on the common clock, which jumps forward only if ``is_calm``."""
        motion = self._motions[camera]
        motion.add(picture, arrived_s)
        while motion.samples and arrived_s - motion.samples[0][0] > PARAMS.window_s:
            motion.samples.popleft()
        if arrived_s - self._last_s >= PARAMS.every_s:
            self._last_s = arrived_s
            self._compare()
        if is_calm:
            self._add_s[camera] = self._wanted_s[camera]
        return arrived_s + self._add_s[camera]

    def _compare(self) -> None:
        """Request a new offset once motion has given it twice."""
        if min(motion.span_s for motion in self._motions) < PARAMS.every_s:
            return
        found_s = find_clock_offset(*self._motions)
        if found_s is None or abs(found_s) > PARAMS.most_s:
            return
        before_s, self._found_s = self._found_s, found_s
        if before_s is None or abs(before_s - found_s) > PARAMS.same_s:
            return
        self._is_known = True
        more_s = found_s - (self._wanted_s[1] - self._wanted_s[0])
        if abs(more_s) > PARAMS.same_s:
            self._wanted_s[more_s > 0] += abs(more_s)
