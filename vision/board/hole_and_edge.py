"""Other features of a fitted board: the width of its lines, its hole and its surface's edge.

Hole and edge are the clearest steps of brightness along circles. If a millimetre is far less than a
pixel, the hole's floor is compared with the wood around it instead. A line's width is that of the
blurred box that fits its profile best in linear light, with a normal prior on the usual width. A
feature that cannot be seen keeps its nominal size.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import ClassVar

import cv2
import numpy as np

from calibration.board import BoardSpec, FloatArray
from calibration.fit import BoardFit
from calibration.numerics.least_squares import MAD_TO_SIGMA
from calibration.numerics.medians import column_medians, upper_median
from calibration.parameters import StageParameters, parameter
from vision.board.line_radii import PARAMS as LINE_PARAMS
from vision.board.rings import PARAMS as RING_PARAMS
from vision.rectify.luminance import decode_gamma
from vision.rectify.ring_profiles import measure_radial_mm_per_px, sample_rings

#: Azimuths at which circles are sampled: every 3°.
_AZIMUTHS = np.arange(120) * (2 * np.pi / 120)


class FeaturesParameters(StageParameters):
    """Parameters of ``features``."""

    stage: ClassVar[str] = "board.features"

    #: The surface ends this far outside the 5-line.
    border_range_mm: tuple[float, float] = parameter(
        (9.0, 60.0), unit="mm", source="nominally 25.4 mm; home-made boards vary"
    )
    hole_radius_range_mm: tuple[float, float] = parameter(
        (14.0, 20.5),
        unit="mm",
        source="nominally 17.46 mm; in home-made boards, it scales with their 10-line",
    )
    #: Largest distance of the hole from the rings' centre.
    hole_off_centre_mm: float = parameter(
        2.0, unit="mm", source="measured: holes of photographed boards are a millimetre or two off"
    )
    #: A step in brightness is measured over this distance.
    edge_mm: float = parameter(
        1.6, unit="mm", source="chosen: the width of a worn or bevelled edge"
    )
    #: A step in one azimuth counts if it exceeds the median one by this.
    min_step_grey: float = parameter(
        2.0, unit="grey value", source="chosen: steps made by JPEG are smaller"
    )
    #: An edge counts as seen if the brightness steps in the same direction in this share of the
    #: azimuths.
    min_agreeing_share: float = parameter(
        0.6, unit="share", source="chosen: most of the azimuths; discs and shadows hide some"
    )
    #: Nearly all sectors of the floor differ from the wood in the same direction.
    min_sector_share: float = parameter(
        0.9,
        unit="share",
        source="measured on our renders at 66 to 78°: true boards mostly show 1, wrong fits 0.6",
    )
    #: A step at the surface's edge is measured over this many pixels on both sides.
    edge_reach_px: float = parameter(
        2.0, unit="px", source="chosen: the width of an edge with its blur"
    )
    #: The surface's edge is seen along this share of its circle.
    min_edge_share: float = parameter(
        0.7,
        unit="share",
        source="measured on our renders at 66 to 78°: with 0.7 and more, 387 of 390 fits with "
        "posts are right to 1%; with 0.65 to 0.7, 7 of 9",
    )
    #: Usual width of a line, and one standard deviation.
    typical_width_mm: tuple[float, float] = parameter(
        (1.9, 0.5),
        unit="mm",
        source="chosen: lines are 1.2 to 3.2 mm wide, most of them nearer 1.6 mm",
    )
    blur_px: float = parameter(
        0.8,
        unit="px",
        source="measured: the blur of a camera's picture in our renders, whose lines' widths "
        "are known",
    )
    #: Error of a measured width in a picture where a pixel is a millimetre.
    width_sigma_mm: float = parameter(
        0.5, unit="mm", source="measured on our renders, whose lines' widths are known"
    )


PARAMS = FeaturesParameters()
#: Circles are sampled this far beyond the radii that count: more than the width of the edge, 1.6
#: mm.
_MARGIN_MM = 2.0
#: The hole's floor is compared out to this, in hole radii: clear of the hole's wall, which lamps
#: light.
_FLOOR_SHARE = 0.7
#: It is compared with the wood between these, in hole radii: clear of the hole's edge and its blur.
_BESIDE_HOLE_SPAN = (1.35, 1.9)
#: Largest deviation of the edge's radius: surfaces are turned about their rings' centre to within
#: this.
_EDGE_STRAY_MM = 1.0
#: Profile of a line: the line is within the first of these distances from its middle, and the wood
#: out to the second: half of the widest line tried, 2.3 mm, with its blur.
_LINE_PROFILE_MM = (5.0, 9.0)
#: Least number of azimuths of a line's profile: 60°, so that discs and shadows do not reach the
#: median.
_MIN_PROFILE_AZIMUTHS = 20
#: Sectors in which the floor is compared with the wood: 30° each.
_HOLE_SECTORS = 12
#: Step along a radius: a quarter of a line's width.
_STEP_MM = 0.4
#: Widths of a line that are tried.
_WIDTHS_MM = np.arange(0.8, 4.6, 0.1)


def measure_features(grey: np.ndarray, fit: BoardFit, *, dark: bool) -> BoardFit:
    """The fit with the line width, hole radius and surface radius measured in this picture.

    ``grey`` is (h, w) uint8, in the fit's pixels; ``dark``: the lines are darker than wood.
    """
    spec = fit.spec
    width, width_sigma = _measure_line_width(grey, fit, dark=dark)
    surface = _find_step_radius(
        grey,
        fit,
        spec.line_radii_mm[2] + PARAMS.border_range_mm[0],
        spec.line_radii_mm[2] + PARAMS.border_range_mm[1],
    )
    hole = _find_step_radius(grey, fit, *PARAMS.hole_radius_range_mm)
    return replace(
        fit,
        spec=replace(
            spec,
            line_width_mm=width,
            line_width_sigma_mm=width_sigma,
            surface_radius_mm=spec.surface_radius_mm if surface is None else surface,
            hole_radius_mm=spec.hole_radius_mm if hole is None else hole,
        ),
    )


def has_hole(grey: np.ndarray, fit: BoardFit) -> bool:
    """Whether a hole of about the right size is at the centre of the rings, in any paint."""
    low, high = PARAMS.hole_radius_range_mm
    radii = np.arange(low - _MARGIN_MM, high + _MARGIN_MM, _STEP_MM)
    values = sample_rings(grey, fit.view, radii, _AZIMUTHS)
    span = int(round(PARAMS.edge_mm / _STEP_MM))
    step = np.nan_to_num(values[:, span:] - values[:, :-span])
    clear = RING_PARAMS.paint_ratio * (1.0 + float(np.median(np.abs(step))))
    # holes are a millimetre or two off the rings' centre, so that their edge's radius varies
    reach = np.ones((1, 2 * int(round(PARAMS.hole_off_centre_mm / _STEP_MM)) + 1), np.uint8)
    shares = [
        float((cv2.dilate(way.astype(np.float32), reach) > clear).mean(axis=0).max())
        for way in (step, -step)
    ]
    return max(shares) >= PARAMS.min_agreeing_share


def has_plain_hole(grey: np.ndarray, fit: BoardFit) -> bool:
    """Whether the area within the hole's edge differs from the wood beside it all round.

    This works if a step is too narrow to be seen, as in an oblique view. A centre misplaced by a
    third of the hole fails.
    """
    hole_mm = fit.spec.hole_radius_mm
    near, far = (share * hole_mm for share in _BESIDE_HOLE_SPAN)
    floor = sample_rings(
        grey, fit.view, np.linspace(0.25, 1.0, 7) * _FLOOR_SHARE * hole_mm, _AZIMUTHS
    )
    wood = sample_rings(grey, fit.view, np.linspace(near, far, 10), _AZIMUTHS)
    if not (np.isfinite(floor).all() and np.isfinite(wood).all()):
        return False
    noise = MAD_TO_SIGMA * upper_median(np.abs(wood - np.median(wood)).ravel())
    sectors = [values.reshape(_HOLE_SECTORS, -1).mean(axis=1) for values in (floor, wood)]
    step, clear = sectors[0] - sectors[1], PARAMS.min_step_grey + noise
    return bool(max((step > clear).mean(), (step < -clear).mean()) >= PARAMS.min_sector_share)


def has_edge(grey: np.ndarray, fit: BoardFit) -> bool:
    """Whether the surface's edge is visible where the fit predicts it."""
    return measure_edge_share(grey, fit) >= PARAMS.min_edge_share


def measure_edge_share(grey: np.ndarray, fit: BoardFit) -> float:
    """Share of the azimuths with a step of the same sign at the surface's edge.

    The best of the possible circles counts. Steps are taken over pixels, so they show in oblique
    views as well; 0 if too little is in the picture.
    """
    step_mm, r5 = _STEP_MM, fit.spec.line_radii_mm[2]
    low, high = (r5 + offset_mm for offset_mm in PARAMS.border_range_mm)
    px_mm = measure_radial_mm_per_px(fit.view, (low + r5) / 2, _AZIMUTHS)
    half = np.maximum(PARAMS.edge_mm / 2, PARAMS.edge_reach_px * px_mm)
    half = np.clip(np.round(half / step_mm), 1, 0.25 * (high - r5) / step_mm).astype(np.intp)
    radii = np.arange(r5 + PARAMS.edge_mm, high, step_mm)
    total = np.cumsum(sample_rings(grey, fit.view, radii, _AZIMUTHS), axis=1, dtype=np.float64)
    at = np.arange(len(radii))
    places = at + half[:, None] * np.array([[-1], [0], [1]])[:, None]
    inner, middle, outer = (
        np.take_along_axis(total, place.clip(0, len(radii) - 1), axis=1) for place in places
    )
    is_whole = (places[0] >= 0) & (places[2] < len(radii))
    step = np.where(is_whole, (outer - 2 * middle + inner) / half[:, None], np.nan)
    seen = np.isfinite(step).sum(axis=0)
    is_asked = (seen >= 0.5 * len(_AZIMUTHS)) & (radii >= low)
    if not is_asked.any():
        return 0.0
    clear = PARAMS.min_step_grey + float(np.nanmedian(np.abs(step)))
    reach = np.ones((1, 2 * int(round(_EDGE_STRAY_MM / step_mm)) + 1), np.uint8)
    shares = [
        (cv2.dilate(way.astype(np.float32), reach).sum(axis=0) / np.maximum(seen, 1))[is_asked]
        for way in (step > clear, step < -clear)
    ]
    return float(min(np.max(shares), 1.0))


def _find_step_radius(
    grey: np.ndarray, fit: BoardFit, low_mm: float, high_mm: float
) -> float | None:
    """Radius of the clearest step in brightness about the board's centre, or None."""
    radii = np.arange(low_mm - _MARGIN_MM, high_mm + _MARGIN_MM, _STEP_MM)
    values = sample_rings(grey, fit.view, radii, _AZIMUTHS)
    span = int(round(PARAMS.edge_mm / _STEP_MM))
    step = values[:, span:] - values[:, :-span]
    middle = (radii[span:] + radii[:-span]) / 2
    is_visible = np.isfinite(step).sum(axis=0) > LINE_PARAMS.min_visible_share * len(_AZIMUTHS)
    if not is_visible.any():
        return None
    step, middle = step[:, is_visible], middle[is_visible]
    visible = np.isfinite(step).sum(axis=0)
    noise = PARAMS.min_step_grey + float(np.nanmedian(np.abs(step)))
    up = (step > noise).sum(axis=0) / np.maximum(visible, 1)
    down = (step < -noise).sum(axis=0) / np.maximum(visible, 1)
    agree = np.maximum(up, down)
    if agree.max() < PARAMS.min_agreeing_share:
        return None
    # several radii see the same edge, because a step spans several; its middle is where it is
    # largest
    agreed, size = agree >= PARAMS.min_agreeing_share, np.zeros(len(agree))
    known = step[np.isfinite(step[:, agreed]).all(axis=1)]
    if len(known) == 0:
        return None
    size[agreed] = np.abs(column_medians(known[:, agreed]))
    near = np.abs(np.arange(len(size)) - int(size.argmax())) <= span
    mass = np.where(near, np.clip(size - 0.5 * size.max(), 0.0, None), 0.0)
    return float((mass * middle).sum() / mass.sum()) if mass.any() else None


def _measure_line_width(grey: np.ndarray, fit: BoardFit, *, dark: bool) -> tuple[float, float]:
    """Painted width of the lines and its standard deviation, mm.

    A painted line is a blurred box. The width is that of the box that best explains the three
    lines' profiles if these are wide enough, and otherwise the usual width.
    """
    line_mm, far_mm = _LINE_PROFILE_MM
    offsets = np.arange(-far_mm, far_mm + _STEP_MM / 4, _STEP_MM / 2)
    near = np.abs(offsets) <= line_mm
    blur_mm = PARAMS.blur_px * fit.view.mm_per_px()
    boxes = _make_blurred_boxes(offsets[near], blur_mm)
    widths = []
    for line in range(3):
        profile = _measure_line_profile(grey, fit, line, offsets)
        if profile is None:
            continue
        paint = profile - np.median(profile[~near])
        paint = (-paint if dark else paint)[near]
        depth = (boxes @ paint) / np.sum(boxes**2, axis=1)
        misfit = np.sum((paint - depth[:, None] * boxes) ** 2, axis=1)
        widths.append(float(_WIDTHS_MM[misfit.argmin()]))
    if not widths:
        return PARAMS.typical_width_mm
    usual, usual_sigma = PARAMS.typical_width_mm
    sigma = PARAMS.width_sigma_mm * max(fit.view.mm_per_px(), 0.4) ** 2
    trust = usual_sigma**2 / (usual_sigma**2 + sigma**2)
    width = trust * float(np.median(widths)) + (1 - trust) * usual
    return width, float(np.sqrt(trust) * sigma)


def _make_blurred_boxes(offsets: FloatArray, blur_mm: float) -> FloatArray:
    """Profiles (widths, offsets) of lines of every width, of depth 1, under a normal blur."""
    half = _WIDTHS_MM[:, None] / 2
    scale = np.sqrt(2) * blur_mm
    return 0.5 * (_erf((offsets + half) / scale) - _erf((offsets - half) / scale))


def _erf(values: FloatArray) -> FloatArray:
    """The error function without SciPy, which takes longer to import than a picture takes to
    read.
    """
    return np.vectorize(math.erf, otypes=[float])(values)


def _measure_line_profile(
    grey: np.ndarray, fit: BoardFit, line: int, offsets: FloatArray
) -> FloatArray | None:
    """Median light (offsets,), 0 to 1, across a line; None if too little of it is visible."""
    spec: BoardSpec = fit.spec
    arm = spec.line_points_mm(line, _AZIMUTHS) - np.asarray(spec.line_centres_mm[line])
    radius = np.linalg.norm(arm, axis=-1)
    values = sample_rings(
        grey, fit.view, radius[:, None] + offsets, _AZIMUTHS, centre_mm=spec.line_centres_mm[line]
    )
    whole = np.isfinite(values).all(axis=1)
    if whole.sum() < _MIN_PROFILE_AZIMUTHS:
        return None
    # blur adds up light, not grey values
    return np.asarray(np.median(decode_gamma(values[whole]), axis=0))
