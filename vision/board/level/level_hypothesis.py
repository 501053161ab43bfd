"""The board as a camera sees it from the side, fitted and checked against the paint, or none.

Rough views come from ellipses, which long clear arcs draw, and then from a vote of all edges, which
faint and broken ones still win. Lines are held against the paint as anywhere (see
``board_hypotheses``); eight posts about the centre stand in for some of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from calibration.board import BoardSpec
from calibration.camera import Camera
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
    #: Share of pixels whose gradient may start an edge: clear edges, then faint ones.
    strong_shares: tuple[float, ...] = parameter(
        (0.07, 0.15),
        unit="share",
        source="as in board.edges; crowds have most of a picture's edges",
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


PARAMS = LevelHypothesisParameters.active()


def find_level_hypothesis(
    small: np.ndarray, edges: EdgePoints, prior: LensPrior
) -> BoardHypothesis | None:
    """The best hypothesis that is a board, as a level camera sees it from the side; None of none.

    ``small`` is (h, w) uint8; ``edges`` and ``prior`` are in its pixels, and so is the fit. Whoever
    films a board from the side stands back and zooms: the lens may be longer than usual.
    """
    lens = prior.allow_zoom()
    cameras = lens.likely_cameras() if lens is prior else (prior.camera(), *lens.likely_cameras())
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


def _generate_views(
    small: np.ndarray,
    edges: EdgePoints,
    cameras: Sequence[Camera],
    zoomed_cameras: Sequence[Camera],
) -> Iterator[View]:
    """Rough views of what may be a board, likeliest first."""
    size_px = (small.shape[1], small.shape[0])
    tried: list[ImageEllipse] = []
    for share in PARAMS.strong_shares:
        arcs = trace_arcs(detect_edges(small, share)[0], PARAMS.arcs)
        for ellipse in find_ellipses(arcs, edges, size_px, PARAMS.ellipses):
            if any(ellipse.is_near(other) for other in tried):
                continue
            tried.append(ellipse)
            view = _pick_view(small, ellipse, cameras)
            if view is not None:
                yield view
    yield from search_level_rings(edges, small, zoomed_cameras)


def _pick_view(small: np.ndarray, ellipse: ImageEllipse, cameras: Sequence[Camera]) -> View | None:
    """The view with the clearest lines in which the ellipse is one of a board's circles."""
    r15, r10, r5 = BoardSpec().line_radii_mm
    radii_mm = (r15, r10, *(each * r5 for each in PARAMS.outer_circles))
    views = [
        view
        for camera in cameras
        for radius_mm in radii_mm
        for view in compute_circle_views(ellipse, camera, radius_mm)
    ]
    lines = [(find_line_radii(small, view), view) for view in views]
    clear = [(found.strength, view) for found, view in lines if found is not None]
    return max(clear, key=lambda each: each[0])[1] if clear else None


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
