"""The disc detector's input: the rectified board, its edges, and the shape of its discs.

Knows how to prepare a picture. Refuses to know what lies on the board.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from calibration.board import BoardSpec, DiscSpec
from calibration.camera import FloatArray
from calibration.fit import BoardFit
from calibration.parameters import StageParameters, parameter
from vision.discs.hough_votes import ColourEdges, estimate_grain_whitening, find_colour_edges
from vision.discs.outline.contour import DiscGeometry
from vision.discs.outline.outline_fit import PosedImage
from vision.discs.radius_estimate import (
    DITCH_SEARCH_MM,
    HEIGHT_PER_RADIUS,
    NOMINAL_DISC,
    SharpCircles,
    estimate_radii,
    find_sharp_circles,
)
from vision.rectify.birds_eye import BirdsEyeImage, warp_birds_eye


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorInputParameters(StageParameters):
    """What ``detector_input`` takes for granted."""

    stage: ClassVar[str] = "discs.detector_input"

    #: Detection works at this resolution: a disc is 32 px across.
    rectified_mm_per_px: float = parameter(1.0, unit="mm", source="")
    #: Disc sets differ from the usual height by this share of the radius; a radius that was
    #: measured is good to 0.3 mm.
    height_sigma_per_radius: float = parameter(0.025, unit="", source="")
    radius_sigma_mm: float = parameter(0.3, unit="mm", source="")
    #: Every such pixel of the surface, in x and y, is enough for its usual colour.
    wood_step_px: int = parameter(6, unit="px", source="")


PARAMS = DetectorInputParameters.active()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DetectorInput:
    """One picture prepared for the disc detector: rectified image, edges, and the discs' shape.

    circles       sharp ones of any disc's size; None where the discs' sizes are given
    rivals_mm     other radii that the discs may have instead
    """

    picture: PosedImage
    spec: BoardSpec
    plan: BirdsEyeImage
    edges: ColourEdges
    shape: DiscGeometry
    shape_sigma_mm: tuple[float, float]
    given: DiscSpec | None
    circles: SharpCircles | None = None
    rival_radii_mm: tuple[float, ...] = ()

    def with_radius(self, radius_mm: float) -> DetectorInput:
        """The same input, with discs of this radius and of no other."""
        return replace(
            self,
            shape=DiscGeometry(radius_mm=radius_mm, height_mm=HEIGHT_PER_RADIUS * radius_mm),
            shape_sigma_mm=(PARAMS.radius_sigma_mm, PARAMS.height_sigma_per_radius * radius_mm),
            rival_radii_mm=(),
        )

    @property
    def wood_bgr(self) -> FloatArray:
        """The usual colour of the playing surface (3,)."""
        every = (slice(None, None, PARAMS.wood_step_px),) * 2
        bare = self.plan.radius_mm(PARAMS.wood_step_px) < self.spec.line_radii_mm[2]
        return np.median(self.plan.image[every][bare & self.plan.seen[every]], axis=0)

    @property
    def hole_mm(self) -> FloatArray:
        return np.asarray(self.spec.hole_centre_mm, dtype=np.float64)


def prepare_detector_input(
    image: np.ndarray, fit: BoardFit, disc: DiscSpec | None
) -> DetectorInput:
    spec, view = fit.spec, fit.view
    top_mm = disc.height_mm if disc else NOMINAL_DISC.height_mm
    outer_mm = spec.surface_radius_mm + DITCH_SEARCH_MM + 5
    rectified = warp_birds_eye(
        image, view, z_mm=top_mm, half_side_mm=outer_mm + 5, mm_per_px=PARAMS.rectified_mm_per_px
    )
    picture = PosedImage(
        image=image, view=view, whitening=estimate_grain_whitening(rectified, spec)
    )
    edges = find_colour_edges(rectified, picture.whitening, outer_mm)
    inputs = DetectorInput(
        picture=picture,
        spec=spec,
        plan=rectified,
        edges=edges,
        shape=DiscGeometry(radius_mm=NOMINAL_DISC.radius_mm, height_mm=top_mm),
        shape_sigma_mm=(
            PARAMS.radius_sigma_mm,
            PARAMS.height_sigma_per_radius * NOMINAL_DISC.radius_mm,
        ),
        given=disc,
    )
    if disc is not None:
        return replace(
            inputs,
            shape=DiscGeometry(radius_mm=disc.radius_mm, height_mm=disc.height_mm),
            shape_sigma_mm=(disc.radius_sigma_mm, disc.height_sigma_mm),
        )
    circles = find_sharp_circles(picture, rectified, edges, spec)
    likeliest, *rivals = estimate_radii(circles)
    return replace(inputs.with_radius(likeliest), circles=circles, rival_radii_mm=tuple(rivals))
