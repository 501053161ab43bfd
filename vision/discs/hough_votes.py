"""Hough votes (Hough 1962; Duda and Hart 1972) of edges for the centres of circles of known radius.

A disc's outline is the whole top rim at z = h and, on the camera's side, the base at z = 0; both
are circles about the same (x, y). An edge votes for the centre one radius behind it along its
normal, on both of its sides. An edge that could be the near side of a base also votes for the
base's centre. Letters, posts and shadows get votes too, so a peak is not yet a disc. A disc whose
edges are lost against the wood gets no votes.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from vision.discs.edges_above_grain import ColourEdges
from vision.rectify.birds_eye import BirdsEyeImage


class HoughVotesParameters(StageParameters):
    """Parameters of ``hough_votes``."""

    #: Blur of the votes, one standard deviation.
    vote_sigma_mm: float = parameter(
        1.5,
        unit="mm",
        source="measured: edges in photographs point to the centre within about 6 degrees, "
        "over 15 mm",
    )


PARAMS = HoughVotesParameters()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HoughVotes:
    """Hough accumulator: at a pixel, the share of a disc's outline around it that edges support.

    bright  by edges with the brighter side towards the disc: (h, w)
    dark    by edges with the darker side towards it: a disc's shadow is a dark circle of nearly its
            radius
    """

    bright: np.ndarray
    dark: np.ndarray

    @property
    def total(self) -> np.ndarray:
        """Share by both kinds of edges."""
        return self.bright + self.dark


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OrientedEdges:
    """Edges ordered by the side that they face, in pixels of a rectified image.

    place_px   x and y: (2, n)
    to_camera  unit normal, pointing towards the camera: (2, n)
    foot_shift_px  from the visible centre of a top rim to that of a base: (2, n)
    weight     (n,)
    brightening_count  number of edges, the first ones, that are brighter on the camera's side
    """

    place_px: FloatArray
    to_camera: FloatArray
    base_shift_px: FloatArray
    weight: FloatArray
    brightening_count: int


def orient_edges(
    rectified: BirdsEyeImage, edges: ColourEdges, camera_mm: FloatArray
) -> OrientedEdges:
    """The edges, ready to vote; ``camera_mm`` (3,) is the camera's centre in the board frame."""
    camera_px = rectified.to_px(camera_mm[:2]).astype(np.float32)[:, None]
    place, normal = (np.ascontiguousarray(a.T) for a in (edges.place_px, edges.normal))
    brightens = ((camera_px - place) * normal).sum(axis=0) > 0
    order = np.concatenate([np.flatnonzero(brightens), np.flatnonzero(~brightens)])
    first = int(brightens.sum())
    place, to_camera = place.take(order, axis=1), normal.take(order, axis=1)
    to_camera[:, first:] *= -1
    return OrientedEdges(
        place_px=place,
        to_camera=to_camera,
        base_shift_px=(camera_px - place)
        * np.float32(1 - camera_mm[2] / (camera_mm[2] - rectified.z_mm)),
        weight=edges.weight.take(order).astype(np.float64),
        brightening_count=first,
    )


def accumulate_votes(
    rectified: BirdsEyeImage, edges: OrientedEdges, radius_mm: float
) -> HoughVotes:
    """The votes of edges for centres of discs of ``radius_mm``."""
    inward = np.float32(radius_mm / rectified.mm_per_px) * edges.to_camera
    weight = edges.weight * _compute_vote_share(rectified, radius_mm)
    far, top, base = (
        _find_bins(centre, rectified.inside.shape)
        for centre in (
            edges.place_px + inward,
            edges.place_px - inward,
            edges.place_px - inward + edges.base_shift_px,
        )
    )

    one, other = slice(edges.brightening_count), slice(edges.brightening_count, None)

    def blur_votes(away: slice, near: slice) -> np.ndarray:
        """Votes of edges on the far side ``away``, and of those on the near side, of a top or a
        base.
        """
        both = np.concatenate([weight[away], weight[near]])
        return np.maximum(
            *(
                _accumulate_bins(rectified, np.concatenate([far[away], rim[near]]), both)
                for rim in (top, base)
            )
        )

    return HoughVotes(bright=blur_votes(one, other), dark=blur_votes(other, one))


def _find_bins(place_px: FloatArray, shape: tuple[int, ...]) -> np.ndarray:
    """Flat indices (n,) of the pixels at places (2, n); the number of pixels for places outside."""
    height, width = shape
    column, row = np.floor(place_px + np.float32(0.5)).astype(np.int32)
    inside = (column.view(np.uint32) < width) & (row.view(np.uint32) < height)  # negatives wrap
    return np.where(inside, row * width + column, height * width)


def _compute_vote_share(rectified: BirdsEyeImage, radius_mm: float) -> float:
    """Weight of one vote: its share of a rim of ``radius_mm`` times the area of the blur, so the
    blurred votes of a whole rim add up to 1 at their centre.
    """
    sigma_px = PARAMS.vote_sigma_mm / rectified.mm_per_px
    rim_px = 2 * np.pi * radius_mm / rectified.mm_per_px
    return float(2 * np.pi * sigma_px**2 / rim_px)


def _accumulate_bins(rectified: BirdsEyeImage, bins: np.ndarray, weight: FloatArray) -> np.ndarray:
    """Votes (n,) summed in their bins, and blurred: (h, w)."""
    height, width = rectified.inside.shape
    count = np.bincount(bins, weight, height * width + 1)[:-1].astype(np.float32)
    sigma_px = PARAMS.vote_sigma_mm / rectified.mm_per_px
    window = 2 * int(np.ceil(3.0 * sigma_px)) + 1
    return cv2.GaussianBlur(count.reshape(height, width), (window, window), sigma_px)


def find_peaks(
    share: np.ndarray, rectified: BirdsEyeImage, *, min_distance_mm: float, min_share: float
) -> FloatArray:
    """Local maxima (n, 3) of ``share`` (h, w) as (x_mm, y_mm, share), strongest first.

    None has a stronger pixel within ``min_distance_mm``; all are above ``min_share``.
    """
    reach = int(min_distance_mm / rectified.mm_per_px)
    beside = cv2.dilate(share, np.ones((3, 3), np.uint8))
    row, column = np.divmod(np.flatnonzero((share >= beside) & (share > min_share)), share.shape[1])
    highest = _find_highest_around(share, row, column, reach)
    is_peak = share[row, column] >= highest
    row, column = row[is_peak], column[is_peak]
    value = share[row, column]
    order = np.argsort(-value, kind="stable")
    place = rectified.to_mm(np.stack([column, row], axis=-1)[order])
    return np.column_stack([place, value[order]])


def _find_highest_around(
    share: np.ndarray, row: np.ndarray, column: np.ndarray, reach: int
) -> FloatArray:
    """Highest share (n,) within ``reach`` pixels of each pixel."""
    window = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1, 2 * reach + 1))
    dy, dx = np.nonzero(window)
    padded = cv2.copyMakeBorder(share, reach, reach, reach, reach, cv2.BORDER_CONSTANT)
    width = padded.shape[1]
    around = (row * width + column)[:, None] + (dy * width + dx)
    return np.asarray(padded.ravel()[around].max(axis=1, initial=-np.inf))


def suppress_non_maxima(place_mm: FloatArray, min_distance_mm: float) -> np.ndarray:
    """Indices (m,) of places (n, 2), in order, at least ``min_distance_mm`` from all places kept
    before them.

    Greedy non-maximum suppression for places in order of strength.
    """
    gap = place_mm[:, None] - place_mm[None]
    is_apart = np.einsum("ijk,ijk->ij", gap, gap) >= min_distance_mm**2
    free = np.ones(len(place_mm), dtype=bool)
    kept: list[int] = []
    for i in range(len(place_mm)):
        if free[i]:
            kept.append(i)
            free &= is_apart[i]
    return np.array(kept, dtype=np.intp)
