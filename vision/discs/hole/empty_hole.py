"""Compares the hole with its empty appearance: is its floor visible, or something else?

Light from the floor is taken as a share of the light from the surface around the hole, in linear
light, so lamps, exposure and white balance cancel out (von Kries 1902). Two unknowns remain: how
much light reaches the floor, equal in all colours, and the camera's tone curve, a power. Every
point on the floor is compared with the nearest colour that both allow. A disc of the floor's own
colour cannot be distinguished from it, and in a grazing view the floor is not visible.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.board import FLOOR_LIGHT_SHARES, BoardSpec, EmptyHole
from calibration.camera import FloatArray
from calibration.circle import circle_mm
from calibration.numerics.medians import column_medians
from calibration.parameters import StageParameters, parameter
from vision.discs.hole.pose_templates import pose_on_surface, render_masks
from vision.discs.outline.contour import DiscGeometry
from vision.discs.outline.posed_image import PosedImage, sample_colours
from vision.discs.teams.team_colours import PARAMS as TEAM_COLOURS
from vision.discs.teams.team_colours import bgr_to_weighted_lab
from vision.rectify.luminance import PARAMS as LUMINANCE
from vision.rectify.luminance import decode_gamma, encode_gamma


class EmptyHoleParameters(StageParameters):
    """Parameters of ``empty_hole``."""

    #: The floor is measured at this depth.
    depth_mm: float = parameter(7.5, unit="mm", source="measured boards have holes 5 to 10 mm deep")
    #: Points this close to the hole's rim are ignored.
    rim_mm: float = parameter(
        2.5, unit="mm", source="chosen: the width of the gap beside a disc, and the blur of a pixel"
    )
    #: Share of the places on floor and surface that must be visible.
    least_visible_share: float = parameter(
        0.4, unit="share", source="chosen: nearly half of the hole must be visible"
    )
    #: A colour channel with less light than this does not count when the light is measured.
    least_grey: float = parameter(
        12.0, unit="grey value", source="chosen: twice the error of a JPEG"
    )
    #: Share of the points that must agree.
    agreeing_share: float = parameter(
        0.8, unit="share", source="chosen: glare or a logo may cover the rest"
    )
    #: The floor is the empty hole's if its colour distance is below this, ...
    same_lab: float = parameter(
        8.0, unit="weighted Lab", source="measured on renders: empty holes have up to 6.2"
    )
    #: ... and beyond this distance, in any light, an object covers it.
    covered_lab: float = parameter(
        10.0,
        unit="weighted Lab",
        source="measured on renders: empty holes have up to 6, discs of other colours 12.5 and"
        " more",
    )
    #: A disc of the floor's colour gets more than this share of the light, because it is higher up.
    raised_shade: float = parameter(
        1.25,
        unit="",
        source="measured on renders: such discs mostly have 1.3 to 5.5, empty holes up to 1.43",
    )


PARAMS = EmptyHoleParameters()
#: Circles on which the floor is measured, in hole radii: clear of the wall and of a disc's gap.
_FLOOR_RADII = (0.1, 0.25, 0.4, 0.55)
#: The surface is measured this far beyond the rim: beyond the rounded rim, but near enough to be in
#: the same light as the hole.
_BEYOND_MM = (5.0, 8.0, 11.0)
#: Light on an empty hole's floor, relative to the light when it was measured (renders of 16 boards
#: in three lights each: 0.68 to 1.43), ...
_FLOOR_SHADES = (0.55, 0.65, 0.8, 1.0, 1.25, 1.5)
#: ... and on an object of the floor's colour that is higher up or shaded. In renders, discs of a
#: hole's own paint get up to 5.5 times the floor's light.
_ANY_SHADES = (
    0.1,
    0.15,
    0.22,
    0.33,
    0.45,
    0.55,
    0.65,
    0.8,
    1.0,
    1.25,
    1.5,
    1.9,
    2.4,
    3.0,
    4.0,
    5.0,
)
#: Cameras differ in tone by up to these powers: the range of phones' contrast settings.
_POWERS = (0.87, 1.0, 1.15)
#: Gloss usually adds these shares of the surface's light to the floor's: dull floors.
_USUAL_GLOSS = (0.0, 0.03)
#: The most that gloss adds. A felt floor before a window has 0.15.
_ANY_GLOSS = (0.0, 0.03, 0.08, 0.15)
#: Number of directions in which each circle is sampled: 96 places in all, at least half a pixel
#: apart.
_DIRECTIONS = 24


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HoleFloor:
    """Colours of n places where the empty hole's floor is visible, BGR (n, 3), and the usual colour
    of the surface around the hole, BGR (3,).
    """

    floor_bgr: FloatArray
    surface_bgr: FloatArray


def measure_floor(
    picture: PosedImage, spec: BoardSpec, shape: DiscGeometry, flat_mm: FloatArray
) -> HoleFloor | None:
    """The colours in the hole and around it.

    None if the hole's rim, discs of ``shape`` on the surface at ``flat_mm`` (n, 2) or too much or
    too little light hide them.
    """
    camera_mm = picture.camera_mm - (*spec.hole_centre_mm, 0.0)
    floor = np.concatenate(
        [circle_mm((0, 0), k * spec.hole_radius_mm, _DIRECTIONS) for k in _FLOOR_RADII]
    )
    floor += (camera_mm[:2] - floor) * (PARAMS.depth_mm / (camera_mm[2] + PARAMS.depth_mm))
    is_in_sight = np.linalg.norm(floor, axis=1) < spec.hole_radius_mm - PARAMS.rim_mm
    around = np.concatenate(
        [circle_mm((0, 0), spec.hole_radius_mm + away, _DIRECTIONS) for away in _BEYOND_MM]
    )
    others = pose_on_surface(np.reshape(flat_mm, (-1, 2)) - spec.hole_centre_mm)
    colours = []
    for place, is_open in ((floor, is_in_sight), (around, True)):
        is_hidden = render_masks(camera_mm, place, others, shape, spec.hole_radius_mm).any(axis=0)
        free = place[~is_hidden & is_open]
        if len(free) < PARAMS.least_visible_share * len(place):
            return None
        points = np.insert(free + spec.hole_centre_mm, 2, 0.0, axis=1)
        colours.append(sample_colours(picture, points[None])[0])
    surface_bgr = column_medians(colours[1])
    if surface_bgr.max() > LUMINANCE.burnt_out_grey or surface_bgr.min() < PARAMS.least_grey:
        return None
    return HoleFloor(floor_bgr=colours[0], surface_bgr=surface_bgr)


def describe_floor(floor: HoleFloor) -> EmptyHole:
    """The appearance of an empty hole with a visible floor."""
    floor_light, surface_light = (
        decode_gamma(np.maximum(colours, 1.0))
        for colours in (column_medians(floor.floor_bgr), floor.surface_bgr)
    )
    share = np.clip(floor_light / surface_light, *FLOOR_LIGHT_SHARES)
    blue, green, red = (round(float(channel), 5) for channel in share)
    return EmptyHole(light_rgb=(red, green, blue))


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorComparison:
    """The hole's pixels compared with the empty hole's floor.

    is_like_empty  it may be the floor: it has the floor's colour, as dark as in usual light
    is_covered     it cannot be the floor in any light
    may_be_disc    a team's discs look more like it than the floor does, and it is covered or
                   lighter
    """

    is_like_empty: bool
    is_covered: bool
    may_be_disc: bool


def compare_floor(floor: HoleFloor, empty: EmptyHole, teams_lab: FloatArray) -> FloorComparison:
    """The comparison of a floor with the empty hole's. ``teams_lab`` (t, 3) are the teams' colours,
    weighted Lab.
    """
    lab = bgr_to_weighted_lab(floor.floor_bgr)
    usual = _predict_lab(empty, floor.surface_bgr, _FLOOR_SHADES, _USUAL_GLOSS)
    every = _predict_lab(empty, floor.surface_bgr, _ANY_SHADES, _ANY_GLOSS)
    to_floor, in_any_light = _measure_distance(lab, usual), _measure_distance(lab, every)
    teams = np.reshape(teams_lab, (-1, 3))
    is_teams = _measure_distance(teams, usual) < TEAM_COLOURS.teams_apart_lab
    is_like = np.quantile(to_floor, PARAMS.agreeing_share) < PARAMS.same_lab
    is_covered = np.quantile(in_any_light, 1 - PARAMS.agreeing_share) > PARAMS.covered_lab
    is_raised = _measure_shade(floor, empty) > PARAMS.raised_shade
    is_other = np.median(to_floor) > PARAMS.same_lab
    is_nearer = len(teams) > 0 and np.median(_measure_distance(lab, teams) - to_floor) < 0
    return FloorComparison(
        is_like_empty=bool(is_like),
        is_covered=bool(is_covered),
        may_be_disc=bool(is_nearer and (is_other or (is_raised and is_teams.any()))),
    )


def _measure_shade(floor: HoleFloor, empty: EmptyHole) -> float:
    """The light on the floor, as a share of the light when the hole was measured."""
    now, then = (np.array(hole.light_rgb) for hole in (describe_floor(floor), empty))
    return float(np.exp(np.mean(np.log(now / then))))


def _predict_lab(
    empty: EmptyHole, surface_bgr: FloatArray, shades: tuple[float, ...], gloss: tuple[float, ...]
) -> FloatArray:
    """The floor's colours (k, 3), weighted Lab, in such light next to a surface (3,) BGR."""
    share = np.array(empty.light_rgb[::-1]) ** np.array(_POWERS)[:, None]
    surface = decode_gamma(surface_bgr)
    light = np.array(shades)[:, None, None] * (surface * share)
    light = light + surface.mean() * np.array(gloss)[:, None, None, None]
    return bgr_to_weighted_lab(np.minimum(encode_gamma(light), 255.0).reshape(-1, 3))


def _measure_distance(lab: FloatArray, others: FloatArray) -> FloatArray:
    """Distance of colours (n, 3) to the nearest of others (k, 3): (n,)."""
    return np.asarray(np.linalg.norm(lab[:, None] - others, axis=-1).min(axis=1))
