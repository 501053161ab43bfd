"""Colour outliers: regions of a colour that the board shows nowhere else, and which are therefore
occluders.

Wood repeats its colours all over a board, plank by plank. A hand, a cup or a box has a colour that
occurs only in one place. So the spread of every colour over the board is measured with a histogram
of places by colour. Shade, which takes light away, and glare, which adds the lamp's white, are not
new colours. They are explained as mixtures of the wood's light and white (the dichromatic model,
Shafer 1985). Pixels with a colour of the board, or spread all over it, are not outliers.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from vision.discs.teams.team_colours import bgr_to_weighted_lab
from vision.discs.visible_surface import FreeSurfaceMask
from vision.rectify.birds_eye import BirdsEyeImage
from vision.rectify.luminance import PARAMS as LUMINANCE
from vision.rectify.luminance import decode_gamma


class ColourOutliersParameters(StageParameters):
    """Parameters of ``colour_outliers``."""

    #: A colour is an outlier if its cells scatter by less than this around their mean.
    scatter_mm: float = parameter(60.0, unit="mm", source="chosen: the size of a hand or a cup")
    #: Wood in light or shade shows at least this share of its usual light, ...
    shade_share: float = parameter(
        0.25, unit="share", source="chosen: deep shade; anything darker counts as black"
    )
    #: ... loses no more white than this, of the sensor's range, ...
    min_white: float = parameter(
        -0.05,
        unit="ratio",
        source="chosen: an allowance for noise, because no lamp takes light away",
    )
    #: ... and leaves at most this share of its light unexplained.
    residual_share: float = parameter(
        0.06, unit="share", source="chosen: planks of one board vary by this much"
    )
    #: A region is at least this large.
    min_region_mm2: float = parameter(400.0, unit="mm²", source="chosen: half the area of a disc")


PARAMS = ColourOutliersParameters()
#: Width of the margin inside the surface's edge that is left out: edges are worn and bevelled.
_EDGE_MM = 7.0
#: Colours are averaged over cells of this side: large enough to average out grain and letters.
_CELL_MM = 6.0
#: Colours are sorted into bins of this side, and each bin is added to its neighbours: noise and
#: shade move the colours of wood by this much.
_BIN_LAB = 7.0
#: Stripes narrower than this are letters and edges: 18 mm, narrower than any disc.
_NARROW_CELLS = 3
#: Bins of L, a and b from the lowest on: wide enough for all of sRGB.
_BINS, _LOWEST_LAB = (12, 32, 32), (0.0, -110.0, -110.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Cells:
    """The surface in squares: colours (n, n, 3) BGR uint8, and places (n, n, 2) mm on it."""

    bgr: np.ndarray
    place_mm: FloatArray
    is_visible: np.ndarray


def find_colour_outliers(
    rectified: BirdsEyeImage, camera_mm: FloatArray, surface: FreeSurfaceMask
) -> FloatArray:
    """Centres (n, 2), mm, of the outlying regions, largest first.

    ``rectified`` may show any plane. ``camera_mm`` (3,) is the camera's centre in the board frame,
    and ``surface`` holds the places of discs, posts, the hole and paint.
    """
    cells = _average_cells(rectified, camera_mm)
    away_mm = np.linalg.norm(cells.place_mm, axis=-1)
    on_surface = cells.is_visible & (away_mm < surface.spec.surface_radius_mm - _EDGE_MM)
    covered = surface.is_hidden(cells.place_mm) | surface.is_painted(cells.place_mm)
    empty = on_surface & ~covered
    if not empty.any():
        return np.zeros((0, 2))
    is_outlier = _is_local_colour(cells, empty)
    is_outlier[is_outlier] = ~_is_lit_wood(cells.bgr[is_outlier], cells.bgr[empty])
    return _find_region_centres(is_outlier, on_surface & covered, cells)


def _average_cells(rectified: BirdsEyeImage, camera_mm: FloatArray) -> _Cells:
    """The rectified image in squares; it shows the plane through discs' tops, not the surface."""
    step = round(_CELL_MM / rectified.mm_per_px)
    count = len(rectified.image) // step
    whole = slice(0, count * step)
    size = (count, count)
    bgr = cv2.resize(rectified.image[whole, whole], size, interpolation=cv2.INTER_AREA)
    middle_px = np.arange(count) * step + (step - 1) / 2
    x, y = np.meshgrid(middle_px, middle_px)
    above = rectified.to_mm(np.stack([x, y], axis=-1))
    place = camera_mm[:2] + (above - camera_mm[:2]) * (
        camera_mm[2] / (camera_mm[2] - rectified.z_mm)
    )
    seen = rectified.inside[step // 2 : count * step : step, step // 2 : count * step : step]
    return _Cells(bgr=bgr, place_mm=place, is_visible=seen)


def _is_local_colour(cells: _Cells, empty: np.ndarray) -> np.ndarray:
    """Cells (n, n) of empty surface with a colour that the empty board shows in only one place."""
    steps = (bgr_to_weighted_lab(cells.bgr[empty]) - _LOWEST_LAB) / _BIN_LAB
    index = np.clip(steps.astype(np.intp), 0, np.array(_BINS) - 1)
    bins = np.ravel_multi_index(tuple(index.T), _BINS)
    place = cells.place_mm[empty]
    number, x, y, square = (
        _sum_neighbours(np.bincount(bins, weight, int(np.prod(_BINS))).astype(np.float64))[bins]
        for weight in (np.ones(len(bins)), place[:, 0], place[:, 1], (place**2).sum(axis=-1))
    )
    scatter2 = square / number - (x / number) ** 2 - (y / number) ** 2
    out = np.zeros(empty.shape, dtype=bool)
    out[empty] = scatter2 < PARAMS.scatter_mm**2
    return out


def _sum_neighbours(histogram: FloatArray) -> FloatArray:
    """Sums over each bin and the bins next to it, flat as before."""
    total = np.pad(histogram.reshape(_BINS), 1)
    for axis in range(3):
        total = total + np.roll(total, 1, axis) + np.roll(total, -1, axis)
    return total[1:-1, 1:-1, 1:-1].ravel()


def _is_lit_wood(bgr: np.ndarray, board_bgr: np.ndarray) -> np.ndarray:
    """Colours (m, 3) that are the median colour of the board's colours (n, 3), in shade or in
    glare.
    """
    light, wood = decode_gamma(bgr), np.median(decode_gamma(board_bgr), axis=0)
    basis = np.stack([wood, np.ones(3, np.float32)], axis=-1)
    share = light @ np.linalg.pinv(basis).T
    residual = np.linalg.norm(light - share @ basis.T, axis=-1)
    of_wood = residual < PARAMS.residual_share * (np.linalg.norm(light, axis=-1) + 0.01)
    lit = (share[:, 0] > PARAMS.shade_share) & (share[:, 1] > PARAMS.min_white)
    return (of_wood & lit) | (bgr.max(axis=-1) > LUMINANCE.burnt_out_grey)


def _find_region_centres(is_outlier: np.ndarray, covered: np.ndarray, cells: _Cells) -> FloatArray:
    """Centres (k, 2) of the broad regions, largest first; regions are not split by lines and
    discs.
    """
    region = is_outlier.astype(np.uint8)
    closed = cv2.morphologyEx(region, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    region = np.where(covered, closed, region)
    broad = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (_NARROW_CELLS, _NARROW_CELLS))
    opened = cv2.morphologyEx(region, cv2.MORPH_OPEN, broad)
    _, label, stats, _ = cv2.connectedComponentsWithStats(opened)
    size = stats[1:, cv2.CC_STAT_AREA] * _CELL_MM**2
    large = [k for k in np.argsort(-size, kind="stable") if size[k] >= PARAMS.min_region_mm2]
    middles = [np.median(cells.place_mm[label == k + 1], axis=0) for k in large]
    return np.array(middles, dtype=np.float64).reshape(-1, 2)
