"""A board made ready for finding discs: seen from above, its edges, and the shape of its discs.

Knows how to prepare a picture. Refuses to know what lies on the board.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from calibration.board import BoardSpec, DiscSpec
from calibration.camera import FloatArray
from calibration.fit import BoardFit
from vision.disc_radius import (
    DITCH_MM,
    HEIGHT_PER_RADIUS,
    NOMINAL,
    SharpCircles,
    likely_radii,
    sharp_circles,
)
from vision.lift import Picture
from vision.rim_votes import Edges, find_edges, grain_whitening
from vision.silhouette import DiscShape
from vision.topdown import TopDown, top_down

#: Detection works at this resolution: a disc is 32 px across.
_PLAN_MM_PER_PX = 1.0
#: Disc sets differ from the usual height by this share of the radius; a radius that was measured
#: is good to 0.3 mm.
_HEIGHT_SIGMA_PER_RADIUS = 0.025
_RADIUS_SIGMA_MM = 0.3
#: Every such pixel of the surface, in x and y, is enough for its usual colour.
_WOOD_EVERY = 6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scene:
    """One picture made ready: top-down plan, edges, and the shape its discs have.

    circles       sharp ones of any disc's size; None where the discs' sizes are given
    rivals_mm     other radii that the discs may have instead
    """

    picture: Picture
    spec: BoardSpec
    plan: TopDown
    edges: Edges
    shape: DiscShape
    shape_sigma_mm: tuple[float, float]
    given: DiscSpec | None
    circles: SharpCircles | None = None
    rivals_mm: tuple[float, ...] = ()

    def with_radius(self, radius_mm: float) -> Scene:
        """The same scene, taken to have discs of this radius and of no other."""
        return replace(
            self,
            shape=DiscShape(radius_mm=radius_mm, height_mm=HEIGHT_PER_RADIUS * radius_mm),
            shape_sigma_mm=(_RADIUS_SIGMA_MM, _HEIGHT_SIGMA_PER_RADIUS * radius_mm),
            rivals_mm=(),
        )

    @property
    def wood_bgr(self) -> FloatArray:
        """The usual colour of the playing surface (3,)."""
        every = (slice(None, None, _WOOD_EVERY),) * 2
        bare = self.plan.radius_mm(_WOOD_EVERY) < self.spec.line_radii_mm[2]
        return np.median(self.plan.image[every][bare & self.plan.seen[every]], axis=0)

    @property
    def hole_mm(self) -> FloatArray:
        return np.asarray(self.spec.hole_centre_mm, dtype=np.float64)


def look_at_board(image: np.ndarray, fit: BoardFit, disc: DiscSpec | None) -> Scene:
    spec, view = fit.spec, fit.view
    top_mm = disc.height_mm if disc else NOMINAL.height_mm
    outer_mm = spec.surface_radius_mm + DITCH_MM + 5
    plan = top_down(image, view, z_mm=top_mm, half_side_mm=outer_mm + 5, mm_per_px=_PLAN_MM_PER_PX)
    picture = Picture(image=image, view=view, whitening=grain_whitening(plan, spec))
    edges = find_edges(plan, picture.whitening, outer_mm)
    scene = Scene(
        picture=picture,
        spec=spec,
        plan=plan,
        edges=edges,
        shape=DiscShape(radius_mm=NOMINAL.radius_mm, height_mm=top_mm),
        shape_sigma_mm=(_RADIUS_SIGMA_MM, _HEIGHT_SIGMA_PER_RADIUS * NOMINAL.radius_mm),
        given=disc,
    )
    if disc is not None:
        return replace(
            scene,
            shape=DiscShape(radius_mm=disc.radius_mm, height_mm=disc.height_mm),
            shape_sigma_mm=(disc.radius_sigma_mm, disc.height_sigma_mm),
        )
    circles = sharp_circles(picture, plan, edges, spec)
    likeliest, *rivals = likely_radii(circles)
    return replace(scene.with_radius(likeliest), circles=circles, rivals_mm=tuple(rivals))
