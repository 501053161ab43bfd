"""Board hypotheses in one channel of a picture: rough views, fitted and checked against the paint.

Knows how a rough view becomes a fit, and what a fit must show to be believed: paint along all three
rings, and none between them. Refuses to know lenses, profiles and discs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from calibration.board import SCALE_RADIUS_MM, BoardSpec, FloatArray
from calibration.fit import BoardFit, fit_rings
from calibration.lens_prior import LensPrior
from calibration.parameters import StageParameters, parameter
from calibration.pose import Pose, View
from vision.board.edges import EdgePoints
from vision.board.rings import (
    RIVAL_SHARE,
    LineRadii,
    find_line_radii,
    measure_ring_support,
    measure_support_between,
    trace_rings,
)
from vision.board.search import (
    QUICK,
    RingHypothesis,
    RingSearchEffort,
    search_rings,
    search_rings_from_above,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HypothesesParameters(StageParameters):
    """What ``hypotheses`` takes for granted."""

    stage: ClassVar[str] = "board.hypotheses"

    #: How far from where they should be lines are looked for, mm, and at how many azimuths.
    reaches_mm: tuple[float, float, float, float] = parameter(
        (9.0, 8.0, 7.0, 6.0), unit="mm", source=""
    )
    azimuths: int = parameter(60, unit="", source="")
    #: Paint must show along this share of every ring and of the three together. True boards of our
    #: renders and photographs show 0.69 and 0.83 or more; the best wrong fit on them 0.34 and 0.53.
    min_line_support: float = parameter(0.45, unit="", source="")
    min_mean_support: float = parameter(0.66, unit="", source="")
    #: Lines this strong, in noise sigmas, can only be a board's, at this size; the best wrong size
    #: shows 3.4.
    clear_strength: float = parameter(3.6, unit="", source="")
    #: A second board shows at least this much of its rings as edges.
    second_board_coverage: float = parameter(1.3, unit="", source="")
    #: A rough fit this good ends the search, and needs no second look.
    certain_support: float = parameter(0.85, unit="", source="")
    #: Targets and records have rings between those that could be a board's: a ring that shows along
    #: this share of what the board's own do is one. Boards of ours show at most a half of it.
    max_between_share: float = parameter(0.75, unit="share", source="")
    #: Where a person shows the board, no other rings compete: half the paint is enough.
    min_guided_support: float = parameter(0.45, unit="", source="")
    #: A ring whose paint shows along this share of it is used to straighten the view.
    min_trusted_support: float = parameter(0.4, unit="", source="")
    #: A ring of which less is visible is not checked for paint.
    min_visible_share: float = parameter(0.15, unit="share", source="")


PARAMS = HypothesesParameters.active()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoardHypothesis:
    """A rough fit and its support by paint.

    support          share of each line along which paint shows (3,)
    visible_share    share of each line that is in the picture (3,)
    between_support  share of the clearest ring between the lines along which paint shows
    """

    fit: BoardFit
    dark: bool
    support: FloatArray
    visible_share: FloatArray
    between_support: float

    @property
    def mean_support(self) -> float:
        """Share of the lines in sight along which paint shows."""
        return float(self.support @ self.visible_share / max(float(self.visible_share.sum()), 1e-9))

    @property
    def is_sure(self) -> bool:
        """Whether paint shows nearly all along the lines."""
        return self.mean_support >= PARAMS.certain_support

    @property
    def is_of_another_size(self) -> bool:
        """Whether more paint shows along a ring where a board has none than along its own."""
        return self.between_support > self.mean_support

    @property
    def is_board(self) -> bool:
        """Whether the paint is a board's."""
        asked = self.visible_share >= PARAMS.min_visible_share
        return bool(
            asked.sum() >= 2
            and (self.support[asked] >= PARAMS.min_line_support).all()
            and self.mean_support >= PARAMS.min_mean_support
            and self.between_support <= PARAMS.max_between_share * self.mean_support
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Selectivity:
    """Which of the sizes about one centre are worth a fit.

    min_strength  of their lines, in noise sigmas: true boards mostly show over 3.4, and 2.1 at the
                  least, where the view is still rough
    most          how many beside the likeliest, clearest lines first
    is_lenient    a fit is followed up even where it looks like one of another size
    """

    min_strength: float
    most: int
    is_lenient: bool


_STRICT = _Selectivity(min_strength=2.4, most=2, is_lenient=False)
_LENIENT = _Selectivity(min_strength=2.0, most=5, is_lenient=True)


@dataclass(frozen=True, slots=True)
class TraceParams:
    """How lines are traced: their polarity, reach about their place, azimuths, and which."""

    dark: bool
    reach_mm: float
    azimuths: int
    lines: tuple[int, ...] = (0, 1, 2)


def find_hypothesis(
    small: np.ndarray, edges: EdgePoints, prior: LensPrior, effort: RingSearchEffort
) -> BoardHypothesis | None:
    """The first hypothesis that is surely a board, or the best that is one at all."""
    size = (small.shape[1], small.shape[0])
    selectivity = _STRICT if effort is QUICK else _LENIENT
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


def find_second_board(
    small: np.ndarray, edges: EdgePoints, prior: LensPrior
) -> BoardHypothesis | None:
    """Another board, looked for only where it would be plain to see."""
    size = (small.shape[1], small.shape[0])
    rings_from_above = search_rings_from_above(edges, prior.camera(), size)
    likely = [found for found in rings_from_above if found.coverage >= PARAMS.second_board_coverage]
    hypothesis = _fit_best_size(small, likely, prior, _STRICT)
    return hypothesis if hypothesis is not None and hypothesis.is_board else None


def find_hypothesis_near(small: np.ndarray, view: View, prior: LensPrior) -> BoardHypothesis | None:
    """The board that lies near where another picture showed it, if it is one to anybody."""
    hypothesis = _fit_coarse_near(small, view, prior)
    return hypothesis if hypothesis is not None and hypothesis.is_board else None


def fit_hypothesis_near(small: np.ndarray, view: View, prior: LensPrior) -> BoardHypothesis | None:
    """The fit of the rings near a view that a person showed, whom less paint convinces."""
    hypothesis = _fit_coarse_near(small, view, prior)
    if hypothesis is None or hypothesis.mean_support < PARAMS.min_guided_support:
        return None
    return hypothesis


def _fit_coarse_near(small: np.ndarray, view: View, prior: LensPrior) -> BoardHypothesis | None:
    lines = find_line_radii(small, view)
    return None if lines is None else _fit_coarse(small, view, lines, prior, _LENIENT)


def _fit_best_size(
    small: np.ndarray, sizes: list[RingHypothesis], prior: LensPrior, selectivity: _Selectivity
) -> BoardHypothesis | None:
    """The rough fit of the hypotheses about one centre, the most promising first.

    The likeliest is nearly always right: where it is surely a board, no other is looked at.
    """
    best: BoardHypothesis | None = None
    for lines, view, is_likeliest in _rank_sizes(small, sizes, selectivity):
        hypothesis = _fit_coarse(small, view, lines, prior, selectivity)
        if hypothesis is None:
            continue
        if best is None or hypothesis.mean_support > best.mean_support:
            best = hypothesis
        if best.is_board and (best.is_sure or not is_likeliest):
            break
    return best


def _rank_sizes(
    small: np.ndarray, sizes: list[RingHypothesis], selectivity: _Selectivity
) -> Iterator[tuple[LineRadii, View, bool]]:
    """Lines worth a fit, their view, and whether it is the likeliest, looked for when asked for.

    The others come from the clearest lines down.
    """
    seen: list[tuple[LineRadii, View]] = []
    for rank, hypothesis in enumerate(sizes):
        lines = find_line_radii(small, hypothesis.view)
        if lines is None or lines.strength < selectivity.min_strength:
            continue
        if rank == 0:
            yield lines, hypothesis.view, True
            continue
        seen.append((lines, hypothesis.view))
        if lines.strength >= PARAMS.clear_strength:
            break
    for lines, view in sorted(seen, key=lambda item: -item[0].strength)[: selectivity.most]:
        yield lines, view, False


def _fit_coarse(
    grey: np.ndarray, view: View, lines: LineRadii, prior: LensPrior, selectivity: _Selectivity
) -> BoardHypothesis | None:
    """The fit that lines seen in a rough view lead to.

    Where one of the lines was mistaken, the others alone straighten the view, in which the lines
    are then seen better.
    """
    best: BoardHypothesis | None = None
    for reach in PARAMS.reaches_mm:
        view, radii = _normalise_scale(view, lines)
        fit = trace_and_fit(
            grey, view, radii, prior, TraceParams(lines.dark, reach, PARAMS.azimuths)
        )
        if fit is None:
            break
        hypothesis = _measure_support(grey, fit, lines.dark)
        if best is None or hypothesis.mean_support > best.mean_support:
            best = hypothesis
        if hypothesis.is_board and (hypothesis.is_sure or reach != PARAMS.reaches_mm[0]):
            break
        trusted = tuple(
            line for line in range(3) if hypothesis.support[line] >= PARAMS.min_trusted_support
        )
        if not trusted or (hypothesis.is_of_another_size and not selectivity.is_lenient):
            break
        if len(trusted) < 3:
            trace = TraceParams(lines.dark, reach, PARAMS.azimuths, trusted)
            fit = trace_and_fit(grey, fit.view, fit.spec.line_radii_mm, prior, trace) or fit
        # with faint lines the innermost may have been grain: then the strongest is tried
        rival_share = 1.0 if len(trusted) == 2 else RIVAL_SHARE
        again = find_line_radii(grey, fit.view, rival_share)
        if again is None:
            break
        view, lines = fit.view, again
    return best


def _normalise_scale(view: View, lines: LineRadii) -> tuple[View, tuple[float, ...]]:
    """The view moved nearer or farther so that the 10-line has its radius, and all radii then."""
    scale = SCALE_RADIUS_MM / lines.radii_mm[1]
    pose = view.cam_from_board
    nearer = Pose(rotation=pose.rotation, translation_mm=pose.translation_mm * scale)
    radii = tuple(radius * scale for radius in lines.radii_mm)
    return View(camera=view.camera, cam_from_board=nearer), radii


def _measure_support(grey: np.ndarray, fit: BoardFit, dark: bool) -> BoardHypothesis:
    support, visible_share = measure_ring_support(grey, fit.view, fit.spec, dark=dark)
    between = measure_support_between(grey, fit.view, fit.spec, dark=dark)
    return BoardHypothesis(
        fit=fit, dark=dark, support=support, visible_share=visible_share, between_support=between
    )


def trace_and_fit(
    grey: np.ndarray,
    view: View,
    radii: tuple[float, ...],
    prior: LensPrior,
    trace: TraceParams,
    known: BoardSpec | None = None,
) -> BoardFit | None:
    """The fit of the lines traced about where ``view`` and ``radii`` (mm) put them, or None."""
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
