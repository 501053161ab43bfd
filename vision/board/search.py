"""Where concentric circles may lie in a picture, by a Hough vote: rough views, best first.

Every edge of a circle points at its centre, in the plane of the circle. For a grid of possible
board normals the picture's edges are projected to that plane, where all rings of a board share one
centre, and vote for it along their gradients. Each direction's votes count by their logarithm, so
that a centre needs edges all around it: straight rails, floor boards and wood grain fill few
directions and win nothing. The best normals and centres are refined by least squares on the
same condition, and the radii at which edges circle the centre are compared with a board's.

Knows edges and a rough focal length. Refuses to decide whether it is a board (see ``rings``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import cv2
import numpy as np

from calibration.board import SCALE_RADIUS_MM, BoardSpec
from calibration.camera import Camera, FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.pose import Pose, View
from vision.board.edges import EdgePoints

#: Tilts of trial normals, degrees, and how many directions each is tried in. A step of the tilt
#: squeezes circles by at most a fifth, which blurs the vote by less than a tenth of their radius.
_LOW_TILTS = ((0, 1), (14, 5), (24, 8), (33, 11))
_HIGH_TILTS = ((41, 13), (48, 16), (54, 18), (60, 20))
_FLAT_TILTS = ((65, 22), (69, 24), (72, 26))


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchParameters(StageParameters):
    """What ``search`` takes for granted."""

    stage: ClassVar[str] = "board.search"

    #: The plane is not looked at under flatter angles than this, as cosine.
    min_grazing_cos: float = parameter(0.27, unit="", source="")
    min_edges: int = parameter(50, unit="", source="")
    #: Trials nearer than this to a better one refine to the same place.
    same_tilt_rad: float = parameter(0.15, unit="rad", source="")
    same_px: float = parameter(30.0, unit="px", source="")
    directions: int = parameter(48, unit="", source="")
    offsets: int = parameter(128, unit="", source="")
    #: Half the width, in distances from the camera, of the plane that offsets are counted over.
    offset_span: float = parameter(1.0, unit="", source="")
    #: Robust width, radians, of an edge's direction about the centre: first and last round.
    wide_rad: float = parameter(0.12, unit="rad", source="")
    narrow_rad: float = parameter(0.03, unit="rad", source="")
    refine_rounds: int = parameter(8, unit="", source="")
    #: An edge belongs to a circle about the centre when it points at it within this angle, radians.
    aligned_rad: float = parameter(0.08, unit="rad", source="")
    sectors: int = parameter(48, unit="", source="")
    radius_bins: int = parameter(240, unit="", source="")
    #: In distances from the camera.
    radius_span: tuple[float, float] = parameter((0.004, 1.2), unit="", source="")
    #: Home-made boards stray from 1 : 2 : 3 by up to this, in log radius.
    max_radius_log_error: float = parameter(0.1, unit="", source="")
    #: Radius of the playing surface over the 10-line's, home-made boards included.
    surface_radii: float = parameter(1.65, unit="", source="")
    #: Sizes offered for each centre.
    sizes: int = parameter(5, unit="", source="")
    #: Coverage from which on the likeliest low tilt is followed up before high ones are looked at:
    #: true boards seen so show 0.9 and more, what a high tilt leaves of one 0.3 to 0.9.
    promising_coverage: float = parameter(0.8, unit="", source="")


PARAMS = SearchParameters.active()


@dataclass(frozen=True, slots=True, kw_only=True)
class RingSearchEffort:
    """How many of the picture's edges and places a search tries.

    vote_edges, refine_edges  edges that vote for centres, and that refine a centre and its normal
    grid_columns              places across the picture that are tried as a centre
    centres                   centres followed up among low and high tilts, and among flat ones
    """

    vote_edges: int
    refine_edges: int
    grid_columns: int
    centres: int


#: Enough for nearly every board.
QUICK = RingSearchEffort(vote_edges=1200, refine_edges=600, grid_columns=40, centres=3)
#: For faint boards on loud wood, seen flat.
THOROUGH = RingSearchEffort(vote_edges=4000, refine_edges=2500, grid_columns=56, centres=6)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RingHypothesis:
    """A rough view of what may be a board, and how strongly the edges speak for it.

    coverage  shares of the 15-, 10- and 5-line that edges cover, summed, and half the hole's
    """

    view: View
    coverage: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Trial:
    """A trial normal with its best centre: ``place`` is (tilt_x rad, tilt_y rad, x px, y px)."""

    votes: float
    place: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _CameraEdges:
    """Edges as a camera sees them, in rows, which is what makes work on them quick.

    rays       directions with z = 1: (3, n)
    covectors  what of their gradients turns with a plane: the plane's axes times these are the
               gradients in it, up to positive factors: (3, n)
    """

    rays: FloatArray
    covectors: FloatArray

    def first(self, count: int) -> _CameraEdges:
        """The first ``count`` of them, which are as good as any: their order is random."""
        return self[slice(count)]

    def in_single_precision(self) -> _CameraEdges:
        """The same in float32, which is exact to a hundredth of a pixel."""
        return _CameraEdges(
            rays=self.rays.astype(np.float32), covectors=self.covectors.astype(np.float32)
        )

    def __getitem__(self, which: slice | np.ndarray) -> _CameraEdges:
        return _CameraEdges(
            rays=np.ascontiguousarray(self.rays[:, which]),
            covectors=np.ascontiguousarray(self.covectors[:, which]),
        )


def _make_camera_edges(edges: EdgePoints, camera: Camera) -> _CameraEdges:
    """The edges of a picture for the camera that took it.

    Gradients are covectors: they transform with the Jacobian of plane → image, which at a ray with
    z = 1 is, up to a positive factor, the axes' image motion.
    """
    rays, gradients = camera.rays(edges.points_px).T, edges.gradients.T
    along = (rays[:2] * gradients).sum(axis=0)
    return _CameraEdges(rays=rays, covectors=np.stack([*gradients, -along]))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Plane:
    """A trial plane: board normal (3,) towards the camera and two axes (2, 3) in it, camera frame.

    Points of the plane are in units of the distance from the camera, about the image's centre.
    """

    normal: FloatArray
    axes: FloatArray

    def lay(self, rays: FloatArray) -> tuple[FloatArray, np.ndarray]:
        """Plane points (2, n) of rays (3, n) with z = 1, and which of them meet it well."""
        depth = -(self.normal @ rays)
        seen = depth > PARAMS.min_grazing_cos * np.sqrt((rays * rays).sum(axis=0))
        scale = -self.normal[2] / np.where(seen, depth, 1.0)
        return self.axes @ rays * scale - self.axes[:, 2:], seen


def _make_plane(tilt_x: float, tilt_y: float, dtype: type[np.floating] = np.float64) -> _Plane:
    """The plane whose normal leans from the optical axis by the vector (tilt_x, tilt_y), rad."""
    tilt, azimuth = float(np.hypot(tilt_x, tilt_y)), float(np.arctan2(tilt_y, tilt_x))
    normal = np.array(
        [np.sin(tilt) * np.cos(azimuth), np.sin(tilt) * np.sin(azimuth), -np.cos(tilt)]
    )
    axes = np.array(
        [
            [-np.sin(azimuth), np.cos(azimuth), 0.0],
            [np.cos(tilt) * np.cos(azimuth), np.cos(tilt) * np.sin(azimuth), np.sin(tilt)],
        ]
    )
    return _Plane(normal=normal.astype(dtype), axes=axes.astype(dtype))


def search_rings(
    edges: EdgePoints, camera: Camera, size_px: tuple[int, int], effort: RingSearchEffort
) -> Iterator[list[RingHypothesis]]:
    """For each likely centre, likeliest first, the views of rings about it at several sizes:

    first all sizes as one view sees them, then each size with the view refined by its own edges.
    edges, camera and size_px (width, height) belong to one picture.
    """
    if len(edges.points_px) < PARAMS.min_edges:
        return
    seen = _make_camera_edges(edges, camera)
    low = _vote_for_centres(seen, camera, size_px, _LOW_TILTS, effort)
    likeliest = _make_hypotheses(seen, camera, low[0], effort)
    sizes = next(likeliest)
    is_promising = sizes[0].coverage >= PARAMS.promising_coverage
    if is_promising:  # most boards are, and then the many high tilts need not be looked at
        yield sizes
        yield from likeliest
    high = _vote_for_centres(seen, camera, size_px, _HIGH_TILTS, effort)
    for trial in _suppress_nearby(low + high, effort.centres):
        if not (is_promising and trial is low[0]):
            yield from _make_hypotheses(seen, camera, trial, effort)
    for trial in _suppress_nearby(
        _vote_for_centres(seen, camera, size_px, _FLAT_TILTS, effort), effort.centres
    ):
        yield from _make_hypotheses(seen, camera, trial, effort)


def search_rings_from_above(
    edges: EdgePoints, camera: Camera, size_px: tuple[int, int]
) -> list[RingHypothesis]:
    """The views of rings, at several sizes, about the likeliest centre seen from well above."""
    if len(edges.points_px) < PARAMS.min_edges:
        return []
    seen = _make_camera_edges(edges, camera)
    low = _vote_for_centres(seen, camera, size_px, _LOW_TILTS, QUICK)
    return next(_make_hypotheses(seen, camera, low[0], QUICK))


def _vote_for_centres(
    edges: _CameraEdges,
    camera: Camera,
    size_px: tuple[int, int],
    tilts: tuple[tuple[int, int], ...],
    effort: RingSearchEffort,
) -> list[_Trial]:
    """The best centre for each normal, most voted first."""
    voters = edges.first(effort.vote_edges).in_single_precision()
    width, height = size_px
    columns = effort.grid_columns
    rows = max(int(round(columns * height / width)), 8)
    x, y = np.meshgrid(np.linspace(0, width - 1, columns), np.linspace(0, height - 1, rows))
    grid_px = np.stack([x.ravel(), y.ravel()], axis=-1)
    grid_rays = camera.rays(grid_px).T.astype(np.float32)
    trials = []
    for tilt_deg, directions in tilts:
        for k in range(directions):
            azimuth = 2 * np.pi * (k + 0.5 * (tilt_deg % 2)) / directions
            tilt = np.radians(tilt_deg) * np.array([np.cos(azimuth), np.sin(azimuth)])
            votes = _count_hough_votes(_make_plane(tilt[0], tilt[1], np.float32), voters, grid_rays)
            best = int(votes.argmax())
            place = np.concatenate([tilt, grid_px[best]])
            trials.append(_Trial(votes=float(votes[best]), place=place))
    return sorted(trials, key=lambda trial: -trial.votes)


def _count_hough_votes(plane: _Plane, voters: _CameraEdges, grid_rays: FloatArray) -> FloatArray:
    """Votes (m,) for each of m possible centres at the rays (3, m)."""
    points, seen = plane.lay(voters.rays)
    turned = plane.axes @ voters.covectors
    centres, visible = plane.lay(grid_rays)
    step = np.pi / PARAMS.directions
    bin_of = np.minimum(
        (np.arctan2(turned[1], turned[0]) % np.pi / step).astype(np.intp), PARAMS.directions - 1
    )
    middle = (np.arange(PARAMS.directions) + 0.5) * step
    across = np.stack([-np.sin(middle), np.cos(middle)]).astype(np.float32)
    per_unit = PARAMS.offsets / (2 * PARAMS.offset_span)
    offset = (((points * across[:, bin_of]).sum(axis=0) + PARAMS.offset_span) * per_unit).astype(
        np.intp
    )
    kept = seen & (offset >= 0) & (offset < PARAMS.offsets)
    counts = np.bincount(
        bin_of[kept] * PARAMS.offsets + offset[kept], minlength=PARAMS.directions * PARAMS.offsets
    )
    histogram = cv2.blur(
        counts.reshape(PARAMS.directions, PARAMS.offsets).astype(np.float32), (3, 1)
    )
    wanted = (per_unit * across.T) @ centres + np.float32(PARAMS.offset_span * per_unit - 0.5)
    row = np.repeat(
        np.arange(PARAMS.directions, dtype=np.float32)[:, None], wanted.shape[1], axis=1
    )
    # outside the span nobody votes
    votes = cv2.remap(np.log1p(histogram), wanted, row, cv2.INTER_NEAREST, borderValue=0.0)
    return np.where(visible, votes.sum(axis=0), 0.0)


def _suppress_nearby(trials: list[_Trial], count: int) -> list[_Trial]:
    """The best trials, dropping those beside a better one (they refine to the same place)."""
    chosen: list[_Trial] = []
    for trial in sorted(trials, key=lambda trial: -trial.votes):
        apart = [trial.place - other.place for other in chosen]
        if all(
            np.hypot(*d[:2]) > PARAMS.same_tilt_rad or np.hypot(*d[2:]) > PARAMS.same_px
            for d in apart
        ):
            chosen.append(trial)
        if len(chosen) == count:
            break
    return chosen


def _compute_misalignments(
    places: FloatArray, edges: _CameraEdges, camera: Camera
) -> tuple[FloatArray, FloatArray]:
    """For each of m places (m, 4): sines (m, n) of the angles between the gradients and the ways
    from its centre to the edges, and those ways (m, 2, n).

    What ``_Plane`` says of one plane is said here of all.
    """
    tilt = np.hypot(places[:, 0], places[:, 1])
    azimuth = np.arctan2(places[:, 1], places[:, 0])
    cos, sin = np.cos(azimuth), np.sin(azimuth)
    up, down = np.cos(tilt), np.sin(tilt)
    normal = np.stack([down * cos, down * sin, -up], axis=-1)
    axes = np.stack(
        [
            np.stack([-sin, cos, np.zeros_like(cos)], axis=-1),
            np.stack([up * cos, up * sin, down], axis=-1),
        ],
        axis=1,
    )  # (m, 2, 3)
    rays = edges.rays
    depth = -(normal @ rays)
    seen = depth > PARAMS.min_grazing_cos * np.sqrt((rays * rays).sum(axis=0))
    centre_rays = camera.rays(places[:, 2:])
    centre_depth = -(normal * centre_rays).sum(axis=-1)
    centre = (axes @ centre_rays[..., None])[..., 0] * (up / centre_depth)[:, None]
    arm = (axes @ rays) * (up[:, None] / np.where(seen, depth, 1.0))[:, None] - centre[..., None]
    turned = axes @ edges.covectors
    cross = turned[:, 0] * arm[:, 1] - turned[:, 1] * arm[:, 0]
    size2 = (turned * turned).sum(axis=1) * (arm * arm).sum(axis=1)
    return np.where(seen, cross / np.sqrt(np.maximum(size2, 1e-30)), 1.0), arm


def _refine_centre(place: FloatArray, edges: _CameraEdges, camera: Camera) -> FloatArray:
    """Normal and centre by Gauss-Newton with Geman-McClure weights of falling width."""
    if edges.rays.shape[1] < PARAMS.min_edges:
        return place
    steps = np.array([1e-3, 1e-3, 0.5, 0.5])  # rad, rad, px, px
    beside = np.concatenate([np.zeros((1, 4)), np.diag(steps)])
    width = PARAMS.wide_rad
    for _ in range(PARAMS.refine_rounds):
        sines, _ = _compute_misalignments(place + beside, edges, camera)
        sine = sines[0]
        weight = 1.0 / (1.0 + (sine / width) ** 2) ** 2
        jacobian = (sines[1:] - sine) / steps[:, None]
        weighted = jacobian * weight
        normal_matrix = weighted @ jacobian.T + np.diag([1e-3, 1e-3, 1e-6, 1e-6])
        step = -np.linalg.solve(normal_matrix, weighted @ sine)
        step[:2] *= min(1.0, 0.15 / max(float(np.hypot(step[0], step[1])), 1e-9))
        place = place + step
        width = max(0.8 * width, PARAMS.narrow_rad)
    return place


def _make_hypotheses(
    edges: _CameraEdges, camera: Camera, trial: _Trial, effort: RingSearchEffort
) -> Iterator[list[RingHypothesis]]:
    """The trial refined, at each size that its rings could mean; then each size refined again."""
    count = effort.refine_edges
    place = _refine_centre(trial.place, edges.first(count), camera)
    (sine,), (arm,) = _compute_misalignments(place[None], edges, camera)
    sizes = _match_radii(_compute_ring_coverage(arm[:, np.abs(sine) < PARAMS.aligned_rad]))

    def make_hypothesis(place: FloatArray, score: float, radius_10: float) -> RingHypothesis:
        view = View(camera=camera, cam_from_board=_make_pose(place, radius_10, camera))
        return RingHypothesis(view=view, coverage=score)

    yield [make_hypothesis(place, score, radius_10) for score, radius_10 in sizes]
    refined = []
    for score, radius_10 in sizes:
        # Rails and rims stand higher than the surface and pull the centre: leave them out.
        inner = np.hypot(*arm) < PARAMS.surface_radii * radius_10
        own_place = _refine_centre(place, edges[inner].first(count), camera)
        refined.append(make_hypothesis(own_place, score, radius_10))
    yield refined


def _compute_ring_coverage(arm: FloatArray) -> FloatArray:
    """Share (radius bins,) of directions in which an edge lies at each log radius.

    ``arm`` (2, n) leads from the centre to the edges.
    """
    low, high = np.log(PARAMS.radius_span)
    log_radius = np.log(np.maximum(np.hypot(*arm), 1e-9))
    ring = ((log_radius - low) / (high - low) * PARAMS.radius_bins).astype(np.intp)
    turn = (np.arctan2(arm[1], arm[0]) / (2 * np.pi) + 0.5) * PARAMS.sectors
    sector = turn.astype(np.intp) % PARAMS.sectors
    kept = (ring >= 0) & (ring < PARAMS.radius_bins)
    cells = np.bincount(
        ring[kept] * PARAMS.sectors + sector[kept], minlength=PARAMS.radius_bins * PARAMS.sectors
    )
    coverage: FloatArray = (cells.reshape(PARAMS.radius_bins, PARAMS.sectors) > 0).mean(axis=1)
    return coverage


def _match_radii(coverage: FloatArray) -> list[tuple[float, float]]:
    """The likeliest (score, radius of the 10-line in camera distances), best first.

    Rims, ditches and tables have rings too, so that the strongest circles may not be the lines:
    several sizes are offered.
    """
    nominal = BoardSpec()
    low, high = np.log(PARAMS.radius_span)
    step = (high - low) / PARAMS.radius_bins
    stray = int(round(PARAMS.max_radius_log_error / step))

    def near(radius_mm: float) -> FloatArray:
        """Best cover near a nominal radius for each bin of the 10-line."""
        middle = int(round(np.log(radius_mm / SCALE_RADIUS_MM) / step))
        bins = np.arange(PARAMS.radius_bins)[:, None] + np.arange(
            middle - stray, middle + stray + 1
        )
        inside = (bins >= 0) & (bins < PARAMS.radius_bins)
        best: FloatArray = np.where(
            inside, coverage[bins.clip(0, PARAMS.radius_bins - 1)], 0.0
        ).max(axis=1)
        return best

    r15, _, r5 = nominal.line_radii_mm
    score = coverage + near(r15) + near(r5) + 0.5 * near(nominal.hole_radius_mm)
    sizes: list[tuple[float, float]] = []
    for _ in range(PARAMS.sizes):
        best = int(score.argmax())
        sizes.append((float(score[best]), float(np.exp(low + (best + 0.5) * step))))
        score[max(best - stray, 0) : best + stray + 1] = -1.0
    return sizes


def _make_pose(place: FloatArray, radius_10: float, camera: Camera) -> Pose:
    """The pose of a board with the place's normal and centre whose 10-line has that radius."""
    plane = _make_plane(place[0], place[1])
    ray = camera.rays(place[None, 2:])[0]
    # Plane points were scaled so that the plane lies at distance -normal_z (camera distance 1).
    to_plane = -plane.normal[2] / -(ray @ plane.normal)
    centre = ray * to_plane * (SCALE_RADIUS_MM / radius_10)
    rotation = np.column_stack([*plane.axes, plane.normal])
    return Pose(rotation=rotation, translation_mm=centre)
