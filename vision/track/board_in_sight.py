"""Follow the board while it is in sight: motion on it, objects and shade over it, and its rest.

Every frame is rectified, normalised to the background's light and classified by the motion gate.
During motion, disc blobs are tracked. When all visible parts are still, the board is read, around
hands and sleeves if necessary; the discs under them are remembered. After a shot the board is read
once the deciding places are uncovered. Before a cut, or at the end, it is read from the last frames
that show the outcome. The view is lost if registration to the background says that the board has
moved, if most of the picture is a different one, or if objects stay over the board. ``shot_end``
decides when the board is read.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from typing import ClassVar, assert_never

import numpy as np

from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import Team
from vision.discs.teams.team_colours import (
    bgr_to_weighted_lab,
    find_nearest_team,
    get_team_colours_lab,
)
from vision.track.background.background_model import NormalisedFrame
from vision.track.background.registration import estimate_shift_mm
from vision.track.bump_detector import detect_bump
from vision.track.events import BoardAtRest, TrackerEvent
from vision.track.motion.blob_appearance import PARAMS as APPEARANCE
from vision.track.motion.disc_blobs import DiscBlobs, find_disc_blobs
from vision.track.motion.hands_and_occluders import (
    find_discs_beside_arms,
    find_hands_and_occluders,
    find_touched_blobs,
    widen,
)
from vision.track.motion.motion_gate import SceneState
from vision.track.motion.occlusion import PARAMS as OCCLUSION
from vision.track.motion.occlusion import (
    Occlusion,
    follow_occlusion,
    has_stayed_too_long,
    still_covers,
)
from vision.track.read_at_rest import read_at_rest
from vision.track.recent_frames import AVERAGED, CameraFrame
from vision.track.session import SessionState
from vision.track.shot_end import (
    can_read_around,
    read_before_cut,
    read_before_hand,
    read_before_shake,
    read_still_board,
)
from vision.track.states import (
    AfterCut,
    AtRest,
    Dark,
    InMotion,
    Lit,
    OtherPicture,
    TrackerState,
    Unread,
)
from vision.track.status_reports import DARK, OCCLUDED, StatusReports
from vision.track.tracked_view import (
    ClassifiedFrame,
    TrackedView,
    is_moved,
    shows_other_picture,
)
from vision.track.tracks.sliding_discs import find_departed_discs
from vision.track.transitions import (
    brighten,
    come_to_rest,
    cut_away,
    cut_back,
    cut_within_view,
    darken,
    go_back,
    interrupt,
    lose_occluded,
    lose_view,
    start_motion,
)


class FollowParameters(StageParameters):
    """Parameters of ``follow``."""

    stage: ClassVar[str] = "track.follow"

    #: An object over the board that cannot be read around is reported after this time.
    report_occlusion_s: float = parameter(
        2.5, unit="s", source="chosen: taking aim or removing discs takes less time, or moves"
    )
    #: Another picture that stays for this long is a cut.
    other_picture_s: float = parameter(
        0.5, unit="s", source="chosen: a sleeve in front of the lens leaves sooner"
    )
    #: Darkness this long is reported.
    dark_s: float = parameter(
        0.5, unit="s", source="chosen: the exposure of a camera settles sooner"
    )
    #: A picture whose mean is between these is neither dark nor saturated.
    lit_grey: tuple[float, float] = parameter(
        (30.0, 230.0),
        unit="grey value",
        source="chosen: if the lens is covered, the picture is darker",
    )


PARAMS = FollowParameters()
#: If nobody shot, a board with an object over it is read again after this time, for speed: hands
#: over the board move all the time.
_READ_AGAIN_S = 0.7
#: Interval at which patches of light are searched for, for speed: patches of light come more slowly
#: than discs.
_ILLUMINATION_EVERY_S = 0.1

Followed = Generator[TrackerEvent, None, TrackerState]


class BoardFollower:
    """Follows the board of one session."""

    def __init__(self, session: SessionState, reports: StatusReports) -> None:
        self._session = session
        self._reports = reports

    def follow(self, state: Lit | Dark, frame: CameraFrame) -> Followed:
        """Yields the events of ``frame``; returns the state after it, out of sight if the board is
        lost.
        """
        if isinstance(state, AtRest) and _is_unchanged(state, frame):
            return state
        if isinstance(state, Unread):
            _expect_noise(state.view, frame)
        shown = state.view.classify(frame)
        if shown.scene is SceneState.DARK:
            if isinstance(state, InMotion):
                state = yield from read_before_cut(state, frame, self._session)
            return (yield from self._wait_for_light(state, shown))
        if isinstance(state, Dark):
            yield from self._reports.report_regained(frame.t_s)
        lit = brighten(state)
        if shown.scene is SceneState.STILL and isinstance(lit, AtRest) and _is_as_read(lit, shown):
            yield from self._reports.report_scene(SceneState.STILL, frame.t_s)
            lit.view.remember_still(frame)
            return lit
        match start_motion(lit, frame, self._session):
            case Unread() as moving:
                return (yield from self._follow_motion(moving, shown))
            case InMotion() | OtherPicture() as moving:
                if shows_other_picture(moving.view, shown.normalised):
                    shown = self._adapt_illumination(moving.view, shown, None) or shown
                    if shows_other_picture(moving.view, shown.normalised):
                        if isinstance(moving, InMotion):
                            moving = yield from read_before_cut(moving, frame, self._session)
                        return _wait_for_picture(moving, frame.t_s)
                return (yield from self._follow_motion(cut_back(moving), shown))
            case other:
                assert_never(other)

    def read_first(self, state: AtRest, frames: Sequence[CameraFrame]) -> BoardAtRest | None:
        """The board in the first of ``frames``, which came before the view was first read.

        None if discs were already moving in them.
        """
        moving = go_back(state, frames[0])
        shown = self._track_first(moving, frames[:AVERAGED])
        if find_departed_discs(moving.interval.tracker.tracks, state.view.fit):
            return None
        self._session.discs = ()
        return read_at_rest(moving, self._session, shown.normalised, shown.frame)

    def follow_cut(self, state: AtRest | InMotion | AfterCut, frame: CameraFrame) -> Followed:
        """Handle the first frame after a cut; a shot that ended before it is read."""
        if isinstance(state, InMotion):
            state = yield from read_before_cut(state, frame, self._session)
        if _shows_same_view(state.view, frame):
            return cut_within_view(state, frame, self._session)
        return (yield from self.follow(interrupt(state, frame, self._session), frame))

    def follow_after_cut(self, state: AfterCut, frame: CameraFrame) -> Followed:
        """Handle the next frames until the board can be read at the moment after the cut."""
        state = replace(state, frames=(*state.frames, frame))
        if len(state.frames) < AVERAGED:
            return state
        moving = go_back(state, state.frames[0])
        shown = self._track_first(moving, state.frames)
        tracks, resting = moving.interval.tracker.tracks, self._session.discs
        if find_departed_discs(tracks, moving.view.fit, resting):
            moving.interval.was_interrupted = True
            return moving
        moving = InMotion(view=moving.view, interval=state.before)
        yield read_at_rest(moving, self._session, shown.normalised, shown.frame)
        return come_to_rest(moving)

    def _track_first(self, moving: InMotion, frames: Sequence[CameraFrame]) -> ClassifiedFrame:
        """Follow motion and objects in the very first frames; returns the last of them."""
        view = moving.view
        for frame in frames:
            shown, blobs, occluders = self._detect_in_light(moving, view.classify(frame))
            held = find_touched_blobs(view.rectifier, occluders, blobs, self._session.radius_mm)
            moving.interval.tracker.update(frame.t_s, blobs, held)
        if occluders is not None:
            moving.interval.saw_hand = True
            known = view.background.valid_mask
            view.occlusion = follow_occlusion(None, occluders, view.rectifier, shown.t_s, known)
        return shown

    def _wait_for_light(self, state: Lit | Dark, shown: ClassifiedFrame) -> Followed:
        yield from self._reports.report_scene(SceneState.DARK, shown.t_s)
        dark = darken(state, shown.t_s)
        if shown.t_s - dark.since_s > PARAMS.dark_s:
            if _is_lit(shown.frame.image) and not isinstance(dark.before, Unread):
                return lose_view(dark)
            yield from self._reports.report_lost(DARK, shown.t_s)
        return dark

    def _follow_motion(self, state: Unread | InMotion, shown: ClassifiedFrame) -> Followed:
        """Handle a frame with motion or an object, or the first still frame after it."""
        if isinstance(state, InMotion) and shown.scene is SceneState.SHAKEN:
            state = yield from read_before_shake(state, shown.frame, self._session)
        view, interval, t_s = state.view, state.interval, shown.t_s
        if shown.scene is not SceneState.STILL:
            interval.t_changed_s = t_s
            interval.longest_gap_s = max(interval.longest_gap_s, t_s - shown.frame.previous_s)
        interval.was_interrupted |= shown.scene is SceneState.SHAKEN
        shown, blobs, occluders = self._detect_in_light(state, shown)
        if shown.scene is not SceneState.SHAKEN and detect_bump(
            view, interval, shown.normalised, t_s
        ):
            return lose_view(state)
        known, is_shaken = view.background.valid_mask, shown.scene is SceneState.SHAKEN
        occlusion = follow_occlusion(
            view.occlusion, occluders, view.rectifier, t_s, known, is_shaken=is_shaken
        )
        if isinstance(state, InMotion) and occlusion is not None:
            state = yield from read_before_hand(state, occlusion, shown.frame, self._session)
        interval, view.occlusion = state.interval, occlusion
        held = find_touched_blobs(view.rectifier, occluders, blobs, self._session.radius_mm)
        interval.tracker.update(t_s, blobs, held)
        interval.newest = (shown.normalised, shown.frame)
        if occlusion is None:
            yield from self._reports.report_scene(shown.scene, t_s)
            if shown.scene is SceneState.STILL:
                return (yield from read_still_board(state, shown, self._session, self._reports))
            return state
        if can_read_around(state, occlusion, shown, self._session, _READ_AGAIN_S):
            yield from self._report_hand(state, shown)
            return (yield from read_still_board(state, shown, self._session, self._reports))
        return (yield from self._wait_for_occluders(state, occlusion, shown))

    def _detect_in_light(
        self, state: Unread | InMotion, shown: ClassifiedFrame
    ) -> tuple[ClassifiedFrame, DiscBlobs, np.ndarray | None]:
        """The frame in the current light, with its disc blobs and its occluders."""
        view = state.view
        blobs, occluders = self._detect(view, shown.normalised)
        if isinstance(state, InMotion) and shown.t_s > view.adapt_at_s:
            view.adapt_at_s = shown.t_s + _ILLUMINATION_EVERY_S
            relit = self._adapt_illumination(view, shown, blobs)
            if relit is not None:
                return relit, *self._detect(view, relit.normalised)
        return shown, blobs, occluders

    def _detect(
        self, view: TrackedView, frame: NormalisedFrame
    ) -> tuple[DiscBlobs, np.ndarray | None]:
        """The disc blobs of a frame, and its occluders."""
        radius_mm, about = self._session.radius_mm, (view.rectifier, view.background, frame)
        blobs = find_disc_blobs(*about, radius_mm)
        discs_mm = find_discs_beside_arms(*about, blobs)
        hands, occluders = find_hands_and_occluders(*about, discs_mm, radius_mm)
        view.restless = None if hands is None else widen(hands, OCCLUSION.hidden_mm)
        return blobs, occluders

    def _adapt_illumination(
        self, view: TrackedView, shown: ClassifiedFrame, blobs: DiscBlobs | None
    ) -> ClassifiedFrame | None:
        """The frame, normalised to a relit background if a patch of light came or went."""
        discs = [disc.centre_mm for disc in self._session.discs]
        if blobs is not None:
            discs += list(_find_blobs_of_teams(blobs, self._session.teams))
        if not view.relight(shown.normalised, discs, self._session.radius_mm):
            return None
        return replace(shown, normalised=view.normalise(shown.frame))

    def _report_hand(
        self, state: Unread | InMotion, shown: ClassifiedFrame
    ) -> Iterator[TrackerEvent]:
        state.interval.saw_hand = True
        if shown.scene in (SceneState.STILL, SceneState.MOTION):
            yield from self._reports.report_scene(SceneState.HAND, shown.t_s)

    def _wait_for_occluders(
        self, state: Unread | InMotion, occlusion: Occlusion, shown: ClassifiedFrame
    ) -> Followed:
        """Handle a covered part: the board is lost if the object stays and does not move."""
        yield from self._report_hand(state, shown)
        if shown.scene is SceneState.SHAKEN:
            return state
        if shown.t_s - occlusion.since_s > PARAMS.report_occlusion_s:
            yield from self._reports.report_lost(OCCLUDED, shown.t_s)
        if has_stayed_too_long(occlusion, shown.t_s):
            return lose_occluded(state)
        return state


def _expect_noise(view: TrackedView, frame: CameraFrame) -> None:
    """Expect as much noise as in a frame of a board that was not read yet."""
    view.background = replace(view.background, noise=view.measure_noise(frame, is_still=False))


def _find_blobs_of_teams(blobs: DiscBlobs, teams: Sequence[Team]) -> np.ndarray:
    """Places (n, 2) of the blobs with a team's colour: discs in a patch of light."""
    if not teams or len(blobs.centre_mm) == 0:
        return np.empty((0, 2))
    lab, teams_lab = bgr_to_weighted_lab(blobs.colour_bgr), get_team_colours_lab(teams)
    away = find_nearest_team(lab, teams_lab)[1]
    # half of it, so that fingers do not count as discs
    return np.asarray(blobs.centre_mm[blobs.free & (away < APPEARANCE.same_colour_lab / 2)])


def _is_unchanged(state: AtRest, frame: CameraFrame) -> bool:
    """Whether the frame shows the board at rest, unchanged since the last full check."""
    view = state.view
    return view.looked_at.shows_same(frame.picture, frame.t_s, view.background.threshold)


def _is_as_read(state: AtRest, shown: ClassifiedFrame) -> bool:
    """Whether the board is as it was read, including the object that covered it, if any."""
    view, occlusion = state.view, state.view.occlusion
    if occlusion is None:
        return True
    differs = shown.normalised.difference > view.background.threshold
    return still_covers(occlusion, differs) and not has_stayed_too_long(occlusion, shown.t_s)


def _shows_same_view(view: TrackedView, frame: CameraFrame) -> bool:
    """Whether a frame after a cut shows the board at its place before the cut."""
    shown = view.normalise(frame)
    if shows_other_picture(view, shown):
        return False
    shift_mm = estimate_shift_mm(view.rectifier, view.background, shown)
    return shift_mm is not None and not is_moved(shift_mm)


def _wait_for_picture(state: InMotion | OtherPicture, t_s: float) -> TrackerState:
    """Handle a frame of another picture, in which no disc is followed."""
    cut = cut_away(state, t_s)
    return lose_view(cut) if t_s - cut.since_s > PARAMS.other_picture_s else cut


def _is_lit(image: np.ndarray) -> bool:
    """Whether the frame (BGR) is neither dark nor overexposed."""
    return PARAMS.lit_grey[0] < float(image[::8, ::8].mean()) < PARAMS.lit_grey[1]
