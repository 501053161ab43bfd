"""The prior of a picture's lens, before the picture is read.

A normal prior on log focal length, k1 and the optical centre, from the picture's size and shape and
from the focal length in EXIF, if any. It is wrong for pictures that were cropped to the shape of a
camera's pictures. If the board shows that the focal length is not a phone's, a wider prior for zoom
lenses replaces it. A profile's measured lens always replaces it (``CalibrationProfile.lens_for``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from calibration.camera import Camera
from calibration.parameters import StageParameters, parameter


class LensPriorParameters(StageParameters):
    """Parameters of ``lens_prior``. Sigmas are one standard deviation."""

    focal_sides: float = parameter(
        0.75,
        unit="long sides",
        source="chosen: main lenses of phones have 23 to 28 mm equivalent; 26 mm divided by "
        "34.6 mm",
    )
    focal_log_sigma: float = parameter(
        0.12,
        unit="log",
        source="chosen: covers the main lenses of phones, and crops that lengthen the focal length",
    )
    #: The same for a picture whose shape no camera has.
    cropped_focal_sides: float = parameter(
        0.88,
        unit="long sides",
        source="chosen: some pictures were cropped by a quarter of the long side",
    )
    cropped_focal_log_sigma: float = parameter(
        0.2, unit="log", source="chosen: the amount cropped is unknown"
    )
    exif_focal_log_sigma: float = parameter(
        0.03,
        unit="log",
        source="chosen: EXIF states whole millimetres; focus breathing and stabiliser crops "
        "add to it",
    )
    #: A zoom lens, such as a camcorder's, multiplies the usual focal length by up to this.
    zoom_factor: float = parameter(
        2.0, unit="", source="chosen: a zoom of 1 to 4 times, as in films taken from the side"
    )
    zoom_log_sigma: float = parameter(
        0.5, unit="log", source="chosen: the zoom range is 1.4 standard deviations to either side"
    )
    zoom_quantile: float = parameter(
        0.7, unit="σ", source="normal prior: its quartiles, one for each half"
    )
    #: A fitted focal length that differs this much from the usual one belongs to a zoom lens.
    zoom_sigmas: float = parameter(
        2.5,
        unit="σ",
        source="chosen: one phone in 80 is mistaken for a zoom lens, which does little harm",
    )
    centre_sigma_sides: float = parameter(
        0.01,
        unit="long sides",
        source="chosen: in a whole picture, the lens's axis is near the middle",
    )
    cropped_centre_sigma_sides: float = parameter(
        0.03,
        unit="long sides",
        source="chosen: the centre of a crop is rarely the picture's centre",
    )
    k1_sigma: float = parameter(
        0.06, unit="", source="typical radial distortion that phones leave in their pictures"
    )
    #: Long side over short side; a picture of any other shape was cropped.
    camera_shapes: tuple[float, float, float] = parameter(
        (4 / 3, 3 / 2, 16 / 9),
        unit="",
        source="nominal: the shapes of the pictures that cameras take",
    )
    shape_tolerance: float = parameter(
        0.01,
        unit="share",
        source="chosen: rounding a resized picture to whole pixels changes its shape by less; "
        "a crop by more",
    )


PARAMS = LensPriorParameters()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LensPrior:
    """Means and standard deviations of a lens's parameters, in pixels of one picture."""

    focal_px: float
    focal_log_sigma: float
    centre_px: tuple[float, float]
    centre_sigma_px: float
    k1: float = 0.0
    k1_sigma: float = field(default_factory=lambda: PARAMS.k1_sigma)

    def camera(self) -> Camera:
        """The camera with the mean parameters."""
        return Camera(
            fx_px=self.focal_px,
            fy_px=self.focal_px,
            cx_px=self.centre_px[0],
            cy_px=self.centre_px[1],
            k1=self.k1,
        )

    def likely_cameras(self) -> tuple[Camera, ...]:
        """The camera with the mean parameters, or two for an unknown focal length."""
        if self.focal_log_sigma <= PARAMS.focal_log_sigma:
            return (self.camera(),)
        factors = np.exp(PARAMS.zoom_quantile * self.focal_log_sigma * np.array([-1.0, 1.0]))
        return tuple(replace(self, focal_px=float(self.focal_px * f)).camera() for f in factors)

    def allow_zoom(self) -> LensPrior:
        """The prior of a lens that may be zoomed; unchanged if the focal length is known."""
        if self.focal_log_sigma < PARAMS.focal_log_sigma:
            return self
        return replace(
            self,
            focal_px=PARAMS.zoom_factor * self.focal_px,
            focal_log_sigma=PARAMS.zoom_log_sigma,
        )

    def adapt_to(self, focal_px: float) -> LensPrior:
        """This prior, or that of a zoom lens if the picture's focal length is outside this one."""
        deviation_log = abs(math.log(focal_px / self.focal_px))
        return (
            self.allow_zoom() if deviation_log > PARAMS.zoom_sigmas * self.focal_log_sigma else self
        )

    def rescale(self, factor: float) -> LensPrior:
        """The same prior for the picture resized by ``factor``."""
        x, y = self.centre_px
        return replace(
            self,
            focal_px=self.focal_px * factor,
            centre_px=((x + 0.5) * factor - 0.5, (y + 0.5) * factor - 0.5),
            centre_sigma_px=self.centre_sigma_px * factor,
        )


def guess_lens(width_px: int, height_px: int, focal_px: float | None = None) -> LensPrior:
    """The prior of an upright picture of this size; ``focal_px`` is EXIF's focal length, if any."""
    side = max(width_px, height_px)
    shape = side / min(height_px, width_px)
    is_whole = any(
        abs(shape / known - 1) < PARAMS.shape_tolerance for known in PARAMS.camera_shapes
    )
    sides, log_sigma = (
        (PARAMS.focal_sides, PARAMS.focal_log_sigma)
        if is_whole
        else (PARAMS.cropped_focal_sides, PARAMS.cropped_focal_log_sigma)
    )
    return LensPrior(
        focal_px=focal_px or sides * side,
        focal_log_sigma=PARAMS.exif_focal_log_sigma if focal_px else log_sigma,
        centre_px=((width_px - 1) / 2, (height_px - 1) / 2),
        centre_sigma_px=side
        * (PARAMS.centre_sigma_sides if is_whole else PARAMS.cropped_centre_sigma_sides),
    )
