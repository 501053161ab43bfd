"""Smooth curved pieces of a picture's edges, longest first.

Canny's edges are followed pixel by pixel and cut where they turn sharply within a few pixels, which
is where two outlines meet or one ends. Straight pieces are left out, so that tiles, planks and the
weave of a cloth leave nothing. Arcs of fewer pixels than ``min_px`` are not found.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from typing import ClassVar

import cv2
import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter


class ArcsParameters(StageParameters):
    """What ``arcs`` takes for granted."""

    stage: ClassVar[str] = "board.arcs"

    #: The direction of an edge is taken over so many pixels on both sides of a place.
    reach_px: int = parameter(
        6, unit="px", source="chosen: whole pixels turn a smooth line by 10° at the most over it"
    )
    #: An edge that turns by more there is cut.
    sharp_turn_deg: float = parameter(
        35.0,
        unit="deg",
        source="a circle turns so sharply at a radius of 10 px: no ring is read so",
    )
    min_px: int = parameter(24, unit="px", source="as short edges elsewhere (board.edges)")
    #: An arc bulges by this at least, and by this share of its length.
    min_bulge_px: float = parameter(
        1.5, unit="px", source="chosen: more than whole pixels make of a straight line"
    )
    min_bulge_share: float = parameter(
        0.01, unit="share", source="chosen: a lens bends straight lines by less"
    )


PARAMS = ArcsParameters.active()


def trace_arcs(edge: np.ndarray, most: int) -> list[FloatArray]:
    """At most ``most`` arcs, longest first, each pixels (n, 2) in order along it.

    edge (h, w) uint8: nonzero where an edge one pixel wide runs.
    """
    contours, _ = cv2.findContours(edge, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    # an open curve's contour runs along it there and back
    long_ones = [each[:, 0] for each in contours if len(each) >= 2 * PARAMS.min_px]
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
    """The contours' pieces between sharp turns, longest first, each contour cut when it is due."""
    contours.sort(key=len, reverse=True)
    waiting: list[tuple[int, int, np.ndarray]] = []  # a heap: longest first, then as they came
    for number, contour in enumerate(contours):
        while waiting and -waiting[0][0] >= len(contour):
            yield heappop(waiting)[2]
        for part, piece in enumerate(_cut_at_corners(contour)):
            heappush(waiting, (-len(piece), number << 16 | part, piece))
    while waiting:
        yield heappop(waiting)[2]


def _cut_at_corners(contour: np.ndarray) -> Iterator[np.ndarray]:
    """Pieces (n, 2) of a closed contour (m, 2) between its sharp turns."""
    x, y = contour.T.astype(np.float64)
    x_after, y_after = (np.roll(each, -PARAMS.reach_px) - each for each in (x, y))
    x_before, y_before = (np.roll(each, PARAMS.reach_px) for each in (x_after, y_after))
    length = np.hypot(x_after, y_after)
    length *= np.roll(length, PARAMS.reach_px)
    cosine = (x_before * x_after + y_before * y_after) / np.maximum(length, 1e-9)
    is_corner = cosine < np.cos(np.radians(PARAMS.sharp_turn_deg))
    if not is_corner.any():
        yield contour
        return
    first = int(is_corner.argmax())
    contour, is_corner = np.roll(contour, -first, axis=0), np.roll(is_corner, -first)
    ends = np.flatnonzero(np.diff(is_corner.astype(np.int8), append=1)) + 1
    for begin, end in zip(ends[::2], ends[1::2], strict=False):
        if end - begin >= PARAMS.min_px:
            yield contour[begin:end]


def _is_curved(piece: np.ndarray) -> bool:
    """Whether a piece bulges away from its chord; closed ones do."""
    chord = piece[-1] - piece[0]
    length = float(np.hypot(*chord))
    if length < PARAMS.min_px:
        return True
    away = np.abs((piece - piece[0]) @ np.array([-chord[1], chord[0]])) / length
    return bool(away.max() > max(PARAMS.min_bulge_px, PARAMS.min_bulge_share * len(piece)))
