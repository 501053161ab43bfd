"""Sentences about a fit, a disc's size, a lens, a speed and a profile, for terminal and pages."""

from __future__ import annotations

from pathlib import Path

from calibration.board_speed import BoardSpeed
from calibration.disc import DiscSpec
from calibration.profile import CalibrationProfile
from calibration.wizard.steps import MeasuredDisc, PictureDetection

_GRAVITY_M_S2 = 9.81

#: The consequence of not showing the wizard any disc.
SIZES_FROM_PICTURES = "disc sizes will be measured in every photo"


def describe_fit(sighting: PictureDetection) -> str:
    """How well the fitted board matches its lines."""
    quality = sighting.quality
    return (
        f"The rings match the painted lines to within {quality.residual_mm:.2f} mm. "
        f"The camera is {quality.tilt_deg:.0f}° off vertical, and one pixel covers "
        f"{quality.mm_per_px:.2f} mm."
    )


def describe_disc(disc: MeasuredDisc) -> str:
    """The size of one colour's disc."""
    return f"{disc.colour_name}: {describe_size(disc.size)}"


def describe_size(size: DiscSpec) -> str:
    """Width and height of discs."""
    return (
        f"{2 * size.radius_mm:.1f} ± {2 * size.radius_sigma_mm:.1f} mm across, "
        f"{size.height_mm:.1f} ± {size.height_sigma_mm:.1f} mm high"
    )


def describe_profile(profile: CalibrationProfile) -> tuple[str, ...]:
    """The contents of a profile, one line each."""
    r15, r10, r5 = profile.board.line_radii_mm
    origin = profile.origin
    measured = "1 photo" if origin.pictures == 1 else f"{origin.pictures} photos"
    return (
        f"Board: line radii {r15:.1f}, {r10:.1f} and {r5:.1f} mm, line width "
        f"{profile.board.line_width_mm:.1f} mm, measured in {measured} to within "
        f"{origin.residual_mm:.2f} mm.",
        _describe_discs(profile),
        *([] if profile.speed is None else [describe_speed(profile.speed)]),
        describe_lens(profile),
        _describe_hole(profile),
    )


def describe_speed(speed: BoardSpeed) -> str:
    """How fast a board is, with an example."""
    slides_m = 1.0 / (2 * speed.friction * _GRAVITY_M_S2)
    return (
        f"Speed: friction {speed.friction:.3f} ± {speed.friction_sigma:.3f}; a disc shot at 1 m/s "
        f"slides {100 * slides_m:.0f} cm."
    )


def _describe_discs(profile: CalibrationProfile) -> str:
    if profile.disc is None:
        return f"Discs: not measured, so {SIZES_FROM_PICTURES}."
    size, colours = describe_size(profile.disc), ", ".join(profile.origin.colours)
    return f"Discs ({colours}): {size}." if colours else f"Discs: {size}."


def _describe_hole(profile: CalibrationProfile) -> str:
    if profile.empty_hole is None:
        return (
            "Hole: no photo saved, because there may be a disc in it or it is hard to "
            "see. Show the empty hole to make calls about discs in it more certain."
        )
    return "Hole: a photo of the empty hole was saved."


def describe_nominal_discs(profile: Path) -> str:
    """The sizes used if a profile has none for its discs."""
    return (
        f"The profile {profile} has no disc sizes. Unless another source provides "
        f"them, typical sizes are used: {describe_size(DiscSpec())}."
    )


def describe_lens(profile: CalibrationProfile) -> str:
    """The measured lens, as a sentence."""
    camera = profile.camera
    if camera is None:
        return (
            "Lens: not measured yet. Add photos of the board from other sides, with "
            "the camera tilted by 30 to 45°."
        )
    return (
        f"Lens: focal length {camera.fx_px:.0f} px ± "
        f"{100 * camera.focal_log_sigma:.1f}% in photos of {camera.width_px} × "
        f"{camera.height_px} pixels, distortion {camera.k1:+.3f}."
    )
