"""A board's rotation about its normal, from quadrant lines, or from posts.

Rings do not determine it. The area between the 10- and the 5-line is filtered for radial lines. The
rotation is the phase at which four evenly spaced peaks (eight on the ring of posts) stand out
together, refined by the lines' sub-pixel centroids. It is found up to a quarter turn; quadrants are
not assigned here. Without visible quadrant lines or posts there is no result.
"""

from __future__ import annotations

import numpy as np

from calibration.camera import FloatArray
from calibration.fit import BoardFit
from calibration.parameters import StageParameters, parameter
from vision.board.hole_and_edge import has_edge
from vision.board.posts import PARAMS as POST_PARAMS
from vision.board.posts import count_steps, find_post_phase
from vision.board.rings import MAX_WIDENING
from vision.board.rings import PARAMS as RING_PARAMS
from vision.rectify.ring_profiles import line_response, sample_points, sample_rings


class AzimuthParameters(StageParameters):
    """Parameters of ``azimuth``."""

    #: Quadrant lines are searched between the 10- and the 5-line, this far from both.
    clear_mm: float = parameter(
        8.0, unit="mm", source="chosen: the filter's flanks, 4.6 mm, and the width of a line"
    )
    #: Quadrant lines are refined within this distance of their rough place.
    reach_mm: float = parameter(
        9.0,
        unit="mm",
        source="chosen: 2° in the middle of the outer zone; lines are off square by less",
    )
    #: Values this close to the highest peak belong to its plateau.
    plateau_level: float = parameter(
        0.9, unit="share", source="chosen: peaks of the signal are flat on top"
    )


PARAMS = AzimuthParameters()
#: Azimuths sampled: a quarter of a degree, which is 1.1 mm in the middle of the outer zone.
_STEPS = 1440
#: Azimuths repeated on both sides of a full turn, for the seam: 29 mm in the middle of the outer
#: zone, more than the flanks of a widened line filter reach.
_WRAP_STEPS = 26
#: Number of circles on which quadrant lines are looked for: every 3.7 mm.
_RADII = 24
#: Step across a quadrant line: a quarter of a line's width.
_ACROSS_STEP_MM = 0.4


def find_rotation(grey: np.ndarray, fit: BoardFit, *, dark: bool) -> float | None:
    """Angle, rad, by which to turn the fit to bring quadrant lines to 45 + 90 k degrees.

    ``grey`` is (h, w) uint8, in the fit's pixels. The result is determined up to a quarter turn.
    None if neither quadrant lines nor posts stand out.
    """
    signal = _measure_quadrant_signal(grey, fit, dark=dark)
    phase = _find_phase(signal, 4)
    if phase is not None:
        return _refine_phase(grey, fit, phase, dark=dark) - np.pi / 4
    posts = find_post_phase(grey, fit.view, fit.spec)
    if not posts.is_clear:
        # in an oblique view, a quadrant line across the picture is thinner than a pixel
        wide = _find_phase(_measure_quadrant_signal(grey, fit, dark=dark, is_widened=True), 4)
        if wide is not None:
            return _refine_phase(grey, fit, wide, dark=dark) - np.pi / 4
    if not posts.is_clear and not (posts.is_likely and has_edge(grey, fit)):
        return None
    # posts alone leave an ambiguity of an eighth of a turn, which the quadrant lines' faint traces
    # resolve
    eighth = int(np.round((posts.phase_rad - np.pi / 8) / (2 * np.pi / _STEPS)))
    dilated = _dilate(signal)
    trace = [dilated[np.arange(4) * _STEPS // 4 + eighth + k * _STEPS // 8].sum() for k in (0, 1)]
    return posts.phase_rad - np.pi / 8 + int(np.argmax(trace)) * np.pi / 4 - np.pi / 4


def _refine_phase(grey: np.ndarray, fit: BoardFit, phase: float, *, dark: bool) -> float:
    """The phase refined by the median angle of sub-pixel points on the quadrant lines."""
    _, r10, r5 = fit.spec.line_radii_mm
    radii = np.linspace(r10 + PARAMS.clear_mm, r5 - PARAMS.clear_mm, _RADII)
    across_mm = np.arange(-PARAMS.reach_mm, PARAMS.reach_mm + _ACROSS_STEP_MM, _ACROSS_STEP_MM)
    angles = []
    for quarter in range(4):
        azimuth = phase + quarter * np.pi / 2
        out = np.array([np.cos(azimuth), np.sin(azimuth)])
        side = np.array([-out[1], out[0]])
        places = radii[:, None, None] * out + across_mm[:, None] * side
        response = line_response(sample_points(grey, fit.view, places), _ACROSS_STEP_MM)
        response = np.nan_to_num(-response if dark else response)
        noise = float(np.median(np.abs(response))) + RING_PARAMS.min_noise_grey
        peak = response.max(axis=1)
        mass = np.clip(response - RING_PARAMS.centroid_level * peak[:, None], 0.0, None)
        offset = (mass * across_mm).sum(axis=1) / np.maximum(mass.sum(axis=1), 1e-9)
        angles.append(np.arctan2(offset, radii)[peak > RING_PARAMS.paint_ratio * noise])
    every = np.concatenate(angles)
    return phase + (float(np.median(every)) if len(every) else 0.0)


def find_upright_rotation(fit: BoardFit) -> float:
    """The quarter turn, rad, that makes +y point most nearly up in the picture."""
    centre = fit.view.project_plane(np.zeros((1, 2)))[0]

    def rise(quarter: int) -> float:
        angle = quarter * np.pi / 2
        tip = fit.view.project_plane([[-10 * np.sin(angle), 10 * np.cos(angle)]])[0] - centre
        return float(-tip[1] / np.linalg.norm(tip))

    return float(np.pi / 2 * max(range(4), key=rise))


def _measure_quadrant_signal(
    grey: np.ndarray, fit: BoardFit, *, dark: bool, is_widened: bool = False
) -> FloatArray:
    """Likeness of azimuths (steps,) to a radial line: median over radii.

    ``is_widened``: if the filter is finer than the picture, it is made as wide as a pixel.
    """
    _, r10, r5 = fit.spec.line_radii_mm
    radii = np.linspace(r10 + PARAMS.clear_mm, r5 - PARAMS.clear_mm, _RADII)
    step_rad, middle_mm = 2 * np.pi / _STEPS, float(radii.mean())
    azimuths = np.arange(_STEPS) * step_rad
    values = sample_rings(grey, fit.view, radii, azimuths).T
    wrapped = np.concatenate([values[:, -_WRAP_STEPS:], values, values[:, :_WRAP_STEPS]], axis=1)
    level = np.zeros(_STEPS)
    if is_widened:  # rounded to powers of the square root of two
        level = np.round(2 * np.log2(_widen_filter(fit, middle_mm, azimuths)))
    response = np.empty(values.shape, dtype=np.float32)
    for widening_level in np.unique(level):
        widened = line_response(wrapped, middle_mm * step_rad / 2 ** (widening_level / 2))
        own = level == widening_level
        response[:, own] = widened[:, _WRAP_STEPS:-_WRAP_STEPS][:, own]
    response = np.nan_to_num(-response if dark else response)
    return np.asarray(np.maximum(np.median(response, axis=0), 0.0))


def _widen_filter(fit: BoardFit, radius_mm: float, azimuths_rad: FloatArray) -> FloatArray:
    """Factors (azimuths,) by which a filter across radial lines is widened if it is finer than the
    picture: in an oblique view, for lines that run from left to right.
    """
    turned = azimuths_rad[:, None] + np.array([-0.5, 0.5]) / radius_mm
    at = radius_mm * np.stack([np.cos(turned), np.sin(turned)], axis=-1)
    px = fit.view.project_plane(at.reshape(-1, 2)).reshape(-1, 2, 2)
    # only a line's direction in the picture matters, not the direction in which a step crosses it
    out = fit.view.project_plane(at.mean(axis=1) * (1.0 + 1.0 / radius_mm)) - px.mean(axis=1)
    step = px[:, 1] - px[:, 0]
    across_px = np.abs(step[:, 0] * out[:, 1] - step[:, 1] * out[:, 0])
    across_px = across_px / np.maximum(np.linalg.norm(out, axis=-1), 1e-9)
    px_mm = 1.0 / np.maximum(across_px, 1e-3)
    return np.clip(RING_PARAMS.core_px * px_mm, 1.0, MAX_WIDENING)


def _find_phase(signal: FloatArray, count: int) -> float | None:
    """Phase, rad in 0 .. 2 pi / count, where ``count`` evenly spaced peaks stand out together."""
    period = _STEPS // count
    # lines and posts of a home-made board are not quite evenly spaced
    dilated = _dilate(signal)
    # the second weakest of them, because one may be hidden by a disc
    folded = np.sort(dilated.reshape(count, period), axis=0)[1]
    if folded.max() < RING_PARAMS.paint_ratio * (
        float(np.median(folded)) + RING_PARAMS.min_noise_grey
    ):
        return None
    top = np.flatnonzero(folded >= PARAMS.plateau_level * folded.max())
    # the dilated signals overlap in a plateau around the phase; take its circular mean
    angle = np.angle(np.exp(2j * np.pi * top / period).mean())
    return float(angle % (2 * np.pi)) / count


def _dilate(signal: FloatArray) -> FloatArray:
    """The largest of a signal (steps,) within the tolerated spacing error."""
    tolerance = count_steps(POST_PARAMS.spacing_tolerance_deg, _STEPS)
    shifts = range(-tolerance, tolerance + 1)
    return np.asarray(np.max([np.roll(signal, shift) for shift in shifts], axis=0))
