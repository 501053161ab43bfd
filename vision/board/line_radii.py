"""Radii of a board's three lines in a rough view: which concentric circles show paint.

The response of a matched filter for lines (see ``vision.rectify.ring_profiles``) is averaged around
each circle about the view's centre, and three peaks spaced as a board's lines are searched. A rough
view of the wrong size differs only by scale, so one profile serves all sizes. If grain is stronger
than the lines, they are not found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.board import SCALE_RADIUS_MM, BoardSpec
from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.pose import View
from vision.board.rings import PARAMS as RING_PARAMS
from vision.board.rings import PROFILE_AZIMUTHS, PROFILE_STEP_MM, median_magnitude, widen_filter
from vision.rectify.ring_profiles import sample_rings, widened_line_response


class LineRadiiParameters(StageParameters):
    """Parameters of ``line_radii``."""

    #: The response at one point counts at most this many times the picture's own noise.
    clip_sigmas: float = parameter(
        4.0, unit="σ", source="chosen: then no single reflection outweighs a faint line"
    )
    #: Rings are searched if this share of the strip is inside the picture.
    min_visible_share: float = parameter(
        0.2, unit="share", source="chosen: an arc of 72° still shows the centre"
    )
    #: Radii of a profile across all lines.
    profile_span_mm: tuple[float, float] = parameter(
        (60.0, 345.0),
        unit="mm",
        source="chosen: from well inside the 15-line to past the surface's edge at 330.2 mm",
    )
    max_radius_log_error: float = parameter(
        0.1,
        unit="log",
        source="chosen: the largest deviation of lines of home-made boards from 1 : 2 : 3",
    )
    #: Strength that a line loses for a deviation of 1 in log radius.
    radius_error_cost: float = parameter(
        4.0, unit="σ", source="chosen: costs at most 0.04, which only breaks near-ties"
    )
    #: Largest error of a rough view's scale, in log radius.
    scale_log_tolerance: float = parameter(
        0.12, unit="log", source="chosen: five bins of the search's radii (2.4% each)"
    )
    #: A line at least this strong, relative to the strongest nearby, is a line too.
    rival_share: float = parameter(
        0.7, unit="share", source="chosen: the surface's edge may be stronger than the 5-line"
    )


PARAMS = LineRadiiParameters()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LineRadii:
    """Three ring lines in a rectified picture.

    radii_mm   of the 15-, 10- and 5-line, in the (rough) scale of the view
    dark       whether the lines are darker than the wood
    strength   mean clipped response of the three, in noise sigmas
    """

    radii_mm: tuple[float, float, float]
    dark: bool
    strength: float


def find_line_radii(
    grey: np.ndarray, view: View, rival_share: float | None = None
) -> LineRadii | None:
    """The three concentric lines in a rough view; None if too little is visible.

    Near the predicted place of a line, the innermost peak with at least ``rival_share`` of the
    strongest peak's strength counts, because the edge of the playing surface and its shadow can
    look like a line just outside the 5-line.
    """
    azimuths = PROFILE_AZIMUTHS
    return find_line_radii_by_scale(grey, view, (1.0,), azimuths, rival_share)[0]


def find_line_radii_by_scale(
    grey: np.ndarray,
    view: View,
    scales: Sequence[float],
    azimuths: int,
    rival_share: float | None = None,
) -> list[LineRadii | None]:
    """``find_line_radii`` of the view enlarged by each scale, in its millimetres.

    A scale moves the board away and enlarges it by the same factor, so its picture is unchanged.
    ``azimuths`` is the number of samples around it.
    """
    if not scales:
        return []
    step_mm = PROFILE_STEP_MM
    slack = np.exp(PARAMS.scale_log_tolerance)
    low, high = PARAMS.profile_span_mm
    low, high = low / slack / max(scales), high * slack / min(scales)
    radii = np.arange(low, high, step_mm)
    around = np.arange(azimuths) * (2 * np.pi / azimuths)
    widening = widen_filter(view, SCALE_RADIUS_MM, around)
    response = widened_line_response(sample_rings(grey, view, radii, around), step_mm, widening)
    known = np.isfinite(response)
    noise = max(median_magnitude(response), RING_PARAMS.min_noise_grey)
    signed = np.where(known, response, np.float32(0.0)) / np.float32(noise)
    dark, light = (_find_peaks(radii, _mean_strength(sign, known)) for sign in (-signed, signed))
    found: list[LineRadii | None] = []
    for scale in scales:
        low, high = (bound_mm / scale for bound_mm in PARAMS.profile_span_mm)
        own = slice(*np.searchsorted(radii, (low / slack, high * slack)))
        if known[:, own].mean() < PARAMS.min_visible_share:
            found.append(None)
            continue
        triples = [
            _best_triple(peaks, scale, rival_share or PARAMS.rival_share) for peaks in (dark, light)
        ]
        is_dark = triples[0][1] >= triples[1][1]
        radii_mm, strength = triples[0] if is_dark else triples[1]
        found.append(LineRadii(radii_mm=radii_mm, dark=is_dark, strength=strength))
    return found


def _mean_strength(signed: FloatArray, known: np.ndarray) -> FloatArray:
    """Mean over azimuths (radii,) of the clipped response (azimuths, radii) float32 where it is
    ``known``, allowing for a rough view's wobble.
    """
    clipped = np.minimum(np.maximum(signed, 0.0), PARAMS.clip_sigmas)
    wobble = cv2.dilate(clipped, np.ones((1, 5), np.uint8))  # +- 2 mm of radius
    count = known.sum(axis=0)
    total = (wobble * known).sum(axis=0)
    is_known = count >= RING_PARAMS.min_known * len(signed)
    strength: FloatArray = np.where(is_known, total / np.maximum(count, 1), 0.0)
    return strength


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Peaks:
    """Local maxima of a profile: their radii (n,), mm, and strengths (n,)."""

    radius_mm: FloatArray
    strength: FloatArray


def _find_peaks(radii_mm: FloatArray, profile: FloatArray) -> _Peaks:
    rises = np.concatenate([[True], profile[1:] >= profile[:-1]])
    falls = np.concatenate([profile[:-1] >= profile[1:], [True]])
    return _Peaks(radius_mm=radii_mm[rises & falls], strength=profile[rises & falls])


def _best_triple(
    peaks: _Peaks, scale: float, rival_share: float
) -> tuple[tuple[float, float, float], float]:
    """Radii of the 15-, 10- and 5-line that are strongest together, and their mean strength.

    The peaks' radii are ``scale`` times as large. A line without a peak gets its nominal radius.
    """
    lines_mm = r15, r10, r5 = BoardSpec().line_radii_mm
    log_at = np.log(peaks.radius_mm * (scale / r10))
    likely = np.flatnonzero(np.abs(log_at) <= PARAMS.scale_log_tolerance)
    if len(likely) == 0:
        return lines_mm, -1.0
    nominal = np.concatenate([log_at[likely] + np.log(radius / r10) for radius in (r15, r5)])
    deviation = log_at - nominal[:, None]
    # a normal prior on the deviation breaks near-ties towards 1 : 2 : 3
    value = np.where(
        np.abs(deviation) < PARAMS.max_radius_log_error,
        peaks.strength - PARAMS.radius_error_cost * deviation**2,
        -np.inf,
    )
    strongest = value.max(axis=1)
    strong = np.minimum(rival_share * strongest, strongest)
    first = np.argmax(value >= strong[:, None], axis=1)
    is_seen = np.isfinite(strongest)
    at = np.exp(np.where(is_seen, log_at[first], nominal)).reshape(2, -1) * r10
    found = np.where(is_seen, value[np.arange(len(first)), first], 0.0).reshape(2, -1)
    mean = (found.sum(axis=0) + peaks.strength[likely]) / 3
    best = int(mean.argmax())
    middle_mm = float(peaks.radius_mm[likely[best]] * scale)
    return (float(at[0, best]), middle_mm, float(at[1, best])), float(mean[best])
