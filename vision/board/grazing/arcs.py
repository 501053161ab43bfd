"""Smooth curved pieces of a picture's edges, longest first.

Canny's edges are followed pixel by pixel and cut where they turn sharply within a few pixels,
because two outlines meet or one ends there. Straight pieces are dropped. This removes tiles, planks
and the weave of a cloth. Arcs of fewer pixels than ``min_px`` are not found.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import cv2
import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from vision.board.edges import MIN_EXTENT_PX


class ArcsParameters(StageParameters):
    """Parameters of ``arcs``."""

    stage: ClassVar[str] = "board.arcs"

    #: An edge is cut where it turns by more than this.
    sharp_turn_deg: float = parameter(
        35.0,
        unit="deg",
        source="chosen: only a circle with a radius under 10 px turns as sharply, and such a "
        "ring cannot be read",
    )
    #: Least deviation of an arc from its chord: in pixels, and as a share of the arc's length.
    min_bulge_px: float = parameter(
        1.5, unit="px", source="chosen: rounding to whole pixels bends a straight line by less"
    )
    min_bulge_share: float = parameter(
        0.01, unit="share", source="chosen: a lens bends straight lines by less"
    )


PARAMS = ArcsParameters()
#: The direction of an edge is measured over this many pixels on both sides of a point: over this
#: length, rounding to whole pixels turns a smooth line by at most 10°.
_REACH_PX = 6


def trace_arcs(edge: np.ndarray, most: int) -> list[FloatArray]:
    """At most ``most`` arcs, longest first, as ordered pixels (n, 2).

    edge (h, w) uint8: nonzero where an edge one pixel wide runs.
    """
    contours, _ = cv2.findContours(edge, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    # an open curve's contour runs along it there and back
    long_ones = [contour[:, 0] for contour in contours if len(contour) >= 2 * MIN_EXTENT_PX]
    is_taken = np.zeros(edge.shape, np.uint8)
    arcs: list[FloatArray] = []
    for piece in _list_pieces(long_ones):
        if len(arcs) == most:
            break
        if not _is_curved(piece) or is_taken[piece[:, 1], piece[:, 0]].mean() > 0.5:
            continue
        cv2.polylines(is_taken, [piece.astype(np.int32)], isClosed=False, color=1, thickness=3)
        arcs.append(piece.astype(np.float64))
    return arcs


def _list_pieces(contours: list[np.ndarray]) -> Iterator[np.ndarray]:
    """The pieces (n, 2) of closed contours (m, 2) between sharp turns, longest first."""
    if not contours:
        return
    contours.sort(key=len, reverse=True)
    lengths = np.array([len(contour) for contour in contours])
    owner, first, length = _cut_at_corners(_find_corners(contours), lengths)
    # the first of two equal halves (there and back), starting at the contour's first corner
    for piece in np.lexsort((first == 0, owner, -length)):
        places = np.arange(first[piece], first[piece] + length[piece])
        yield contours[owner[piece]].take(places, axis=0, mode="wrap")


def _find_corners(contours: list[np.ndarray]) -> np.ndarray:
    """Points at sharp turns of closed contours (m, 2), which follow one another: (n,) bool."""
    reach = _REACH_PX
    # each contour continues at its own start
    parts = [part for contour in contours for part in (contour[-reach:], contour, contour[:reach])]
    x, y = np.concatenate(parts).T.astype(np.float32)
    x, y = x[reach:] - x[:-reach], y[reach:] - y[:-reach]
    length = np.hypot(x, y)
    size = np.maximum(length[:-reach] * length[reach:], np.float32(1e-9))
    cosine = (x[:-reach] * x[reach:] + y[:-reach] * y[reach:]) / size
    is_corner = cosine < np.cos(np.radians(PARAMS.sharp_turn_deg))
    lengths = np.array([len(contour) for contour in contours])
    skipped = np.arange(len(contours)) * 2 * reach
    return np.asarray(is_corner[np.arange(lengths.sum()) + np.repeat(skipped, lengths)])


def _cut_at_corners(
    is_corner: np.ndarray, lengths: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The pieces between corners (n,) of closed contours, each as its contour, its first point in
    it and its length.

    A contour without a corner is one piece; short pieces are left out.
    """
    owner, begin = np.repeat(np.arange(len(lengths)), lengths), np.cumsum(lengths) - lengths
    previous = np.arange(len(is_corner)) - 1
    previous[begin] = begin + lengths - 1
    is_before_corner = is_corner[previous]
    first = np.flatnonzero(is_before_corner & ~is_corner)
    last = np.flatnonzero(~is_before_corner & is_corner)
    own = owner[first]
    # a piece past its contour's last point continues at its first
    end, next_end = np.searchsorted(last, [begin[own], first])
    next_end = np.where(next_end < np.searchsorted(last, begin[own] + lengths[own]), next_end, end)
    length = (last[next_end] - first) % lengths[own]
    is_long = length >= MIN_EXTENT_PX
    whole = np.setdiff1d(np.arange(len(lengths)), owner[is_corner])
    return (
        np.concatenate([whole, own[is_long]]),
        np.concatenate([np.zeros(len(whole), np.intp), (first - begin[own])[is_long]]),
        np.concatenate([lengths[whole], length[is_long]]),
    )


def _is_curved(piece: np.ndarray) -> bool:
    """Whether a piece deviates from its chord; closed ones do."""
    chord = piece[-1] - piece[0]
    length = float(np.hypot(*chord))
    if length < MIN_EXTENT_PX:
        return True
    away = np.abs((piece - piece[0]) @ np.array([-chord[1], chord[0]])) / length
    return bool(away.max() > max(PARAMS.min_bulge_px, PARAMS.min_bulge_share * len(piece)))
