"""The disc detector's input: the bird's-eye image of one board, its edges, and its discs' shape.

The plane through the discs' top faces is rectified, so rims are circles at any tilt. It is only as
accurate as the board's fit. This module does not distinguish discs from other things.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from calibration.board import BoardSpec, EmptyHole
from calibration.camera import FloatArray
from calibration.disc import DiscSpec
from calibration.fit import BoardFit
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import DiscState, PlacedDisc
from calibration.pose import View
from vision.discs.edges_above_grain import ColourEdges, estimate_grain_whitening, find_colour_edges
from vision.discs.outline.contour import DiscGeometry
from vision.discs.outline.posed_image import PosedImage
from vision.discs.outline.range_map import RangeMap, make_range_map
from vision.discs.radius_estimate import (
    DITCH_SEARCH_MM,
    NOMINAL_DISC,
    estimate_radius,
    find_sharp_circles,
)
from vision.discs.radius_estimate import PARAMS as RADIUS_ESTIMATE
from vision.rectify.birds_eye import BirdsEyeImage, warp_birds_eye


class DetectorInputParameters(StageParameters):
    """Parameters of ``detector_input``."""

    #: Width of the surroundings of a board part that are searched as well.
    beside_part_mm: float = parameter(
        40.0,
        unit="mm",
        source="chosen: half of the 61 mm over which edges are weighed, and their blur",
    )
    #: Detection works at this resolution.
    rectified_mm_per_px: float = parameter(
        1.0, unit="mm/px", source="chosen: a disc is then 32 px across"
    )
    #: Disc sets differ from the usual height by this share of the radius.
    height_sigma_per_radius: float = parameter(
        0.025,
        unit="",
        source="measured on renders: heights are 0.54 to 0.65 of the radius, about 0.595",
    )
    #: Sigma of a radius that was measured before any disc.
    radius_sigma_mm: float = parameter(
        0.3, unit="mm", source="chosen: the bandwidth of the radius estimate"
    )
    #: Centres closer than this share of two radii are one disc.
    min_separation_diameters: float = parameter(
        0.85,
        unit="",
        source="chosen: discs cannot overlap, and places of touching ones have errors of 15%",
    )
    #: A view is oblique if a disc's wall appears as high as this share of its face, ...
    oblique_wall_share: float = parameter(
        0.5,
        unit="share",
        source="measured on photographs: from 60° on, walls are mistaken for rims",
    )
    #: ... or if a face appears lower than this.
    oblique_face_px: float = parameter(
        16.0,
        unit="px",
        source="measured on photographs: in lower faces, a pixel of blur is as wide as a rim",
    )
    #: In an oblique view a disc closer to the hole's middle than this is in the hole.
    in_hole_mm: float = parameter(
        8.0, unit="mm", source="chosen: 2 mm of play, and 3 σ of the depth"
    )
    #: In other views a disc may lie flat over the hole's edge this far from its middle, ...
    over_edge_mm: float = parameter(
        10.0,
        unit="mm",
        source="chosen: a disc tips over the hole's edge once it is 7 to 11 mm from the "
        "centre; circles of empty holes are up to 8.5 mm off",
    )
    #: ... but a circle this far from the visible edge or floor of the hole belongs to neither.
    off_floor_mm: float = parameter(
        5.5,
        unit="mm",
        source="measured on 51 stills: circles of empty holes are up to 5.4 mm off, one 6.7; "
        "leaners 5.9 to 15",
    )
    #: A disc that was seen a moment ago, or by a learned detector, is within this of that place.
    expected_reach_mm: float = parameter(
        12.0,
        unit="mm",
        source="chosen: a nudge moves a disc by less, and it is well inside a disc's radius",
    )


PARAMS = DetectorInputParameters()
#: Greatest depth of the hole's floor: more than the 5 to 10 mm of measured holes.
_DEEPEST_HOLE_MM = 12.0
#: Edges are used this far beyond the ditch that is searched, and the bird's-eye image shows the
#: same margin: whole rims and their blur, clear of the windows of filters.
_BORDER_MM = 5.0
#: Every nth pixel of the surface, in x and y, is enough for its usual colour: thousands are left.
_WOOD_STEP_PX = 6
_OVER_HOLE = (DiscState.IN_HOLE, DiscState.LEANING)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoardPart:
    """A rectangle of a board between two places (2,), mm, in which discs may have come or gone.

    stayed  all known discs that are still where they were read before
    """

    low_mm: FloatArray
    high_mm: FloatArray
    stayed: tuple[PlacedDisc, ...]

    def reaches(self, place_mm: FloatArray, within_mm: float) -> bool:
        """Whether any part of it is close to a place (2,)."""
        nearest_mm = np.clip(place_mm, self.low_mm, self.high_mm)
        return bool(np.linalg.norm(nearest_mm - place_mm) < within_mm)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OtherPictures:
    """Evidence from other pictures of a board.

    show_bare_hole  nothing covers its hole
    part            where discs may have come or gone; discs that stayed are fitted again but not
                    looked for, except in an oblique view
    may_cover       whether anything other than the discs at places (n, 2) may cover it
    """

    show_empty_hole: bool = False
    part: BoardPart | None = None
    may_cover: Callable[[FloatArray], bool] | None = None


NO_OTHERS = OtherPictures()


def find_best_near(
    place_mm: FloatArray, found_mm: FloatArray, score: FloatArray, reach_mm: float
) -> FloatArray:
    """The best ``score`` (n,) of what was found at (n, 2) within ``reach_mm`` of places (k, 2):
    (k,); 0 if nothing is near.
    """
    away_mm = np.linalg.norm(place_mm[:, None] - found_mm, axis=-1)
    return np.asarray(((away_mm <= reach_mm) * score).max(axis=1, initial=0.0))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Proposals:
    """The evidence of a learned detector.

    base_mm  places (n, 2) to try, the base centres of possible discs on the surface
    weigh    addition to the log odds of discs at places (k, 2): (k,)
    in_hole  probability of a disc in the hole
    """

    base_mm: FloatArray
    weigh: Callable[[FloatArray], FloatArray]
    in_hole: float = 0.0

    @staticmethod
    def of_likely(base_mm: FloatArray, log_odds: FloatArray) -> Proposals:
        """Likely discs at places (n, 2), with additions (n,) to their log odds; 0 elsewhere."""

        def weigh(places_mm: FloatArray) -> FloatArray:
            return find_best_near(places_mm, base_mm, log_odds, PARAMS.expected_reach_mm)

        return Proposals(base_mm=base_mm, weigh=weigh)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DetectorInput:
    """One picture prepared for the disc detector: rectified image, edges, and the discs' shape.

    rectified       the plane through the discs' top faces
    searched        the part of it in which discs are looked for, and its edges
    shape           the discs' sizes, known or estimated, with their sigmas of radius and height
    known_size      the discs' sizes if a profile knows them, else None
    empty_hole      the appearance of the empty hole, if a profile knows it
    expected_mm     places where discs were seen a moment ago (e, 2)
    proposals       discs that a learned detector sees, if one was used
    is_single       whether this is the only picture, unlike a frame of a film
    is_oblique      whether the view is so oblique that outlines show as much side wall as face,
                    judged at the board's middle
    """

    picture: PosedImage
    spec: BoardSpec
    rectified: BirdsEyeImage
    searched: BirdsEyeImage
    edges: ColourEdges
    shape: DiscGeometry
    shape_sigma_mm: tuple[float, float]
    known_size: DiscSpec | None
    empty_hole: EmptyHole | None = None
    expected_mm: FloatArray = field(default_factory=lambda: np.zeros((0, 2)))
    proposals: Proposals | None = None
    is_single: bool = False
    is_oblique: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "is_oblique", is_oblique(self.picture.view, self.shape))

    def with_radius(self, radius_mm: float) -> DetectorInput:
        """The same input, with discs of this radius."""
        return replace(
            self,
            shape=DiscGeometry(
                radius_mm=radius_mm, height_mm=RADIUS_ESTIMATE.height_per_radius * radius_mm
            ),
            shape_sigma_mm=(PARAMS.radius_sigma_mm, PARAMS.height_sigma_per_radius * radius_mm),
        )

    @property
    def likely_size(self) -> DiscSpec:
        """The discs' sizes without a measurement: as given, or nominal with their uncertainty."""
        return self.known_size or DiscSpec(
            radius_mm=self.shape.radius_mm, height_mm=self.shape.height_mm
        )

    def split_stayed(
        self, part: BoardPart | None
    ) -> tuple[Sequence[PlacedDisc], tuple[PlacedDisc, ...] | None]:
        """The discs that stayed on the surface, and the disc over the hole; None if they are to be
        read again. In an oblique view all discs are read again, because they hide each other.
        """
        if part is None or self.is_oblique:
            return (), None
        over_hole = tuple(disc for disc in part.stayed if disc.state in _OVER_HOLE)
        lying = [disc for disc in part.stayed if disc.state not in _OVER_HOLE]
        reach_mm = self.spec.hole_radius_mm + self.shape.radius_mm
        return lying, None if part.reaches(self.hole_mm, reach_mm) else over_hole

    def is_expected(self, base_mm: FloatArray) -> np.ndarray:
        """Places (..., 2) so close to where discs were seen that these discs may be there."""
        away_mm = np.linalg.norm(base_mm[..., None, :] - self.expected_mm, axis=-1)
        return np.asarray(away_mm.min(axis=-1, initial=np.inf) < PARAMS.expected_reach_mm)

    @property
    def proposed_mm(self) -> FloatArray:
        """Base centres (p, 2) where a learned detector thinks a disc likely."""
        if self.proposals is None:
            return np.zeros((0, 2))
        base_mm, spec = self.proposals.base_mm, self.spec
        reach_mm = spec.line_radii_mm[2] if self.is_single else spec.surface_radius_mm
        return base_mm[np.linalg.norm(base_mm, axis=-1) < reach_mm]

    def weigh_proposals(self, base_mm: FloatArray) -> FloatArray:
        """A learned detector's contribution to the log odds of discs at (n, 2): (n,)."""
        return np.zeros(len(base_mm)) if self.proposals is None else self.proposals.weigh(base_mm)

    @property
    def expected_reach_px(self) -> int:
        """The reach of expected places in the rectified image."""
        return round(PARAMS.expected_reach_mm / self.rectified.mm_per_px)

    @property
    def wood_bgr(self) -> FloatArray:
        """The median colour of the playing surface within its 5-line: BGR (3,)."""
        every = (slice(None, None, _WOOD_STEP_PX),) * 2
        empty = self.rectified.radius_mm(_WOOD_STEP_PX) < self.spec.line_radii_mm[2]
        return np.median(self.rectified.image[every][empty & self.rectified.inside[every]], axis=0)

    @property
    def hole_mm(self) -> FloatArray:
        """The hole's middle (2,), board frame."""
        return np.asarray(self.spec.hole_centre_mm, dtype=np.float64)

    def map_front(self, base_mm: FloatArray) -> RangeMap | None:
        """Occlusions in an oblique view: by the posts, and by discs at ``base_mm`` (n, 2)."""
        if not self.is_oblique:
            return None
        in_front = make_range_map(self.picture.view, self.picture.image.shape[:2])
        in_front.add_posts(self.spec)
        in_front.add_discs(base_mm, self.shape)
        return in_front

    @property
    def min_hole_distance_mm(self) -> float:
        """The least distance from the hole's middle at which a disc counts as on the surface.

        A nearer disc tips into the hole. In an oblique view a leaner looks like a disc on the
        surface.
        """
        return PARAMS.in_hole_mm if self.is_oblique else self.spec.hole_radius_mm

    def find_off_hole(self, base_mm: FloatArray, is_sure: np.ndarray) -> np.ndarray:
        """Circles (n, 2) outside the hole: (n,) bool. If other pictures of the board show which
        circles are discs, circles over its edge also count if they are discs by ``is_sure`` (n,).
        """
        off_hole_mm = np.linalg.norm(base_mm - self.hole_mm, axis=-1)
        is_beside = off_hole_mm > self.min_hole_distance_mm
        if self.is_single or self.is_oblique:
            return np.asarray(is_beside)
        is_over = is_sure & (off_hole_mm > PARAMS.over_edge_mm)
        is_over &= self.measure_hole_distance_mm(base_mm) > PARAMS.off_floor_mm
        return np.asarray(is_beside | is_over)

    def measure_hole_distance_mm(self, base_mm: FloatArray) -> FloatArray:
        """Distances of circles (n, 2), fitted as rims of discs, from the visible hole or floor."""
        camera_mm = self.picture.camera_mm
        arm = self.hole_mm - camera_mm[:2]
        edge, floor = (
            camera_mm[:2]
            + arm * ((camera_mm[2] - self.shape.height_mm) / (camera_mm[2] + depth_mm))
            for depth_mm in (0.0, _DEEPEST_HOLE_MM)
        )
        way = floor - edge
        share = np.clip((base_mm - edge) @ way / max(float(way @ way), 1e-9), 0.0, 1.0)
        return np.asarray(np.linalg.norm(base_mm - edge - share[:, None] * way, axis=-1))

    @property
    def min_separation_mm(self) -> float:
        """The least distance of two discs' centres."""
        return 2 * PARAMS.min_separation_diameters * self.shape.radius_mm


def is_oblique(view: View, shape: DiscGeometry | DiscSpec) -> bool:
    """Whether discs of that shape in the board's middle show as much side wall as face."""
    camera_mm = view.cam_from_board.camera_board_mm
    azimuth = np.arctan2(camera_mm[1], camera_mm[0])
    ends = np.outer([-shape.radius_mm, shape.radius_mm], (np.cos(azimuth), np.sin(azimuth)))
    face_px = np.linalg.norm(np.diff(view.project_plane(ends), axis=0))
    slope = float(np.linalg.norm(camera_mm[:2])) / camera_mm[2]  # of sight, along a mm down
    wall_share = slope * shape.height_mm / (2 * shape.radius_mm)
    return bool(wall_share > PARAMS.oblique_wall_share or face_px < PARAMS.oblique_face_px)


def _take_shape(disc: DiscSpec) -> DiscGeometry:
    return DiscGeometry(radius_mm=disc.radius_mm, height_mm=disc.height_mm)


def prepare_detector_input(
    image: np.ndarray, fit: BoardFit, disc: DiscSpec | None, part: BoardPart | None = None
) -> DetectorInput:
    """The detector's input of a board found in ``image`` (h, w, 3) BGR uint8.

    Without ``disc`` the radius is estimated, and the height follows from it. If only a ``part`` of
    the board is of interest, discs of known sizes are looked for only there, except in an oblique
    view, where discs hide each other.
    """
    spec, view = fit.spec, fit.view
    top_mm = disc.height_mm if disc else NOMINAL_DISC.height_mm
    outer_mm = spec.surface_radius_mm + DITCH_SEARCH_MM + _BORDER_MM
    rectified = warp_birds_eye(
        image,
        view,
        z_mm=top_mm,
        half_side_mm=outer_mm + _BORDER_MM,
        mm_per_px=PARAMS.rectified_mm_per_px,
    )
    picture = PosedImage(
        image=image, view=view, whitening=estimate_grain_whitening(rectified, spec)
    )
    searched = rectified
    if part is not None and disc is not None and not is_oblique(picture.view, disc):
        beyond_mm = PARAMS.beside_part_mm
        searched = rectified.cut(part.low_mm - beyond_mm, part.high_mm + beyond_mm)
    edges = find_colour_edges(searched, picture.whitening, outer_mm)
    inputs = DetectorInput(
        picture=picture,
        spec=spec,
        rectified=rectified,
        searched=searched,
        edges=edges,
        shape=DiscGeometry(radius_mm=NOMINAL_DISC.radius_mm, height_mm=top_mm),
        shape_sigma_mm=(
            PARAMS.radius_sigma_mm,
            PARAMS.height_sigma_per_radius * NOMINAL_DISC.radius_mm,
        ),
        known_size=disc,
    )
    if disc is not None:
        return replace(
            inputs,
            shape=_take_shape(disc),
            shape_sigma_mm=(disc.radius_sigma_mm, disc.height_sigma_mm),
        )
    return inputs.with_radius(estimate_radius(find_sharp_circles(picture, searched, edges, spec)))
