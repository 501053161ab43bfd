"""Board hypotheses in one channel of a picture: rough views, fitted and checked against the paint.

A rough view becomes a fit in a few rounds with a shrinking reach: the lines are traced near their
predicted places, and the rings are fitted to them. An accepted fit shows paint along all three
rings and none between them. Strong grain can hide faint lines, and printed targets have other
rings: both are rejected.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from calibration.board import SCALE_RADIUS_MM, BoardSpec, FloatArray
from calibration.fit import BoardFit, fit_rings
from calibration.lens_prior import LensPrior
from calibration.parameters import StageParameters, parameter
from calibration.pose import View
from vision.board.centre_search import QUICK, RingSearchEffort
from vision.board.edges import EdgePoints
from vision.board.line_radii import PARAMS as LINE_PARAMS
from vision.board.line_radii import LineRadii, find_line_radii
from vision.board.ring_search import RingHypothesis, search_rings, search_rings_from_above
from vision.board.rings import PARAMS as RING_PARAMS
from vision.board.rings import (
    TraceSettings,
    measure_ring_support,
    measure_support_between,
    trace_rings,
)


class BoardHypothesesParameters(StageParameters):
    """Parameters of ``board_hypotheses``."""

    #: Search distance from a line's predicted place, round by round.
    reaches_mm: tuple[float, float, float, float] = parameter(
        (9.0, 8.0, 7.0, 6.0), unit="mm", source="chosen: a rough view is accurate to about 9 mm"
    )
    #: Paint must show along this share of every ring, and of the three together.
    min_line_support: float = parameter(
        0.45,
        unit="share",
        source="measured: true boards of our renders and photographs show 0.69 or more, wrong "
        "fits 0.34",
    )
    min_mean_support: float = parameter(
        0.66,
        unit="share",
        source="measured: true boards of our renders and photographs show 0.83 or more, wrong "
        "fits 0.53",
    )
    #: The same with eight posts about the centre.
    min_support_with_posts: tuple[float, float] = parameter(
        (0.3, 0.5),
        unit="share",
        source="chosen: posts found in the right places count as much as half of the lines",
    )
    #: Largest scatter of a line's points about the line, in the picture that is searched; both
    #: limits apply.
    max_residual_px: float = parameter(
        0.9,
        unit="px",
        source="measured: true boards of our photographs show 0.64 or less, wrong fits 1.2",
    )
    max_residual_mm: float = parameter(
        1.5, unit="mm", source="chosen: lines of home-made boards wander by half as much"
    )
    #: The same if the surface's edge is also seen where it should be.
    min_support_with_edge: tuple[float, float] = parameter(
        (0.15, 0.3),
        unit="share",
        source="measured on our renders at 66 to 78°: of 390 fits with posts and edge, all "
        "were right except 3 that were 2% off, whatever their lines showed",
    )
    max_between_share_with_edge: float = parameter(
        1.0,
        unit="share",
        source="chosen: the rest between lines may contain as much paint as the lines, but not"
        " more",
    )
    max_residual_with_posts_px: float = parameter(
        1.5, unit="px", source="measured: our faintest oblique pictures show 1.0"
    )
    #: Only a board has lines of this strength at this size.
    clear_strength: float = parameter(
        3.6, unit="σ", source="measured: the best wrong size shows 3.4"
    )
    #: If edges cover this much of a hypothesis's rings, lines of this strength are worth a fit.
    covered_rings: float = parameter(
        1.0,
        unit="rings",
        source="measured: rings around boards show 0.38 at most, true boards 0.72",
    )
    min_covered_strength: float = parameter(
        2.0,
        unit="σ",
        source="measured: faint lines in strong grain show 2.1 while the view is still rough",
    )
    #: A rough fit of this quality ends the search.
    certain_support: float = parameter(
        0.8, unit="share", source="chosen: more than any wrong fit shows"
    )
    #: A ring between a board's rings that is seen along this share of the board's own marks a
    #: target or a record.
    max_between_share: float = parameter(
        0.75, unit="share", source="measured: our boards show at most a half"
    )
    #: A circle is not a board's if no other line is seen along this share of it.
    single_circle_share: float = parameter(
        0.25,
        unit="share",
        source="measured: in rough views, boards show 0.39 or more and plates mostly under 0.2",
    )
    #: A ring whose paint shows along this share is used to refine the view.
    min_trusted_support: float = parameter(
        0.4, unit="share", source="chosen: more than any wrong ring shows (0.34)"
    )

    #: A board with less than this share in the picture is not scored.
    min_board_share: float = parameter(
        0.5,
        unit="share",
        source="chosen: a board of which less than half is in the picture cannot be scored",
    )


PARAMS = BoardHypothesesParameters()
#: Places along a line that are traced: every 6° is enough for a rough fit.
_AZIMUTHS = 60
#: Points of a circle at which its position in the picture is compared, every 15°: an ellipse is
#: smooth.
CIRCLE_POINTS = 24


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoardHypothesis:
    """A rough fit and its support by paint.

    support          share of a line along which paint shows (3,)
    visible_share    share of a line that is in the picture (3,)
    between_support  share of the clearest ring between the lines along which paint shows
    has_posts        whether eight posts were seen, if they were searched for
    has_posts_and_edge  whether probable posts and the surface's edge were seen
    is_without_lines    whether it was fitted to posts and the surface's edge, with its hole visible
    """

    fit: BoardFit
    dark: bool
    support: FloatArray
    visible_share: FloatArray
    between_support: float
    has_posts: bool = False
    has_posts_and_edge: bool = False
    is_without_lines: bool = False

    @property
    def mean_support(self) -> float:
        """Share of the visible lines along which paint shows."""
        return float(self.support @ self.visible_share / max(float(self.visible_share.sum()), 1e-9))

    @property
    def is_sure(self) -> bool:
        """Whether paint shows along nearly all of a board's lines."""
        return self.is_board and self.mean_support >= PARAMS.certain_support

    @property
    def is_of_another_size(self) -> bool:
        """Whether more paint shows along a ring between a board's lines than along its own."""
        return self.between_support > self.mean_support

    @property
    def is_single_circle(self) -> bool:
        """Whether paint shows along only one line, such as a plate's rim or a record's edge."""
        _, second, best = np.sort(self.support)
        return bool(second < PARAMS.single_circle_share * best)

    @property
    def is_board(self) -> bool:
        """Whether the paint is a board's, or posts, edge and hole show that it is a board."""
        if self.is_without_lines:
            return True
        asked = self.visible_share >= RING_PARAMS.min_known
        least, least_mean = PARAMS.min_line_support, PARAMS.min_mean_support
        max_residual_px = max(
            PARAMS.max_residual_px, PARAMS.max_residual_mm / self.fit.view.mm_per_px()
        )
        most_between = PARAMS.max_between_share
        if self.has_posts:
            least, least_mean = PARAMS.min_support_with_posts
        if self.has_posts or self.has_posts_and_edge:
            max_residual_px = max(PARAMS.max_residual_with_posts_px, max_residual_px)
        if self.has_posts_and_edge:
            least, least_mean = PARAMS.min_support_with_edge
            most_between = PARAMS.max_between_share_with_edge
        return bool(
            asked.sum() >= 2
            and (self.support[asked] >= least).all()
            and self.mean_support >= least_mean
            and self.fit.residual_px <= max_residual_px
            and self.between_support <= most_between * self.mean_support
        )

    @property
    def is_faint(self) -> bool:
        """Whether it is accepted only for its posts and the surface's edge."""
        if self.is_without_lines:
            return True
        return self.has_posts_and_edge and not replace(self, has_posts_and_edge=False).is_board


@dataclass(frozen=True, slots=True, kw_only=True)
class Selectivity:
    """The sizes around one centre that are worth fitting.

    min_strength  of their lines, in noise sigmas: true boards mostly have more than 3.4, and at
                  least 2.1 while the view is still rough
    most          number of sizes besides the likeliest, those with the clearest lines first
    is_lenient    a fit is followed up even if it looks like one of another size
    """

    min_strength: float
    most: int
    is_lenient: bool


STRICT = Selectivity(min_strength=2.4, most=2, is_lenient=False)
_LENIENT = Selectivity(min_strength=2.0, most=5, is_lenient=True)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RoughBoard:
    """A rough view of a board, and the radii of its lines in the view's mm."""

    view: View
    line_radii_mm: tuple[float, ...]


def find_hypothesis(
    small: np.ndarray, edges: EdgePoints, prior: LensPrior, effort: RingSearchEffort
) -> BoardHypothesis | None:
    """The first certain board, or otherwise the best accepted hypothesis; None without any.

    ``small`` is (h, w) uint8; ``edges``, ``prior`` and the fit are in its pixels.
    """
    size = (small.shape[1], small.shape[0])
    selectivity = STRICT if effort is QUICK else _LENIENT
    best: BoardHypothesis | None = None
    for sizes in search_rings(edges, prior.camera(), size, effort):
        hypothesis = _fit_best_size(small, sizes, prior, selectivity)
        if hypothesis is None or not hypothesis.is_board:
            continue
        if best is None or hypothesis.mean_support > best.mean_support:
            best = hypothesis
        if best.is_sure:
            break
    return best


def find_hypothesis_from_above(
    small: np.ndarray, edges: EdgePoints, prior: LensPrior
) -> BoardHypothesis | None:
    """The first board about a likely centre in a near-overhead view, or None: a quick search."""
    size = (small.shape[1], small.shape[0])
    for sizes in search_rings_from_above(edges, prior.camera(), size):
        hypothesis = _fit_best_size(small, sizes, prior, STRICT)
        if hypothesis is not None and hypothesis.is_board:
            return hypothesis
    return None


def find_hypothesis_near(small: np.ndarray, view: View, prior: LensPrior) -> BoardHypothesis | None:
    """The board near its place in another picture, if it is accepted."""
    hypothesis = _fit_coarse_near(small, view, prior)
    return hypothesis if hypothesis is not None and hypothesis.is_board else None


def fit_hypothesis_near(small: np.ndarray, view: View, prior: LensPrior) -> BoardHypothesis | None:
    """The fit of the rings near a view from the user, for which less paint is required."""
    hypothesis = _fit_coarse_near(small, view, prior)
    if hypothesis is None or hypothesis.mean_support < PARAMS.min_line_support:
        return None
    return hypothesis


def _fit_coarse_near(small: np.ndarray, view: View, prior: LensPrior) -> BoardHypothesis | None:
    lines = find_line_radii(small, view)
    return None if lines is None else fit_coarse(small, view, lines, prior, _LENIENT)


def _fit_best_size(
    small: np.ndarray, sizes: list[RingHypothesis], prior: LensPrior, selectivity: Selectivity
) -> BoardHypothesis | None:
    """The rough fit of the hypotheses about one centre, the most promising first.

    The likeliest is nearly always right: if it is certain, no other is tried.
    """
    best: BoardHypothesis | None = None
    for lines, view, is_likeliest in _rank_sizes(small, sizes, selectivity):
        hypothesis = fit_coarse(small, view, lines, prior, selectivity)
        if hypothesis is None:
            continue
        if best is None or hypothesis.mean_support > best.mean_support:
            best = hypothesis
        if best.is_board and (best.is_sure or not is_likeliest):
            break
    return best


def _rank_sizes(
    small: np.ndarray, sizes: list[RingHypothesis], selectivity: Selectivity
) -> Iterator[tuple[LineRadii, View, bool]]:
    """Yield lines worth a fit, their view, and whether they are the likeliest.

    The others follow, the clearest first.
    """
    others: list[tuple[LineRadii, View]] = []
    for rank, hypothesis in enumerate(sizes):
        lines = find_line_radii(small, hypothesis.view)
        least = selectivity.min_strength
        if hypothesis.coverage >= PARAMS.covered_rings:
            least = min(least, PARAMS.min_covered_strength)
        if lines is None or lines.strength < least:
            continue
        if rank == 0:
            yield lines, hypothesis.view, True
            continue
        others.append((lines, hypothesis.view))
        if lines.strength >= PARAMS.clear_strength:
            break
    for lines, view in sorted(others, key=lambda item: -item[0].strength)[: selectivity.most]:
        yield lines, view, False


def fit_coarse(
    grey: np.ndarray, view: View, lines: LineRadii, prior: LensPrior, selectivity: Selectivity
) -> BoardHypothesis | None:
    """The fit to lines seen in a rough view; None if there is none.

    If one of the lines was mistaken, the other two refine the view, in which the lines are then
    seen better. If a view has only one line even after refinement, it shows a plate or a record.
    """
    best: BoardHypothesis | None = None
    for reach in PARAMS.reaches_mm:
        trace = TraceSettings(dark=lines.dark, reach_mm=reach, azimuths=_AZIMUTHS)
        fit = trace_and_fit(grey, _normalise_scale(view, lines), prior, trace)
        if fit is None:
            break
        hypothesis = measure_support(grey, fit, lines.dark)
        if best is None or hypothesis.mean_support > best.mean_support:
            best = hypothesis
        if hypothesis.is_board and (hypothesis.is_sure or reach != PARAMS.reaches_mm[0]):
            break
        trusted = tuple(
            line for line in range(3) if hypothesis.support[line] >= PARAMS.min_trusted_support
        )
        if not trusted or (hypothesis.is_of_another_size and not selectivity.is_lenient):
            break
        if hypothesis.is_single_circle or (len(trusted) == 1 and reach != PARAMS.reaches_mm[0]):
            break
        if len(trusted) < 3:
            rough = RoughBoard(view=fit.view, line_radii_mm=fit.spec.line_radii_mm)
            fit = trace_and_fit(grey, rough, prior, replace(trace, lines=trusted)) or fit
        # if the lines are faint, the innermost may have been grain: then the strongest is tried
        rival_share = 1.0 if len(trusted) == 2 else LINE_PARAMS.rival_share
        again = find_line_radii(grey, fit.view, rival_share)
        if again is None:
            break
        view, lines = fit.view, again
    return best


def _normalise_scale(view: View, lines: LineRadii) -> RoughBoard:
    """The lines and their view, rescaled so that the 10-line has its radius."""
    scale = SCALE_RADIUS_MM / lines.radii_mm[1]
    return RoughBoard(
        view=view.stretch_board(scale),
        line_radii_mm=tuple(radius * scale for radius in lines.radii_mm),
    )


def measure_support(grey: np.ndarray, fit: BoardFit, dark: bool) -> BoardHypothesis:
    """A fit and its support by paint."""
    support, visible_share = measure_ring_support(grey, fit.view, fit.spec, dark=dark)
    between = measure_support_between(grey, fit.view, fit.spec, dark=dark)
    return BoardHypothesis(
        fit=fit, dark=dark, support=support, visible_share=visible_share, between_support=between
    )


def trace_and_fit(
    grey: np.ndarray,
    rough: RoughBoard,
    prior: LensPrior,
    trace: TraceSettings,
    known: BoardSpec | None = None,
) -> BoardFit | None:
    """The fit of the lines traced near their places in ``rough``, in pixels of ``grey``.

    ``prior`` is in the same pixels; ``known`` holds measured proportions. None if the points are
    too few, do not form a family of circles, or have radii out of order.
    """
    points = trace_rings(grey, rough.view, rough.line_radii_mm, trace)
    try:
        return fit_rings(points, rough.view, rough.line_radii_mm, prior, known)
    except (np.linalg.LinAlgError, ValueError):
        return None
