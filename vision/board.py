"""The board in a picture: found, fitted and checked, or the reason why there is none.

Knows how a search becomes a fit, and what a fit must show to be believed: paint along all three
rings. Refuses to know discs.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.board import SCALE_RADIUS_MM, BoardSpec, FloatArray
from calibration.fit import (
    CENTRE_SIGMA_SIDES,
    CROPPED_CENTRE_SIGMA_SIDES,
    EXIF_FOCAL_LOG_SIGMA,
    PRIOR_FOCAL_LOG_SIGMA,
    PRIOR_FOCAL_SIDES,
    BoardFit,
    LensPrior,
    fit_rings,
)
from calibration.pose import Pose, View
from calibration.profile import Profile
from vision.azimuth import find_turn, upright_turn
from vision.edges import SEARCH_SIDE_PX, Edges, find_edges
from vision.frame import Frame
from vision.marks import measure_marks, shows_hole
from vision.rings import (
    LineRadii,
    find_line_radii,
    ring_support,
    support_between,
    trace_rings,
)
from vision.search import QUICK, THOROUGH, Effort, Hypothesis, search_rings

_EDGE_LIMIT = 4000
#: Shapes of cameras' own pictures, long side over short; any other shape was cropped.
_CAMERA_SHAPES, _SHAPE_TOLERANCE = (4 / 3, 3 / 2, 16 / 9), 0.01
#: How far from where they should be lines are looked for, mm: rough fits, then fine ones.
_ROUGH_REACHES_MM, _FINE_REACHES_MM = (9.0, 8.0, 7.0, 6.0), (4.0, 2.5)
_ROUGH_AZIMUTHS, _FINE_AZIMUTHS = 60, 144
#: Paint must show along this share of every ring and of the three together. True boards of our
#: renders and photographs show 0.69 and 0.83 or more; the best wrong fit on them 0.34 and 0.53.
_MIN_LINE_SUPPORT, _MIN_MEAN_SUPPORT = 0.45, 0.66
#: A calibrated lens differs between pictures by its focus: by this much in focal length, in
#: distortion, and in its axis as a share of the focal length.
_CALIBRATED_SIGMA = 0.005
#: Lines weaker than this, in noise sigmas, are not worth a fit; true boards show 2.3 or more.
_MIN_STRENGTH = 2.0
#: Lines this strong can only be a board's, at this size; the best wrong size shows 3.4.
_CLEAR_STRENGTH = 3.6
#: Sizes about one centre that a quick search fits, clearest lines first.
_QUICK_FITS, _ALL_FITS = 2, 99
#: A second board shows at least this much of its rings as edges.
_OTHER_COVERAGE = 1.3
#: A rough fit this good ends the search.
_SURE_SUPPORT = 0.85
#: Targets and records have rings between those that could be a board's: a ring that shows along
#: this share of what the board's own do is one. Boards of ours show at most a half of it.
_MAX_BETWEEN = 0.75
#: A ring whose paint shows along this share of it is used to straighten the view.
_MIN_TRUST = 0.4
#: A ring of which less is in sight cannot be asked for paint.
_MIN_SEEN = 0.15
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

    fit     in pixels of ``Frame.image``
    notes   sentences a person should see
    """

    fit: BoardFit
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Candidate:
    fit: BoardFit
    dark: bool
    support: FloatArray  # (3,)
    seen: FloatArray  # (3,)
    between: float  # the same support of the clearest ring where a board has none

    @property
    def mean_support(self) -> float:
        return float(self.support @ self.seen / max(float(self.seen.sum()), 1e-9))

    @property
    def is_board(self) -> bool:
        asked = self.seen >= _MIN_SEEN
        return bool(
            asked.sum() >= 2
            and (self.support[asked] >= _MIN_LINE_SUPPORT).all()
            and self.mean_support >= _MIN_MEAN_SUPPORT
            and self.between <= _MAX_BETWEEN * self.mean_support
        )


def find_board(frame: Frame, profile: Profile | None = None) -> FoundBoard | NoBoard:
    """The most central whole board of the picture, or why there is none.

    ``profile`` holds the board's sizes and the camera's lens where they were measured before.
    """
    grey = cv2.cvtColor(frame.image, cv2.COLOR_BGR2GRAY)
    scale = min(1.0, SEARCH_SIDE_PX / max(grey.shape))
    small = grey
    if scale < 1.0:
        small = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    edges = find_edges(small, _EDGE_LIMIT)
    prior = _lens_prior(frame, profile)
    known = profile.board if profile else None
    small_prior = prior.scaled(scale)
    first = _search(small, edges, small_prior, QUICK) or _search(
        small, edges, small_prior, THOROUGH
    )
    if first is None:
        return NoBoard(
            reason="no crokinole board was found: its three scoring rings should be in sight, "
            "sharp and lit; take the picture from above with the whole board in it"
        )
    chosen, notes = _most_central(small, edges, first, small_prior)
    whole = _share_in_sight(chosen.fit.view, chosen.fit.spec.line_radii_mm[2], small.shape)
    if whole < _MIN_WHOLE:
        return NoBoard(
            reason=f"only {whole:.0%} of the board is inside the picture; take it again with the "
            "whole board in sight"
        )
    fit = _refine(grey, chosen, 1.0 / scale, prior, known)
    turn = find_turn(grey, fit, dark=chosen.dark)
    if turn is None and not shows_hole(grey, fit):
        return NoBoard(
            reason="there are rings in the picture, but no 20-hole, quadrant lines or posts about "
            "them; if it is a crokinole board, take the picture from nearer and with more light"
        )
    fit = fit.turned(turn or 0.0)
    fit = fit.turned(upright_turn(fit))
    fit = fit.of_known_size(known) if known else measure_marks(grey, fit, dark=chosen.dark)
    return FoundBoard(fit=fit, notes=notes)


def _lens_prior(frame: Frame, profile: Profile | None) -> LensPrior:
    camera = profile.camera_for(frame.width_px, frame.height_px) if profile else None
    if camera is not None:
        camera = camera.scaled(frame.scale)
        return LensPrior(
            focal_px=camera.fx_px,
            focal_log_sigma=_CALIBRATED_SIGMA,
            centre_px=(camera.cx_px, camera.cy_px),
            centre_sigma_px=_CALIBRATED_SIGMA * camera.fx_px,
            k1=camera.k1,
            k1_sigma=_CALIBRATED_SIGMA,
        )
    height, width = frame.image.shape[:2]
    side = max(height, width)
    shape = side / min(height, width)
    own = any(abs(shape / known - 1) < _SHAPE_TOLERANCE for known in _CAMERA_SHAPES)
    known_focal = frame.focal_px is not None
    return LensPrior(
        focal_px=frame.focal_px * frame.scale if frame.focal_px else PRIOR_FOCAL_SIDES * side,
        focal_log_sigma=EXIF_FOCAL_LOG_SIGMA if known_focal else PRIOR_FOCAL_LOG_SIGMA,
        centre_px=((width - 1) / 2, (height - 1) / 2),
        centre_sigma_px=side * (CENTRE_SIGMA_SIDES if own else CROPPED_CENTRE_SIGMA_SIDES),
    )


def _search(small: np.ndarray, edges: Edges, prior: LensPrior, effort: Effort) -> _Candidate | None:
    """The first candidate that is surely a board, or the best that is one at all."""
    size = (small.shape[1], small.shape[0])
    most_fits = _QUICK_FITS if effort is QUICK else _ALL_FITS
    best: _Candidate | None = None
    for sizes in search_rings(edges, prior.camera(), size, effort):
        candidate = _best_of_sizes(small, sizes, prior, most_fits)
        if candidate is None or not candidate.is_board:
            continue
        if best is None or candidate.mean_support > best.mean_support:
            best = candidate
        if best.mean_support >= _SURE_SUPPORT:
            break
    return best


def _best_of_sizes(
    small: np.ndarray, sizes: list[Hypothesis], prior: LensPrior, most_fits: int
) -> _Candidate | None:
    """The rough fit of the hypotheses about one centre, tried from the clearest lines down."""
    seen: list[tuple[LineRadii, View]] = []
    for hypothesis in sizes:
        lines = find_line_radii(small, hypothesis.view)
        if lines is not None and lines.strength >= _MIN_STRENGTH:
            seen.append((lines, hypothesis.view))
            if lines.strength >= _CLEAR_STRENGTH:
                break
    best: _Candidate | None = None
    for lines, view in sorted(seen, key=lambda item: -item[0].strength)[:most_fits]:
        candidate = _rough_fit(small, view, lines, prior)
        if candidate is None:
            continue
        if best is None or candidate.mean_support > best.mean_support:
            best = candidate
        if best.is_board:
            break
    return best


def _rough_fit(
    grey: np.ndarray, view: View, lines: LineRadii, prior: LensPrior
) -> _Candidate | None:
    """The fit that lines seen in a rough view lead to.

    Where one of the lines was mistaken, the others alone straighten the view, in which the lines
    are then seen better.
    """
    best: _Candidate | None = None
    for reach in _ROUGH_REACHES_MM:
        view, radii = _in_scale(view, lines)
        fit = _fit_once(grey, view, radii, prior, _Trace(lines.dark, reach, _ROUGH_AZIMUTHS))
        if fit is None:
            break
        candidate = _supported(grey, fit, lines.dark)
        if best is None or candidate.mean_support > best.mean_support:
            best = candidate
        if candidate.is_board and reach != _ROUGH_REACHES_MM[0]:
            break
        trusted = tuple(line for line in range(3) if candidate.support[line] >= _MIN_TRUST)
        if not trusted:
            break
        if len(trusted) < 3:
            trace = _Trace(lines.dark, reach, _ROUGH_AZIMUTHS, trusted)
            fit = _fit_once(grey, fit.view, fit.spec.line_radii_mm, prior, trace) or fit
        again = find_line_radii(grey, fit.view)
        if again is None:
            break
        view, lines = fit.view, again
    return best


def _in_scale(view: View, lines: LineRadii) -> tuple[View, tuple[float, ...]]:
    """The view moved nearer or farther so that the 10-line has its radius, and all radii then."""
    growth = SCALE_RADIUS_MM / lines.radii_mm[1]
    pose = view.cam_from_board
    nearer = Pose(rotation=pose.rotation, translation_mm=pose.translation_mm * growth)
    radii = tuple(radius * growth for radius in lines.radii_mm)
    return View(camera=view.camera, cam_from_board=nearer), radii


def _supported(grey: np.ndarray, fit: BoardFit, dark: bool) -> _Candidate:
    support, seen = ring_support(grey, fit.view, fit.spec, dark=dark)
    between = support_between(grey, fit.view, fit.spec, dark=dark)
    return _Candidate(fit=fit, dark=dark, support=support, seen=seen, between=between)


@dataclass(frozen=True, slots=True)
class _Trace:
    """How lines are traced: their polarity, reach about their place, azimuths, and which."""

    dark: bool
    reach_mm: float
    azimuths: int
    lines: tuple[int, ...] = (0, 1, 2)


def _fit_once(
    grey: np.ndarray,
    view: View,
    radii: tuple[float, ...],
    prior: LensPrior,
    trace: _Trace,
    known: BoardSpec | None = None,
) -> BoardFit | None:
    points = trace_rings(
        grey,
        view,
        radii,
        dark=trace.dark,
        reach_mm=trace.reach_mm,
        azimuth_count=trace.azimuths,
        lines=trace.lines,
    )
    try:
        return fit_rings(points, view, radii, prior, known)
    except (np.linalg.LinAlgError, ValueError):
        return None  # too few points, not a family of circles, or radii out of order


def _refine(
    grey: np.ndarray,
    rough: _Candidate,
    scale: float,
    prior: LensPrior,
    known: BoardSpec | None,
) -> BoardFit:
    """The rough fit made fine on the full frame, ``scale`` times the picture it was found in."""
    fit = rough.fit.scaled(scale)
    for reach in _FINE_REACHES_MM:
        finer = _fit_once(
            grey,
            fit.view,
            fit.spec.line_radii_mm,
            prior,
            _Trace(rough.dark, reach, _FINE_AZIMUTHS),
            known,
        )
        fit = finer or fit
    return fit


def _share_in_sight(view: View, radius_mm: float, shape: tuple[int, ...]) -> float:
    """Share of the disc of that radius about the board's centre that lies in the picture."""
    grid = np.linspace(-radius_mm, radius_mm, 31)
    x, y = np.meshgrid(grid, grid)
    points = np.stack([x.ravel(), y.ravel()], axis=-1)
    px = view.project_plane(points[np.linalg.norm(points, axis=-1) <= radius_mm])
    inside = (px >= 0).all(axis=-1) & (px[:, 0] < shape[1]) & (px[:, 1] < shape[0])
    return float(inside.mean())


def _most_central(
    small: np.ndarray, edges: Edges, first: _Candidate, prior: LensPrior
) -> tuple[_Candidate, tuple[str, ...]]:
    """The most central whole one of the boards, and a note when there is more than one."""
    outside = ~_on_board(first, edges.points_px)
    if outside.mean() < _OTHER_EDGES:
        return first, ()
    rest = Edges(points_px=edges.points_px[outside], gradients=edges.gradients[outside])
    size = (small.shape[1], small.shape[0])
    likeliest = next(search_rings(rest, prior.camera(), size, QUICK), [])
    likely = [found for found in likeliest if found.coverage >= _OTHER_COVERAGE]
    other = _best_of_sizes(_without(small, first), likely, prior, _QUICK_FITS)
    if other is None or not other.is_board:
        return first, ()

    def rank(candidate: _Candidate) -> tuple[bool, float]:
        view, radii = candidate.fit.view, candidate.fit.spec.line_radii_mm
        middle = np.array([small.shape[1] - 1, small.shape[0] - 1]) / 2
        whole = _share_in_sight(view, radii[2], small.shape) > 0.98
        return whole, -float(np.linalg.norm(view.project_plane([[0.0, 0.0]])[0] - middle))

    return max((first, other), key=rank), (
        "there is more than one board in the picture; the most central whole one is scored",
    )


def _on_board(candidate: _Candidate, points_px: FloatArray) -> np.ndarray:
    """Which pixels (n,) show the board, its ditch and its rail, seen against its own plane."""
    reach = 1.5 * candidate.fit.spec.line_radii_mm[2]
    return np.asarray(np.linalg.norm(candidate.fit.view.lift(points_px), axis=-1) < reach)


def _without(small: np.ndarray, candidate: _Candidate) -> np.ndarray:
    """The picture with the candidate's board painted over in its own mean grey."""
    angles = np.linspace(0, 2 * np.pi, 120, endpoint=False)
    reach = 1.3 * candidate.fit.spec.line_radii_mm[2]
    outline = candidate.fit.view.project_plane(
        reach * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    )
    covered = small.copy()
    cv2.fillPoly(covered, [np.round(outline).astype(np.int32)], float(small.mean()))
    return covered
