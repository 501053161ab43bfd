"""Frames of a phone that aims at a board: the board's lines, and one tip.

A preview must be cheap. A frame is small, waits until the worker has no other work, and is searched
only near the board's place in the previous frame. A phone has one waiting frame; a newer one
replaces it. Only the board's place is kept.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import BoundedSemaphore, Lock

import numpy as np

from calibration.circle import circle_mm
from calibration.fit import BoardFit
from calibration.phrase import Phrase
from calibration.pose import View
from scorer.photo.aim_help import AimAdvice, AimTrouble, advise_camera, advise_without_board
from scorer.photo.rectified_image import format_points
from vision.board.centre_search import QUICK
from vision.board.find_board import NoBoard, find_board
from vision.io.frame import UnreadablePicture, decode_frame
from webapp.http.rate_limit import PermitRate, RateLimiter
from webapp.jobs.worker import BusyError, Task, Worker
from webapp.process_limits import limit_decoding

#: A frame is a JPEG of about 960 × 720: larger ones are refused.
MAX_FRAME_BYTES, _MAX_PIXELS = 400_000, 1_600_000
#: The final picture is at most this many times finer than its preview.
MAX_FINER = 4.0
#: A phone sends two frames a second, and a few phones may share an address.
AIM_RATE = PermitRate(burst=20, per_s=8)
#: Number of aiming phones; the one unused for longest is dropped first.
_MAX_CLIENTS = 16
#: Number of threads that may wait for a frame; the server's other threads answer pages.
_MOST_WAITING = 3
#: Longest wait for an answer: nobody holds a phone still for longer.
_TIMEOUT_S = 2.0
_CURVE_POINTS = 48

_LIGHT_WORDS = {
    AimTrouble.DARK: Phrase("Turn on more light."),
    AimTrouble.BLURRED: Phrase("Hold still."),
}
_NO_BOARD = Phrase("Show the whole board.")
_FINE = Phrase("Good. Hold still.")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AimReading:
    """The reading of a preview.

    size_px   (width, height) of the frame
    rings     the hole, the three lines and the surface's edge, each as points of a drawing
    sentence  the tip, or that the aim is good
    is_sure   whether all lines would be certain in a picture from here
    view      of the board in the frame; None if none was found
    """

    size_px: tuple[int, int]
    rings: tuple[str, ...]
    sentence: str
    is_sure: bool
    view: View | None


def read_aim(
    _report_progress: Callable[[str], None], jpeg: bytes, near: View | None, finer: float
) -> AimReading | None:
    """The reading of a frame; None for one that cannot be read."""
    with limit_decoding():
        frame = decode_frame(jpeg, "preview", max_pixels=_MAX_PIXELS, max_one_pass_pixels=0)
    if isinstance(frame, UnreadablePicture):
        return None
    size_px = (frame.image.shape[1], frame.image.shape[0])
    found = find_board(frame, near=near, efforts=(QUICK,))
    if isinstance(found, NoBoard):
        light = advise_without_board(frame)
        words = _NO_BOARD if light is None else _LIGHT_WORDS.get(light.trouble, _NO_BOARD)
        return AimReading(size_px=size_px, rings=(), sentence=words, is_sure=False, view=None)
    advice = advise_camera(frame, found.fit, finer)
    return AimReading(
        size_px=size_px,
        rings=_draw_rings(found.fit),
        sentence=_FINE if advice is None else _shorten(advice),
        is_sure=advice is None,
        view=found.fit.view,
    )


def _draw_rings(fit: BoardFit) -> tuple[str, ...]:
    """The hole, the lines and the surface's edge in the frame, as points of a drawing."""
    spec = fit.spec
    azimuths = np.linspace(0, 2 * np.pi, _CURVE_POINTS, endpoint=False)
    curves = [
        circle_mm(spec.hole_centre_mm, spec.hole_radius_mm, _CURVE_POINTS // 2),
        *(spec.line_points_mm(line, azimuths) for line in range(3)),
        circle_mm((0.0, 0.0), spec.surface_radius_mm, _CURVE_POINTS),
    ]
    return tuple(format_points(fit.view.project_plane(curve)) for curve in curves)


def _shorten(advice: AimAdvice) -> str:
    """The advice in short, for a person who aims: the fault or the remedy, without reasons."""
    return _LIGHT_WORDS.get(advice.trouble) or advice.sentence


class AimFrames:
    """The phones that aim now, with one frame each."""

    def __init__(self, worker: Worker) -> None:
        """Let this worker read them when it has no other work."""
        self._worker, self._lock = worker, Lock()
        self._tasks: OrderedDict[str, Task] = OrderedDict()
        self._views: OrderedDict[str, AimReading] = OrderedDict()
        self._places = BoundedSemaphore(_MOST_WAITING)
        self.limiter = RateLimiter(AIM_RATE)

    def look(self, client: str, jpeg: bytes, finer: float) -> AimReading | None:
        """The reading of a phone's frame; None if time is short, or a newer one came."""
        if not self._places.acquire(blocking=False):
            return None
        try:
            task = self._submit(client, jpeg, min(max(finer, 1.0), MAX_FINER))
            if task is None or not self._worker.wait(task, _TIMEOUT_S):
                return None
        finally:
            self._places.release()
        reading: AimReading | None = task.result
        if reading is not None:
            with self._lock:
                self._views[client] = reading
                _forget_oldest(self._views)
        return reading

    def _submit(self, client: str, jpeg: bytes, finer: float) -> Task | None:
        """The task of a frame; None while an earlier frame of that phone is being read."""
        with self._lock:
            earlier, before = self._tasks.get(client), self._views.get(client)
            if earlier is not None and not earlier.is_done and not self._worker.withdraw(earlier):
                return None
            near = None if before is None else before.view
            try:
                task = self._worker.submit_idle(read_aim, jpeg, near, finer)
            except BusyError:
                return None
            self._tasks[client] = task
            self._tasks.move_to_end(client)
            _forget_oldest(self._tasks)
            return task


def _forget_oldest(entries: OrderedDict[str, Task] | OrderedDict[str, AimReading]) -> None:
    while len(entries) > _MAX_CLIENTS:
        entries.popitem(last=False)
