"""Where the rims of discs may be: Hough votes of edges for the centres of circles of known radius.

Knows edges of the top-down picture, measured against the wood's own grain, and which circle centres
they agree on. Refuses to decide that a circle is a disc.

A disc's outline is the whole top rim at z = h and, on the camera's side, the foot at z = 0; both
are circles about the same (x, y). An edge votes for the centre one radius behind it, on both of its
sides; one that could be the camera's side of a foot votes there as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import cv2
import numpy as np

from calibration.board import BoardSpec
from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from vision.rectify.birds_eye import BirdsEyeImage


@dataclass(frozen=True, slots=True, kw_only=True)
class HoughVotesParameters(StageParameters):
    """What ``hough_votes`` takes for granted."""

    stage: ClassVar[str] = "discs.hough_votes"

    #: Grey levels that even a noiseless, textureless surface is taken to vary by (JPEG rounding).
    noise_floor_grey: float = parameter(0.7, unit="grey value", source="")
    #: Share of the surface's pixels, the calmest, that stand for the bare wood in its covariance.
    calm_share: float = parameter(0.8, unit="share", source="")
    #: An edge weaker than this many grain sigmas a pixel, or than 0.7 of its neighbourhood, is
    #: grain.
    edge_floor_sigma: float = parameter(0.25, unit="", source="")
    edge_local_share: float = parameter(0.7, unit="share", source="")
    #: An edge m weighs m / (m + 1.5 neighbourhood + floor): one strong edge does not outvote many
    #: weak.
    local_weight: float = parameter(1.5, unit="", source="")
    #: Side of the neighbourhood, about four discs across.
    neighbourhood_mm: float = parameter(61.0, unit="mm", source="")
    #: Blur of the votes: edge directions in real pictures are true to about 6 degrees, 1.5 mm at 15
    #: mm.
    vote_sigma_mm: float = parameter(1.5, unit="mm", source="")
    #: It is cut off so many sigmas out.
    vote_reach_sigmas: float = parameter(3.0, unit="σ", source="")
    #: Rows that are worked on at once: all that is computed of them stays in the processor's cache.
    band_rows: int = parameter(96, unit="", source="")
    #: Rows beyond a band that its blur, its slopes and its ridges need, for a blur of one pixel.
    band_margin: int = parameter(6, unit="", source="")


PARAMS = HoughVotesParameters.active()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ColourEdges:
    """Thinned colour edges of a rectified image, in its pixels.

    place_px (n, 2) · normal unit, towards the brighter side (n, 2) · weight 0 to 1 (n,)
    """

    place_px: FloatArray
    normal: FloatArray
    weight: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HoughVotes:
    """Hough accumulator: share that edges support of a disc's outline at each pixel: (side, side).

    bright  by edges whose brighter side is the disc's
    dark    by edges whose darker side is: a disc's shadow is a dark circle of nearly its radius
    """

    bright: np.ndarray
    dark: np.ndarray

    @property
    def total(self) -> np.ndarray:
        """Share by both kinds of edges."""
        return self.bright + self.dark


def estimate_grain_whitening(rectified: BirdsEyeImage, spec: BoardSpec) -> FloatArray:
    """Matrix (3, 3) that turns BGR into units of this board's own grain and noise.

    Grain varies mostly along one direction of colour; in whitened colours a disc of nearly the
    wood's brightness but another hue stands out by its Mahalanobis distance.
    """
    pixels = rectified.image[::2, ::2].astype(np.float32)
    fine = pixels - cv2.GaussianBlur(pixels, (0, 0), 2.0 / rectified.mm_per_px)
    radius = rectified.radius_mm(2)
    bare = rectified.seen[::2, ::2] & (radius < spec.line_radii_mm[2] - 5) & (radius > 30)
    for line_mm in spec.line_radii_mm:
        bare &= np.abs(radius - line_mm) > 5
    samples = fine.reshape(-1, 3).take(np.flatnonzero(bare)[::2], axis=0)
    if len(samples) < 100:
        return np.eye(3) / 4.0  # hardly any surface in the picture: four grey levels are one sigma
    size = np.einsum("ij,ij->i", samples, samples)
    calm = int(PARAMS.calm_share * len(samples))
    samples = samples.take(np.argpartition(size, calm)[:calm], axis=0)
    covariance = 2 * samples.T @ samples / len(samples) + np.eye(3) * PARAMS.noise_floor_grey**2
    values, vectors = np.linalg.eigh(covariance)
    return (vectors / np.sqrt(values)).T


def find_colour_edges(
    rectified: BirdsEyeImage, whitening: FloatArray, outer_mm: float
) -> ColourEdges:
    """Thinned colour edges (Di Zenzo 1986) within ``outer_mm`` of the board's centre."""
    side = len(rectified.seen)
    strength = np.empty((side, side), np.float32)
    found = [
        _thin_band(rectified, whitening, top, strength) for top in range(0, side, PARAMS.band_rows)
    ]
    flat, cosine, is_rising = (np.concatenate(part) for part in zip(*found, strict=True))
    window = int(PARAMS.neighbourhood_mm / rectified.mm_per_px) | 1
    local = cv2.blur(np.minimum(strength, 8 * PARAMS.edge_floor_sigma), (window, window))
    m, near = strength.ravel().take(flat), local.ravel().take(flat)
    strong = np.flatnonzero(m > PARAMS.edge_local_share * near)
    row, column = np.divmod(flat.take(strong), side)
    away2_px = (column - rectified.centre_px) ** 2 + (row - rectified.centre_px) ** 2
    within = away2_px < (outer_mm / rectified.mm_per_px) ** 2
    if not rectified.seen.all():
        whole = cv2.erode(rectified.seen.view(np.uint8), np.ones((5, 5), np.uint8))
        within &= whole[row, column] > 0
    kept = strong[within]
    row, column, m, near = row[within], column[within], m.take(kept), near.take(kept)
    normal = _halve_angles(cosine.take(kept), is_rising.take(kept))
    normal *= _find_bright_sign(rectified.image, row, column, normal)[:, None]
    return ColourEdges(
        place_px=np.stack([column, row], axis=-1).astype(np.float32),
        normal=normal,
        weight=m / (m + PARAMS.local_weight * near + PARAMS.edge_floor_sigma),
    )


def _halve_angles(cosine: FloatArray, is_positive: np.ndarray) -> FloatArray:
    """Unit vectors (n, 2), x not negative, at half the angles that have these cosines and sign."""
    x = np.sqrt(np.maximum(0.5 + 0.5 * cosine, 0))
    y = np.sqrt(np.maximum(0.5 - 0.5 * cosine, 0))
    return np.stack([x, np.where(is_positive, y, -y)], axis=-1)


def _thin_band(
    rectified: BirdsEyeImage, whitening: FloatArray, top: int, strength: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Flat indices (n,) of the ridges above the floor in the rows from ``top`` on, the cosines (n,)
    of twice their normals' angles, and whether the sines are positive (n,).

    The strengths of all pixels of these rows are written into ``strength``.
    """
    side = len(rectified.image)
    first, last = (
        max(top - PARAMS.band_margin, 0),
        min(top + PARAMS.band_rows + PARAMS.band_margin, side),
    )
    tensor = _compute_structure_tensor(
        rectified.image[first:last], whitening, 1.0 / rectified.mm_per_px
    )
    own = slice(top - first, min(top + PARAMS.band_rows, side) - first)
    strength[first + own.start : first + own.stop] = tensor.strength[own]
    crest = _find_ridge_pixels(tensor)[own] & (tensor.strength[own] > PARAMS.edge_floor_sigma)
    at = np.flatnonzero(crest)
    cosine, sine, length = (
        part[own].ravel().take(at) for part in (tensor.cosine, tensor.sine, tensor.length)
    )
    return at + top * side, cosine / np.maximum(length, np.float32(1e-9)), sine > 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _StructureTensor:
    """How colours change about each pixel of a picture: (rows, columns) float32 each.

    strength      of the change along its steepest direction, a pixel
    cosine, sine  of twice that direction's angle, times ``length``
    """

    strength: np.ndarray
    cosine: np.ndarray
    sine: np.ndarray
    length: np.ndarray


def _compute_structure_tensor(
    image: np.ndarray, whitening: FloatArray, blur_px: float
) -> _StructureTensor:
    """Changes of the whitened colours (Di Zenzo 1986)."""
    white = cv2.transform(image.astype(np.float32), whitening.astype(np.float32))
    soft = cv2.GaussianBlur(white, (0, 0), blur_px)
    gx = cv2.Scharr(soft, cv2.CV_32F, 1, 0, scale=1 / 32)
    gy = cv2.Scharr(soft, cv2.CV_32F, 0, 1, scale=1 / 32)
    over_colours = np.ones((1, 3), np.float32)
    xx, yy, xy = (cv2.transform(a * b, over_colours) for a, b in ((gx, gx), (gy, gy), (gx, gy)))
    cosine, sine = xx - yy, 2 * xy
    length = cv2.magnitude(cosine, sine)
    strength = cv2.sqrt(0.5 * (xx + yy + length))
    return _StructureTensor(strength=strength, cosine=cosine, sine=sine, length=length)


def _find_bright_sign(
    image: np.ndarray, row: np.ndarray, column: np.ndarray, normal: FloatArray
) -> FloatArray:
    """Signs (n,) that turn the normals (n, 2) to the brighter side."""
    grey = np.pad(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), 2, mode="edge").astype(np.int16)
    width = grey.shape[1]
    dx, dy = np.rint(2 * normal).astype(np.intp).T
    here, step = (row + 2) * width + column + 2, dy * width + dx
    rise = grey.ravel().take(here + step) - grey.ravel().take(here - step)
    return np.where(rise >= 0, np.float32(1), np.float32(-1))


def _find_ridge_pixels(tensor: _StructureTensor) -> np.ndarray:
    """Which pixels are at least as strong as both neighbours along their direction (Canny 1986).

    The directions are rounded to multiples of 45 degrees; the picture's border is none.
    """
    s = tensor.strength
    middle = s[1:-1, 1:-1]
    cosine, half = tensor.cosine[1:-1, 1:-1], 0.5 * tensor.length[1:-1, 1:-1]
    rising = tensor.sine[1:-1, 1:-1] > 0
    beside = np.maximum(s[1:-1, 2:], s[1:-1, :-2])
    above = np.maximum(s[2:, 1:-1], s[:-2, 1:-1])
    falls = np.maximum(s[2:, 2:], s[:-2, :-2])
    rises = np.maximum(s[2:, :-2], s[:-2, 2:])
    steep = cosine < -half
    slanted = ~steep & (cosine < half)
    crest = np.zeros(s.shape, dtype=bool)
    crest[1:-1, 1:-1] = (
        (~steep & ~slanted & (middle >= beside))
        | (steep & (middle >= above))
        | (slanted & rising & (middle >= falls))
        | (slanted & ~rising & (middle >= rises))
    )
    return crest


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OrientedEdges:
    """Edges in the order of the side that they face, in pixels of a rectified image.

    place_px   x and y: (2, n)
    to_camera  unit normal, turned to the camera's side: (2, n)
    foot_shift_px  from where a top rim's centre is seen to where a foot's is: (2, n)
    weight     (n,)
    brightening_count  so many of them, the first, are brighter on the camera's side
    """

    place_px: FloatArray
    to_camera: FloatArray
    foot_shift_px: FloatArray
    weight: FloatArray
    brightening_count: int


def orient_edges(rectified: BirdsEyeImage, edges: ColourEdges, eye_mm: FloatArray) -> OrientedEdges:
    """The edges ready to vote; ``eye_mm`` (3,) is the camera's centre in the board frame."""
    eye = rectified.to_px(eye_mm[:2]).astype(np.float32)[:, None]
    place, normal = (np.ascontiguousarray(a.T) for a in (edges.place_px, edges.normal))
    brightens = ((eye - place) * normal).sum(axis=0) > 0
    order = np.concatenate([np.flatnonzero(brightens), np.flatnonzero(~brightens)])
    first = int(brightens.sum())
    place, to_camera = place.take(order, axis=1), normal.take(order, axis=1)
    to_camera[:, first:] *= -1
    return OrientedEdges(
        place_px=place,
        to_camera=to_camera,
        foot_shift_px=(eye - place) * np.float32(1 - eye_mm[2] / (eye_mm[2] - rectified.z_mm)),
        weight=edges.weight.take(order).astype(np.float64),
        brightening_count=first,
    )


def accumulate_votes(
    rectified: BirdsEyeImage, edges: OrientedEdges, radius_mm: float
) -> HoughVotes:
    """Which centres of discs of ``radius_mm`` the edges vote for."""
    inward = np.float32(radius_mm / rectified.mm_per_px) * edges.to_camera
    weight = edges.weight * _compute_vote_share(rectified, radius_mm)
    side = len(rectified.image)
    far, top, foot = (
        _find_bins(centre, side)
        for centre in (
            edges.place_px + inward,
            edges.place_px - inward,
            edges.place_px - inward + edges.foot_shift_px,
        )
    )

    one, other = slice(edges.brightening_count), slice(edges.brightening_count, None)

    def votes(away: slice, near: slice) -> np.ndarray:
        """Of edges on the far side ``away``, and of those on the near one, of a top or a foot."""
        both = np.concatenate([weight[away], weight[near]])
        return np.maximum(
            *(
                _accumulate_bins(rectified, np.concatenate([far[away], rim[near]]), both)
                for rim in (top, foot)
            )
        )

    return HoughVotes(bright=votes(one, other), dark=votes(other, one))


def _find_bins(place_px: FloatArray, side: int) -> np.ndarray:
    """Flat indices (n,) of the pixels at places (2, n); side squared for those outside."""
    column, row = np.floor(place_px + np.float32(0.5)).astype(np.int32)
    inside = (column.view(np.uint32) < side) & (row.view(np.uint32) < side)  # negative ones wrap
    return np.where(inside, row * side + column, side * side)


def _compute_vote_share(rectified: BirdsEyeImage, radius_mm: float) -> float:
    """What one vote, blurred, adds at its place to the share of a rim of ``radius_mm``, times the
    blur's own area."""
    sigma_px, rim_px = (
        PARAMS.vote_sigma_mm / rectified.mm_per_px,
        2 * np.pi * radius_mm / rectified.mm_per_px,
    )
    return float(2 * np.pi * sigma_px**2 / rim_px)


def _accumulate_bins(rectified: BirdsEyeImage, bins: np.ndarray, weight: FloatArray) -> np.ndarray:
    """Votes (n,) summed in their bins, and blurred: (side, side)."""
    side = rectified.image.shape[0]
    count = np.bincount(bins, weight, side * side + 1)[:-1].astype(np.float32)
    sigma_px = PARAMS.vote_sigma_mm / rectified.mm_per_px
    window = 2 * int(np.ceil(PARAMS.vote_reach_sigmas * sigma_px)) + 1
    return cv2.GaussianBlur(count.reshape(side, side), (window, window), sigma_px)


def find_peaks(
    share: np.ndarray, rectified: BirdsEyeImage, *, min_distance_mm: float, min_share: float
) -> FloatArray:
    """Local maxima (n, 3) of ``share`` as (x_mm, y_mm, share), strongest first."""
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
    padded = np.pad(share, reach)
    width = padded.shape[1]
    around = (row * width + column)[:, None] + (dy * width + dx)
    return np.asarray(padded.ravel()[around].max(axis=1, initial=-np.inf))


def suppress_non_maxima(place_mm: FloatArray, min_distance_mm: float) -> np.ndarray:
    """Indices of places (n, 2), in order, that keep ``min_distance_mm`` from all kept before."""
    gap = place_mm[:, None] - place_mm[None]
    is_apart = np.einsum("ijk,ijk->ij", gap, gap) >= min_distance_mm**2
    free = np.ones(len(place_mm), dtype=bool)
    kept: list[int] = []
    for i in range(len(place_mm)):
        if free[i]:
            kept.append(i)
            free &= is_apart[i]
    return np.array(kept, dtype=np.intp)
