"""The board in a grazing view, fitted and checked against the paint, or none.

Rough views come from ellipses through long arcs of clear edges and then of faint ones, from posts
within an ellipse taken as the surface's edge, and from a vote of all edges, which also works with
broken edges. Lines are checked against the paint as in other views (see ``board_hypotheses``).
Eight posts about the centre replace some of this evidence, most of it together with the surface's
edge, and all of it if the hole shows as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import ClassVar

import cv2
import numpy as np

from calibration.board import BoardSpec
from calibration.camera import Camera
from calibration.circle import circle_mm
from calibration.fit import BoardFit
from calibration.lens_prior import LensPrior
from calibration.parameters import StageParameters, parameter
from calibration.pose import View
from vision.board.board_hypotheses import (
    CIRCLE_POINTS,
    STRICT,
    BoardHypothesis,
    fit_coarse,
    measure_support,
)
from vision.board.board_hypotheses import PARAMS as HYPOTHESES
from vision.board.edges import EdgePoints, detect_edges
from vision.board.grazing.arcs import trace_arcs
from vision.board.grazing.circle_views import compute_circle_views
from vision.board.grazing.ellipses import ImageEllipse, find_ellipses
from vision.board.grazing.grazing_search import search_grazing_rings
from vision.board.grazing.post_fit import fit_posts_and_edge
from vision.board.grazing.post_search import PostRing, search_post_rings
from vision.board.hole_and_edge import PARAMS as FEATURES
from vision.board.hole_and_edge import has_edge, has_hole, has_plain_hole, measure_edge_share
from vision.board.line_radii import find_line_radii, find_line_radii_by_scale
from vision.board.posts import find_post_phase


class GrazingHypothesisParameters(StageParameters):
    """Parameters of ``grazing_hypothesis``."""

    stage: ClassVar[str] = "board.level_hypothesis"

    #: Views whose lines are weaker than this, in noise sigmas, are not followed up.
    min_strength: float = parameter(
        1.3, unit="σ", source="chosen: true boards show 1.6 and more while the view is still rough"
    )
    #: With posts around it, a fit of this quality ends the search.
    certain_support_with_posts: float = parameter(
        0.7, unit="share", source="chosen: posts are more evidence than a tenth of the lines"
    )
    #: Share of pixels whose gradient may start an edge after contrast equalisation: it shows a
    #: faint board beside a crowd in bright shirts.
    faint_share: float = parameter(
        0.15,
        unit="share",
        source="chosen: twice the share of board.edges, because these edges are evenly spread",
    )
    #: Radius, in 5-lines, of the circle that an ellipse may show: one between the 5-line and the
    #: edge of the surface, or the rail. Each value covers radii a tenth smaller or larger.
    outer_circles: tuple[float, ...] = parameter(
        (1.04, 1.31), unit="5-lines", source="nominal: the radii are 304.8, 330.2 and about 400 mm"
    )
    #: A board without lines shows its edge along this share, with edge and posts this close to the
    #: fit.
    min_edge_share: float = parameter(
        0.85,
        unit="share",
        source="measured on our renders at 60 to 78°: right fits show 0.87 and more",
    )
    max_residual_px: float = parameter(
        0.8,
        unit="px",
        source="measured on our renders at 60 to 78°: right fits mostly show under 0.5",
    )
    #: Least and largest zoom of a lens, and its steps.
    zooms: tuple[float, float] = parameter(
        (0.95, 4.0),
        unit="times",
        source="chosen: the range of zooms in lens_prior, and slightly wider lenses",
    )
    #: A rough view shows a known board if its 5-line is this close to the fitted one.
    same_share: float = parameter(
        0.15, unit="breadths", source="chosen: rough views this near to a fit lead to the same fit"
    )


PARAMS = GrazingHypothesisParameters()
#: Contrast is equalised over this length: the width of a hand in a picture of 1024 px.
_CONTRAST_PX = 41
#: Number of ellipses of each kind of edges (measured on our renders: in nine of ten pictures, the
#: first ellipse is the board's; with many discs, at the latest the seventh).
_ELLIPSES = 8
#: Number of ellipses that are tried first: the likeliest are a line, the surface's edge and the
#: rail.
_LIKELY_ELLIPSES = 3
#: Number of their views that are tried first (measured on our oblique pictures: the board's view is
#: among the first two, or not among ten).
_LIKELY_VIEWS = 3
#: Number of the shortest focal lengths for which posts are searched within ellipses: with longer
#: ones, a board looks almost as it does with the last of these, zoomed 1.5 times.
_SHORT_CAMERAS = 3
#: Views followed up for clear edges, and for faint ones (measured on stills and renders at 78°: the
#: board's view is the ninth at the most).
_VIEWS = (10, 6)
#: Fits from one rough view: with posts about it, it comes right in two or three.
_ROUNDS = 4
#: Arcs that are followed: four circles with two edges each, broken, and as many others.
_ARCS = 32
#: Views of one ellipse are compared by their lines at this many points: a third of those of
#: board.rings are enough.
_AZIMUTHS = 40
#: Number of zoomed lenses that are tried: the middle of a board then moves by 6 px of 1024 per
#: step.
_CAMERAS = 5
#: Mean of the equalised contrast, and the number of standard deviations from the mean to black.
_EVEN_GREY, _EVEN_SIGMAS = 128.0, 3.2


def find_grazing_hypothesis(
    small: np.ndarray, edges: EdgePoints, prior: LensPrior
) -> BoardHypothesis | None:
    """The best accepted board hypothesis in a grazing view; None without any.

    ``small`` is (h, w) uint8; ``edges`` and ``prior`` are in its pixels, and so is the fit. Grazing
    views are often filmed from afar with zoom, so the lens may be longer than usual.
    """
    lens = prior.allow_zoom()
    cameras = (prior.camera(),) if lens is prior else _list_zoomed_cameras(prior)
    without_lines: list[BoardFit] = []
    for views in _generate_views(small, edges, cameras, prior, without_lines):
        best = _find_best_board(small, views, lens)
        if best is not None:
            return best
    return _make_hypothesis_without_lines(small, without_lines[0]) if without_lines else None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _RoughView:
    """A rough view, and its costly refinement, if any, which may return None."""

    view: View
    refine: Callable[[], View | None] | None = None


def _find_best_board(
    small: np.ndarray, views: Iterator[_RoughView], lens: LensPrior
) -> BoardHypothesis | None:
    """The first certain board among the rough views' hypotheses, or the best accepted one."""
    best: BoardHypothesis | None = None
    for rough in views:
        if best is not None and _is_settled(best) and _shows(rough.view, best.fit):
            continue
        view = rough.refine() if rough.refine is not None else rough.view
        hypothesis = None if view is None else _fit_with_posts(small, view, lens)
        if hypothesis is None or not hypothesis.is_board:
            continue
        if best is None or _is_clearer(hypothesis, best):
            best = hypothesis
        if best.is_sure or _is_certain_with_posts(best):
            break
    return best


def _is_board_without_lines(small: np.ndarray, fit: BoardFit) -> bool:
    """Whether posts, the surface's edge and the hole are all seen where the fit predicts them."""
    return (
        fit.residual_px <= PARAMS.max_residual_px
        and find_post_phase(small, fit.view, fit.spec).is_clear
        and measure_edge_share(small, fit) >= PARAMS.min_edge_share
        and (has_plain_hole(small, fit) or has_hole(small, fit))
    )


def _make_hypothesis_without_lines(small: np.ndarray, fit: BoardFit) -> BoardHypothesis:
    """The hypothesis accepted without lines."""
    lines = find_line_radii(small, fit.view)
    is_dark = lines is None or lines.dark
    return replace(measure_support(small, fit, is_dark), is_without_lines=True)


def _shows(view: View, fit: BoardFit) -> bool:
    """Whether a rough view shows the fitted board, so that it leads to the same fit."""
    line_mm = circle_mm((0.0, 0.0), BoardSpec().line_radii_mm[2], CIRCLE_POINTS)
    seen_px, fitted_px = view.project_plane(line_mm), fit.view.project_plane(line_mm)
    away_px = np.linalg.norm(seen_px[:, None] - fitted_px, axis=-1).min(axis=1)
    return bool(away_px.max() < PARAMS.same_share * np.ptp(fitted_px[:, 0]))


def _is_settled(hypothesis: BoardHypothesis) -> bool:
    """Whether no fit of the same board would be better; false if posts are seen but the surface's
    edge is in another place.
    """
    return hypothesis.has_posts_and_edge or not hypothesis.has_posts


def _is_clearer(one: BoardHypothesis, other: BoardHypothesis) -> bool:
    """Whether one hypothesis has more evidence: posts and edge, otherwise lines."""
    if one.has_posts_and_edge != other.has_posts_and_edge:
        return one.has_posts_and_edge
    return one.mean_support - one.between_support > other.mean_support - other.between_support


def _is_certain_with_posts(hypothesis: BoardHypothesis) -> bool:
    return (
        hypothesis.has_posts_and_edge
        and hypothesis.mean_support >= PARAMS.certain_support_with_posts
        and hypothesis.is_board
    )


def _list_zoomed_cameras(prior: LensPrior) -> tuple[Camera, ...]:
    """Zoomed versions of a usual camera, evenly spaced in their foreshortening of a board."""
    shortest, longest = PARAMS.zooms
    return tuple(
        replace(prior, focal_px=float(prior.focal_px / share)).camera()
        for share in np.linspace(1.0 / shortest, 1.0 / longest, _CAMERAS)
    )


def _generate_views(
    small: np.ndarray,
    edges: EdgePoints,
    cameras: Sequence[Camera],
    prior: LensPrior,
    without_lines: list[BoardFit],
) -> Iterator[Iterator[_RoughView]]:
    """Rough views of possible boards, the cheapest kind first, and the likeliest of a kind first.

    They come from the likeliest ellipses of clear and of faint edges, by their lines; from the
    posts; from a vote of all edges; and then from all ellipses. A fit of posts and edge that is a
    board is added to ``without_lines``.
    """
    size_px = (small.shape[1], small.shape[0])
    found: list[list[ImageEllipse]] = []
    likely: list[list[_RankedView]] = []

    def view_likely_ellipses() -> Iterator[_RoughView]:
        for find_edge_map in (_find_clear_edges, _find_faint_edges):
            arcs = trace_arcs(find_edge_map(small), _ARCS)
            ellipses = find_ellipses(arcs, edges, size_px, _ELLIPSES)
            tried = [other for views in found for other in views]
            fresh = [
                ellipse
                for ellipse in ellipses
                if not any(ellipse.is_near(other) for other in tried)
            ]
            found.append(fresh)
            likely.append(_rank_views(small, fresh[:_LIKELY_ELLIPSES], cameras))
            yield from (_RoughView(view=view.view) for view in likely[-1][:_LIKELY_VIEWS])

    def fit_ring(ring: PostRing) -> View | None:
        lens = prior.adapt_to(ring.view.camera.fx_px)
        fit = fit_posts_and_edge(small, ring.view, ring.surface_radius_mm, lens)
        if fit is not None and _is_board_without_lines(small, fit):
            without_lines.append(fit)
        return None if fit is None else fit.view

    def view_surface_edges() -> Iterator[_RoughView]:
        ellipses = [ellipse for fresh in found for ellipse in fresh[:_LIKELY_ELLIPSES]]
        for ring in search_post_rings(small, ellipses, cameras[:_SHORT_CAMERAS]):
            yield _RoughView(view=ring.view, refine=partial(fit_ring, ring))
            if without_lines:
                break

    yield view_likely_ellipses()
    yield view_surface_edges()
    voted = search_grazing_rings(edges, small, prior.allow_zoom().likely_cameras())
    yield (_RoughView(view=view) for view in voted)
    for fresh, ranked, most in zip(found, likely, _VIEWS, strict=True):
        others = _rank_views(small, fresh[_LIKELY_ELLIPSES:], cameras)
        best = sorted(ranked + others, key=lambda other: -other.strength)[:most]
        tried = ranked[:_LIKELY_VIEWS]
        yield (_RoughView(view=view.view) for view in best if view not in tried)


def _find_clear_edges(small: np.ndarray) -> np.ndarray:
    """The edge map (h, w) uint8 of the strongest edges of the whole picture."""
    return detect_edges(small)[0]


def _find_faint_edges(small: np.ndarray) -> np.ndarray:
    """The edge map (h, w) uint8 of locally strongest edges."""
    window = (_CONTRAST_PX, _CONTRAST_PX)
    grey = small.astype(np.float32)
    away = grey - cv2.blur(grey, window)
    spread = np.sqrt(np.maximum(cv2.blur(away * away, window), FEATURES.min_step_grey**2))
    even = np.clip(_EVEN_GREY * (1.0 + away / (_EVEN_SIGMAS * spread)), 0, 255)
    return detect_edges(even.astype(np.uint8), PARAMS.faint_share)[0]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _RankedView:
    """A rough view and the strength of its lines, in noise sigmas."""

    view: View
    strength: float


def _rank_views(
    small: np.ndarray, ellipses: Sequence[ImageEllipse], cameras: Sequence[Camera]
) -> list[_RankedView]:
    """The views in which an ellipse is one of a board's circles, clearest lines first.

    Most of the board must be in the picture, because a rail is not the 15-line of a board three
    times as large.
    """
    _, r10, r5 = BoardSpec().line_radii_mm  # the 15-line is broken by its posts
    scales = (1.0, *(circle * r5 / r10 for circle in PARAMS.outer_circles))
    clear: list[_RankedView] = []
    for ellipse, camera in product(ellipses, cameras):
        for view in compute_circle_views(ellipse, camera, r10):
            visible = [scale for scale in scales if _is_mostly_visible(view, r5 / scale, small)]
            lines = find_line_radii_by_scale(small, view, visible, _AZIMUTHS)
            clear += [
                _RankedView(view=view.stretch_board(scale), strength=line.strength)
                for scale, line in zip(visible, lines, strict=True)
                if line is not None
            ]
    return sorted(clear, key=lambda ranked_view: -ranked_view.strength)


def _is_mostly_visible(view: View, radius_mm: float, small: np.ndarray) -> bool:
    """Whether most of a circle about the centre is in the picture."""
    px = view.project_plane(circle_mm((0.0, 0.0), radius_mm, CIRCLE_POINTS))
    inside = (px > 0).all(axis=-1) & (px < small.shape[::-1]).all(axis=-1)
    return bool(inside.mean() > HYPOTHESES.min_board_share)


def _fit_with_posts(small: np.ndarray, view: View, lens: LensPrior) -> BoardHypothesis | None:
    """The fit from a rough view, started again if posts are seen but few lines yet."""
    best: BoardHypothesis | None = None
    for _ in range(_ROUNDS):
        lines = find_line_radii(small, view)
        if lines is None or (
            lines.strength < PARAMS.min_strength
            and not find_post_phase(small, view, BoardSpec()).is_clear
        ):
            break
        hypothesis = fit_coarse(small, view, lines, lens, STRICT)
        if hypothesis is None:
            break
        hypothesis = _look_for_posts(small, hypothesis)
        if best is None or hypothesis.mean_support > best.mean_support:
            best = hypothesis
        if hypothesis.is_board or not (hypothesis.has_posts or hypothesis.has_posts_and_edge):
            break
        view = hypothesis.fit.view
    return best


def _look_for_posts(small: np.ndarray, hypothesis: BoardHypothesis) -> BoardHypothesis:
    """The hypothesis with its posts and, if there may be one, its edge."""
    fit = hypothesis.fit
    posts = find_post_phase(small, fit.view, fit.spec)
    return replace(
        hypothesis,
        has_posts=posts.is_clear,
        has_posts_and_edge=posts.is_likely and has_edge(small, fit),
    )
