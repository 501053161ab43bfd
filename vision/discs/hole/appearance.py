"""The 20-hole's appearance: a team's colour or another, and whether a gap runs round it.

A disc in the hole has its team's colour, and leaves 1 to 2 mm all round, which are dark, while an
empty hole keeps its own colour, often a team's, up to its rim. From a flat view, or out of focus,
the gap may not show. Refuses to know how a disc may lie there (``lean``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from calibration.board import BoardSpec
from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from vision.discs.outline.contour import sample_colours
from vision.discs.outline.outline_fit import PosedImage
from vision.discs.team_colours import bgr_to_weighted_lab, find_nearest_team


@dataclass(frozen=True, slots=True, kw_only=True)
class AppearanceParameters(StageParameters):
    """What ``appearance`` takes for granted."""

    stage: ClassVar[str] = "discs.hole.appearance"

    #: A disc in the hole keeps its team's colour to this many weighted Lab units (renders: up to 7;
    #: painted holes of nearly a team's colour: from 11) ...
    team_colour_lab: float = parameter(
        8.0,
        unit="weighted Lab",
        source="renders: up to 7; painted holes of nearly a team's colour: from 11",
    )
    #: ... or to this many behind a gap so dark, in weighted L, that no paint has it (shade, glare).
    shaded_colour_lab: float = parameter(15.0, unit="weighted Lab", source="")
    black_gap_l: float = parameter(10.0, unit="", source="")
    #: The gap is darker than disc and wood by this share of their lightness (renders with a disc:
    #: 0.36 to 0.54, empty: up to 0.22) and by this in weighted L, over half of the hole's rim.
    gap_darker_share: float = parameter(
        0.25, unit="share", source="renders with a disc: 0.36 to 0.54, empty: up to 0.22"
    )
    gap_darker_l: float = parameter(4.0, unit="", source="")
    #: Shares of the directions in which a gap is seen: by a disc in the hole (renders: 0.81 to 1,
    #: two seen askew 0.7), by one that leans in it (mostly up to 0.8), by wall and floor (up to
    #: 0.55; where they are lit from one side 0.7).
    gap_all_round: float = parameter(0.9, unit="", source="renders: 0.81 to 1, two seen askew 0.7")
    gap_on_most: float = parameter(0.8, unit="", source="renders: 0.81 to 1, two seen askew 0.7")
    gap_on_one_side: float = parameter(
        0.65, unit="", source="renders: 0.81 to 1, two seen askew 0.7"
    )
    gap_on_half: float = parameter(0.5, unit="", source="renders: 0.81 to 1, two seen askew 0.7")
    #: A gap is seen where it is darker than what lies beside it by this share.
    gap_seen_share: float = parameter(0.15, unit="share", source="")
    #: The wood is sampled up to here beyond the rim, mm.
    beyond_mm: float = parameter(4.0, unit="mm", source="")
    directions: int = parameter(48, unit="", source="")
    #: The bare floor of a hole in shade is up to this light, weighted L.
    shade_l: float = parameter(16.0, unit="", source="")
    #: A hole is wider than a disc by at least this in radius, usually by that, mm.
    least_play_mm: float = parameter(0.9, unit="mm", source="")
    usual_play_mm: float = parameter(1.8, unit="mm", source="")


PARAMS = AppearanceParameters.active()


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
        return self.colour_distance < PARAMS.team_colour_lab

    @property
    def may_be_shade(self) -> bool:
        """Whether the bare floor may look so in the hole's own shade."""
        return self.lightness < PARAMS.shade_l

    @property
    def has_gap_all_round(self) -> bool:
        """Whether a gap runs all round a thing of any colour, as it does about few leaners."""
        return self._has_gap and self.gap_coverage > PARAMS.gap_all_round

    @property
    def has_black_gap(self) -> bool:
        """Whether a gap runs nearly all round that is so black that no empty hole has one."""
        is_black = self._has_gap and self.gap_darkness > PARAMS.black_gap_l
        return is_black and self.gap_coverage > PARAMS.gap_on_most

    @property
    def shows_gap(self) -> bool:
        """Whether a gap runs round a disc of what may be a team's colour."""
        shaded = (
            self.colour_distance < PARAMS.shaded_colour_lab
            and self.gap_darkness > PARAMS.black_gap_l
        )
        has_gap = self._has_gap and self.gap_coverage > PARAMS.gap_on_one_side
        return has_gap and (self.shows_team or shaded)

    @property
    def shows_gap_all_round(self) -> bool:
        """Whether that gap runs all round."""
        return self.shows_gap and self.has_gap_all_round

    @property
    def _has_gap(self) -> bool:
        return self.gap_share > PARAMS.gap_darker_share and self.gap_darkness > PARAMS.gap_darker_l

    @property
    def may_hold_disc(self) -> bool:
        """Whether a disc may lie there: a gap of a sort is seen round a team's colour."""
        return (
            self.shows_team
            and self.gap_darkness > PARAMS.gap_darker_l
            and self.gap_coverage > PARAMS.gap_on_half
        )


def measure_hole(
    picture: PosedImage, spec: BoardSpec, radius_mm: float, teams_lab: FloatArray
) -> HoleAppearance:
    """Colour and gap of the hole of a board whose discs have ``radius_mm``."""
    rim_mm = _correct_hole_radius(spec.hole_radius_mm, radius_mm)
    radii = np.arange(0.2 * radius_mm, rim_mm + PARAMS.beyond_mm, 0.5)
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
    if abs(measured_mm - disc_mm) < PARAMS.least_play_mm:
        return disc_mm + PARAMS.usual_play_mm
    return measured_mm


def _make_unit_circle() -> FloatArray:
    """Unit vectors (k, 2) in evenly spaced directions."""
    angle = np.arange(PARAMS.directions) * (2 * np.pi / PARAMS.directions)
    return np.stack([np.cos(angle), np.sin(angle)], axis=-1)


def _sample_rings(picture: PosedImage, spec: BoardSpec, radii_mm: FloatArray) -> FloatArray:
    """Weighted Lab (n, k, 3) on circles about the hole, at the surface."""
    points = np.zeros((len(radii_mm), PARAMS.directions, 3))
    points[..., :2] = np.array(spec.hole_centre_mm) + radii_mm[:, None, None] * _make_unit_circle()
    return bgr_to_weighted_lab(sample_colours(picture.image, picture.view, points))


def _measure_gap(
    lightness: FloatArray, radii_mm: FloatArray, radius_mm: float, rim_mm: float
) -> tuple[float, float, float]:
    """How much darker a gap runs round than what lies beside it: in L and as a share (medians),
    and in what share of the directions it is seen."""
    in_gap = (radii_mm > min(radius_mm, rim_mm) - 2.0) & (radii_mm < rim_mm + 0.8)
    inside = (radii_mm > 0.55 * radius_mm) & (radii_mm < 0.85 * radius_mm)
    outside = (radii_mm > rim_mm + 1.5) & (radii_mm < rim_mm + PARAMS.beyond_mm)
    beside = np.minimum(np.median(lightness[inside], axis=0), np.median(lightness[outside], axis=0))
    darker = beside - lightness[in_gap].min(axis=0)
    share = darker / np.maximum(beside, 1.0)
    is_gap = share > PARAMS.gap_seen_share
    return float(np.median(darker)), float(np.median(share)), float(is_gap.mean())
