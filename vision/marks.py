"""What else a fitted board shows: the width of its lines, its hole and its surface's edge.

Knows a fitted board. Each mark that cannot be seen keeps its nominal size.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from calibration.board import BoardSpec
from calibration.camera import FloatArray
from calibration.fit import BoardFit
from vision.rings import sample_rings

_AZIMUTHS = np.arange(240) * (2 * np.pi / 240)
_STEP_MM = 0.4
#: The surface ends this far outside the 5-line, mm; 25 mm is nominal.
_BORDER_MM = (9.0, 60.0)
#: The hole's radius lies within this of nominal: home-made boards are scaled by their 10-line.
_HOLE_MM = (14.0, 20.5)
#: An edge is seen when this share of azimuths step the same way.
_AGREE = 0.6
#: Widths that lines are painted in.
_LINE_WIDTH_MM = (0.9, 4.0)


def measure_marks(grey: np.ndarray, fit: BoardFit, *, dark: bool) -> BoardFit:
    """The fit with line width, hole radius and surface radius as this picture shows them."""
    spec = fit.spec
    width = _line_width(grey, fit, dark=dark)
    surface = _step_radius(
        grey, fit, spec.line_radii_mm[2] + _BORDER_MM[0], spec.line_radii_mm[2] + _BORDER_MM[1]
    )
    hole = _step_radius(grey, fit, *_HOLE_MM)
    return replace(
        fit,
        spec=replace(
            spec,
            line_width_mm=spec.line_width_mm if width is None else width,
            surface_radius_mm=spec.surface_radius_mm if surface is None else surface,
            hole_radius_mm=spec.hole_radius_mm if hole is None else hole,
        ),
    )


def _step_radius(grey: np.ndarray, fit: BoardFit, low_mm: float, high_mm: float) -> float | None:
    """Radius of the clearest step in brightness about the board's centre, or None."""
    radii = np.arange(low_mm - 2.0, high_mm + 2.0, _STEP_MM)
    values = sample_rings(grey, fit.view, radii, _AZIMUTHS)
    span = int(round(1.6 / _STEP_MM))
    step = values[:, span:] - values[:, :-span]
    middle = (radii[span:] + radii[:-span]) / 2
    seen = np.isfinite(step).sum(axis=0)
    if not (seen > 0.2 * len(_AZIMUTHS)).any():
        return None
    noise = 2.0 + float(np.nanmedian(np.abs(step)))
    up = (step > noise).sum(axis=0) / np.maximum(seen, 1)
    down = (step < -noise).sum(axis=0) / np.maximum(seen, 1)
    agree = np.where(seen > 0.2 * len(_AZIMUTHS), np.maximum(up, down), 0.0)
    best = int(agree.argmax())
    if agree[best] < _AGREE:
        return None
    near = np.abs(np.arange(len(agree)) - best) <= span
    mass = np.where(near, np.clip(agree - 0.5 * agree[best], 0.0, None), 0.0)
    return float((mass * middle).sum() / mass.sum())


def _line_width(grey: np.ndarray, fit: BoardFit, *, dark: bool) -> float | None:
    """Painted width, mm: the lines' missing light, over the depth of their middle.

    The ratio of a profile's area to its depth is the width when the line is wider than the blur,
    and otherwise over-estimates it; the blur, about a pixel, is taken off in quadrature.
    """
    widths = []
    offsets = np.arange(-9.0, 9.0 + _STEP_MM / 2, _STEP_MM / 2)
    for line in range(3):
        profile = _line_profile(grey, fit, line, offsets)
        if profile is None:
            continue
        wood = np.median(profile[np.abs(offsets) > 5.0])
        paint = (wood - profile) if dark else (profile - wood)
        depth = float(paint[np.abs(offsets) <= 0.4].mean())
        if depth > 4.0:
            area = float(paint[np.abs(offsets) <= 4.0].sum() * _STEP_MM / 2)
            widths.append(area / depth)
    if not widths:
        return None
    blurred = float(np.median(widths))
    blur = 1.2 * fit.view.mm_per_px()
    width = float(np.sqrt(max(blurred**2 - blur**2, 0.25 * blurred**2)))
    return float(np.clip(width, *_LINE_WIDTH_MM))


def _line_profile(
    grey: np.ndarray, fit: BoardFit, line: int, offsets: FloatArray
) -> FloatArray | None:
    """Median brightness (offsets,) across a line, or None when too little of it is in sight."""
    spec: BoardSpec = fit.spec
    arm = spec.line_points_mm(line, _AZIMUTHS) - np.asarray(spec.line_centres_mm[line])
    radius = np.linalg.norm(arm, axis=-1)
    values = sample_rings(
        grey, fit.view, radius[:, None] + offsets, _AZIMUTHS, centre_mm=spec.line_centres_mm[line]
    )
    whole = np.isfinite(values).all(axis=1)
    if whole.sum() < 40:
        return None
    return np.median(values[whole], axis=0)
