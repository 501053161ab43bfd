"""Combines the measurements of a wizard's pictures into a profile: one disc size, one board, one
lens.

Sizes from several views are combined by their median. All discs of a view share their size, and the
lens was already combined from the fits' information (see ``calibration.lens``). A lens that the
pictures hardly constrain is left out of the profile.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.board import BoardSpec
from calibration.lens import LensEstimate
from calibration.lens_prior import LensPrior
from calibration.parameters import StageParameters, parameter
from calibration.profile import CalibrationProfile, Origin, ProfileCamera
from calibration.wizard.steps import PictureDetection, WizardState


class MeasurementsParameters(StageParameters):
    """Parameters of ``measurements``."""

    #: A lens counts as measured if its focal length is known this much better than before.
    measured_lens_share: float = parameter(
        0.5, unit="share", source="chosen: twice as well known as the focal length of any phone"
    )


PARAMS = MeasurementsParameters()


def make_lens_prior(lens: LensEstimate) -> LensPrior:
    """The prior, from a measured lens, for fitting further pictures through it."""
    return LensPrior(
        focal_px=lens.camera.fx_px,
        focal_log_sigma=lens.focal_log_sigma,
        centre_px=(lens.camera.cx_px, lens.camera.cy_px),
        centre_sigma_px=lens.centre_sigma_px,
        k1=lens.camera.k1,
        k1_sigma=lens.k1_sigma,
    )


def build_profile(state: WizardState, *, name: str, made: str) -> CalibrationProfile:
    """The profile from the measurements, with the ISO date ``made``. Raises ``ValueError`` without
    a board.

    The rings' centres and ovality are left out: they turn with the board in each picture.
    """
    main = state.main
    if main is None or state.lens is None:
        raise ValueError("no board has been measured yet")
    qualities = [view.quality for view in state.views]
    return CalibrationProfile(
        board=_combine_boards([view.fit.spec for view in state.views], main.fit.spec),
        disc=state.discs[0].size if state.discs else None,
        camera=_make_profile_camera(state.lens, main),
        speed=state.speed,
        empty_hole=state.empty_hole,
        origin=Origin(
            name=name,
            made=made,
            pictures=len(state.views),
            residual_mm=round(float(np.mean([quality.residual_mm for quality in qualities])), 3),
            colours=tuple(disc.colour_name for disc in state.discs),
        ),
    )


def _combine_boards(specs: Sequence[BoardSpec], main: BoardSpec) -> BoardSpec:
    """The views' common sizes; line widths come from the nearest view, which is the first."""

    def median_of(*names: str) -> list[float]:
        return [float(np.median([getattr(spec, name) for spec in specs])) for name in names]

    def median_by_line(name: str) -> tuple[float, float, float]:
        r15, r10, r5 = np.median([getattr(spec, name) for spec in specs], axis=0)
        return float(r15), float(r10), float(r5)

    hole, surface, posts = median_of("hole_radius_mm", "surface_radius_mm", "post_ring_radius_mm")
    return BoardSpec(
        line_radii_mm=median_by_line("line_radii_mm"),
        line_sigmas_mm=median_by_line("line_sigmas_mm"),
        line_width_mm=main.line_width_mm,
        line_width_sigma_mm=main.line_width_sigma_mm,
        hole_radius_mm=hole,
        surface_radius_mm=surface,
        post_ring_radius_mm=posts,
    )


def _make_profile_camera(lens: LensEstimate, main: PictureDetection) -> ProfileCamera | None:
    """The lens, or None if the pictures add little to the prior."""
    if lens.focal_log_sigma > PARAMS.measured_lens_share * main.lens.focal_log_sigma:
        return None
    return ProfileCamera(
        width_px=main.width_px,
        height_px=main.height_px,
        fx_px=lens.camera.fx_px,
        fy_px=lens.camera.fy_px,
        cx_px=lens.camera.cx_px,
        cy_px=lens.camera.cy_px,
        k1=lens.camera.k1,
        focal_log_sigma=lens.focal_log_sigma,
        k1_sigma=lens.k1_sigma,
        centre_sigma_px=lens.centre_sigma_px,
    )
