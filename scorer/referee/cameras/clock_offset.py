"""The offset of two videos' clocks, from the times of motion in both.

Motion energy, the mean difference of small grey frames, is put on one time grid as a logarithm. The
cross-correlation of both films is largest at their offset, because hands and discs move at the same
moments in any camera's view. The result is uncertain if little moves, if the same motion is
repeated, or if the films overlap by less than half.
"""

from __future__ import annotations

import threading
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field

import cv2
import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from vision.io.sources import FrameSource
from vision.io.timed_frame import BrokenOffError, CameraImage


class ClockOffsetParameters(StageParameters):
    """Parameters of ``clock_offset``."""

    #: Frames are compared at this size, at which a pixel is about half a disc.
    size_px: tuple[int, int] = parameter(
        (96, 54), unit="px", source="chosen: so small that noise averages out"
    )
    grid_s: float = parameter(
        1 / 30, unit="s", source="chosen: the duration of a frame of most cameras"
    )
    #: Energy up to this value, and up to this multiple of the energy in the stillest moments, is
    #: noise.
    least_grey: float = parameter(
        0.02,
        unit="grey value",
        source="measured in rendered films: 0.001 to 0.01 for boards at rest",
    )
    noise: float = parameter(3.0, unit="", source="chosen: more than the variation of noise")
    still_percentile: float = parameter(
        20.0, unit="%", source="chosen: a board is at rest for at least a fifth of a film"
    )
    #: An offset is accepted from this correlation on, if only neighbouring offsets come close to
    #: it.
    sure: float = parameter(
        0.4,
        unit="",
        source="measured on six pairs of films, whole or halved: 0.47 to 0.97; unrelated films"
        " 0.25",
    )
    lead: float = parameter(
        0.12, unit="", source="measured on the same films: all other lags are at least 0.26 lower"
    )
    beside_s: float = parameter(
        0.7, unit="s", source="chosen: the duration of a flick, which is the width of peaks"
    )


PARAMS = ClockOffsetParameters()


@dataclass(slots=True, kw_only=True, eq=False)
class MotionEnergy:
    """The motion in front of a camera.

    samples  times, s, and mean differences from the frame before, grey values
    before   the last frame, small and grey
    """

    samples: deque[tuple[float, float]] = field(default_factory=deque)
    before: np.ndarray | None = None

    @property
    def span_s(self) -> float:
        """Time from the first sample to the last."""
        return self.samples[-1][0] - self.samples[0][0] if self.samples else 0.0

    def add(self, picture: CameraImage, t_s: float) -> None:
        """Add a frame."""
        small = cv2.resize(picture.grey, PARAMS.size_px, interpolation=cv2.INTER_AREA)
        if self.before is not None:
            self.samples.append((t_s, float(cv2.absdiff(small, self.before).mean())))
        self.before = small


def measure_motion(source: FrameSource, stop: threading.Event) -> MotionEnergy:
    """The motion energy of a source, up to its end. Raises ``SourceError``."""
    motion = MotionEnergy()
    with suppress(BrokenOffError):  # the error is reported when the film is watched
        for frame in source.frames(stop, lambda _: None):
            motion.add(frame.picture, frame.t_s)
    return motion


def find_clock_offset(first: MotionEnergy, second: MotionEnergy) -> float | None:
    """The offset of the second film's times, s, at which the motion in both agrees best; None if
    motion does not determine it.
    """
    from scipy.signal import correlate  # importing it takes a second

    if min(len(first.samples), len(second.samples)) < 2:
        return None
    one, two = _resample(first), _resample(second)
    norm = float(np.linalg.norm(one) * np.linalg.norm(two))
    if norm == 0:
        return None
    score = correlate(one, two) / norm
    lags = np.arange(1 - len(two), len(one))
    best = int(score.argmax())
    beside = np.abs(lags - lags[best]) * PARAMS.grid_s > PARAMS.beside_s
    rival = float(score[beside].max(initial=-1.0))
    if score[best] < PARAMS.sure or score[best] - rival < PARAMS.lead:
        return None
    lag_s = (int(lags[best]) + _find_vertex(score, best)) * PARAMS.grid_s
    return first.samples[0][0] - second.samples[0][0] + lag_s


def _resample(motion: MotionEnergy) -> FloatArray:
    """Log energy (m,) above noise, on an even grid from the first time on, minus its mean."""
    times_s, energy = np.array(motion.samples).T
    grid = np.arange(times_s[0], times_s[-1], PARAMS.grid_s)
    still = float(np.percentile(energy, PARAMS.still_percentile))
    noise = max(PARAMS.least_grey, PARAMS.noise * still)
    log = np.interp(grid, times_s, np.log(np.maximum(energy, noise)))
    return np.asarray(log - log.mean())


def _find_vertex(score: FloatArray, best: int) -> float:
    """The place of the peak between its neighbours, -0.5 to 0.5, from a parabola through the
    three.
    """
    if not 0 < best < len(score) - 1:
        return 0.0
    left, middle, right = score[best - 1 : best + 2]
    bend = left - 2 * middle + right
    return float(0.5 * (left - right) / bend) if bend < 0 else 0.0
