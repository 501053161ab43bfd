"""Where the rims of discs may be: votes of edges for the centre of a circle of a known radius.

Knows edges of the top-down picture, measured against the wood's own grain, and which circle centres
they agree on. Refuses to decide that a circle is a disc.

A disc's outline is the whole top rim at z = h and, on the camera's side, the foot at z = 0; both
are circles about the same (x, y). An edge votes for the centre one radius behind it, on both of its
sides; one that could be the camera's side of a foot votes there as well.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.board import BoardSpec
from calibration.camera import FloatArray
from vision.topdown import TopDown

#: Grey levels that even a noiseless, textureless surface is taken to vary by (JPEG rounding).
_NOISE_FLOOR_GREY = 0.7
#: Share of the surface's pixels, the calmest, that stand for the bare wood in its covariance.
_CALM_SHARE = 0.8
#: An edge weaker than this many grain sigmas a pixel, or than 0.7 of its neighbourhood, is grain.
_EDGE_FLOOR_SIGMA = 0.25
_EDGE_LOCAL_SHARE = 0.7
#: An edge m weighs m / (m + 1.5 neighbourhood + floor): one strong edge does not outvote many weak.
_LOCAL_WEIGHT = 1.5
#: Side of the neighbourhood, about four discs across.
_NEIGHBOURHOOD_MM = 61.0
#: Blur of the votes: edge directions in real pictures are true to about 6 degrees, 1.5 mm at 15 mm.
_VOTE_SIGMA_MM = 1.5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Edges:
    """Thinned edges of a top-down picture, in its pixels.

    place_px (n, 2) · normal unit, towards the brighter side (n, 2) · weight 0 to 1 (n,)
    """

    place_px: FloatArray
    normal: FloatArray
    weight: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RimShares:
    """Share of a disc's outline that edges support, for a disc centred at each pixel: (side, side).

    bright  by edges whose brighter side is the disc's
    dark    by edges whose darker side is: a disc's shadow is a dark circle of nearly its radius
    """

    bright: np.ndarray
    dark: np.ndarray

    @property
    def total(self) -> np.ndarray:
        """Share by both kinds of edges."""
        return self.bright + self.dark


def grain_whitening(plan: TopDown, spec: BoardSpec) -> FloatArray:
    """Matrix (3, 3) that turns BGR into units of this board's own grain and noise.

    Grain varies mostly along one direction of colour; in whitened colours a disc of nearly the
    wood's brightness but another hue stands out by its Mahalanobis distance.
    """
    pixels = plan.image[::2, ::2].astype(np.float32)
    fine = pixels - cv2.GaussianBlur(pixels, (0, 0), 2.0 / plan.mm_per_px)
    radius = plan.radius_mm()[::2, ::2]
    bare = plan.seen[::2, ::2] & (radius < spec.line_radii_mm[2] - 5) & (radius > 30)
    for line_mm in spec.line_radii_mm:
        bare &= np.abs(radius - line_mm) > 5
    samples = fine[bare][::2]
    if len(samples) < 100:
        return np.eye(3) / 4.0  # hardly any surface in the picture: four grey levels are one sigma
    size = np.linalg.norm(samples, axis=1)
    samples = samples[size <= np.quantile(size, _CALM_SHARE)]
    covariance = 2 * samples.T @ samples / len(samples) + np.eye(3) * _NOISE_FLOOR_GREY**2
    values, vectors = np.linalg.eigh(covariance)
    return (vectors / np.sqrt(values)).T


def find_edges(plan: TopDown, whitening: FloatArray, outer_mm: float) -> Edges:
    """Thinned colour edges (Di Zenzo 1986) within ``outer_mm`` of the board's centre."""
    white = cv2.transform(plan.image.astype(np.float32), whitening.astype(np.float32))
    soft = cv2.GaussianBlur(white, (0, 0), 1.0 / plan.mm_per_px)
    gx = cv2.Scharr(soft, cv2.CV_32F, 1, 0, scale=1 / 32)
    gy = cv2.Scharr(soft, cv2.CV_32F, 0, 1, scale=1 / 32)
    xx, yy = np.einsum("ijk,ijk->ij", gx, gx), np.einsum("ijk,ijk->ij", gy, gy)
    xy = np.einsum("ijk,ijk->ij", gx, gy)
    strength = np.sqrt(0.5 * (xx + yy + np.sqrt((xx - yy) ** 2 + 4 * xy * xy)))
    window = int(_NEIGHBOURHOOD_MM / plan.mm_per_px) | 1
    local = cv2.blur(np.minimum(strength, 8 * _EDGE_FLOOR_SIGMA), (window, window))
    unseen = cv2.dilate((~plan.seen).astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    strong = (strength > _EDGE_FLOOR_SIGMA) & (strength > _EDGE_LOCAL_SHARE * local)
    row, column = np.nonzero(strong & (plan.radius_mm() < outer_mm) & ~unseen)
    angle = 0.5 * np.arctan2(2 * xy[row, column], (xx - yy)[row, column])
    normal = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    normal *= _towards_bright(plan.image, row, column, normal)[:, None]
    crest = _is_crest(strength, row, column, normal)
    m, near = strength[row, column][crest], local[row, column][crest]
    return Edges(
        place_px=np.stack([column, row], axis=-1)[crest].astype(np.float32),
        normal=normal[crest],
        weight=m / (m + _LOCAL_WEIGHT * near + _EDGE_FLOOR_SIGMA),
    )


def _towards_bright(
    image: np.ndarray, row: np.ndarray, column: np.ndarray, normal: FloatArray
) -> FloatArray:
    """Signs (n,) that turn the normals (n, 2) to the brighter side."""
    grey = np.pad(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY).astype(np.int16), 2, mode="edge")
    dx, dy = np.rint(2 * normal).astype(np.intp).T
    rise = grey[row + 2 + dy, column + 2 + dx] - grey[row + 2 - dy, column + 2 - dx]
    return np.where(rise >= 0, 1.0, -1.0)


def _is_crest(
    strength: np.ndarray, row: np.ndarray, column: np.ndarray, normal: FloatArray
) -> np.ndarray:
    """Which pixels (n,) are at least as strong as their two neighbours along the normal."""
    padded = np.pad(strength, 1)
    dx, dy = np.rint(normal).astype(np.intp).T
    ahead, behind = padded[row + 1 + dy, column + 1 + dx], padded[row + 1 - dy, column + 1 - dx]
    return strength[row, column] >= np.maximum(ahead, behind)


def rim_shares(plan: TopDown, edges: Edges, eye_mm: FloatArray, radius_mm: float) -> RimShares:
    """Which disc centres the edges vote for; ``eye_mm`` (3,) is the camera in the board frame."""
    place_mm = plan.to_mm(edges.place_px)
    towards_eye = eye_mm[:2] - place_mm
    foot_mm = eye_mm[:2] - towards_eye * (eye_mm[2] / (eye_mm[2] - plan.z_mm))
    normal_mm = edges.normal * (1, -1)
    share = []
    for outward in (-normal_mm, normal_mm):
        near = np.sum(outward * towards_eye, axis=-1) > 0
        inward_mm = -radius_mm * outward
        far_map, top_map, foot_map = (
            _cast(plan, (place + inward_mm)[which], edges.weight[which], radius_mm)
            for place, which in ((place_mm, ~near), (place_mm, near), (foot_mm, near))
        )
        share.append(far_map + np.maximum(top_map, foot_map))
    return RimShares(bright=share[0], dark=share[1])


def _cast(plan: TopDown, place_mm: FloatArray, weight: FloatArray, radius_mm: float) -> np.ndarray:
    """Votes (n,) summed at their places, blurred, as a share of a rim of ``radius_mm``."""
    side = plan.image.shape[0]
    px = np.rint(plan.to_px(place_mm)).astype(np.intp)
    inside = ((px >= 0) & (px < side)).all(axis=-1)
    flat = px[inside, 1] * side + px[inside, 0]
    count = np.bincount(flat, weight[inside], side * side).reshape(side, side)
    sigma_px = _VOTE_SIGMA_MM / plan.mm_per_px
    rim_px = 2 * np.pi * radius_mm / plan.mm_per_px
    return cv2.GaussianBlur(count.astype(np.float32), (0, 0), sigma_px) * (
        2 * np.pi * sigma_px**2 / rim_px
    )


def peaks(share: np.ndarray, plan: TopDown, *, apart_mm: float, least: float) -> FloatArray:
    """Local maxima (n, 3) of ``share`` as (x_mm, y_mm, share), strongest first."""
    reach = int(apart_mm / plan.mm_per_px)
    window = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1, 2 * reach + 1))
    row, column = np.nonzero((share >= cv2.dilate(share, window)) & (share > least))
    value = share[row, column]
    order = np.argsort(-value, kind="stable")
    place = plan.to_mm(np.stack([column, row], axis=-1)[order])
    return np.column_stack([place, value[order]])


def apart(place_mm: FloatArray, least_mm: float) -> np.ndarray:
    """Indices of places (n, 2), in order, that keep ``least_mm`` from all kept before."""
    kept: list[int] = []
    for i, place in enumerate(place_mm):
        if all(np.hypot(*(place - place_mm[k])) >= least_mm for k in kept):
            kept.append(i)
    return np.array(kept, dtype=np.intp)
