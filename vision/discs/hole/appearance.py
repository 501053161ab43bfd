"""The 20-hole's appearance: whether it shows a team's colour, and whether there is a gap all
around.

A disc in the hole has its team's colour and a dark gap of 1 to 2 mm all around. An empty hole keeps
its own colour, often a team's, up to its rim. From above, or out of focus, the gap may not show.
``pose_templates`` has the possible poses of a disc there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.board import BoardSpec
from calibration.camera import FloatArray
from calibration.circle import circle_mm
from calibration.numerics.medians import column_medians
from calibration.parameters import StageParameters, parameter
from vision.discs.hole.pose_templates import pose_on_surface, render_masks
from vision.discs.outline.contour import DiscGeometry
from vision.discs.outline.posed_image import PosedImage, sample_colours
from vision.discs.teams.team_colours import FACE_RADII, bgr_to_weighted_lab


class AppearanceParameters(StageParameters):
    """Parameters of ``appearance``."""

    #: Largest distance of a disc in the hole from its team's colour, ...
    team_colour_lab: float = parameter(
        8.0,
        unit="weighted Lab",
        source="measured on renders: discs differ from their team's colour by up to 7; painted"
        " holes of nearly that colour by 11 and more",
    )
    #: ... for a disc with a different grain, or in different light, ...
    likely_colour_lab: float = parameter(
        11.0,
        unit="weighted Lab",
        source="chosen: just less than the 11 by which painted holes of nearly the team's "
        "colour differ from it",
    )
    #: ... for a disc in shade or glare, behind a gap too dark for paint, ...
    shaded_colour_lab: float = parameter(
        15.0, unit="weighted Lab", source="chosen: in shade, nearly twice as far as in even light"
    )
    #: ... and for a disc under its own lamp, in such a gap all around, if every other team's colour
    #: is at least this many times as far.
    lit_colour_lab: float = parameter(
        25.0,
        unit="weighted Lab",
        source="measured on renders: colours are up to 20 away; glare moves them by 17",
    )
    lit_colour_lead: float = parameter(
        2.0,
        unit="times",
        source="chosen: if the next team is twice as far away, it cannot be the right one",
    )
    black_gap_l: float = parameter(
        10.0, unit="weighted L", source="chosen: no painted ring is as dark as this"
    )
    #: Seen from straight above, a dark ring may be a leaner's wall unless it is darker by this
    #: share; and only a colour this close to a team's certainly belongs to the team.
    clear_gap_share: float = parameter(
        0.5,
        unit="share",
        source="measured on renders: gaps about discs in the hole have 0.57 to 0.85, a wall 0.38",
    )
    sure_colour_lab: float = parameter(
        5.0,
        unit="weighted Lab",
        source="measured on renders and stills: discs in the hole are within 2.5",
    )
    #: At a slant, a floor this deep is displaced so far from the hole's middle that its shaded rim
    #: cannot look like a gap all around.
    shallow_floor_mm: float = parameter(
        5.0, unit="mm", source="measured: the depth of the shallowest hole"
    )
    clear_parallax_mm: float = parameter(
        1.6, unit="mm", source="chosen: the usual play, which is the width of a gap"
    )
    #: The gap is darker than disc and wood by this share of their lightness, and by this in
    #: lightness, over half of the hole's rim.
    gap_darker_share: float = parameter(
        0.25,
        unit="share",
        source="measured on renders: 0.36 to 0.54 with a disc in the hole, up to 0.22 in empty"
        " holes",
    )
    gap_darker_l: float = parameter(
        4.0, unit="weighted L", source="chosen: more than noise and blur cause"
    )
    #: Share of the directions in which a gap is seen. In renders it is 0.81 to 1 for a disc in the
    #: hole (0.7 for two seen at a slant), mostly up to 0.8 for a leaner, and up to 0.55 for wall
    #: and floor (0.7 if lit from one side).
    gap_all_round: float = parameter(
        0.9, unit="share", source="measured on renders: nearly all leaning discs have less"
    )
    gap_on_most: float = parameter(
        0.8,
        unit="share",
        source="measured on renders: all empty holes and most leaning discs have less",
    )
    gap_on_one_side: float = parameter(
        0.65,
        unit="share",
        source="measured on renders: all discs have more, and so do empty holes lit from one side",
    )
    gap_on_half: float = parameter(
        0.5, unit="share", source="measured on renders: some empty holes have more"
    )
    #: A gap must be darker than its surroundings by this share.
    gap_seen_share: float = parameter(
        0.15,
        unit="share",
        source="chosen: less than the gap's median share, because it is for single directions",
    )
    #: If less of the rim is visible, because discs are in front of it, the hidden part is judged
    #: too.
    least_seen_rim: float = parameter(
        0.5,
        unit="share",
        source="chosen: a gap along half of the rim does not prove a gap all round",
    )
    #: The empty floor of a shaded hole has at most this lightness.
    shade_l: float = parameter(
        16.0, unit="weighted L", source="chosen: nearly black, as in deep shade"
    )
    #: The hole's radius exceeds a disc's by this; if it seems to exceed it by less than half of
    #: this, the measured circle is the rim of a disc in the hole.
    usual_play_mm: float = parameter(
        1.8, unit="mm", source="chosen: a nominal hole and disc leave 1.6 mm, worn ones more"
    )


PARAMS = AppearanceParameters()
#: Rings are sampled this far beyond the hole's rim: from here outwards, no disc has worn the wood.
_BEYOND_MM = 4.0
#: The area next to the gap is between these shares of a disc's radius: the outer part of the face,
#: clear of its rounding.
_BESIDE_RADII = (0.55, 0.85)
#: The gap begins this far inside the disc's rim, which allows for discs off the centre and for
#: their rounded edges.
_GAP_INSIDE_MM = 2.0
#: It ends this far outside the hole's: the hole's rounded edge.
_GAP_OUTSIDE_MM = 0.8
#: The wood begins this far outside the hole: clear of the hole's edge and its blur.
_WOOD_OUTSIDE_MM = 1.5
#: Distance of the rings about the hole's middle: a quarter of the gap's width.
_RING_STEP_MM = 0.5
#: Directions about the hole: every 2 mm of the rim.
_DIRECTIONS = 48


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HoleAppearance:
    """The appearance of the hole.

    team             the team whose colour is nearest to the pixels inside, -1 without teams
    colour_distance  to that team, weighted Lab; infinite without teams
    lab              of the pixels inside, weighted Lab: (3,)
    gap_darkness     of the gap around a disc, weighted L
    gap_share        the darkness as a share of the lightness beside the gap
    gap_coverage     share of the directions in which a gap is seen
    parallax_mm      how far from the hole's middle a shallow floor would be seen
    other_distance   distance to the next nearest team; infinite without one
    """

    team: int
    colour_distance: float
    lab: FloatArray
    gap_darkness: float
    gap_share: float
    gap_coverage: float
    parallax_mm: float = 0.0
    other_distance: float = float("inf")

    @property
    def shows_team(self) -> bool:
        """Whether the pixels inside have a team's colour."""
        return self.colour_distance < PARAMS.team_colour_lab

    @property
    def may_show_team(self) -> bool:
        """Whether the pixels inside may be a team's disc of another shade than the team's other
        discs.
        """
        return self.colour_distance < PARAMS.likely_colour_lab

    @property
    def may_be_shade(self) -> bool:
        """Whether the empty floor may look like this in the hole's own shade."""
        return bool(self.lab[0] < PARAMS.shade_l)

    @property
    def has_gap_all_round(self) -> bool:
        """Whether a gap runs all round an object of any colour, which is rare for leaners."""
        return self._has_gap and self.gap_coverage > PARAMS.gap_all_round

    @property
    def may_show_gap(self) -> bool:
        """Whether a gap may run round an object of any colour."""
        return self.gap_coverage > PARAMS.gap_on_one_side

    @property
    def has_black_gap(self) -> bool:
        """Whether a gap too black for an empty hole runs nearly all round."""
        is_black = self._has_gap and self.gap_darkness > PARAMS.black_gap_l
        return is_black and self.gap_coverage > PARAMS.gap_on_most

    @property
    def may_show_black_gap(self) -> bool:
        """Whether a gap too black for an empty hole may run beside an object of any colour, as it
        does beside leaners.
        """
        is_black = self._has_gap and self.gap_darkness > PARAMS.black_gap_l
        return is_black and self.may_show_gap

    @property
    def shows_lit_team(self) -> bool:
        """Whether a gap that no empty hole has runs all round an object whose colour is most like
        one team's, under a lamp or in different light.
        """
        return self.has_black_gap and self.has_gap_all_round and self.may_be_lit_team

    @property
    def may_be_lit_team(self) -> bool:
        """Whether the pixels inside are most like one team's colour in different light."""
        is_clear = self.colour_distance * PARAMS.lit_colour_lead < self.other_distance
        return is_clear and self.colour_distance < PARAMS.lit_colour_lab

    @property
    def shows_gap(self) -> bool:
        """Whether a gap runs round a disc of a possible team's colour."""
        shaded = (
            self.colour_distance < PARAMS.shaded_colour_lab
            and self.gap_darkness > PARAMS.black_gap_l
        )
        has_gap = self._has_gap and self.gap_coverage > PARAMS.gap_on_one_side
        return has_gap and (self.shows_team or shaded)

    @property
    def shows_gap_all_round(self) -> bool:
        """Whether the gap runs all round."""
        return self.shows_gap and self.has_gap_all_round

    @property
    def is_surely_disc(self) -> bool:
        """Whether there is certainly a team's disc, because the gap all around can be neither the
        hole's own nor a tilted disc's wall. The shaded rim of a floor seen at a slant is only on
        one side, and is never black beside a floor of exactly a team's colour.
        """
        is_askew = self.parallax_mm > PARAMS.clear_parallax_mm
        is_black = self.gap_darkness > PARAMS.black_gap_l
        is_black = is_black and self.gap_share > PARAMS.clear_gap_share
        is_exact = self.colour_distance < PARAMS.sure_colour_lab
        return (
            self.shows_gap_all_round and self.shows_team and (is_askew or (is_black and is_exact))
        )

    @property
    def _has_gap(self) -> bool:
        return self.gap_share > PARAMS.gap_darker_share and self.gap_darkness > PARAMS.gap_darker_l

    @property
    def may_hold_disc(self) -> bool:
        """Whether there may be a disc: some gap is seen around a team's colour."""
        return (
            self.shows_team
            and self.gap_darkness > PARAMS.gap_darker_l
            and self.gap_coverage > PARAMS.gap_on_half
        )


def measure_hole(
    picture: PosedImage,
    spec: BoardSpec,
    shape: DiscGeometry,
    teams_lab: FloatArray,
    flat_mm: FloatArray,
) -> HoleAppearance:
    """Colour and gap of the hole of a board whose discs have ``shape``, at the surface.

    ``teams_lab`` (t, 3) are the teams' colours, weighted Lab. ``flat_mm`` (n, 2) are discs on the
    surface; the parts that they hide are ignored, unless they hide more than half of the rim.
    """
    radius_mm = shape.radius_mm
    rim_mm = _correct_hole_radius(spec.hole_radius_mm, radius_mm)
    radii = np.arange(0.2 * radius_mm, rim_mm + _BEYOND_MM, _RING_STEP_MM)
    around_mm = radii[:, None, None] * circle_mm((0.0, 0.0), 1.0, _DIRECTIONS)
    lab = _sample_surface(picture, around_mm + spec.hole_centre_mm)
    is_face = radii < FACE_RADII[-1] * radius_mm
    others = pose_on_surface(np.reshape(flat_mm, (-1, 2)) - spec.hole_centre_mm)
    camera_mm = picture.camera_mm - (*spec.hole_centre_mm, 0.0)
    is_hidden = render_masks(camera_mm, around_mm.reshape(-1, 2), others, shape, rim_mm).any(axis=0)
    is_seen = np.asarray(~is_hidden.reshape(lab.shape[:2]))
    rim_seen = np.asarray(is_seen[~is_face].all(axis=0))
    if rim_seen.mean() < PARAMS.least_seen_rim or not is_seen[is_face].any():
        is_seen, rim_seen = np.ones_like(is_seen), np.ones_like(rim_seen)
    darkness, share, cover = _measure_gap(lab[:, rim_seen, 0], radii, radius_mm, rim_mm)
    face = column_medians(lab[is_face][is_seen[is_face]])
    arm = picture.camera_mm - np.array([*spec.hole_centre_mm, 0.0])
    away = np.append(np.linalg.norm(teams_lab - face, axis=-1), [np.inf, np.inf])
    team = int(away.argmin()) if len(teams_lab) > 0 else -1
    distance, other_distance = np.sort(away)[:2].tolist()
    return HoleAppearance(
        team=team,
        colour_distance=distance,
        other_distance=other_distance,
        lab=face,
        gap_darkness=darkness,
        gap_share=share,
        gap_coverage=cover,
        parallax_mm=PARAMS.shallow_floor_mm * float(np.linalg.norm(arm[:2])) / float(arm[2]),
    )


def _correct_hole_radius(measured_mm: float, disc_mm: float) -> float:
    """The hole's radius as measured, unless that was the rim of a disc inside it."""
    if abs(measured_mm - disc_mm) < PARAMS.usual_play_mm / 2:
        return disc_mm + PARAMS.usual_play_mm
    return measured_mm


def _sample_surface(picture: PosedImage, place_mm: FloatArray) -> FloatArray:
    """Weighted Lab (n, k, 3) at places (n, k, 2) of the surface."""
    return bgr_to_weighted_lab(sample_colours(picture, np.insert(place_mm, 2, 0.0, axis=-1)))


def _measure_gap(
    lightness: FloatArray, radii_mm: FloatArray, radius_mm: float, rim_mm: float
) -> tuple[float, float, float]:
    """Excess darkness of the gap over its surroundings, in L and as a share (medians), and the
    share of directions in which it is seen.
    """
    in_gap = (radii_mm > min(radius_mm, rim_mm) - _GAP_INSIDE_MM) & (
        radii_mm < rim_mm + _GAP_OUTSIDE_MM
    )
    low, high = _BESIDE_RADII
    inside = (radii_mm > low * radius_mm) & (radii_mm < high * radius_mm)
    outside = (radii_mm > rim_mm + _WOOD_OUTSIDE_MM) & (radii_mm < rim_mm + _BEYOND_MM)
    beside = np.minimum(np.median(lightness[inside], axis=0), np.median(lightness[outside], axis=0))
    darker = beside - lightness[in_gap].min(axis=0)
    share = darker / np.maximum(beside, 1.0)
    is_gap = share > PARAMS.gap_seen_share
    return float(np.median(darker)), float(np.median(share)), float(is_gap.mean())
