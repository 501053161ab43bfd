"""A wizard's state for its page: plain values, in pixels of the shown picture.

Shown and stored pixels differ by one factor, and by half a pixel, because the top-left pixel's
centre is at (0, 0) in both.
"""

from __future__ import annotations

import numpy as np

from calibration.board import BoardSpec, FloatArray
from calibration.circle import circle_mm
from calibration.wizard.control_points import control_points_mm
from calibration.wizard.measurements import build_profile
from calibration.wizard.sentences import (
    describe_disc,
    describe_fit,
    describe_lens,
    describe_profile,
    describe_speed,
)
from calibration.wizard.steps import MeasuredDisc, PictureDetection, Step, WizardState
from scorer.photo.rectified_image import format_points
from vision.draw.fit_overlay import board_curves_mm
from webapp.jobs.calibration_job import WizardResult
from webapp.jobs.snapshot_job import find_window

#: Names of the steps.
_NAMES = {
    Step.PICTURE: "Picture",
    Step.FIT: "Rings",
    Step.DISCS: "Discs",
    Step.SPEED: "Speed",
    Step.LENS: "Lens",
    Step.SAVE: "Keep",
}
#: Margin around the board, in its own radii: control points need room.
_SHOWN_RADII = 1.35
#: Rings drawn while control points are dragged: lines, hole and edge of a usual board, mm.
_USUAL = BoardSpec()
DRAGGED_RADII_MM = (*_USUAL.line_radii_mm, _USUAL.hole_radius_mm, _USUAL.surface_radius_mm)


def build_steps(state: WizardState) -> list[dict[str, object]]:
    """The wizard's steps in order: name, whether it is the current one, whether it is done."""
    at = list(Step).index(state.step)
    return [
        {"name": _NAMES[step], "is_now": number == at, "is_done": number < at}
        for number, step in enumerate(Step)
    ]


def build_drawing(measured: WizardResult) -> dict[str, object] | None:
    """The picture and its overlay; None while there is nothing to show."""
    if measured.factor is None or measured.size_px is None:
        return None
    state, factor = measured.state, measured.factor
    points_px = () if state.control_points_px is None else shown_px(state.control_points_px, factor)
    return {
        "size": measured.size_px,
        "window": _board_window(measured),
        "curves": _board_curves(state.main, factor) if state.main else {},
        "control_points": [(round(x, 1), round(y, 1)) for x, y in points_px],
        "control_points_mm": [(round(x, 2), round(y, 2)) for x, y in control_points_mm(_USUAL)],
        "discs": [_disc_drawing(disc, state.main, factor) for disc in state.discs if state.main],
    }


def shown_px(stored_px: FloatArray, factor: float) -> FloatArray:
    """Shown pixels (..., 2) of stored ones, by the pixel-centre convention."""
    return np.asarray((np.asarray(stored_px) + 0.5) * factor - 0.5)


def stored_px(shown: FloatArray, factor: float) -> FloatArray:
    """Stored pixels (..., 2) of shown ones, by the pixel-centre convention."""
    return np.asarray((np.asarray(shown) + 0.5) / factor - 0.5)


def _board_window(measured: WizardResult) -> tuple[int, int, int, int]:
    """The part of the picture with the board, or all of it: (left, top, width, height)."""
    assert measured.size_px is not None
    assert measured.factor is not None
    main = measured.state.main
    if main is None:
        return 0, 0, *measured.size_px
    radius_mm = _SHOWN_RADII * main.fit.spec.surface_radius_mm
    return find_window(main.fit.view.rescale(measured.factor), radius_mm, measured.size_px)


def _board_curves(sighting: PictureDetection, factor: float) -> dict[str, list[str]]:
    project = sighting.fit.view.project_plane
    return {
        name: [format_points(shown_px(project(curve), factor)) for curve in curves]
        for name, curves in board_curves_mm(sighting.fit).items()
    }


def _disc_drawing(
    disc: MeasuredDisc, sighting: PictureDetection, factor: float
) -> dict[str, object]:
    rim = circle_mm(disc.centre_mm, disc.size.radius_mm, 48)
    top = sighting.fit.view.project_plane(rim, disc.size.height_mm)
    red, green, blue = disc.colour_rgb
    return {
        "rim": format_points(shown_px(top, factor)),
        "colour": f"#{red:02x}{green:02x}{blue:02x}",
        "words": describe_disc(disc),
    }


def build_figures(state: WizardState) -> list[str]:
    """The measurements so far, one sentence each."""
    lines = [] if state.main is None else [describe_fit(state.main)]
    if state.step is Step.SPEED and state.speed is not None:
        lines.append(describe_speed(state.speed))
    if state.step is Step.LENS and state.main is not None:
        lines.append(describe_lens(build_profile(state, name="", made="")))
    if state.step is Step.SAVE:
        lines += describe_profile(build_profile(state, name="", made=""))
    return lines
