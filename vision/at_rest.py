"""A watched board that has come to rest: what lies on it, and what of the bare board that shows.

Knows what was learned of the view. Refuses to know when a board is at rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from calibration.state import DiscState, PlacedDisc, Team
from vision.colour import nearest_team, team_centres, weighted_lab
from vision.plate import Laid, filled, first_plate, guessed, lay_on, learned, noise_between
from vision.sights import Rested
from vision.still import StillBoard, read_alone, read_still
from vision.watching import Memory, Stretch, Watch

#: Something lies in the hole when so much of its middle, a share of its radius, differs.
_HOLE_FILLED, _HOLE_MIDDLE = 0.5, 0.7
#: In the hole a disc is no farther than this from its team's colour, weighted Lab.
_TEAM_LAB = 30.0
#: A disc that nobody touched is read within this of where it was, mm.
_SAME_DISC_MM = 5.0
#: One that flew into the hole was last seen within so much of it, mm: a frame's way.
_A_FRAME_OFF_MM = 50.0
#: A disc that fell into the hole was last seen within this of it, mm.
_MAY_FALL_MM = 150.0
#: What a disc spoils of the bare board beyond its rim, mm: its shadow and its blur.
_AROUND_DISC_MM = 9.0


def read_at_rest(
    watch: Watch, memory: Memory, laid: Laid, images: Sequence[np.ndarray], t_s: float
) -> Rested:
    """The board that lies still in the last ``images`` (BGR), of which ``laid`` is the newest.

    What is learned of view and discs goes into ``watch`` and ``memory``.
    """
    assert watch.stretch is not None  # a board at rest ends a stretch
    steady = _mean([each for each in images if each.shape == watch.shape])
    stretch = watch.stretch
    if watch.board is None:
        board = _read_afresh(watch, memory, laid, steady)
    else:
        board = read_still(
            steady,
            watch.fit,
            memory.disc,
            memory.teams,
            watch.sheet,
            watch.plate,
            laid,
            memory.discs,
        )
        board = _without_lit_hole(watch, memory, stretch, board, laid)
    before = memory.discs
    if watch.board is not None and not _knows_empty_hole(watch):
        board = _with_hole_seen(watch, stretch, board, before, laid)
    memory.take(board)
    feet = np.array([each.centre_mm for each in board.discs]).reshape(-1, 2)
    covered = watch.sheet.discs(feet, memory.radius_mm + _AROUND_DISC_MM) > 0
    if watch.board is not None:
        watch.plate = learned(watch.plate, watch.sheet, laid, covered)
    else:
        watch.plate = first_plate(watch.sheet, laid.image, covered, _noise(watch, images))
        if watch.older_plate is not None:
            watch.plate = filled(watch.plate, watch.sheet, watch.older_plate)
        watch.plate = guessed(watch.plate, watch.sheet)
    watch.sunlight.remember(watch.plate)
    watch.board, watch.stretch, watch.shifted_mm = board, None, 0.0
    return Rested(
        t_s=t_s,
        t_from_s=stretch.t_from_s,
        t_rest_s=stretch.t_changed_s,
        board=board,
        before=before,
        tracks=tuple(stretch.tracker.tracks),
        image=steady,
        fit=watch.fit,
        saw_hand=stretch.saw_hand,
        jumped=stretch.jumped,
        longest_gap_s=stretch.longest_gap_s,
    )


def _read_afresh(watch: Watch, memory: Memory, laid: Laid, steady: np.ndarray) -> StillBoard:
    """The board in a new view, with a disc that still lies in the hole as it did in the old."""
    older = watch.older_plate
    board = read_alone(steady, watch.fit, memory.disc, memory.teams, watch.sheet)
    sunk = [each for each in memory.discs if each.state is DiscState.IN_HOLE]
    if not sunk or older is None or older.image.shape != laid.image.shape:
        return board
    hole_mm = np.array(watch.fit.spec.hole_centre_mm)
    reach_mm = watch.fit.spec.hole_radius_mm
    hole = watch.sheet.discs(hole_mm, _HOLE_MIDDLE * reach_mm) > 0
    differs = lay_on(older, watch.sheet, laid.image).differs[hole] > older.threshold
    is_read = any(_is_near(each.centre_mm, [hole_mm], reach_mm) for each in board.discs)
    if is_read or np.mean(differs) < _HOLE_FILLED:
        return board
    if not _looks_like(sunk[0], memory.teams, laid, hole):
        return board  # it is the light in the hole that differs
    return replace(board, discs=(*board.discs, replace(sunk[0], centre_mm=hole_mm)))


def _looks_like(each: PlacedDisc, teams: Sequence[Team], laid: Laid, where: np.ndarray) -> bool:
    """Whether what is seen ``where`` (side, side bool) has the colour of the disc's team."""
    own = [team for team in teams if team.number == each.team]
    face_lab = weighted_lab(np.median(laid.image[where], axis=0)[None])
    return bool(nearest_team(face_lab, team_centres(own))[1][0] < _TEAM_LAB)


def _without_lit_hole(
    watch: Watch, memory: Memory, stretch: Stretch, board: StillBoard, laid: Laid
) -> StillBoard:
    """The board, without a disc in the hole that nothing brought and that looks like no disc.

    When the sun reaches the hole, or leaves it, it differs from the empty one, too.
    """
    hole_mm = np.array(watch.fit.spec.hole_centre_mm)
    reach_mm = watch.fit.spec.hole_radius_mm
    ends = [track.last.place_mm for track in stretch.tracker.tracks if track.flew()]
    lay = [each.centre_mm for each in memory.discs]
    if _is_near(hole_mm, ends, _A_FRAME_OFF_MM) or _is_near(hole_mm, lay, reach_mm):
        return board
    hole = watch.sheet.discs(hole_mm, _HOLE_MIDDLE * reach_mm) > 0
    kept = tuple(
        each
        for each in board.discs
        if not _is_near(each.centre_mm, [hole_mm], _SAME_DISC_MM)
        or _looks_like(each, board.known, laid, hole)
    )
    return replace(board, discs=kept)


def _knows_empty_hole(watch: Watch) -> bool:
    """Whether the hole was seen empty, in the light that falls into it now."""
    hole_mm = np.array(watch.fit.spec.hole_centre_mm)
    hole = watch.sheet.discs(hole_mm, _HOLE_MIDDLE * watch.fit.spec.hole_radius_mm) > 0
    return watch.saw_hole_empty and bool(watch.plate.bare[hole].all())


def _with_hole_seen(
    watch: Watch,
    stretch: Stretch,
    board: StillBoard,
    before: tuple[PlacedDisc, ...],
    laid: Laid,
) -> StillBoard:
    """The board, without a disc that seems to lie in the hole because one was taken out of it.

    When the first picture shows a disc in the hole that is not told from the hole itself, then
    the empty hole differs from that picture; so it does when the light on it has changed while a
    disc lay in it.
    """
    hole_mm = np.array(watch.fit.spec.hole_centre_mm)
    reach_mm = watch.fit.spec.hole_radius_mm
    over = [each for each in board.discs if _is_near(each.centre_mm, [hole_mm], reach_mm)]
    if not over:
        return board
    watch.saw_hole_empty = True
    feet = [each.centre_mm for each in board.discs]
    lost = [each for each in before if not _is_near(each.centre_mm, feet, _SAME_DISC_MM)]
    flew = [track.last.place_mm for track in stretch.tracker.tracks if track.flew()]
    stays = any(
        each.team == over[0].team and _is_near(each.centre_mm, [over[0].centre_mm], _SAME_DISC_MM)
        for each in before
    )
    if lost or stays or any(_is_near(place, [hole_mm], _MAY_FALL_MM) for place in flew):
        return board
    hole = watch.sheet.discs(hole_mm, reach_mm + _AROUND_DISC_MM) > 0
    image = watch.plate.image.copy()
    image[hole] = laid.image[hole]
    watch.plate = replace(watch.plate, image=image)
    kept = tuple(each for each in board.discs if not any(each is one for one in over))
    return replace(board, discs=kept)


def _noise(watch: Watch, images: Sequence[np.ndarray]) -> float:
    """Grey levels of noise between the last two frames, in which the board was still."""
    flat = [watch.sheet.lay(each) for each in list(images)[-2:]]
    return noise_between(watch.sheet, flat[0], flat[-1])


def _mean(images: list[np.ndarray]) -> np.ndarray:
    """The mean of frames, rounded."""
    total = np.zeros(images[0].shape, np.float32)
    for each in images:
        cv2.accumulate(each, total)
    return cv2.convertScaleAbs(total, alpha=1.0 / len(images))


def _is_near(place_mm: np.ndarray, others_mm: list[np.ndarray], reach_mm: float) -> bool:
    return any(float(np.linalg.norm(place_mm - each)) < reach_mm for each in others_mm)
