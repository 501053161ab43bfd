"""Is a disc in the hole? Decided by colour first and by the dark gap around a disc second.

A disc in the hole leaves a gap of 1 to 2 mm all round, which is dark; an empty hole has its own
colour, often a team's, right up to its rim. Where neither tells, the answer is no: a twenty that
is not seen is asked for, one that is invented is not forgiven.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.board import BoardSpec
from calibration.camera import FloatArray
from vision.colour import nearest_team, weighted_lab
from vision.lift import Picture
from vision.silhouette import sample

#: A disc in the hole keeps its team's colour to this many weighted Lab units (shade included).
_TEAM_COLOUR_LAB = 14.0
#: The gap is darker than disc and wood by this, in weighted L, over half of the hole's rim.
_GAP_DARKER_L = 7.0
_DIRECTIONS = 48


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HoleLook:
    """What the hole shows: the nearest team, its colour distance, and how dark a gap runs round."""

    team: int
    colour_distance: float
    gap_darkness: float
    lab: FloatArray

    @property
    def holds_disc(self) -> bool:
        """Whether colour and gap both say that a disc lies in the hole."""
        return self.colour_distance < _TEAM_COLOUR_LAB and self.gap_darkness > _GAP_DARKER_L


def look_into_hole(
    picture: Picture, spec: BoardSpec, radius_mm: float, teams_lab: FloatArray
) -> HoleLook:
    """What lies inside the hole of a board whose discs have ``radius_mm``."""
    angle = np.arange(_DIRECTIONS) * (2 * np.pi / _DIRECTIONS)
    unit = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    radii = np.arange(0.2 * radius_mm, spec.hole_radius_mm + 4.0, 0.5)
    points = np.zeros((len(radii), _DIRECTIONS, 3))
    points[..., :2] = np.array(spec.hole_centre_mm) + radii[:, None, None] * unit
    lab = weighted_lab(sample(picture.image, picture.view, points))
    face = np.median(lab[radii < 0.7 * radius_mm].reshape(-1, 3), axis=0)
    gap_from_mm = min(radius_mm, spec.hole_radius_mm) - 2.0
    gap_zone = (radii > gap_from_mm) & (radii < spec.hole_radius_mm + 0.8)
    gap = lab[gap_zone, :, 0].min(axis=0)
    inside = np.median(lab[(radii > 0.55 * radius_mm) & (radii < 0.85 * radius_mm), :, 0], axis=0)
    outside = np.median(lab[radii > spec.hole_radius_mm + 1.5, :, 0], axis=0)
    darkness = float(np.median(np.minimum(inside, outside) - gap))
    if len(teams_lab) == 0:
        return HoleLook(team=-1, colour_distance=np.inf, gap_darkness=darkness, lab=face)
    team, distance = nearest_team(face[None], teams_lab)
    return HoleLook(
        team=int(team[0]), colour_distance=float(distance[0]), gap_darkness=darkness, lab=face
    )
