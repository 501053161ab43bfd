"""The common centre and plane of concentric circles in a picture: a Hough vote over centres for
each trial normal, then least squares.

Every edge of a circle points at its centre, in the plane of the circle. A plane's edges vote for
centres along their gradients (Hough 1962; along gradients as in Kimme, Ballard and Sklansky 1975).
A direction's votes count by their logarithm, so a centre needs edges all around it. Straight rails,
floor boards and wood grain fill few directions. The best normals and centres are refined by
Gauss-Newton with Geman-McClure weights on the same condition. If the vote is wrong by more than a
few degrees, the refinement ends beside the board.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.board import SCALE_RADIUS_MM
from calibration.camera import Camera, FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.pose import Pose
from vision.board.edges import EdgePoints

#: Tilts of trial normals, degrees, and their numbers of directions. A step of the tilt changes the
#: width of circles by at most a fifth, which blurs the vote by less than a tenth of their radius.
NEAR_OVERHEAD_TILTS = ((0, 1), (14, 5), (24, 8), (33, 11))
HIGH_TILTS = ((41, 13), (48, 16), (54, 18), (60, 20))
OBLIQUE_TILTS = ((65, 22), (69, 24), (72, 26))
#: Tilts of trial normals, degrees, in grazing views, and their rolls.
GRAZING_TILTS = (50.0, 55.0, 60.0, 64.0, 68.0, 71.0, 74.0, 76.5, 78.5, 80.5)
GRAZING_ROLLS = (-12.0, -6.0, 0.0, 6.0, 12.0)


class CentreSearchParameters(StageParameters):
    """Parameters of ``centre_search``."""

    #: Rays farther from a plane's normal than this are ignored.
    min_grazing_cos: float = parameter(
        0.12,
        unit="cosine",
        source="geometry: 83.1°, just past the most oblique trial normal (80.5°)",
    )
    #: Trials this close to a better one, in both respects, would be refined to the same place.
    same_tilt_rad: float = parameter(
        0.15, unit="rad", source="chosen: about the step between trial tilts"
    )
    same_px: float = parameter(
        30.0, unit="px", source="chosen: about the step of the grid of centres"
    )
    #: Robust width of an edge's direction towards the centre: in the first and in the last round.
    wide_rad: float = parameter(0.12, unit="rad", source="chosen: about two bins of the vote")
    narrow_rad: float = parameter(
        0.03, unit="rad", source="chosen: 1.7°, about the scatter of gradients"
    )


PARAMS = CentreSearchParameters()
#: Least number of edges: fewer show no circle.
MIN_EDGES = 50
#: Bins of the vote: directions of gradients, and offsets of the lines along them: bins of 3.75°.
DIRECTIONS = 48
#: Half the width of the plane over which offsets are counted: covers a field of view of 90°.
_OFFSET_SPAN = 1.0
#: Bins of the vote along a direction: 1/64 of the camera's distance each.
_OFFSETS = 128
#: Steps of the refinement: the width falls by a fifth in each, and reaches narrow_rad after seven.
_REFINE_ROUNDS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class RingSearchEffort:
    """Effort of a search: numbers of edges and of places tried.

    vote_edges, refine_edges  edges that vote for centres, and that refine a centre and its normal
    grid_columns              places across the picture that are tried as a centre
    centres                   centres followed up among low and high tilts, and among grazing ones
    """

    vote_edges: int
    refine_edges: int
    grid_columns: int
    centres: int


#: Effort that is enough for nearly every board.
QUICK = RingSearchEffort(vote_edges=1200, refine_edges=600, grid_columns=40, centres=3)
#: Effort for faint boards with strong grain in oblique views.
THOROUGH = RingSearchEffort(vote_edges=4000, refine_edges=2500, grid_columns=56, centres=6)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Trial:
    """A trial normal with its most voted centre: ``place`` (tilt_x rad, tilt_y rad, x px, y px)."""

    votes: float
    place: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CameraEdges:
    """Edges as a camera's rays, one coordinate per row for speed.

    rays       directions with z = 1: (3, n)
    covectors  gradients as covectors: the plane's axes times these are the
               gradients in it, up to positive factors: (3, n)
    """

    rays: FloatArray
    covectors: FloatArray

    def first(self, count: int) -> CameraEdges:
        """The first ``count`` edges: a random sample, because their order is random."""
        return self[slice(count)]

    def in_single_precision(self) -> CameraEdges:
        """The same in float32, which is exact to a hundredth of a pixel."""
        return CameraEdges(
            rays=self.rays.astype(np.float32), covectors=self.covectors.astype(np.float32)
        )

    def __getitem__(self, which: slice | np.ndarray) -> CameraEdges:
        return CameraEdges(
            rays=np.ascontiguousarray(self.rays[:, which]),
            covectors=np.ascontiguousarray(self.covectors[:, which]),
        )


def make_camera_edges(edges: EdgePoints, camera: Camera) -> CameraEdges:
    """The edges of a picture for the camera that took it.

    Gradients are covectors. They transform with the Jacobian of plane → image, which, at a ray with
    z = 1, is the motion of the axes in the image, up to a positive factor.
    """
    rays, gradients = camera.rays(edges.points_px).T, edges.gradients.T
    along = (rays[:2] * gradients).sum(axis=0)
    return CameraEdges(rays=rays, covectors=np.stack([*gradients, -along]))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TrialPlane:
    """A trial plane: board normal (3,) towards the camera and two axes (2, 3) in it, camera frame.

    Points of the plane are in camera distances, about where the optical axis meets it.
    """

    normal: FloatArray
    axes: FloatArray

    def project_rays(self, rays: FloatArray) -> tuple[FloatArray, np.ndarray]:
        """Plane points (2, n) of rays (3, n) with z = 1, and whether they meet it at a good
        angle.
        """
        depth = -(self.normal @ rays)
        is_met = depth > PARAMS.min_grazing_cos * np.sqrt((rays * rays).sum(axis=0))
        scale = -self.normal[2] / np.where(is_met, depth, 1.0)
        return self.axes @ rays * scale - self.axes[:, 2:], is_met


def make_plane(tilt_x: float, tilt_y: float, dtype: type[np.floating] = np.float64) -> TrialPlane:
    """The plane whose normal is tilted from the optical axis by the vector (tilt_x, tilt_y),
    rad."""
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
    return TrialPlane(normal=normal.astype(dtype), axes=axes.astype(dtype))


def vote_for_centres(
    edges: CameraEdges,
    camera: Camera,
    size_px: tuple[int, int],
    tilts: tuple[tuple[int, int], ...],
    effort: RingSearchEffort,
) -> list[Trial]:
    """The most voted centre of a grid over the picture for each trial normal, best first.

    size_px (width, height), tilts (degrees, directions) each
    """
    normals = [
        (tilt_deg, 2 * np.pi * (k + 0.5 * (tilt_deg % 2)) / directions)
        for tilt_deg, directions in tilts
        for k in range(directions)
    ]
    return _vote_by_normal(edges, camera, size_px, normals, effort)


def vote_for_grazing_centres(
    edges: CameraEdges, camera: Camera, size_px: tuple[int, int], effort: RingSearchEffort
) -> list[Trial]:
    """The most voted centre for each trial normal of a grazing view, best first."""
    normals = [
        (tilt_deg, np.radians(roll_deg - 90.0))
        for tilt_deg in GRAZING_TILTS
        for roll_deg in GRAZING_ROLLS
    ]
    return _vote_by_normal(edges, camera, size_px, normals, effort)


def _vote_by_normal(
    edges: CameraEdges,
    camera: Camera,
    size_px: tuple[int, int],
    normals: Sequence[tuple[float, float]],
    effort: RingSearchEffort,
) -> list[Trial]:
    """The most voted centre for each trial normal (tilt deg, azimuth rad), best first."""
    voters = edges.first(effort.vote_edges).in_single_precision()
    width, height = size_px
    columns = effort.grid_columns
    rows = max(int(round(columns * height / width)), 8)
    x, y = np.meshgrid(np.linspace(0, width - 1, columns), np.linspace(0, height - 1, rows))
    grid_px = np.stack([x.ravel(), y.ravel()], axis=-1)
    grid_rays = camera.rays(grid_px).T.astype(np.float32)
    trials = []
    for tilt_deg, azimuth in normals:
        tilt = np.radians(tilt_deg) * np.array([np.cos(azimuth), np.sin(azimuth)])
        votes = _count_hough_votes(make_plane(tilt[0], tilt[1], np.float32), voters, grid_rays)
        best = int(votes.argmax())
        place = np.concatenate([tilt, grid_px[best]])
        trials.append(Trial(votes=float(votes[best]), place=place))
    return sorted(trials, key=lambda trial: -trial.votes)


def _count_hough_votes(plane: TrialPlane, voters: CameraEdges, grid_rays: FloatArray) -> FloatArray:
    """Votes (m,), logarithms summed over directions, for m possible centres at rays (3, m)."""
    points, is_met = plane.project_rays(voters.rays)
    turned = plane.axes @ voters.covectors
    centres, visible = plane.project_rays(grid_rays)
    step = np.pi / DIRECTIONS
    bin_of = np.minimum(
        (np.arctan2(turned[1], turned[0]) % np.pi / step).astype(np.intp), DIRECTIONS - 1
    )
    middle = (np.arange(DIRECTIONS) + 0.5) * step
    across = np.stack([-np.sin(middle), np.cos(middle)]).astype(np.float32)
    per_unit = _OFFSETS / (2 * _OFFSET_SPAN)
    offset = (((points * across[:, bin_of]).sum(axis=0) + _OFFSET_SPAN) * per_unit).astype(np.intp)
    kept = is_met & (offset >= 0) & (offset < _OFFSETS)
    counts = np.bincount(bin_of[kept] * _OFFSETS + offset[kept], minlength=DIRECTIONS * _OFFSETS)
    histogram = cv2.blur(counts.reshape(DIRECTIONS, _OFFSETS).astype(np.float32), (3, 1))
    wanted = (per_unit * across.T) @ centres + np.float32(_OFFSET_SPAN * per_unit - 0.5)
    row = np.repeat(np.arange(DIRECTIONS, dtype=np.float32)[:, None], wanted.shape[1], axis=1)
    # edges outside the span do not vote
    votes = cv2.remap(np.log1p(histogram), wanted, row, cv2.INTER_NEAREST, borderValue=0.0)
    return np.where(visible, votes.sum(axis=0), 0.0)


def suppress_nearby(trials: list[Trial], count: int) -> list[Trial]:
    """At most ``count`` trials, best first, by non-maximum suppression."""
    chosen: list[Trial] = []
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


def compute_misalignments(
    places: FloatArray, edges: CameraEdges, camera: Camera
) -> tuple[FloatArray, FloatArray]:
    """For m places (m, 4): sines (m, n) of the angles between the gradients and the arms from the
    centre to the edges, and those arms (m, 2, n) in camera distances.

    This does ``TrialPlane``'s work for all planes at once.
    """
    tilt = np.hypot(places[:, 0], places[:, 1])
    azimuth = np.arctan2(places[:, 1], places[:, 0])
    cos, sin = np.cos(azimuth), np.sin(azimuth)
    up, down = np.cos(tilt), np.sin(tilt)
    normal = np.array([down * cos, down * sin, -up]).T
    axes = np.zeros((len(places), 2, 3))
    axes[:, 0, 0], axes[:, 0, 1] = -sin, cos
    axes[:, 1, 0], axes[:, 1, 1], axes[:, 1, 2] = up * cos, up * sin, down
    rays = edges.rays
    depth = -(normal @ rays)
    is_met = depth > PARAMS.min_grazing_cos * np.sqrt((rays * rays).sum(axis=0))
    centre_rays = camera.rays(places[:, 2:])
    centre_depth = -(normal * centre_rays).sum(axis=-1)
    centre = (axes @ centre_rays[..., None])[..., 0] * (up / centre_depth)[:, None]
    arm = (axes @ rays) * (up[:, None] / np.where(is_met, depth, 1.0))[:, None] - centre[..., None]
    turned = axes @ edges.covectors
    cross = turned[:, 0] * arm[:, 1] - turned[:, 1] * arm[:, 0]
    size2 = (turned * turned).sum(axis=1) * (arm * arm).sum(axis=1)
    return np.where(is_met, cross / np.sqrt(np.maximum(size2, 1e-30)), 1.0), arm


def refine_centre(place: FloatArray, edges: CameraEdges, camera: Camera) -> FloatArray:
    """The place (4,) refined by Gauss-Newton with Geman-McClure weights of falling width.

    With fewer than ``MIN_EDGES`` the place is returned unchanged.
    """
    if edges.rays.shape[1] < MIN_EDGES:
        return place
    steps = np.array([1e-3, 1e-3, 0.5, 0.5])  # rad, rad, px, px
    beside = np.concatenate([np.zeros((1, 4)), np.diag(steps)])
    width = PARAMS.wide_rad
    for _ in range(_REFINE_ROUNDS):
        sines, _ = compute_misalignments(place + beside, edges, camera)
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


def make_pose(place: FloatArray, radius_10: float, camera: Camera) -> Pose:
    """The pose of a board with the place's normal and centre whose 10-line has that radius."""
    plane = make_plane(place[0], place[1])
    ray = camera.rays(place[None, 2:])[0]
    # Plane points were scaled so that the plane is at distance -normal_z (camera distance 1).
    to_plane = -plane.normal[2] / -(ray @ plane.normal)
    centre = ray * to_plane * (SCALE_RADIUS_MM / radius_10)
    rotation = np.column_stack([*plane.axes, plane.normal])
    return Pose(rotation=rotation, translation_mm=centre)
