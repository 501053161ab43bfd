"""Ring lines: painted circles located in a picture to a fraction of a pixel.

Strips along the rings of a rough view are filtered with a matched filter for lines (see
``vision.rectify.ring_profiles``), and the centroid of its peak is the line's middle. Lines narrower
than a pixel, under glare, or beside a shadow of their own width are missed or misplaced; the robust
fit of all points (``calibration.fit``) handles these outliers.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.board import BoardSpec
from calibration.camera import FloatArray
from calibration.numerics.medians import upper_median
from calibration.parameters import StageParameters, parameter
from calibration.pose import View
from calibration.ring_residuals import RingPoints
from vision.rectify.luminance import PARAMS as LUMINANCE
from vision.rectify.ring_profiles import (
    line_response,
    measure_radial_mm_per_px,
    sample_rings,
    widened_line_response,
)


class RingsParameters(StageParameters):
    """Parameters of ``rings``."""

    #: The filter's core is never narrower than this on either side, because a line may be blurred.
    core_px: float = parameter(
        1.0,
        unit="px",
        source="chosen: the width of a thin line in the picture, blurred by lens and JPEG",
    )
    #: Least noise assumed.
    min_noise_grey: float = parameter(
        0.5,
        unit="grey value",
        source="chosen: grey values are whole numbers, so they have at least this much noise",
    )
    #: Paint shows where its response is this many times the wood's median response.
    paint_ratio: float = parameter(
        3.0, unit="medians", source="normal noise: two standard deviations (a median is 0.6745 σ)"
    )
    #: At least this share of a line is checked for paint, however much of its wood is saturated.
    min_checked_share: float = parameter(
        0.5,
        unit="share",
        source="chosen: a line that glare covers nearly everywhere is not accepted unchecked",
    )
    #: Distance from a line at which its response has vanished.
    clear_of_lines_mm: float = parameter(
        12.0,
        unit="mm",
        source="chosen: a line of 3 mm, flanks of 5 mm and the error of a rough view",
    )
    #: Share of a circle that must be in the picture to decide whether it is a ring.
    min_known: float = parameter(
        0.15, unit="share", source="chosen: if less of a line is known, it is not used to decide"
    )
    #: Paint is searched for within this distance of a line, and compared with the wood between
    #: these.
    on_line_mm: float = parameter(
        0.6, unit="mm", source="chosen: half of the narrowest line, 1.2 mm"
    )
    wood_mm: tuple[float, float] = parameter(
        (8.0, 18.0), unit="mm", source="chosen: clear of the line and its flanks, but near it"
    )
    #: Least response that paint is compared with.
    min_paint_grey: float = parameter(
        1.0,
        unit="grey value",
        source="chosen: grey values are whole numbers, so smaller differences mean nothing",
    )
    #: Where a pixel covers many millimetres, lines are searched within this distance of their
    #: place.
    max_reach_mm: float = parameter(
        18.0,
        unit="mm",
        source="chosen: the surface's edge is 25 mm outside the 5-line, less its blur",
    )
    #: A peak's centroid is computed over the response above this share of the peak, within this
    #: distance.
    centroid_level: float = parameter(
        0.6,
        unit="share",
        source="chosen: cuts off the sides of the flat top that the matched filter produces",
    )
    centroid_reach_mm: float = parameter(
        2.5, unit="mm", source="chosen: half of a wide line, and the core over which it is averaged"
    )
    #: A traced point must stand out from its strip's noise by this, if this share of the strip is
    #: known.
    min_trace_ratio: float = parameter(
        1.5, unit="medians", source="chosen: weak points help, and the robust fit drops wrong ones"
    )
    min_strip_share: float = parameter(
        0.9, unit="share", source="chosen: strips cut off by the picture's edge are left out"
    )
    #: Strips reach this far beyond the search.
    strip_margin_mm: float = parameter(
        5.0, unit="mm", source="chosen: the matched filter's flanks reach 4.6 mm"
    )


PARAMS = RingsParameters()
#: Largest widening of the line filter: wider flanks than 28 mm leave the zone beside a line.
MAX_WIDENING = 6.0
#: Step of the profiles across all rings; lines are 1.2 mm and wider.
PROFILE_STEP_MM = 1.0
#: Directions of the profiles: every 3°.
PROFILE_AZIMUTHS = 120
#: Only every so many azimuths are used for the response of empty wood: a median needs no more, and
#: it saves time.
_NOISE_AZIMUTH_STEP = 3
#: Step across a line when its paint is looked for: half the narrowest line.
_SUPPORT_STEP_MM = 0.5
#: Strips are sampled at half a pixel, within these bounds: no finer than JPEG shows, no coarser
#: than lines.
_TRACE_STEP_MM = (0.2, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceSettings:
    """Settings for tracing lines.

    dark      whether they are darker than the wood
    reach_mm  search distance from their predicted places
    azimuths  number of evenly spaced samples of a line
    lines     the traced lines: 0 the 15-, 1 the 10-, 2 the 5-line
    """

    dark: bool
    reach_mm: float
    azimuths: int
    lines: tuple[int, ...] = (0, 1, 2)


def widen_filter(view: View, radius_mm: float, azimuths_rad: FloatArray) -> FloatArray:
    """Factors (azimuths,) by which a line filter is widened if it is finer than the picture."""
    radial_mm_per_px = measure_radial_mm_per_px(view, radius_mm, azimuths_rad)
    return np.clip(PARAMS.core_px * radial_mm_per_px, 1.0, MAX_WIDENING)


def median_magnitude(response: FloatArray) -> float:
    """Median magnitude of a response (azimuths, n), by some of its azimuths; NaN is ignored."""
    some = response[::_NOISE_AZIMUTH_STEP]
    known = some[np.isfinite(some)]
    return upper_median(np.abs(known)) if len(known) else 0.0


def measure_ring_support(
    grey: np.ndarray, view: View, spec: BoardSpec, *, dark: bool
) -> tuple[FloatArray, FloatArray]:
    """For the lines (3,): the share of samples where paint shows, and the share in the picture.

    Paint shows if the response stands out from the wood 8 to 18 mm beside the line. Samples hidden
    by a lamp's reflection are not checked, but at least half of the samples always are.
    """
    azimuths = np.arange(PROFILE_AZIMUTHS) * (2 * np.pi / PROFILE_AZIMUTHS)
    near_mm, far_mm = PARAMS.wood_mm
    step = _SUPPORT_STEP_MM
    offsets = np.arange(-far_mm, far_mm + step, step)
    shows, visible = np.zeros(3), np.zeros(3)
    for line in range(3):
        radius = np.linalg.norm(
            spec.line_points_mm(line, azimuths) - spec.line_centres_mm[line], axis=-1
        )
        widening = widen_filter(view, radius, azimuths)[:, None]
        strip = sample_rings(
            grey,
            view,
            radius[:, None] + offsets * widening,
            azimuths,
            centre_mm=spec.line_centres_mm[line],
        )
        response = line_response(strip, step) * (-1.0 if dark else 1.0)
        on = np.abs(offsets) <= PARAMS.on_line_mm
        beside = np.abs(offsets) >= near_mm
        paint = response[:, on].mean(axis=1)
        known = np.isfinite(paint)
        wood = response[:, beside]
        if known.any() and np.isfinite(wood).any():
            is_shown = paint[known] > _paint_threshold(wood)
            in_glare = np.median(strip[:, beside][known], axis=1) > LUMINANCE.burnt_out_grey
            checked_share = max(np.mean(is_shown | ~in_glare), PARAMS.min_checked_share)
            visible[line], shows[line] = known.mean(), min(is_shown.mean() / checked_share, 1.0)
    return shows, visible


def _paint_threshold(wood: FloatArray) -> float:
    """Threshold of the response for paint, from the response (azimuths, n) of the wood."""
    return max(PARAMS.paint_ratio * median_magnitude(wood), PARAMS.min_paint_grey)


def measure_support_between(grey: np.ndarray, view: View, spec: BoardSpec, *, dark: bool) -> float:
    """The largest share of places where paint shows on any one circle between the three lines."""
    azimuths = np.arange(PROFILE_AZIMUTHS) * (2 * np.pi / PROFILE_AZIMUTHS)
    r15, r10, r5 = spec.line_radii_mm
    largest = 0.0
    for low, high in ((r15, r10), (r10, r5)):
        radii = np.arange(
            low + PARAMS.clear_of_lines_mm, high - PARAMS.clear_of_lines_mm, PROFILE_STEP_MM
        )
        widening = widen_filter(view, float(radii.mean()), azimuths)
        response = widened_line_response(
            sample_rings(grey, view, radii, azimuths), PROFILE_STEP_MM, widening
        )
        response = response * (-1.0 if dark else 1.0)
        known = np.isfinite(response).sum(axis=0)
        if (known >= PARAMS.min_known * len(azimuths)).any():
            threshold = _paint_threshold(response)
            shows = (response > threshold).sum(axis=0) / np.maximum(known, 1)
            largest = max(largest, float(shows[known >= PARAMS.min_known * len(azimuths)].max()))
    return largest


def trace_rings(
    grey: np.ndarray, view: View, line_radii_mm: tuple[float, ...], trace: TraceSettings
) -> RingPoints:
    """Sub-pixel points on the lines named by ``trace``, in pixels of ``grey``.

    They are searched near their places by ``view`` and ``line_radii_mm``. A point is kept if the
    line stands out from the noise of its own strip; there may be none.
    """
    finest, coarsest = _TRACE_STEP_MM
    step = min(max(0.5 * view.mm_per_px(), finest), coarsest)
    far_mm = trace.reach_mm + PARAMS.strip_margin_mm
    offsets = np.arange(-far_mm, far_mm + step, step)
    azimuths = np.arange(trace.azimuths) * (2 * np.pi / trace.azimuths)
    direction = np.stack([np.cos(azimuths), np.sin(azimuths)], axis=-1)
    points, rings, densities = [], [], []
    for ring in trace.lines:
        radius = line_radii_mm[ring]
        widening = widen_filter(view, radius, azimuths)
        strip = sample_rings(grey, view, radius + offsets * widening[:, None], azimuths)
        response = line_response(strip, step) * (-1.0 if trace.dark else 1.0)
        # where millimetres are small in the picture, the search covers more of them, but stops
        # before the next edge
        reach = np.minimum(trace.reach_mm, np.maximum(PARAMS.max_reach_mm / widening, 1.0))
        offset, kept = _find_peaks(response, offsets, reach[:, None])
        at = direction[kept] * (radius + (widening * offset)[kept])[:, None]
        px = view.project_plane(at)
        points.append(px)
        rings.append(np.full(len(px), ring))
        densities.append(np.linalg.norm(view.project_plane(at + direction[kept]) - px, axis=-1))
    return RingPoints(
        points_px=np.concatenate(points),
        ring=np.concatenate(rings).astype(np.intp),
        px_per_mm=np.concatenate(densities),
    )


def _find_peaks(
    response: FloatArray, offsets: FloatArray, reach_mm: FloatArray
) -> tuple[FloatArray, np.ndarray]:
    """Sub-step offset (azimuths,) of the strongest response, and whether it stands out.

    ``reach_mm`` (azimuths, 1) is its largest distance from the middle.
    """
    usable = np.abs(offsets) <= reach_mm
    smooth = cv2.blur(
        np.nan_to_num(response).astype(np.float32), (1, 3), borderType=cv2.BORDER_REFLECT
    ).astype(np.float64)
    searched = np.where(usable, smooth, -np.inf)
    at = np.clip(searched.argmax(axis=1), 1, len(offsets) - 2)
    row = np.arange(len(at))
    # the response has a flat top as wide as the core box: its centroid is the line's middle
    level = PARAMS.centroid_level * smooth[row, at]
    near = np.abs(offsets[None, :] - offsets[at][:, None]) <= PARAMS.centroid_reach_mm
    mass = np.where(near, np.clip(smooth - level[:, None], 0.0, None), 0.0)
    offset = (mass * offsets).sum(axis=1) / np.maximum(mass.sum(axis=1), 1e-9)
    finite = np.isfinite(response)
    noise = median_magnitude(response) + PARAMS.min_noise_grey
    known = (finite & usable).sum(axis=1) > PARAMS.min_strip_share * usable.sum(axis=1)
    stands_out = smooth[row, at] > PARAMS.min_trace_ratio * noise
    return offset, known & stands_out & (np.abs(offset) <= reach_mm[:, 0])
