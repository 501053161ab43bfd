"""The board as a camera sees it from the side, fitted and checked against the paint, or none.

Rough views come from ellipses, which long arcs draw, of clear edges and then of faint ones, and
from a vote of all edges, which broken ones still win. Lines are held against the paint as anywhere
(see ``board_hypotheses``); eight posts about the centre stand in for some of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import cv2
import numpy as np

from calibration.board import BoardSpec
from calibration.camera import Camera
from calibration.circle import circle_mm
from calibration.lens_prior import LensPrior
from calibration.parameters import StageParameters, parameter
from calibration.pose import View
from vision.board.board_hypotheses import STRICT, BoardHypothesis, fit_coarse
from vision.board.edges import EdgePoints, detect_edges
from vision.board.level.arcs import trace_arcs
from vision.board.level.circle_views import compute_circle_views
from vision.board.level.ellipses import ImageEllipse, find_ellipses
from vision.board.level.level_search import search_level_rings
from vision.board.posts import find_post_phase
from vision.board.rings import find_line_radii


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelHypothesisParameters(StageParameters):
    """What ``level_hypothesis`` takes for granted."""

    stage: ClassVar[str] = "board.level_hypothesis"

    #: Views whose lines are weaker, in noise sigmas, are not followed up.
    min_strength: float = parameter(
        1.3, unit="σ", source="chosen: true boards show 1.6 and more where the view is still rough"
    )
    rounds: int = parameter(
        4,
        unit="fits",
        source="chosen: a rough view with posts about it comes right in two or three",
    )
    #: With posts about it, a fit this good ends the search.
    certain_support_with_posts: float = parameter(
        0.7, unit="share", source="chosen: posts say more than a tenth of the lines"
    )
    #: Share of pixels whose gradient may start an edge where contrast was made even: it shows what
    #: is faint beside a crowd in bright shirts.
    faint_share: float = parameter(
        0.15, unit="share", source="chosen: twice that of board.edges, for it is evenly spread"
    )
    #: Contrast is made even over this, and noise of less is not raised.
    contrast_px: int = parameter(41, unit="px", source="chosen: a hand in a picture of 1024 px")
    min_contrast_grey: float = parameter(
        2.0, unit="grey value", source="chosen: a JPEG's noise on an even wall"
    )
    arcs: int = parameter(
        32,
        unit="arcs",
        source="chosen: four circles with two edges each, broken, and as many others",
    )
    ellipses: int = parameter(
        8, unit="ellipses", source="our renders: the first is a board's in nine of ten; in crowds 7"
    )
    #: Radius, in 5-lines, of the circle that an ellipse may be: between 5-line and edge of the
    #: surface, and the rail. Each stands for what is a tenth larger or smaller.
    outer_circles: tuple[float, ...] = parameter(
        (1.04, 1.31), unit="5-lines", source="nominal: 304.8, 330.2 and about 400 mm"
    )
    #: So many views are followed up by clear edges, and by faint ones.
    views: tuple[int, int] = parameter(
        (10, 6),
        unit="views",
        source="stills and renders at 78°: a board's is the ninth at the most",
    )
    #: A lens is zoomed by this at the least and the most, in so many steps.
    zooms: tuple[float, float] = parameter(
        (0.95, 4.0), unit="times", source="chosen: as in lens_prior, and a wide lens"
    )
    cameras: int = parameter(
        5, unit="", source="chosen: a board's middle then moves by 6 px of 1024 a step"
    )
    #: Views of one ellipse are compared by their lines at so many places.
    azimuths: int = parameter(
        40, unit="", source="chosen: a third of board.rings', enough to compare views"
    )
    #: More than this share of the 5-line, looked at in so many places, is in the picture.
    min_visible_share: float = parameter(
        0.5, unit="share", source="as in board.find_board: half is no count"
    )
    visibility_points: int = parameter(24, unit="", source="chosen: every 15°")


PARAMS = LevelHypothesisParameters.active()
#: Even contrast's mean, and how many of its standard deviations lie between that and black.
_EVEN_GREY, _EVEN_SIGMAS = 128.0, 3.2


def find_level_hypothesis(
    small: np.ndarray, edges: EdgePoints, prior: LensPrior
) -> BoardHypothesis | None:
    """The best hypothesis that is a board, as a level camera sees it from the side; None of none.

    ``small`` is (h, w) uint8; ``edges`` and ``prior`` are in its pixels, and so is the fit. Whoever
    films a board from the side stands back and zooms: the lens may be longer than usual.
    """
    lens = prior.allow_zoom()
    cameras = (prior.camera(),) if lens is prior else _list_zoomed_cameras(prior)
    best: BoardHypothesis | None = None
    for view in _generate_views(small, edges, cameras, lens.likely_cameras()):
        hypothesis = _fit_with_posts(small, view, lens)
        if hypothesis is None or not hypothesis.is_board:
            continue
        if best is None or hypothesis.mean_support > best.mean_support:
            best = hypothesis
        if best.is_sure or _is_certain_with_posts(best):
            break
    return best


def _is_certain_with_posts(hypothesis: BoardHypothesis) -> bool:
    return (
        hypothesis.has_posts
        and hypothesis.mean_support >= PARAMS.certain_support_with_posts
        and hypothesis.is_board
    )


def _list_zoomed_cameras(prior: LensPrior) -> tuple[Camera, ...]:
    """Cameras that a usual one may be zoomed to, evenly spread in how they foreshorten a board."""
    shortest, longest = PARAMS.zooms
    return tuple(
        replace(prior, focal_px=float(prior.focal_px / share)).camera()
        for share in np.linspace(1.0 / shortest, 1.0 / longest, PARAMS.cameras)
    )


def _generate_views(
    small: np.ndarray,
    edges: EdgePoints,
    cameras: Sequence[Camera],
    zoomed_cameras: Sequence[Camera],
) -> Iterator[View]:
    """Rough views of what may be a board, likeliest first."""
    size_px = (small.shape[1], small.shape[0])
    tried: list[ImageEllipse] = []
    for find, most in zip((_find_clear_edges, _find_faint_edges), PARAMS.views, strict=True):
        arcs = trace_arcs(find(small), PARAMS.arcs)
        found = find_ellipses(arcs, edges, size_px, PARAMS.ellipses)
        fresh = [each for each in found if not any(each.is_near(other) for other in tried)]
        tried += fresh
        yield from _rank_views(small, fresh, cameras)[:most]
    yield from search_level_rings(edges, small, zoomed_cameras)


def _find_clear_edges(small: np.ndarray) -> np.ndarray:
    """The edge map (h, w) uint8 of what is clearest in the whole picture."""
    return detect_edges(small)[0]


def _find_faint_edges(small: np.ndarray) -> np.ndarray:
    """The edge map (h, w) uint8 of what is clearest about its place."""
    window = (PARAMS.contrast_px, PARAMS.contrast_px)
    grey = small.astype(np.float32)
    away = grey - cv2.blur(grey, window)
    spread = np.sqrt(np.maximum(cv2.blur(away * away, window), PARAMS.min_contrast_grey**2))
    even = np.clip(_EVEN_GREY * (1.0 + away / (_EVEN_SIGMAS * spread)), 0, 255)
    return detect_edges(even.astype(np.uint8), PARAMS.faint_share)[0]


def _rank_views(
    small: np.ndarray, ellipses: Sequence[ImageEllipse], cameras: Sequence[Camera]
) -> list[View]:
    """The views in which an ellipse is one of a board's circles, those of the clearest lines first.

    Most of the board is in the picture: a rail is no 15-line of one three times as large.
    """
    _, r10, r5 = BoardSpec().line_radii_mm  # the 15-line is broken by its posts
    views = [
        view
        for ellipse in ellipses
        for camera in cameras
        for radius_mm in (r10, *(each * r5 for each in PARAMS.outer_circles))
        for view in compute_circle_views(ellipse, camera, radius_mm)
        if _is_mostly_visible(view, small)
    ]
    lines = [(find_line_radii(small, view, azimuths=PARAMS.azimuths), view) for view in views]
    clear = [(found.strength, view) for found, view in lines if found is not None]
    clear.sort(key=lambda each: -each[0])
    return [view for _, view in clear]


def _is_mostly_visible(view: View, small: np.ndarray) -> bool:
    """Whether most of the 5-line is in the picture."""
    line_mm = circle_mm((0.0, 0.0), BoardSpec().line_radii_mm[2], PARAMS.visibility_points)
    px = view.project_plane(line_mm)
    inside = (px > 0).all(axis=-1) & (px < small.shape[::-1]).all(axis=-1)
    return bool(inside.mean() > PARAMS.min_visible_share)


def _fit_with_posts(small: np.ndarray, view: View, lens: LensPrior) -> BoardHypothesis | None:
    """The fit from a rough view, begun again where there are posts about it but few lines yet."""
    best: BoardHypothesis | None = None
    for _ in range(PARAMS.rounds):
        lines = find_line_radii(small, view)
        if lines is None or lines.strength < PARAMS.min_strength:
            break
        hypothesis = fit_coarse(small, view, lines, lens, STRICT)
        if hypothesis is None:
            break
        posts = find_post_phase(small, hypothesis.fit.view, hypothesis.fit.spec)
        hypothesis = replace(hypothesis, has_posts=posts.is_clear)
        if best is None or hypothesis.mean_support > best.mean_support:
            best = hypothesis
        if hypothesis.is_board or not hypothesis.has_posts:
            break
        view = hypothesis.fit.view
    return best
