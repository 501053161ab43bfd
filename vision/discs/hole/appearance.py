"""The 20-hole's appearance: a team's colour or another, and whether a gap runs round it.

A disc in the hole has its team's colour, and leaves 1 to 2 mm all round, which are dark, while an
empty hole keeps its own colour, often a team's, up to its rim. From a flat view, or out of focus,
the gap may not show. Refuses to know how a disc may lie there (``lean``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.board import BoardSpec
from calibration.camera import FloatArray
from vision.discs.outline.contour import sample_colours
from vision.discs.outline.outline_fit import PosedImage
from vision.discs.team_colours import bgr_to_weighted_lab, find_nearest_team

#: A disc in the hole keeps its team's colour to this many weighted Lab units (renders: up to 7;
#: painted holes of nearly a team's colour: from 11) ...
_TEAM_COLOUR_LAB = 8.0
#: ... or to this many behind a gap so dark, in weighted L, that no paint has it (shade, glare).
_SHADED_COLOUR_LAB, _BLACK_GAP_L = 15.0, 10.0
#: The gap is darker than disc and wood by this share of their lightness (renders with a disc: 0.36
#: to 0.54, empty: up to 0.22) and by this in weighted L, over half of the hole's rim.
_GAP_DARKER_SHARE = 0.25
_GAP_DARKER_L = 4.0
#: Shares of the directions in which a gap is seen: by a disc in the hole (renders: 0.81 to 1, two
#: seen askew 0.7), by one that leans in it (mostly up to 0.8), by wall and floor (up to 0.55; where
#: they are lit from one side 0.7).
_GAP_ALL_ROUND, _GAP_ON_MOST, _GAP_ON_ONE_SIDE, _GAP_ON_HALF = 0.9, 0.8, 0.65, 0.5
#: A gap is seen where it is darker than what lies beside it by this share.
_GAP_SEEN_SHARE = 0.15
#: The wood is sampled up to here beyond the rim, mm.
_BEYOND_MM = 4.0
_DIRECTIONS = 48
#: The bare floor of a hole in shade is up to this light, weighted L.
_SHADE_L = 16.0
#: A hole is wider than a disc by at least this in radius, usually by that, mm.
_LEAST_PLAY_MM, _USUAL_PLAY_MM = 0.9, 1.8


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HoleAppearance:
    """What the hole shows.

    team             whose colour is nearest to what is seen inside, -1 without teams
    colour_distance  to that team, weighted Lab
    lightness        of what is seen inside, weighted L
    gap_darkness     of the gap round a disc, weighted L
    gap_share        the same as a share of the lightness beside it
    gap_coverage     share of the directions in which a gap is seen
    """

    team: int
    colour_distance: float
    lightness: float
    gap_darkness: float
    gap_share: float
    gap_coverage: float

    @property
    def shows_team(self) -> bool:
        """Whether what is seen inside has a team's colour."""
        return self.colour_distance < _TEAM_COLOUR_LAB

    @property
    def may_be_shade(self) -> bool:
        """Whether the bare floor may look so in the hole's own shade."""
        return self.lightness < _SHADE_L

    @property
    def has_gap_all_round(self) -> bool:
        """Whether a gap runs all round a thing of any colour, as it does about few leaners."""
        return self._has_gap and self.gap_coverage > _GAP_ALL_ROUND

    @property
    def has_black_gap(self) -> bool:
        """Whether a gap runs nearly all round that is so black that no empty hole has one."""
        is_black = self._has_gap and self.gap_darkness > _BLACK_GAP_L
        return is_black and self.gap_coverage > _GAP_ON_MOST

    @property
    def shows_gap(self) -> bool:
        """Whether a gap runs round a disc of what may be a team's colour."""
        shaded = self.colour_distance < _SHADED_COLOUR_LAB and self.gap_darkness > _BLACK_GAP_L
        has_gap = self._has_gap and self.gap_coverage > _GAP_ON_ONE_SIDE
        return has_gap and (self.shows_team or shaded)

    @property
    def shows_gap_all_round(self) -> bool:
        """Whether that gap runs all round."""
        return self.shows_gap and self.has_gap_all_round

    @property
    def _has_gap(self) -> bool:
        return self.gap_share > _GAP_DARKER_SHARE and self.gap_darkness > _GAP_DARKER_L

    @property
    def may_hold_disc(self) -> bool:
        """Whether a disc may lie there: a gap of a sort is seen round a team's colour."""
        return (
            self.shows_team
            and self.gap_darkness > _GAP_DARKER_L
            and self.gap_coverage > _GAP_ON_HALF
        )


def measure_hole(
    picture: PosedImage, spec: BoardSpec, radius_mm: float, teams_lab: FloatArray
) -> HoleAppearance:
    """Colour and gap of the hole of a board whose discs have ``radius_mm``."""
    rim_mm = _correct_hole_radius(spec.hole_radius_mm, radius_mm)
    radii = np.arange(0.2 * radius_mm, rim_mm + _BEYOND_MM, 0.5)
    lab = _sample_rings(picture, spec, radii)
    darkness, share, cover = _measure_gap(lab[..., 0], radii, radius_mm, rim_mm)
    face = np.median(lab[radii < 0.7 * radius_mm].reshape(-1, 3), axis=0)
    team, distance = -1, float("inf")
    if len(teams_lab) > 0:
        nearest, gap = find_nearest_team(face[None], teams_lab)
        team, distance = int(nearest[0]), float(gap[0])
    return HoleAppearance(
        team=team,
        colour_distance=distance,
        lightness=float(face[0]),
        gap_darkness=darkness,
        gap_share=share,
        gap_coverage=cover,
    )


def _correct_hole_radius(measured_mm: float, disc_mm: float) -> float:
    """The hole's radius: as measured, unless that was the rim of a disc inside it."""
    if abs(measured_mm - disc_mm) < _LEAST_PLAY_MM:
        return disc_mm + _USUAL_PLAY_MM
    return measured_mm


def _make_unit_circle() -> FloatArray:
    """Unit vectors (k, 2) in evenly spaced directions."""
    angle = np.arange(_DIRECTIONS) * (2 * np.pi / _DIRECTIONS)
    return np.stack([np.cos(angle), np.sin(angle)], axis=-1)


def _sample_rings(picture: PosedImage, spec: BoardSpec, radii_mm: FloatArray) -> FloatArray:
    """Weighted Lab (n, k, 3) on circles about the hole, at the surface."""
    points = np.zeros((len(radii_mm), _DIRECTIONS, 3))
    points[..., :2] = np.array(spec.hole_centre_mm) + radii_mm[:, None, None] * _make_unit_circle()
    return bgr_to_weighted_lab(sample_colours(picture.image, picture.view, points))


def _measure_gap(
    lightness: FloatArray, radii_mm: FloatArray, radius_mm: float, rim_mm: float
) -> tuple[float, float, float]:
    """How much darker a gap runs round than what lies beside it: in L and as a share (medians),
    and in what share of the directions it is seen."""
    in_gap = (radii_mm > min(radius_mm, rim_mm) - 2.0) & (radii_mm < rim_mm + 0.8)
    inside = (radii_mm > 0.55 * radius_mm) & (radii_mm < 0.85 * radius_mm)
    outside = (radii_mm > rim_mm + 1.5) & (radii_mm < rim_mm + _BEYOND_MM)
    beside = np.minimum(np.median(lightness[inside], axis=0), np.median(lightness[outside], axis=0))
    darker = beside - lightness[in_gap].min(axis=0)
    share = darker / np.maximum(beside, 1.0)
    is_gap = share > _GAP_SEEN_SHARE
    return float(np.median(darker)), float(np.median(share)), float(is_gap.mean())
