"""Sentences about a fit, a disc's size, a lens, a speed and a profile, for terminal and pages."""

from __future__ import annotations

from pathlib import Path

from calibration.board_speed import BoardSpeed
from calibration.disc import DiscSpec
from calibration.phrase import Phrase, join, term
from calibration.profile import CalibrationProfile
from calibration.wizard.steps import MeasuredDisc, PictureDetection

_GRAVITY_M_S2 = 9.81

#: Said when the wizard was shown no disc.
SIZES_FROM_PICTURES = Phrase("disc sizes will be measured in every photo")


def describe_fit(sighting: PictureDetection) -> str:
    """How well the fitted board matches its lines, in words."""
    quality = sighting.quality
    return Phrase(
        "The rings match the painted lines to within %(residual_mm).2f mm. "
        "The camera is %(tilt_deg).0f° off vertical, and one pixel covers "
        "%(mm_per_px).2f mm.",
        residual_mm=quality.residual_mm,
        tilt_deg=quality.tilt_deg,
        mm_per_px=quality.mm_per_px,
    )


def describe_disc(disc: MeasuredDisc) -> str:
    """The size of discs of one colour, in words."""
    return Phrase("%(name)s: %(size)s", name=term(disc.colour_name), size=describe_size(disc.size))


def describe_size(size: DiscSpec) -> str:
    """Width and height of discs."""
    return Phrase(
        "%(across_mm).1f ± %(across_sigma_mm).1f mm across, "
        "%(height_mm).1f ± %(height_sigma_mm).1f mm high",
        across_mm=2 * size.radius_mm,
        across_sigma_mm=2 * size.radius_sigma_mm,
        height_mm=size.height_mm,
        height_sigma_mm=size.height_sigma_mm,
    )


def describe_profile(profile: CalibrationProfile) -> tuple[str, ...]:
    """The contents of a profile, one line each."""
    r15, r10, r5 = profile.board.line_radii_mm
    origin = profile.origin
    measured = (
        Phrase("1 photo")
        if origin.pictures == 1
        else Phrase("%(pictures)s photos", pictures=origin.pictures)
    )
    return (
        Phrase(
            "Board: line radii %(radius_15_mm).1f, %(radius_10_mm).1f and %(radius_5_mm).1f mm, "
            "line width %(line_width_mm).1f mm, measured in %(measured)s to within "
            "%(residual_mm).2f mm.",
            radius_15_mm=r15,
            radius_10_mm=r10,
            radius_5_mm=r5,
            line_width_mm=profile.board.line_width_mm,
            measured=measured,
            residual_mm=origin.residual_mm,
        ),
        _describe_discs(profile),
        *([] if profile.speed is None else [describe_speed(profile.speed)]),
        describe_lens(profile),
        _describe_hole(profile),
    )


def describe_speed(speed: BoardSpeed) -> str:
    """How fast a board is, with an example."""
    slides_m = 1.0 / (2 * speed.friction * _GRAVITY_M_S2)
    return Phrase(
        "Speed: friction %(friction).3f ± %(friction_sigma).3f; a disc "
        "shot at 1 m/s slides %(slides_cm).0f cm.",
        friction=speed.friction,
        friction_sigma=speed.friction_sigma,
        slides_cm=100 * slides_m,
    )


def _describe_discs(profile: CalibrationProfile) -> str:
    if profile.disc is None:
        return Phrase(
            "Discs: not measured, so %(consequence)s.",
            consequence=SIZES_FROM_PICTURES,
        )
    size, colours = describe_size(profile.disc), join(", ", map(term, profile.origin.colours))
    return (
        Phrase("Discs (%(colours)s): %(size)s.", colours=colours, size=size)
        if colours
        else Phrase("Discs: %(size)s.", size=size)
    )


def _describe_hole(profile: CalibrationProfile) -> str:
    if profile.empty_hole is None:
        return Phrase(
            "Hole: no photo saved, because there may be a disc in it or it is hard to see. "
            "Show the camera the empty hole: calls about discs in it are then more certain."
        )
    return Phrase("Hole: a photo of the empty hole was saved.")


def describe_nominal_discs(profile: Path) -> str:
    """The sizes used if a profile has none for its discs."""
    return Phrase(
        "The profile %(profile)s has no disc sizes. Typical sizes are used, unless you "
        "give others: %(size)s.",
        profile=profile,
        size=describe_size(DiscSpec()),
    )


def describe_lens(profile: CalibrationProfile) -> str:
    """The measured lens, as a sentence."""
    camera = profile.camera
    if camera is None:
        return Phrase(
            "Lens: not measured yet. Add photos of the board from other sides, "
            "with the camera tilted by 30 to 45°."
        )
    return Phrase(
        "Lens: focal length %(fx_px).0f px ± %(sigma_percent).1f%% in photos of "
        "%(width_px)s × %(height_px)s pixels, distortion %(distortion)+.3f.",
        fx_px=camera.fx_px,
        sigma_percent=100 * camera.focal_log_sigma,
        width_px=camera.width_px,
        height_px=camera.height_px,
        distortion=camera.k1,
    )
