"""The board in a picture: found, fitted, turned upright and measured, or why there is none.

Knows the order of the steps, lenses, and what makes a picture unfit. Refuses to know discs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.board import BoardSpec, FloatArray
from calibration.fit import (
    CENTRE_SIGMA_SIDES,
    CROPPED_CENTRE_SIGMA_SIDES,
    CROPPED_FOCAL_LOG_SIGMA,
    CROPPED_FOCAL_SIDES,
    EXIF_FOCAL_LOG_SIGMA,
    PRIOR_FOCAL_LOG_SIGMA,
    PRIOR_FOCAL_SIDES,
    BoardFit,
    LensPrior,
)
from calibration.pose import View
from calibration.profile import Profile, differing_sizes
from vision.azimuth import find_turn, upright_turn
from vision.candidate import (
    Candidate,
    Trace,
    find_candidate,
    find_near,
    find_other,
    fit_near,
    trace_and_fit,
)
from vision.edges import Edges
from vision.frame import Frame
from vision.marks import measure_marks, shows_hole
from vision.search import QUICK, THOROUGH
from vision.tones import Tone, tones

#: Shapes of cameras' own pictures, long side over short; any other shape was cropped.
_CAMERA_SHAPES, _SHAPE_TOLERANCE = (4 / 3, 3 / 2, 16 / 9), 0.01
#: A lens is another one when its focal length differs by more than this many sigmas, and by more
#: than focusing and stabilising change it, as a logarithm.
_OTHER_LENS_SIGMAS, _OTHER_LENS_LOG = 4.0, 0.04
#: How far from where they should be lines are looked for on the full picture, mm: first, and again
#: where they were found farther away than this from where they should be.
_FINE_REACHES_MM, _FINE_AZIMUTHS = (4.0, 2.5), 144
_SETTLED_MM, _APART_AZIMUTHS = 0.5, 24
#: Less than this share of the board in the picture is not scored.
_MIN_WHOLE = 0.5
#: A second board is looked for when this share of the edges lies outside the first.
_OTHER_EDGES = 0.35


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NoBoard:
    """There is no board, for a reason that a person can act on."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FoundBoard:
    """A board in a picture.

    fit       in pixels of ``Frame.image``
    notes     sentences a person should see
    is_known  whether its sizes are those of the profile
    """

    fit: BoardFit
    notes: tuple[str, ...] = ()
    is_known: bool = False


def find_board(
    frame: Frame, profile: Profile | None = None, near: View | None = None
) -> FoundBoard | NoBoard:
    """The most central whole board of the picture, or why there is none.

    ``profile`` holds the board's sizes and the camera's lens where they were measured before. What
    of it cannot be this picture's is not used, and a note says so. ``near`` is roughly how the
    board is seen, in pixels of ``Frame.image``, where that is known: when it is seen so the whole
    picture need not be searched.
    """
    usual, known = usual_lens(frame), _known_lens(frame, profile)
    seen = _board_near(frame, near, known or usual) if near else None
    seen = seen or (_first_board(frame, known) if known else None)
    seen = seen or _first_board(frame, usual)
    if seen is None:
        return NoBoard(
            reason="no crokinole board was found: its three scoring rings should be in sight, "
            "sharp and lit; take the picture from above with the whole board in it"
        )
    tone, first = seen
    chosen, notes = _most_central(tone, first, usual.scaled(tone.scale))
    whole = share_in_sight(chosen.fit.view, chosen.fit.spec.line_radii_mm[2], tone.small.shape)
    if whole < _MIN_WHOLE:
        return NoBoard(
            reason=f"only {whole:.0%} of the board is inside the picture; take it again with the "
            "whole board in sight"
        )
    whole_fit = replace(chosen, fit=chosen.fit.scaled(1.0 / tone.scale))
    fine = replace(chosen, fit=_fit_finely(tone, whole_fit, usual))
    lens, board, doubts = _what_fits(frame, fine.fit, known, profile)
    if lens or board:
        fine = replace(fine, fit=_fit_finely(tone, fine, lens or usual, board))
    return _marked(tone, fine, board, (*notes, *doubts))


def find_board_near(
    frame: Frame, start: View, lens: LensPrior | None = None
) -> FoundBoard | NoBoard:
    """The board whose rings lie near a rough view, in pixels of ``Frame.image``.

    ``lens`` is what is known of the lens in the same pixels, if more than usual.
    """
    prior = lens or usual_lens(frame)
    for tone in tones(frame.image):
        rough = fit_near(tone.small, start.scaled(tone.scale), prior.scaled(tone.scale))
        if rough is None:
            continue
        rough = replace(rough, fit=rough.fit.scaled(1.0 / tone.scale))
        fine = replace(rough, fit=_fit_finely(tone, rough, prior))
        return _marked(tone, fine, None, ())
    return NoBoard(
        reason="no ring lines run where the handles put them; move each handle onto a place where "
        "a quadrant line meets the outer ring"
    )


def _marked(
    tone: Tone, fine: Candidate, known: BoardSpec | None, notes: tuple[str, ...]
) -> FoundBoard | NoBoard:
    """The board turned upright with its marks measured, or why the rings are no board's."""
    fit = fine.fit
    turn = find_turn(tone.full, fit, dark=fine.dark)
    if turn is None and not shows_hole(tone.full, fit):
        return NoBoard(
            reason="there are rings in the picture, but no 20-hole, quadrant lines or posts about "
            "them; if it is a crokinole board, take the picture from nearer and with more light"
        )
    fit = fit.turned(turn or 0.0)
    fit = fit.turned(upright_turn(fit))
    fit = fit.of_known_size(known) if known else measure_marks(tone.full, fit, dark=fine.dark)
    return FoundBoard(fit=fit, notes=notes, is_known=known is not None)


def _what_fits(
    frame: Frame, fit: BoardFit, lens: LensPrior | None, profile: Profile | None
) -> tuple[LensPrior | None, BoardSpec | None, tuple[str, ...]]:
    """What of a profile can be this picture's: its lens, its board, and what a person should know.

    ``fit`` was made without the profile.
    """
    if profile is None:
        return None, None, ()
    size = profile.trouble_with_size(frame.width_px, frame.height_px)
    doubts = (size,) if size else ()
    board: BoardSpec | None = profile.board
    other = differing_sizes(profile.board, fit.spec)
    if other is not None:
        board = None
        doubts = (
            *doubts,
            f"this is another board than the profile's: {other}; its sizes are not "
            "used; calibrate this board",
        )
    if lens is not None and _is_other_lens(fit, lens):
        lens = None
        doubts = (
            *doubts,
            "this picture was taken at another zoom or with another camera than the "
            "profile's, so its lens is not used; calibrate this camera",
        )
    return lens, board, doubts


def _is_other_lens(fit: BoardFit, lens: LensPrior) -> bool:
    """Whether a fit made without a known lens shows that it cannot be the picture's."""
    away = abs(float(np.log(fit.view.camera.fx_px / lens.focal_px)))
    sigma = float(np.hypot(np.sqrt(fit.covariance[6, 6]), lens.focal_log_sigma))
    return away > max(_OTHER_LENS_SIGMAS * sigma, _OTHER_LENS_LOG)


def _first_board(frame: Frame, prior: LensPrior) -> tuple[Tone, Candidate] | None:
    """The first board that a search finds, and the tone it shows in: quickly, then thoroughly."""
    made: list[Tone] = []
    for effort in (QUICK, THOROUGH):
        for tone in made if effort is THOROUGH else tones(frame.image):
            if effort is QUICK:
                made.append(tone)
            scaled = prior.scaled(tone.scale)
            found = find_candidate(tone.small, tone.edges, scaled, effort)
            if found is not None:
                return tone, found
    return None


def _board_near(frame: Frame, near: View, prior: LensPrior) -> tuple[Tone, Candidate] | None:
    """The board near a rough view, and the tone it shows in."""
    for tone in tones(frame.image):
        found = find_near(tone.small, near.scaled(tone.scale), prior.scaled(tone.scale))
        if found is not None:
            return tone, found
    return None


def _known_lens(frame: Frame, profile: Profile | None) -> LensPrior | None:
    """The profile's lens in pixels of ``Frame.image``, None where it has none for this size."""
    lens = profile.lens_for(frame.width_px, frame.height_px) if profile else None
    return lens.scaled(frame.scale) if lens else None


def usual_lens(frame: Frame) -> LensPrior:
    """What is believed of a picture's lens before it is looked at, in pixels of ``Frame.image``."""
    height, width = frame.image.shape[:2]
    side = max(height, width)
    shape = side / min(height, width)
    own = any(abs(shape / known - 1) < _SHAPE_TOLERANCE for known in _CAMERA_SHAPES)
    sides, log_sigma = (
        (PRIOR_FOCAL_SIDES, PRIOR_FOCAL_LOG_SIGMA)
        if own
        else (CROPPED_FOCAL_SIDES, CROPPED_FOCAL_LOG_SIGMA)
    )
    return LensPrior(
        focal_px=frame.focal_px * frame.scale if frame.focal_px else sides * side,
        focal_log_sigma=EXIF_FOCAL_LOG_SIGMA if frame.focal_px else log_sigma,
        centre_px=((width - 1) / 2, (height - 1) / 2),
        centre_sigma_px=side * (CENTRE_SIGMA_SIDES if own else CROPPED_CENTRE_SIGMA_SIDES),
    )


def _fit_finely(
    tone: Tone, rough: Candidate, prior: LensPrior, known: BoardSpec | None = None
) -> BoardFit:
    """A fit in pixels of the full picture made finer there; itself where that is not possible."""
    fit = rough.fit
    for reach_mm in _FINE_REACHES_MM:
        trace = Trace(rough.dark, reach_mm, _FINE_AZIMUTHS)
        finer = trace_and_fit(tone.full, fit.view, fit.spec.line_radii_mm, prior, trace, known)
        if finer is None or _farthest_apart_mm(fit, finer) < _SETTLED_MM:
            return finer or fit
        fit = finer
    return fit


def _farthest_apart_mm(one: BoardFit, other: BoardFit) -> float:
    """How far two fits of one board have its 5-line apart at the most, mm across it."""
    azimuths = np.arange(_APART_AZIMUTHS) * (2 * np.pi / _APART_AZIMUTHS)
    line = one.view.lift(other.view.project_plane(other.spec.line_points_mm(2, azimuths)))
    expected = np.linalg.norm(one.spec.line_points_mm(2, azimuths), axis=-1)
    return float(np.abs(np.linalg.norm(line, axis=-1) - expected).max())


def share_in_sight(view: View, radius_mm: float, shape: tuple[int, ...]) -> float:
    """Share of the disc of that radius about the board's centre that lies in the picture."""
    grid = np.linspace(-radius_mm, radius_mm, 31)
    x, y = np.meshgrid(grid, grid)
    points = np.stack([x.ravel(), y.ravel()], axis=-1)
    px = view.project_plane(points[np.linalg.norm(points, axis=-1) <= radius_mm])
    inside = (px >= 0).all(axis=-1) & (px[:, 0] < shape[1]) & (px[:, 1] < shape[0])
    return float(inside.mean())


def _most_central(
    tone: Tone, first: Candidate, prior: LensPrior
) -> tuple[Candidate, tuple[str, ...]]:
    """The most central whole one of the boards, and a note when there is more than one."""
    outside = ~_on_board(first, tone.edges.points_px)
    if outside.mean() < _OTHER_EDGES:
        return first, ()
    rest = Edges(points_px=tone.edges.points_px[outside], gradients=tone.edges.gradients[outside])
    other = find_other(_without(tone.small, first), rest, prior)
    if other is None:
        return first, ()

    def rank(candidate: Candidate) -> tuple[bool, float]:
        view, radii = candidate.fit.view, candidate.fit.spec.line_radii_mm
        middle = np.array([tone.small.shape[1] - 1, tone.small.shape[0] - 1]) / 2
        whole = share_in_sight(view, radii[2], tone.small.shape) > 0.98
        return whole, -float(np.linalg.norm(view.project_plane([[0.0, 0.0]])[0] - middle))

    return max((first, other), key=rank), (
        "there is more than one board in the picture; the most central whole one is scored",
    )


def _on_board(candidate: Candidate, points_px: FloatArray) -> np.ndarray:
    """Which pixels (n,) show the board, its ditch and its rail, seen against its own plane."""
    reach = 1.5 * candidate.fit.spec.line_radii_mm[2]
    return np.asarray(np.linalg.norm(candidate.fit.view.lift(points_px), axis=-1) < reach)


def _without(small: np.ndarray, candidate: Candidate) -> np.ndarray:
    """The picture with the candidate's board painted over in its own mean grey."""
    angles = np.linspace(0, 2 * np.pi, 120, endpoint=False)
    reach = 1.3 * candidate.fit.spec.line_radii_mm[2]
    outline = candidate.fit.view.project_plane(
        reach * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    )
    covered = small.copy()
    cv2.fillPoly(covered, [np.round(outline).astype(np.int32)], float(small.mean()))
    return covered
