"""The live picture: a frame with the board's lines, the discs' edges and the last verdict on it.

It draws the last board at rest and the last events, on a frame that may be newer.
"""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

from calibration.circle import circle_mm
from calibration.fit import BoardFit
from calibration.pose import View
from scorer.referee.events import Event, NotRefereeingEvent, ShotEvent
from scorer.rules.judge_shot import Verdict
from vision.io.timed_frame import TimedFrame
from vision.track.events import BoardAtRest

_RING_BGR, _CONTACT_EDGE_BGR = (255, 220, 60), (120, 230, 70)
_MUST_GO_BGR, _TRACKING_LOST_BGR = (40, 90, 255), (40, 40, 255)
#: Discs to be removed are ringed this far outside their edge, mm.
_MUST_GO_MARGIN_MM = 4.0
#: Points of a drawn circle.
_POINTS = 96
#: Points of a drawn line are given in sixteenths of a pixel: the number of fractional bits.
_SHIFT = 4
_VERDICT_BGR = {
    Verdict.LEGAL: (120, 230, 70),
    Verdict.FOUL: (60, 60, 255),
    Verdict.NEEDS_REVIEW: (20, 170, 255),
}


class LivePicture:
    """Keeps the last board and events and draws them on any frame."""

    def __init__(self) -> None:
        self._at_rest: BoardAtRest | None = None
        self._shot: ShotEvent | None = None
        self._tracking_lost: NotRefereeingEvent | None = None

    def set_board(self, at_rest: BoardAtRest) -> None:
        """Take over a newly read board."""
        self._at_rest = at_rest

    def set_event(self, event: Event) -> None:
        """Update the picture from an event."""
        if isinstance(event, ShotEvent):
            self._shot = event
        if isinstance(event, NotRefereeingEvent):
            self._tracking_lost = None if event.over else event

    def draw(self, image: np.ndarray, fit: BoardFit | None) -> np.ndarray:
        """A copy of the frame (h, w, 3) BGR with everything drawn on it.

        ``fit`` is the board's view in it, None if it is not in sight.
        """
        canvas = image.copy()
        if fit is not None:
            for line in range(3):
                angles = np.linspace(0, 2 * np.pi, _POINTS)
                _draw_closed(canvas, fit.view, fit.spec.line_points_mm(line, angles), _RING_BGR)
            self._draw_discs(canvas, fit.view)
        self._draw_status(canvas)
        return canvas

    def _draw_discs(self, canvas: np.ndarray, view: View) -> None:
        if self._at_rest is None:
            return
        radius_mm = self._at_rest.board.disc.contact_radius_mm
        for disc in self._at_rest.board.discs:
            x, y = disc.centre_mm
            _draw_closed(
                canvas,
                view,
                circle_mm((float(x), float(y)), radius_mm, _POINTS),
                _CONTACT_EDGE_BGR,
            )
        for gone in () if self._shot is None else self._shot.remove:
            _draw_closed(
                canvas,
                view,
                circle_mm(gone.place_mm, radius_mm + _MUST_GO_MARGIN_MM, _POINTS),
                _MUST_GO_BGR,
            )

    def _draw_status(self, canvas: np.ndarray) -> None:
        if self._tracking_lost is not None:
            _draw_banner(
                canvas, f"NOT REFEREEING: {self._tracking_lost.reason}", _TRACKING_LOST_BGR
            )
        elif self._shot is not None:
            verdict = self._shot.verdict
            faults = ", ".join(fault.code.replace("_", " ") for fault in self._shot.faults)
            words = f"Shot {self._shot.index + 1}, {self._shot.disc}: {verdict}"
            _draw_banner(canvas, words + (f" ({faults})" if faults else ""), _VERDICT_BGR[verdict])


class ShownPicture:
    """The live picture, drawn and passed on as often as wanted."""

    def __init__(
        self,
        on_picture: Callable[[np.ndarray, float], None],
        every_s: float,
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> None:
        """``on_picture`` gets pictures (h, w, 3) BGR and their times, ``every_s`` of the source."""
        self.picture = LivePicture()
        self._on_picture, self._every_s, self._is_wanted = on_picture, every_s, is_wanted
        self._shown_s = -np.inf

    def show_if_due(self, frame: TimedFrame, fit: BoardFit | None) -> None:
        """Draw this frame if the last drawing is long enough ago."""
        if frame.t_s - self._shown_s >= self._every_s and self._is_wanted():
            self._shown_s = frame.t_s
            self._on_picture(self.picture.draw(frame.image, fit), frame.t_s)


def _draw_closed(
    canvas: np.ndarray, view: View, points_mm: np.ndarray, colour: tuple[int, int, int]
) -> None:
    """Draw a closed line through points (n, 2) of the board's plane, mm."""
    px = np.rint(view.project_plane(points_mm) * (1 << _SHIFT)).astype(np.int32)
    cv2.polylines(canvas, [px], True, colour, 1, cv2.LINE_AA, _SHIFT)


def _draw_banner(canvas: np.ndarray, words: str, colour: tuple[int, int, int]) -> None:
    scale = canvas.shape[0] / 900
    size = cv2.getTextSize(words, cv2.FONT_HERSHEY_SIMPLEX, scale, 2)[0]
    cv2.rectangle(canvas, (0, 0), (size[0] + 24, size[1] + 24), (20, 20, 20), -1)
    cv2.putText(
        canvas, words, (12, size[1] + 12), cv2.FONT_HERSHEY_SIMPLEX, scale, colour, 2, cv2.LINE_AA
    )
