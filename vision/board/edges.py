"""Edge points of a picture with their gradient directions, from which rings are searched.

Canny's detector (1986) is used with its threshold at a quantile of the gradients. Short edges are
dropped, and the rest is sampled to thin dense texture. Lines narrower than a pixel of the small
picture, or fainter than strong grain, leave no edges.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter

#: Long side, px, of the picture in which edges are searched: a 700 mm board that fills it shows its
#: 1.6 mm lines about 2 px wide, the narrowest that gradients resolve.
SEARCH_SIDE_PX = 1024


class EdgesParameters(StageParameters):
    """Parameters of ``edges``."""

    #: Share of pixels whose gradient is strong enough to start an edge (Canny's upper threshold).
    strong_share: float = parameter(
        0.07,
        unit="share",
        source="chosen: lines, rims and discs have about this share when a board fills the picture",
    )
    #: Least upper threshold of Canny's detector (a sum of Sobel's |dx| and |dy|).
    min_strong: float = parameter(
        16.0, unit="Sobel", source="chosen: the sensor noise of a dim phone picture after blurring"
    )


PARAMS = EdgesParameters()
#: Shorter edges are dropped: edges of wood grain, cloth and noise are shorter than pieces of rings.
MIN_EXTENT_PX = 24
#: Cell for thinning: dense texture in a cell must not outvote a thin line.
_CELL_PX = 16


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EdgePoints:
    """Edge points (n, 2) in px and unit gradients (n, 2), dark to bright, of a picture."""

    points_px: FloatArray
    gradients: FloatArray


def find_edges(grey: np.ndarray, limit: int, *, evenly: bool = False) -> EdgePoints:
    """At most ``limit`` edge points of a grey picture (h, w) uint8, in random order.

    A point's probability is divided by the root of the local density of edges or, with ``evenly``,
    by the density itself. ``evenly`` gives a speckled carpet the weight of a thin ring line, but
    also a single scratch that of all the board's lines.
    """
    edge, dx, dy = detect_edges(grey)
    x, y = _find_long_edges(edge)
    x, y = _sample_by_density(x, y, limit, 1.0 if evenly else 0.5)
    gradient = np.stack([dx[y, x], dy[y, x]], axis=-1).astype(np.float64)
    length = np.maximum(np.linalg.norm(gradient, axis=-1, keepdims=True), 1e-9)
    return EdgePoints(
        points_px=np.stack([x, y], axis=-1).astype(np.float64), gradients=gradient / length
    )


def detect_edges(
    grey: np.ndarray, strong_share: float | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Canny's edge map (h, w) uint8 of a grey picture, and its gradients in x and y (Sobel's)."""
    smooth = cv2.GaussianBlur(grey, (0, 0), 1.0)
    dx = cv2.Sobel(smooth, cv2.CV_16S, 1, 0)
    dy = cv2.Sobel(smooth, cv2.CV_16S, 0, 1)
    coarse = np.abs(dx[::3, ::3].astype(np.int32)) + np.abs(dy[::3, ::3])
    strong = max(
        float(np.quantile(coarse, 1 - (strong_share or PARAMS.strong_share))), PARAMS.min_strong
    )
    return cv2.Canny(dx, dy, strong / 2, strong), dx, dy


def _find_long_edges(edge: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """x and y (n,) of an edge map's pixels, without pieces of small extent."""
    if not edge.any():
        return np.zeros(0, np.intp), np.zeros(0, np.intp)
    x, y = cv2.findNonZero(edge).reshape(-1, 2).T.astype(np.intp)
    count, labels = cv2.connectedComponents(edge, connectivity=8)
    label = labels[y, x]
    extent = np.maximum(_measure_extents(x, label, count), _measure_extents(y, label, count))
    kept = (extent >= MIN_EXTENT_PX)[label]
    return x[kept], y[kept]


def _measure_extents(coordinate: np.ndarray, label: np.ndarray, count: int) -> np.ndarray:
    """Extent (count,), px, of each label; 0 for unused labels."""
    first, last = np.full(count, np.iinfo(np.intp).max), np.full(count, -1)
    np.minimum.at(first, label, coordinate)
    np.maximum.at(last, label, coordinate)
    return np.where(last >= 0, last - first + 1, 0)


def _sample_by_density(
    x: np.ndarray, y: np.ndarray, limit: int, power: float
) -> tuple[np.ndarray, np.ndarray]:
    """At most ``limit`` of the pixels, drawn with probability one over a power of their cell's
    density.
    """
    if len(x) == 0:
        return x, y
    columns = int(x.max()) // _CELL_PX + 1
    cell = (y // _CELL_PX) * columns + x // _CELL_PX
    density = np.bincount(cell)[cell]
    # Efraimidis and Spirakis 2006: weighted sampling without replacement by exponential keys.
    key = np.random.default_rng(0).exponential(size=len(x)) * density**power
    order = np.argpartition(key, limit)[:limit] if len(key) > limit else np.arange(len(key))
    order = order[np.argsort(key[order])]
    return x[order], y[order]
