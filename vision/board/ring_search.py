"""Concentric circles in a picture: rough views of a board, best first.

Centres and normals come from a Hough vote (see ``centre_search``). About each centre, the radii of
circles of edges are compared with a board's, and every possible size is a hypothesis. Rims,
ditches, tables and plates have circles too. Whether a hypothesis is a board is decided by its paint
(see ``board_hypotheses``). Views beyond 72 degrees of tilt are handled by ``grazing``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from calibration.board import SCALE_RADIUS_MM, BoardSpec
from calibration.camera import Camera, FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.pose import View
from vision.board.centre_search import (
    DIRECTIONS,
    HIGH_TILTS,
    MIN_EDGES,
    NEAR_OVERHEAD_TILTS,
    OBLIQUE_TILTS,
    QUICK,
    CameraEdges,
    RingSearchEffort,
    Trial,
    compute_misalignments,
    make_camera_edges,
    make_pose,
    refine_centre,
    suppress_nearby,
    vote_for_centres,
)
from vision.board.edges import EdgePoints
from vision.board.line_radii import PARAMS as LINE_PARAMS


class SearchParameters(StageParameters):
    """Parameters of ``search``."""

    stage: ClassVar[str] = "board.search"

    #: An edge belongs to a circle about the centre when it points at it within this angle.
    aligned_rad: float = parameter(
        0.08, unit="rad", source="chosen: a little more than a bin of the vote"
    )
    radius_span: tuple[float, float] = parameter(
        (0.004, 1.2),
        unit="camera distances",
        source="chosen: from a hole seen from afar to a rim that fills a wide lens",
    )
    surface_radii: float = parameter(
        1.65, unit="10-lines", source="nominal 330.2 / 203.2 = 1.625; home-made boards vary"
    )
    #: Sizes at which edges cover less than this are not followed up.
    min_coverage: float = parameter(
        0.4,
        unit="rings",
        source="measured: true boards show 0.72 and more; the surroundings in 36 pictures "
        "mostly 0.2, 0.38 at most",
    )
    #: From this coverage on, the likeliest near-overhead view is followed up before oblique ones
    #: are tried.
    promising_coverage: float = parameter(
        0.8,
        unit="rings",
        source="measured: true boards show 0.9 and more in such views; those seen at a high "
        "tilt 0.3 to 0.9",
    )


PARAMS = SearchParameters()
#: Number of centres in the search for a second board (measured on 22 pictures of two boards: 1
#: centre finds 9 of the second boards, 2 find 12, 4 find 13).
_CENTRES_FROM_ABOVE = 4
#: Sizes that are tried about a centre: the lines, and rims and ditches that look like them.
_SIZES = 5
#: Refined places this close, in both respects, are the same and followed up once: trials that start
#: on one object end there, and so does a size that rails and rims do not displace. At 45° the
#: 5-line moves by a hundredth of its radius.
_SAME_PLACE_RAD = 0.01
#: Half a millimetre of a board that fills the picture.
_SAME_PLACE_PX = 0.5
#: Bins of a radius: radii to 2.4% each.
_RADIUS_BINS = 240


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RingHypothesis:
    """A rough view of a possible board, and the strength of its edges.

    coverage  sum of the shares of the 15-, 10- and 5-line that edges cover, and half the hole's
    """

    view: View
    coverage: float


def search_rings(
    edges: EdgePoints, camera: Camera, size_px: tuple[int, int], effort: RingSearchEffort
) -> Iterator[list[RingHypothesis]]:
    """The views of rings at several sizes for the likely centres, likeliest first:

    first all sizes of one view, then each size with the view refined by its own edges. edges,
    camera and size_px (width, height) belong to one picture.
    """
    if len(edges.points_px) < MIN_EDGES:
        return
    camera_edges = make_camera_edges(edges, camera)
    seen: list[FloatArray] = []
    near_overhead = vote_for_centres(camera_edges, camera, size_px, NEAR_OVERHEAD_TILTS, effort)
    likeliest = _make_hypotheses(camera_edges, camera, near_overhead[0], effort, seen)
    sizes = next(likeliest)
    is_promising = bool(sizes) and sizes[0].coverage >= PARAMS.promising_coverage
    # most boards are seen like this, and the many high tilts then need not be tried
    if is_promising:
        yield sizes
        yield from likeliest
    high = vote_for_centres(camera_edges, camera, size_px, HIGH_TILTS, effort)
    for trial in suppress_nearby(near_overhead + high, effort.centres):
        if trial is not near_overhead[0]:
            yield from _make_hypotheses(camera_edges, camera, trial, effort, seen)
        elif not is_promising:
            yield sizes
            yield from likeliest
    for trial in suppress_nearby(
        vote_for_centres(camera_edges, camera, size_px, OBLIQUE_TILTS, effort), effort.centres
    ):
        yield from _make_hypotheses(camera_edges, camera, trial, effort, seen)


def search_rings_from_above(
    edges: EdgePoints, camera: Camera, size_px: tuple[int, int]
) -> Iterator[list[RingHypothesis]]:
    """For the few likeliest centres in near-overhead views, the views of rings at several sizes."""
    if len(edges.points_px) < MIN_EDGES:
        return
    camera_edges = make_camera_edges(edges, camera)
    seen: list[FloatArray] = []
    near_overhead = vote_for_centres(camera_edges, camera, size_px, NEAR_OVERHEAD_TILTS, QUICK)
    for trial in near_overhead[:_CENTRES_FROM_ABOVE]:
        yield from _make_hypotheses(camera_edges, camera, trial, QUICK, seen)


def _make_hypotheses(
    edges: CameraEdges,
    camera: Camera,
    trial: Trial,
    effort: RingSearchEffort,
    seen: list[FloatArray],
) -> Iterator[list[RingHypothesis]]:
    """The refined trial at every possible size of its rings, if there is one; then the refined
    sizes.

    No result if it is refined to a place in ``seen``; otherwise its own place is added there. A
    size is not repeated if its own edges do not move it.
    """
    count = effort.refine_edges
    place = refine_centre(trial.place, edges.first(count), camera)
    if any(_is_same_place(place, other) for other in seen):
        return
    seen.append(place)
    (sine,), (arm,) = compute_misalignments(place[None], edges, camera)
    sizes = _match_radii(_compute_ring_coverage(arm[:, np.abs(sine) < PARAMS.aligned_rad]))

    def make_hypothesis(place: FloatArray, score: float, radius_10: float) -> RingHypothesis:
        view = View(camera=camera, cam_from_board=make_pose(place, radius_10, camera))
        return RingHypothesis(view=view, coverage=score)

    yield [make_hypothesis(place, score, radius_10) for score, radius_10 in sizes]
    refined = []
    for score, radius_10 in sizes:
        # Rails and rims are higher than the surface and bias the centre: leave them out.
        inner = np.hypot(*arm) < PARAMS.surface_radii * radius_10
        own_place = refine_centre(place, edges[inner].first(count), camera)
        if not _is_same_place(own_place, place):
            refined.append(make_hypothesis(own_place, score, radius_10))
    if refined:
        yield refined


def _is_same_place(one: FloatArray, other: FloatArray) -> bool:
    """Whether two places (4,) of ``centre_search`` are the same."""
    tilt_x, tilt_y, x_px, y_px = one - other
    return bool(
        np.hypot(tilt_x, tilt_y) < _SAME_PLACE_RAD and np.hypot(x_px, y_px) < _SAME_PLACE_PX
    )


def _compute_ring_coverage(arm: FloatArray) -> FloatArray:
    """Share (radius bins,) of directions with an edge at each log radius.

    ``arm`` (2, n) is the vector from the centre to the edges.
    """
    low, high = np.log(PARAMS.radius_span)
    log_radius = np.log(np.maximum(np.hypot(*arm), 1e-9))
    ring = ((log_radius - low) / (high - low) * _RADIUS_BINS).astype(np.intp)
    turn = (np.arctan2(arm[1], arm[0]) / (2 * np.pi) + 0.5) * DIRECTIONS
    sector = turn.astype(np.intp) % DIRECTIONS
    kept = (ring >= 0) & (ring < _RADIUS_BINS)
    cells = np.bincount(
        ring[kept] * DIRECTIONS + sector[kept],
        minlength=_RADIUS_BINS * DIRECTIONS,
    )
    coverage: FloatArray = (cells.reshape(_RADIUS_BINS, DIRECTIONS) > 0).mean(axis=1)
    return coverage


def _match_radii(coverage: FloatArray) -> list[tuple[float, float]]:
    """The likeliest (score, radius of the 10-line in camera distances), best first.

    Rims, ditches and tables have rings too, so the strongest circles may not be the lines. Several
    sizes are returned; none if too few edges are along any circle.
    """
    nominal = BoardSpec()
    low, high = np.log(PARAMS.radius_span)
    step = (high - low) / _RADIUS_BINS
    half_width = int(round(LINE_PARAMS.max_radius_log_error / step))

    def near(radius_mm: float) -> FloatArray:
        """Best coverage near a nominal radius, for all bins of the 10-line."""
        middle = int(round(np.log(radius_mm / SCALE_RADIUS_MM) / step))
        bins = np.arange(_RADIUS_BINS)[:, None] + np.arange(
            middle - half_width, middle + half_width + 1
        )
        inside = (bins >= 0) & (bins < _RADIUS_BINS)
        best: FloatArray = np.where(inside, coverage[bins.clip(0, _RADIUS_BINS - 1)], 0.0).max(
            axis=1
        )
        return best

    r15, _, r5 = nominal.line_radii_mm
    score = coverage + near(r15) + near(r5) + 0.5 * near(nominal.hole_radius_mm)
    sizes: list[tuple[float, float]] = []
    for _ in range(_SIZES):
        best = int(score.argmax())
        if score[best] < PARAMS.min_coverage:
            break
        sizes.append((float(score[best]), float(np.exp(low + (best + 0.5) * step))))
        score[max(best - half_width, 0) : best + half_width + 1] = -1.0
    return sizes
