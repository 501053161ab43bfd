"""Rough views of a board in a grazing view, best first.

In a grazing view a board's circles are narrow ellipses. Their edges point only roughly at the
centre, and rail and rim are stronger than the lines. Voted centres (see ``centre_search``) are
therefore only starts. About each centre, the normal, the centre and the size are searched over a
grid, coarse to fine, for three lines that are darkest (or lightest) together on a map of thin
lines, while the circles between them are not. A board whose horizon is rolled by more than about
ten degrees is not found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import cv2
import numpy as np

from calibration.board import SCALE_RADIUS_MM, BoardSpec
from calibration.camera import Camera, FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.pose import View
from vision.board.centre_search import (
    MIN_EDGES,
    THOROUGH,
    Trial,
    make_camera_edges,
    make_plane,
    make_pose,
    suppress_nearby,
    vote_for_grazing_centres,
)
from vision.board.edges import EdgePoints


class GrazingSearchParameters(StageParameters):
    """Parameters of ``grazing_search``."""

    stage: ClassVar[str] = "board.level_search"

    #: Contrast is clipped at this.
    clip_grey: int = parameter(
        12, unit="grey value", source="chosen: no post or shadow outweighs a thin line"
    )
    #: Radii of the 10-line that are tried.
    radius_span: tuple[float, float] = parameter(
        (0.035, 0.45),
        unit="camera distances",
        source="measured: covers boards seen from 6 m to 45 cm",
    )
    #: Circles between and beside the lines, where a board has none.
    empty_radii: tuple[float, float] = parameter(
        (0.75, 1.22),
        unit="10-lines",
        source="geometry: midway between the lines, which are at 0.5, 1 and 1.5",
    )
    max_tilt_deg: float = parameter(
        82.0, unit="deg", source="chosen: the most oblique view in which boards are read"
    )
    min_visible_share: float = parameter(
        0.4,
        unit="share",
        source="chosen: with a little less than half of a circle visible, its centre can still"
        " be found",
    )


PARAMS = GrazingSearchParameters()
#: A line's image is lower than this, from wood to wood: 2.5 mm seen at 45°, at 2 px per millimetre,
#: with its blur.
_LINE_HEIGHT_PX = 7
#: A line is averaged over this length along it, against noise; more blurs its ends.
_CORE_PX = 3
#: Voted centres that are tried. In oblique pictures the right one is among six, twice.
_CENTRES = 10
#: Centres that are also tried with light lines, which are rare but clear.
_LIGHT_CENTRES = 3
#: Views that are refined: the best of the coarse grid.
_REFINED_CENTRES = 6
#: Least distance from the camera, in distances of the board: no board reaches so near.
_NEAREST = 0.05
#: Levels per grey value in the map of lines, chosen to fit into a byte.
_LEVELS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class _Grid:
    """Grid of changes of a view; every axis has a step and a number of steps to both sides.

    blur_px   height and width of the neighbourhood searched for a line
    azimuths  samples of a circle
    """

    across_px: tuple[int, int]
    down_px: tuple[int, int]
    tilt_deg: tuple[float, int]
    roll_deg: tuple[float, int]
    log_radius: tuple[float, int]
    blur_px: tuple[int, int]
    azimuths: int


#: Grid about a voted centre, at every size: half the steps of the vote's own grid and normals.
#: Steps of the radius are 1/29 of the 15-line's distance from the 10-line and 1/17 of the 5-line's.
_COARSE = _Grid(
    across_px=(8, 2),
    down_px=(4, 3),
    tilt_deg=(1.5, 2),
    roll_deg=(0.0, 0),
    log_radius=(0.0239, 53),
    blur_px=(3, 5),
    azimuths=24,
)
#: Grids about the best of the coarse grid: twice as fine, and then to a pixel.
_FINE = _Grid(
    across_px=(3, 2),
    down_px=(2, 2),
    tilt_deg=(0.6, 2),
    roll_deg=(2.5, 1),
    log_radius=(0.012, 3),
    blur_px=(3, 3),
    azimuths=40,
)
_FINEST = _Grid(
    across_px=(2, 1),
    down_px=(1, 1),
    tilt_deg=(0.25, 2),
    roll_deg=(1.0, 1),
    log_radius=(0.006, 2),
    blur_px=(1, 1),
    azimuths=40,
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Trial:
    """A view tried: its normal's tilt and roll, its centre (2,), the 10-line's radius in camera
    distances, whether its lines are light, and their contrast, in grey values.
    """

    tilt_rad: float
    roll_rad: float
    centre_px: FloatArray
    log_radius: float
    is_light: bool
    camera: Camera
    strength: float = -np.inf

    @property
    def normal_rad(self) -> FloatArray:
        """The normal (tilt_x, tilt_y) in the form of ``centre_search``: upwards, apart from the
        roll.
        """
        return self.tilt_rad * np.array([np.sin(self.roll_rad), -np.cos(self.roll_rad)])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _LineMap:
    """Contrast of thin lines in a picture: (2, height, width) uint8, dark ones first.

    A border of ``margin_px`` zeros on all sides keeps shifted points within the map.
    """

    values: np.ndarray
    margin_px: int


def search_grazing_rings(
    edges: EdgePoints, grey: np.ndarray, cameras: Sequence[Camera]
) -> list[View]:
    """Views of possible boards, likeliest first; ``grey`` is (h, w) uint8.

    The edges come from the same picture, and the cameras may have taken it.
    """
    if len(edges.points_px) < MIN_EDGES:
        return []
    size_px = grey.shape[1], grey.shape[0]
    trials = [
        _Trial(
            tilt_rad=float(np.hypot(*vote.place[:2])),
            roll_rad=float(np.arctan2(vote.place[0], -vote.place[1])),
            centre_px=np.rint(vote.place[2:]),
            log_radius=float(np.log(PARAMS.radius_span).mean()),
            is_light=is_light,
            camera=camera,
        )
        for camera in cameras
        for rank, vote in enumerate(_vote(edges, camera, size_px))
        for is_light in (False, True)[: 2 if rank < _LIGHT_CENTRES else 1]
    ]
    for grid in (_COARSE, _FINE, _FINE, _FINEST):
        lines = _make_line_map(grey, grid)
        trials = [_search_grid(lines, trial, grid) for trial in trials]
        trials = sorted(trials, key=lambda trial: -trial.strength)[:_REFINED_CENTRES]
    return [_make_view(trial) for trial in trials]


def _vote(edges: EdgePoints, camera: Camera, size_px: tuple[int, int]) -> list[Trial]:
    """The likeliest centres as one camera sees them."""
    camera_edges = make_camera_edges(edges, camera)
    return suppress_nearby(
        vote_for_grazing_centres(camera_edges, camera, size_px, THOROUGH), _CENTRES
    )


def _make_line_map(grey: np.ndarray, grid: _Grid) -> _LineMap:
    """Contrast, darker or lighter, to the pixels above and below (a hat transform), dilated."""
    smooth = cv2.blur(grey.astype(np.float32), (_CORE_PX, 1))
    line = np.ones((_LINE_HEIGHT_PX, 1), np.uint8)
    hats = [cv2.morphologyEx(smooth, kind, line) for kind in (cv2.MORPH_BLACKHAT, cv2.MORPH_TOPHAT)]
    margin = 2 * (1 + max(step * count for step, count in (grid.across_px, grid.down_px)))
    values = [
        cv2.copyMakeBorder(
            cv2.dilate(
                (_LEVELS * np.minimum(hat, PARAMS.clip_grey)).astype(np.uint8),
                np.ones(grid.blur_px, np.uint8),
            ),
            *(margin, margin, margin, margin),
            cv2.BORDER_CONSTANT,
        )
        for hat in hats
    ]
    return _LineMap(values=np.stack(values), margin_px=margin)


def _search_grid(lines: _LineMap, start: _Trial, grid: _Grid) -> _Trial:
    """The trial of the grid about ``start`` with the largest contrast of lines."""
    x, y = (axis.ravel() for axis in np.meshgrid(_spread(grid.across_px), _spread(grid.down_px)))
    shift = (y * lines.values.shape[2] + x).astype(np.int32)
    best = start
    for roll in start.roll_rad + np.radians(_spread(grid.roll_deg)):
        for tilt in start.tilt_rad + np.radians(_spread(grid.tilt_deg)):
            tilt = min(tilt, np.radians(PARAMS.max_tilt_deg))
            leaning = replace(start, roll_rad=float(roll), tilt_rad=float(tilt))
            strength = _measure_strength(lines, leaning, shift, grid)
            at, size = np.unravel_index(int(strength.argmax()), strength.shape)
            if best is start or strength[at, size] > best.strength:
                best = replace(
                    leaning,
                    centre_px=start.centre_px + np.array([x[at], y[at]]),
                    log_radius=start.log_radius + float(_spread(grid.log_radius)[size]),
                    strength=float(strength[at, size]),
                )
    return best


def _spread(step_and_count: tuple[float, int]) -> FloatArray:
    step, count = step_and_count
    return step * np.arange(-count, count + 1)


def _measure_strength(lines: _LineMap, trial: _Trial, shift: np.ndarray, grid: _Grid) -> FloatArray:
    """Contrast on the lines minus the contrast between them (shifts, radii).

    A shift (n,), in places of the map, moves all circles alike: over a few pixels, perspective
    changes nothing.
    """
    radii = np.array(BoardSpec().line_radii_mm) / SCALE_RADIUS_MM
    circles = np.log(np.concatenate([radii, PARAMS.empty_radii]))
    weights = np.array([1.0, 1.0, 1.0, -1.5, -1.5])
    # circles of one size are the lines of another, so circles are sampled only once
    bins, place = np.unique(
        np.rint((circles[:, None] + _spread(grid.log_radius)) / grid.log_radius[0]),
        return_inverse=True,
    )
    radii = np.exp(trial.log_radius + bins * grid.log_radius[0])
    x, y = _project_circles(trial, radii, grid.azimuths)
    margin, (_, padded_height, padded_width) = lines.margin_px, lines.values.shape
    width, height = padded_width - 2 * margin, padded_height - 2 * margin
    known = ((x >= 0) & (x < width) & (y >= 0) & (y < height)).sum(axis=0)
    outside = margin // 2
    index = (y.clip(-outside, height + outside - 1) + margin) * padded_width
    index += x.clip(-outside, width + outside - 1) + margin
    values = lines.values[int(trial.is_light)].ravel().take(index[:, None] + shift[:, None])
    is_known = known >= PARAMS.min_visible_share * len(x)
    mean = np.where(is_known, values.sum(axis=0, dtype=np.uint16) / np.maximum(known, 1), 0.0)
    strength: FloatArray = np.einsum("c,scr->sr", weights, mean[:, place.reshape(len(circles), -1)])
    return strength


def _project_circles(
    trial: _Trial, radii: FloatArray, azimuths: int
) -> tuple[np.ndarray, np.ndarray]:
    """Whole pixels x and y (azimuths, radii) of circles about the trial's centre."""
    plane = make_plane(*trial.normal_rad)
    azimuth = np.arange(azimuths) * (2 * np.pi / azimuths)
    arm = np.stack([np.cos(azimuth), np.sin(azimuth)], axis=-1) @ plane.axes
    ray = trial.camera.rays(trial.centre_px[None])[0]
    centre = ray * (plane.normal[2] / (plane.normal @ ray))
    x, y, z = (centre[k] + radii * arm[:, k : k + 1] for k in range(3))
    # points any nearer are behind the camera, or almost
    px = trial.camera.project_parts(x, y, np.maximum(z, _NEAREST))
    return np.rint(px[0]).astype(np.int32), np.rint(px[1]).astype(np.int32)


def _make_view(trial: _Trial) -> View:
    place = np.concatenate([trial.normal_rad, trial.centre_px])
    pose = make_pose(place, float(np.exp(trial.log_radius)), trial.camera)
    return View(camera=trial.camera, cam_from_board=pose)
