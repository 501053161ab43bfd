"""Track a board through a fixed camera: frames → tracker events, boards at rest and what moved.

Takes one frame after the other, whatever their source, and says when the board came to rest with
everything that was seen since it last lay still. Knows when it cannot see. Refuses to know rules,
names, and what a change means. Times are seconds of the source.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from calibration.fit import BoardFit
from calibration.parameters import StageParameters, parameter
from calibration.pose import View
from calibration.profile import CalibrationProfile
from vision.board.compare_views import measure_shift_mm, rotate_to_match
from vision.board.find_board import NoBoard, find_board
from vision.discs.team_colours import bgr_to_weighted_lab, find_nearest_team, get_team_colours_lab
from vision.io.frame import Frame
from vision.rectify.frame_rectifier import make_rectifier
from vision.track.background.background_model import (
    BackgroundModel,
    NormalisedFrame,
    create_background,
    normalise_frame,
)
from vision.track.background.registration import estimate_moved_view, estimate_shift_mm
from vision.track.events import BoardFound, BoardMoved, SceneChanged, TrackerEvent, TrackingLost
from vision.track.motion.disc_blobs import DiscBlobs, find_disc_blobs
from vision.track.motion.disc_tracker import DiscTracker
from vision.track.motion.motion_gate import MotionGate, SceneState
from vision.track.motion.occluders import find_held_discs, find_occluders
from vision.track.read_at_rest import read_at_rest
from vision.track.session import MotionInterval, SessionState, ViewState, measure_changed_share


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackerParameters(StageParameters):
    """What ``tracker`` takes for granted."""

    stage: ClassVar[str] = "track.tracker"

    #: A board that lies this far beside where it was has been moved, mm; registration errs by 0.2.
    moved_mm: float = parameter(1.0, unit="mm", source="")
    #: Whatever covers the board without moving for this long is detected anew, s.
    occluded_s: float = parameter(8.0, unit="s", source="")
    #: ... and is reported after this, s; it is the same while so much of it still covers the board.
    report_occlusion_s: float = parameter(2.5, unit="s", source="")
    same_occluder: float = parameter(0.85, unit="", source="")
    #: Where more of the surface than this differs, or the picture has jumped, it may be the board
    #: that moved: it is looked at so often, s, and believed when it is so far, mm, twice, within
    #: this share.
    much_changed: float = parameter(0.08, unit="", source="")
    check_every_s: float = parameter(0.2, unit="s", source="")
    clearly_moved_mm: float = parameter(3.0, unit="mm", source="")
    agree: float = parameter(0.1, unit="", source="")
    #: So much of the surface that differs, for so long, s, is another picture altogether.
    other_picture_share: float = parameter(0.4, unit="share", source="")
    other_picture_s: float = parameter(0.5, unit="s", source="")
    #: The view is back when no more of the surface than this differs from it, and none lies beside
    #: it.
    same_view_share: float = parameter(0.25, unit="share", source="")
    #: A view that comes after a cut is another camera's, or a replay; when it stays this long, s,
    #: the camera itself was moved there.
    adopt_view_s: float = parameter(12.0, unit="s", source="")
    #: Patches of light are looked for this often, s; a blob that is as near to a team's colour as
    #: this, weighted Lab, is a disc in one.
    illumination_every_s: float = parameter(0.1, unit="s", source="")
    team_lab: float = parameter(15.0, unit="weighted Lab", source="")
    #: Darkness this long is reported, s; a picture this bright or dark is no darkness, grey levels.
    dark_s: float = parameter(0.5, unit="s", source="")
    lit_grey: tuple[float, float] = parameter((30.0, 230.0), unit="grey value", source="")
    #: Frames rarer than this follow no disc, s.
    slow_frames_s: float = parameter(0.12, unit="s", source="")
    slow_frames: int = parameter(20, unit="", source="")
    #: The last frames of a board at rest are averaged for reading it.
    averaged: int = parameter(3, unit="", source="")
    #: No-board pictures are searched again after this, doubled each time up to the last, s.
    search_again_s: float = parameter(0.5, unit="s", source="")
    longest_search_pause_s: float = parameter(8.0, unit="s", source="")
    #: A view that comes after a cut is searched as often as this, s.
    search_other_view_s: float = parameter(1.0, unit="s", source="")


PARAMS = TrackerParameters.active()


_NO_BOARD_ADVICE = "Point the camera at the whole board from above, and light it evenly."
_DARK = TrackingLost(
    t_s=0.0,
    reason="the picture is too dark or too bright to see the board",
    advice="Uncover the lens or mend the light.",
)
_OCCLUDED = TrackingLost(
    t_s=0.0,
    reason="something that is no disc lies over the board",
    advice="Take it off the board.",
)
_OTHER_VIEW = TrackingLost(
    t_s=0.0,
    reason="the picture was cut to another view",
    advice="Refereeing goes on when the first view is back, or this one stays.",
)
_TOO_FEW_FRAMES = TrackingLost(
    t_s=0.0,
    reason="the camera sends too few frames a second to follow a disc",
    advice="Give it more light, a lower resolution, or a faster connection: it needs 15 a second.",
)


class BoardTracker:
    """Tracks through one camera.

    ``profile`` holds the board's and discs' sizes where measured; others come from the frames.
    """

    def __init__(self, profile: CalibrationProfile | None = None) -> None:
        self._profile = profile
        self._session = SessionState(given=profile.telling_disc if profile else None)
        self._view: ViewState | None = None
        self._lost_view: ViewState | None = None
        self._is_moved = False
        self._other_view: tuple[BoardFit, float] | None = None
        self._tracking_lost: TrackingLost | None = None
        self._search_at_s, self._search_pause_s = -np.inf, PARAMS.search_again_s
        self._scene: SceneState | None = None
        self._dark_since_s: float | None = None
        self._images: deque[np.ndarray] = deque(maxlen=PARAMS.averaged)
        self._times_s: deque[float] = deque(maxlen=PARAMS.slow_frames)

    @property
    def fit(self) -> BoardFit | None:
        """The board as it lies in the frames now; None when it is not in sight."""
        return None if self._view is None else self._view.fit

    @property
    def radius_mm(self) -> float:
        """The discs' radius as far as it is known."""
        return self._session.radius_mm

    def process_frame(self, image: np.ndarray, t_s: float) -> Iterator[TrackerEvent]:
        """What the frame ``image`` (BGR, uint8) at ``t_s`` adds."""
        self._times_s.append(t_s)
        self._images.append(image)
        if self._view is not None and self._view.shape != image.shape:
            self._lose()
        if self._view is None and self._lost_view is not None:
            yield from self._resume_if_same_view(self._lost_view, image, t_s)
        if self._view is None:
            yield from self._search_board(image, t_s)
        if self._view is not None:
            yield from self._follow(self._view, image, t_s)

    # Detection

    def _lose(self) -> None:
        """Lose sight of the board, but not of what was learned of it."""
        self._lost_view = self._view or self._lost_view
        self._view, self._other_view = None, None
        self._search_at_s, self._search_pause_s = -np.inf, PARAMS.search_again_s

    def _resume_if_same_view(
        self, lost_view: ViewState, image: np.ndarray, t_s: float
    ) -> Iterator[TrackerEvent]:
        """Go on where the view was lost, if this is that view again."""
        if lost_view.shape != image.shape or lost_view.board is None or lost_view.is_stale:
            return
        frame = normalise_frame(
            lost_view.background, lost_view.rectifier, lost_view.rectifier.rectify(image)
        )
        moved_mm = estimate_shift_mm(lost_view.rectifier, lost_view.background, frame)
        if (
            measure_changed_share(lost_view, frame) > PARAMS.same_view_share
            or moved_mm is None
            or moved_mm > PARAMS.moved_mm
        ):
            return
        yield from self._resume(lost_view, t_s)

    def _resume(self, lost_view: ViewState, t_s: float) -> Iterator[TrackerEvent]:
        """Go on with a view that was cut away from."""
        self._view, self._lost_view, self._other_view, self._is_moved = lost_view, None, None, False
        lost_view.other_picture_since_s, lost_view.motion_gate = (
            None,
            MotionGate(lost_view.rectifier),
        )
        lost_view.interval = self._start_interval(lost_view, t_s)
        lost_view.interval.has_jumped = True
        yield from self._report_regained(t_s)

    def _search_board(self, image: np.ndarray, t_s: float) -> Iterator[TrackerEvent]:
        if t_s < self._search_at_s:
            return
        height, width = image.shape[:2]
        frame = Frame(name="frame", image=image, scale=1.0, width_px=width, height_px=height)
        near = None if self._lost_view is None else self._estimate_view(self._lost_view, image)
        found = find_board(frame, self._profile, near)
        if isinstance(found, NoBoard):
            self._search_at_s = t_s + self._search_pause_s
            self._search_pause_s = min(2 * self._search_pause_s, PARAMS.longest_search_pause_s)
            self._other_view = None
            yield from self._report_lost(
                TrackingLost(t_s=t_s, reason=found.reason, advice=_NO_BOARD_ADVICE)
            )
            return
        fit = (
            found.fit
            if self._lost_view is None
            else rotate_to_match(found.fit, self._lost_view.fit)
        )
        if self._lost_view is not None and self._is_other_view(self._lost_view, fit, image, t_s):
            self._search_at_s = t_s + PARAMS.search_other_view_s
            yield from self._report_lost(_stamp_time(_OTHER_VIEW, t_s))
            return
        yield from self._adopt_view(fit, image, t_s)

    def _estimate_view(self, lost_view: ViewState, image: np.ndarray) -> View | None:
        """Roughly how the board is seen, when it lies near where it was seen before."""
        if lost_view.shape != image.shape or lost_view.board is None:
            return None
        return estimate_moved_view(
            lost_view.fit.view,
            lost_view.rectifier,
            lost_view.background,
            lost_view.rectifier.rectify(image),
        )

    def _is_other_view(
        self, lost_view: ViewState, fit: BoardFit, image: np.ndarray, t_s: float
    ) -> bool:
        """Whether the picture was cut to another view, which has not stayed for long yet."""
        if (
            lost_view.shape != image.shape
            or lost_view.board is None
            or measure_shift_mm(lost_view.fit, fit) is not None
        ):
            return False
        if self._other_view is None or measure_shift_mm(self._other_view[0], fit) is None:
            self._other_view = (fit, t_s)
        return t_s - self._other_view[1] < PARAMS.adopt_view_s

    def _adopt_view(self, fit: BoardFit, image: np.ndarray, t_s: float) -> Iterator[TrackerEvent]:
        """Track the board as it lies now."""
        lost_view, self._lost_view, self._other_view = self._lost_view, None, None
        if lost_view is not None and self._is_same_view(lost_view, fit, image):
            yield from self._resume(lost_view, t_s)
            return
        older = (
            lost_view.background if lost_view is not None and lost_view.board is not None else None
        )
        was_lost, self._is_moved = self._is_moved and lost_view is not None, False
        view = self._start_view(fit, image, older)
        if was_lost and lost_view is not None:
            beside = measure_shift_mm(lost_view.fit, fit)
            if beside is None or beside > PARAMS.moved_mm:
                yield BoardMoved(t_s=t_s, shift_mm=beside)
            else:  # the light alone has changed
                view.interval = self._start_interval(view, t_s)
                view.interval.has_jumped = True
        residual_mm = fit.residual_px * fit.view.mm_per_px()
        yield BoardFound(
            t_s=t_s, fit=fit, residual_mm=residual_mm, is_refound=lost_view is not None
        )
        yield from self._report_regained(t_s)

    def _is_same_view(self, lost_view: ViewState, fit: BoardFit, image: np.ndarray) -> bool:
        """Whether the board lies where it lay before the picture was cut, in another light."""
        if (
            lost_view.shape != image.shape
            or lost_view.is_stale
            or lost_view.other_picture_since_s is None
        ):
            return False
        beside = measure_shift_mm(lost_view.fit, fit)
        if beside is None or beside > PARAMS.moved_mm:
            return False
        return measure_changed_share(
            lost_view,
            normalise_frame(
                lost_view.background, lost_view.rectifier, lost_view.rectifier.rectify(image)
            ),
        ) < (PARAMS.other_picture_share)

    def _start_view(
        self, fit: BoardFit, image: np.ndarray, older: BackgroundModel | None
    ) -> ViewState:
        rectifier = make_rectifier(fit.view, fit.spec, image.shape)
        nothing = np.ones(rectifier.radius_mm.shape, dtype=bool)
        self._view = ViewState(
            fit=fit,
            rectifier=rectifier,
            background=create_background(rectifier, rectifier.rectify(image), nothing),
            motion_gate=MotionGate(rectifier),
            shape=image.shape,
            older_background=older,
        )
        return self._view

    # Lost and regained

    def _report_lost(self, event: TrackingLost) -> Iterator[TrackerEvent]:
        if self._tracking_lost is None:
            self._tracking_lost = event
            yield event

    def _report_regained(self, t_s: float) -> Iterator[TrackerEvent]:
        if self._tracking_lost is not None:
            yield TrackingLost(t_s=t_s, reason=self._tracking_lost.reason, advice="", over=True)
            self._tracking_lost = None

    def _check_frame_rate(self, t_s: float) -> Iterator[TrackerEvent]:
        """Notice a source whose frames come too rarely."""
        if len(self._times_s) < PARAMS.slow_frames:
            return
        pause_s = sorted(b - a for a, b in pairwise(self._times_s))[PARAMS.slow_frames // 2 - 1]
        if pause_s > PARAMS.slow_frames_s:
            yield from self._report_lost(_stamp_time(_TOO_FEW_FRAMES, t_s))
        elif (
            self._tracking_lost is not None and self._tracking_lost.reason == _TOO_FEW_FRAMES.reason
        ):
            yield from self._report_regained(t_s)

    # Following

    def _follow(self, view: ViewState, image: np.ndarray, t_s: float) -> Iterator[TrackerEvent]:
        yield from self._check_frame_rate(t_s)
        flat = view.rectifier.rectify(image)
        frame = normalise_frame(view.background, view.rectifier, flat, was_shaded=view.is_shaded)
        view.is_shaded = frame.is_shaded
        scene = view.motion_gate.classify(t_s, frame, view.background.threshold)
        if scene is SceneState.DARK:
            yield from self._handle_dark(view, image, t_s)
            return
        if self._dark_since_s is not None:
            self._dark_since_s = None
            yield from self._report_regained(t_s)
        if scene is SceneState.STILL and view.interval is None and view.board is not None:
            yield from self._report_scene(SceneState.STILL, t_s)
            return
        yield from self._handle_motion(view, frame, scene, image, t_s)

    def _handle_dark(
        self, view: ViewState, image: np.ndarray, t_s: float
    ) -> Iterator[TrackerEvent]:
        yield from self._report_scene(SceneState.DARK, t_s)
        if self._dark_since_s is None:
            self._dark_since_s = t_s
        if view.interval is not None:
            view.interval.has_jumped = True
        if t_s - self._dark_since_s > PARAMS.dark_s:
            if view.board is not None and _is_lit(image):
                self._dark_since_s = None
                self._handle_moved()
                return
            yield from self._report_lost(_stamp_time(_DARK, t_s))

    def _handle_motion(
        self,
        view: ViewState,
        frame: NormalisedFrame,
        scene: SceneState,
        image: np.ndarray,
        t_s: float,
    ) -> Iterator[TrackerEvent]:
        """A frame in which something moves or covers, or the first still one after that."""
        interval = view.interval or self._start_interval(view, t_s)
        view.interval = interval
        if (
            view.board is not None
            and measure_changed_share(view, frame) > PARAMS.other_picture_share
        ):
            frame = self._adapt_illumination(view, frame, image, None) or frame
            if measure_changed_share(view, frame) > PARAMS.other_picture_share:
                self._handle_other_picture(view, interval, t_s)
                return
        view.other_picture_since_s = None
        if scene is not SceneState.STILL:
            interval.t_changed_s = t_s
            if len(self._times_s) > 1:
                interval.longest_gap_s = max(interval.longest_gap_s, t_s - self._times_s[-2])
        interval.has_jumped |= scene is SceneState.SHAKEN
        blobs, occluders = self._detect(view, frame)
        if view.board is not None and t_s > view.adapt_at_s:
            view.adapt_at_s = t_s + PARAMS.illumination_every_s
            lit = self._adapt_illumination(view, frame, image, blobs)
            if lit is not None:
                frame = lit
                blobs, occluders = self._detect(view, frame)
        is_shaken = scene is SceneState.SHAKEN
        if not is_shaken and self._has_board_moved(view, interval, frame, t_s):
            self._handle_moved()
            return
        interval.tracker.update(
            t_s, blobs, find_held_discs(view.rectifier, occluders, blobs, self.radius_mm)
        )
        if occluders is not None:
            interval.saw_hand = True
            if scene in (SceneState.STILL, SceneState.MOTION):
                yield from self._report_scene(SceneState.HAND, t_s)
            yield from self._handle_occlusion(view, occluders, scene, t_s)
            return
        view.occluders = None
        yield from self._report_scene(scene, t_s)
        if scene is SceneState.STILL:
            yield from self._handle_rest(view, frame, t_s)

    def _detect(
        self, view: ViewState, frame: NormalisedFrame
    ) -> tuple[DiscBlobs, np.ndarray | None]:
        """The disc blobs of a frame, and the occluders that are no discs."""
        blobs = find_disc_blobs(view.rectifier, view.background, frame, self.radius_mm)
        free_mm = blobs.centre_mm[blobs.free]
        return blobs, find_occluders(
            view.rectifier, view.background, frame, free_mm, self.radius_mm
        )

    def _adapt_illumination(
        self,
        view: ViewState,
        frame: NormalisedFrame,
        image: np.ndarray,
        blobs: DiscBlobs | None,
    ) -> NormalisedFrame | None:
        """The frame normalised to a background relit, where a patch of light came or went."""
        discs = [each.centre_mm for each in self._session.discs]
        teams = self._session.teams
        if blobs is not None and teams and len(blobs.centre_mm):
            away = find_nearest_team(
                bgr_to_weighted_lab(blobs.colour_bgr), get_team_colours_lab(teams)
            )[1]
            discs += list(blobs.centre_mm[blobs.free & (away < PARAMS.team_lab)])
        places = np.array(discs).reshape(-1, 2)
        background = view.illumination.adapt(
            view.background, view.rectifier, frame, places, self.radius_mm
        )
        if background is None:
            return None
        view.background = background
        return normalise_frame(
            background, view.rectifier, view.rectifier.rectify(image), was_shaded=view.is_shaded
        )

    def _handle_other_picture(self, view: ViewState, interval: MotionInterval, t_s: float) -> None:
        """A frame that shows something else: no disc is followed in it."""
        interval.has_jumped, interval.t_changed_s = True, t_s
        if view.other_picture_since_s is None:
            view.other_picture_since_s = t_s
        if t_s - view.other_picture_since_s > PARAMS.other_picture_s:
            self._handle_moved()

    def _start_interval(self, view: ViewState, t_s: float) -> MotionInterval:
        start = [
            (str(i), each.centre_mm, self._team_lab(each.team))
            for i, each in enumerate(view.board.discs if view.board else ())
        ]
        t_from_s = self._times_s[-2] if len(self._times_s) > 1 else t_s
        return MotionInterval(
            t_from_s=t_from_s, t_changed_s=t_s, tracker=DiscTracker(start, t_from_s)
        )

    def _team_lab(self, number: int) -> np.ndarray:
        team = next(each for each in self._session.teams if each.number == number)
        return get_team_colours_lab([team])[0]

    def _report_scene(self, scene: SceneState, t_s: float) -> Iterator[TrackerEvent]:
        if scene is not self._scene:
            self._scene = scene
            yield SceneChanged(t_s=t_s, scene=scene)

    def _handle_occlusion(
        self, view: ViewState, occluders: np.ndarray, scene: SceneState, t_s: float
    ) -> Iterator[TrackerEvent]:
        """Detect the board anew when what covers it does not move."""
        if view.interval is None or scene is SceneState.SHAKEN:
            return
        if (
            view.occluders is None
            or _overlap_share(view.occluders, occluders) < PARAMS.same_occluder
        ):
            view.occluders, view.occluded_since_s = occluders, t_s
        if t_s - view.occluded_since_s > PARAMS.report_occlusion_s:
            yield from self._report_lost(_stamp_time(_OCCLUDED, t_s))
        if t_s - view.occluded_since_s > PARAMS.occluded_s:
            view.is_stale = True
            self._lose()

    def _has_board_moved(
        self, view: ViewState, interval: MotionInterval, frame: NormalisedFrame, t_s: float
    ) -> bool:
        """Whether what differs, or has jumped, is the board itself, which was moved."""
        is_likely = interval.has_jumped or measure_changed_share(view, frame) > PARAMS.much_changed
        if not is_likely or t_s <= view.check_shift_at_s:
            return False
        view.check_shift_at_s = t_s + PARAMS.check_every_s
        before_mm = view.last_shift_mm
        view.last_shift_mm = estimate_shift_mm(view.rectifier, view.background, frame) or 0.0
        slack_mm = max(PARAMS.moved_mm, PARAMS.agree * view.last_shift_mm)
        agree = abs(view.last_shift_mm - before_mm) < slack_mm
        return view.last_shift_mm > PARAMS.clearly_moved_mm and agree

    def _handle_rest(
        self, view: ViewState, frame: NormalisedFrame, t_s: float
    ) -> Iterator[TrackerEvent]:
        """Read the board, unless it no longer lies where it did."""
        if view.board is not None:
            moved_mm = estimate_shift_mm(view.rectifier, view.background, frame)
            if moved_mm is not None and moved_mm > PARAMS.moved_mm:
                self._handle_moved()
                return
        yield read_at_rest(view, self._session, frame, self._images, t_s)
        if self._tracking_lost is not None and self._tracking_lost.reason != _TOO_FEW_FRAMES.reason:
            yield from self._report_regained(t_s)

    def _handle_moved(self) -> None:
        """Look where the board lies now: the camera or the board was moved, or the picture cut."""
        self._is_moved = True
        self._lose()


def _stamp_time(template: TrackingLost, t_s: float) -> TrackingLost:
    return TrackingLost(t_s=t_s, reason=template.reason, advice=template.advice)


def _overlap_share(one: np.ndarray, other: np.ndarray) -> float:
    """The share of a mask that another covers."""
    return float(np.sum(one & other)) / max(float(np.sum(one)), 1.0)


def _is_lit(image: np.ndarray) -> bool:
    """Whether the frame (BGR) is neither dark nor blown out."""
    return PARAMS.lit_grey[0] < float(image[::8, ::8].mean()) < PARAMS.lit_grey[1]
