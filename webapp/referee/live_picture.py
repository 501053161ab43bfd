"""The live picture: a frame with the board's lines, the discs' feet and the last verdict on it.

Knows drawing. Refuses to decide anything; it is told.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import cv2
import numpy as np

from calibration.circle import circle_mm
from calibration.parameters import StageParameters, parameter
from calibration.pose import View
from vision.track.events import BoardAtRest
from vision.track.tracker import BoardTracker
from webapp.referee.events import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class LivePictureParameters(StageParameters):
    """What ``live_picture`` takes for granted."""

    stage: ClassVar[str] = "referee.live_picture"

    ring_bgr: tuple[int, int, int] = parameter((255, 220, 60), unit="", source="")
    foot_bgr: tuple[int, int, int] = parameter((120, 230, 70), unit="", source="")
    must_go_bgr: tuple[int, int, int] = parameter((40, 90, 255), unit="", source="")
    blind_bgr: tuple[int, int, int] = parameter((40, 40, 255), unit="", source="")
    points: int = parameter(96, unit="", source="")
    #: Points of a drawn line are given in sixteenths of a pixel.
    shift: int = parameter(4, unit="", source="")


PARAMS = LivePictureParameters.active()
_VERDICT_BGR = {"legal": (120, 230, 70), "foul": (60, 60, 255), "needs_review": (20, 170, 255)}


class LivePicture:
    """Keeps the last board and events and draws them on any frame."""

    def __init__(self) -> None:
        self._rested: BoardAtRest | None = None
        self._shot: Event | None = None
        self._tracking_lost: Event | None = None

    def set_board(self, at_rest: BoardAtRest) -> None:
        """The board was read."""
        self._rested = at_rest

    def set_event(self, event: Event) -> None:
        """An event happened."""
        if event["type"] == "shot":
            self._shot = event
        if event["type"] == "not_refereeing":
            self._tracking_lost = None if event["over"] else event

    def draw(self, image: np.ndarray, tracker: BoardTracker) -> np.ndarray:
        """The frame (BGR) with everything drawn on it."""
        canvas = image.copy()
        fit = tracker.fit
        if fit is not None:
            for line in range(3):
                angles = np.linspace(0, 2 * np.pi, PARAMS.points)
                _draw_closed(
                    canvas, fit.view, fit.spec.line_points_mm(line, angles), PARAMS.ring_bgr
                )
            self._draw_discs(canvas, fit.view)
        self._draw_status(canvas)
        return canvas

    def _draw_discs(self, canvas: np.ndarray, view: View) -> None:
        if self._rested is None:
            return
        radius_mm = self._rested.board.disc.contact_radius_mm
        for each in self._rested.board.discs:
            x, y = each.centre_mm
            _draw_closed(
                canvas,
                view,
                circle_mm((float(x), float(y)), radius_mm, PARAMS.points),
                PARAMS.foot_bgr,
            )
        for gone in (self._shot or {}).get("remove", ()):
            place = (gone["x_mm"], gone["y_mm"])
            _draw_closed(
                canvas, view, circle_mm(place, radius_mm + 4, PARAMS.points), PARAMS.must_go_bgr
            )

    def _draw_status(self, canvas: np.ndarray) -> None:
        if self._tracking_lost is not None:
            _draw_banner(
                canvas, f"NOT REFEREEING: {self._tracking_lost['reason']}", PARAMS.blind_bgr
            )
        elif self._shot is not None:
            verdict = self._shot["verdict"]
            faults = ", ".join(each["code"].replace("_", " ") for each in self._shot["faults"])
            words = f"Shot {self._shot['index'] + 1}, {self._shot['disc']}: {verdict}"
            _draw_banner(canvas, words + (f" ({faults})" if faults else ""), _VERDICT_BGR[verdict])


def _draw_closed(
    canvas: np.ndarray, view: View, points_mm: np.ndarray, colour: tuple[int, int, int]
) -> None:
    px = np.rint(view.project_plane(points_mm) * (1 << PARAMS.shift)).astype(np.int32)
    cv2.polylines(canvas, [px], True, colour, 1, cv2.LINE_AA, PARAMS.shift)


def _draw_banner(canvas: np.ndarray, words: str, colour: tuple[int, int, int]) -> None:
    scale = canvas.shape[0] / 900
    size = cv2.getTextSize(words, cv2.FONT_HERSHEY_SIMPLEX, scale, 2)[0]
    cv2.rectangle(canvas, (0, 0), (size[0] + 24, size[1] + 24), (20, 20, 20), -1)
    cv2.putText(
        canvas, words, (12, size[1] + 12), cv2.FONT_HERSHEY_SIMPLEX, scale, colour, 2, cv2.LINE_AA
    )
