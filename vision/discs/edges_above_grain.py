"""Thinned colour edges of a bird's-eye image, measured against the wood's own grain.

The gradient is Di Zenzo's (1986) for colours. The colours are first whitened by the grain's
covariance, so a step counts by its Mahalanobis distance. The gradient is thinned to ridges as by
Canny (1986) and weighted against its neighbourhood. If the board is hidden or out of the picture,
the covariance is that of other objects, and edges of discs may fall below it.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.board import BoardSpec
from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from vision.rectify.birds_eye import BirdsEyeImage


class ColourEdgesParameters(StageParameters):
    """Parameters of ``edges_above_grain``."""

    #: Grain is the difference from a blur with this sigma.
    grain_sigma_mm: float = parameter(
        2.0, unit="mm", source="chosen: the width of pores and stripes in wood"
    )
    #: It is measured on the wood between the hole and the 5-line, clear of lines by this.
    grain_inner_mm: float = parameter(
        30.0,
        unit="mm",
        source="chosen: a hole and its worn rim extend to 17.5 mm and more from the centre",
    )
    clear_of_lines_mm: float = parameter(
        5.0, unit="mm", source="chosen: the line, its blur and that of the grain"
    )
    #: Variation assumed even for a noiseless surface without texture.
    noise_floor_grey: float = parameter(
        0.7, unit="grey value", source="chosen: the error by which JPEG rounds grey values"
    )
    #: Share of the surface's pixels, those with the least variation, from which the empty wood's
    #: covariance is estimated.
    calm_share: float = parameter(0.8, unit="share", source="chosen: discs cover less than a fifth")
    #: An edge weaker than this per pixel, or than this share of its neighbourhood, counts as grain.
    edge_floor_sigma: float = parameter(
        0.25, unit="σ", source="chosen: blurred grain stays below this"
    )
    edge_local_share: float = parameter(
        0.7, unit="share", source="chosen: removes the grain's edges and keeps rims"
    )
    #: An edge of strength m has the weight m / (m + this x neighbourhood + floor).
    local_weight: float = parameter(
        1.5, unit="", source="chosen: so that one strong edge does not outvote many weak ones"
    )
    #: Side of the neighbourhood.
    neighbourhood_mm: float = parameter(61.0, unit="mm", source="chosen: the width of two discs")
    #: An edge's strength relative to its neighbourhood is limited to this many floors.
    max_local_floors: float = parameter(
        8.0, unit="", source="chosen: so that one rim does not suppress the others"
    )


PARAMS = ColourEdgesParameters()
#: Fewest samples for estimating a covariance: 16 for each of 6 unknowns.
_MIN_GRAIN_SAMPLES = 100
#: Noise assumed with fewer samples: as in a noisy picture.
_DEFAULT_NOISE_GREY = 4.0
#: Rows processed at once, so that everything computed from them fits into the processor's cache.
_BAND_ROWS = 96
#: Rows beyond a band that are needed for its blur, slopes and ridges, for a blur of one pixel.
_BAND_MARGIN = 6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ColourEdges:
    """n thinned edges of a bird's-eye image, in its pixels.

    place_px  (n, 2)
    normal    unit, towards the brighter side: (n, 2)
    weight    0 to 1: (n,)
    """

    place_px: FloatArray
    normal: FloatArray
    weight: FloatArray


def estimate_grain_whitening(rectified: BirdsEyeImage, spec: BoardSpec) -> FloatArray:
    """Matrix (3, 3) that turns BGR, grey values, into sigmas of this board's own grain and noise.

    Grain varies mostly along one direction of colour; in whitened colours a disc of nearly the
    wood's brightness but another hue stands out by its Mahalanobis distance.
    """
    pixels = rectified.image[::2, ::2].astype(np.float32)
    fine = pixels - cv2.GaussianBlur(pixels, (0, 0), PARAMS.grain_sigma_mm / rectified.mm_per_px)
    radius = rectified.radius_mm(2)
    clear_mm = PARAMS.clear_of_lines_mm
    empty = rectified.inside[::2, ::2] & (radius < spec.line_radii_mm[2] - clear_mm)
    empty &= radius > PARAMS.grain_inner_mm
    for line_mm in spec.line_radii_mm:
        empty &= np.abs(radius - line_mm) > clear_mm
    samples = fine.reshape(-1, 3).take(np.flatnonzero(empty)[::2], axis=0)
    if len(samples) < _MIN_GRAIN_SAMPLES:  # hardly any surface is in the picture
        return np.eye(3) / _DEFAULT_NOISE_GREY
    size = np.einsum("ij,ij->i", samples, samples)
    calm = int(PARAMS.calm_share * len(samples))
    samples = samples.take(np.argpartition(size, calm)[:calm], axis=0)
    covariance = 2 * samples.T @ samples / len(samples) + np.eye(3) * PARAMS.noise_floor_grey**2
    values, vectors = np.linalg.eigh(covariance)
    return (vectors / np.sqrt(values)).T


def find_colour_edges(
    rectified: BirdsEyeImage, whitening: FloatArray, outer_mm: float
) -> ColourEdges:
    """The edges within ``outer_mm`` of the board's centre that are inside the photo."""
    height, width = rectified.inside.shape
    strength = np.empty((height, width), np.float32)
    bands = range(0, height, _BAND_ROWS)
    found = [_thin_band(rectified, whitening, top, strength) for top in bands]
    flat, cosine, is_rising = (np.concatenate(part) for part in zip(*found, strict=True))
    window = int(PARAMS.neighbourhood_mm / rectified.mm_per_px) | 1
    local = cv2.blur(
        np.minimum(strength, PARAMS.max_local_floors * PARAMS.edge_floor_sigma), (window, window)
    )
    m, near = strength.ravel().take(flat), local.ravel().take(flat)
    strong = np.flatnonzero(m > PARAMS.edge_local_share * near)
    row, column = np.divmod(flat.take(strong), width)
    x, y = rectified.centre_px
    away2_px = (column - x) ** 2 + (row - y) ** 2
    within = away2_px < (outer_mm / rectified.mm_per_px) ** 2
    if not rectified.inside.all():
        whole = cv2.erode(rectified.inside.view(np.uint8), np.ones((5, 5), np.uint8))
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

    Writes the strengths of all pixels of these rows into ``strength``.
    """
    height, width = rectified.inside.shape
    first, last = (
        max(top - _BAND_MARGIN, 0),
        min(top + _BAND_ROWS + _BAND_MARGIN, height),
    )
    tensor = _compute_structure_tensor(
        rectified.image[first:last], whitening, 1.0 / rectified.mm_per_px
    )
    own = slice(top - first, min(top + _BAND_ROWS, height) - first)
    strength[first + own.start : first + own.stop] = tensor.strength[own]
    crest = _find_ridge_pixels(tensor)[own] & (tensor.strength[own] > PARAMS.edge_floor_sigma)
    at = np.flatnonzero(crest)
    cosine, sine, length = (
        part[own].ravel().take(at) for part in (tensor.cosine, tensor.sine, tensor.length)
    )
    return at + top * width, cosine / np.maximum(length, np.float32(1e-9)), sine > 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _StructureTensor:
    """The colour gradient at every pixel of a picture: (rows, columns) float32.

    strength      change per pixel along the steepest direction
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
    grey = cv2.copyMakeBorder(
        cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), 2, 2, 2, 2, cv2.BORDER_REPLICATE
    )
    width = grey.shape[1]
    dx, dy = np.rint(2 * normal).astype(np.intp).T
    here, step = (row + 2) * width + column + 2, dy * width + dx
    rises = grey.ravel().take(here + step) >= grey.ravel().take(here - step)
    return np.where(rises, np.float32(1), np.float32(-1))


def _find_ridge_pixels(tensor: _StructureTensor) -> np.ndarray:
    """Pixels that are at least as strong as both neighbours along their direction (Canny 1986).

    The directions are rounded to multiples of 45 degrees; the picture's border does not count.
    """
    s = tensor.strength
    middle = s[1:-1, 1:-1]
    cosine, half = tensor.cosine[1:-1, 1:-1], 0.5 * tensor.length[1:-1, 1:-1]
    rising = tensor.sine[1:-1, 1:-1] > 0
    beside = np.maximum(s[1:-1, 2:], s[1:-1, :-2])
    above = np.maximum(s[2:, 1:-1], s[:-2, 1:-1])
    falls = np.maximum(s[2:, 2:], s[:-2, :-2])
    rises = np.maximum(s[2:, :-2], s[:-2, 2:])
    oblique = cosine < -half
    slanted = ~oblique & (cosine < half)
    crest = np.zeros(s.shape, dtype=bool)
    crest[1:-1, 1:-1] = (
        (~oblique & ~slanted & (middle >= beside))
        | (oblique & (middle >= above))
        | (slanted & rising & (middle >= falls))
        | (slanted & ~rising & (middle >= rises))
    )
    return crest
