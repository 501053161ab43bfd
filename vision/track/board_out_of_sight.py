"""Find the board while it is out of sight: in the lost view, or anywhere else.

A lost view is back if its background registers to the frame at the old place and little differs.
Otherwise the board is searched for as in a photo (``find_board``). A board found in a different
view is adopted only after a while, because videos are cut to replays.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import ClassVar

import numpy as np

from calibration.fit import BoardFit
from calibration.parameters import StageParameters, parameter
from calibration.profile import CalibrationProfile
from vision.board.compare_views import measure_shift_mm, rotate_to_match
from vision.board.find_board import NoBoard, find_board
from vision.io.frame import Frame
from vision.io.timed_frame import CameraImage
from vision.track.background.background_model import NormalisedFrame, normalise_frame
from vision.track.background.registration import estimate_shift_mm
from vision.track.events import BoardFound, BoardMoved, TrackerEvent
from vision.track.recent_frames import CameraFrame
from vision.track.session import SessionState
from vision.track.states import Away, InMotion, OtherView, OutOfSight, Unread
from vision.track.status_reports import NO_BOARD_ADVICE, OTHER_VIEW, LossReason, StatusReports
from vision.track.tracked_view import (
    TrackedView,
    is_moved,
    measure_changed_share,
)
from vision.track.transitions import adopt_view, find_again, postpone_search, wait_for_view


class LocateParameters(StageParameters):
    """Parameters of ``locate``."""

    stage: ClassVar[str] = "track.locate"

    #: The view is back if at most this share of the surface differs from it and registration finds
    #: no shift.
    same_view_share: float = parameter(
        0.25, unit="share", source="chosen: discs and a hand may have come in the meantime"
    )
    #: A view after a cut belongs to another camera or a replay; if it stays this long, the camera
    #: itself was moved.
    adopt_view_s: float = parameter(12.0, unit="s", source="chosen: replays are shorter")


PARAMS = LocateParameters()

Located = Generator[TrackerEvent, None, OutOfSight | Unread | InMotion]


class BoardLocator:
    """Locates the board of one session; ``profile`` holds its sizes if they were measured."""

    def __init__(
        self, profile: CalibrationProfile | None, session: SessionState, reports: StatusReports
    ) -> None:
        self._profile = profile
        self._session = session
        self._reports = reports

    def locate(self, state: OutOfSight, frame: CameraFrame) -> Located:
        """Yields the events of ``frame``; returns the state after it, in sight if the board was
        found.
        """
        if isinstance(state, Away) and _is_back(state, frame.picture):
            return (yield from self._find_again(state, frame))
        if frame.t_s < state.search.next_s:
            return state
        found = find_board(_as_picture(frame.image), self._profile)
        if isinstance(found, NoBoard):
            why = LossReason(reason=found.reason, advice=NO_BOARD_ADVICE)
            yield from self._reports.report_lost(why, frame.t_s)
            return postpone_search(state, frame.t_s)
        fit = found.fit
        if state.last_fit is not None:
            fit = rotate_to_match(fit, state.last_fit)
        other = _identify_other_view(state, fit, frame) if isinstance(state, Away) else None
        if (
            isinstance(state, Away)
            and other is not None
            and frame.t_s - other.since_s < PARAMS.adopt_view_s
        ):
            yield from self._reports.report_lost(OTHER_VIEW, frame.t_s)
            return wait_for_view(state, other, frame.t_s)
        return (yield from self._adopt(state, fit, frame))

    def _find_again(self, state: Away, frame: CameraFrame) -> Located:
        """Continue in the view that was lost."""
        yield from self._reports.report_regained(frame.t_s)
        return find_again(state, frame, self._session)

    def _adopt(self, state: OutOfSight, fit: BoardFit, frame: CameraFrame) -> Located:
        """Track the board at its new place."""
        adopted = adopt_view(state, fit, frame)
        if state.last_fit is not None and state.was_moved:
            shift_mm = measure_shift_mm(state.last_fit, fit)
            if shift_mm is None or is_moved(shift_mm):
                yield BoardMoved(t_s=frame.t_s, shift_mm=shift_mm)
            else:  # the light alone has changed
                adopted.interval.was_interrupted = True
        yield BoardFound(
            t_s=frame.t_s,
            fit=fit,
            residual_mm=fit.residual_px * fit.view.mm_per_px(),
            is_refound=state.last_fit is not None,
        )
        yield from self._reports.report_regained(frame.t_s)
        return adopted


def _as_picture(image: np.ndarray) -> Frame:
    height, width = image.shape[:2]
    return Frame(name="frame", image=image, scale=1.0, width_px=width, height_px=height)


def _is_back(state: Away, image: CameraImage) -> bool:
    """Whether the frame shows the lost view, with the board at its old place."""
    if state.view.shape != image.shape or not state.can_resume:
        return False
    frame = _normalise(state.view, image)
    shift_mm = estimate_shift_mm(state.view.rectifier, state.view.background, frame)
    share = measure_changed_share(state.view, frame)
    return share <= PARAMS.same_view_share and shift_mm is not None and not is_moved(shift_mm)


def _identify_other_view(state: Away, fit: BoardFit, frame: CameraFrame) -> OtherView | None:
    """The view after the cut; None if ``fit`` is of the view that was lost."""
    if state.view.shape != frame.picture.shape or measure_shift_mm(state.view.fit, fit) is not None:
        return None
    known = state.other_view
    if known is None or measure_shift_mm(known.fit, fit) is None:
        return OtherView(fit=fit, since_s=frame.t_s)
    return known


def _normalise(view: TrackedView, image: CameraImage) -> NormalisedFrame:
    """The frame in the light of the view's background, as the first one after the loss."""
    flat = image.resample(view.rectifier.x_px, view.rectifier.y_px)
    return normalise_frame(view.background, view.rectifier, flat)
