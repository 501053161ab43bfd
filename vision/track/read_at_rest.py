"""Read a tracked board that has come to rest, and update the view's background model with it.

The last frames are averaged and read with the background, or without it in a new view. The motion
before it shows whether a disc in the hole is real: light that falls into the hole, and a hole seen
empty for the first time, differ from the background as a disc does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import assert_never

import numpy as np

from calibration.parameters import StageParameters, parameter
from vision.discs.detector_input import BoardPart
from vision.reading import UnexplainedObject, UnexplainedReason
from vision.track.at_rest.changed_part import find_changed_part, find_unchanged
from vision.track.at_rest.hands_by_symmetry import find_hands_by_symmetry
from vision.track.at_rest.known_teams import has_same_colour, has_team_colour
from vision.track.at_rest.still_board import (
    StillBoard,
    drop_discless_teams,
    drop_uncertain_twenty,
    flag_covered,
    read_with_background,
    read_without_background,
)
from vision.track.at_rest.still_frame import StillFrame, mask_hole
from vision.track.at_rest.unseen_board import find_unseen_board, remember_unseen
from vision.track.background.background_model import PARAMS as BACKGROUND
from vision.track.background.background_model import (
    BackgroundModel,
    NormalisedFrame,
    create_background,
    fill_from_older,
    inpaint_by_symmetry,
    update_background,
)
from vision.track.events import BoardAtRest
from vision.track.motion.occlusion import follow_occlusion
from vision.track.recent_frames import CameraFrame, average_frames
from vision.track.session import SessionState
from vision.track.states import InMotion, Unread
from vision.track.tracked_view import LastReading, TrackedView
from vision.track.tracks.same_disc import is_at
from vision.track.tracks.sliding_discs import (
    find_moved_discs,
    is_any_sliding,
    list_outcome_places,
)


class ReadAtRestParameters(StageParameters):
    """Parameters of ``read_at_rest``."""

    #: A disc that nobody touched is read within this of its old position.
    same_disc_mm: float = parameter(
        5.0, unit="mm", source="chosen: a disc in the hole is read less precisely than others"
    )
    #: A disc that went into the hole was last seen within this distance of it.
    frame_step_mm: float = parameter(
        50.0,
        unit="mm",
        source="chosen: the distance that a disc at 1.5 m/s moves in a frame, 1/30 s",
    )


PARAMS = ReadAtRestParameters()


def read_at_rest(
    state: Unread | InMotion, session: SessionState, frame: NormalisedFrame, camera: CameraFrame
) -> BoardAtRest:
    """The board at rest in the last frames of ``camera``, of which ``frame`` is the newest.

    Facts learned about the view go into the view of ``state``, and those about discs into
    ``session``.
    """
    view, interval = state.view, state.interval
    newest = -1 if is_any_sliding(interval.tracker.tracks, view.fit, camera.t_s) else 0
    # In the mean of all frames, a sliding disc appears at several places.
    pictures = camera.detailed[newest:]
    steady = average_frames([picture.bgr for picture in pictures if picture.shape == view.shape])
    match state:
        case Unread():
            board = read_without_background(steady, view.fit, session.disc, session.teams)
            if state.older_background is None and not session.teams:
                board = drop_uncertain_twenty(board)
        case InMotion():
            board = _read_known_view(state, session, frame, steady)
        case _:
            assert_never(state)
    if view.last_reading is None or board is not view.last_reading.board:
        view.last_reading = LastReading(frame=frame, hidden=view.hidden, board=board)
    before = session.discs
    session.update(board)
    view.background = _learn_background(state, session, board.unexplained, frame, camera)
    view.last_shift_mm = 0.0
    return BoardAtRest(
        t_s=camera.t_s,
        t_from_s=interval.t_from_s,
        t_rest_s=interval.t_changed_s,
        board=board,
        before=before,
        tracks=tuple(interval.tracker.tracks),
        image=steady,
        fit=view.fit,
        saw_hand=interval.saw_hand,
        was_interrupted=interval.was_interrupted,
        longest_gap_s=interval.longest_gap_s,
    )


def _learn_background(
    state: Unread | InMotion,
    session: SessionState,
    unexplained: Sequence[UnexplainedObject],
    frame: NormalisedFrame,
    camera: CameraFrame,
) -> BackgroundModel:
    """The background after this reading, whose discs are those of ``session``.

    Possible discs are not learned as part of the board, and neither are unexplained objects seen
    for the first time.
    """
    view = state.view
    is_first = isinstance(state, Unread)
    maybe = [
        spot.centre_mm
        for spot in unexplained
        if is_first or spot.reason is UnexplainedReason.MAYBE_DISC
    ]
    bases = np.array([*(disc.centre_mm for disc in session.discs), *maybe]).reshape(-1, 2)
    covered = view.rectifier.disc_mask(bases, session.radius_mm + BACKGROUND.around_disc_mm) > 0
    if view.occlusion is not None:
        covered |= view.occlusion.hidden > 0
    uncertain = ~view.background.valid_mask & view.rectifier.surface & ~covered
    if uncertain.any():
        hole_radius_mm = view.fit.spec.hole_radius_mm
        uncertain &= find_hands_by_symmetry(view.rectifier, frame.image, hole_radius_mm)
    match state:
        case InMotion():
            return update_background(view.background, view.rectifier, frame, covered, uncertain)
        case Unread(older_background=older):
            noise = view.measure_noise(camera)
            new = create_background(view.rectifier, frame.image, covered | uncertain, noise)
            if older is not None:
                new = fill_from_older(new, view.rectifier, older)
            new = inpaint_by_symmetry(new, view.rectifier)
            new.image[uncertain] = frame.image[uncertain]
            return new
        case _:
            assert_never(state)


def _read_known_view(
    state: InMotion, session: SessionState, frame: NormalisedFrame, steady: np.ndarray
) -> StillBoard:
    """The board compared with its background, without false discs in the hole; or the board that
    was last read, if nothing has changed.
    """
    view = state.view
    unchanged = _find_unchanged(view, session, frame)
    changed = _find_changed_part(state, session, unchanged)
    if changed is not None and view.last_reading and (changed.high_mm < changed.low_mm).any():
        return view.last_reading.board
    still = StillFrame(
        image=steady,
        fit=view.fit,
        rectifier=view.rectifier,
        background=view.background,
        normalised=frame,
        hidden=view.hidden,
        changed=changed,
    )
    tracks = state.interval.tracker.tracks
    expected_mm = list_outcome_places(tracks, session.discs, view.fit)
    left = {disc.name for disc in find_moved_discs(tracks, view.fit)}
    resting = [disc for i, disc in enumerate(session.discs) if str(i) not in left]
    board = read_with_background(still, session.disc, session.teams, resting, expected_mm)
    ends_mm = [track.last.place_mm for track in tracks if track.has_moved_freely()]
    board = _explain_by_hands(state, session, board)
    board = _drop_lit_hole(view, session, board, frame, ends_mm)
    unseen = find_unseen_board(view.background, view.rectifier, view.fit, board.disc.radius_mm)
    if unseen is not None:
        board = remember_unseen(
            board, session.discs, tracks, unseen, view.fit, was_empty=session.was_empty
        )
    return drop_discless_teams(board, session.teams)


def _find_unchanged(
    view: TrackedView, session: SessionState, frame: NormalisedFrame
) -> np.ndarray | None:
    """Pixels (side, side bool) where a frame is the same as in the last reading of the session's
    discs; None if there was none.
    """
    last = view.last_reading
    if last is None or last.board.discs is not session.discs:
        return None
    hidden = [mask for mask in (last.hidden, view.hidden) if mask is not None]
    return find_unchanged(frame, last.frame, view.background.threshold, hidden)


def _find_changed_part(
    state: InMotion, session: SessionState, unchanged: np.ndarray | None
) -> BoardPart | None:
    """The part to be read again; None for the whole board, in particular if the discs' sizes are
    not well known yet, an object was unexplained, or the picture jumped.
    """
    last = state.view.last_reading
    if unchanged is None or last is None or session.disc is None or last.board.unexplained:
        return None
    if last.board.occluder is not None or state.interval.was_interrupted:
        return None
    return find_changed_part(unchanged, session.discs, state.view.rectifier, session.radius_mm)


def _explain_by_hands(state: InMotion, session: SessionState, board: StillBoard) -> StillBoard:
    """The board without a question about its cover, if that is a person who hides nothing that
    counts. A hand over the edge appears and disappears from frame to frame, because its fingers
    cover more or less of the board.
    """
    view, tracks = state.view, state.interval.tracker.tracks
    t_s, known = state.interval.t_changed_s, view.background.valid_mask
    occlusion = follow_occlusion(None, board.occluder, view.rectifier, t_s, known)
    if occlusion is None or not occlusion.is_person:
        return flag_covered(board, view.rectifier)
    places_mm = list_outcome_places(tracks, (*session.discs, *board.discs), view.fit)
    if occlusion.hides_disc(view.rectifier, places_mm, board.disc.radius_mm):
        return flag_covered(board, view.rectifier)
    view.occlusion = occlusion
    return board


def _drop_lit_hole(
    view: TrackedView,
    session: SessionState,
    board: StillBoard,
    frame: NormalisedFrame,
    ends_mm: list[np.ndarray],
) -> StillBoard:
    """The board, without a disc in the hole that no disc moved to and that looks like no known
    disc.

    If the sun reaches the hole, or leaves it, it also differs from the empty hole. The same happens
    if the background was learned with a disc in it. The background is corrected there. ``ends_mm``
    are the places that discs slid to. A disc that was there is still there, unless the hole has
    another colour now.
    """
    hole_mm = np.array(view.fit.spec.hole_centre_mm)
    reach_mm = view.fit.spec.hole_radius_mm
    hole = mask_hole(view.rectifier, view.fit)
    resting_mm = [disc.centre_mm for disc in session.discs]
    if is_at(hole_mm, ends_mm, PARAMS.frame_step_mm):
        return board
    last = view.last_reading
    is_same = last is None or has_same_colour(frame.image, last.frame.image, hole)
    if is_at(hole_mm, resting_mm, reach_mm) and is_same:
        return board
    kept = tuple(
        disc
        for disc in board.discs
        if not is_at(disc.centre_mm, [hole_mm], PARAMS.same_disc_mm)
        or has_team_colour(disc, session.teams, frame.image, hole)
    )
    if len(kept) == len(board.discs):
        return board
    _learn_empty_hole(view, frame)
    return replace(board, discs=kept)


def _learn_empty_hole(view: TrackedView, frame: NormalisedFrame) -> None:
    """Add the hole, which a frame shows empty, to the background."""
    around_mm = view.fit.spec.hole_radius_mm + BACKGROUND.around_disc_mm
    hole = view.rectifier.disc_mask(np.array(view.fit.spec.hole_centre_mm), around_mm) > 0
    image = view.background.image.copy()
    image[hole] = frame.image[hole]
    view.background = replace(view.background, image=image)
