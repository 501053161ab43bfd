"""Removes bands of light from a view's frames, caused by mains light and a rolling shutter.

A rolling shutter exposes rows one after another while a lamp's light swings 100 or 120 times a
second. Brighter and darker bands roll over the picture, so nothing seems still. A row's light is
one gain, smooth over the rows. It is the median ratio of the row's pixels to the view's first
frame, fitted by a line and cosines (robust, Huber's weights). Hands and discs may cover up to half
of most rows. Both halves of the board must show the same bands; shadows do not do this. A frame is
changed only if bands were seen. Its saturated pixels may be brighter than they look, and are
assumed to be as bright as in the first frame. Bands that do not move are not removed.
"""

from __future__ import annotations

from collections import deque

import cv2
import numpy as np

from calibration.board import FloatArray
from calibration.circle import circle_mm
from calibration.fit import BoardFit
from calibration.parameters import StageParameters, cached_by_settings, parameter
from vision.io.timed_frame import CameraImage
from vision.rectify.frame_rectifier import PARAMS as RECTIFIER


class LightBandsParameters(StageParameters):
    """Parameters of ``light_bands``."""

    #: Bands matter if their median exceeds the first value and the halves agree to within this
    #: share.
    least_log: float = parameter(
        0.015,
        unit="log",
        source="chosen: 2 grey levels of wood; a camera that sways by 5 px imitates 0.012",
    )
    halves_differ: float = parameter(
        0.33,
        unit="share",
        source="measured: bands of 3 to 10 % differ by 0.19 at most, a sway by 0.43",
    )
    #: Pixels outside these levels are too dark for a ratio, or saturated.
    levels: tuple[int, int] = parameter(
        (30, 245),
        unit="grey value",
        source="chosen: in darker pixels, one grey level is more than 3 %; brighter ones may "
        "be saturated",
    )
    #: Rows that are further than this from the fitted bands count for less (Huber's weights).
    huber_log: float = parameter(
        0.01, unit="log", source="chosen: three times the noise of a row's median"
    )
    #: A larger swing of the light is not a band.
    most_log: float = parameter(
        0.6,
        unit="log",
        source="chosen: light changes to slightly more than half, or slightly less than double",
    )


PARAMS = LightBandsParameters()
#: Number of the last tests by which light has bands: bands of 100 Hz at 30 frames a second
#: repeat in every third frame.
_TESTS = 3
#: Of these tests, this many must find them: the third may show the first frame's bands.
_SEEN = 2
#: Once the board has been read, one frame in this many is tested, for speed.
BANDS_EVERY = 10
#: Number of rows compared, for speed: 25 for each of the shortest bands.
_ROWS = 160
#: Least number of pixels of a row: the noise of their median is a third of that of a pixel.
_LEAST_PIXELS = 6
#: Number of half wavelengths of the bands over the board: a shutter is open for at most 33 ms, or 4
#: periods of light at 120 Hz; the rest is for harmonics.
_COSINES = 12
#: Rounds of reweighting: weights settle within these rounds.
_ROUNDS = 4
#: Weight of smoothness, for rows without a measurement.
_RIDGE = 1e-6
_RIM_POINTS = 64


@cached_by_settings()
def _make_logs() -> np.ndarray:
    """The log (256,) float32 of the levels; infinite for levels that give no ratio."""
    level = np.arange(256)
    low, high = PARAMS.levels
    usable = (level > low) & (level < high)
    return np.where(usable, np.log(np.maximum(level, 1)), np.inf).astype(np.float32)


class LightBands:
    """Evens out the light of one view's frames to that of its first frame."""

    def __init__(self, image: CameraImage, fit: BoardFit) -> None:
        """``image`` is the view's first frame, with the board at ``fit``."""
        self._seen: deque[bool] = deque(maxlen=_TESTS)
        self._frames, self._is_banded = 0, False
        self._shape = image.shape
        height, width = image.shape[:2]
        self._step = max(height // _ROWS, 1)
        reach_mm = fit.spec.surface_radius_mm + RECTIFIER.margin_mm
        rim_px = fit.view.project_plane(circle_mm((0.0, 0.0), reach_mm, _RIM_POINTS))
        board = np.zeros((height, width), np.uint8)
        cv2.fillPoly(board, [np.rint(rim_px).astype(np.int32)], 1)
        is_board = np.asarray(self._sample(board) > 0)
        self._left, self._right = _find_ends(np.flatnonzero(is_board.any(axis=0)))
        self._top, self._bottom = _find_ends(np.flatnonzero(is_board.any(axis=1)))
        shown = [self._take_logs(plane) for plane in (image.grey, image.bgr[..., 1])]
        self._grey, self._green = (
            np.where(self._cut(is_board) & np.isfinite(logs), logs, np.float32(-np.inf))
            for logs in shown
        )
        self._first = np.ascontiguousarray(image.bgr).reshape(height, -1)
        centre = int(fit.view.project_plane(np.zeros((1, 2)))[0, 0]) // self._step
        self._middle = min(max(centre - self._left, 0), self._right - self._left)
        self._basis = _make_basis(np.linspace(0, 1, self._bottom - self._top))
        self._stiffness = np.arange(self._basis.shape[1]) ** 2
        place = np.arange(height) / self._step - self._top
        self._whole_basis = _make_basis(np.clip(place / max(len(self._basis) - 1, 1), 0, 1))

    def even(self, image: CameraImage, *, every: int) -> tuple[CameraImage, bool]:
        """The frame in the first frame's light, with all rows at their average brightness, and
        True, if the light has bands; otherwise the frame unchanged, and False.

        The test for bands runs once in ``every`` frames. If it runs for every frame, while a shot
        may be under way, one frame with bands is enough.
        """
        if image.shape != self._shape:
            return image, False
        self._frames += 1
        if not self._is_banded and self._frames % every == 0:
            self._seen.append(self._shows_bands(image))
            self._is_banded = sum(self._seen) >= (1 if every == 1 else _SEEN)
        if not self._is_banded:
            return image, False
        seen = image.bgr
        bands = self._fit_bands(self._take_logs(seen[..., 1]) - self._green)
        if bands is None:
            return CameraImage(seen), True
        bands[0] = 0.0
        swing = np.clip(self._whole_basis @ bands, -PARAMS.most_log, PARAMS.most_log)
        flat = np.ascontiguousarray(seen).reshape(len(seen), -1)
        lit = np.empty_like(flat)
        for row, out, gain in zip(flat, lit, np.exp(-swing), strict=True):
            cv2.convertScaleAbs(row, out, float(gain))
        blown_out = cv2.threshold(flat, PARAMS.levels[1], 255, cv2.THRESH_BINARY)[1]
        # it may be brighter than it looks
        lit = cv2.max(lit, cv2.bitwise_and(blown_out, self._first))
        return CameraImage(lit.reshape(seen.shape)), True

    def _shows_bands(self, image: CameraImage) -> bool:
        """Whether both halves of the board show the same bands."""
        ratio = self._take_logs(image.grey) - self._grey
        bands = self._fit_bands(ratio)
        if bands is None:
            return False
        bands[0] = 0.0
        swing = self._basis @ bands
        size = float(np.median(np.abs(swing)))
        if size < PARAMS.least_log:
            return False
        return all(
            _measure_misfit(half, swing) < PARAMS.halves_differ * size
            for half in (ratio[:, : self._middle], ratio[:, self._middle :])
        )

    def _take_logs(self, plane: np.ndarray) -> np.ndarray:
        """Logs (rows, columns) float32 of the board's levels; infinite if not known."""
        return _make_logs().take(self._cut(self._sample(plane)))

    def _sample(self, plane: np.ndarray) -> np.ndarray:
        return plane[:: self._step, :: self._step]

    def _cut(self, sampled: np.ndarray) -> np.ndarray:
        return sampled[self._top : self._bottom, self._left : self._right].copy()

    def _fit_bands(self, ratio: np.ndarray) -> FloatArray | None:
        """The weights of the basis that explain the log ratios (rows, columns); None for too
        few.
        """
        median, weight = _find_medians(ratio)
        if np.count_nonzero(weight) < 2 * self._basis.shape[1]:
            return None
        huber = np.ones(len(weight))
        for _ in range(_ROUNDS):
            weighted = self._basis * (weight * huber)[:, None]
            matrix = weighted.T @ self._basis
            matrix.flat[:: len(matrix) + 1] += _RIDGE * np.trace(matrix) * self._stiffness
            bands = np.linalg.solve(matrix, weighted.T @ median)
            away = np.abs(median - self._basis @ bands)
            huber = PARAMS.huber_log / np.maximum(away, PARAMS.huber_log)
        return np.asarray(bands)


def _find_ends(places: np.ndarray) -> tuple[int, int]:
    """The first of increasing places (n,), and one past the last."""
    return (int(places[0]), int(places[-1]) + 1) if len(places) else (0, 0)


def _make_basis(place: np.ndarray) -> FloatArray:
    """Constant, line and cosines (n, 2 + cosines) at places (n,) from 0 to 1, all but the first
    with zero mean.
    """
    waves = np.cos(np.pi * place[:, None] * np.arange(1, _COSINES + 1))
    return np.column_stack([np.ones(len(place)), place - 0.5, waves])


def _find_medians(ratio: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The medians of the rows (n,), 0 if not known, and their weights (n,), then 0."""
    count = np.count_nonzero(np.isfinite(ratio), axis=1)
    is_known = count >= _LEAST_PIXELS
    middle = np.sort(ratio, axis=1)[np.arange(len(ratio)), count // 2 * is_known]
    return np.where(is_known, middle, 0.0), np.where(is_known, count, 0)


def _measure_misfit(half: np.ndarray, swing: np.ndarray) -> float:
    """The median difference of a half's rows from a swing (n,), apart from its level."""
    median, weight = _find_medians(half)
    if not weight.any():
        return float(np.inf)
    away = (median - swing)[weight > 0]
    return float(np.median(np.abs(away - np.median(away))))
